//! Journals: what is intact of one, the state that it leads to, and every decision in it taken again.
#![no_main]

use hemingway::record::journal::{Event, Journal};
use hemingway::train::{History, replay};
use libfuzzer_sys::fuzz_target;

/// Decisions are not cheap: taking more of them again would leave the fuzzer no time for anything else.
const FEW: usize = 12;

fuzz_target!(|text: &[u8]| {
    let events: Vec<Event> = hemingway_fuzz::with_file("journal.jsonl", text, |path| {
        _ = Journal::read(path);
        Journal::intact(path).expect("a file that is there")
    });
    let Ok(mut history) = History::of(&events) else { return };
    history.replay(&events);
    if events.len() <= FEW {
        replay(&events).expect("it begins with a job");
    }
});
