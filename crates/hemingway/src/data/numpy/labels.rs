//! Finding the labels of rows: in a file of their own, in a column, or nowhere.

use std::path::{Path, PathBuf};

use super::{Array, Parsed};
use crate::data::{Dataset, Matrix, Reading, file};
use crate::{Error, Result};

/// Rows whose labels are still to be settled.
pub(super) struct Unlabelled<'a> {
    pub(super) matrix: Matrix,
    /// Labels in the same file.
    pub(super) own: Option<Vec<f64>>,
    pub(super) path: &'a Path,
    pub(super) reading: &'a Reading,
}

impl Unlabelled<'_> {
    pub(super) fn with_labels(mut self) -> Result<Parsed> {
        let (labels, note) = self.labels()?;
        self.check(&labels).map_err(|what| Error::file(self.path, what))?;
        let name = self.path.file_name().unwrap_or(self.path.as_os_str()).to_string_lossy().into_owned();
        let dataset = Dataset::new(name, self.matrix.compact(), labels);
        Ok(Parsed { dataset, notes: note.into_iter().collect() })
    }

    fn labels(&mut self) -> Result<(Vec<f64>, Option<String>)> {
        if let Some(path) = &self.reading.labels.file {
            return from_file(path);
        }
        if let Some(column) = &self.reading.labels.column {
            let labels = self.take_column(column).map_err(|what| Error::file(self.path, what))?;
            return Ok((labels, Some(format!("labels are column {column} (by --label)"))));
        }
        if let Some(labels) = self.own.take() {
            return Ok((labels, None));
        }
        if let Some(path) = beside(self.path) {
            return from_file(&path);
        }
        if self.reading.unlabelled {
            return Ok((vec![0.0; self.matrix.rows()], None));
        }
        let what =
            "holds no labels; name the column with --label N or their file with --labels y.npy, or add an array `y`";
        Err(Error::file(self.path, what))
    }

    fn take_column(&mut self, column: &str) -> Result<Vec<f64>, String> {
        let columns = self.matrix.columns();
        let place = column.parse().ok().filter(|n: &usize| (1..=columns).contains(n) && columns > 1);
        let place =
            place.ok_or_else(|| format!("has no column `{column}` for --label; it has columns 1 to {columns}"))?;
        let place = (place - 1) as u32;
        let mut rest = Matrix::sparse(columns - 1);
        let mut labels = Vec::with_capacity(self.matrix.rows());
        for i in 0..self.matrix.rows() {
            let row = self.matrix.row(i);
            labels.push(row.iter().find(|(j, _)| *j == place).map_or(0.0, |(_, value)| value));
            let others = row.iter().filter(|(j, value)| *j != place && *value != 0.0);
            rest.push_row(others.map(|(j, value)| (j - u32::from(j > place), value)));
        }
        self.matrix = rest;
        Ok(labels)
    }

    fn check(&self, labels: &[f64]) -> Result<(), String> {
        let (rows, columns) = (self.matrix.rows(), self.matrix.columns());
        if labels.len() != rows {
            return Err(format!("holds {rows} rows, but there are {} labels", labels.len()));
        }
        match &self.reading.like {
            Some(like) if like.columns != columns => {
                Err(format!("holds {columns} columns beside the labels, the training data {}", like.columns))
            }
            _ => Ok(()),
        }
    }
}

/// One label a row, as numpy keeps them: n or n × 1.
pub(super) fn column(array: Array, name: &str) -> Result<Vec<f64>, String> {
    let (_, 1) = array.size().unwrap_or_default() else {
        return Err(format!("array `{name}` has shape {:?}; expected one label a row", array.shape));
    };
    match array.values.iter().position(|value| !value.is_finite()) {
        Some(i) => Err(format!("{name}[{i}] is {}; fill it in or leave the row out", array.values[i])),
        None => Ok(array.values),
    }
}

fn from_file(path: &Path) -> Result<(Vec<f64>, Option<String>)> {
    let labels = Array::read(&mut file::open(path)?).and_then(|array| column(array, "y"));
    let labels = labels.map_err(|what| Error::file(path, what))?;
    Ok((labels, Some(format!("labels are from {}", path.display()))))
}

/// `X_train.npy` has its labels in `y_train.npy`, if that is there.
fn beside(path: &Path) -> Option<PathBuf> {
    let stem = path.file_stem()?.to_str()?;
    let apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let is_word = |at: usize| apart(stem[..at].chars().next_back()) && apart(stem[at + 1..].chars().next());
    let (at, _) = stem.match_indices(['X', 'x']).find(|(at, _)| is_word(*at))?;
    let labels = path.with_file_name(format!("{}y{}.npy", &stem[..at], &stem[at + 1..]));
    labels.is_file().then_some(labels)
}
