//! What a plan rests on.

use std::collections::BTreeSet;

use hemingway::job::Lore;
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
    /// What earlier jobs left.
    #[serde(default, skip_serializing_if = "Remembered::is_nothing")]
    pub(crate) remembered: Remembered,
}

/// What a job knew before anything ran.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Remembered {
    /// Runs of its problem, those that tell the most of each configuration.
    pub(crate) runs: usize,
    /// Configurations that were timed on its cluster.
    pub(crate) timings: usize,
}

impl Remembered {
    /// Of a job.
    pub(crate) fn of(lore: &Lore) -> Self {
        Self { runs: lore.traces.len(), timings: lore.timings.len() }
    }

    /// Nothing at all.
    pub(crate) fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// In words, the same before a job and in what is told of it; nothing of nothing.
    pub(crate) fn sentence(self) -> String {
        let runs = (self.runs, "run", "of this problem");
        let timings = (self.timings, "configuration", "timed on this cluster");
        let known = [runs, timings].into_iter().filter(|(count, ..)| *count > 0);
        let words: Vec<String> =
            known.map(|(count, what, of)| format!("{} {of}", number::counted(count, what))).collect();
        if words.is_empty() { String::new() } else { format!("remembered: {}", words.join(", ")) }
    }
}

impl Basis {
    /// Of one job's records, and what it remembers.
    pub(crate) fn of_job(records: &[Record], remembered: Remembered) -> Self {
        Self { remembered, ..Self::of(&traces(records)) }
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
        let remembered = self.remembered.sentence();
        match (self.traces, remembered.as_str()) {
            (0, "") => "nothing".into(),
            (0, _) => remembered,
            (_, "") => self.measured(simulated),
            _ => format!("{}; {remembered}", self.measured(simulated)),
        }
    }

    fn measured(&self, simulated: bool) -> String {
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
