//! The bare result, for shell scripts.

use std::io;

use hemingway::job::Job;
use hemingway::train::{History, Moment, Observer};

use super::{Answer, Manners, Output, Waiting, print, talk};
use crate::show::Paint;

/// For shell scripts.
pub(super) struct Quiet;

/// Watches without a word.
pub(super) struct Silent;

impl Observer for Silent {
    fn notice(&mut self, _moment: Moment<'_>) {}
}

impl Output for Quiet {
    fn say(&mut self, _words: &str) {}

    fn show(&mut self, _words: &dyn Fn(Paint) -> String) {}

    fn wait(&mut self, _what: &str) -> Waiting {
        Waiting::silent()
    }

    fn watch(&mut self, _job: &Job, _manners: Manners, _past: Option<History>) -> Box<dyn Observer> {
        Box::new(Silent)
    }

    fn answer(&mut self, answer: &dyn Answer) -> io::Result<()> {
        let text = answer.quiet();
        if text.is_empty() { Ok(()) } else { print(&format!("{}\n", text.trim_end())) }
    }

    fn fail(&mut self, error: &anyhow::Error) {
        talk(&format!("error: {error:#}"));
    }
}
