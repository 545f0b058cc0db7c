//! What one configuration would take from here.

use super::super::{History, Start};
use super::FURTHER;
use crate::algorithm;
use crate::backend::Config;
use crate::model::normal::Direction;

/// One configuration.
#[derive(Debug, Clone)]
pub(in crate::train) struct Prospect {
    pub(in crate::train) config: Config,
    /// From where.
    pub(in crate::train) start: Start,
    /// Rounds that its run has had.
    pub(in crate::train) from_round: u64,
    /// ln of the rounds to go: mean and variance.
    pub(in crate::train) rounds: (f64, f64),
    /// ln of the seconds of a round: mean and variance.
    pub(in crate::train) pace: (f64, f64),
    /// Seconds to deal the rows to its machines.
    pub(in crate::train) moving: f64,
    /// What a second costs in what the goal wants small.
    pub(in crate::train) price: f64,
    /// What rounds and seconds hang on, to first order, in the likeliest world.
    pub(super) along: [Direction; 2],
    /// X where it begins.
    pub(super) from: f64,
}

impl Prospect {
    /// The expected cost to go.
    pub(in crate::train) fn cost(&self) -> f64 {
        let ln = self.rounds.0 + self.pace.0 + 0.5 * (self.rounds.1 + self.pace.1).min(1.0);
        self.price * (ln.exp() + self.moving)
    }

    /// Whether it begins clearly before where another is.
    pub(in crate::train) fn is_behind(&self, other: &Self) -> bool {
        self.from < other.from - FURTHER
    }

    /// The mean, not the middle, of the seconds of a round: what is unknown may be dear.
    pub(in crate::train) fn mean_pace(&self) -> f64 {
        (self.pace.0 + 0.5 * self.pace.1.min(2.0)).exp()
    }

    /// Whether nothing of its algorithm has run in this job yet.
    pub(super) fn is_unseen(&self) -> bool {
        !matches!(self.start, Start::Continue { .. })
    }

    /// Seconds its run has trained for.
    pub(in crate::train) fn trained(&self, history: &History) -> f64 {
        match &self.start {
            Start::Continue { run } => history.last_of(run).map_or(0.0, |last| last.train_seconds),
            Start::Fresh | Start::Adopt { .. } => 0.0,
        }
    }

    /// The expected cost to go if so much of its deviation were known: the middle of what would then be thought.
    pub(in crate::train) fn cost_but_for(&self, known: f64) -> f64 {
        let left = (self.rounds.1 + self.pace.1 - known * known).clamp(0.0, 1.0);
        self.price * ((self.rounds.0 + self.pace.0 + 0.5 * left).exp() + self.moving)
    }

    /// The middle of the seconds to go.
    pub(in crate::train) fn seconds(&self) -> f64 {
        (self.rounds.0 + self.pace.0).exp() + self.moving
    }
}

/// The machines an algorithm is considered on: all, or those on which it may be the best, the fewest if there are none.
pub(super) fn machines_for<'m>(name: &str, machines: &'m [usize]) -> &'m [usize] {
    let most = algorithm::by_name(name).map_or(usize::MAX, |algorithm| algorithm.most_machines());
    let few = machines.partition_point(|m| *m <= most);
    &machines[..few.max(1).min(machines.len())]
}
