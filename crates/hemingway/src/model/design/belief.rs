//! What is believed of every candidate: its promise, how far it may be wrong, and what that is owed to.

use super::super::estimate::{Estimate, HALF_WIDTH};
use super::Cost;
use crate::backend::Config;
use crate::goal::Goal;
use crate::plan::{CLAIM_LAG, Candidate, NEGLIGIBLE};

/// The share of g's variance that differs between candidates. The rest is P*'s: were it lower, every algorithm would
/// need longer, and the choice would be the same.
const DECIDING: f64 = 0.5;
/// An interval that nothing bounds counts as wide as this factor.
const OPEN: f64 = 100.0;

/// The loss of one candidate, log-normal with a wing to either side.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Belief {
    pub(super) config: Config,
    /// The middle: what the planner goes by.
    pub(super) mid: f64,
    /// Standard deviations of ln loss below and above the middle.
    down: f64,
    up: f64,
    /// How the deviation loads on f and on g: squares add up to 1.
    pub(super) loads: [f64; 2],
    /// The planner may choose it already.
    pub(super) usable: bool,
}

impl Belief {
    /// What a plan's candidate promises, as a loss; `None` where it promises nothing.
    pub(super) fn of(candidate: &Candidate, goal: &Goal, cost: Cost) -> Option<Self> {
        let pace = candidate.seconds_per_round?;
        let machines = candidate.config.machines;
        let (loss, lag) = match goal {
            Goal::Within { .. } | Goal::Spend { .. } => (floored(candidate.error_at_end?), 0.0),
            _ => (candidate.seconds_to_go()?, 1.0),
        };
        let rounds = candidate.rounds.and_then(|rounds| rounds.estimate());
        let rounds_variance = rounds.map_or(variance(loss), |rounds| variance(rounds) - lag * variance(CLAIM_LAG));
        let by_pace = share(variance(pace), rounds_variance);
        let kept = by_pace + DECIDING * (1.0 - by_pace);
        let wing = |whole: f64, of_lag: f64| ((whole.powi(2) - lag * of_lag.powi(2)).max(0.0) * kept).sqrt();
        let mid = if lag > 0.0 { cost.of(machines, loss.mid) } else { loss.mid };
        Some(Self {
            config: candidate.config.clone(),
            mid: Some(mid).filter(|mid| mid.is_finite())?,
            down: wing(down(loss), down(CLAIM_LAG)),
            up: wing(up(loss), up(CLAIM_LAG)),
            loads: [(by_pace / kept).sqrt(), (1.0 - by_pace / kept).max(0.0).sqrt()],
            usable: candidate.is_usable(),
        })
    }

    /// The loss z standard deviations from the middle. Nobody sits out the worst: what leaves its 90 % interval is
    /// noticed and changed.
    pub(super) fn at(&self, z: f64) -> f64 {
        let wing = if z < 0.0 { self.down } else { self.up };
        self.mid * (wing * z.clamp(-HALF_WIDTH, HALF_WIDTH)).exp()
    }

    /// A usable candidate whose loss is spread evenly on both sides, half of it by f.
    #[cfg(test)]
    pub(super) fn guess(context: &str, machines: usize, mid: f64, deviation: f64) -> Self {
        let config = Config::new(context, machines);
        Self { config, mid, down: deviation, up: deviation, loads: [0.5f64.sqrt(); 2], usable: true }
    }

    pub(super) fn same_context(&self, other: &Self) -> bool {
        self.config.algorithm == other.config.algorithm
    }
}

/// Errors below the negligible are as good as it.
fn floored(error: Estimate) -> Estimate {
    let floor = |value: f64| value.max(NEGLIGIBLE);
    Estimate { low: floor(error.low), mid: floor(error.mid), high: floor(error.high), ..error }
}

fn down(estimate: Estimate) -> f64 {
    (estimate.mid / estimate.low).clamp(1.0, OPEN).ln() / HALF_WIDTH
}

fn up(estimate: Estimate) -> f64 {
    (estimate.high / estimate.mid).clamp(1.0, OPEN).ln() / HALF_WIDTH
}

/// Of the logarithm, both wings together.
fn variance(estimate: Estimate) -> f64 {
    0.5 * (down(estimate).powi(2) + up(estimate).powi(2))
}

/// a / (a + b), where both may be nothing.
fn share(a: f64, b: f64) -> f64 {
    let (a, b) = (a.max(0.0), b.max(0.0));
    if a + b > 0.0 { a / (a + b) } else { 0.5 }
}
