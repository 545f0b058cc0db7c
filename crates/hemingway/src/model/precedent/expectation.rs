//! What is thought of one problem: a joint normal distribution of every algorithm's four numbers.

use super::{MIDDLE, TERMS};
use crate::model::normal::{Direction, Normal};

/// ln rounds wander around the four numbers by this variance for each unit of theirs between one level and another.
const WANDER: f64 = 0.2;
/// What a level passed earlier tells of later ones is blurred by this variance for each unit of ln rounds since.
const PAST: f64 = 0.3;
/// The least that ln rounds grow by for each unit of Z.
const LEAST_SLOPE: f64 = 0.03;
/// Before X is so much, rounds are too few to count.
const EARLY: f64 = 1.0;

/// The numbers of every algorithm, as far as they are known.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    pub(super) algorithms: Vec<String>,
    pub(super) numbers: Normal,
    /// Standard deviation of a level's ln rounds around its algorithm's numbers.
    pub(super) noise: Vec<f64>,
    /// X of an error of 1 as long as P* is unknown: mean and standard deviation.
    pub(super) start: (f64, f64),
}

/// A level of one algorithm on m machines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level<'a> {
    /// The algorithm.
    pub algorithm: &'a str,
    /// m.
    pub machines: usize,
    /// X.
    pub depth: f64,
}

/// Z of X.
pub(crate) fn stage(depth: f64) -> f64 {
    let middle = MIDDLE + EARLY;
    middle * ((depth.max(0.0) + EARLY) / middle).ln()
}

/// dZ/dX.
pub(crate) fn stage_slope(depth: f64) -> f64 {
    (MIDDLE + EARLY) / (depth.max(0.0) + EARLY)
}

/// X of Z.
fn depth(stage: f64) -> f64 {
    let middle = MIDDLE + EARLY;
    (middle * (stage / middle).exp() - EARLY).max(0.0)
}

/// 1, ln m, Z, ln m Z.
pub(super) fn basis(machines: usize, depth: f64) -> [f64; TERMS] {
    let (m, z) = ((machines.max(1) as f64).ln(), stage(depth));
    [1.0, m, z, m * z]
}

impl Expectation {
    fn place(&self, algorithm: &str) -> Option<usize> {
        self.algorithms.iter().position(|name| name == algorithm)
    }

    /// ln rounds of a level as a sum of numbers.
    pub fn direction(&self, level: Level<'_>) -> Option<Direction> {
        let first = TERMS * self.place(level.algorithm)?;
        Some(basis(level.machines, level.depth).into_iter().enumerate().map(|(k, b)| (first + k, b)).collect())
    }

    /// X of an error of 1 before anything has run: mean and standard deviation.
    pub fn start(&self) -> (f64, f64) {
        self.start
    }

    /// The distribution of the numbers.
    pub fn numbers(&self) -> &Normal {
        &self.numbers
    }

    /// A run was at this level after so many rounds, `ago` in ln rounds before its last. Returns how likely that was.
    pub fn see(&mut self, level: Level<'_>, rounds: f64, ago: f64, blur: f64) -> f64 {
        let Some(direction) = self.direction(level) else { return 0.0 };
        // Rounds are whole: a level is passed somewhere within one.
        let whole = (0.3 / rounds.max(1.0)).powi(2);
        self.numbers.see(&direction, rounds.max(0.5).ln(), 0.0025 + whole + PAST * ago + blur)
    }

    /// The mean of ln rounds at a level.
    pub fn ln_rounds(&self, level: Level<'_>) -> Option<f64> {
        Some(self.numbers.mean_of(&self.direction(level)?))
    }

    /// By how much the mean of ln rounds grows for each unit of Z.
    pub fn slope(&self, algorithm: &str, machines: usize) -> Option<f64> {
        let at = |z: f64| self.ln_rounds(Level { algorithm, machines, depth: depth(z) });
        Some((at(1.0)? - at(0.0)?).max(LEAST_SLOPE))
    }

    /// X that is likely reached when ln rounds are so many; and by how much it grows with them.
    pub fn depth_after(&self, algorithm: &str, machines: usize, ln_rounds: f64) -> Option<(f64, f64)> {
        let slope = self.slope(algorithm, machines)?;
        let middle = self.ln_rounds(Level { algorithm, machines, depth: MIDDLE })?;
        let reached = depth((ln_rounds - middle) / slope);
        Some((reached, 1.0 / (stage_slope(reached) * slope)))
    }

    /// Variance of ln rounds around the numbers at a level, so far in ln rounds from the nearest level of the same run;
    /// what it is on the whole where there is no such run.
    pub fn wander(&self, algorithm: &str, ahead: Option<f64>) -> f64 {
        let noise = self.place(algorithm).map_or(0.0, |place| self.noise[place].powi(2));
        ahead.map_or(noise, |ahead| WANDER * ahead.max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Precedents, Traits};

    const SEEN: Level<'_> = Level { algorithm: "a", machines: 4, depth: 3.0 };

    fn expectation() -> Expectation {
        Precedents::none().expect(&Traits::LEAST, &["a".into()])
    }

    /// Variance of ln rounds at the level seen, once it was.
    fn left(rounds: f64, ago: f64, blur: f64) -> f64 {
        let mut expectation = expectation();
        expectation.see(SEEN, rounds, ago, blur);
        expectation.numbers.variance_of(&expectation.direction(SEEN).unwrap())
    }

    #[test]
    fn what_is_old_blurred_or_within_one_round_tells_less() {
        let plain = left(100.0, 0.0, 0.0);
        assert!(plain < left(100.0, 2.0, 0.0) && plain < left(100.0, 0.0, 0.1) && plain < left(1.0, 0.0, 0.0));
        // Not even a round: still a number.
        assert!(left(0.0, 0.0, 0.0).is_finite());
    }

    #[test]
    fn a_stranger_changes_nothing() {
        let mut expectation = expectation();
        assert_eq!(expectation.see(Level { algorithm: "b", ..SEEN }, 100.0, 0.0, 0.0), 0.0);
        assert_eq!(expectation, self::expectation());
        assert_eq!(expectation.direction(Level { algorithm: "b", ..SEEN }), None);
    }

    #[test]
    fn rounds_wander_the_further_ahead_the_more() {
        let expectation = expectation();
        let wander = |ahead| expectation.wander("a", ahead);
        assert_eq!(wander(Some(-1.0)), 0.0);
        assert!(wander(Some(1.0)) < wander(Some(2.0)));
        assert!(wander(None) > 0.0);
    }

    #[test]
    fn around_the_middle_a_stage_is_the_depth_from_there() {
        assert_eq!(stage(MIDDLE), 0.0);
        assert!((stage(MIDDLE + 0.01) - 0.01).abs() < 1e-4);
        assert!((depth(stage(3.0)) - 3.0).abs() < 1e-12);
        // No error above that of the start is a depth.
        assert_eq!(stage(-1.0), stage(0.0));
    }

    #[test]
    fn the_depth_after_rounds_is_that_of_which_they_are_the_rounds() {
        let expectation = expectation();
        let at = |depth| expectation.ln_rounds(Level { depth, ..SEEN }).unwrap();
        let (depth, grows) = expectation.depth_after("a", 4, at(7.0)).unwrap();
        let (further, _) = expectation.depth_after("a", 4, at(7.0) + 1e-3).unwrap();
        assert!((depth - 7.0).abs() < 1e-9 && (further - depth - 1e-3 * grows).abs() < 1e-5);
    }
}
