//! `design`: the first runs, and the next probe.

mod common;

use common::{Desk, assert_keys};
use serde_json::Value;

/// Rounds of two seconds whatever m is, with linear convergence that differs by algorithm.
fn records(runs: &[(&str, usize, u32)]) -> String {
    let mut text = String::from("algorithm,machines,run,round,elapsed,objective\n");
    for (algorithm, machines, rounds) in runs {
        let rate: f64 = if *algorithm == "fast" { 0.9 } else { 0.92 };
        for round in 1..=*rounds {
            let (elapsed, objective) = (2 * round, 1.0 + rate.powi(round as i32));
            text.push_str(&format!("{algorithm},{machines},{algorithm}-{machines},{round},{elapsed},{objective}\n"));
        }
    }
    text
}

#[test]
fn without_records_the_runs_are_ernests() {
    let desk = Desk::new();
    let (json, code) = desk.json("design --machines 1..8 --cores 4 --parts 4..32 --total-parts 256 --budget 10");
    assert_eq!(code, 0, "{json:#}");
    assert_keys(&json, &["runs", "unit", "budget", "variance", "considered"]);
    assert_eq!((&json["considered"], json["runs"].as_array().unwrap().len()), (&Value::from(83), 7));
    assert!((json["variance"].as_f64().unwrap() - 5.61735).abs() < 1e-4);
    assert_keys(&json["runs"][0], &["machines", "fraction", "parts", "weight", "cost"]);
    let (same, _) = desk.json("design --machines 1..8 --cores 4");
    assert_eq!(same, json, "the defaults are Ernest's");
}

#[test]
fn the_first_runs_need_no_more_than_machines_or_a_cluster() {
    let desk = Desk::new();
    let said = desk.ok("design --machines 1..8");
    assert!(said.out.contains("% of the data") && said.out.contains("hemingway fit RECORDS.csv"), "{}", said.out);
    let (json, _) = desk.json("design --cluster laptop --smallest-run 20s");
    assert_eq!((&json["unit"], &json["budget"]), (&Value::from("seconds"), &Value::from(200.0)));
    let (json, _) = desk.json("design --cluster laptop --machines 2..4 --cost dollars --price 3.6");
    assert_eq!(json["unit"], "dollars");
    assert!(json["runs"].as_array().unwrap().iter().all(|run| (2..=4).contains(&run["machines"].as_u64().unwrap())));
    let quiet = desk.ok("design --machines 1..8 --output quiet").out;
    assert!(quiet.lines().all(|line| line.split(' ').count() == 2), "{quiet}");
}

#[test]
fn a_few_rounds_on_one_m_call_for_a_probe() {
    let desk = Desk::new();
    desk.write("few.csv", &records(&[("fast", 4, 12), ("slow", 4, 12)]));
    let (json, code) = desk.json("design few.csv --reach 1e-3");
    assert_eq!(code, 0, "{json:#}");
    assert_keys(&json, &["goal", "verdict", "next", "choice", "promise", "regret", "unit", "probes", "basis"]);
    assert_eq!((&json["verdict"], &json["unit"]), (&Value::from("probe"), &Value::from("seconds")));
    assert_keys(&json["next"], &["config", "fraction", "rounds", "seconds", "cost", "saves"]);
    assert!(json["next"]["saves"].as_f64() > json["next"]["cost"].as_f64());
    assert_eq!(json["next"], json["probes"][0]);
    assert_eq!(json["choice"]["machines"], 4, "only what was timed is chosen");
    let said = desk.ok("design few.csv --reach 1e-3 --machines 1..16");
    assert_eq!(said.out.matches('✔').count(), 1, "{}", said.out);
    assert!(said.out.contains("expected regret") && said.out.contains("probe  "), "{}", said.out);
    let quiet = desk.ok("design few.csv --reach 1e-3 --output quiet").out;
    assert_eq!(quiet.split_whitespace().count(), 3, "{quiet}");
    assert_eq!(quiet, desk.ok("design few.csv --reach 1e-3 --output quiet").out);
}

#[test]
fn a_settled_choice_says_stop() {
    let desk = Desk::new();
    let runs: Vec<_> = [1, 2, 4].into_iter().flat_map(|m| [("fast", m, 150), ("slow", m, 150)]).collect();
    desk.write("all.csv", &records(&runs));
    let (json, code) = desk.json("design all.csv --reach 1e-3 --machines 1..4");
    assert_eq!((code, &json["verdict"], &json["next"]), (0, &Value::from("stop"), &Value::Null), "{json:#}");
    assert_eq!(json["choice"]["algorithm"], "fast");
    assert!(desk.ok("design all.csv --reach 1e-3 --machines 1..4").out.contains("stop   no probe"));
    assert_eq!(desk.ok("design all.csv --reach 1e-3 --machines 1..4 --output quiet").out.trim(), "stop");
}

#[test]
fn budgets_and_money_count_in_their_own_units() {
    let desk = Desk::new();
    desk.write("few.csv", &records(&[("fast", 4, 12), ("slow", 4, 12)]));
    let unit = |line: &str| desk.json(&format!("design few.csv {line}")).0["unit"].clone();
    assert_eq!(unit("--within 2m"), "error");
    assert_eq!(unit("--spend $1 --price 0.5"), "error");
    assert_eq!(unit("--reach 1e-3 --cost dollars --cluster cloud-25gbit"), "dollars");
    assert_eq!(unit("--reach 1e-3 --cost machine-seconds"), "machine_seconds");
    let said = desk.ok("design few.csv --within 2m");
    assert!(said.out.contains("leaves error") && said.out.contains("takes"), "{}", said.out);
}

#[test]
fn our_own_runs_are_records_too() {
    let desk = Desk::new();
    desk.ok("run synth:svm,rows=300,columns=8 --algorithm cocoa+ --machines 4 --rounds 10 --cluster spark-1gbit");
    let (json, code) = desk.json("design last --reach 1e-4 --cluster spark-1gbit");
    assert_eq!((code, &json["choice"]["algorithm"]), (0, &Value::from("cocoa+")), "{json:#}");
}

#[test]
fn what_cannot_be_designed_is_usage() {
    let desk = Desk::new();
    desk.write("few.csv", &records(&[("fast", 4, 12)]));
    desk.ok("fit few.csv -o it.fit");
    let cases = [
        ("design", "--machines A..B"),
        ("design --reach 1e-3", "a goal needs RECORDS"),
        ("design --machines 8..2", "is not a range"),
        ("design --machines 1..16 --cluster laptop", "a cluster of 8"),
        ("design --machines 4..8 --parts 1..2", "too few for the 4 cores"),
        ("design --machines 1..8 --parts 4..32 --total-parts 8", "--total-parts"),
        ("design --machines 1..8 --budget 0.01", "too small for any run"),
        ("design --machines 1..8 --budget 0", "above 0"),
        ("design --machines 1..8 --cost dollars", "--price"),
        ("design --machines 1..8 --cluster nowhere", "neither a file nor one of"),
        ("design few.csv", "the goal is missing"),
        ("design few.csv --reach 1e-3 --budget 10", "when there are no RECORDS"),
        ("design few.csv --reach 1e-3 --cost dollars --price 0", "above 0"),
        ("design few.csv --within 5m --cost time", "--cost goes with --reach"),
        ("design few.csv --spend $1", "--price"),
        ("design few.csv --reach-metric accuracy=0.9", "--metric"),
        ("design it.fit --reach 1e-3", "hand in the records"),
    ];
    for (line, words) in cases {
        let (json, code) = desk.json(line);
        assert_eq!(code, 2, "{line}: {json}");
        assert!(json["error"].as_str().is_some_and(|error| error.contains(words)), "{line}: {json}");
    }
    desk.write("timed.csv", "algorithm,machines,seconds\ngd,1,0.1\ngd,2,0.1\n");
    let (json, code) = desk.json("design timed.csv --reach 1e-3");
    assert!(code == 1 && json["error"].as_str().unwrap().contains("both times and objectives"), "{json}");
}
