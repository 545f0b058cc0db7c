//! One earlier problem, in brief.

use serde::{Deserialize, Serialize};

use super::expectation::basis;
use super::{TERMS, Traits};
use crate::model::linalg::{dot, solve_definite};

/// The four numbers as long as few levels say otherwise, and how firmly.
const PULL: [(f64, f64); TERMS] = [(3.0, 0.01), (0.4, 1.0), (0.18, 100.0), (0.0, 10.0)];
/// Levels outside are not what anybody waits for.
const LEVELS: (f64, f64) = (1.0, 25.0);
/// What is reached in the first round says only that it took no more.
const FIRST: f64 = 2.0;

/// What became of one problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lesson {
    /// What it looked like.
    pub traits: Traits,
    /// X of an error of 1: ln of the error that runs begin with.
    pub start: f64,
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
    /// (X, rounds).
    pub levels: Vec<(f64, f64)>,
    /// Passes over all entries that a round took on average, where rounds are not alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes: Option<f64>,
}

impl Crossings {
    /// Of (round, error), the start first: the first round at each of some levels.
    pub fn of(algorithm: &str, machines: usize, errors: &[(u64, f64)]) -> Self {
        let start = errors.first().map_or(1.0, |start| start.1);
        let steps = (0..=100).map(|k| 0.25 * f64::from(k));
        let levels = steps.filter_map(|x| {
            let first = errors.iter().find(|(_, error)| (start / error).ln() >= x)?;
            Some((x, first.0 as f64))
        });
        Self { algorithm: algorithm.into(), machines, levels: levels.collect(), passes: None }
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

    /// ln of the passes of a round of one algorithm, on the fewest machines it ran on.
    pub(super) fn ln_passes(&self, name: &str) -> Option<f64> {
        let own = self.curves.iter().filter(|curve| curve.algorithm == name);
        own.min_by_key(|curve| curve.machines)?.passes.map(|passes| passes.max(1e-3).ln())
    }

    /// How far its levels are off from the four numbers.
    pub(super) fn misses(&self, name: &str) -> Vec<f64> {
        let Some(numbers) = self.numbers(name) else { return Vec::new() };
        self.points(name).iter().map(|(basis, y)| y - dot(basis, &numbers)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRUTH: [f64; TERMS] = [4.5, 0.5, 0.18, 0.012];

    /// Runs of `a` that follow the truth, all levels times `off`.
    fn lesson(machines: &[usize], off: f64) -> Lesson {
        let rounds = |machines, x| off * dot(&basis(machines, x), &TRUTH).exp();
        let levels = |machines| (2..26).map(|k| 0.5 * f64::from(k)).map(|x| (x, rounds(machines, x))).collect();
        let run = |machines: &usize| Crossings {
            algorithm: "a".into(),
            machines: *machines,
            levels: levels(*machines),
            passes: None,
        };
        Lesson { traits: Traits::LEAST, start: 0.0, curves: machines.iter().map(run).collect() }
    }

    #[test]
    fn the_numbers_of_runs_that_follow_them_are_found() {
        let lesson = lesson(&[1, 4, 16, 64], 1.0);
        let numbers = lesson.numbers("a").unwrap();
        for (found, truth) in numbers.into_iter().zip(TRUTH) {
            assert!((found - truth).abs() < 0.02, "{numbers:?}");
        }
        assert!(lesson.misses("a").iter().all(|miss| miss.abs() < 0.05), "{:?}", lesson.misses("a"));
    }

    #[test]
    fn runs_on_one_m_say_nothing_of_its_power() {
        let [_, power, ..] = lesson(&[1], 1.0).numbers("a").unwrap();
        assert!((power - PULL[1].0).abs() < 1e-9, "{power}");
    }

    #[test]
    fn nothing_is_told_by_few_levels_or_by_first_rounds() {
        let mut few = lesson(&[4], 1.0);
        few.curves[0].levels.truncate(TERMS - 1);
        let at_once = lesson(&[1, 4, 16], 1e-9);
        for lesson in [few, at_once] {
            assert_eq!(lesson.numbers("a"), None);
            assert!(lesson.misses("a").is_empty());
        }
        assert_eq!(lesson(&[4], 1.0).numbers("b"), None);
    }

    #[test]
    fn a_level_is_passed_when_first_reached() {
        let errors = [(0, 20.0), (1, 10.0), (2, 1.0), (3, 4.0), (4, 1.0), (9, f64::NAN)];
        let crossings = Crossings::of("a", 4, &errors);
        let at = |x: f64| crossings.levels.iter().find(|level| level.0 == x).map(|level| level.1);
        // ln 20/10 = 0.69…, ln 20/1 = 2.99….
        let reached = [Some(0.0), Some(1.0), Some(2.0), Some(2.0), None];
        assert_eq!([0.0, 0.5, 0.75, 2.75, 3.0].map(at), reached);
    }
}
