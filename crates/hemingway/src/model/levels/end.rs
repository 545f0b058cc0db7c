//! Where the runs of one m stand, and how they go on from there for a while.

use serde::{Deserialize, Serialize};

use super::super::linalg::{least_squares, median};
use super::Curves;

/// A run that went on for less than this share of the longest does not say where that one stands.
const LONG: f64 = 0.9;
/// The rate is that of the last rounds: weights fall by 1/e over this share of the rounds seen.
const MEMORY: f64 = 0.2;
/// How far ahead, in ln rounds, the end of the runs and the level sets have equal say.
const REACH: f64 = 0.7;

/// The best error at the last round and the power of the round by which it falls. A level set knows when a level was
/// passed, not how long ago; a few rounds ahead that matters more than anything.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct End {
    round: f64,
    /// ln error.
    best: f64,
    /// d ln error / d ln round, at most 0.
    slope: f64,
}

impl End {
    /// `None` for runs of fewer than three points.
    pub(super) fn of(curves: &Curves) -> Option<Self> {
        let long = curves.runs.iter().filter(|run| run.last().is_some_and(|last| last.0 >= LONG * curves.last));
        let (bests, slopes): (Vec<f64>, Vec<f64>) = long.filter_map(|run| stand(run)).unzip();
        Some(Self { round: curves.last, best: median(bests)?, slope: median(slopes)? })
    }

    /// The level after so many rounds, given what the level sets say: never below the best while the runs lasted, then
    /// from the best on, and the less so the further.
    pub(super) fn correct(&self, rounds: f64, level: f64) -> f64 {
        let ahead = (rounds / self.round).ln();
        if ahead <= 0.0 {
            return level.max(self.best);
        }
        let share = 1.0 / (1.0 + (ahead / REACH).powi(2));
        share * (self.best + self.slope * ahead) + (1.0 - share) * level.min(self.best)
    }
}

/// The best of one run, and its slope over ln round by weighted least squares.
fn stand(run: &[(f64, f64)]) -> Option<(f64, f64)> {
    let (first, last) = (run.first()?.0, run.last()?.0);
    let memory = MEMORY * (last - first + 1.0);
    let mut best = f64::INFINITY;
    let (mut ones, mut x, mut y) = (Vec::new(), Vec::new(), Vec::new());
    for &(round, error) in run {
        best = best.min(error);
        let weight = (0.5 * (round - last) / memory).exp();
        ones.push(weight);
        x.push(weight * round.ln());
        y.push(weight * best);
    }
    (run.len() > 2).then(|| (best, least_squares(&[&ones, &x], &y)[1].min(0.0)))
}
