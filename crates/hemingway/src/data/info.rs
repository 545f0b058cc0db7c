//! What a data set is, at a glance.

use serde::{Deserialize, Serialize};

use super::{Dataset, Matrix};

/// More distinct labels than this are summed up instead of listed.
pub(crate) const MOST_LABELS: usize = 10;

/// Sizes and labels of a data set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Info {
    /// Where it came from.
    pub name: String,
    /// Number of rows, n.
    pub rows: usize,
    /// Number of columns, d.
    pub columns: usize,
    /// Entries that are not zero.
    pub nonzeros: usize,
    /// Their share of all entries; 0 if there are none at all.
    pub density: f64,
    /// How it is kept in memory.
    pub storage: Storage,
    /// Whether values are kept as f32.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub f32: bool,
    /// Its labels.
    pub labels: LabelSummary,
    /// What its rows count for, if not all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<WeightSummary>,
}

/// How a matrix is kept in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Storage {
    /// Only what is not zero.
    Sparse,
    /// Every entry.
    Dense,
}

impl Storage {
    fn of(matrix: &Matrix) -> Self {
        match matrix {
            Matrix::Sparse { .. } => Self::Sparse,
            Matrix::Dense { .. } => Self::Dense,
        }
    }
}

/// The labels of a data set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LabelSummary {
    /// Few distinct ones, ascending.
    Counts(Vec<LabelCount>),
    /// Too many to list.
    Range {
        /// The smallest.
        min: f64,
        /// Their mean.
        mean: f64,
        /// The largest.
        max: f64,
    },
}

/// The weights of a data set.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WeightSummary {
    /// The smallest.
    pub min: f64,
    /// Their mean.
    pub mean: f64,
    /// The largest.
    pub max: f64,
}

/// How many rows carry a label.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LabelCount {
    /// The label.
    pub label: f64,
    /// Rows that carry it.
    pub rows: usize,
}

impl Info {
    /// Looks at every entry once.
    pub fn of(dataset: &Dataset) -> Self {
        let (rows, columns, nonzeros) = (dataset.rows(), dataset.columns(), dataset.matrix.nonzeros());
        let cells = (rows as f64 * columns as f64).max(1.0);
        let storage = Storage::of(&dataset.matrix);
        let (name, labels) = (dataset.name.clone(), LabelSummary::of(&dataset.labels));
        let weights = dataset.weights.as_deref().map(WeightSummary::of);
        let (density, f32) = (nonzeros as f64 / cells, dataset.matrix.is_f32());
        Self { name, rows, columns, nonzeros, density, storage, f32, labels, weights }
    }
}

impl Info {
    /// The same of rows of which several processes hold some each, kept alike; none has a weight.
    pub(crate) fn of_whole(held: &Dataset, nonzeros: usize, labels: &[f64]) -> Self {
        let (rows, columns) = (labels.len(), held.columns());
        let density = nonzeros as f64 / (rows as f64 * columns as f64).max(1.0);
        let (name, labels, f32) = (held.name.clone(), LabelSummary::of(labels), held.matrix.is_f32());
        Self { name, rows, columns, nonzeros, density, storage: Storage::of(&held.matrix), f32, labels, weights: None }
    }
}

impl LabelSummary {
    fn of(labels: &[f64]) -> Self {
        if let Some(counts) = count_labels(labels) {
            return Self::Counts(counts);
        }
        let (min, mean, max) = range(labels);
        Self::Range { min, mean, max }
    }
}

impl WeightSummary {
    fn of(weights: &[f64]) -> Self {
        let (min, mean, max) = range(weights);
        Self { min, mean, max }
    }
}

/// The least, the mean and the largest.
fn range(numbers: &[f64]) -> (f64, f64, f64) {
    let min = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let max = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Each is divided before it is added: the sum of finite numbers may not be finite.
    let mean = numbers.iter().map(|number| number / numbers.len() as f64).sum();
    (min, mean, max)
}

/// The distinct labels, ascending; nothing if there are more than can be listed.
pub(crate) fn count_labels(labels: &[f64]) -> Option<Vec<LabelCount>> {
    let mut counts: Vec<LabelCount> = Vec::new();
    for &label in labels {
        match counts.binary_search_by(|known| known.label.partial_cmp(&label).unwrap_or(std::cmp::Ordering::Less)) {
            Ok(k) => counts[k].rows += 1,
            Err(_) if counts.len() == MOST_LABELS => return None,
            Err(k) => counts.insert(k, LabelCount { label, rows: 1 }),
        }
    }
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dataset(labels: Vec<f64>) -> Dataset {
        let mut matrix = Matrix::sparse(4);
        labels.iter().for_each(|_| matrix.push_row([(1, 2.0)]));
        Dataset::new("some", matrix, labels)
    }

    #[test]
    fn few_labels_are_counted() {
        let json = serde_json::to_value(Info::of(&dataset(vec![1.0, -1.0, 1.0]))).unwrap();
        let counts = serde_json::json!([{"label": -1.0, "rows": 1}, {"label": 1.0, "rows": 2}]);
        assert_eq!(json["labels"]["counts"], counts);
        assert_eq!((&json["density"], &json["storage"]), (&0.25.into(), &"sparse".into()));
    }

    #[test]
    fn many_labels_are_summed_up() {
        let ten = LabelSummary::of(&(0..10).map(f64::from).collect::<Vec<_>>());
        assert!(matches!(ten, LabelSummary::Counts(counts) if counts.len() == 10));
        let eleven = LabelSummary::of(&(0..11).map(f64::from).collect::<Vec<_>>());
        let LabelSummary::Range { min, mean, max } = eleven else { panic!("{eleven:?}") };
        assert_eq!((min, max), (0.0, 10.0));
        assert!((mean - 5.0).abs() < 1e-12);
    }

    #[test]
    fn zero_has_no_sign() {
        assert_eq!(count_labels(&[0.0, -0.0]).unwrap().len(), 1);
    }
}
