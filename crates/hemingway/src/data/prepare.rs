//! Making data ready to train on, and any other data ready for the model that came of it.
//!
//! What is learnt from the training set — its width, the scale of its columns, which label is which — is kept as
//! [`Rules`] and goes with the model: a test set must be changed by the same numbers, not by its own.

mod labels;

use serde::{Deserialize, Serialize};

use super::libsvm::Base;
use super::matrix::{Precision, Value, Values, dot, either};
use super::{Dataset, Like, Matrix};
use crate::problem::Scheme;
use crate::{Error, Result};
pub use labels::LabelRule;
pub(crate) use labels::{are_numbers, distinct};

/// What to divide by before training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Normalize {
    /// Each row by its length: ‖x‖₂ = 1. Empty rows stay empty.
    Rows,
    /// Each column by its largest absolute value. Nothing is shifted, so that zeros stay zeros.
    Columns,
}

/// What the user asked for.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Preparation {
    /// `--normalize`.
    pub normalize: Option<Normalize>,
    /// `--positive`: this label against the rest.
    pub positive: Option<f64>,
    /// `--classes`: how more than two are told apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<Scheme>,
    /// `--intercept`: a last column of ones, added after any normalization.
    pub intercept: bool,
    /// `--storage`: how values are kept.
    #[serde(skip_serializing_if = "Precision::is_auto")]
    pub storage: Precision,
}

/// Data ready to train on.
#[derive(Debug, Clone, PartialEq)]
pub struct Prepared {
    /// The data, its matrix in the form its density asks for.
    pub dataset: Dataset,
    /// What was done, to be kept with the model.
    pub rules: Rules,
    /// Sentences to say aloud.
    pub notes: Vec<String>,
}

/// What was done to the training data and must be done to all data that its model sees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rules {
    /// Columns of the training data, the intercept's not counted.
    pub columns: usize,
    /// Their names, where they have any: other data is read by them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<Vec<String>>,
    /// Rows are divided by their length.
    pub unit_rows: bool,
    /// Columns are divided by these numbers, if any.
    pub scales: Option<Vec<f64>>,
    /// A column of ones is added at the end.
    pub intercept: bool,
    /// What becomes of labels.
    pub labels: LabelRule,
}

/// Learns the rules from training data and applies them. `binary` problems have their labels made ±1, or, if there are more
/// than two, numbers of classes.
pub fn prepare(dataset: Dataset, preparation: &Preparation, binary: bool) -> Result<Prepared> {
    let largest = || largest_by_column(&dataset.matrix);
    let rules = Rules::learn(&dataset.labels, &dataset.name, dataset.columns(), largest, preparation, binary)?;
    let (mut dataset, mut notes) = rules.apply(dataset)?;
    notes.extend(preparation.note());
    dataset.matrix = preparation.kept(dataset.matrix, &dataset.name)?;
    Ok(Prepared { dataset, rules, notes })
}

impl Preparation {
    /// Rows as they are to be kept; `name` is for the message.
    pub(crate) fn kept(&self, matrix: Matrix, name: &str) -> Result<Matrix> {
        matrix.kept_as(self.storage).map_err(|what| Error::file(name, what))
    }

    /// What there is to say of how values are kept.
    pub(crate) fn note(&self) -> Option<String> {
        (self.storage == Precision::F32).then(|| "values are rounded to f32".into())
    }
}

impl Rules {
    /// From all labels of the data of this name, the number of columns and, where it matters, the largest absolute value
    /// in each.
    pub(crate) fn learn(
        labels: &[f64],
        name: &str,
        columns: usize,
        largest: impl FnOnce() -> Vec<f64>,
        preparation: &Preparation,
        binary: bool,
    ) -> Result<Self> {
        Ok(Self {
            columns,
            names: None,
            unit_rows: preparation.normalize == Some(Normalize::Rows),
            scales: (preparation.normalize == Some(Normalize::Columns)).then(largest),
            intercept: preparation.intercept,
            labels: LabelRule::learn(labels, name, preparation, binary)?,
        })
    }

    /// How companions of the training data are to be read.
    pub fn like(&self, base: Option<Base>) -> Like {
        Like { base, columns: self.columns, names: self.names.clone() }
    }

    /// Does to other data, such as a test set, what was done to the training data.
    pub fn apply(&self, dataset: Dataset) -> Result<(Dataset, Vec<String>)> {
        let name = dataset.name;
        let (matrix, mut notes) = self.apply_to_rows(dataset.matrix).map_err(|what| Error::file(&name, what))?;
        let labels: Option<_> = dataset.labels.iter().map(|&y| self.labels.apply(y)).collect();
        let labels = labels.ok_or_else(|| Error::file(&name, self.labels.complaint(&dataset.labels)))?;
        notes.extend(self.labels.note());
        Ok((Dataset { name, matrix, labels, weights: dataset.weights }, notes))
    }

    /// The same for rows whose labels do not matter, as in prediction. Missing columns are zero; columns that the
    /// training data did not have carry no weight and are dropped, with a note, before anything else.
    ///
    /// # Errors
    /// The sentence to show, if the numbers do not survive the scaling.
    pub fn apply_to_rows(&self, matrix: Matrix) -> Result<(Matrix, Vec<String>), String> {
        self.apply_to_some(matrix).map(|(matrix, notes)| (matrix.compact(), notes))
    }

    /// The same for some of the rows, which stay in the form that all of them have.
    pub(crate) fn apply_to_some(&self, matrix: Matrix) -> Result<(Matrix, Vec<String>), String> {
        let mut notes = Vec::new();
        let (mut matrix, note) = fit_columns(matrix, self.columns);
        notes.extend(note);
        if self.unit_rows {
            unit_rows(&mut matrix);
            notes.push("rows are scaled to length 1".into());
        }
        if let Some(scales) = &self.scales {
            divide_columns(&mut matrix, scales)?;
            notes.push("columns are divided by their largest absolute value in the training data".into());
        }
        if self.intercept {
            matrix = with_ones(matrix)?;
            notes.push("the last column is the intercept".into());
        }
        Ok((matrix, notes))
    }
}

/// The matrix with this many columns: padded with zeros, or with the last columns dropped; the note says which.
pub fn fit_columns(matrix: Matrix, columns: usize) -> (Matrix, Option<String>) {
    let had = matrix.columns();
    if had == columns {
        return (matrix, None);
    }
    let mut out = Matrix::sparse(columns);
    for i in 0..matrix.rows() {
        out.push_row(matrix.row(i).iter().filter(|(j, v)| (*j as usize) < columns && *v != 0.0));
    }
    let lost = matrix.nonzeros() - out.stored();
    let note = if had > columns {
        let entries = if lost == 1 { "entry" } else { "entries" };
        format!("left out: {} beyond the {columns} of the training data, {lost} {entries} in all", more(had - columns))
    } else {
        let rest = more(columns - had);
        format!("taken as 0: {rest} beyond the {had} of this data, since the training data had {columns}")
    };
    (out.compact(), Some(note))
}

fn more(columns: usize) -> String {
    format!("{columns} column{}", if columns == 1 { "" } else { "s" })
}

fn largest_by_column(matrix: &Matrix) -> Vec<f64> {
    let mut largest = vec![0_f64; matrix.columns()];
    for i in 0..matrix.rows() {
        matrix.row(i).iter().for_each(|(j, v)| largest[j as usize] = largest[j as usize].max(v.abs()));
    }
    as_scales(largest)
}

/// What columns are divided by: an empty one stays as it is.
pub(crate) fn as_scales(mut largest: Vec<f64>) -> Vec<f64> {
    largest.iter_mut().filter(|v| **v == 0.0).for_each(|v| *v = 1.0);
    largest
}

/// The stored values of each row, to change in place.
fn row_values(matrix: &mut Matrix) -> Vec<&mut [f64]> {
    match matrix {
        Matrix::Dense { columns, values, .. } => values.widened().chunks_exact_mut((*columns).max(1)).collect(),
        Matrix::Sparse { starts, values, .. } => {
            let mut rest = values.widened().as_mut_slice();
            let mut cut = |pair: &[usize]| {
                let (row, tail) = std::mem::take(&mut rest).split_at_mut(pair[1] - pair[0]);
                rest = tail;
                row
            };
            starts.windows(2).map(&mut cut).collect()
        }
    }
}

/// By the largest entry first: the square of 1e200 is not a number, that of 1 is.
fn unit_rows(matrix: &mut Matrix) {
    for row in row_values(matrix) {
        let largest = row.iter().fold(0_f64, |most, v| most.max(v.abs()));
        if largest > 0.0 {
            row.iter_mut().for_each(|v| *v /= largest);
            let length = dot(row, row).sqrt();
            row.iter_mut().for_each(|v| *v /= length);
        }
    }
}

fn divide_columns(matrix: &mut Matrix, scales: &[f64]) -> Result<(), String> {
    if scales.len() != matrix.columns() {
        return Err(format!("the model has scales for {} columns, not {}", scales.len(), matrix.columns()));
    }
    match matrix {
        Matrix::Dense { columns, values, .. } => {
            values
                .widened()
                .chunks_exact_mut((*columns).max(1))
                .for_each(|row| row.iter_mut().zip(scales).for_each(|(v, s)| *v /= s));
        }
        Matrix::Sparse { indices, values, .. } => {
            values.widened().iter_mut().zip(indices).for_each(|(v, j)| *v /= scales[*j as usize]);
        }
    }
    let fine = matrix.values().iter().all(f64::is_finite);
    fine.then_some(()).ok_or_else(|| "a value is too large for the scale of its column in the training data".into())
}

/// A last column of ones, each behind its row; what stands there already makes room from the end on.
fn with_ones(matrix: Matrix) -> Result<Matrix, String> {
    let (n, columns) = (matrix.rows(), matrix.columns());
    let last = u32::try_from(columns).map_err(|_| format!("{columns} columns leave no room for the intercept"))?;
    Ok(match matrix {
        Matrix::Sparse { mut starts, mut indices, mut values, .. } => {
            append_to_rows(&mut indices, n, |i| starts[i], last);
            either!(Values, &mut values, values => append_to_rows(values, n, |i| starts[i], Value::nearest(1.0)));
            starts.iter_mut().enumerate().for_each(|(i, start)| *start += i);
            Matrix::Sparse { columns: columns + 1, starts, indices, values }
        }
        Matrix::Dense { rows, mut values, .. } => {
            either!(Values, &mut values, values => append_to_rows(values, n, |i| i * columns, Value::nearest(1.0)));
            Matrix::Dense { rows, columns: columns + 1, values }
        }
    })
}

/// One entry behind each of `rows` rows, of which `start` tells where they begin.
fn append_to_rows<T: Copy>(entries: &mut Vec<T>, rows: usize, start: impl Fn(usize) -> usize, entry: T) {
    entries.reserve_exact(rows);
    entries.resize(entries.len() + rows, entry);
    for i in (0..rows).rev() {
        let row = start(i)..start(i + 1);
        entries.copy_within(row.clone(), row.start + i);
        entries[row.end + i] = entry;
    }
}

#[cfg(test)]
mod tests;
