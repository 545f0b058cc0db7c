//! A Gaussian process through what a mean leaves over, fading away from the data.

use serde::{Deserialize, Serialize};

use super::super::linalg::{Cholesky, dot};
use super::cell::{Cell, Place};

/// Correlation e^(−d²/2ℓ²) over d² = Δ(ln m)² + Δ(ln size)².
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Process {
    length: f64,
    /// (ln m, ln size, weight).
    weights: Vec<(f64, f64, f64)>,
}

/// Lengths ℓ and noise-to-signal ratios that are tried.
const LENGTHS: [f64; 4] = [0.25, 0.5, 1.0, 2.0];
const NOISES: [f64; 4] = [0.003, 0.03, 0.3, 3.0];

impl Process {
    /// Through the misses of a mean, with the length and noise of highest likelihood.
    pub(super) fn likeliest(cells: &[Cell], misses: &[f64]) -> Self {
        let mut best = (f64::INFINITY, 1.0, Vec::new());
        for length in LENGTHS {
            let gram = gram(cells, length);
            for noise in NOISES {
                let Some((surprise, weights)) = solve(&gram, misses, noise) else { continue };
                if surprise < best.0 {
                    best = (surprise, length, weights);
                }
            }
        }
        Self::new(cells, best.1, best.2)
    }

    /// With a length and noise of one's own.
    pub(super) fn fixed(cells: &[Cell], misses: &[f64], length: f64, noise: f64) -> Self {
        let solved = solve(&gram(cells, length), misses, noise);
        Self::new(cells, length, solved.map_or(Vec::new(), |(_, weights)| weights))
    }

    fn new(cells: &[Cell], length: f64, weights: Vec<f64>) -> Self {
        let weights = cells.iter().zip(weights).map(|(cell, weight)| (cell.place.x, cell.place.z, weight)).collect();
        Self { length, weights }
    }

    /// What to add to the mean's logarithm.
    pub(super) fn log(&self, at: &Place) -> f64 {
        let pull = |&(x, z, weight): &(f64, f64, f64)| weight * kernel(at.x - x, at.z - z, self.length);
        self.weights.iter().map(pull).sum()
    }
}

fn kernel(dx: f64, dz: f64, length: f64) -> f64 {
    (-0.5 * (dx * dx + dz * dz) / (length * length)).exp()
}

fn gram(cells: &[Cell], length: f64) -> Vec<f64> {
    let row = |a: &Cell| cells.iter().map(|b| kernel(a.place.x - b.place.x, a.place.z - b.place.z, length)).collect();
    cells.iter().flat_map(|cell| -> Vec<f64> { row(cell) }).collect()
}

/// Negative log likelihood of the misses, the variance of the signal being the likeliest, and their weights.
fn solve(gram: &[f64], misses: &[f64], noise: f64) -> Option<(f64, Vec<f64>)> {
    let n = misses.len();
    let mut noisy = gram.to_vec();
    (0..n).for_each(|j| noisy[j * n + j] += noise);
    let factor = Cholesky::of(noisy, n)?;
    let weights = factor.solve(misses.to_vec());
    // A millionth keeps a perfect fit from promising infinite likelihood.
    let variance = (dot(&weights, misses) + 1e-6) / n as f64;
    Some((0.5 * n as f64 * variance.ln() + factor.half_log_determinant(), weights))
}
