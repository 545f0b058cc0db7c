//! NumPy's files: `.npy` (one array of rows) and `.npz` (rows and labels by name, dense or as SciPy's sparse CSR).
//!
//! Labels are, in this order: what `--labels` names, the column that `--label` names, the array `y` of the same file,
//! or the file beside it whose name has a `y` where this one has an `X`. Weights are the column that `--weight` names, or
//! the array `weights` or `sample_weight` of the same file.

mod archive;
mod array;
mod labels;
mod write;

use std::io::Read;
use std::path::Path;

use super::{Dataset, Matrix, Reading};
use crate::{Error, Result};
use archive::Archive;
use array::Array;
pub(super) use array::MAGIC;
use labels::Unlabelled;
pub(crate) use write::Arrays as Written;
pub use write::write;

/// First bytes of an archive of arrays.
pub(super) const ARCHIVE: &[u8] = b"PK\x03\x04";

/// What a file held.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// Rows and labels, the matrix in the form its density asks for.
    pub dataset: Dataset,
    /// Sentences to say aloud.
    pub notes: Vec<String>,
}

/// Reads an array of rows; `path` is for messages, the name and the labels beside it.
pub fn parse(mut input: impl Read, path: &Path, reading: &Reading) -> Result<Parsed> {
    let rows = Array::read(&mut input).and_then(|array| dense(array, "its array"));
    let matrix = rows.map_err(|what| Error::file(path, what))?;
    Unlabelled { matrix, own: None, own_weights: None, path, reading }.with_labels()
}

/// Reads an array of weights.
///
/// # Errors
/// The sentence to show.
pub(super) fn weights(input: &mut impl Read) -> Result<Vec<f64>, String> {
    labels::weights(Array::read(input)?, "weights")
}

/// Reads an archive of arrays: `X` and `y`, or what `scipy.sparse.save_npz` writes, with or without a `y`.
pub fn read_archive(path: &Path, reading: &Reading) -> Result<Parsed> {
    let archive = Archive::open(path)?;
    let (matrix, own, own_weights) = rows_and_labels(archive).map_err(|what| Error::file(path, what))?;
    Unlabelled { matrix, own, own_weights, path, reading }.with_labels()
}

/// Rows, labels and weights.
type Arrays = (Matrix, Option<Vec<f64>>, Option<Vec<f64>>);

fn rows_and_labels(mut archive: Archive) -> Result<Arrays, String> {
    let rows = archive.find(&["X", "x"]);
    let sparse = archive.find(&["indptr"]).is_some() || (rows.is_none() && archive::is_sparse(&archive));
    let matrix = if sparse {
        archive::csr(&mut archive)?
    } else {
        let name = rows.ok_or_else(|| {
            let names = archive.names().join(", ");
            format!("holds no array `X` of rows, only: {names}; save it with numpy.savez(path, X=X, y=y)")
        })?;
        dense(archive.array(&name)?, &name)?
    };
    let own = archive.find(&["y", "Y", "labels", "label", "target"]);
    let own =
        own.map(|name| archive.array(&name).and_then(|array| labels::column(array, &name, "label"))).transpose()?;
    let weights = archive.find(&["weights", "weight", "sample_weight", "sample_weights"]);
    let weights = weights.map(|name| archive.array(&name).and_then(|array| labels::weights(array, &name)));
    Ok((matrix, own, weights.transpose()?))
}

fn dense(array: Array, name: &str) -> Result<Matrix, String> {
    let &[rows, columns] = array.shape.as_slice() else {
        return Err(format!("{name} has shape {:?}; expected rows and columns: X.reshape(len(X), -1)", array.shape));
    };
    if rows == 0 || columns == 0 || u32::try_from(columns).is_err() {
        return Err(format!("{name} has {rows} rows and {columns} columns: nothing to train on"));
    }
    match array.values.iter().position(|value| !value.is_finite()) {
        Some(k) => {
            let (i, j, value) = (k / columns, k % columns, array.values[k]);
            Err(format!("{name}[{i}, {j}] is {value}; fill it in or leave the row out"))
        }
        None => Ok(Matrix::Dense { rows, columns, values: array.values.into() }),
    }
}

#[cfg(test)]
mod tests;
