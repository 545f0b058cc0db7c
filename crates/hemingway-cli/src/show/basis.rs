//! What a plan rests on.

use std::collections::BTreeSet;

use hemingway::record::{Record, Trace, traces};
use serde::{Deserialize, Serialize};

use super::number;

/// How much was measured, and where.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Basis {
    /// Stretches of training under one configuration.
    pub(crate) traces: usize,
    /// Their rounds.
    pub(crate) rounds: u64,
    /// Their seconds of training.
    pub(crate) seconds: f64,
    /// Numbers of machines, ascending.
    pub(crate) machines: BTreeSet<usize>,
    /// Shares of the rows that were trained on, where not all; ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) samples: Vec<f64>,
}

impl Basis {
    /// Of one job's records.
    pub(crate) fn of_records(records: &[Record]) -> Self {
        Self::of(&traces(records))
    }

    /// Of anyone's.
    pub(crate) fn of(traces: &[Trace]) -> Self {
        let mut basis = Self::default();
        for trace in traces {
            let start = if trace.fresh { 0 } else { trace.points.first().map_or(0, |p| p.round) };
            let timed = || trace.points.iter().filter_map(|p| p.seconds);
            let from = if trace.fresh { 0.0 } else { timed().next().unwrap_or(0.0) };
            basis.traces += 1;
            basis.rounds += trace.last_round().saturating_sub(start);
            basis.seconds += timed().next_back().unwrap_or(from) - from;
            basis.machines.insert(trace.machines);
            basis.samples.extend(Some(trace.fraction).filter(|_| !trace.is_whole()));
        }
        basis.samples.sort_by(f64::total_cmp);
        basis.samples.dedup();
        basis
    }

    /// In words.
    pub(crate) fn sentence(&self, simulated: bool) -> String {
        let machines: Vec<String> = self.machines.iter().map(usize::to_string).collect();
        format!(
            "{}, {} in {}{}, on m = {}{}",
            number::counted(self.traces, "run"),
            number::counted(self.rounds as usize, "round"),
            number::seconds(self.seconds),
            if simulated { " (virtual)" } else { "" },
            machines.join(", "),
            self.sampled(),
        )
    }

    /// What part of it is only samples of the rows.
    fn sampled(&self) -> String {
        let percent = |share: &f64| (1000.0 * share).round() / 10.0;
        match &self.samples[..] {
            [] => String::new(),
            [only] => format!("; from samples of {} %", percent(only)),
            [first, .., last] => format!("; from samples of {}–{} %", percent(first), percent(last)),
        }
    }
}
