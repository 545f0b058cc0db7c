//! Where the runs of one m stand, and how they go on from there for a while.

use serde::{Deserialize, Serialize};

use super::super::linalg::median;
use super::Curves;
use super::forecast::Forecast;

/// A run that went on for less than this share of the longest does not say where that one stands.
const LONG: f64 = 0.9;
/// What is foretold rests on the later half of a run, or all of one shorter than twice this, by as many points.
const POINTS: usize = 50;
/// How far ahead, in ln rounds, the end of the runs and the level sets have equal say.
const REACH: f64 = 0.7;
/// Times the rounds of the level sets within which both must agree that a level is reached.
const FURTHEST: f64 = 100.0;

/// The best error at the last round and how it goes on. A level set knows when a level was passed, not how long ago; a
/// few rounds ahead that matters more than anything.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct End {
    round: f64,
    /// ln error.
    best: f64,
    forecast: Forecast,
}

impl End {
    /// `None` for runs of fewer than three points.
    pub(super) fn of(curves: &Curves) -> Option<Self> {
        let long = curves.runs.iter().filter(|run| run.last().is_some_and(|last| last.0 >= LONG * curves.last));
        let recent: Vec<_> = long.map(|run| recent(run)).collect();
        let best = median(recent.iter().filter_map(|points| Some(points.last()?.1)).collect())?;
        let forecasts: Vec<Forecast> = recent.iter().filter_map(|points| Forecast::of(points)).collect();
        let forecast = (!forecasts.is_empty()).then(|| Forecast::mean(&forecasts))?;
        Some(Self { round: curves.last, best, forecast })
    }

    /// The level after so many rounds, given what the level sets say: never below the best while the runs lasted, then
    /// from the best on, and the less so the further.
    pub(super) fn correct(&self, rounds: f64, level: f64) -> f64 {
        let ahead = (rounds / self.round).ln();
        if ahead <= 0.0 {
            return level.max(self.best);
        }
        let share = 1.0 / (1.0 + (ahead / REACH).powi(2));
        share * self.forecast.at(rounds).min(self.best) + (1.0 - share) * level.min(self.best)
    }

    /// The rounds to a level, given what the level sets say: the inverse of [`Self::correct`] below the best.
    pub(super) fn correct_rounds(&self, level: f64, rounds: f64, level_at: impl Fn(f64) -> f64) -> f64 {
        if level >= self.best {
            return rounds;
        }
        let above = |rounds: f64| self.correct(rounds, level_at(rounds)) > level;
        let (mut before, mut after) = (self.round, 2.0 * rounds.max(self.round));
        while above(after) {
            if after > FURTHEST * rounds.max(self.round) {
                return rounds;
            }
            (before, after) = (after, 2.0 * after);
        }
        while after - before > 1e-3 * after {
            let middle = 0.5 * (before + after);
            if above(middle) { before = middle } else { after = middle }
        }
        after
    }
}

/// The later half of a run, or its last [`POINTS`] rounds, as (round, best ln error so far).
fn recent(run: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut best = f64::INFINITY;
    let mut points: Vec<(f64, f64)> = Vec::with_capacity(run.len());
    for &(round, error) in run {
        best = best.min(error);
        points.push((round, best));
    }
    let later = points.split_off(points.len() - (points.len() / 2).max(POINTS).min(points.len()));
    let stride = later.len().div_ceil(POINTS);
    let mut thinned: Vec<_> = later.into_iter().rev().step_by(stride).collect();
    thinned.reverse();
    thinned
}
