//! The Lasso along its path with cross-validation, on moments instead of rows.
//!
//! Minimises (1/2n)‖y − b₀ − Xb‖² + α‖b‖₁ for a hundred α from the smallest that gives b = 0 down to a thousandth of it,
//! and takes the α whose mean squared error over the folds is least: what scikit-learn's `LassoCV` does on a
//! standardised design. The rows are read once, into one small matrix of moments per fold; all else is on d × d numbers.

use serde::{Deserialize, Serialize};

use super::linalg::solve_definite;

const ALPHAS: usize = 100;
const SHORTEST: f64 = 1e-3;
/// Sweeps before a nearly collinear design is taken as it stands.
const SWEEPS: usize = 300;

/// A fitted Lasso.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Lasso {
    /// The penalty chosen.
    pub(super) alpha: f64,
    /// Value at the mean row.
    pub(super) intercept: f64,
    /// Coefficients of the standardised columns.
    pub(super) coefficients: Vec<f64>,
    /// Mean of each column.
    means: Vec<f64>,
    /// Standard deviation of each column; 1 for a constant one.
    scales: Vec<f64>,
    /// Mean squared error over the folds, by falling α.
    pub(super) mean_squares: Vec<f64>,
}

impl Lasso {
    /// Fits rows of `columns` numbers each; `fold[r]` says in which fold row r is left out. `None` if there are fewer
    /// than two folds or nothing to explain.
    pub(super) fn fit(columns: usize, x: &[f64], y: &[f64], fold: &[usize]) -> Option<Self> {
        let (means, scales) = standards(columns, x);
        let target = y.iter().sum::<f64>() / y.len().max(1) as f64;
        let folds = fold.iter().max()? + 1;
        let mut parts = vec![Moments::new(columns); folds];
        let mut row = vec![0.0; columns + 2];
        for ((values, y), &fold) in x.chunks_exact(columns).zip(y).zip(fold) {
            for (j, value) in values.iter().enumerate() {
                row[j] = (value - means[j]) / scales[j];
            }
            (row[columns], row[columns + 1]) = (y - target, 1.0);
            parts[fold].add(&row);
        }
        let whole = parts.iter().fold(Moments::new(columns), |whole, part| whole.plus(part, 1.0));
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
    pub(super) fn predict(&self, row: &[f64]) -> f64 {
        let standard = row.iter().zip(&self.means).zip(&self.scales).map(|((x, mean), scale)| (x - mean) / scale);
        self.intercept + standard.zip(&self.coefficients).map(|(x, b)| x * b).sum::<f64>()
    }

    /// Root mean squared error on rows left out.
    pub(super) fn left_out_error(&self) -> f64 {
        self.mean_squares.iter().fold(f64::INFINITY, |least, &square| least.min(square)).max(0.0).sqrt()
    }
}

fn standards(columns: usize, x: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let count = (x.len() / columns).max(1) as f64;
    let (mut means, mut scales) = (vec![0.0; columns], vec![0.0; columns]);
    for row in x.chunks_exact(columns) {
        means.iter_mut().zip(row).for_each(|(mean, x)| *mean += x / count);
    }
    for row in x.chunks_exact(columns) {
        scales.iter_mut().zip(row).zip(&means).for_each(|((scale, x), mean)| *scale += (x - mean).powi(2) / count);
    }
    // A constant column varies by rounding alone; it must stay 0 instead of being blown up to unit size.
    let scale =
        |(variance, mean): (&f64, &f64)| if variance.sqrt() > 1e-12 * mean.abs() { variance.sqrt() } else { 1.0 };
    (means.clone(), scales.iter().zip(&means).map(scale).collect())
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

/// Σ z zᵀ over rows z = (x, y, 1), upper triangle.
#[derive(Clone)]
struct Moments {
    columns: usize,
    sums: Vec<f64>,
}

impl Moments {
    fn new(columns: usize) -> Self {
        Self { columns, sums: vec![0.0; (columns + 2) * (columns + 2)] }
    }

    fn add(&mut self, row: &[f64]) {
        let width = row.len();
        for (j, (sums, value)) in self.sums.chunks_exact_mut(width).zip(row).enumerate() {
            sums[j..].iter_mut().zip(&row[j..]).for_each(|(sum, other)| *sum += value * other);
        }
    }

    fn plus(&self, other: &Self, sign: f64) -> Self {
        let sums = self.sums.iter().zip(&other.sums).map(|(a, b)| a + sign * b).collect();
        Self { columns: self.columns, sums }
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        self.sums[i.min(j) * (self.columns + 2) + i.max(j)]
    }

    fn count(&self) -> f64 {
        self.at(self.columns + 1, self.columns + 1)
    }

    /// ½ bᵀGb − cᵀb, what is left of the squared error per row once the intercept is optimal.
    fn quadratic(&self) -> Quadratic {
        let (d, n) = (self.columns, self.count());
        let mean = |j: usize| self.at(j, d + 1) / n;
        let central = |i: usize, j: usize| self.at(i, j) / n - mean(i) * mean(j);
        let gram = (0..d * d).map(|place| central(place / d, place % d)).collect();
        Quadratic { gram, slope: (0..d).map(|j| central(j, d)).collect() }
    }

    /// Mean of y − x·b: the optimal intercept.
    fn mean_error(&self, b: &[f64]) -> f64 {
        let fitted: f64 = b.iter().enumerate().map(|(j, b)| b * self.at(j, self.columns + 1)).sum();
        (self.at(self.columns, self.columns + 1) - fitted) / self.count()
    }

    /// Σ (y − b₀ − x·b)².
    fn squared_error(&self, b: &[f64], intercept: f64) -> f64 {
        let mut by: Vec<f64> = b.iter().map(|b| -b).collect();
        by.extend([1.0, -intercept]);
        let row = |i: usize| by.iter().enumerate().map(|(j, value)| value * self.at(i, j)).sum::<f64>();
        by.iter().enumerate().map(|(i, value)| value * row(i)).sum()
    }
}

struct Quadratic {
    gram: Vec<f64>,
    slope: Vec<f64>,
}

impl Quadratic {
    /// Minimisers of ½ bᵀGb − cᵀb + α‖b‖₁ for falling α, each started from the one before.
    fn path(&self, alphas: &[f64]) -> Vec<Vec<f64>> {
        let mut b = vec![0.0; self.slope.len()];
        let step = |&alpha: &f64| {
            self.descend(alpha, &mut b);
            b.clone()
        };
        alphas.iter().map(step).collect()
    }

    fn row(&self, j: usize) -> &[f64] {
        let d = self.slope.len();
        &self.gram[j * d..(j + 1) * d]
    }

    /// Coordinate descent, and as soon as the signs rest, the exact solution for those signs.
    fn descend(&self, alpha: f64, b: &mut [f64]) {
        let mut left = self.left(b);
        for _ in 0..SWEEPS {
            let (largest, turned) = self.sweep(alpha, b, &mut left);
            if !turned {
                let exact = self.finish(alpha, b);
                left = self.left(b);
                if exact && left.iter().all(|left| left.abs() <= alpha * (1.0 + 1e-9)) {
                    return;
                }
            }
            if largest <= 1e-13 {
                return;
            }
        }
    }

    /// c − Gb.
    fn left(&self, b: &[f64]) -> Vec<f64> {
        let fitted = |j: usize| self.row(j).iter().zip(b).map(|(g, b)| g * b).sum::<f64>();
        self.slope.iter().enumerate().map(|(j, slope)| slope - fitted(j)).collect()
    }

    /// Minimises over each coordinate in turn; the largest move, and whether any sign changed.
    fn sweep(&self, alpha: f64, b: &mut [f64], left: &mut [f64]) -> (f64, bool) {
        let (mut largest, mut turned) = (0.0f64, false);
        for j in 0..b.len() {
            let row = self.row(j);
            if row[j] <= 1e-14 {
                continue;
            }
            let pull = left[j] + row[j] * b[j];
            let next = pull.signum() * (pull.abs() - alpha).max(0.0) / row[j];
            let change = next - b[j];
            if change != 0.0 {
                left.iter_mut().zip(row).for_each(|(left, g)| *left -= g * change);
                turned |= sign(next) != sign(b[j]);
                b[j] = next;
                largest = largest.max(change.abs());
            }
        }
        (largest, turned)
    }

    /// Goes to the minimiser among points with b's signs, or to where the first coefficient vanishes on the way there.
    /// Whether it arrived.
    fn finish(&self, alpha: f64, b: &mut [f64]) -> bool {
        let active: Vec<usize> = (0..b.len()).filter(|&j| b[j] != 0.0).collect();
        let gram = active.iter().flat_map(|&i| active.iter().map(move |&j| self.row(i)[j])).collect();
        let slope = active.iter().map(|&j| self.slope[j] - alpha * sign(b[j])).collect();
        let Some(goal) = solve_definite(gram, slope) else { return false };
        let crossing = active.iter().zip(&goal).filter(|(j, goal)| sign(**goal) != sign(b[**j]));
        let crossing = crossing.map(|(&j, goal)| (j, b[j] / (b[j] - goal)));
        let first = crossing.min_by(|x, y| x.1.total_cmp(&y.1));
        let step = first.map_or(1.0, |(_, step)| step);
        for (&j, goal) in active.iter().zip(&goal) {
            b[j] += step * (goal - b[j]);
        }
        if let Some((vanishing, _)) = first {
            b[vanishing] = 0.0;
        }
        first.is_none()
    }
}

fn sign(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value.signum() }
}

/// K folds of neighbouring rows, the first n mod K one row longer: scikit-learn's `KFold` unshuffled.
pub(super) fn neighbouring_folds(rows: usize, folds: usize) -> Vec<usize> {
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
