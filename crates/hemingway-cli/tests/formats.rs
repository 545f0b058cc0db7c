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

/// A 3 × 2 array of bytes, as numpy writes it.
fn array(shape: &str, values: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}\n");
    [b"\x93NUMPY\x01\0", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), values].concat()
}

#[test]
fn arrays_are_learnt_with_labels_in_a_file_or_a_column() {
    let desk = Desk::new();
    std::fs::write(desk.path("rows.npy"), array("(3, 2)", &[1, 0, 0, 1, 1, 1])).unwrap();
    std::fs::write(desk.path("classes.npy"), array("(3,)", &[1, 2, 1])).unwrap();
    assert!(desk.run("data info rows.npy").err.contains("holds no labels"));
    desk.ok("run rows.npy --labels classes.npy --algorithm gd --machines 1 --rounds 5 --model m.json");
    assert!(desk.ok("report last").out.contains("--labels classes.npy"));
    assert_eq!(desk.ok("predict m.json rows.npy").out.lines().count(), 3);
    let (info, _) = desk.json("data info rows.npy --label 2");
    assert_eq!((&info["columns"], &info["labels"]["counts"][1]["rows"]), (&Value::from(1), &Value::from(2)));
    assert_eq!(desk.run("data info rows.npy --label 2 --labels classes.npy").code, 2);
}

#[test]
fn words_are_learnt_and_found_again_by_name() {
    let desk = Desk::new();
    desk.write("train.vw", "1 |w good film\n-1 |w bad film\n1 |w good:2\n-1 |w bad\n");
    desk.write("new.vw", "|w film bad\n|w unheard good\n");
    desk.ok("run train.vw --algorithm lbfgs --machines 1 --rounds 20 --model m.json");
    let said = desk.ok("predict m.json new.vw");
    assert_eq!(said.out, "-1\n1\n");
    assert!(said.err.contains("left out: 1 column beyond the 3 of the training data, 1 entry"), "{}", said.err);
}

#[test]
fn data_is_converted_there_and_back() {
    let desk = Desk::new();
    desk.write("table.csv", &table(["a", "b", "won"]));
    let (written, _) = desk.json("data convert table.csv table.npz");
    assert_eq!((&written["file"], &written["rows"]), (&Value::from("table.npz"), &Value::from(40)));
    assert_eq!(written["notes"], desk.json("data info table.csv").0["notes"]);
    desk.ok("data convert table.npz table.svm");
    desk.ok("data convert table.csv direct.svm");
    assert_eq!(desk.read("table.svm"), desk.read("direct.svm"));
    desk.ok("data convert table.svm packed --to npz");
    assert_eq!(desk.json("data info packed").0["nonzeros"], written["nonzeros"]);
    let said = desk.run("data convert table.svm other.csv");
    assert_eq!(said.code, 2, "{}", said.err);
    assert!(said.err.contains("csv cannot be written; end the name in .svm, .npz or .parquet"), "{}", said.err);
    assert!(!desk.path("other.csv").exists());
}

#[test]
fn parquet_is_learnt_tested_and_predicted() {
    let desk = Desk::new();
    desk.write("table.csv", &table(["a", "b", "won"]));
    let (written, _) = desk.json("data convert table.csv table.parquet");
    assert_eq!((&written["file"], &written["rows"]), (&Value::from("table.parquet"), &Value::from(40)));
    let (info, _) = desk.json("data info table.parquet");
    assert_eq!((&info["rows"], &info["nonzeros"]), (&Value::from(40), &written["nonzeros"]));
    let run = "run table.parquet --test table.parquet --algorithm lbfgs --machines 1 --rounds 30 --model m.json";
    desk.ok(run);
    desk.ok("data convert table.parquet back.svm");
    desk.ok("data convert table.csv direct.svm");
    assert_eq!(desk.read("back.svm"), desk.read("direct.svm"));
    let (same, _) = desk.json("score m.json table.parquet");
    desk.ok("run table.csv --algorithm lbfgs --machines 1 --rounds 30 --model csv.json");
    assert_eq!(same["metrics"], desk.json("score csv.json table.csv").0["metrics"]);
    assert_eq!(desk.ok("predict m.json table.parquet").out, desk.ok("predict csv.json table.csv").out);
    std::fs::write(desk.path("cut.parquet"), &std::fs::read(desk.path("table.parquet")).unwrap()[..200]).unwrap();
    assert!(desk.run("data info cut.parquet").err.contains("cut.parquet: not a whole Parquet file"));
}

#[test]
fn data_is_split_by_the_seed() {
    let desk = Desk::new();
    desk.write("table.csv", &table(["a", "b", "won"]));
    let (parts, _) = desk.json("data split table.csv --test 0.25");
    assert_eq!((&parts["train"]["rows"], &parts["test"]["rows"]), (&Value::from(30), &Value::from(10)));
    assert_eq!(parts["test"]["file"], "table-test.svm");
    assert!(parts["notes"][0].as_str().is_some_and(|note| note.starts_with("labels are column")), "{parts:#}");
    let first = desk.read("table-test.svm");
    desk.ok("data split table.csv --test 0.25 --seed 1");
    assert_ne!(desk.read("table-test.svm"), first);
    desk.ok("data split table.csv --test 0.25 --seed 0");
    assert_eq!(desk.read("table-test.svm"), first);
    let files = desk.ok("data split synth:svm,rows=10 --test 0.5 -o half --to npz --output quiet").out;
    assert_eq!(files, "half-train.npz\nhalf-test.npz\n");
    let said = desk.run("data split table.csv --test 1.5");
    assert_eq!(said.code, 2, "{}", said.err);
}

#[test]
fn a_label_that_is_not_there_is_refused() {
    let desk = Desk::new();
    desk.write("train.csv", &table(["a", "b", "won"]));
    assert!(desk.run("data info train.csv --label lost").err.contains("has no column `lost`"));
    let said = desk.run("data info synth:ridge --label 1");
    assert_eq!(said.code, 2, "{}", said.err);
}

#[test]
fn large_text_is_parsed_once() {
    let desk = Desk::new();
    desk.ok("data synth sparse,rows=30000,columns=50,density=0.2 -o big.svm");
    let first = desk.json("data info big.svm");
    let copies = || std::fs::read_dir(desk.path("cache")).map_or(0, |copies| copies.count());
    assert_eq!(copies(), 1);
    assert_eq!(desk.json("data info big.svm"), first);
    assert_eq!(
        desk.command("data info big.svm").env("HEMINGWAY_CACHE", "off").output().unwrap().status.code(),
        Some(0)
    );
    desk.write("big.svm", "1 1:2\n-1 2:1\n");
    assert_eq!(desk.json("data info big.svm").0["rows"], 2);
    assert_eq!(copies(), 1, "two rows are parsed in no time");
}

#[test]
fn a_name_that_promises_another_format_is_told_and_one_that_promises_packing_refused() {
    let desk = Desk::new();
    let made = "data synth svm,rows=20,columns=3";
    let words = "x.npz: its name ends in .npz, but the file is Parquet";
    let (json, code) = desk.json(&format!("{made} -o x.npz --to parquet"));
    assert_eq!((code, &json["notes"][0]), (0, &words.into()), "{json:#}");
    assert!(desk.ok("data convert x.npz y.csv --to libsvm").err.contains("y.csv: its name ends in .csv, but"));
    for plain in ["x.svm", "x.svm.gz", "x.txt --to npz", "x --to parquet"] {
        assert_eq!(desk.json(&format!("{made} -o {plain}")).0["notes"], serde_json::json!([]), "{plain}");
    }
    for (name, instead) in [("h.parquet.gz", "h.parquet"), ("h.npz.bz2", "h.npz"), ("h.gz --to npz", "h")] {
        let said = desk.run(&format!("data convert x.svm {name}"));
        assert!(said.code == 2 && said.err.contains(&format!("call it {instead}\n")), "{name}: {}", said.err);
    }
}
