//! What `explain` and `report` say of journals that never change: `tests/golden/README.md`.

mod common;

use std::path::{Path, PathBuf};

use common::Desk;

/// Names of the runs, and what is asked of each.
const RUNS: [&str; 3] = ["power-law-1", "svm-1", "logistic-1"];
const ANSWERS: [(&str, &str); 2] = [("explain", "explain.txt"), ("report", "report.md")];

fn golden(run: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(run)
}

/// What the program says of a committed journal, in a directory where it can change nothing.
fn said(verb: &str, run: &str) -> String {
    let desk = Desk::new();
    std::fs::create_dir_all(desk.path("runs").join(run)).expect("a directory");
    let journal = Path::new(run).join("journal.jsonl");
    std::fs::copy(golden(run).join("journal.jsonl"), desk.path("runs").join(journal)).expect("a copy");
    desk.ok(&format!("{verb} {run}")).out
}

#[test]
fn a_committed_journal_is_told_as_it_always_was() {
    let renew = std::env::var_os("HEMINGWAY_RENEW").is_some();
    for run in RUNS {
        for (verb, file) in ANSWERS {
            let (path, now) = (golden(run).join(file), said(verb, run));
            if renew {
                std::fs::write(&path, &now).expect("a writable tree");
            }
            let wanted = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let line = now.lines().zip(wanted.lines()).position(|(a, b)| a != b);
            assert!(now == wanted, "{} differs, first in line {:?}\n{now}", path.display(), line.map(|n| n + 1));
        }
    }
}

#[test]
fn the_golden_journals_hold_what_is_worth_telling() {
    let told = RUNS.map(|run| said("explain", run));
    assert!(told[0].contains("would win with") && told[0].contains("a probe there would tell"), "{}", told[0]);
    assert!(told[1].contains("switch") && told[1].contains("would have won"), "{}", told[1]);
    assert!(told[2].contains("  try     on 128 rows  ") && told[2].contains(" there\n"), "{}", told[2]);
}
