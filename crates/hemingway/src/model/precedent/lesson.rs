//! One earlier problem, in brief.

use serde::{Deserialize, Serialize};

use super::expectation::basis;
use super::{TERMS, Traits};
use crate::model::linalg::{dot, solve_definite};

/// The four numbers as long as few levels say otherwise, and how firmly.
const PULL: [(f64, f64); TERMS] = [(3.0, 0.01), (0.4, 1.0), (0.4, 1.0), (0.0, 10.0)];
/// Levels outside are not what anybody waits for.
const LEVELS: (f64, f64) = (1.0, 14.0);
/// What is reached in the first round says only that it took no more.
const FIRST: f64 = 2.0;

/// What became of one problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lesson {
    /// What it looked like.
    pub traits: Traits,
    /// Its runs.
    pub curves: Vec<Crossings>,
}

/// When a run of one algorithm on m machines passed which level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Crossings {
    /// The algorithm.
    pub algorithm: String,
    /// m.
    pub machines: usize,
    /// (ln 1/ε, rounds).
    pub levels: Vec<(f64, f64)>,
}

impl Crossings {
    /// Of (round, error): the first round at each of some levels of error.
    pub fn of(algorithm: &str, machines: usize, errors: &[(u64, f64)]) -> Self {
        let steps = (0..=48).map(|k| 0.25 * f64::from(k));
        let levels = steps.filter_map(|x| {
            let first = errors.iter().find(|(_, error)| -error.ln() >= x)?;
            Some((x, first.0 as f64))
        });
        Self { algorithm: algorithm.into(), machines, levels: levels.collect() }
    }
}

impl Lesson {
    pub(super) fn algorithms(&self) -> impl Iterator<Item = String> + '_ {
        self.curves.iter().map(|curve| curve.algorithm.clone())
    }

    fn points(&self, name: &str) -> Vec<([f64; TERMS], f64)> {
        let own = self.curves.iter().filter(|curve| curve.algorithm == name);
        let all = own.flat_map(|curve| curve.levels.iter().map(move |level| (curve.machines, *level)));
        let told = all.filter(|(_, (x, rounds))| *rounds >= FIRST && (LEVELS.0..LEVELS.1).contains(x));
        told.map(|(machines, (x, rounds))| (basis(machines, x), rounds.ln())).collect()
    }

    /// The four numbers of one algorithm: least squares.
    pub(super) fn numbers(&self, name: &str) -> Option<[f64; TERMS]> {
        let points = self.points(name);
        if points.len() < TERMS {
            return None;
        }
        let mut normal = vec![0.0; TERMS * TERMS];
        let mut right = vec![0.0; TERMS];
        for (a, (mean, firm)) in PULL.iter().enumerate() {
            normal[a * TERMS + a] = *firm;
            right[a] = firm * mean;
        }
        for (basis, y) in &points {
            for a in 0..TERMS {
                right[a] += basis[a] * y;
                for b in 0..TERMS {
                    normal[a * TERMS + b] += basis[a] * basis[b];
                }
            }
        }
        solve_definite(normal, right)?.try_into().ok()
    }

    /// How far its levels are off from the four numbers.
    pub(super) fn misses(&self, name: &str) -> Vec<f64> {
        let Some(numbers) = self.numbers(name) else { return Vec::new() };
        self.points(name).iter().map(|(basis, y)| y - dot(basis, &numbers)).collect()
    }
}
