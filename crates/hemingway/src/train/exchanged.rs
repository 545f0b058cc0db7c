//! What rounds took that were exchanged otherwise than by plain dense all-reduce, and what that saved.

use std::collections::HashMap;

use super::History;
use crate::backend::Config;
use crate::record::Record;

/// A configuration's rounds, in the mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exchanged {
    /// Seconds of a round.
    pub seconds: f64,
    /// How many more it would have taken by plain dense all-reduce.
    pub saved: f64,
    /// The share of rounds that began a run from nothing, and had nothing to tell.
    untold: f64,
}

impl Exchanged {
    /// How many times as long a round would have taken by plain dense all-reduce.
    pub fn gain(self) -> f64 {
        (self.seconds + self.saved) / self.seconds
    }

    /// What further rounds will save, where telling all of the shared vector takes so long.
    pub(super) fn to_save(self, telling: f64) -> f64 {
        self.saved - self.untold * telling
    }
}

impl History {
    /// What a configuration's rounds on all rows have taken and saved so far; nothing where none went another way than plain.
    pub fn exchanged(&self, config: &Config) -> Option<Exchanged> {
        let of = |record: &&Record| {
            record.algorithm == config.algorithm && record.machines == config.machines && record.fraction == 1.0
        };
        let mut runs: HashMap<&str, [&Record; 2]> = HashMap::new();
        for record in self.records.iter().filter(of) {
            runs.entry(&record.run).or_insert([record; 2])[1] = record;
        }
        let (mut seconds, mut saved, mut rounds, mut untold) = (0.0, 0.0, 0, 0.0);
        for [first, last] in runs.into_values() {
            let since = |total: fn(&Record) -> f64| total(last) - total(first);
            seconds += since(|record| record.train_seconds);
            saved += since(|record| record.plain_sync - record.sync);
            rounds += last.round.saturating_sub(first.round);
            untold += if first.round == 0 && last.round > 0 { 1.0 } else { 0.0 };
        }
        let exchanged = self.records.iter().filter(of).any(|record| record.plain_sync > 0.0);
        let mean = |total: f64| total / rounds as f64;
        let of = || Exchanged { seconds: mean(seconds), saved: mean(saved), untold: mean(untold) };
        (exchanged && rounds > 0).then(of)
    }

    /// Seconds in which all are told of the shared vector, as foretold; 0 where nothing is, or all numbers are told whether they are
    /// news or not.
    pub(super) fn telling_seconds(&self, machines: usize) -> f64 {
        let own = self.facts.exchanges.iter().find(|foretold| foretold.machines == machines);
        own.map_or(0.0, |foretold| foretold.telling_seconds)
    }
}
