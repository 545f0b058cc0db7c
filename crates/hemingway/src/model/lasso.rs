//! The Lasso along its path with cross-validation, on moments instead of rows.
//!
//! Minimises (1/2n)‖y − b₀ − Xb‖² + α‖b‖₁ for a hundred α from the smallest that gives b = 0 down to a thousandth of it,
//! and takes the α whose mean squared error over the folds is least: what scikit-learn's `LassoCV` does on a
//! standardised design. The rows are read once, into one small matrix of moments per fold; all else is on d × d numbers.

mod moments;
mod path;

use serde::{Deserialize, Serialize};

pub use super::lasso_curve::{FEATURES, features};
use moments::{BLOCK, Block, Centred, Moments};

const ALPHAS: usize = 100;
const SHORTEST: f64 = 1e-3;

/// A fitted Lasso.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lasso {
    /// The penalty chosen.
    pub alpha: f64,
    /// Value at the mean row.
    pub intercept: f64,
    /// Coefficients of the standardised columns.
    pub coefficients: Vec<f64>,
    /// Mean of each column.
    means: Vec<f64>,
    /// Standard deviation of each column; 1 for a constant one.
    scales: Vec<f64>,
    /// Mean squared error over the folds, by falling α.
    pub mean_squares: Vec<f64>,
}

impl Lasso {
    /// Fits rows of `columns` numbers each; `fold[r]` says in which fold row r is left out. `None` if there are fewer
    /// than two folds or nothing to explain.
    pub fn fit(columns: usize, x: &[f64], y: &[f64], fold: &[usize]) -> Option<Self> {
        let folds = fold.iter().max().filter(|_| columns > 0)? + 1;
        let (means, target) = (column_means(columns, x), y.iter().sum::<f64>() / y.len().max(1) as f64);
        let mut parts = vec![Moments::new(columns); folds];
        let rows = x.chunks_exact(columns).zip(y).zip(fold);
        let rows: Vec<Centred<'_>> = rows.map(|((x, y), &fold)| Centred { x, y: y - target, fold }).collect();
        let mut block = Block::new(columns);
        for rows in rows.chunk_by(|a, b| a.fold == b.fold).flat_map(|neighbours| neighbours.chunks(BLOCK)) {
            block.fill(rows, &means);
            parts[rows[0].fold].add(&block);
        }
        let scales = Moments::sum(columns, &parts).scales(&means);
        parts.iter_mut().for_each(|part| part.divide(&scales));
        let whole = Moments::sum(columns, &parts);
        let full = whole.quadratic();
        let top = full.slope.iter().fold(0.0, |top: f64, slope| top.max(slope.abs()));
        if folds < 2 || top.is_nan() || top <= 0.0 {
            return None;
        }
        let alphas: Vec<f64> = (0..ALPHAS).map(|k| top * SHORTEST.powf(k as f64 / (ALPHAS - 1) as f64)).collect();
        let mean_squares = cross_validate(&whole, &parts, &alphas);
        let best = (0..ALPHAS).min_by(|&a, &b| mean_squares[a].total_cmp(&mean_squares[b]))?;
        let coefficients = full.path(&alphas[..=best]).pop()?;
        Some(Self { alpha: alphas[best], intercept: target, coefficients, means, scales, mean_squares })
    }

    /// The value at a row.
    pub fn predict(&self, row: &[f64]) -> f64 {
        let standard = row.iter().zip(&self.means).zip(&self.scales).map(|((x, mean), scale)| (x - mean) / scale);
        self.intercept + standard.zip(&self.coefficients).map(|(x, b)| x * b).sum::<f64>()
    }

    /// Root mean squared error on rows left out.
    pub(super) fn left_out_error(&self) -> f64 {
        self.mean_squares.iter().fold(f64::INFINITY, |least, &square| least.min(square)).max(0.0).sqrt()
    }
}

fn column_means(columns: usize, x: &[f64]) -> Vec<f64> {
    let count = (x.len() / columns).max(1) as f64;
    let mut sums = vec![0.0; columns];
    for row in x.chunks_exact(columns) {
        sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
    }
    sums.iter().map(|sum| sum / count).collect()
}

/// For each α the mean over folds of the squared error on the fold left out.
fn cross_validate(whole: &Moments, parts: &[Moments], alphas: &[f64]) -> Vec<f64> {
    let mut squares = vec![0.0; alphas.len()];
    for part in parts {
        let taught = whole.plus(part, -1.0);
        let quadratic = taught.quadratic();
        for (square, b) in squares.iter_mut().zip(quadratic.path(alphas)) {
            let intercept = taught.mean_error(&b);
            *square += part.squared_error(&b, intercept) / (part.count() * parts.len() as f64);
        }
    }
    squares
}

/// K folds of neighbouring rows, the first n mod K one row longer: scikit-learn's `KFold` unshuffled.
pub fn neighbouring_folds(rows: usize, folds: usize) -> Vec<usize> {
    let folds = folds.min(rows).max(1);
    let (size, longer) = (rows / folds, rows % folds);
    let boundary = longer * (size + 1);
    let fold = |row: usize| if row < boundary { row / (size + 1) } else { longer + (row - boundary) / size };
    (0..rows).map(fold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn numbers(value: &Value) -> Vec<f64> {
        value.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
    }

    #[test]
    fn agrees_with_scikit_learn() {
        let golden: Value = serde_json::from_str(include_str!("../../tests/fixtures/lasso_cv.json")).unwrap();
        let (x, y) = (numbers(&golden["x"]), numbers(&golden["y"]));
        let lasso = Lasso::fit(8, &x, &y, &neighbouring_folds(y.len(), 5)).unwrap();
        let close = |a: f64, b: &Value| assert!((a - b.as_f64().unwrap()).abs() < 1e-6, "{a} against {b}");
        close(lasso.alpha, &golden["alpha"]);
        close(lasso.intercept, &golden["intercept"]);
        for (ours, theirs) in lasso.coefficients.iter().zip(golden["coefficients"].as_array().unwrap()) {
            close(*ours, theirs);
        }
        for (ours, theirs) in lasso.mean_squares.iter().zip(golden["mean_squares"].as_array().unwrap()) {
            close(*ours, theirs);
        }
    }

    #[test]
    fn folds_are_those_of_kfold() {
        assert_eq!(neighbouring_folds(7, 3), [0, 0, 0, 1, 1, 2, 2]);
        assert_eq!(neighbouring_folds(2, 5), [0, 1]);
    }

    #[test]
    fn nothing_to_explain_is_none() {
        assert!(Lasso::fit(1, &[1.0, 2.0, 3.0], &[5.0, 5.0, 5.0], &[0, 1, 2]).is_none());
        assert!(Lasso::fit(1, &[], &[], &[]).is_none());
    }
}
