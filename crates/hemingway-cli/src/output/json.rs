//! Exactly one JSON value on stdout, and silence.

use std::io;

use hemingway::job::Job;
use hemingway::train::{History, Observer};
use serde_json::json;

use super::quiet::Silent;
use super::{Answer, Manners, Output, Waiting, print};
use crate::show::Paint;

/// For programs.
pub(super) struct Json;

impl Output for Json {
    fn say(&mut self, _words: &str) {}

    fn show(&mut self, _words: &dyn Fn(Paint) -> String) {}

    fn wait(&mut self, _what: &str) -> Waiting {
        Waiting::silent()
    }

    fn watch(&mut self, _job: &Job, _manners: Manners, _past: Option<History>) -> Box<dyn Observer> {
        Box::new(Silent)
    }

    fn answer(&mut self, answer: &dyn Answer) -> io::Result<()> {
        print(&format!("{:#}\n", answer.json()))
    }

    fn fail(&mut self, error: &anyhow::Error) {
        // Where even this cannot be written there is nobody left to tell; the exit code still says it.
        let _ = print(&format!("{:#}\n", json!({ "error": format!("{error:#}") })));
    }
}
