//! Model files: written by `--model` and `model convert`, read by `predict` and `score`. What other programs make of them
//! is compared by `scripts/test-model-files`.

mod common;

use common::Desk;
use serde_json::{Value, json};

const RUN: &str = "run synth:svm,rows=60,columns=4 --loss hinge --algorithm cocoa --machines 1 --rounds 5";

#[test]
fn the_ending_chooses_the_format() {
    let desk = Desk::new();
    for (name, begins) in [("m.json", "{\n  \"format\""), ("m.model", "solver_type L2R_L1LOSS_SVC_DUAL\n")] {
        desk.ok(&format!("{RUN} --intercept --model {name}"));
        assert!(desk.read(name).starts_with(begins), "{name}: {}", desk.read(name));
    }
    for name in ["m.onnx", "m.safetensors"] {
        let (json, _) = desk.json(&format!("{RUN} --intercept --model {name}"));
        assert_eq!(json["model"], name);
        assert!(desk.path(name).is_file());
    }
    let expected = desk.ok("predict m.json synth:svm,rows=30,columns=4").out;
    for name in ["m.model", "m.safetensors"] {
        assert_eq!(desk.ok(&format!("predict {name} synth:svm,rows=30,columns=4")).out, expected, "{name}");
        let (scored, _) = desk.json(&format!("score {name} synth:svm,rows=30,columns=4"));
        assert_eq!(scored["metrics"], desk.json("score m.json synth:svm,rows=30,columns=4").0["metrics"], "{name}");
    }
    assert!(desk.run("predict m.onnx synth:svm,columns=4").err.contains("ONNX files are written for other programs"));
}

#[test]
fn the_model_of_a_run_is_converted() {
    let desk = Desk::new();
    desk.ok(&format!("{RUN} --model m.json"));
    let (written, code) = desk.json("model convert last a.model");
    let expected = json!({ "file": "a.model", "format": "liblinear", "columns": 4, "notes": [] });
    assert_eq!((written, code), (expected, 0));
    desk.ok("model convert m.json b --to liblinear");
    assert_eq!(desk.read("a.model"), desk.read("b"));
    assert_eq!(desk.ok("model convert m.json c.safetensors --output quiet").out, "c.safetensors\n");
    desk.ok("model convert c.safetensors c.json");
    let misnamed = desk.ok("model convert m.json d.safetensors --to onnx").err;
    assert!(misnamed.contains("d.safetensors: its name ends in .safetensors, but the file is onnx"), "{misnamed}");
    assert_eq!(desk.read("c.json"), desk.read("m.json"), "nothing is lost");
    desk.ok("model convert a.model a.json");
    let theirs: Value = serde_json::from_str(&desk.read("a.json")).unwrap();
    assert_eq!((&theirs["l2"], &theirs["provenance"]), (&Value::Null, &Value::Null), "nothing is made up");
}

#[test]
fn what_cannot_be_written_is_refused_before_training() {
    let desk = Desk::new();
    let cases = [
        ("--model m.pkl", "m.pkl: models cannot be written as pkl; end the name in .json"),
        ("--model m.model --normalize rows --intercept", "which matters with an intercept; write .onnx"),
    ];
    for (flags, words) in cases {
        let said = desk.run(&format!("{RUN} {flags}"));
        assert_eq!(said.code, 2, "{flags}: {}", said.err);
        assert!(said.err.contains(words), "{flags}: {}", said.err);
    }
    desk.write("halves.csv", "a,label\n1,0.5\n2,1.5\n3,0.5\n4,1.5\n");
    let said = desk.run("train halves.csv --loss hinge --reach 1e-2 --model m.model");
    assert_eq!(said.code, 2, "{}", said.err);
    assert!(said.err.contains("its labels are whole numbers, not 0.5 and 1.5"), "{}", said.err);
    assert!(!desk.path("runs").exists(), "nothing has run");
}

#[test]
fn what_a_format_leaves_to_others_is_said() {
    let desk = Desk::new();
    desk.write("named.csv", "a,b,label\n1,0,0\n0,1,1\n2,0,0\n0,3,1\n");
    let said = desk.ok("run named.csv --normalize rows --algorithm lbfgs --machines 1 --rounds 3 --model m.model").err;
    assert!(said.contains("note: columns go by number"), "{said}");
    assert!(said.contains("note: liblinear does not scale rows to length 1: labels stay the same"), "{said}");
    let notes = desk.json("model convert last m.safetensors").0["notes"].to_string();
    assert!(notes.contains("divide rows by their length"), "{notes}");
}

#[test]
fn a_file_that_is_no_model_is_refused() {
    let desk = Desk::new();
    desk.write("junk.json", "{\"format\": 1");
    desk.write("junk.model", "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias -1\nw\n0.5\nnan\n");
    desk.write("junk", "hello");
    for (name, words) in [
        ("junk.json", "junk.json:1: not a model file of ours"),
        ("junk.model", "junk.model:8: expected one weight, a finite number, found `nan`"),
        ("junk", "junk: is not a model file: give our JSON, liblinear text, safetensors, or the name of a run"),
    ] {
        let said = desk.run(&format!("model convert {name} out.json"));
        assert_eq!(said.code, 1, "{name}: {}", said.err);
        assert!(said.err.contains(words), "{name}: {}", said.err);
        assert!(!desk.path("out.json").exists());
    }
}
