//! What the exchange of rounds is foretold to take and to save, and what it saved.

use hemingway::job::Foretold;
use hemingway::model::Estimate;
use hemingway::plan::Plan;
use hemingway::sync::rounds::Way;
use hemingway::train::Exchanged;
use serde_json::{Value, json};

use super::number;

/// The exchange on the machines of a configuration.
pub(crate) struct Exchange<'a> {
    foretold: &'a Foretold,
    /// How many times as long rounds would take with plain dense all-reduce, where it is known what they take.
    gain: Option<f64>,
    /// That is what rounds took, not what they should.
    is_seen: bool,
}

impl<'a> Exchange<'a> {
    /// That of what a plan chooses.
    pub(crate) fn of_plan(plan: &Plan, foretold: &'a [Foretold]) -> Option<Self> {
        let choice = plan.choice()?;
        let own = Self::of(choice.config.machines, foretold)?;
        let gain = |round: Estimate| own.foretold.gain(round.mid, choice.saved_per_round);
        Some(Self { gain: choice.seconds_per_round.map(gain), ..own })
    }

    /// That of so many machines.
    pub(crate) fn of(machines: usize, foretold: &'a [Foretold]) -> Option<Self> {
        let foretold = foretold.iter().find(|foretold| foretold.machines == machines)?;
        Some(Self { foretold, gain: None, is_seen: false })
    }

    /// The same once rounds have been seen.
    pub(crate) fn after(self, rounds: Exchanged) -> Self {
        Self { gain: Some(rounds.gain()), is_seen: true, ..self }
    }

    /// In a sentence.
    pub(crate) fn sentence(&self) -> String {
        let Foretold { words, machines, .. } = self.foretold;
        let [own, plain] = [self.foretold.seconds, self.foretold.plain_seconds].map(number::seconds);
        let here = format!("{own} a round on {machines} machines ({words})");
        if self.foretold.way == Way::Plain.name() {
            return format!("{here} (predicted)");
        }
        let gain = match self.gain {
            Some(gain) if self.is_seen => format!(" (predicted); rounds were {gain:.2}× as fast as with that"),
            Some(gain) => format!("; rounds should be {gain:.2}× as fast as with that (predicted)"),
            None => " (predicted)".into(),
        };
        format!("{here}, {plain} by plain dense all-reduce{gain}")
    }

    /// For programs.
    pub(crate) fn json(&self) -> Value {
        let mut value = json!(self.foretold);
        value["gain"] = json!(self.gain);
        value
    }
}
