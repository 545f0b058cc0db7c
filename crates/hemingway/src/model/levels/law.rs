//! How the rounds to one level depend on m.

use serde::{Deserialize, Serialize};

use super::super::linalg::norm;
use super::super::nnls::nnls;
use super::super::residual::Residual;
use super::table::Cell;

/// Below this many rounds half a round, which is what a count is good for, outweighs a tenth of it, which is what a
/// law is good for.
const GRAIN: f64 = 5.0;
/// What a filled cell counts for beside a measured one.
const FILLED: f64 = 0.25;

/// Rounds = θ · (1, √m, m), or θ · (1, 1/√m, 1/m) where more machines take fewer, θ ≥ 0, times a smooth correction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Law {
    theta: [f64; 3],
    falling: bool,
    residual: Residual,
}

impl Law {
    /// NNLS with relative residuals over (m, rounds). A single m gets the law ∝ √m: between methods whose rounds do not
    /// depend on m and those that slow down in proportion.
    pub(super) fn fit(cells: &[(usize, Cell)], falling: bool) -> Self {
        if let [(machines, cell)] = cells {
            let theta = [0.0, cell.rounds / (*machines as f64).sqrt(), 0.0];
            return Self { theta, falling: false, residual: Residual::default() };
        }
        let mut law = Self { theta: solve(cells, falling), falling, residual: Residual::default() };
        let left = |&(machines, cell): &(usize, Cell)| {
            // A ratio of counts is as good as the counts are large.
            let trust = if cell.measured { 1.0 } else { FILLED } * cell.rounds / cell.rounds.hypot(GRAIN);
            let ratio = cell.rounds.max(0.1) / law.rounds(machines).max(0.1);
            (machines, ratio.ln(), trust.max(1e-3))
        };
        law.residual = Residual::fit(&cells.iter().map(left).collect::<Vec<_>>());
        law
    }

    /// Rounds on m machines.
    pub(super) fn rounds(&self, machines: usize) -> f64 {
        let terms = terms(machines, self.falling);
        let law: f64 = self.theta.iter().zip(terms).map(|(theta, term)| theta * term).sum();
        law * self.residual.factor(machines)
    }
}

fn terms(machines: usize, falling: bool) -> [f64; 3] {
    let m = machines as f64;
    if falling { [1.0, 1.0 / m.sqrt(), 1.0 / m] } else { [1.0, m.sqrt(), m] }
}

fn solve(cells: &[(usize, Cell)], falling: bool) -> [f64; 3] {
    let scale = |cell: &Cell| if cell.measured { 1.0 } else { FILLED } / cell.rounds.hypot(GRAIN);
    let rows: Vec<_> = cells.iter().map(|(m, cell)| terms(*m, falling).map(|term| term * scale(cell))).collect();
    let mut columns: Vec<Vec<f64>> = (0..3).map(|j| rows.iter().map(|row| row[j]).collect()).collect();
    let mut y: Vec<f64> = cells.iter().map(|(_, cell)| cell.rounds * scale(cell)).collect();
    // As for f: of many laws that fit two m, an even mixture is the least reckless.
    for (j, column) in columns.iter_mut().enumerate() {
        let size = 1e-2 * norm(column);
        column.extend((0..3).map(|row| if row == j { size } else { 0.0 }));
    }
    y.extend([0.0; 3]);
    let theta = nnls(&columns, &y);
    [theta[0], theta[1], theta[2]]
}
