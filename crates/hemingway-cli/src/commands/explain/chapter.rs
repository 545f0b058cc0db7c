//! One decision of a run and what came of it.

use hemingway::backend::{Config, Ending};
use hemingway::model::{Estimate, Reach};
use hemingway::plan::{Candidate, Plan};
use hemingway::record::Record;
use hemingway::record::journal::Event;
use hemingway::train::{Decision, Purpose};
use serde_json::{Value, json};

use crate::show::{Paint, number};

/// A decision, the rounds it led to and how they ended.
pub(super) struct Chapter {
    /// From 1.
    pub(super) number: usize,
    /// What was decided.
    pub(super) decision: Decision,
    /// All records of the run when it had ended.
    pub(super) records_by_its_end: usize,
    verb: &'static str,
    /// Where its run stood before: (round, train seconds).
    from: (u64, f64),
    last: Option<Record>,
    ending: Option<Ending>,
}

/// Cuts a journal at its decisions.
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
                    chapter.last = Some(record.clone());
                    chapter.records_by_its_end = records;
                }
            }
            Event::FrameEnded { ending, .. } => {
                if let Some(chapter) = chapters.last_mut() {
                    chapter.ending = Some(*ending);
                }
            }
            Event::Started { .. } | Event::Resumed { .. } | Event::Finished { .. } => {}
        }
    }
    chapters
}

impl Chapter {
    fn new(before: &[Chapter], decision: &Decision, records: usize) -> Self {
        let training = before.iter().rev().find(|chapter| chapter.purpose() == Some(Purpose::Train));
        let same_run =
            |run: &str| before.iter().rev().filter_map(|c| c.last.as_ref()).find(|last| last.run == run).cloned();
        let (verb, from) = match decision {
            Decision::Stop { .. } => ("stop", None),
            Decision::Run { purpose: Purpose::Probe, frame, .. } => ("probe", same_run(&frame.run)),
            Decision::Run { frame, .. } => {
                let from = same_run(&frame.run);
                match training.and_then(Chapter::config) {
                    None => ("train", from),
                    Some(config) if *config == frame.config => ("keep", from),
                    Some(_) => ("switch", from),
                }
            }
        };
        Self {
            number: before.len() + 1,
            decision: decision.clone(),
            records_by_its_end: records,
            verb,
            from: from.map_or((0, 0.0), |record| (record.round, record.train_seconds)),
            last: None,
            ending: None,
        }
    }

    /// Here the configuration was chosen, or proposed.
    pub(super) fn is_the_choice(&self) -> bool {
        self.plan().is_some() && matches!(self.verb, "train" | "stop")
    }

    pub(super) fn config(&self) -> Option<&Config> {
        match &self.decision {
            Decision::Run { frame, .. } => Some(&frame.config),
            Decision::Stop { .. } => None,
        }
    }

    pub(super) fn run(&self) -> Option<&str> {
        match &self.decision {
            Decision::Run { frame, .. } => Some(&frame.run),
            Decision::Stop { .. } => None,
        }
    }

    pub(super) fn purpose(&self) -> Option<Purpose> {
        match &self.decision {
            Decision::Run { purpose, .. } => Some(*purpose),
            Decision::Stop { .. } => None,
        }
    }

    pub(super) fn plan(&self) -> Option<&Plan> {
        match &self.decision {
            Decision::Run { plan, .. } | Decision::Stop { plan, .. } => plan.as_ref(),
        }
    }

    fn why(&self) -> &str {
        match &self.decision {
            Decision::Run { why, .. } | Decision::Stop { why, .. } => why,
        }
    }

    fn candidate(&self) -> Option<&Candidate> {
        self.plan()?.candidate(self.config()?)
    }

    /// A frame of training about which something was promised, and that ran.
    pub(super) fn predicts(&self) -> bool {
        self.purpose() == Some(Purpose::Train) && self.last.is_some() && self.candidate().is_some()
    }

    /// Seconds a round, as promised.
    pub(super) fn promised_pace(&self) -> Option<Estimate> {
        self.candidate()?.seconds_per_round
    }

    /// Seconds a round, as they came.
    pub(super) fn real_pace(&self) -> Option<f64> {
        let last = self.last.as_ref()?;
        let rounds = last.round.checked_sub(self.from.0).filter(|rounds| *rounds > 0)?;
        Some((last.train_seconds - self.from.1) / rounds as f64)
    }

    /// Seconds from here to the goal, as promised.
    pub(super) fn promised_seconds(&self) -> Option<Estimate> {
        self.candidate()?.seconds.and_then(Reach::estimate)
    }

    /// Seconds from here to the goal, if this very run met it.
    pub(super) fn real_seconds(&self, reached: Option<(&str, f64)>) -> Option<f64> {
        let (run, seconds) = reached?;
        (self.run() == Some(run)).then_some(seconds - self.from.1)
    }

    /// `10–30`.
    pub(super) fn rounds_words(&self) -> String {
        self.last.as_ref().map_or_else(|| number::UNKNOWN.into(), |last| format!("{}–{}", self.from.0, last.round))
    }

    pub(super) fn human(&self, paint: Paint) -> String {
        let config = self.config().map_or_else(String::new, ToString::to_string);
        let verb = format!("{:<6}", self.verb);
        let verb = if self.verb == "switch" { paint.yellow(&verb) } else { paint.bold(&verb) };
        let mut text = format!("{:>4}  {verb}  {config:<20}  {}\n", format!("#{}", self.number), self.why());
        if let Some(last) = &self.last {
            let ending = self.ending.filter(|ending| *ending != Ending::FrameOver);
            text.push_str(&paint.dim(&format!(
                "{:36}{} in {}, objective {}{}",
                "",
                number::counted((last.round - self.from.0) as usize, "round"),
                number::seconds(last.train_seconds - self.from.1),
                number::objective(last.objective),
                ending.map_or(String::new(), |ending| format!("; {}", ending.words())),
            )));
            text.push('\n');
        }
        text
    }

    pub(super) fn json(&self, reached: Option<(&str, f64)>) -> Value {
        json!({
            "number": self.number,
            "verb": self.verb,
            "why": self.why(),
            "run": self.run(),
            "config": self.config(),
            "plan": self.plan(),
            "from_round": self.from.0,
            "to_round": self.last.as_ref().map(|last| last.round),
            "objective": self.last.as_ref().map(|last| last.objective),
            "ending": self.ending,
            "predicted_seconds_per_round": self.promised_pace(),
            "real_seconds_per_round": self.real_pace(),
            "predicted_seconds": self.promised_seconds(),
            "real_seconds": self.real_seconds(reached),
        })
    }
}

/// A decision in one line.
pub(super) fn told(decision: &Decision) -> String {
    match decision {
        Decision::Run { frame, purpose, why, .. } => {
            let verb = if *purpose == Purpose::Probe { "probe" } else { "train" };
            format!("{verb} {} until round {}: {why}", frame.config, frame.until_round)
        }
        Decision::Stop { ending, why, .. } => format!("stop, {}: {why}", ending.words()),
    }
}
