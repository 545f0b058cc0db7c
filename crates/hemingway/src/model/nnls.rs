//! Non-negative least squares by Lawson and Hanson's active set, for the handful of columns our models have.

use super::linalg::{dot, least_squares, norm};

/// Minimises ‖Σ xⱼ columnⱼ − y‖ subject to x ≥ 0.
pub(super) fn nnls(columns: &[Vec<f64>], y: &[f64]) -> Vec<f64> {
    // Unit columns make one tolerance fit all; the optimum only rescales.
    let sizes: Vec<f64> = columns.iter().map(|column| norm(column)).collect();
    let unit = |(column, size): (&Vec<f64>, &f64)| column.iter().map(|value| value / size.max(1e-300)).collect();
    let columns: Vec<Vec<f64>> = columns.iter().zip(&sizes).map(unit).collect();
    let tolerance = 1e-12 * norm(y);
    let mut x = vec![0.0; columns.len()];
    let mut passive = vec![false; columns.len()];
    // Each entry lowers the residual strictly, so the sets cannot repeat; the cap is against rounding.
    for _ in 0..4 * columns.len() {
        let rest = residual(&columns, &x, y);
        let candidates = (0..columns.len()).filter(|&j| !passive[j]);
        let steepest = candidates.map(|j| (j, dot(&columns[j], &rest))).max_by(|a, b| a.1.total_cmp(&b.1));
        match steepest {
            Some((entering, slope)) if slope > tolerance => passive[entering] = true,
            _ => break,
        }
        settle(&columns, y, &mut passive, &mut x);
    }
    x.iter().zip(&sizes).map(|(value, size)| if *size > 0.0 { value / size } else { 0.0 }).collect()
}

/// Moves x to the least-squares point of the passive columns, dropping those that would turn negative on the way.
fn settle(columns: &[Vec<f64>], y: &[f64], passive: &mut [bool], x: &mut [f64]) {
    loop {
        let chosen: Vec<usize> = (0..columns.len()).filter(|&j| passive[j]).collect();
        let active: Vec<&[f64]> = chosen.iter().map(|&j| columns[j].as_slice()).collect();
        let goal = least_squares(&active, y);
        let negative = chosen.iter().zip(&goal).filter(|(_, goal)| **goal <= 0.0);
        let blocks = negative.map(|(&j, goal)| (j, x[j] / (x[j] - goal).max(1e-300)));
        let first = blocks.min_by(|a, b| a.1.total_cmp(&b.1));
        let step = first.map_or(1.0, |(_, step)| step);
        for (&j, goal) in chosen.iter().zip(&goal) {
            x[j] += step * (goal - x[j]);
        }
        let Some((blocking, _)) = first else { return };
        for j in chosen {
            if j == blocking || x[j] <= 0.0 {
                (x[j], passive[j]) = (0.0, false);
            }
        }
    }
}

fn residual(columns: &[Vec<f64>], x: &[f64], y: &[f64]) -> Vec<f64> {
    let value = |row: usize| y[row] - columns.iter().zip(x).map(|(column, x)| column[row] * x).sum::<f64>();
    (0..y.len()).map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// x is optimal exactly if x ≥ 0, the slope is ≤ 0 everywhere and 0 wherever x > 0 (Karush–Kuhn–Tucker).
        #[test]
        fn satisfies_the_optimality_conditions(
            columns in prop::collection::vec(prop::collection::vec(-5.0..5.0f64, 9), 1..8),
            y in prop::collection::vec(-5.0..5.0f64, 9),
        ) {
            let x = nnls(&columns, &y);
            let rest = residual(&columns, &x, &y);
            for (column, &x) in columns.iter().zip(&x) {
                let slope = dot(column, &rest);
                let scale = 1e-8 * (1.0 + norm(column) * norm(&y));
                prop_assert!(x >= 0.0 && slope <= scale, "slope {slope}");
                prop_assert!(x == 0.0 || slope.abs() <= scale, "slope {slope} at x = {x}");
            }
        }
    }

    #[test]
    fn constant_and_empty_columns_do_no_harm() {
        let x = nnls(&[vec![0.0, 0.0], vec![1.0, 1.0]], &[2.0, 2.0]);
        assert!(x[0] == 0.0 && (x[1] - 2.0).abs() < 1e-12);
        assert_eq!(nnls(&[vec![1.0, 1.0]], &[-2.0, -2.0]), [0.0]);
    }
}
