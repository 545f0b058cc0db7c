//! The one live line.

use std::time::{Duration, Instant};

use hemingway::backend::Config;
use hemingway::goal::Goal;
use hemingway::model::Estimate;
use hemingway::record::Record;
use hemingway::standing::Standing;
use hemingway::train::Spent;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::talk;
use crate::show::number;

const HERTZ: u8 = 10;

/// A line rewritten in place, where there is a terminal.
pub(super) struct Live {
    terminal: bool,
    /// Made when there is something to show: one that was taken away does not come back.
    bar: Option<ProgressBar>,
    drawn: Option<Instant>,
}

/// What is under way, as the line tells it.
pub(super) struct Course {
    pub(super) config: Config,
    pub(super) probing: bool,
    /// The round and the training seconds of its run where it goes on with one.
    pub(super) stood: Option<(u64, f64)>,
    /// The round at which it should end.
    pub(super) rounds: Option<f64>,
    /// The training seconds at which it should end.
    pub(super) seconds: Option<Estimate>,
}

impl Live {
    pub(super) fn new(terminal: bool) -> Self {
        Self { terminal, bar: None, drawn: None }
    }

    /// Says a lasting line above the live one.
    pub(super) fn talk(&self, words: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| talk(words)),
            None => talk(words),
        }
    }

    /// Rewrites the line, if it is time to.
    pub(super) fn show(&mut self, line: impl FnOnce() -> String) {
        if !self.terminal {
            return;
        }
        let pause = Duration::from_secs(1) / u32::from(HERTZ);
        if self.drawn.is_none_or(|drawn| drawn.elapsed() >= pause) {
            let bar = self.bar.get_or_insert_with(bar);
            bar.set_message(line());
            bar.tick();
            self.drawn = Some(Instant::now());
        }
    }

    /// Takes the line away.
    pub(super) fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        self.drawn = None;
    }
}

fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_msg}");
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(HERTZ));
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
}

impl Course {
    /// `cocoa+ m=8  round 184/310  error 3.1e-3 (proved 2.0e-2) → 1e-3  4.1 s of 6.5 s (5.3–7.9)`.
    pub(super) fn line(&self, record: &Record, standing: &Standing, spent: &Spent, goal: &Goal) -> String {
        let total = self.rounds.map_or(String::new(), |rounds| format!("/{}", number::whole(rounds)));
        let head =
            format!("{}{}  round {}{total}", if self.probing { "probe  " } else { "" }, self.config, record.round);
        if self.probing {
            return format!("{head}  objective {}", number::objective(record.objective));
        }
        format!("{head}  {}  {}", distance(record, standing, goal), self.time(record, spent, goal))
    }

    fn time(&self, record: &Record, spent: &Spent, goal: &Goal) -> String {
        let trained = number::seconds(record.train_seconds);
        match (goal, self.seconds) {
            (Goal::Within { seconds }, _) => {
                format!("{} of {}", number::seconds(spent.wall_seconds), number::seconds(*seconds))
            }
            (Goal::Spend { dollars }, _) => {
                format!("{} of {}", number::dollars(spent.dollars.unwrap_or(0.0)), number::dollars(*dollars))
            }
            (_, Some(seconds)) => format!("{trained} of {}", number::seconds_between(seconds)),
            (_, None) => trained,
        }
    }
}

/// How far it is to the goal.
fn distance(record: &Record, standing: &Standing, goal: &Goal) -> String {
    let target = match goal {
        Goal::Reach { error, .. } => format!(" → {error:e}"),
        Goal::ReachMetric { metric, value, .. } => {
            let now = record.metrics.get(metric).map_or_else(|| number::UNKNOWN.into(), |v| number::digits(*v));
            return format!("{metric} {now} → {value}");
        }
        _ => String::new(),
    };
    let estimated = number::maybe_error(standing.estimated_error_of(record.objective));
    let proved = number::maybe_error(standing.certified_error_of(record.objective));
    format!("error {estimated} (proved {proved}){target}")
}
