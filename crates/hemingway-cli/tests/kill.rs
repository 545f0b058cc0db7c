//! A run killed at random moments and resumed each time loses nothing that was recorded, and ends as if it had never
//! been killed. `HEMINGWAY_KILLS` says how often it is killed; 5 if not given.
#![cfg(unix)]

mod common;

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use common::Desk;

/// About a second of work, in rounds short enough that kills fall into all parts of one.
const JOBS: [(&str, &str); 2] = [
    ("run", "synth:svm,rows=3000,columns=60 --loss hinge --algorithm cocoa --machines 32 --rounds 700"),
    ("train", "synth:svm,rows=3000,columns=60 --loss hinge --reach 1e-6 --algorithms cocoa,cocoa+ --max-time 2"),
];
/// A kill comes at most so long after the start.
const LATEST: Duration = Duration::from_millis(500);

#[test]
fn kills_lose_nothing_and_change_nothing() {
    let kills: u32 = std::env::var("HEMINGWAY_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(5);
    for (verb, job) in JOBS {
        let desk = Desk::new();
        desk.run(&format!("{verb} {job} --cluster cloud-25gbit --store whole --records whole.csv"));
        let mut left = kills;
        let mut sittings = 0;
        // A run may end before it is killed often enough: then another one has to suffer the rest.
        while left > 0 {
            sittings += 1;
            left = suffer(&desk, verb, job, &format!("store{sittings}"), left);
        }
    }
}

/// Starts a run, kills and resumes it until it ends, and compares; gives back the kills that are left.
fn suffer(desk: &Desk, verb: &str, job: &str, store: &str, mut left: u32) -> u32 {
    let mut line = format!("{verb} {job} --cluster cloud-25gbit --store {store}");
    let mut recorded = String::new();
    while left > 0 {
        let child =
            desk.command(&line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
        let killed = kill_at_random(child);
        let journal = std::fs::read_to_string(desk.path(store).join("svm-1/journal.jsonl")).unwrap_or_default();
        assert!(journal.starts_with(&recorded), "recorded lines were lost");
        // A last line without an end was never acknowledged.
        recorded = journal[..journal.rfind('\n').map_or(0, |end| end + 1)].into();
        if recorded.is_empty() {
            let _ = std::fs::remove_dir_all(desk.path(store));
            continue;
        }
        line = format!("{verb} --resume svm-1 --store {store}");
        if !killed {
            break;
        }
        left -= 1;
    }
    desk.run(&format!("{line} --records {store}.csv"));
    assert!(desk.read(format!("{store}/svm-1/journal.jsonl")).starts_with(&recorded));
    assert_eq!(desk.read(format!("{store}.csv")), desk.read("whole.csv"), "records differ");
    assert_eq!(desk.read(format!("{store}/svm-1/model.json")), desk.read("whole/svm-1/model.json"), "models differ");
    let (replayed, code) = desk.json(&format!("explain svm-1 --replay --store {store}"));
    assert_eq!(code, 0, "{replayed:#}");
    left
}

/// Kills it after a random while; false if it ended before.
fn kill_at_random(mut child: Child) -> bool {
    let share = RandomState::new().hash_one(Instant::now()) as f64 / u64::MAX as f64;
    std::thread::sleep(LATEST.mul_f64(share));
    let running = child.try_wait().expect("a child").is_none();
    child.kill().expect("a kill");
    child.wait().expect("an end");
    running
}
