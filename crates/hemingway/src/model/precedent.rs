//! What earlier problems foretell of a new one before it has run, and while it is young.
//!
//! The rounds an algorithm takes to an error ε on m machines are, for each problem, close to
//!
//! ln i(X, m) = θ₀ + θ₁ ln m + θ₂ Z + θ₃ ln m Z,  Z = (X̄ + 1) ln((X + 1)/(X̄ + 1)),  X = ln (P(0) − P*)/(P − P*):
//!
//! rounds grow like a power of X, the part of the way that is behind, which is 1 where convergence is linear; around X̄, Z
//! is X − X̄. An error ε is at X = ln 1/ε + ln (P(0) − P*)/P*, whose second part, the way to an error of 1, is foretold too.
//! Four numbers an algorithm: how hard the problem is for it, how that grows with m, and how both grow with what is asked.
//! Earlier problems tell what they are likely to be for a problem that looks like this one ([`Traits`]), and how those of
//! one algorithm go with those of another: a joint normal distribution ([`Expectation`]), which every level that a run
//! passes narrows.

mod expectation;
mod lesson;
mod traits;

use serde::{Deserialize, Serialize};

use super::linalg::{Cholesky, dot, solve_definite};
use super::normal::Normal;
pub use expectation::{Expectation, Level};
pub(crate) use expectation::{stage, stage_slope};
pub use lesson::{Crossings, Lesson};
pub use traits::Traits;

/// Numbers an algorithm.
const TERMS: usize = 4;
/// X̄: where the four numbers are least entangled.
const MIDDLE: f64 = 8.0;
/// What is thought of an algorithm that no lesson is about, and how surely.
const UNKNOWN: [(f64, f64); TERMS] = [(3.5, 1.2), (0.3, 0.3), (0.18, 0.1), (0.0, 0.03)];
/// The same of one whose steps shrink: its error falls like a power of its rounds, not exponentially.
const UNKNOWN_SLOW: [(f64, f64); TERMS] = [(3.5, 1.2), (0.3, 0.3), (0.8, 0.25), (0.0, 0.03)];
/// How far off one with settings is from what it is without, where lessons are about that only.
const TUNED: [f64; TERMS] = [0.7, 0.2, 0.05, 0.01];
/// Nobody is surer than this of a problem not yet seen.
const LEAST_DEVIATION: [f64; TERMS] = [0.3, 0.1, 0.03, 0.01];
/// The way to an error of 1 where no lesson tells of it, and how surely.
const UNKNOWN_START: (f64, f64) = (1.0, 2.5);
/// Nobody is surer than this of what a round takes where rounds are not alike.
const LEAST_PASSES_OFF: f64 = 0.3;
/// What few lessons say of how numbers go together is only partly believed; with λ₁ less, where lessons are fewer and one
/// algorithm may take a tenth of another's rounds or as many.
const TOGETHER: f64 = 0.8;
const TOGETHER_L1: f64 = 0.4;
/// How strongly the weights of traits are held at 0, in lessons.
const RIDGE: f64 = 10.0;
/// Standard deviation of a level's ln rounds around the four numbers, where nothing is known of it.
const NOISE: f64 = 0.25;

/// What is known of an algorithm that lessons may not be about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kin {
    /// The one that it is without its settings.
    pub family: String,
    /// Its steps shrink.
    pub slow: bool,
}

/// What all lessons together teach.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Precedents {
    /// The algorithms taught.
    algorithms: Vec<String>,
    /// The weights of the traits, for every number of every algorithm.
    weights: Vec<Vec<f64>>,
    /// How the numbers of one problem are off from that, row by row.
    covariance: Vec<f64>,
    /// Standard deviation of a level's ln rounds around its algorithm's numbers.
    noise: Vec<f64>,
    /// The weights of the traits for the way to an error of 1; none if no lesson tells of it.
    #[serde(default)]
    start: Vec<f64>,
    /// Standard deviation from that.
    #[serde(default)]
    start_off: f64,
    /// What a round of algorithms takes whose rounds are not alike.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    passes: Vec<Passes>,
}

/// The passes over all entries in a round of one algorithm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Passes {
    algorithm: String,
    /// The weights of the traits, for their ln.
    weights: Vec<f64>,
    /// Standard deviation from that.
    off: f64,
}

impl Precedents {
    /// What the program comes with: `bench/src/bin/regret.rs` has learned it.
    pub fn shipped() -> Self {
        serde_json::from_str(include_str!("precedent/shipped.json")).unwrap_or_else(|_| Self::none())
    }

    /// The same for problems with λ₁.
    pub fn shipped_for_l1() -> Self {
        serde_json::from_str(include_str!("precedent/shipped_l1.json")).unwrap_or_else(|_| Self::none())
    }

    /// Nothing.
    pub fn none() -> Self {
        let (weights, covariance) = (Vec::new(), Vec::new());
        Self {
            algorithms: Vec::new(),
            weights,
            covariance,
            noise: Vec::new(),
            start: Vec::new(),
            start_off: 0.0,
            passes: Vec::new(),
        }
    }

    /// ln of the passes of a round of an algorithm whose rounds are not alike: mean and standard deviation.
    pub fn ln_passes(&self, traits: &Traits, algorithm: &str) -> Option<(f64, f64)> {
        let own = self.passes.iter().find(|passes| passes.algorithm == algorithm)?;
        Some((dot(&own.weights, &traits.features()), own.off))
    }

    /// Whether any lesson was about this algorithm.
    pub fn know(&self, algorithm: &str) -> bool {
        self.algorithms.iter().any(|known| known == algorithm)
    }

    /// Learns from earlier problems.
    pub fn learn(lessons: &[Lesson]) -> Self {
        let mut algorithms: Vec<String> = lessons.iter().flat_map(Lesson::algorithms).collect();
        algorithms.sort();
        algorithms.dedup();
        let numbers: Vec<Vec<Option<[f64; TERMS]>>> =
            algorithms.iter().map(|name| lessons.iter().map(|lesson| lesson.numbers(name)).collect()).collect();
        let features: Vec<Vec<f64>> = lessons.iter().map(|lesson| lesson.traits.features()).collect();
        let mut weights = Vec::new();
        let mut off: Vec<Vec<Option<f64>>> = Vec::new();
        for own in &numbers {
            for term in 0..TERMS {
                let seen: Vec<Option<f64>> = own.iter().map(|numbers| numbers.map(|numbers| numbers[term])).collect();
                let (weight, residuals) = regress(&features, &seen);
                weights.push(weight);
                off.push(residuals);
            }
        }
        let noise = algorithms.iter().map(|name| noise(lessons, name)).collect();
        let (start, misses) = regress(&features, &lessons.iter().map(|lesson| Some(lesson.start)).collect::<Vec<_>>());
        let start_off = root_mean_square(misses.into_iter().flatten()).unwrap_or(UNKNOWN_START.1);
        let passes = algorithms.iter().filter_map(|name| Passes::learn(name, lessons, &features)).collect();
        let with_l1 = lessons.iter().any(|lesson| lesson.traits.l1_share > 0.0);
        let together = if with_l1 { TOGETHER_L1 } else { TOGETHER };
        Self { covariance: covariance(&off, together), algorithms, weights, noise, start, start_off, passes }
    }

    /// What they foretell of a problem for these algorithms.
    pub fn expect(&self, traits: &Traits, algorithms: &[String]) -> Expectation {
        self.expect_of_kin(traits, algorithms, |name| Kin { family: name.into(), slow: false })
    }

    /// The same where more is known of algorithms than their names.
    pub fn expect_of_kin(&self, traits: &Traits, algorithms: &[String], kin: impl Fn(&str) -> Kin) -> Expectation {
        let kin: Vec<Kin> = algorithms.iter().map(|name| kin(name)).collect();
        let features = traits.features();
        let place = |name: &str| self.algorithms.iter().position(|known| known == name);
        let places: Vec<Option<usize>> =
            algorithms.iter().zip(&kin).map(|(name, kin)| place(name).or_else(|| place(&kin.family))).collect();
        let tuned: Vec<bool> = algorithms.iter().map(|name| place(name).is_none()).collect();
        let at = |k: usize| places[k / TERMS].map(|place| place * TERMS + k % TERMS);
        let size = algorithms.len() * TERMS;
        let unknown: Vec<_> = kin.iter().map(|kin| if kin.slow { UNKNOWN_SLOW } else { UNKNOWN }).collect();
        let mean =
            |k: usize| at(k).map_or(unknown[k / TERMS][k % TERMS].0, |place| dot(&self.weights[place], &features));
        let stride = self.weights.len();
        let covariance = |k: usize| {
            let (row, column) = (k / size, k % size);
            match (at(row), at(column)) {
                (Some(a), Some(b)) if row == column && tuned[row / TERMS] => {
                    self.covariance[a * stride + b] + TUNED[row % TERMS].powi(2)
                }
                (Some(a), Some(b)) => self.covariance[a * stride + b],
                _ if row == column => unknown[row / TERMS][row % TERMS].1.powi(2),
                _ => 0.0,
            }
        };
        let mean = (0..size).map(mean).collect();
        let covariance = (0..size * size).map(covariance).collect();
        Expectation {
            algorithms: algorithms.to_vec(),
            numbers: Normal { mean, covariance },
            noise: places.iter().map(|place| place.map_or(NOISE, |place| self.noise[place])).collect(),
            start: if self.start.is_empty() { UNKNOWN_START } else { (dot(&self.start, &features), self.start_off) },
        }
    }
}

impl Passes {
    /// From those lessons that tell of them; none if none does.
    fn learn(algorithm: &str, lessons: &[Lesson], features: &[Vec<f64>]) -> Option<Self> {
        let seen: Vec<Option<f64>> = lessons.iter().map(|lesson| lesson.ln_passes(algorithm)).collect();
        let (weights, misses) = regress(features, &seen);
        let off = root_mean_square(misses.into_iter().flatten())?;
        Some(Self { algorithm: algorithm.into(), weights, off: off.max(LEAST_PASSES_OFF) })
    }
}

/// Ridge regression of one number on the traits; and by how much each lesson is off from what the others say.
fn regress(features: &[Vec<f64>], seen: &[Option<f64>]) -> (Vec<f64>, Vec<Option<f64>>) {
    let width = features.first().map_or(0, Vec::len);
    let rows: Vec<(&Vec<f64>, f64)> = features.iter().zip(seen).filter_map(|(f, y)| Some((f, (*y)?))).collect();
    let mut normal = vec![0.0; width * width];
    let mut right = vec![0.0; width];
    for (row, y) in &rows {
        for a in 0..width {
            right[a] += row[a] * y;
            for b in 0..width {
                normal[a * width + b] += row[a] * row[b];
            }
        }
    }
    for a in 0..width {
        // The first feature is 1: the level of all is not held back.
        normal[a * width + a] += if a == 0 { 1e-3 } else { RIDGE };
    }
    let weights = solve_definite(normal.clone(), right).unwrap_or_else(|| vec![0.0; width]);
    let residual = |f: &Vec<f64>, y: f64| {
        let leverage = solve_definite(normal.clone(), f.clone()).map_or(0.0, |solved| dot(&solved, f));
        (y - dot(&weights, f)) / (1.0 - leverage).max(0.2)
    };
    let residuals = features.iter().zip(seen).map(|(f, y)| y.map(|y| residual(f, y))).collect();
    (weights, residuals)
}

/// Of every pair of numbers, over the lessons that have both, believed so far.
fn covariance(off: &[Vec<Option<f64>>], together: f64) -> Vec<f64> {
    let size = off.len();
    let moment = |a: usize, b: usize| {
        let pairs: Vec<f64> = off[a].iter().zip(&off[b]).filter_map(|(x, y)| Some((*x)? * (*y)?)).collect();
        if pairs.is_empty() { 0.0 } else { pairs.iter().sum::<f64>() / pairs.len() as f64 }
    };
    let entry = |k: usize| {
        let (a, b) = (k / size, k % size);
        let least = LEAST_DEVIATION[a % TERMS];
        if a == b { moment(a, a).max(least * least) } else { together * moment(a, b) }
    };
    let mut covariance: Vec<f64> = (0..size * size).map(entry).collect();
    // Pairs from different lessons need not fit together: weaken what is shared until they do.
    while Cholesky::of(covariance.clone(), size).is_none() {
        for k in (0..size * size).filter(|k| k / size != k % size) {
            covariance[k] *= 0.9;
        }
    }
    covariance
}

fn noise(lessons: &[Lesson], name: &str) -> f64 {
    let misses = lessons.iter().flat_map(|lesson| lesson.misses(name));
    root_mean_square(misses).map_or(NOISE, |noise| noise.max(0.05))
}

fn root_mean_square(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0.0, 0.0), |(count, sum), value| (count + 1.0, sum + value * value));
    (count > 0.0).then(|| (sum / count).sqrt())
}

#[cfg(test)]
mod tests;
