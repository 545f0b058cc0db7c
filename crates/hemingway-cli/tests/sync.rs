//! `sync`: strategies found, foretold, run, compared and explained.

mod common;

use common::{Desk, assert_keys};
use serde_json::Value;

const MODEL: &str = r#"{"name": "two", "step_ms": 2, "variables": [
  {"name": "wide", "shape": [20000, 8], "density": 0.02, "ready_ms": 2},
  {"name": "w", "shape": [300, 200], "dtype": "f32", "density": 1.0, "ready_ms": 1.5},
  {"name": "b", "shape": [200], "ready_ms": 1}]}"#;

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("two.json", MODEL);
    desk
}

#[test]
fn a_search_answers_as_scripts_expect_and_repeats() {
    let desk = desk();
    let line = "sync search two.json --cluster cloud-25gbit --machines 4 --trials 20 --lossless --seed 1 -o found.json";
    let (json, code) = desk.json(line);
    assert_eq!(code, 0, "{json:#}");
    assert_keys(&json, &["found", "builders", "trials", "engine", "bound_seconds", "hit_rate"]);
    assert_keys(&json["found"], &["strategy", "seconds"]);
    assert_keys(&json["found"]["seconds"], &["low", "mid", "high"]);
    assert_keys(&json["builders"][0], &["name", "seconds"]);
    assert!(json["trials"].as_u64().is_some_and(|trials| (1..=20).contains(&trials)));
    let found = json["found"]["seconds"]["mid"].as_f64().unwrap();
    let builders = json["builders"].as_array().unwrap();
    assert!(builders.iter().all(|built| built["seconds"].as_f64().unwrap() >= found), "{json:#}");
    assert_eq!(json["found"]["strategy"]["version"], 1);
    assert_eq!(desk.json(line).0, json, "the same seed finds the same");
    let written: Value = serde_json::from_str(&desk.read("found.json")).unwrap();
    assert_eq!(written, json["found"]["strategy"]);
    let (simulated, code) = desk.json("sync simulate two.json found.json --cluster cloud-25gbit --machines 4");
    assert_eq!(code, 0, "{simulated:#}");
    assert_keys(&simulated, &["seconds", "compute_seconds", "bound_seconds", "links", "waits_for", "engine"]);
}

#[test]
fn people_read_tables_with_a_reason() {
    let desk = desk();
    let found = desk.ok("sync search two.json --cluster cloud-25gbit --machines 4 --trials 10 --seed 1").out;
    assert!(found.contains("× bound") && found.contains("why") && found.contains("simulated messages"), "{found}");
    let compared = desk.ok("sync compare two.json --cluster cloud-25gbit --machines 4").out;
    assert!(
        compared.contains("parallax") && compared.contains("horovod") && !compared.contains("hierarchical  "),
        "{compared}"
    );
    let explained = desk.ok("sync explain vgg16 horovod --cluster cloud-25gbit --machines 8 --plot step.svg").out;
    assert!(explained.contains("It waits for") && explained.contains("host 0 up"), "{explained}");
    let picture = desk.read("step.svg");
    roxmltree::Document::parse(&picture).expect("well-formed XML");
    assert!(picture.contains("all computed") && picture.contains("ring"));
}

#[test]
fn an_exchange_of_several_shards_counts_its_variables() {
    let desk = Desk::new();
    let shard = r#"{"by": "ring", "group": 0}"#;
    desk.write(
        "small.json",
        r#"{"name": "s", "variables": [{"name": "w", "shape": [4]}, {"name": "b", "shape": [2]}]}"#,
    );
    let plans = format!(
        r#"{{"variable": "w", "partition": {{"axis": 0, "sizes": [2, 2]}}, "shards": [{shard}, {shard}]}},
           {{"variable": "b", "shards": [{shard}]}}"#
    );
    let head = r#""version": 1, "name": "merged", "machines": 2, "window": 1"#;
    desk.write("merged.json", &format!("{{{head}, \"variables\": [{plans}]}}"));
    let explained = desk.ok("sync explain small.json merged.json --cluster laptop --machines 2").out;
    assert!(explained.contains("w and 1 more  ring"), "{explained}");
}

#[test]
fn real_bytes_move_over_shaped_links() {
    let desk = desk();
    let (json, code) = desk.json("sync run two.json byteps --cluster cloud-25gbit --machines 3 --steps 2 --scale 4");
    assert_eq!((code, &json["engine"]), (0, &Value::from("threads")), "{json:#}");
    assert!(json["seconds"]["low"].as_f64().unwrap() >= 2e-3, "{json:#}");
    let line = "sync search two.json --cluster cloud-25gbit --machines 2 --trials 2 --engine threads --scale 8";
    let (json, _) = desk.json(line);
    assert!(json["engine"].as_str().unwrap().contains("bytes scaled by 1/8"), "{json:#}");
}

#[test]
fn autodists_resources_become_a_cluster() {
    let desk = desk();
    desk.write("spec.yml", "nodes:\n  - address: 10.0.0.1\n    network_bandwidth: 10\n  - address: 10.0.0.2\n");
    let said = desk.ok("sync convert spec.yml -o ours.toml").out;
    assert!(said.contains("note     1 of 2 nodes give no network_bandwidth: taken as 1 Gbit/s"), "{said}");
    let (json, code) = desk.json("sync simulate two.json ps --cluster ours.toml");
    assert_eq!(code, 0, "{json:#}");
    assert_eq!(json["links"][0]["name"], "host 1 down", "the slower of two links is the busiest");
}

#[test]
fn a_search_begins_with_what_another_kept() {
    let desk = desk();
    let line = |machines: usize, more: &str| {
        format!(
            "sync search two.json --cluster cloud-25gbit --machines {machines} --trials 10 --lossless --seed 1 {more}"
        )
    };
    desk.ok(&line(2, "--keep trials.jsonl"));
    desk.ok(&line(3, "--keep trials.jsonl"));
    let kept = desk.read("trials.jsonl").lines().count();
    let (json, code) = desk.json(&line(4, "--from trials.jsonl"));
    assert_eq!((code, json["trials_before"].as_u64()), (0, Some(kept as u64)), "{json:#}");
    assert!(kept > 20, "{kept}");
    let said = desk.ok(&line(4, "--from trials.jsonl")).out;
    assert!(said.contains(&format!("that began with what {kept} earlier ones taught")), "{said}");
}

/// A strategy for `two` that is lossy and late.
const LOSSY: &str = r#"{"version": 1, "name": "lossy", "machines": 4, "window": 2, "variables": [
  {"variable": "wide", "shards": [{"by": "ring", "group": 0, "compression": {"top-k": 0.01}, "staleness": 2}]},
  {"variable": "w", "shards": [{"by": {"server": 1}, "group": 1, "compression": "int8"}]},
  {"variable": "b", "shards": [{"by": {"server": 1}, "group": 2}]}]}"#;

#[test]
fn what_is_lossy_or_late_is_called_so() {
    let desk = desk();
    desk.write("lossy.json", LOSSY);
    let place = "--cluster cloud-25gbit --machines 4";
    let losses = "not lossless: top-k 73 %, int8 27 %, up to 2 steps late 73 % of the bytes";
    for verb in ["simulate", "explain"] {
        let said = desk.ok(&format!("sync {verb} two.json lossy.json {place}")).out;
        assert!(said.contains(losses), "{said}");
        assert!(!desk.ok(&format!("sync {verb} two.json ring {place}")).out.contains("lossless"));
        assert_eq!(desk.json(&format!("sync {verb} two.json lossy.json {place}")).0["lossless"], false);
        assert_eq!(desk.json(&format!("sync {verb} two.json ring {place}")).0["lossless"], true);
    }
    let line = format!("sync search ncf {place} --trials 10");
    assert_eq!(desk.json(&line).0["lossless"], false);
    let said = desk.ok(&line).out;
    assert!(said.contains("it is not lossless: ") && said.contains("`--lossless` for exact sums"), "{said}");
    let line = format!("sync search two.json {place} --trials 10 --lossless");
    assert_eq!(desk.json(&line).0["lossless"], true);
    assert!(!desk.ok(&line).out.contains("not lossless"));
}

#[test]
fn what_to_do_next_asks_for_the_same_search() {
    let desk = desk();
    let place = "two.json --cluster cloud-25gbit --machines 2";
    desk.ok(&format!("sync search {place} --trials 3 --keep a.jsonl"));
    let flags = "--lossless --trials 2 --engine simulated --scale 8 --seed 7 --from a.jsonl --keep b.jsonl";
    let said = desk.ok(&format!("sync search {place} {flags}")).out;
    assert!(said.contains(&format!("hemingway sync search {place} {flags} -o strategy.json")), "{said}");
}

#[test]
fn links_that_are_not_shown_are_counted() {
    let desk = desk();
    let said = desk.ok("sync explain bert-large ps --cluster spark-1gbit --machines 8").out;
    assert!(said.contains("10 more links, none of them busier") && said.contains("busy nearly all the time"), "{said}");
}
