//! What results say: of the model that is kept, of the test set, of columns that do not match, and what to type next.

mod common;

use common::Desk;
use serde_json::Value;

const SMALL: &str = "synth:svm,rows=300,columns=8";

/// The last line of this head in a result, without the head.
fn line<'a>(said: &'a str, head: &str) -> &'a str {
    said.lines().filter_map(|line| line.strip_prefix(head)).next_back().unwrap_or_default().trim()
}

/// The commands offered under `next`.
fn next(said: &str) -> Vec<&str> {
    let offered = said.split("\nnext ").nth(1).unwrap_or_default();
    offered.lines().map(str::trim).filter(|line| line.starts_with("hemingway ")).collect()
}

#[test]
fn a_run_whose_bound_rises_from_nothing_is_not_stalled() {
    let desk = Desk::new();
    let job = "run synth:svm,rows=400,columns=10 --loss hinge --l2 1e-6 --algorithm minibatch-sdca --machines 4";
    let (json, _) = desk.json(&format!("{job} --reach 1e-3 --cluster laptop --max-time 1"));
    assert_eq!(json["ending"], "budget-spent", "{json}");
    assert!(json["rounds"].as_u64().unwrap() > 64, "{json}");
}

#[test]
fn the_choice_is_what_trained_the_model_that_is_kept() {
    let desk = Desk::new();
    for (seed, seconds) in [(0, 0.02), (1, 0.05), (2, 0.3)] {
        let job = format!("train synth:power-law,rows=2000,columns=200,seed={seed} --within {seconds}");
        let (json, _) = desk.json(&format!("{job} --cluster cloud-25gbit --model m.json"));
        let model: Value = serde_json::from_str(&desk.read("m.json")).unwrap();
        assert_eq!(json["choice"], model["provenance"]["choice"], "{json}");
        assert_eq!(json["objective"], model["provenance"]["objective"], "{json}");
    }
}

#[test]
fn results_hold_the_measures_on_the_test_set() {
    let desk = Desk::new();
    let job = format!("run {SMALL} --test {SMALL},seed=1 --algorithm gd --machines 1 --rounds 9 --cluster laptop");
    let (json, _) = desk.json(&format!("{job} --model m.json"));
    let (score, _) = desk.json(&format!("score m.json {SMALL},seed=1"));
    assert_eq!(json["metrics"], score["metrics"]);
    let said = desk.ok(&job).out;
    let accuracy = json["metrics"]["accuracy"].as_f64().unwrap();
    assert!(line(&said, "test").starts_with(&format!("accuracy {accuracy:.5}, test_loss ")), "{said}");
    let (json, _) = desk.json(&job.replace(&format!(" --test {SMALL},seed=1"), ""));
    assert_eq!(json.get("metrics"), None, "there is no test set");
    assert_eq!(desk.json("runs show last").0["metrics"], serde_json::json!({}));
}

#[test]
fn what_to_type_next_is_whole() {
    let desk = Desk::new();
    desk.write("mine.toml", include_str!("../../../clusters/laptop.toml"));
    let renamed = desk.read("mine.toml").replace("\"laptop\"", "\"my-laptop\"");
    desk.write("mine.toml", &renamed);
    let said = desk.run(&format!(
        "run {SMALL} --loss hinge --l2 1e-2 --algorithm local-sgd --machines 2 --reach 1e-3 --cluster mine.toml"
    ));
    assert_eq!(said.code, 3, "{}", said.err);
    let asked = format!("hemingway train {SMALL} --reach 1e-3 --cluster mine.toml --loss hinge --l2 0.01");
    assert!(next(&said.out).iter().any(|line| line.starts_with(&asked)), "{}", said.out);
    let said = desk.ok(&format!("plan {SMALL} --loss hinge --reach 1e-2 --cluster cloud-25gbit --seed 3"));
    let offered = next(&said.out)[0].to_owned();
    assert!(offered.ends_with("--reach 1e-2 --cluster cloud-25gbit --loss hinge --seed 3"), "{offered}");
    desk.ok(offered.strip_prefix("hemingway ").unwrap());
}

#[test]
fn columns_that_do_not_match_the_model_are_told() {
    let desk = Desk::new();
    desk.write("train.svm", "+1 1:1 3:1\n-1 2:1\n+1 1:2\n-1 3:2\n");
    desk.ok("run train.svm --algorithm gd --machines 1 --rounds 5 --cluster laptop --model m.json");
    for (file, text, words) in [
        ("narrow.svm", "+1 1:1\n", "taken as 0: 2 columns beyond the 1 of this data, since the training data had 3"),
        ("wide.svm", "+1 1:1 5:2\n", "left out: 2 columns beyond the 3 of the training data, 1 entry in all"),
    ] {
        desk.write(file, text);
        for verb in ["predict", "score"] {
            assert!(desk.ok(&format!("{verb} m.json {file}")).err.contains(words), "{verb} {file}");
            let (json, _) = desk.json(&format!("{verb} m.json {file}"));
            assert!(json["notes"].as_array().unwrap().iter().any(|note| note == words), "{json}");
        }
    }
    let said = desk.run("score m.json synth:svm,rows=9,columns=5");
    assert!(said.code == 1 && said.err.contains("holds 5 columns, the training data 3"), "{}", said.err);
}

#[test]
fn with_the_absolute_loss_only_a_proof_is_a_claim() {
    let desk = Desk::new();
    let job = "run synth:ridge,rows=300,columns=5 --loss absolute --algorithm admm --machines 2 --reach 1e-2";
    let (json, _) = desk.json(&format!("{job} --cluster laptop --max-time 5"));
    assert_eq!(json["estimated_error"], json["certified_error"], "{json}");
}

#[test]
fn how_data_was_understood_is_told_in_json_too() {
    let desk = Desk::new();
    desk.write("table.csv", "a,b,label\n1,2,0\n3,4,1\n2,2,0\n4,1,1\n");
    let told = "labels are column 3 `label` (by its name; --label takes another)";
    for command in [
        "train table.csv --reach 1e-1 --cluster laptop --machines 1..2 --forget",
        "plan table.csv --reach 1e-1 --cluster laptop --machines 1..2 --forget",
        "train table.csv --reach 1e-1 --cluster laptop --cluster cloud-25gbit --machines 1..2 --forget",
        "train table.csv --reach 1e-1 --path 3",
        "run table.csv --algorithm gd --machines 1 --rounds 2 --cluster laptop --model m.model",
    ] {
        let (json, _) = desk.json(command);
        let notes: Vec<&str> = json["notes"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!(notes.iter().filter(|note| **note == told).count(), 1, "{command}: {notes:?}");
    }
}

#[test]
fn a_penalty_that_leaves_nothing_is_told() {
    let desk = Desk::new();
    let said = |l1: &str| desk.ok(&format!("run {SMALL} --algorithm lbfgs --machines 1 --reach 1e-2 --l1 {l1}")).err;
    let nothing = said("1e6");
    assert!(nothing.contains("note: λ₁ = 1000000 leaves every coefficient at 0, as every λ₁ from "), "{nothing}");
    assert!(!said("1e-3").contains("leaves every coefficient at 0"));
    assert!(!desk.ok(&format!("train {SMALL} --reach 1e-2 --path 3")).err.contains("leaves every coefficient"));
}

#[test]
fn content_says_what_a_file_is() {
    let desk = Desk::new();
    desk.write("named.csv", "+1 1:0.5 3:2\n-1 2:1\n");
    assert_eq!(desk.json("data info named.csv").0["columns"], 3);
}

#[test]
fn an_algorithm_named_twice_is_one() {
    let desk = Desk::new();
    let job = format!("plan {SMALL} --reach 1e-2 --cluster laptop --machines 1..2 --forget --algorithms");
    let rows = |names: &str| desk.json(&format!("{job} {names}")).0["candidates"].as_array().unwrap().len();
    assert_eq!(rows("newton,newton"), rows("newton"));
}

#[test]
fn a_strategy_brings_its_own_number_of_machines() {
    let desk = Desk::new();
    desk.ok("sync search ncf --cluster cloud-25gbit --machines 4 --trials 2 -o ncf.json");
    let said = desk.ok("sync simulate ncf ncf.json --cluster cloud-25gbit").out;
    assert!(said.contains("on 4 machines of cloud-25gbit"), "{said}");
}
