//! How rounds are exchanged: told before, the same to the bit, and refused where it cannot be.

mod common;

use common::{Desk, assert_keys};

const DATA: &str = "synth:power-law,rows=600,columns=20000,density=0.002,exponent=1.05";
const CLUSTER: &str = r#"name = "wide"
machines = 8
cores_per_machine = 1
memory_gb = 4
price_per_hour = 0
[compute]
ns_per_nonzero = 1.5
[network]
latency_us = 20
bandwidth_gbit = 1
collective = "tree"
"#;

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("wide.toml", CLUSTER);
    desk
}

#[test]
fn a_search_is_told_before_and_saves_what_was_said_without_changing_a_bit() {
    // One number for each coefficient in every round, and two in some.
    ["cocoa+", "newton"].into_iter().for_each(saves_what_was_said);
}

fn saves_what_was_said(algorithm: &str) {
    let desk = desk();
    let asked = format!("{DATA} --reach 1e-2 --machines 8..8 --algorithms {algorithm} --cluster wide.toml --forget");
    let (plan, code) = desk.json(&format!("plan {asked} --sync search"));
    assert_eq!(code, 0, "{plan:#}");
    let trained = |sync: &str| {
        let (json, code) = desk.json(&format!("train {asked} --yes --sync {sync}"));
        assert_eq!(code, 0, "{json:#}");
        json
    };
    let (plain, search) = (trained("plain"), trained("search"));
    assert_keys(&search["sync"], &["machines", "way", "words", "seconds", "plain_seconds", "gain"]);
    assert_eq!(plain["objective"], search["objective"], "however rounds are exchanged, the model is the same");
    assert_eq!(plain["rounds"], search["rounds"]);
    let seconds = |answer: &serde_json::Value| answer["real_seconds"].as_f64().unwrap();
    let (real, said) = (
        seconds(&plain) / seconds(&search),
        plan["sync"]["gain"].as_f64().unwrap_or_else(|| search["sync"]["gain"].as_f64().unwrap()),
    );
    assert!(real > 2.0 && (said / real - 1.0).abs() < 0.2, "{algorithm}: said {said}, is {real}");
}

#[test]
fn people_are_told_what_an_exchange_should_take() {
    let desk = desk();
    let said = desk.ok(&format!("run {DATA} --algorithm gd --machines 8 --rounds 3 --cluster wide.toml --sync search"));
    let all = format!("{}{}", said.out, said.err);
    assert!(all.contains("by plain dense all-reduce") && all.contains("(predicted)"), "{all}");
    assert!(all.contains("zeros left out") && all.contains("rounds were "), "{all}");
}

#[test]
fn what_a_search_found_is_written_and_does_the_same_again() {
    let desk = desk();
    let asked = format!("{DATA} --reach 1e-1 --machines 8..8 --algorithms gd --cluster wide.toml --forget");
    let said = desk.ok(&format!("plan {asked} --sync search --sync-out planned.json"));
    assert!(said.err.contains("planned.json: how rounds are exchanged on 8 machines"), "{}", said.err);
    let trained = |flags: &str| {
        let (json, code) = desk.json(&format!("train {asked} --yes {flags}"));
        assert_eq!(code, 0, "{json:#}");
        json
    };
    let (search, file) = (trained("--sync search --sync-out found.json"), trained("--sync planned.json"));
    assert_eq!(desk.read("planned.json"), desk.read("found.json"));
    assert_eq!(search["real_seconds"], file["real_seconds"]);
    assert_eq!(search["sync"]["words"], file["sync"]["words"]);
    let again = format!("run --resume {} --sync-out again.json", search["run"].as_str().unwrap());
    assert_eq!(desk.run(&again).code, 0);

    let refused = |line: &str, words: &str| {
        let said = desk.run(line);
        assert!(said.code == 2 && said.err.contains(words), "{line}: {}", said.err);
    };
    refused(&format!("plan {asked} --sync-out x.json"), "--sync-out: only `--sync search` finds a strategy");
    refused(&format!("train {asked} --sync plain --sync-out x.json"), "--sync-out: only `--sync search` finds");
    refused(&format!("train {asked} --sync search --sync-out no/x.json"), "--sync-out: there is no folder no");
    refused(
        &format!("plan {asked} --cluster spark-1gbit --sync search --sync-out x.json"),
        "--sync-out: plans on several clusters find a strategy for each",
    );
    let one = asked.replace("8..8", "1");
    let said = desk.ok(&format!("plan {one} --sync search --sync-out x.json"));
    assert!(said.err.contains("one machine exchanges nothing, and no strategy is written"), "{}", said.err);
}

#[test]
fn what_cannot_be_is_refused_with_the_reason() {
    let desk = desk();
    let strategy = |machines: usize, by: &str, variable: &str| {
        format!(
            r#"{{"version": 1, "name": "s", "machines": {machines}, "window": 1, "variables": [
                {{"variable": "{variable}", "shards": [{{"by": "{by}", "group": 0}}]}}]}}"#
        )
    };
    desk.write("ring.json", &strategy(8, "ring", "columns 0..20"));
    desk.write("tree.json", &strategy(8, "tree", "columns 0..20"));
    desk.write("other.json", &strategy(8, "tree", "embedding"));
    desk.write("lazy.json", &strategy(8, "tree", "columns 0..20").replace("\"window\": 1", "\"window\": 0"));
    desk.write("four.json", &strategy(4, "tree", "columns 0..20"));
    let refused = |flags: &str, words: &str| {
        let said = desk.run(&format!("run synth:logistic,columns=20 --algorithm gd --machines 8 --rounds 2 {flags}"));
        assert!(said.code != 0 && said.err.contains(words), "{flags}: {}", said.err);
    };
    refused("--sync nowhere.json --cluster wide.toml", "neither plain nor search, nor a strategy's file");
    refused("--sync plain", "exchange nothing");
    refused("--sync ring.json --cluster wide.toml", "ring adds in an order of its own");
    refused(
        "--sync other.json --cluster wide.toml",
        "--sync other.json: is for other variables: `embedding`; this problem has",
    );
    refused("--sync lazy.json --cluster wide.toml", "--sync lazy.json: window 0");
    refused("--sync four.json --cluster wide.toml", "is for 4 machines and no others");
    refused("--sync search --cluster wide.toml --links wide.toml", "has links of its own");
    refused("--links wide.toml", "--sync");
    desk.ok(
        "run synth:logistic,columns=20 --algorithm gd --machines 8 --rounds 2 --sync tree.json --cluster wide.toml",
    );
    let (json, code) =
        desk.json("train synth:logistic,columns=20 --reach 1e-1 --sync tree.json --cluster wide.toml --yes");
    assert!(code == 0 && json["choice"]["machines"] == 8, "as many as the strategy is for: {json}");
    let report = desk.ok("report last --format markdown").out;
    assert!(report.contains("--sync s.json") && report.contains("with this as s.json"), "{report}");
    let said =
        desk.run("train synth:ratings,users=50,items=20 --problem mf --reach 1e-1 --sync plain --cluster wide.toml");
    assert!(said.code != 0, "{}", said.out);
}

#[test]
fn data_is_a_model_whose_columns_are_exchanged() {
    let desk = desk();
    let (json, code) = desk.json(&format!("sync simulate {DATA} ps-balanced --cluster wide.toml"));
    assert_eq!(code, 0, "{json:#}");
    let (json, code) = desk.json(&format!("sync search {DATA} --cluster wide.toml --lossless --trials 10"));
    assert_eq!(code, 0, "{json:#}");
    let first = json["found"]["strategy"]["variables"][0]["variable"].as_str().unwrap().to_string();
    assert!(first.starts_with("columns 0.."), "{first}");
}
