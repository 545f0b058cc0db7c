//! g(i, m): how far the objective is after i rounds on m machines, and how far the proof of it.

use serde::{Deserialize, Serialize};

use super::estimate::{Estimate, Reach};
use super::lasso_curve::LassoCurve;
use super::levels::LevelSets;
use super::prior::Growth;
use super::{Bracket, Method};
use crate::record::{Point, Trace};

/// g of one context, in error relative to the estimated optimum or in the error that is proved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConvergenceModel {
    form: Form,
    /// By how much the error of a given objective may be off, downwards and upwards, because P* is only estimated.
    unsure: (f64, f64),
    /// Smallest and largest m seen.
    machines: (usize, usize),
    /// The most rounds any trace ran.
    longest: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Form {
    Levels(LevelSets),
    Lasso(LassoCurve),
}

/// The runs of one m: (round, ln error) each, and the rounds they went on for.
pub(super) struct Curves {
    pub(super) machines: usize,
    pub(super) runs: Vec<Vec<(f64, f64)>>,
    pub(super) last: f64,
}

/// Nobody waits longer than this many rounds, or [`PATIENCE`] times the longest run seen.
const HORIZON: f64 = 1e6;
const PATIENCE: f64 = 50.0;
/// A proof that leaves more than this open says nothing yet.
const OPEN: f64 = 10.0;

impl ConvergenceModel {
    /// Fits the traces of one context; `None` if none of them starts from scratch and moves.
    pub fn fit(traces: &[&Trace], bracket: &Bracket, method: Method) -> Option<Self> {
        let curves = curves(traces, |trace| errors(trace, bracket));
        Self::of(&curves, bracket.error(bracket.start)?.ln(), bracket.uncertainty(), method)
    }

    /// Fits what each trace proves by itself, ê = (P − L)/L with the best P and L so far; `None` without bounds. A proof
    /// needs no estimate of P*, and comes later than the error it proves by a factor that differs with algorithm and m.
    pub fn certified(traces: &[&Trace], method: Method) -> Option<Self> {
        Self::of(&curves(traces, proofs), OPEN.ln(), (0.0, 0.0), method)
    }

    fn of(curves: &[Curves], start: f64, unsure: (f64, f64), method: Method) -> Option<Self> {
        let form = match method {
            Method::Lasso => Form::Lasso(LassoCurve::fit(curves)?),
            Method::Ours | Method::Ernest => Form::Levels(LevelSets::fit(curves, start, unsure.1)?),
        };
        let machines = (curves.first()?.machines, curves.last()?.machines);
        let longest = curves.iter().map(|curves| curves.last).fold(0.0, f64::max) as u64;
        Some(Self { form, unsure, machines, longest })
    }

    /// The power of m that the rounds grow by; `None` where a single m, or another method, does not tell.
    pub fn growth(&self) -> Option<f64> {
        match &self.form {
            Form::Levels(levels) => levels.growth,
            Form::Lasso(_) => None,
        }
    }

    /// The same model, told how rounds grow with m on earlier problems.
    pub(super) fn heeding(mut self, prior: Option<Growth>) -> Self {
        if let Form::Levels(levels) = &mut self.form {
            levels.prior = prior;
        }
        self
    }

    /// Relative error after i rounds on m machines.
    pub fn error_after(&self, rounds: f64, machines: usize) -> Estimate {
        let mut estimate = match &self.form {
            Form::Levels(levels) => levels.error_after(rounds, machines),
            Form::Lasso(curve) => curve.error_after(rounds, machines),
        };
        // The best seen bounds P* from above, the limit from below; both move the error of the same objective.
        let (over, under) = self.unsure;
        estimate.low = (estimate.low - over).max(0.0);
        estimate.high += under;
        estimate.extrapolated |= self.beyond(machines) || rounds > self.longest as f64;
        estimate
    }

    /// Rounds until the relative error is ε on m machines.
    pub fn rounds_to(&self, error: f64, machines: usize) -> Reach {
        let horizon = HORIZON.max(PATIENCE * self.longest as f64);
        let solve = |error: f64| match &self.form {
            Form::Levels(levels) => levels.rounds_to(error, machines),
            Form::Lasso(curve) => curve.rounds_to(error, machines, horizon),
        };
        let Reach::At(estimate) = solve(error) else { return Reach::Never };
        if estimate.mid > horizon {
            return Reach::Never;
        }
        // Were P* at an end of its interval, ε above it would be another level of the same curve. A tenth of ε is as deep
        // as such a shift is followed, so that a vague P* widens the interval but does not empty it of meaning.
        let (over, under) = self.unsure;
        let easier = solve(error + over * (1.0 + error)).estimate().map_or(estimate.low, |easier| easier.mid);
        let harder = solve((error - under * (1.0 + error)).max(0.1 * error));
        let harder = harder.estimate().map_or(f64::INFINITY, |harder| harder.mid);
        let mut estimate = estimate.including(easier, harder);
        // A level crossed within a round is reached when the round ends.
        (estimate.mid, estimate.high) = (estimate.mid.ceil(), estimate.high.ceil());
        estimate.extrapolated |= self.beyond(machines) || estimate.mid > self.longest as f64;
        Reach::At(estimate)
    }

    fn beyond(&self, machines: usize) -> bool {
        machines < self.machines.0 || machines > self.machines.1
    }
}

/// The fresh traces by m, as (round, ln error); a trace on less data has another optimum and is left out.
fn curves(traces: &[&Trace], errors: impl Fn(&Trace) -> Vec<(f64, f64)>) -> Vec<Curves> {
    let share = traces.iter().map(|trace| trace.fraction).fold(0.0, f64::max);
    let mut traces: Vec<&&Trace> = traces.iter().filter(|trace| trace.fresh && trace.fraction == share).collect();
    traces.sort_by_key(|trace| trace.machines);
    // A round of which nothing is known was not seen to miss a level either.
    let last = |trace: &&&Trace| trace.objectives().last().map_or(0, |(round, _)| round);
    let group = |group: &[&&Trace]| Curves {
        machines: group[0].machines,
        runs: group.iter().map(|trace| errors(trace)).filter(|run| !run.is_empty()).collect(),
        last: group.iter().map(last).max().unwrap_or(0) as f64,
    };
    let groups = traces.chunk_by(|a, b| a.machines == b.machines).map(group);
    groups.filter(|curves| !curves.runs.is_empty()).collect()
}

fn errors(trace: &Trace, bracket: &Bracket) -> Vec<(f64, f64)> {
    let points = trace.objectives().filter(|(round, _)| *round > 0);
    points.filter_map(|(round, value)| Some((round as f64, bracket.error(value)?.ln()))).collect()
}

fn proofs(trace: &Trace) -> Vec<(f64, f64)> {
    let (mut best, mut bound) = (f64::INFINITY, f64::NEG_INFINITY);
    let proof = |point: &Point| {
        best = best.min(point.objective.unwrap_or(best));
        bound = bound.max(point.lower_bound.unwrap_or(bound));
        let proved = (best - bound) / bound;
        let told = point.round > 0 && bound > 0.0 && proved > 0.0 && proved < OPEN;
        told.then(|| (point.round as f64, proved.ln()))
    };
    trace.points.iter().filter_map(proof).collect()
}

#[cfg(test)]
mod tests;
