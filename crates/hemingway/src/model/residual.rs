//! What a law leaves over: a smooth correction over ln m that fades away from the data.

use serde::{Deserialize, Serialize};

use super::linalg::solve_definite;

/// Correlation falls to e^(−1/2) over this distance in ln m: a little more than a doubling.
const LENGTH: f64 = 1.0;
/// Noise of a measured point, as a share of the correction's variance.
const NOISE: f64 = 0.1;

/// Mean of a Gaussian process through the logarithms of real / law.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Residual {
    /// (ln m, weight).
    weights: Vec<(f64, f64)>,
}

impl Residual {
    /// Through (m, ln(real / law), trust), trust 1 for a measured point and less for a guess.
    pub(super) fn fit(points: &[(usize, f64, f64)]) -> Self {
        let places: Vec<f64> = points.iter().map(|point| (point.0 as f64).ln()).collect();
        let n = points.len();
        let mut gram: Vec<f64> = (0..n * n).map(|place| kernel(places[place / n] - places[place % n])).collect();
        points.iter().enumerate().for_each(|(j, point)| gram[j * n + j] += NOISE / point.2);
        let weights = solve_definite(gram, points.iter().map(|point| point.1).collect()).unwrap_or_default();
        Self { weights: places.into_iter().zip(weights).collect() }
    }

    /// The factor by which the law is corrected at m.
    pub(super) fn factor(&self, machines: usize) -> f64 {
        let place = (machines as f64).ln();
        self.weights.iter().map(|(at, weight)| weight * kernel(place - at)).sum::<f64>().exp()
    }
}

fn kernel(distance: f64) -> f64 {
    (-0.5 * (distance / LENGTH).powi(2)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_points_and_fades_away_from_them() {
        let residual = Residual::fit(&[(1, 0.0, 1.0), (2, 0.2, 1.0), (4, 0.3, 1.0)]);
        assert!((residual.factor(2).ln() - 0.2).abs() < 0.05);
        assert!((residual.factor(3).ln() - 0.27).abs() < 0.07);
        assert!(residual.factor(1000).ln().abs() < 1e-3);
        assert_eq!(Residual::default().factor(7), 1.0);
    }
}
