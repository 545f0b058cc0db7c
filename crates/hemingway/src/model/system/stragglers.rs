//! How far single rounds stray from f.
//!
//! ln T = ln f(m) + s(m)·z. The shape z is what all m have in common, kept as it was measured, since rounds may come in
//! several kinds; s(m) is its width. A round ends with the slowest of m machines: where each strays on its own, the
//! slowest of many strays less from its own mean, as a power of 1 + √(2 ln m), and where exchanging takes over, as a
//! power of m; or the whole cluster slows down at once, and m does not matter. Which of the three is decided by what
//! foretells the width at an m left out.

use serde::{Deserialize, Serialize};

use super::super::estimate::Estimate;
use super::super::linalg::{least_squares, median};
use super::observation::steady_mean;
use crate::record::Trace;

/// Fewest rounds of a trace whose mean can be told from its rounds.
const FEWEST_OF_A_RUN: usize = 5;
/// Fewest rounds in all that say anything of the slowest tenth.
const FEWEST: usize = 20;
/// Parts the shape is kept in: one for each hundredth of the rounds.
const STEPS: usize = 100;
/// Fewest m that can show how the width depends on m.
const FEWEST_M: usize = 4;
/// Another law than a constant has to be this much better.
const PREFERENCE: f64 = 0.8;
/// Standard deviation of ln s where nothing could be left out.
const UNTESTED: f64 = 0.3;
/// Widths below this are none.
const NONE: f64 = 1e-6;
/// From the tenth to the ninetieth hundredth of a normal distribution, in standard deviations.
const NORMAL_WIDTH: f64 = 2.5631;

/// The shape and width of what rounds stray by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Stragglers {
    /// z at equal steps of the share, from the fastest round to the slowest.
    shape: Vec<f64>,
    law: Law,
    /// (m, ln s) where measured.
    seen: Vec<(usize, f64)>,
    /// Standard deviation of ln s away from there.
    deviation: f64,
}

/// ln s = a + b·x(m).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Law {
    growth: Growth,
    a: f64,
    b: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Growth {
    Constant,
    Extremes,
    Power,
}

impl Growth {
    fn x(self, machines: usize) -> f64 {
        let log = (machines.max(1) as f64).ln();
        match self {
            Self::Constant => 0.0,
            Self::Extremes => (1.0 + (2.0 * log).sqrt()).ln(),
            Self::Power => log,
        }
    }
}

impl Law {
    fn fit(growth: Growth, widths: &[(usize, f64)]) -> Self {
        let ones = vec![1.0; widths.len()];
        let x: Vec<f64> = widths.iter().map(|(m, _)| growth.x(*m)).collect();
        let logs: Vec<f64> = widths.iter().map(|(_, log)| *log).collect();
        let by = least_squares(&[&ones, &x], &logs);
        Self { growth, a: by[0], b: by[1] }
    }

    fn log_width(&self, machines: usize) -> f64 {
        self.a + self.b * self.growth.x(machines)
    }

    /// Root mean square of what it misses at each m left out in turn.
    fn missed(growth: Growth, widths: &[(usize, f64)]) -> f64 {
        let miss = |place: usize| {
            let others: Vec<(usize, f64)> =
                widths.iter().enumerate().filter(|(other, _)| *other != place).map(|(_, width)| *width).collect();
            (widths[place].1 - Self::fit(growth, &others).log_width(widths[place].0)).powi(2)
        };
        ((0..widths.len()).map(miss).sum::<f64>() / widths.len() as f64).sqrt()
    }

    /// The law that foretells best, and by how much it misses.
    fn choose(widths: &[(usize, f64)]) -> (Self, f64) {
        if widths.len() < FEWEST_M {
            let law = Self { growth: Growth::Constant, a: middle(widths), b: 0.0 };
            return (law, UNTESTED);
        }
        let tried = |growth, handicap: f64| (growth, Self::missed(growth, widths), handicap);
        let all = [tried(Growth::Constant, PREFERENCE), tried(Growth::Extremes, 1.0), tried(Growth::Power, 1.0)];
        let score = |tried: &(Growth, f64, f64)| tried.1 * tried.2;
        let best = all.into_iter().reduce(|best, next| if score(&next) < score(&best) { next } else { best });
        best.map_or((Self::fit(Growth::Constant, widths), UNTESTED), |(growth, missed, _)| {
            (Self::fit(growth, widths), missed)
        })
    }
}

fn middle(widths: &[(usize, f64)]) -> f64 {
    median(widths.iter().map(|(_, log)| *log).collect()).unwrap_or(NONE.ln())
}

impl Stragglers {
    /// From rounds that were timed one by one; `None` if too few were.
    pub(super) fn fit(traces: &[&Trace]) -> Option<Self> {
        let mut by_machines: Vec<(usize, Vec<f64>)> = Vec::new();
        for trace in traces {
            let strays = strays(trace);
            match by_machines.iter_mut().find(|(m, _)| *m == trace.machines) {
                Some((_, all)) => all.extend(strays),
                None => by_machines.push((trace.machines, strays)),
            }
        }
        by_machines.retain(|(_, strays)| strays.len() >= FEWEST);
        by_machines.sort_by_key(|(m, _)| *m);
        let widths: Vec<(usize, f64)> = by_machines.iter().map(|(m, strays)| (*m, log_width(strays))).collect();
        let scaled = by_machines.iter().zip(&widths).flat_map(|((_, strays), (_, log))| {
            let width = log.exp();
            strays.iter().map(move |stray| stray / width)
        });
        let mut scaled: Vec<f64> = scaled.collect();
        if scaled.is_empty() {
            return None;
        }
        scaled.sort_by(f64::total_cmp);
        let shape = (0..=STEPS).map(|step| quantile(&scaled, step as f64 / STEPS as f64)).collect();
        let (law, deviation) = Law::choose(&widths);
        let seen = by_machines.iter().zip(&widths);
        let seen = seen.map(|((m, strays), (_, log))| (*m, trusted(&law, *m, *log, deviation, strays.len()))).collect();
        Some(Self { shape, law, seen, deviation })
    }

    /// By what factor of f this share of the rounds is not slower.
    pub(super) fn factor(&self, machines: usize, share: f64) -> Estimate {
        let z = quantile(&self.shape, share.clamp(0.0, 1.0));
        let seen = self.seen.iter().find(|(m, _)| *m == machines);
        let width = seen.map_or_else(|| self.law.log_width(machines), |(_, log)| *log).exp();
        let apart = |m: &usize| (machines as f64 / *m as f64).ln().abs();
        let distance = self.seen.iter().map(|(m, _)| apart(m)).fold(f64::MAX, f64::min);
        let outside = self.seen.iter().all(|(m, _)| *m < machines) || self.seen.iter().all(|(m, _)| *m > machines);
        let deviation = if seen.is_some() { 0.1 } else { self.deviation * (1.0 + distance) };
        Estimate::log_normal((width * z).exp(), (width * z).abs() * deviation, outside)
    }
}

/// ln(seconds / the run's mean) of each round. The mean is what f foretells, whatever kinds of rounds there are.
fn strays(trace: &Trace) -> Vec<f64> {
    let rounds = trace.single_round_seconds();
    let mean = steady_mean(rounds.clone()).filter(|_| rounds.len() >= FEWEST_OF_A_RUN);
    mean.map_or_else(Vec::new, |mean| rounds.iter().map(|seconds| (seconds / mean).ln()).collect())
}

/// ln s: the standard deviation that a normal distribution of this width would have.
fn log_width(strays: &[f64]) -> f64 {
    let mut sorted = strays.to_vec();
    sorted.sort_by(f64::total_cmp);
    ((quantile(&sorted, 0.9) - quantile(&sorted, 0.1)) / NORMAL_WIDTH).max(NONE).ln()
}

/// The law and the measurement together, each by what it is worth: n rounds tell ln s to about 1/√n.
fn trusted(law: &Law, machines: usize, measured: f64, missed: f64, rounds: usize) -> f64 {
    let (misfit, noise) = (missed * missed, 1.0 / rounds as f64);
    let smooth = law.log_width(machines);
    smooth + (measured - smooth) * misfit / (misfit + noise)
}

/// Of sorted values, linear between neighbours.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    sorted[below] + (sorted[above] - sorted[below]) * place.fract()
}

#[cfg(test)]
mod tests;
