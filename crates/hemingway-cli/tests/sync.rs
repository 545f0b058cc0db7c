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
    desk.ok("sync convert spec.yml -o ours.toml");
    let (json, code) = desk.json("sync simulate two.json ps --cluster ours.toml");
    assert_eq!(code, 0, "{json:#}");
    assert_eq!(json["links"][0]["name"], "host 1 down", "the slower of two links is the busiest");
}

#[test]
fn what_cannot_be_is_said_with_its_name() {
    let desk = desk();
    desk.write("bad.json", &MODEL.replace("[300, 200]", "[300, 0]"));
    desk.write("cut.json", &MODEL[..60]);
    desk.write("later.json", r#"{"version": 2, "name": "s", "machines": 2, "window": 1, "variables": []}"#);
    desk.write("empty.json", r#"{"version": 1, "name": "s", "machines": 2, "window": 1, "variables": []}"#);
    desk.write("spec.yml", "nodes:\n  - address: a\n    network_bandwidth: fast\n");
    let cases = [
        ("sync simulate bad.json ps --cluster laptop", 1, "bad.json: variable `w`: shape [300, 0] has a length of 0"),
        ("sync simulate cut.json ps --cluster laptop", 1, "cut.json:"),
        ("sync simulate vgg17 ps --cluster laptop", 2, "neither a file nor one of vgg16"),
        ("sync simulate two.json guess --cluster laptop", 2, "neither a file nor one of ps,"),
        ("sync simulate two.json later.json --cluster laptop", 1, "version 1"),
        ("sync simulate two.json empty.json --cluster laptop --machines 2", 2, "variable `wide`: has no plan"),
        ("sync simulate two.json hierarchical --cluster laptop", 2, "needs a cluster with racks"),
        ("sync simulate two.json ps --cluster local", 2, "`local` has no links"),
        ("sync simulate two.json ps --cluster laptop --machines 9", 2, "9 asked of a cluster of 8"),
        ("sync run two.json ps --cluster laptop --scale 0.5", 2, "a factor of 1 or more"),
        ("sync convert spec.yml -o c.toml", 1, "spec.yml:3: network_bandwidth `fast`"),
    ];
    for (line, expected, words) in cases {
        let (json, code) = desk.json(line);
        assert_eq!(code, expected, "{line}: {json}");
        assert!(json["error"].as_str().is_some_and(|error| error.contains(words)), "{line}: {json}");
    }
}
