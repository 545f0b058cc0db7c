//! Several processes on one store.

mod common;

use std::process::{Child, Stdio};
use std::time::Duration;

use common::Desk;
use serde_json::Value;

const GOAL: &str =
    "--loss hinge --reach 1e-3 --algorithms cocoa,cocoa+ --machines 2..8 --cluster cloud-25gbit --forget";

fn start(desk: &Desk, line: &str) -> Child {
    desk.command(line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts")
}

/// The journal of a run that must hold whole lines about itself and nothing else.
fn own_events(desk: &Desk, store: &str, run: &str) -> Vec<Value> {
    let journal = desk.read(format!("{store}/{run}/journal.jsonl"));
    let events: Vec<Value> = journal.lines().map(|line| serde_json::from_str(line).expect("an event")).collect();
    let own = |event: &&Value| match event["event"].as_str() {
        Some("round" | "frame-ended") => event["run"].as_str().is_some_and(|name| name.starts_with(&format!("{run}."))),
        Some("started") => event["run"] == run,
        Some("finished") => event["summary"]["run"] == run,
        _ => true,
    };
    let strange = events.iter().find(|event| !own(event));
    assert!(strange.is_none(), "{run}: {strange:?}");
    events
}

#[test]
fn trains_started_together_keep_out_of_each_others_way() {
    let desk = Desk::new();
    let alike = format!("train synth:svm,rows=1000,columns=20 {GOAL}");
    let other = format!("train synth:sparse,rows=1000,columns=50 {GOAL}");
    let children: Vec<Child> = [&alike, &alike, &other].map(|line| start(&desk, line)).into();
    for mut child in children {
        assert_eq!(child.wait().expect("an end").code(), Some(0));
    }
    let (listed, _) = desk.json("runs");
    let mut names: Vec<&str> = listed.as_array().unwrap().iter().map(|run| run["run"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["sparse-1", "svm-1", "svm-2"]);
    for run in names {
        assert_eq!(desk.json(&format!("explain {run} --replay")).0["replay"]["equal"], true, "{run}");
    }
    // As each would have done alone.
    desk.ok(&format!("{alike} --store alone"));
    desk.ok(&format!("{other} --store alone"));
    for (run, alone) in [("svm-1", "svm-1"), ("svm-2", "svm-1"), ("sparse-1", "sparse-1")] {
        let [ours, theirs] =
            [("runs", run), ("alone", alone)].map(|(store, run)| objectives(&own_events(&desk, store, run)));
        assert_eq!(ours, theirs, "{run}");
    }
}

fn objectives(events: &[Value]) -> Vec<(Value, Value)> {
    let rounds = events.iter().filter(|event| event["event"] == "round");
    rounds.map(|event| (event["algorithm"].clone(), event["objective"].clone())).collect()
}

#[test]
fn a_run_has_one_writer_and_leftovers_of_the_last_do_no_harm() {
    let desk = Desk::new();
    let job = "synth:svm,rows=2000,columns=40 --loss hinge --algorithm cocoa --machines 64 --reach 1e-9 --max-time 6";
    let line = format!("run {job} --cluster cloud-25gbit");
    let mut child = start(&desk, &line);
    let journal = desk.path("runs/svm-1/journal.jsonl");
    while std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count()) < 20 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let said = desk.run("run --resume svm-1");
    child.kill().expect("a kill");
    child.wait().expect("an end");
    assert_eq!(said.code, 1, "{}", said.out);
    assert!(said.err.contains("journal.jsonl: is being written by another process"), "{}", said.err);

    for leftover in ["best.partial", "svm-1.1.checkpoint.partial", "model.json.partial"] {
        desk.write(&format!("runs/svm-1/{leftover}"), "torn");
    }
    let (resumed, code) = desk.json("run --resume svm-1");
    assert_eq!(code, 3, "{resumed:#}");
    let (whole, _) = desk.json(&format!("{line} --store whole"));
    assert_eq!(resumed["objective"], whole["objective"]);
    assert_eq!(desk.read("runs/svm-1/model.json"), desk.read("whole/svm-1/model.json"));
}
