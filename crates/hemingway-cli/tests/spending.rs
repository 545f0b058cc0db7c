//! What a run has used up: its parts are the whole, in seconds and in dollars.

mod common;

use common::Desk;
use serde_json::Value;

/// A run with rehearsals, probes elsewhere and rows moved for them.
const RUN: &str = "logistic-1";
const JOURNAL: &str = include_str!("golden/logistic-1/journal.jsonl");

/// What a report says was spent by the end of these lines of the journal.
fn spending(lines: &[&str]) -> Value {
    let desk = Desk::new();
    std::fs::create_dir_all(desk.path("runs").join(RUN)).expect("a directory");
    desk.write(&format!("runs/{RUN}/journal.jsonl"), &format!("{}\n", lines.join("\n")));
    desk.json("report last").0["spending"].clone()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn sum(whole: &Value, keys: &[&str]) -> f64 {
    keys.iter().map(|key| number(&whole[key])).sum()
}

fn parts(spending: &Value) -> [&Value; 3] {
    ["probes", "rehearsals", "training"].map(|name| &spending[name])
}

fn assert_close(sum: f64, whole: f64, spending: &Value) {
    assert!((sum - whole).abs() < 1e-9 * whole, "{sum} is not {whole}: {spending:#}");
}

#[test]
fn parts_add_up_to_the_wall_seconds_and_dollars_of_the_driver() {
    let lines: Vec<&str> = JOURNAL.lines().collect();
    let end: Value = serde_json::from_str(lines.last().expect("an end")).expect("an event");
    let spending = spending(&lines);
    let seconds = parts(&spending).map(|part| sum(part, &["train_seconds", "eval_seconds", "load_seconds"]));
    assert!(seconds.iter().all(|seconds| *seconds > 0.0), "{spending:#}");
    assert!(parts(&spending).iter().any(|part| number(&part["load_seconds"]) > 0.0), "{spending:#}");
    assert_close(seconds.iter().sum(), number(&end["summary"]["wall_seconds"]), &spending);
    let dollars = parts(&spending).map(|part| number(&part["dollars"]));
    assert_close(dollars.iter().sum(), number(&end["summary"]["dollars"]), &spending);
    for part in [&spending["probes"], &spending["training"]] {
        assert_close(sum(part, &["compute", "wait", "sync", "other"]), number(&part["train_seconds"]), &spending);
    }
}

#[test]
fn what_was_spent_is_counted_before_the_end_too() {
    let lines: Vec<&str> = JOURNAL.lines().collect();
    let (whole, cut) = (spending(&lines), spending(&lines[..lines.len() - 1]));
    assert_close(number(&cut["dollars"]), number(&whole["dollars"]), &cut);
    assert_close(number(&cut["wall_seconds"]), number(&whole["wall_seconds"]), &cut);
    assert_eq!(parts(&cut), parts(&whole));
}

#[test]
fn plans_on_other_clusters_are_a_part() {
    let desk = Desk::new();
    let clusters = "--cluster laptop --cluster cloud-25gbit";
    desk.ok(&format!("train synth:logistic,rows=2000,columns=20 --reach 1e-3 {clusters} --algorithms gd"));
    let spending = desk.json("report last").0["spending"].clone();
    let seconds: f64 =
        parts(&spending).iter().map(|part| sum(part, &["train_seconds", "eval_seconds", "load_seconds"])).sum();
    assert!(number(&spending["other_clusters_seconds"]) > 0.0, "{spending:#}");
    assert_close(seconds + number(&spending["other_clusters_seconds"]), number(&spending["wall_seconds"]), &spending);
}
