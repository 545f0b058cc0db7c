//! Exactly one JSON value on stdout, and silence.

use std::io;

use hemingway::job::Job;
use hemingway::train::{History, Observer};
use serde_json::{Value, json};

use super::quiet::Silent;
use super::{Answer, Manners, Output, Waiting, print};
use crate::show::Paint;

/// For programs.
#[derive(Default)]
pub(super) struct Json {
    /// Said on the way, and given with the answer.
    notes: Vec<String>,
}

/// The value with what was noted among its `notes`, if it has any; some answers know what was said of them.
fn with_notes(mut value: Value, notes: &[String]) -> Value {
    if let Some(told) = value.get_mut("notes").and_then(Value::as_array_mut) {
        for note in notes.iter().map(|note| json!(note)) {
            if !told.contains(&note) {
                told.push(note);
            }
        }
    }
    value
}

impl Output for Json {
    fn say(&mut self, _words: &str) {}

    fn note(&mut self, words: &str) {
        self.notes.push(words.into());
    }

    fn show(&mut self, _words: &dyn Fn(Paint) -> String) {}

    fn wait(&mut self, _what: &str) -> Waiting {
        Waiting::silent()
    }

    fn watch(&mut self, _job: &Job, _manners: Manners, _past: Option<History>) -> Box<dyn Observer> {
        Box::new(Silent)
    }

    fn answer(&mut self, answer: &dyn Answer) -> io::Result<()> {
        print(&format!("{:#}\n", with_notes(answer.json(), &self.notes)))
    }

    fn fail(&mut self, error: &anyhow::Error) {
        // Where even this cannot be written there is nobody left to tell; the exit code still says it.
        let _ = print(&format!("{:#}\n", json!({ "error": format!("{error:#}") })));
    }
}
