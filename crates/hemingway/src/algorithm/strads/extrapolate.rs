//! Anderson extrapolation of coordinate descent (Bertrand & Massias 2021): the last few points of a linear iteration foretell where it
//! ends. What follows linearly from the point, slopes here, is extrapolated by the same weights.

use crate::data::matrix::{axpy, dot};

/// The last points, and what was seen at each.
#[derive(Default)]
pub(super) struct Extrapolation {
    points: Vec<Vec<f64>>,
    slopes: Vec<Vec<f64>>,
}

impl Extrapolation {
    /// Points that are combined, of one more that are known.
    pub(super) const POINTS: usize = 5;

    /// One more point: the coefficients of the columns that move.
    pub(super) fn note(&mut self, moving: &[usize], w: &[f64], slopes: &[f64]) {
        self.points.push(moving.iter().map(|k| w[*k]).collect());
        self.slopes.push(slopes.to_vec());
    }

    /// Where the points lead and the slopes there, once there are enough of them; then it begins anew.
    pub(super) fn beyond(&mut self) -> Option<(Vec<f64>, Vec<f64>)> {
        if self.points.len() <= Self::POINTS {
            return None;
        }
        let found = weights(&self.points)
            .map(|weights| (combined(&weights, &self.points[1..]), combined(&weights, &self.slopes[1..])));
        *self = Self::default();
        found
    }
}

/// Σ aₖxₖ.
fn combined(weights: &[f64], points: &[Vec<f64>]) -> Vec<f64> {
    let mut sum = vec![0.0; points.first().map_or(0, Vec::len)];
    weights.iter().zip(points).for_each(|(a, x)| axpy(*a, x, &mut sum));
    sum
}

/// The a with Σ aₖ = 1 that makes ‖Σ aₖ(xₖ₊₁ − xₖ)‖ least: a ∝ (UᵀU)⁻¹1.
fn weights(points: &[Vec<f64>]) -> Option<Vec<f64>> {
    let steps: Vec<Vec<f64>> =
        points.windows(2).map(|two| two[1].iter().zip(&two[0]).map(|(b, a)| b - a).collect()).collect();
    let k = steps.len();
    let mut rows: Vec<Vec<f64>> =
        (0..k).map(|a| (0..k).map(|b| dot(&steps[a], &steps[b])).chain([1.0]).collect()).collect();
    for column in 0..k {
        let pivot = (column..k).max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()))?;
        rows.swap(column, pivot);
        let row = rows[column].clone();
        if row[column].abs() <= f64::MIN_POSITIVE {
            return None;
        }
        for (_, other) in rows.iter_mut().enumerate().filter(|(a, _)| *a != column) {
            let by = other[column] / row[column];
            axpy(-by, &row, other);
        }
    }
    let found: Vec<f64> = rows.iter().enumerate().map(|(a, row)| row[k] / row[a]).collect();
    let sum: f64 = found.iter().sum();
    let weights: Vec<f64> = found.iter().map(|a| a / sum).collect();
    weights.iter().all(|a| a.is_finite()).then_some(weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_linear_iteration_is_foretold() {
        // x ← Mx + b with four different rates ends at b/(1 − rate).
        let rates = [0.9, 0.7, -0.5, 0.2];
        let mut past = Extrapolation::default();
        let mut x = [0.0; 4];
        let found = (0..20).find_map(|_| {
            x.iter_mut().zip(rates).for_each(|(x, rate)| *x = rate * *x + 1.0);
            past.note(&[0, 1, 2, 3], &x, &[2.0 * x[0]]);
            past.beyond()
        });
        let (end, slopes) = found.unwrap();
        for (end, rate) in end.iter().zip(rates) {
            assert!((end - 1.0 / (1.0 - rate)).abs() < 1e-6, "{end} for {rate}");
        }
        assert!((slopes[0] - 20.0).abs() < 1e-5);
        past.note(&[0], &[1.0], &[0.0]);
        assert!(past.beyond().is_none());
    }

    #[test]
    fn points_that_stand_still_lead_nowhere() {
        let mut past = Extrapolation::default();
        (0..=Extrapolation::POINTS).for_each(|_| past.note(&[0], &[1.0], &[0.0]));
        assert!(past.beyond().is_none());
    }
}
