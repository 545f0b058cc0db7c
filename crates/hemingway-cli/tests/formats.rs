//! Data as users have it: every format read, described, learnt from and predicted.

mod common;

use std::fmt::Write;

use common::Desk;
use serde_json::Value;

/// Two classes by the sign of a − b.
fn table(columns: [&str; 3]) -> String {
    let mut text = columns.join(",");
    for i in 0..40 {
        let (a, b) = (f64::from(i % 7), f64::from(i % 5));
        let cell = |column: &str| match column {
            "a" => a,
            "b" => b,
            _ => f64::from(u8::from(a > b)),
        };
        let row = columns.map(|column| cell(column).to_string()).join(",");
        write!(text, "\n{row}").unwrap();
    }
    text
}

#[test]
fn a_table_is_learnt_tested_and_predicted_by_the_names_of_its_columns() {
    let desk = Desk::new();
    desk.write("train.csv", &table(["a", "b", "won"]));
    desk.write("test.csv", &table(["won", "b", "a"]));
    let (info, _) = desk.json("data info train.csv");
    assert_eq!((&info["rows"], &info["columns"]), (&Value::from(40), &Value::from(2)));
    assert_eq!(info["notes"][0], "labels are column 3 `won` (the last column; --label takes another)");
    let run = "run train.csv --label won --test test.csv --algorithm lbfgs --machines 1 --rounds 30 --model m.json";
    desk.ok(run);
    let (same, _) = desk.json("score m.json train.csv");
    let (other, _) = desk.json("score m.json test.csv");
    assert_eq!(same["metrics"], other["metrics"]);
    desk.write("new.csv", "b,a\n4,0\n0,4\n");
    assert_eq!(desk.ok("predict m.json new.csv").out, "0\n1\n");
    desk.write("short.csv", "b,won\n4,0\n");
    assert!(desk.run("score m.json short.csv").err.contains("has no column `a`"));
    assert!(desk.ok("report last").out.contains("--label won"));
}

#[test]
fn a_label_that_is_not_there_is_refused() {
    let desk = Desk::new();
    desk.write("train.csv", &table(["a", "b", "won"]));
    assert!(desk.run("data info train.csv --label lost").err.contains("has no column `lost`"));
    let said = desk.run("data info synth:ridge --label 1");
    assert_eq!(said.code, 2, "{}", said.err);
}
