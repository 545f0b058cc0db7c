//! What a model is worth on a test set. Where its rows have weights, they count by them, whatever the training data's did.

use std::collections::BTreeMap;

use crate::data::Dataset;
use crate::problem::{Classes, Loss, largest};

/// Every measure that applies: accuracy for classes, RMSE and R² for numbers, and the mean loss.
pub fn all(test: &Dataset, w: &[f64], loss: Loss, classes: Option<Classes>) -> BTreeMap<String, f64> {
    if let Some(classes) = classes {
        return of_classes(test, w, loss, classes);
    }
    let all = || 0..test.rows();
    let n: f64 = all().map(|i| test.weight(i)).sum();
    let pairs: Vec<(f64, f64)> = all().map(|i| (test.matrix.row(i).dot(w), test.labels[i])).collect();
    let mean = |of: &dyn Fn(f64, f64) -> f64| {
        let term = |i: usize| test.weight(i) * of(pairs[i].0, pairs[i].1);
        all().map(term).sum::<f64>() / n
    };
    let mut metrics = BTreeMap::new();
    metrics.insert("test_loss".into(), mean(&|z, y| loss.value(z, y)));
    if loss.is_binary() {
        metrics.insert("accuracy".into(), mean(&|z, y| f64::from(u8::from(decide(z) == y))));
    } else {
        let middle = mean(&|_, y| y);
        let error = mean(&|z, y| (z - y) * (z - y));
        let spread = mean(&|_, y| (y - middle) * (y - middle));
        metrics.insert("rmse".into(), error.sqrt());
        metrics.insert("r2".into(), 1.0 - error / spread);
    }
    // R² of equal labels has no value.
    metrics.retain(|_, value| value.is_finite());
    metrics
}

/// The same of several classes: how often the largest margin is that of the right one, and the mean of what margins cost.
fn of_classes(test: &Dataset, w: &[f64], loss: Loss, classes: Classes) -> BTreeMap<String, f64> {
    let (mut total, mut right, mut cost) = (0.0, 0.0, 0.0);
    for i in 0..test.rows() {
        let (row, y, s) = (test.matrix.row(i), test.labels[i], test.weight(i));
        let z: Vec<f64> = w.chunks_exact(test.columns().max(1)).map(|w| row.dot(w)).collect();
        total += s;
        cost += s * classes.value(loss, &z, y);
        if largest(&z) as f64 == y {
            right += s;
        }
    }
    let metrics = [("accuracy", right / total), ("test_loss", cost / total)];
    metrics.into_iter().filter(|(_, value)| value.is_finite()).map(|(name, value)| (name.into(), value)).collect()
}

/// The names of the measures that apply to a loss.
pub fn names(loss: Loss) -> &'static [&'static str] {
    if loss.is_binary() { &["accuracy", "test_loss"] } else { &["r2", "rmse", "test_loss"] }
}

/// The class of a margin; a tie goes to +1.
pub fn decide(z: f64) -> f64 {
    if z < 0.0 { -1.0 } else { 1.0 }
}

/// Whether less of it is better.
pub fn is_loss(metric: &str) -> bool {
    matches!(metric, "test_loss" | "rmse" | "mae")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Matrix;

    #[test]
    fn weighted_rows_count_as_often_as_they_weigh() {
        let data = |z: &[f64], y: &[f64]| Dataset::new("test", Matrix::dense(1, z.to_vec()), y.to_vec());
        let weights = Some(vec![3.0, 1.0, 2.0]);
        for loss in [Loss::Logistic, Loss::Squared] {
            let (z, y) = ([0.5, -2.0, 1.5], [1.0, 1.0, -1.0]);
            let weighted = Dataset { weights: weights.clone(), ..data(&z, &y) };
            let repeated = data(&[0.5, 0.5, 0.5, -2.0, 1.5, 1.5], &[1.0, 1.0, 1.0, 1.0, -1.0, -1.0]);
            let (one, other) = (all(&weighted, &[1.0], loss, None), all(&repeated, &[1.0], loss, None));
            assert_eq!(one.len(), names(loss).len());
            for (name, value) in one {
                assert!((value - other[&name]).abs() < 1e-12, "{name}: {value} and {}", other[&name]);
            }
        }
    }
}
