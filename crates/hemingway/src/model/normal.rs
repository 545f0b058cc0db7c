//! A joint normal distribution, narrowed by what is seen of it.

use std::f64::consts::TAU;

use serde::{Deserialize, Serialize};

/// Mean and covariance of some numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Normal {
    /// Means.
    pub mean: Vec<f64>,
    /// Covariances, row by row.
    pub covariance: Vec<f64>,
}

/// A sum of some of the numbers: (place, weight).
pub type Direction = Vec<(usize, f64)>;

impl Normal {
    /// The mean of a sum.
    pub fn mean_of(&self, sum: &Direction) -> f64 {
        sum.iter().map(|&(place, weight)| weight * self.mean[place]).sum()
    }

    /// The variance of a sum.
    pub fn variance_of(&self, sum: &Direction) -> f64 {
        self.covariance_of(sum, sum).max(0.0)
    }

    /// The covariance of two sums.
    pub fn covariance_of(&self, a: &Direction, b: &Direction) -> f64 {
        let size = self.mean.len();
        let row = |&(place, weight): &(usize, f64)| {
            let row = &self.covariance[place * size..(place + 1) * size];
            weight * b.iter().map(|&(other, w)| w * row[other]).sum::<f64>()
        };
        a.iter().map(row).sum()
    }

    /// Takes in that a sum was seen to be `value`, give or take `variance`. Returns how likely that was: ln of its density.
    pub fn see(&mut self, sum: &Direction, value: f64, variance: f64) -> f64 {
        let size = self.mean.len();
        let along: Vec<f64> = (0..size)
            .map(|k| sum.iter().map(|&(place, weight)| weight * self.covariance[place * size + k]).sum())
            .collect();
        let spread = sum.iter().map(|&(place, weight)| weight * along[place]).sum::<f64>().max(0.0) + variance;
        let surprise = value - self.mean_of(sum);
        for k in 0..size {
            let gain = along[k] / spread;
            self.mean[k] += gain * surprise;
            for (entry, other) in self.covariance[k * size..(k + 1) * size].iter_mut().zip(&along) {
                *entry -= gain * other;
            }
        }
        -0.5 * (surprise * surprise / spread + (TAU * spread).ln())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn two() -> Normal {
        Normal { mean: vec![0.0, 1.0], covariance: vec![1.0, 0.5, 0.5, 1.0] }
    }

    #[test]
    fn what_is_seen_of_one_number_moves_the_other() {
        let mut normal = two();
        normal.see(&vec![(0, 1.0)], 2.0, 0.0);
        assert!((normal.mean[0] - 2.0).abs() < 1e-12 && (normal.mean[1] - 2.0).abs() < 1e-12);
        assert!(normal.variance_of(&vec![(0, 1.0)]) < 1e-12);
        assert!((normal.variance_of(&vec![(1, 1.0)]) - 0.75).abs() < 1e-12);
    }

    #[test]
    fn likelihood_is_that_of_the_normal_density() {
        let likely = two().see(&vec![(0, 1.0), (1, -1.0)], -1.0, 1.0);
        // The difference has variance 1 and mean −1, and is seen through a variance of 1.
        assert!((likely + 0.5 * (TAU * 2.0).ln()).abs() < 1e-12);
    }

    /// A · Aᵀ of any A is a covariance.
    fn some_normal(a: &[f64]) -> Normal {
        let row = |k: usize| &a[3 * k..3 * k + 3];
        let entry = |k: usize| row(k / 3).iter().zip(row(k % 3)).map(|(x, y)| x * y).sum();
        Normal { mean: vec![0.5, -1.0, 2.0], covariance: (0..9).map(entry).collect() }
    }

    fn direction(weights: &[f64]) -> Direction {
        weights.iter().copied().enumerate().collect()
    }

    fn weights() -> impl Strategy<Value = Vec<f64>> {
        proptest::collection::vec(-2.0..2.0f64, 3)
    }

    proptest! {
        #[test]
        fn to_see_never_makes_less_sure(
            root in proptest::collection::vec(-2.0..2.0f64, 9),
            (seen, asked) in (weights(), weights()),
            (value, variance) in (-9.0..9.0f64, 0.01..4.0f64),
        ) {
            let before = some_normal(&root);
            let mut after = before.clone();
            let likely = after.see(&direction(&seen), value, variance);
            prop_assert!(likely.is_finite());
            let asked = direction(&asked);
            prop_assert!(after.variance_of(&asked) <= before.variance_of(&asked) + 1e-9);
            // What was seen is known at least as well as it was seen.
            prop_assert!(after.variance_of(&direction(&seen)) <= variance + 1e-9);
        }

        #[test]
        fn what_is_seen_first_does_not_matter(
            root in proptest::collection::vec(-2.0..2.0f64, 9),
            (one, other) in (weights(), weights()),
            (value, another) in (-9.0..9.0f64, -9.0..9.0f64),
        ) {
            let sights = [(direction(&one), value, 0.2), (direction(&other), another, 0.5)];
            let [mut forth, mut back] = [some_normal(&root), some_normal(&root)];
            let likely: f64 = sights.iter().map(|(sum, value, variance)| forth.see(sum, *value, *variance)).sum();
            let likely_back: f64 = sights.iter().rev().map(|(sum, value, variance)| back.see(sum, *value, *variance)).sum();
            prop_assert!((likely - likely_back).abs() < 1e-9 * likely.abs().max(1.0));
            let entries = |normal: &Normal| [normal.mean.clone(), normal.covariance.clone()].concat();
            prop_assert!(entries(&forth).iter().zip(entries(&back)).all(|(a, b)| (a - b).abs() < 1e-9));
        }
    }
}
