//! What happened to a run and why, folded from its journal: what `explain` and `report` tell.

mod chapter;
mod choice;
mod command;
mod crossing;
mod curve;
mod frontier;
mod json;
mod picture;
mod spending;
mod tables;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use hemingway::backend::Ending;
use hemingway::job::Mode;
use hemingway::record::Record;
use hemingway::record::journal::Event;
use hemingway::record::store::RunDir;
use hemingway::train::{History, Summary};

use crate::commands::store_flag;
use crate::show::{Basis, Remembered, number};
pub(crate) use chapter::{Chapter, told};
pub(crate) use choice::Choice;
pub(crate) use command::{Again, asking_for, quoted, verb};
pub(crate) use curve::Course;
pub(crate) use frontier::Frontier;
pub(crate) use spending::{Part, Spending};

/// A run from its first event to its last.
pub(crate) struct Story {
    /// The journal, folded.
    pub(crate) history: History,
    /// The version that began it.
    pub(crate) version: String,
    /// Seconds since 1970.
    pub(crate) began: f64,
    /// Its decisions and what came of them.
    pub(crate) chapters: Vec<Chapter>,
    /// How it ended, or stands.
    pub(crate) summary: Summary,
    /// Whether it has ended.
    pub(crate) status: Status,
    store: PathBuf,
}

/// How a journal ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Status {
    /// With a result.
    Finished,
    /// With the user's Ctrl-C.
    Interrupted,
    /// Not yet.
    Running,
    /// In the middle, and nobody writes it.
    Killed,
}

impl Status {
    /// As everything that tells of it calls it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Interrupted => "interrupted",
            Self::Running => "running",
            Self::Killed => "killed",
        }
    }
}

impl Story {
    /// Reads a run's journal.
    pub(crate) fn read(dir: &RunDir) -> Result<Self> {
        // Asked first: a run that ends in between must not be taken for a killed one.
        let running = dir.is_running()?;
        let store = dir.path().parent().map(Path::to_owned).unwrap_or_default();
        Self::of(&dir.events()?, running, store).with_context(|| dir.path().display().to_string())
    }

    fn of(events: &[Event], running: bool, store: PathBuf) -> Result<Self> {
        let mut history = History::of(events)?;
        history.replay(events);
        let (version, began) = match events.first() {
            Some(Event::Started { version, at, .. }) => (version.clone(), *at),
            _ => (String::new(), 0.0),
        };
        let (summary, status) = match events.last() {
            Some(Event::Finished { summary }) if summary.ending == Ending::Interrupted => {
                ((**summary).clone(), Status::Interrupted)
            }
            Some(Event::Finished { summary }) => ((**summary).clone(), Status::Finished),
            _ => {
                let status = if running { Status::Running } else { Status::Killed };
                (Summary::of(&history, Ending::FrameOver, "not ended"), status)
            }
        };
        Ok(Self { history, version, began, chapters: chapter::chapters(events), summary, status, store })
    }

    /// How it ended, if it did.
    pub(crate) fn ended(&self) -> Option<&Summary> {
        matches!(self.status, Status::Finished | Status::Interrupted).then_some(&self.summary)
    }

    /// The user named the configuration.
    pub(crate) fn is_fixed(&self) -> bool {
        matches!(self.history.spec.mode, Mode::Fixed(_))
    }

    /// Only a plan was asked for.
    pub(crate) fn is_plan(&self) -> bool {
        matches!(self.history.spec.mode, Mode::Choose { plan_only: true, .. })
    }

    /// The chapter in which the configuration was first chosen, or proposed.
    pub(crate) fn turning_point(&self) -> Option<&Chapter> {
        self.chapters.iter().find(|chapter| chapter.is_the_choice())
    }

    /// What was chosen in a chapter, and against what.
    pub(crate) fn choice<'a>(&'a self, chapter: &'a Chapter) -> Option<Choice<'a>> {
        Choice::of(self, chapter)
    }

    /// Records of the job before a chapter.
    fn records_before(&self, chapter: &Chapter) -> &[Record] {
        &self.history.records[..chapter.records_before]
    }

    /// What the plan of a chapter rests on.
    pub(crate) fn basis(&self, chapter: &Chapter) -> Basis {
        Basis::of_job(self.records_before(chapter), Remembered::of(&self.history.facts.lore))
    }

    /// The training seconds at which the goal was met, and in which run.
    pub(crate) fn reached(&self) -> Option<(&str, f64)> {
        self.ended().filter(|summary| summary.goal_met)?;
        // A probe may have met it.
        let run = self.chapters.iter().rev().find_map(Chapter::run)?;
        Some((run, self.history.last_of(run)?.train_seconds))
    }

    /// The command that goes on with it.
    pub(crate) fn resume(&self) -> String {
        let verb = if self.is_fixed() { "run" } else { "train" };
        format!("hemingway {verb} --resume {}{}", self.history.id, store_flag(&self.store))
    }

    /// P̂ as things stood when the run ended: by its own record, so that later models do not rewrite its story.
    pub(crate) fn optimum(&self) -> Option<f64> {
        let recorded = self.ended().and_then(|end| Some(end.objective? / (1.0 + end.estimated_error?)));
        recorded.or_else(|| Some(self.history.standing.optimum_low())).filter(|optimum| *optimum > 0.0)
    }

    /// ẽ of an objective, by that P̂.
    pub(crate) fn error(&self, objective: f64) -> Option<f64> {
        let optimum = self.optimum()?;
        Some((objective - optimum).max(0.0) / optimum).filter(|error| error.is_finite())
    }

    /// A time in words, which say where it is virtual: `126 virtual ms`.
    pub(crate) fn seconds(&self, seconds: f64) -> String {
        let text = number::seconds(seconds);
        match text.split_once(' ').filter(|_| self.history.facts.simulated) {
            Some((value, unit)) => format!("{value} virtual {unit}"),
            None => text,
        }
    }
}
