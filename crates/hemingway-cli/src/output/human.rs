//! For people: sentences, tables, and one live line where there is a terminal.

mod live;
mod rows;
mod watch;

use std::io::{self, IsTerminal};

use hemingway::job::Job;
use hemingway::train::{History, Observer};

use super::{Answer, Manners, Output, Waiting, print, talk};
use crate::show::Paint;
use watch::Watch;

/// For people.
pub(super) struct Human {
    /// On stdout.
    paint: Paint,
    /// On stderr.
    aside: Paint,
    /// Talk can be rewritten in place.
    terminal: bool,
}

impl Human {
    pub(super) fn new() -> Self {
        let terminal = io::stderr().is_terminal();
        Self { paint: Paint::on(io::stdout().is_terminal()), aside: Paint::on(terminal), terminal }
    }
}

impl Output for Human {
    fn say(&mut self, words: &str) {
        talk(words);
    }

    fn show(&mut self, words: &dyn Fn(Paint) -> String) {
        talk(&words(self.aside));
    }

    fn wait(&mut self, what: &str) -> Waiting {
        if self.terminal { Waiting::spinning(what) } else { Waiting::patient(what) }
    }

    fn watch(&mut self, job: &Job, manners: Manners, past: Option<History>) -> Box<dyn Observer> {
        let ask = manners.ask && self.terminal && io::stdin().is_terminal();
        let mut watch = Watch::new(job, Manners { ask, ..manners }, self.aside, self.terminal);
        if let Some(past) = past {
            watch.take_up(past);
        }
        Box::new(watch)
    }

    fn answer(&mut self, answer: &dyn Answer) -> io::Result<()> {
        let text = answer.human(self.paint);
        if text.is_empty() { Ok(()) } else { print(&format!("{}\n", text.trim_end())) }
    }

    fn fail(&mut self, error: &anyhow::Error) {
        talk(&format!("{} {error:#}", self.aside.red("error:")));
    }
}
