//! What the program remembers of earlier runs, and that it can be made to forget.

mod common;

use std::process::Stdio;
use std::time::Duration;

use common::Desk;
use serde_json::Value;

const ONE: &str = "synth:logistic,rows=2000,columns=20 --reach 1e-4";
const OTHER: &str = "synth:sparse,rows=1500,columns=60 --reach 1e-3";
const SVM: &str = "synth:svm,rows=2000,columns=40";

fn probed(summary: &Value) -> f64 {
    summary["probe_seconds"].as_f64().expect("seconds")
}

fn assert_replays(desk: &Desk, run: &str) {
    let (told, _) = desk.json(&format!("explain {run} --replay"));
    assert_eq!(told["replay"]["equal"], true, "{run}: {told:#}");
}

/// What a job knew when it began.
fn lore(desk: &Desk, run: &str) -> Value {
    let journal = desk.read(format!("runs/{run}/journal.jsonl"));
    let started: Value = serde_json::from_str(journal.lines().next().expect("an event")).expect("JSON");
    started["facts"]["lore"].clone()
}

#[test]
fn the_same_again_is_not_probed_unless_it_is_to_be_forgotten() {
    let desk = Desk::new();
    let line = format!("train {ONE} --cluster cloud-25gbit");
    let (first, _) = desk.json(&line);
    assert!(probed(&first) > 0.0);
    let (again, code) = desk.json(&line);
    assert_eq!((code, probed(&again)), (0, 0.0), "{again:#}");
    assert_eq!(again["choice"], first["choice"]);
    let (forgotten, _) = desk.json(&format!("{line} --forget"));
    for key in ["probe_seconds", "wall_seconds", "objective", "choice"] {
        assert_eq!(forgotten[key], first[key], "{key}");
    }
    for run in ["logistic-1", "logistic-2", "logistic-3"] {
        assert_replays(&desk, run);
    }
    let said = desk.ok(&line).err;
    let note = said.split("note: ").find(|note| note.starts_with("remembered: ")).unwrap_or_else(|| panic!("{said}"));
    let (known, _) = note.split_once(" (--forget to ignore)").unwrap_or_else(|| panic!("{note}"));
    assert!(known.contains(" of this problem, ") && known.ends_with(" timed on this cluster"), "{known}");
    let told = desk.ok(&line.replace("train ", "plan ")).out;
    assert!(told.contains(&format!("Basis: {known}")), "one count in one wording: {known}\n{told}");
    assert!(!desk.ok(&format!("{line} --forget")).err.contains("remembered"));
}

#[test]
fn what_promises_more_but_has_not_run_is_not_outdone_silently() {
    let desk = Desk::new();
    let job = "train synth:power-law,rows=600,columns=20000,density=2e-3 --reach 1e-2 --cluster spark-1gbit";
    desk.ok(&format!("{job} --machines 1..8 --algorithms newton"));
    let said = desk.ok(&format!("{job} --machines 1..64")).err;
    assert!(said.contains("✔ fastest that may be chosen") && said.contains("best promise of what was tried"), "{said}");
    let told = desk.ok("explain last").out;
    assert!(told.contains("newton m=1 promised the shortest way to the goal of those that may be chosen"), "{told}");
    assert!(told.contains("but cocoa has not run here"), "{told}");
    assert!(!told.contains("if money counted before time"), "{told}");
    assert_replays(&desk, "last");
}

#[test]
fn a_plan_of_what_is_known_runs_nothing() {
    let desk = Desk::new();
    desk.ok(&format!("train {ONE} --cluster cloud-25gbit"));
    let said = desk.ok(&format!("plan {ONE} --cluster cloud-25gbit")).out;
    assert!(said.contains("Basis: remembered: ") && said.contains('✔') && !said.contains("Probing"), "{said}");
    desk.ok("report last");
    assert_replays(&desk, "last");
}

#[test]
fn seconds_are_remembered_of_a_cluster_and_rounds_of_a_problem() {
    let desk = Desk::new();
    desk.ok(&format!("train {ONE} --cluster cloud-25gbit"));
    let said = desk.ok(&format!("train {OTHER} --cluster cloud-25gbit")).err;
    assert!(said.contains("remembered: ") && said.contains(" timed on this cluster ("), "{said}");
    let said = desk.ok(&format!("train {ONE} --cluster spark-1gbit")).err;
    assert!(said.contains("remembered: ") && said.contains(" of this problem ("), "{said}");
    let (timed, raced) = (lore(&desk, "sparse-1"), lore(&desk, "logistic-2"));
    assert!(timed["traces"] == Value::Array(vec![]) && timed["timings"][0]["of"]["rows"] == 2000, "{timed:#}");
    assert!(raced["timings"] == Value::Array(vec![]) && raced["traces"][0]["cluster"] == "cloud-25gbit", "{raced:#}");
    for run in ["sparse-1", "logistic-2"] {
        assert_replays(&desk, run);
    }
}

#[test]
fn a_damaged_memory_is_made_again_from_the_journal() {
    let desk = Desk::new();
    let line = format!("train {ONE} --cluster cloud-25gbit");
    desk.ok(&line);
    let kept = desk.read("runs/logistic-1/memory.json");
    desk.ok(&line);
    for text in ["", "{\"journal\":0}", &kept[..99]] {
        desk.write("runs/logistic-1/memory.json", text);
        std::fs::remove_file(desk.path("runs/logistic-2/memory.json")).expect("a memory");
        assert_eq!(probed(&desk.json(&line).0), 0.0);
        assert_eq!(desk.read("runs/logistic-1/memory.json"), kept);
        assert!(desk.path("runs/logistic-2/memory.json").is_file());
    }
}

#[test]
fn a_killed_run_is_remembered_as_far_as_it_got() {
    let desk = Desk::new();
    let job = "--loss hinge --algorithm cocoa --machines 64 --reach 1e-9 --max-time 6 --cluster cloud-25gbit";
    let run = format!("run {SVM} {job}");
    let mut child = desk.command(&run).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
    let journal = desk.path("runs/svm-1/journal.jsonl");
    while std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count()) < 40 {
        assert!(child.try_wait().expect("a child").is_none(), "it ended before it was killed");
        std::thread::sleep(Duration::from_millis(5));
    }
    // While it is being written, and once it is dead.
    let plan = format!("plan {SVM} --loss hinge --reach 1e-2 --cluster cloud-25gbit");
    desk.ok(&plan);
    child.kill().expect("a kill");
    child.wait().expect("an end");
    desk.ok(&plan);
    for run in ["svm-2", "svm-3"] {
        let traces = lore(&desk, run)["traces"].clone();
        let killed = |trace: &Value| trace["run"] == "svm-1.1" && trace["machines"] == 64;
        assert!(traces.as_array().expect("traces").iter().any(killed), "{run}: {traces:#}");
        assert_replays(&desk, run);
    }
}

#[test]
fn a_resumed_run_goes_by_what_it_remembered_when_it_began() {
    let desk = Desk::new();
    desk.ok(&format!("train {ONE} --cluster cloud-25gbit"));
    let capped = desk.run(&format!("train {SVM} --loss hinge --reach 1e-6 --cluster cloud-25gbit --max-time 0.01"));
    assert_eq!(capped.code, 3, "{}", capped.out);
    let before = lore(&desk, "svm-1");
    desk.ok(&format!("train {OTHER} --cluster cloud-25gbit"));
    desk.run("train --resume svm-1 --max-time 0.05");
    assert_eq!(lore(&desk, "svm-1"), before);
    assert_replays(&desk, "svm-1");
}
