//! Everything the program says goes through here: data to stdout, talk to stderr, in one of three manners.

mod human;
mod json;
mod quiet;
mod waiting;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::ValueEnum;
use hemingway::job::Job;
use hemingway::train::{History, Observer};
use serde_json::Value;

use crate::commands::exit;
use crate::show::Paint;
pub(crate) use waiting::Waiting;

/// How to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// For people: tables, a live line on a terminal
    Human,
    /// Exactly one JSON value on stdout
    Json,
    /// The bare result, for shell scripts
    Quiet,
}

/// What a command found out, in each manner.
pub(crate) trait Answer {
    /// For programs.
    fn json(&self) -> Value;
    /// For people.
    fn human(&self, paint: Paint) -> String;
    /// The one thing a shell script wants; may be nothing.
    fn quiet(&self) -> String;
}

/// Manner of speaking.
pub(crate) trait Output {
    /// Says a sentence about what is going on.
    fn say(&mut self, words: &str);
    /// Says what is worth knowing of how the command was understood; where the answer has `notes`, there.
    fn note(&mut self, words: &str) {
        self.say(&format!("note: {words}"));
    }
    /// Says something with colours where there is a terminal.
    fn show(&mut self, words: &dyn Fn(Paint) -> String);
    /// Shows that something takes its time, until the result is dropped.
    fn wait(&mut self, what: &str) -> Waiting;
    /// Shows a job being carried out, from its beginning or from what is `past`.
    fn watch(&mut self, job: &Job, manners: Manners, past: Option<History>) -> Box<dyn Observer>;
    /// Gives the answer, once.
    fn answer(&mut self, answer: &dyn Answer) -> io::Result<()>;
    /// Says what went wrong, once.
    fn fail(&mut self, error: &anyhow::Error);
}

/// What the user asked of the display of a job.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Manners {
    /// Ask before training, if there is someone to ask.
    pub(crate) ask: bool,
    /// Show every candidate.
    pub(crate) all: bool,
    /// Show the plan before training; not where another table has told it.
    pub(crate) table: bool,
}

/// The manner of this mode.
pub(crate) fn of(mode: Mode) -> Box<dyn Output> {
    match mode {
        Mode::Human => Box::new(human::Human::new()),
        Mode::Json => Box::new(json::Json::default()),
        Mode::Quiet => Box::new(quiet::Quiet),
    }
}

/// Answers a command line that could not be understood, or a wish for help.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    if error.use_stderr() && asked_for_json() {
        let words = error.to_string();
        json::Json::default().fail(&anyhow::anyhow!("{}", words.trim_start_matches("error: ").trim_end()));
    } else {
        let _ = error.print();
    }
    ExitCode::from(if error.use_stderr() { exit::USAGE } else { exit::MET })
}

/// Whether JSON is wanted, as far as a broken command line can tell: it may name several manners.
fn asked_for_json() -> bool {
    let words: Vec<String> = std::env::args().collect();
    let mut given = words.iter().enumerate().filter_map(|(i, word)| match word.strip_prefix("--output")? {
        "" => words.get(i + 1).map(String::as_str),
        rest => rest.strip_prefix('='),
    });
    match given.next() {
        Some(mode) => mode == "json" || given.any(|mode| mode == "json"),
        None => std::env::var("HEMINGWAY_OUTPUT").is_ok_and(|mode| mode == "json"),
    }
}

/// Data. A reader that has gone away has seen enough.
fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.or_else(|e| if e.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(e) })
}

/// Talk. If nobody can hear it, nothing is lost.
pub(crate) fn talk(words: &str) {
    let _ = writeln!(io::stderr().lock(), "{words}");
}

/// Asks on stderr and lets `reply` read the answer on the same line.
fn ask<T>(question: &str, reply: impl FnOnce() -> T) -> T {
    let mut err = io::stderr().lock();
    let _ = write!(err, "{question}").and_then(|()| err.flush());
    drop(err);
    reply()
}
