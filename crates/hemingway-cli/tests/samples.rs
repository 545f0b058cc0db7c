//! Records of samples of the rows, and what is made of them.

mod common;

use common::Desk;
use serde_json::Value;

const DATA: &str = "synth:logistic,rows=4000,columns=20,seed=2";

/// Runs of one algorithm on samples, named as RECORDS.
fn sample(desk: &Desk, algorithm: &str, shares: &[f64], machines: &[usize]) -> String {
    let mut names = Vec::new();
    for (share, m) in shares.iter().flat_map(|share| machines.iter().map(move |m| (share, m))) {
        let name = format!("{algorithm}-{share}-{m}.csv");
        let what = format!("--algorithm {algorithm} --machines {m} --fraction {share} --rounds 60");
        desk.ok(&format!("run {DATA} --cluster laptop {what} --records {name}"));
        names.push(name);
    }
    names.join(" ")
}

/// The column of the first record.
fn field(desk: &Desk, file: &str, column: &str) -> String {
    let text = desk.read(file);
    let mut lines = text.lines().map(|line| line.split(',').map(String::from).collect::<Vec<_>>());
    let place = lines.next().unwrap().iter().position(|name| name == column).unwrap();
    lines.next().unwrap()[place].clone()
}

#[test]
fn a_run_on_a_sample_says_so_in_its_records() {
    let desk = Desk::new();
    sample(&desk, "cocoa", &[0.1], &[2]);
    sample(&desk, "lbfgs", &[0.1], &[2]);
    desk.ok(&format!("run {DATA} --cluster laptop --algorithm cocoa --machines 2 --rounds 3 --records whole.csv"));
    let file = "cocoa-0.1-2.csv";
    assert_eq!((field(&desk, file, "rows").as_str(), field(&desk, file, "fraction").as_str()), ("400", "0.1"));
    let [whole, dual, primal] = ["whole.csv", file, "lbfgs-0.1-2.csv"].map(|file| field(&desk, file, "problem"));
    assert_eq!(dual, format!("{whole}@0-2.5e-3"), "λn stays what it is");
    assert_eq!(primal, format!("{whole}@0-2.5e-4"), "λ stays what it is");
}

#[test]
fn samples_of_one_size_are_not_trusted() {
    let desk = Desk::new();
    let records = sample(&desk, "cocoa", &[0.1], &[1, 4]);
    let (fit, _) = desk.json(&format!("fit {records}"));
    assert!(fit["contexts"][0]["doubt"].as_str().unwrap().contains("alone cannot be checked"), "{fit:#}");
    assert_eq!(fit["contexts"][0]["machines"][0]["rounds_to"][0]["rounds"], Value::Null);
    let said = desk.ok(&format!("fit {records}"));
    assert!(said.out.contains("samples of 10 %") && said.out.contains("unknown for all rows"), "{}", said.out);
}

#[test]
fn several_sizes_foresee_all_rows() {
    let desk = Desk::new();
    let records = sample(&desk, "cocoa", &[0.1, 0.2, 0.4], &[1, 4]);
    let (fit, _) = desk.json(&format!("fit {records} --targets 1e-2"));
    assert_eq!(fit["contexts"][0]["doubt"], Value::Null, "{fit:#}");
    let foreseen = &fit["contexts"][0]["machines"][1]["rounds_to"][0]["rounds"]["at"];
    // L-BFGS finds P*, by which the real count is judged.
    for (algorithm, m) in [("cocoa", 4), ("lbfgs", 1)] {
        let what = format!("--algorithm {algorithm} --machines {m} --rounds 60 --records {algorithm}.csv");
        desk.ok(&format!("run {DATA} --cluster laptop {what}"));
    }
    let (whole, _) = desk.json("fit cocoa.csv lbfgs.csv --targets 1e-2");
    let real = &whole["contexts"][0]["machines"][1]["rounds_to"][0]["rounds"]["at"]["mid"];
    let [low, high, real] = [&foreseen["low"], &foreseen["high"], real].map(|value| value.as_f64().unwrap());
    assert!(low <= real && real <= high, "{foreseen} against {real}");
}

#[test]
fn advice_from_samples_needs_times_on_all_rows() {
    let desk = Desk::new();
    let records = sample(&desk, "cocoa", &[0.1, 0.2, 0.4], &[1, 4]);
    let (advice, code) = desk.json(&format!("advise {records} --reach 1e-2"));
    assert_eq!((code, &advice["choice"]), (0, &Value::Null), "{advice:#}");
    assert!(advice["unsettled"].as_str().unwrap().contains("no times on all rows"), "{advice:#}");
    let mut names = records;
    for m in [1, 4] {
        let what = format!("--algorithm cocoa --machines {m} --rounds 3 --records all-{m}.csv");
        desk.ok(&format!("run {DATA} --cluster laptop {what}"));
        names.push_str(&format!(" all-{m}.csv"));
    }
    let (advice, _) = desk.json(&format!("advise {names} --reach 1e-2"));
    assert_eq!((&advice["choice"]["algorithm"], &advice["choice"]["machines"]), (&"cocoa".into(), &1.into()));
    assert_eq!(advice["unsettled"], Value::Null, "{advice:#}");
    assert_eq!(advice["basis"]["samples"].as_array().unwrap().len(), 3);
}

#[test]
fn advice_without_a_choice_says_why() {
    let desk = Desk::new();
    desk.ok(&format!("run {DATA} --cluster laptop --algorithm cocoa --machines 8 --rounds 30 --records m8.csv"));
    let beyond = "advise m8.csv --reach 1e-2 --machines 1..4";
    let (advice, code) = desk.json(beyond);
    assert_eq!((code, &advice["choice"]), (0, &Value::Null), "{advice:#}");
    assert!(advice["unsettled"].as_str().unwrap().contains("beyond what was measured (m = 8)"), "{advice:#}");
    assert!(desk.ok(beyond).out.contains("\nNo choice: every candidate lies beyond what was measured (m = 8)"));
    let said = desk.run("advise m8.csv --reach-metric accuracy=0.9");
    assert!(said.code == 2 && said.err.contains("--reach-metric: no row has a value of `accuracy`"), "{}", said.err);
}
