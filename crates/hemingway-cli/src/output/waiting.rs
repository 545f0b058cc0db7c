//! Something takes its time: a spinner on a terminal, one line elsewhere if it is more than a second.

use std::sync::mpsc::{self, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::talk;

const PATIENCE: Duration = Duration::from_secs(1);

/// Shows that something is going on until it is dropped.
pub(crate) struct Waiting {
    spinner: Option<ProgressBar>,
    timer: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Waiting {
    /// Nothing to see.
    pub(super) fn silent() -> Self {
        Self { spinner: None, timer: None }
    }

    /// A spinner, at once and gone when it is over.
    pub(super) fn spinning(what: &str) -> Self {
        let style = ProgressStyle::with_template("{spinner} {msg} {elapsed}");
        let spinner = ProgressBar::new_spinner().with_message(what.to_owned());
        let spinner = spinner.with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        spinner.enable_steady_tick(Duration::from_millis(100));
        Self { spinner: Some(spinner), timer: None }
    }

    /// One line, if it takes long.
    pub(super) fn patient(what: &str) -> Self {
        let (done, over) = mpsc::channel::<()>();
        let words = format!("{what} …");
        let timer = std::thread::spawn(move || {
            if over.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
                talk(&words);
            }
        });
        Self { spinner: None, timer: Some((done, timer)) }
    }
}

impl Waiting {
    /// How far it has come.
    pub(crate) fn tell(&self, what: &str) {
        if let Some(spinner) = &self.spinner {
            spinner.set_message(what.to_owned());
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(spinner) = &self.spinner {
            spinner.finish_and_clear();
        }
        if let Some((done, timer)) = self.timer.take() {
            drop(done);
            let _ = timer.join();
        }
    }
}
