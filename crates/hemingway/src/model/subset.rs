//! g for all rows from runs on samples of them, and when not to trust it.
//!
//! A sample of n' rows with λ'n' = λn (full gradients: λ' = λ) takes about the rounds that all n rows take: machines
//! see fewer rows, but each weighs as much. What difference remains drifts with ln n, and several sizes show it:
//! ln i_ε(m) on all rows = that on the largest sample + κ·b(m, ε)·ln(n/n'). Its test is the largest sample, foretold by
//! the smaller ones.

mod check;
mod doubt;
mod drift;
mod sample;

use serde::{Deserialize, Serialize};

use super::Method;
use super::estimate::{Estimate, HALF_WIDTH, Reach};
use super::linalg::median;
use crate::record::Trace;
use check::{Test, doubt};
pub use doubt::Doubt;
use drift::{Cell, Drift};
pub(super) use sample::Draw;
use sample::Sample;

/// g of one context for all rows, by its runs on samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SubsetModel {
    /// By ascending size.
    samples: Vec<Sample>,
    drift: Drift,
    /// The drift as all but the largest size show it.
    earlier: Drift,
    /// Smallest and largest m of the samples.
    machines: (usize, usize),
    /// Standard deviation of ln(real / foreseen rounds).
    deviation: f64,
    /// Why none of it is trusted.
    doubt: Option<Doubt>,
}

/// κ: a drift does not go on for ever.
const KEPT: f64 = 0.7;
/// The errors at which samples are compared.
const ERRORS: [f64; 7] = [1e-1, 5e-2, 2e-2, 1e-2, 5e-3, 2e-3, 1e-3];
/// Standard deviation of ln rounds for all rows where the samples agree; calibrated by `eval_subset`.
const LEAST: f64 = 0.16;

impl SubsetModel {
    /// From the traces of one context; `None` if no sample of the rows was seen to make progress. The draws come from
    /// all contexts together, which share their optima.
    pub(super) fn fit(traces: &[&Trace], draws: &[Draw], method: Method) -> Option<Self> {
        let samples: Vec<Sample> = draws.iter().filter_map(|draw| Sample::fit(traces, draw, method)).collect();
        let used = traces.iter().filter(|trace| !trace.is_whole()).map(|trace| trace.machines);
        let machines = (used.clone().min()?, used.clone().max()?);
        let mut places: Vec<usize> = used.collect();
        places.sort_unstable();
        places.dedup();
        let samples: Vec<Sample> = samples.into_iter().filter(|sample| sample.fraction < 1.0).collect();
        samples.last()?;
        let cells = cells(&samples, &places);
        let test = Test::of(&cells);
        let missed = test.missed();
        let drift = Drift::fit(&cells);
        let doubt = doubt(&samples, &cells, &drift, missed, machines);
        let deviation = LEAST.hypot(missed.unwrap_or(0.0));
        Some(Self { samples, drift, earlier: test.drift, machines, deviation, doubt })
    }

    /// Rounds until the relative error is ε on m machines and all rows, or why samples cannot tell.
    pub fn rounds_to(&self, error: f64, machines: usize) -> Result<Reach, Doubt> {
        self.doubt.map_or(Ok(()), Err)?;
        if self.largest().all(|sample| sample.model.rounds_to(error, machines) == Reach::Never) {
            return Ok(Reach::Never);
        }
        self.foresee(error, machines).map(Reach::At).ok_or(Doubt::TooDeep { error })
    }

    /// Relative error after i rounds on m machines and all rows, or why samples cannot tell.
    pub fn error_after(&self, rounds: f64, machines: usize) -> Result<Estimate, Doubt> {
        self.doubt.map_or(Ok(()), Err)?;
        let factor = (HALF_WIDTH * self.deviation).exp();
        let at = |rounds: f64| self.level(rounds, machines);
        let (low, mid, high) = (at(rounds * factor), at(rounds), at(rounds / factor));
        // Further down than the samples went, all that is known is that it is further down.
        let reached = self.foresee(mid, machines).is_some_and(|there| there.mid >= 0.5 * rounds);
        let estimate = Estimate { low, mid, high, extrapolated: true };
        if reached { Ok(estimate) } else { Err(Doubt::TooDeep { error: mid }) }
    }

    /// What the samples say, trusted or not: `None` where no sample of the largest size was seen to get to ε.
    pub fn foresee(&self, error: f64, machines: usize) -> Option<Estimate> {
        let seen = self.seen(self.largest(), error, machines);
        let mid = onward(&seen, &self.drift, error, machines)?;
        let seen = seen.iter().map(|(_, estimate)| estimate);
        let widths = seen.map(|estimate| (estimate.high / estimate.low.max(1e-9)).ln() / (2.0 * HALF_WIDTH));
        let deviation = self.deviation.hypot(median(widths.collect()).filter(|width| width.is_finite()).unwrap_or(0.0));
        let estimate = Estimate::log_normal(mid, deviation, true);
        Some(Estimate { mid: estimate.mid.ceil(), high: estimate.high.ceil(), ..estimate })
    }

    /// The rounds that all but the largest samples would have foreseen: a choice should not hang on the difference.
    pub(crate) fn foretold(&self, error: f64, machines: usize) -> Option<f64> {
        let largest = self.largest().next()?.fraction;
        let share = self.samples.iter().map(|sample| sample.fraction).filter(|share| *share < largest);
        let share = share.fold(0.0, f64::max);
        let before = self.samples.iter().filter(|sample| sample.fraction == share);
        onward(&self.seen(before, error, machines), &self.earlier, error, machines)
    }

    /// The rounds that the largest samples were run for without getting to ε, or those that it is foreseen to take.
    pub(crate) fn at_least(&self, error: f64, machines: usize) -> f64 {
        let longest = || self.largest().map(|sample| sample.longest).max().unwrap_or(0) as f64;
        self.foresee(error, machines).map_or_else(longest, |rounds| rounds.mid)
    }

    /// Why nothing of it is trusted, if so.
    pub fn doubt(&self) -> Option<Doubt> {
        self.doubt
    }

    /// Shares of the rows it rests on, ascending.
    pub fn fractions(&self) -> Vec<f64> {
        let mut fractions: Vec<f64> = self.samples.iter().map(|sample| sample.fraction).collect();
        fractions.dedup();
        fractions
    }

    /// (fraction, rounds) of those samples that were run down to ε; on other numbers of machines than theirs by g's law.
    fn seen<'a>(&self, samples: impl Iterator<Item = &'a Sample>, error: f64, machines: usize) -> Vec<(f64, Estimate)> {
        let within = machines.clamp(self.machines.0, self.machines.1);
        let seen = |sample: &Sample| {
            let deep = sample.model.rounds_to(error, within).estimate()?.extrapolated;
            let rounds = if deep { None } else { sample.model.rounds_to(error, machines).estimate() };
            Some((sample.fraction, rounds?))
        };
        samples.filter_map(seen).collect()
    }

    fn largest(&self) -> impl Iterator<Item = &Sample> {
        let share = self.samples[self.samples.len() - 1].fraction;
        self.samples.iter().filter(move |sample| sample.fraction == share)
    }

    /// The error that takes so many rounds, by bisection: rounds grow as errors fall.
    fn level(&self, rounds: f64, machines: usize) -> f64 {
        let (mut deep, mut high) = (1e-9f64.ln(), 1e3f64.ln());
        for _ in 0..40 {
            let middle = 0.5 * (deep + high);
            let there = self.foresee(middle.exp(), machines).is_some_and(|there| there.mid <= rounds);
            if there { high = middle } else { deep = middle }
        }
        high.exp()
    }
}

/// Every level and m that all samples reached.
fn cells(samples: &[Sample], places: &[usize]) -> Vec<Cell> {
    let cell = |machines: usize, error: f64| {
        let seen = |sample: &Sample| Some((sample.fraction.ln(), sample.ln_rounds(error, machines)?));
        Some(Cell { machines, error, seen: samples.iter().map(seen).collect::<Option<_>>()? })
    };
    places.iter().flat_map(|&machines| ERRORS.iter().filter_map(move |&error| cell(machines, error))).collect()
}

/// Rounds on all rows from those on samples of one size.
fn onward(seen: &[(f64, Estimate)], drift: &Drift, error: f64, machines: usize) -> Option<f64> {
    let from = median(seen.iter().map(|(_, rounds)| rounds.mid.max(1.0).ln()).collect())?;
    let distance = -seen.first()?.0.ln();
    Some((from + KEPT * drift.slope(machines, error) * distance).exp())
}

#[cfg(test)]
mod tests;
