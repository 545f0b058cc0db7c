//! The form of f and its fit.

use serde::{Deserialize, Serialize};

use super::super::Method;
use super::super::linalg::norm;
use super::super::nnls::nnls;
use super::super::residual::Residual;
use super::Observation;

/// f(m) = θ₀ + θ₁·size/m + θ₂·ln m + θ₃·m, times what our method adds: a smooth correction over ln m.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Form {
    pub(super) theta: [f64; 4],
    residual: Residual,
}

impl Form {
    /// `None` of nothing.
    pub(super) fn fit(observations: &[Observation], method: Method) -> Option<Self> {
        let mut form = Self { theta: solve(observations, method)?, residual: Residual::default() };
        if method == Method::Ours {
            let left = |o: &Observation| (o.machines, (o.seconds / form.seconds(o.machines, o.fraction)).ln(), 1.0);
            form.residual = Residual::fit(&observations.iter().map(left).collect::<Vec<_>>());
        }
        Some(form)
    }

    pub(super) fn seconds(&self, machines: usize, fraction: f64) -> f64 {
        let terms = terms(machines, fraction);
        let sum: f64 = terms.iter().zip(&self.theta).map(|(term, theta)| term * theta).sum();
        sum * self.residual.factor(machines)
    }
}

fn terms(machines: usize, fraction: f64) -> [f64; 4] {
    let m = machines as f64;
    [1.0, fraction / m, m.ln(), m]
}

fn solve(observations: &[Observation], method: Method) -> Option<[f64; 4]> {
    let first = observations.first()?;
    let relative = method == Method::Ours;
    if relative && observations.iter().all(|observation| observation.machines == first.machines) {
        return Some(one_size(observations));
    }
    // Relative residuals: 1 s too much at 2 s is worse than at 100 s, and cliffs at small m must not rule.
    let weight = |observation: &Observation| if relative { 1.0 / observation.seconds } else { 1.0 };
    let rows = observations.iter().map(|o| terms(o.machines, o.fraction).map(|term| term * weight(o)));
    let rows: Vec<[f64; 4]> = rows.collect();
    let mut columns: Vec<Vec<f64>> = (0..4).map(|j| rows.iter().map(|row| row[j]).collect()).collect();
    let mut y: Vec<f64> = observations.iter().map(|o| o.seconds * weight(o)).collect();
    if relative {
        add_ridge(&mut columns, &mut y);
    }
    let theta = nnls(&columns, &y);
    Some([theta[0], theta[1], theta[2], theta[3]])
}

/// A whisper of ridge: with fewer m than terms many θ fit equally, and of those the evenly mixed one is the least
/// reckless to extrapolate.
fn add_ridge(columns: &mut [Vec<f64>], y: &mut Vec<f64>) {
    let count = columns.len();
    for (j, column) in columns.iter_mut().enumerate() {
        let size = norm(column) * 1e-2;
        column.extend((0..count).map(|row| if row == j { size } else { 0.0 }));
    }
    y.extend(std::iter::repeat_n(0.0, count));
}

/// A single m cannot tell θ₀ from the rest: constant in m, the middle of what is possible.
fn one_size(observations: &[Observation]) -> [f64; 4] {
    let logs = observations.iter().map(|observation| observation.seconds.ln());
    [(logs.sum::<f64>() / observations.len() as f64).exp(), 0.0, 0.0, 0.0]
}
