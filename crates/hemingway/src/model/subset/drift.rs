//! How rounds change with the rows.

use serde::{Deserialize, Serialize};

use super::super::linalg::{least_squares, solve_definite};

/// ln rounds is taken as linear in ln n, with slope b(m, ε) = β₀ + β₁ ln m + β₂ ln ε.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Drift {
    beta: [f64; 3],
}

/// One level on one m, on samples of different size.
pub(super) struct Cell {
    pub(super) machines: usize,
    pub(super) error: f64,
    /// (ln fraction, ln rounds).
    pub(super) seen: Vec<(f64, f64)>,
}

/// Samples err by themselves, and so does a slope between them: β are held towards 0, those of m and ε more. In cells.
const HOLD: [f64; 3] = [0.1, 2.0, 2.0];

impl Drift {
    /// Ridge regression of the cells' slopes; no drift if no cell was seen on two sizes.
    pub(super) fn fit(cells: &[Cell]) -> Self {
        let (mut gram, mut right) = (vec![0.0; 9], vec![0.0; 3]);
        (0..3).for_each(|k| gram[4 * k] = HOLD[k]);
        for (cell, slope) in cells.iter().filter_map(|cell| Some((cell, cell.slope()?))) {
            let x = features(cell.machines, cell.error);
            for row in 0..3 {
                right[row] += x[row] * slope;
                (0..3).for_each(|column| gram[3 * row + column] += x[row] * x[column]);
            }
        }
        let beta = solve_definite(gram, right).and_then(|beta| beta.try_into().ok());
        Self { beta: beta.unwrap_or_default() }
    }

    /// b(m, ε).
    pub(super) fn slope(&self, machines: usize, error: f64) -> f64 {
        features(machines, error).iter().zip(self.beta).map(|(x, beta)| x * beta).sum()
    }
}

impl Cell {
    fn slope(&self) -> Option<f64> {
        let (x, y): (Vec<f64>, Vec<f64>) = self.seen.iter().copied().unzip();
        let several = x.iter().any(|place| *place != x[0]);
        several.then(|| least_squares(&[&vec![1.0; x.len()], &x], &y)[1])
    }
}

/// About −1 to 1 over the machines and errors that matter.
fn features(machines: usize, error: f64) -> [f64; 3] {
    [1.0, (machines as f64).ln() / 4.0, error.ln() / 7.0 + 0.5]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// r = f^(b₀ + b₁ ln m / 4) on three sizes, four m and three errors.
    fn cells(b: [f64; 2]) -> Vec<Cell> {
        let places = [1usize, 4, 16, 64].into_iter().flat_map(|m| [1e-1, 1e-2, 1e-3].map(|error| (m, error)));
        let cell = |(machines, error): (usize, f64)| {
            let slope = b[0] + b[1] * (machines as f64).ln() / 4.0;
            let seen = [0.05f64, 0.1, 0.2].map(|f| (f.ln(), 3.0 + slope * f.ln())).into();
            Cell { machines, error, seen }
        };
        places.map(cell).collect()
    }

    #[test]
    fn a_common_slope_is_found_and_held_back_a_little() {
        let drift = Drift::fit(&cells([-0.5, 0.0]));
        let slope = drift.slope(8, 1e-2);
        assert!((-0.5..-0.48).contains(&slope), "{slope}");
    }

    #[test]
    fn slopes_that_grow_with_machines_are_told_apart() {
        let drift = Drift::fit(&cells([-0.1, -0.4]));
        let (few, many) = (drift.slope(1, 1e-2), drift.slope(64, 1e-2));
        // Really −0.1 and −0.516, each held towards what is common.
        assert!((-0.25..-0.1).contains(&few) && (-0.516..-0.35).contains(&many), "{few} {many}");
    }

    #[test]
    fn one_size_has_no_slope() {
        let one = Cell { machines: 4, error: 1e-2, seen: vec![(0.1f64.ln(), 2.0), (0.1f64.ln(), 2.1)] };
        assert_eq!(Drift::fit(&[one]), Drift::default());
        assert_eq!(Drift::fit(&[]), Drift::default());
    }
}
