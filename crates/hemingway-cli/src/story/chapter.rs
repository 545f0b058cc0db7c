//! One decision of a run and what came of it.

use hemingway::backend::{Config, Ending, Rehearsal};
use hemingway::model::{Estimate, Reach};
use hemingway::plan::{Candidate, Plan};
use hemingway::record::Record;
use hemingway::record::journal::Event;
use hemingway::train::{Decision, Purpose};

use crate::show::number;

/// A decision, the rounds it led to and how they ended.
pub(crate) struct Chapter {
    /// That of its decision, from 1.
    pub(crate) number: usize,
    /// What was decided.
    pub(crate) decision: Decision,
    /// What that meant: try (a rehearsal), probe, plan, train, keep, switch, stop or, of what had been stopped, resume.
    pub(crate) verb: &'static str,
    /// All records of the job before it.
    pub(crate) records_before: usize,
    /// Why its rounds ended.
    pub(crate) ending: Option<Ending>,
    /// Its last record.
    pub(crate) last: Option<Record>,
    /// Where its run stood before.
    pub(crate) before: Option<Record>,
    /// How algorithms did on a few rows.
    pub(crate) rehearsals: Vec<Rehearsal>,
    first: Option<Record>,
}

/// Cuts a journal at its decisions, and where what had been stopped goes on.
pub(super) fn chapters(events: &[Event]) -> Vec<Chapter> {
    let mut chapters: Vec<Chapter> = Vec::new();
    let mut records = 0;
    for event in events {
        match event {
            Event::Decided { decision, .. } => {
                let chapter = Chapter::new(&chapters, decision, records);
                chapters.push(chapter);
            }
            Event::Round { record } => {
                records += 1;
                if let Some(chapter) = chapters.last_mut() {
                    chapter.first.get_or_insert_with(|| record.clone());
                    chapter.last = Some(record.clone());
                }
            }
            Event::FrameEnded { ending, .. } => {
                if let Some(chapter) = chapters.last_mut() {
                    chapter.ending = Some(*ending);
                }
            }
            Event::Resumed { caps, .. } => {
                let resumed = Chapter::resumed(&chapters, caps.is_some(), records);
                chapters.extend(resumed);
            }
            // Among several clusters the end of a plan is no end.
            Event::Compared { .. } => {
                if let Some(chapter) = chapters.last_mut().filter(|chapter| chapter.plan().is_some()) {
                    chapter.verb = "plan";
                }
            }
            Event::Rehearsed { rehearsals, .. } => {
                if let Some(chapter) = chapters.last_mut() {
                    chapter.rehearsals.clone_from(rehearsals);
                }
            }
            Event::Started { .. } | Event::Finished { .. } => {}
        }
    }
    chapters
}

impl Chapter {
    fn new(before: &[Self], decision: &Decision, records: usize) -> Self {
        let same_run = |run: &str| before.iter().rev().filter_map(|c| c.last.as_ref()).find(|last| last.run == run);
        let stood = match decision {
            Decision::Run { frame, .. } => same_run(&frame.run).cloned(),
            Decision::Rehearse { .. } | Decision::Stop { .. } => None,
        };
        Self {
            number: before.iter().map(|chapter| chapter.number).max().unwrap_or(0) + 1,
            decision: decision.clone(),
            verb: verb(before, decision),
            records_before: records,
            before: stood,
            first: None,
            last: None,
            ending: None,
            rehearsals: Vec::new(),
        }
    }

    /// The newest frame, where it had ended and goes on: told apart from what came of it before, and without a promise,
    /// since what was promised was so from where it began.
    fn resumed(before: &[Self], other_caps: bool, records: usize) -> Option<Self> {
        let stopped = before.iter().rev().find(|chapter| chapter.config().is_some())?;
        stopped.ending.filter(|ending| ending.can_go_on(other_caps))?;
        let Decision::Run { frame, purpose, start, .. } = stopped.decision.clone() else { return None };
        let why = "goes on where it was stopped".into();
        let decision = Decision::Run { frame, purpose, start, why, plan: None, predicted: None };
        Some(Self { number: stopped.number, verb: "resume", ..Self::new(before, &decision, records) })
    }

    /// Here the configuration was chosen, or proposed.
    pub(crate) fn is_the_choice(&self) -> bool {
        self.plan().is_some() && matches!(self.verb, "train" | "stop")
    }

    /// Here training turned to a configuration, first or anew, or one was proposed.
    pub(crate) fn turns(&self) -> bool {
        self.is_the_choice() || self.verb == "switch"
    }

    pub(crate) fn config(&self) -> Option<&Config> {
        match &self.decision {
            Decision::Run { frame, .. } => Some(&frame.config),
            Decision::Rehearse { .. } | Decision::Stop { .. } => None,
        }
    }

    /// What it was about: a configuration, or a few rows.
    pub(crate) fn subject(&self) -> String {
        match &self.decision {
            Decision::Run { frame, .. } => frame.config.to_string(),
            Decision::Rehearse { script, .. } => format!("on {}", number::counted(script.rows, "row")),
            Decision::Stop { .. } => String::new(),
        }
    }

    pub(crate) fn run(&self) -> Option<&str> {
        match &self.decision {
            Decision::Run { frame, .. } => Some(&frame.run),
            Decision::Rehearse { .. } | Decision::Stop { .. } => None,
        }
    }

    pub(crate) fn purpose(&self) -> Option<Purpose> {
        match &self.decision {
            Decision::Run { purpose, .. } => Some(*purpose),
            Decision::Rehearse { .. } | Decision::Stop { .. } => None,
        }
    }

    pub(crate) fn plan(&self) -> Option<&Plan> {
        match &self.decision {
            Decision::Run { plan, .. } | Decision::Stop { plan, .. } => plan.as_ref(),
            Decision::Rehearse { .. } => None,
        }
    }

    pub(crate) fn why(&self) -> &str {
        match &self.decision {
            Decision::Run { why, .. } | Decision::Rehearse { why, .. } | Decision::Stop { why, .. } => why,
        }
    }

    fn candidate(&self) -> Option<&Candidate> {
        self.plan()?.candidate(self.config()?)
    }

    /// A frame of training about which something was promised, and that ran.
    pub(crate) fn predicts(&self) -> bool {
        self.purpose() == Some(Purpose::Train) && self.last.is_some() && self.candidate().is_some()
    }

    /// Where it began: its run's record before it, or the first of a run that began with it.
    pub(crate) fn start(&self) -> Option<&Record> {
        self.before.as_ref().or(self.first.as_ref())
    }

    /// Its rounds.
    pub(crate) fn rounds(&self) -> u64 {
        let ends = self.start().zip(self.last.as_ref());
        ends.map_or(0, |(start, last)| last.round.saturating_sub(start.round))
    }

    /// How much of a cumulative quantity it added.
    pub(crate) fn added(&self, quantity: impl Fn(&Record) -> f64) -> f64 {
        let before = self.before.as_ref().map_or(0.0, &quantity);
        self.last.as_ref().map_or(0.0, |last| (quantity(last) - before).max(0.0))
    }

    /// Its seconds in rounds.
    pub(crate) fn seconds(&self) -> f64 {
        let rehearsed: f64 = self.rehearsals.iter().map(|rehearsal| rehearsal.seconds).sum();
        rehearsed + self.added(|record| record.train_seconds)
    }

    /// The training clock of its run where it began.
    pub(crate) fn trained_before(&self) -> f64 {
        self.before.as_ref().map_or(0.0, |before| before.train_seconds)
    }

    /// Seconds a round, as promised.
    pub(crate) fn promised_pace(&self) -> Option<Estimate> {
        self.candidate()?.seconds_per_round
    }

    /// Seconds a round, as they came.
    pub(crate) fn real_pace(&self) -> Option<f64> {
        (self.rounds() > 0).then(|| self.seconds() / self.rounds() as f64)
    }

    /// Seconds from here to the goal, as promised.
    pub(crate) fn promised_seconds(&self) -> Option<Estimate> {
        self.candidate()?.seconds.and_then(Reach::estimate)
    }

    /// The training clock of its run at the goal, as its decision promised it.
    pub(crate) fn promised_end(&self) -> Option<Estimate> {
        match &self.decision {
            Decision::Run { predicted, .. } => *predicted,
            Decision::Rehearse { .. } | Decision::Stop { .. } => None,
        }
    }

    /// Seconds from here to the goal, if this very run met it.
    pub(crate) fn real_seconds(&self, reached: Option<(&str, f64)>) -> Option<f64> {
        let (run, seconds) = reached?;
        (self.run() == Some(run)).then_some(seconds - self.trained_before())
    }

    /// `10–30`.
    pub(crate) fn rounds_words(&self) -> String {
        let ends = self.start().zip(self.last.as_ref());
        ends.map_or_else(|| number::UNKNOWN.into(), |(start, last)| format!("{}–{}", start.round, last.round))
    }
}

fn verb(before: &[Chapter], decision: &Decision) -> &'static str {
    let training = before.iter().rev().find(|chapter| chapter.purpose() == Some(Purpose::Train));
    match decision {
        Decision::Stop { .. } => "stop",
        Decision::Rehearse { .. } => "try",
        Decision::Run { purpose: Purpose::Probe, .. } => "probe",
        Decision::Run { frame, .. } => match training.and_then(Chapter::config) {
            None => "train",
            Some(config) if *config == frame.config => "keep",
            Some(_) => "switch",
        },
    }
}

/// A decision in one line.
pub(crate) fn told(decision: &Decision) -> String {
    match decision {
        Decision::Run { frame, purpose, why, .. } => {
            let verb = if *purpose == Purpose::Probe { "probe" } else { "train" };
            format!("{verb} {} until round {}: {why}", frame.config, frame.until_round)
        }
        Decision::Rehearse { script, why } => {
            format!("try {} on {}: {why}", script.algorithms.join(", "), number::counted(script.rows, "row"))
        }
        Decision::Stop { ending, why, .. } => format!("stop, {}: {why}", ending.words()),
    }
}
