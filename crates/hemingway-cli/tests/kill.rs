//! A run killed at random moments and resumed each time loses nothing that was recorded, and ends as if it had never
//! been killed. `HEMINGWAY_KILLS` says how often it is killed; 5 if not given.
#![cfg(unix)]

mod common;

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use common::Desk;
use serde_json::Value;

/// About a second of work, in rounds short enough that kills fall into all parts of one.
const JOBS: [(&str, &str); 2] = [
    ("run", "synth:svm,rows=3000,columns=60 --loss hinge --algorithm cocoa --machines 32 --rounds 700"),
    ("train", "synth:svm,rows=3000,columns=60 --loss hinge --reach 1e-6 --algorithms cocoa,cocoa+ --max-time 2"),
];
/// A kill comes at most so long after the start, or after what it waits for.
const LATEST: Duration = Duration::from_millis(500);
/// What kills wait for, in turn: nothing, or that something is being done.
const AMID: [Amid; 5] = [Amid::Anything, Amid::Probing, Amid::Training, Amid::Saving, Amid::Ending];

/// What is going on in a run, as its directory shows.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Amid {
    Anything,
    Probing,
    Training,
    /// A checkpoint or the best model is being written.
    Saving,
    /// The model is being written, or the word that all is over.
    Ending,
}

impl Amid {
    fn shows(self, run: &Path) -> bool {
        let journal = || std::fs::read_to_string(run.join("journal.jsonl")).unwrap_or_default();
        match self {
            Self::Anything => true,
            Self::Probing => journal().contains("\"purpose\":\"probe\""),
            Self::Training => journal().contains("\"purpose\":\"train\""),
            Self::Saving => std::fs::read_dir(run).is_ok_and(|mut files| {
                files.any(|file| file.is_ok_and(|f| f.path().extension() == Some("partial".as_ref())))
            }),
            Self::Ending => run.join("model.json.partial").exists() || run.join("model.json").exists(),
        }
    }

    /// Whether to wait a random while once it shows: what is over in a moment must be hit at once.
    fn lasts(self) -> bool {
        matches!(self, Self::Anything | Self::Probing | Self::Training)
    }
}

#[test]
fn kills_lose_nothing_and_change_nothing() {
    let kills: u32 = std::env::var("HEMINGWAY_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(5);
    for (verb, job) in JOBS {
        let desk = Desk::new();
        desk.run(&format!("{verb} {job} --cluster cloud-25gbit --store whole --records whole.csv"));
        let mut amid = AMID.into_iter().cycle();
        let mut left = kills;
        let mut sittings = 0;
        // A run may end before it is killed often enough: then another one has to suffer the rest.
        while left > 0 {
            sittings += 1;
            left = suffer(&desk, verb, job, &format!("store{sittings}"), left, &mut amid);
        }
    }
}

/// Starts a run, kills and resumes it until it ends, and compares; gives back the kills that are left.
fn suffer(
    desk: &Desk,
    verb: &str,
    job: &str,
    store: &str,
    mut left: u32,
    amid: &mut impl Iterator<Item = Amid>,
) -> u32 {
    let mut line = format!("{verb} {job} --cluster cloud-25gbit --store {store}");
    let run = desk.path(store).join("svm-1");
    let mut recorded = String::new();
    while left > 0 {
        let child =
            desk.command(&line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
        let killed = kill(child, &run, amid.next().unwrap_or(Amid::Anything));
        let journal = std::fs::read_to_string(run.join("journal.jsonl")).unwrap_or_default();
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
    assert_eq!(story(desk, store), story(desk, "whole"), "decisions, records or summaries differ");
    assert_eq!(desk.read(format!("{store}.csv")), desk.read("whole.csv"), "records differ");
    assert_eq!(desk.read(format!("{store}/svm-1/model.json")), desk.read("whole/svm-1/model.json"), "models differ");
    let (replayed, code) = desk.json(&format!("explain svm-1 --replay --store {store}"));
    assert_eq!(code, 0, "{replayed:#}");
    left
}

/// What a journal tells, but for when and where it happened and how often it went on.
fn story(desk: &Desk, store: &str) -> Vec<Value> {
    let journal = desk.read(format!("{store}/svm-1/journal.jsonl"));
    let events = journal.lines().map(|line| serde_json::from_str::<Value>(line).expect("an event"));
    events
        .filter(|event| event["event"] != "resumed")
        .map(|mut event| {
            event["at"] = Value::Null;
            event["summary"]["model"] = Value::Null;
            event
        })
        .collect()
}

/// Kills it a random while after this goes on in its run, or at once; false if it ended before.
fn kill(mut child: Child, run: &Path, amid: Amid) -> bool {
    let running = |child: &mut Child| child.try_wait().expect("a child").is_none();
    while running(&mut child) && !amid.shows(run) {
        std::thread::sleep(Duration::from_micros(200));
    }
    if amid.lasts() {
        let share = RandomState::new().hash_one(Instant::now()) as f64 / u64::MAX as f64;
        std::thread::sleep(LATEST.mul_f64(share));
    }
    let killed = running(&mut child);
    child.kill().expect("a kill");
    child.wait().expect("an end");
    killed
}
