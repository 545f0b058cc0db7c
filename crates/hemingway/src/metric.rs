//! What a model is worth on a test set.

use std::collections::BTreeMap;

use crate::data::Dataset;
use crate::problem::Loss;

/// Every measure that applies: accuracy for classes, RMSE and R² for numbers, and the mean loss.
pub fn all(test: &Dataset, w: &[f64], loss: Loss) -> BTreeMap<String, f64> {
    let n = test.rows() as f64;
    let pairs: Vec<(f64, f64)> = (0..test.rows()).map(|i| (test.matrix.row(i).dot(w), test.labels[i])).collect();
    let mut metrics = BTreeMap::new();
    metrics.insert("test_loss".into(), pairs.iter().map(|&(z, y)| loss.value(z, y)).sum::<f64>() / n);
    if loss.is_binary() {
        let right = pairs.iter().filter(|(z, y)| decide(*z) == *y).count();
        metrics.insert("accuracy".into(), right as f64 / n);
    } else {
        let mean = pairs.iter().map(|(_, y)| y).sum::<f64>() / n;
        let error = pairs.iter().map(|(z, y)| (z - y) * (z - y)).sum::<f64>() / n;
        let spread = pairs.iter().map(|(_, y)| (y - mean) * (y - mean)).sum::<f64>() / n;
        metrics.insert("rmse".into(), error.sqrt());
        metrics.insert("r2".into(), 1.0 - error / spread);
    }
    // R² of equal labels has no value.
    metrics.retain(|_, value| value.is_finite());
    metrics
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
    matches!(metric, "test_loss" | "rmse")
}
