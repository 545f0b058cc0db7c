//! How single rounds stray from f, and where their seconds go, as far as the records tell.

use hemingway::model::{ContextModel, Estimate, PhaseModel, SystemModel};
use hemingway::record::Phases;
use serde_json::{Value, json};

use crate::show::number;

/// The columns of [`Rounds::cells`]; those without content vanish from a table.
pub(super) const HEADS: [&str; 3] = ["p90", "p99", "compute/wait/sync %"];

/// What is known of a context's single rounds.
pub(super) struct Rounds<'a> {
    system: Option<&'a SystemModel>,
    phases: Option<PhaseModel>,
}

impl<'a> Rounds<'a> {
    pub(super) fn of(context: &'a ContextModel) -> Self {
        let system = context.system.as_ref();
        Self { system, phases: system.and_then(SystemModel::phases) }
    }

    /// Seconds that half, 90 % and 99 % of the rounds on m machines do not exceed; null if none were timed alone.
    pub(super) fn quantiles(&self, machines: usize) -> Value {
        let at = |share: f64| self.quantile(machines, share);
        at(0.5).map_or(Value::Null, |median| json!({ "p50": median, "p90": at(0.9), "p99": at(0.99) }))
    }

    /// Seconds of a round by phase; null if the records have none.
    pub(super) fn phases(&self, machines: usize) -> Option<Phases> {
        Some(self.phases.as_ref()?.seconds(machines, 1.0))
    }

    /// The same for people.
    pub(super) fn cells(&self, machines: usize, unit: number::Unit) -> [String; 3] {
        let slow = |share: f64| self.quantile(machines, share).map_or_else(String::new, |time| unit.number(time.mid));
        let percent = |phases: Phases| {
            let [compute, wait, sync, _] = phases.shares().parts().map(|share| format!("{:.0}", 100.0 * share));
            format!("{compute}/{wait}/{sync}")
        };
        [slow(0.9), slow(0.99), self.phases(machines).map_or_else(String::new, percent)]
    }

    fn quantile(&self, machines: usize, share: f64) -> Option<Estimate> {
        self.system?.quantile(machines, 1.0, share)
    }
}
