//! Proof that decisions rest on the journal alone: take each again and compare.

use super::{Decision, History, decide};
use crate::record::journal::Event;
use crate::{Error, Result};

/// What came of taking every decision of a journal again.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    /// How many there are.
    pub decisions: usize,
    /// Decisions that come out differently, by number from 1: (as recorded, as taken now).
    pub differences: Vec<(usize, Decision, Decision)>,
}

/// Takes every decision of a journal again, each from the events before it.
pub fn replay(events: &[Event]) -> Result<Replay> {
    let mut history = History::of(events)?;
    let mut differences = Vec::new();
    let mut decisions = 0;
    for event in events {
        if let Event::Decided { spent, decision } = event {
            decisions += 1;
            history.spent = *spent;
            let again = decide(&history);
            if again != **decision {
                differences.push((decisions, (**decision).clone(), again));
            }
        }
        history.apply(event);
    }
    Ok(Replay { decisions, differences })
}

impl History {
    /// The state before the first event after `Started`.
    pub fn of(events: &[Event]) -> Result<Self> {
        match events.first() {
            Some(Event::Started { run, spec, facts, .. }) => {
                Ok(Self::new(run.clone(), (**spec).clone(), (**facts).clone()))
            }
            _ => Err(Error::Evidence(
                "the journal does not begin with a job: nothing can be told about it; start the run anew".into(),
            )),
        }
    }

    /// Takes many events into account.
    pub fn replay(&mut self, events: &[Event]) {
        for event in events {
            self.apply(event);
        }
    }
}
