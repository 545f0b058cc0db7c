//! A-optimal weights by an interior-point method.

use super::super::linalg::{Cholesky, dot, norm};

/// Stops when the optimum is known to this relative precision.
const PRECISION: f64 = 1e-9;
/// Growth of the barrier's t, and Newton steps allowed at each.
const GROWTH: f64 = 8.0;
const STEPS: usize = 60;

/// λ and tr M⁻¹ that minimise tr M(λ)⁻¹, M = Σ λᵢ·xᵢxᵢᵀ, over 0 ≤ λ ≤ 1 and c·λ ≤ budget, by Newton's method on
/// t·tr M⁻¹ − Σ ln λᵢ − Σ ln(1 − λᵢ) − ln(budget − c·λ), whose minimum is within (2n + 1)/t of the optimum.
/// `None` where M is singular to working precision.
pub(super) fn a_optimal(rows: &[Vec<f64>], costs: &[f64], budget: f64) -> Option<(Vec<f64>, f64)> {
    let problem = Barrier { rows, costs, budget };
    let total: f64 = costs.iter().sum();
    let mut weights = vec![0.5 * (budget / total).min(1.0); rows.len()];
    let mut trace = problem.trace(&weights)?;
    let bound = (2 * rows.len() + 1) as f64;
    let mut t = bound / trace;
    loop {
        for _ in 0..STEPS {
            if !problem.step(&mut weights, t)? {
                break;
            }
        }
        trace = problem.trace(&weights)?;
        if bound / t <= PRECISION * trace {
            return Some((weights, trace));
        }
        t *= GROWTH;
    }
}

struct Barrier<'a> {
    rows: &'a [Vec<f64>],
    costs: &'a [f64],
    budget: f64,
}

impl Barrier<'_> {
    /// M(λ) = L·Lᵀ.
    fn information(&self, weights: &[f64]) -> Option<Cholesky> {
        let k = self.rows[0].len();
        let mut sum = vec![0.0; k * k];
        for (row, weight) in self.rows.iter().zip(weights) {
            for i in 0..k {
                (0..k).for_each(|j| sum[i * k + j] += weight * row[i] * row[j]);
            }
        }
        Cholesky::of(sum, k)
    }

    /// tr M⁻¹ = Σⱼ ‖L⁻¹eⱼ‖².
    fn trace(&self, weights: &[f64]) -> Option<f64> {
        let factor = self.information(weights)?;
        let k = self.rows[0].len();
        let unit = |j: usize| (0..k).map(|i| if i == j { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
        Some((0..k).map(|j| norm(&factor.forward(unit(j))).powi(2)).sum())
    }

    fn slack(&self, weights: &[f64]) -> f64 {
        self.budget - dot(self.costs, weights)
    }

    /// The barrier function; infinite outside.
    fn value(&self, weights: &[f64], t: f64) -> f64 {
        let slack = self.slack(weights);
        if slack <= 0.0 || weights.iter().any(|&weight| weight <= 0.0 || weight >= 1.0) {
            return f64::INFINITY;
        }
        let walls: f64 = weights.iter().map(|weight| weight.ln() + (1.0 - weight).ln()).sum();
        self.trace(weights).map_or(f64::INFINITY, |trace| t * trace - walls - slack.ln())
    }

    /// One damped Newton step; false once there is nothing to gain.
    fn step(&self, weights: &mut Vec<f64>, t: f64) -> Option<bool> {
        let factor = self.information(weights)?;
        let slack = self.slack(weights);
        // ∂ tr M⁻¹/∂λᵢ = −‖qᵢ‖² and ∂²/∂λᵢ∂λⱼ = 2(pᵢ·pⱼ)(qᵢ·qⱼ) with p = L⁻¹x, q = M⁻¹x: the Hessian is D + U·Uᵀ, D
        // diagonal and U only k² + 1 columns wide, (√(2t)·pᵢ⊗qᵢ, cᵢ/slack).
        let (mut gradient, mut diagonal, mut low) = (Vec::new(), Vec::new(), Vec::new());
        for ((row, cost), &weight) in self.rows.iter().zip(self.costs).zip(weights.iter()) {
            let (p, q) = (factor.forward(row.clone()), factor.solve(row.clone()));
            gradient.push(-t * dot(&q, &q) - 1.0 / weight + 1.0 / (1.0 - weight) + cost / slack);
            diagonal.push(weight.powi(-2) + (1.0 - weight).powi(-2));
            let scale = (2.0 * t).sqrt();
            let mut wide: Vec<f64> = p.iter().flat_map(|p| q.iter().map(move |q| scale * p * q)).collect();
            wide.push(cost / slack);
            low.push(wide);
        }
        let direction = newton(&gradient, &diagonal, &low)?;
        let slope = dot(&gradient, &direction);
        if slope > -1e-9 {
            return Some(false);
        }
        Some(self.search(weights, &direction, slope, t))
    }

    /// Halves the step until the barrier function falls as promised; false if it never does.
    fn search(&self, weights: &mut Vec<f64>, direction: &[f64], slope: f64, t: f64) -> bool {
        let before = self.value(weights, t);
        let mut length = 1.0;
        while length > 1e-10 {
            let moved: Vec<f64> = weights.iter().zip(direction).map(|(w, d)| w + length * d).collect();
            if self.value(&moved, t) < before + 0.1 * length * slope {
                *weights = moved;
                return true;
            }
            length *= 0.5;
        }
        false
    }
}

/// −(D + U·Uᵀ)⁻¹·g = −D⁻¹(g − U·(I + UᵀD⁻¹U)⁻¹·UᵀD⁻¹g) (Woodbury).
fn newton(gradient: &[f64], diagonal: &[f64], low: &[Vec<f64>]) -> Option<Vec<f64>> {
    let width = low[0].len();
    let mut inner: Vec<f64> = (0..width * width).map(|at| if at / width == at % width { 1.0 } else { 0.0 }).collect();
    let mut right = vec![0.0; width];
    for ((u, d), g) in low.iter().zip(diagonal).zip(gradient) {
        for i in 0..width {
            right[i] += u[i] * g / d;
            (0..width).for_each(|j| inner[i * width + j] += u[i] * u[j] / d);
        }
    }
    let middle = Cholesky::of(inner, width)?.solve(right);
    let entry = |((u, d), g): ((&Vec<f64>, &f64), &f64)| -(g - dot(u, &middle)) / d;
    Some(low.iter().zip(diagonal).zip(gradient).map(entry).collect())
}

/// Whether a column is more than a combination of others.
pub(super) fn independent(others: &[Vec<f64>], column: &[f64]) -> bool {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for other in others.iter().map(Vec::as_slice).chain([column]) {
        let mut rest = other.to_vec();
        for unit in &basis {
            let share = dot(unit, &rest);
            rest.iter_mut().zip(unit).for_each(|(value, unit)| *value -= share * unit);
        }
        let size = norm(&rest);
        if size <= 1e-9 * norm(other) {
            return false;
        }
        basis.push(rest.iter().map(|value| value / size).collect());
    }
    true
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::cones::by_cones;
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn agrees_with_a_conic_solver(
            rows in prop::collection::vec(prop::collection::vec(0.1..3.0f64, 3), 4..12),
            costs in prop::collection::vec(0.2..4.0f64, 12),
            share in 0.1..1.2f64,
        ) {
            let columns: Vec<Vec<f64>> = (0..3).map(|j| rows.iter().map(|row| row[j]).collect()).collect();
            prop_assume!(independent(&columns[..2], &columns[2]));
            let costs = &costs[..rows.len()];
            let budget = share * costs.iter().sum::<f64>();
            let (weights, trace) = a_optimal(&rows, costs, budget).unwrap();
            prop_assert!(weights.iter().all(|&weight| weight > 0.0 && weight < 1.0));
            prop_assert!(dot(&weights, costs) <= budget);
            let expected = by_cones(&rows, costs, budget);
            prop_assert!((trace / expected - 1.0).abs() < 1e-5, "{trace} {expected}");
        }
    }
}
