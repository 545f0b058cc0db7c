//! Finding the labels and weights of rows: in a file of their own, in a column, or nowhere.

use std::path::{Path, PathBuf};

use super::{Array, Parsed};
use crate::data::{Dataset, Matrix, Reading, file, weights};
use crate::{Error, Result};

/// Rows whose labels are still to be settled.
pub(super) struct Unlabelled<'a> {
    pub(super) matrix: Matrix,
    /// Labels in the same file.
    pub(super) own: Option<Vec<f64>>,
    /// Weights in the same file.
    pub(super) own_weights: Option<Vec<f64>>,
    pub(super) path: &'a Path,
    pub(super) reading: &'a Reading,
}

impl Unlabelled<'_> {
    pub(super) fn with_labels(mut self) -> Result<Parsed> {
        let path = self.path;
        let wrong = |what| Error::file(path, what);
        let mut taken = Vec::new();
        let (labels, label_note) = self.labels(&mut taken)?;
        let (weights, weight_note) = self.weights(&mut taken).map_err(wrong)?;
        self.matrix = without(self.matrix, &taken);
        self.check(labels.len(), "labels").map_err(wrong)?;
        weights.as_ref().map_or(Ok(()), |weights| self.check(weights.len(), "weights")).map_err(wrong)?;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let dataset = Dataset { weights, ..Dataset::new(name, self.matrix.compact(), labels) };
        Ok(Parsed { dataset, notes: label_note.into_iter().chain(weight_note).collect() })
    }

    /// The labels; a column that holds them is noted as taken.
    fn labels(&mut self, taken: &mut Vec<u32>) -> Result<(Vec<f64>, Option<String>)> {
        if let Some(path) = &self.reading.labels.file {
            return from_file(path);
        }
        if let Some(column) = &self.reading.labels.column {
            let place = self.place(column, "--label").map_err(|what| Error::file(self.path, what))?;
            taken.push(place);
            return Ok((self.column(place), Some(format!("labels are column {column} (by --label)"))));
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

    /// The weights, if there are any; a column that holds them is noted as taken.
    fn weights(&mut self, taken: &mut Vec<u32>) -> Result<(Option<Vec<f64>>, Option<String>), String> {
        let Some(column) = self.reading.weights.column.as_ref().filter(|_| self.has_room(taken.len())) else {
            let own = self.own_weights.take();
            let note = own.is_some().then(|| "weights are in the same file".into());
            return Ok((own, note));
        };
        let place = self.place(column, "--weight")?;
        if taken.contains(&place) {
            return Err(format!("column {column} cannot be both the labels and the weights"));
        }
        taken.push(place);
        let found = self.column(place);
        for (row, weight) in (1..).zip(&found) {
            weights::check(*weight).map_err(|what| format!("row {row}: {what}"))?;
        }
        Ok((Some(found), Some(format!("weights are column {column} (by --weight)"))))
    }

    /// Whether a column of weights is there: in a companion it may not be.
    fn has_room(&self, taken: usize) -> bool {
        let missing = |columns: usize| self.reading.unweighted && self.matrix.columns() <= columns + taken;
        !self.reading.like.as_ref().is_some_and(|like| missing(like.columns))
    }

    /// The column of this number, as long as it is not the only one.
    fn place(&self, column: &str, flag: &str) -> Result<u32, String> {
        let columns = self.matrix.columns();
        let place = column.parse().ok().filter(|n: &usize| (1..=columns).contains(n) && columns > 1);
        let place =
            place.ok_or_else(|| format!("has no column `{column}` for {flag}; it has columns 1 to {columns}"))?;
        Ok((place - 1) as u32)
    }

    fn column(&self, place: u32) -> Vec<f64> {
        let cell = |i| self.matrix.row(i).iter().find(|(j, _)| *j == place).map_or(0.0, |(_, value)| value);
        (0..self.matrix.rows()).map(cell).collect()
    }

    fn check(&self, found: usize, what: &str) -> Result<(), String> {
        let (rows, columns) = (self.matrix.rows(), self.matrix.columns());
        if columns == 0 {
            return Err("holds no columns beside labels and weights".into());
        }
        if found != rows {
            return Err(format!("holds {rows} rows, but there are {found} {what}; give one a row"));
        }
        match &self.reading.like {
            Some(like) if like.columns != columns => {
                Err(format!("holds {columns} columns beside the labels, the training data {}", like.columns))
            }
            _ => Ok(()),
        }
    }
}

/// The other columns, if any were taken.
fn without(matrix: Matrix, taken: &[u32]) -> Matrix {
    if taken.is_empty() {
        return matrix;
    }
    let mut rest = Matrix::sparse(matrix.columns() - taken.len());
    let before = |j: u32| taken.iter().filter(|place| **place < j).count() as u32;
    for i in 0..matrix.rows() {
        let others = matrix.row(i).iter().filter(|(j, value)| !taken.contains(j) && *value != 0.0);
        rest.push_row(others.map(|(j, value)| (j - before(j), value)));
    }
    rest
}

/// One weight a row.
pub(super) fn weights(array: Array, name: &str) -> Result<Vec<f64>, String> {
    let values = column(array, name, "weight")?;
    for (i, weight) in values.iter().enumerate() {
        weights::check(*weight).map_err(|what| format!("{name}[{i}]: {what}"))?;
    }
    Ok(values)
}

/// One number a row, as numpy keeps them: n or n × 1.
pub(super) fn column(array: Array, name: &str, what: &str) -> Result<Vec<f64>, String> {
    let (_, 1) = array.size().unwrap_or_default() else {
        return Err(format!("array `{name}` has shape {:?}; expected one {what} a row", array.shape));
    };
    match array.values.iter().position(|value| !value.is_finite()) {
        Some(i) => Err(format!("{name}[{i}] is {}; fill it in or leave the row out", array.values[i])),
        None => Ok(array.values),
    }
}

fn from_file(path: &Path) -> Result<(Vec<f64>, Option<String>)> {
    let labels = Array::read(&mut file::open(path)?).and_then(|array| column(array, "y", "label"));
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
