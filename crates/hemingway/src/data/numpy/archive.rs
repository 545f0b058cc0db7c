//! Arrays by name in a zip archive, and SciPy's sparse matrix among them.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use zip::ZipArchive;

use super::Array;
use crate::data::Matrix;
use crate::{Error, Result};

/// An open `.npz` file.
pub(super) struct Archive {
    zip: ZipArchive<BufReader<File>>,
}

impl Archive {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let file = BufReader::new(File::open(path).map_err(Error::io(path))?);
        let zip = ZipArchive::new(file)
            .map_err(|error| Error::file(path, format!("not a whole npz archive: {error}; fetch or save it again")))?;
        Ok(Self { zip })
    }

    /// The arrays in it.
    pub(super) fn names(&self) -> Vec<String> {
        let readable = self.zip.file_names().filter_map(|name| name.ok());
        readable.map(|name| name.strip_suffix(".npy").unwrap_or(&name).into()).collect()
    }

    /// The first of these names that is there.
    pub(super) fn find(&self, names: &[&str]) -> Option<String> {
        let there = self.names();
        names.iter().map(|name| (*name).to_string()).find(|name| there.contains(name))
    }

    /// Reads an array.
    pub(super) fn array(&mut self, name: &str) -> Result<Array, String> {
        let mut file = self.zip.by_name(&format!("{name}.npy")).map_err(|error| format!("array `{name}`: {error}"))?;
        Array::read(&mut file).map_err(|what| format!("array `{name}`: {what}"))
    }

    fn letters(&mut self, name: &str) -> Result<String, String> {
        let mut file = self.zip.by_name(&format!("{name}.npy")).map_err(|error| format!("array `{name}`: {error}"))?;
        Array::read_letters(&mut file).map_err(|what| format!("array `{name}`: {what}"))
    }
}

/// The sparse matrix that `scipy.sparse.save_npz` wrote.
pub(super) fn csr(archive: &mut Archive) -> Result<Matrix, String> {
    let format = archive.letters("format")?;
    if format != "csr" {
        let format = format.escape_debug();
        return Err(format!("holds a sparse matrix as `{format}`; save it by rows: save_npz(path, X.tocsr())"));
    }
    let [rows, columns] = whole(archive.array("shape")?, "shape")?[..] else {
        return Err("array `shape` does not hold rows and columns".into());
    };
    if rows == 0 || columns == 0 || columns > 1 << 32 {
        return Err(format!("holds {rows} rows and {columns} columns: nothing to train on"));
    }
    let entries = Entries {
        starts: whole(archive.array("indptr")?, "indptr")?,
        indices: whole(archive.array("indices")?, "indices")?,
        values: archive.array("data")?.values,
    };
    entries.check(rows, columns)?;
    entries.matrix(columns)
}

/// Whole numbers, none of them negative.
fn whole(array: Array, name: &str) -> Result<Vec<usize>, String> {
    let fits = |value: &f64| value.fract() == 0.0 && (0.0..9e15).contains(value);
    match array.values.iter().find(|value| !fits(value)) {
        Some(value) => Err(format!("array `{name}` holds {value}; expected whole numbers from 0")),
        None => Ok(array.values.iter().map(|value| *value as usize).collect()),
    }
}

/// The arrays of a sparse matrix.
struct Entries {
    starts: Vec<usize>,
    indices: Vec<usize>,
    values: Vec<f64>,
}

impl Entries {
    fn check(&self, rows: usize, columns: usize) -> Result<(), String> {
        let Self { starts, indices, values } = self;
        let ascending = starts.first() == Some(&0) && starts.is_sorted();
        if starts.len() != rows + 1 || !ascending || starts.last() != Some(&indices.len()) {
            return Err(format!("array `indptr` does not cut {} entries into {rows} rows", indices.len()));
        }
        if indices.len() != values.len() {
            return Err(format!("holds {} indices for {} values", indices.len(), values.len()));
        }
        if let Some(j) = indices.iter().find(|j| **j >= columns) {
            return Err(format!("array `indices` holds {j}, beyond the {columns} columns"));
        }
        match values.iter().position(|value| !value.is_finite()) {
            Some(k) => Err(format!("array `data` holds {} at {k}; fill it in or leave the row out", values[k])),
            None => Ok(()),
        }
    }

    fn matrix(&self, columns: usize) -> Result<Matrix, String> {
        let mut matrix = Matrix::sparse(columns);
        for (i, pair) in self.starts.windows(2).enumerate() {
            let range = pair[0]..pair[1];
            let indices = self.indices[range.clone()].iter().map(|j| *j as u32);
            let mut row: Vec<(u32, f64)> = indices.zip(self.values[range].iter().copied()).collect();
            row.sort_by_key(|(j, _)| *j);
            if let Some(twins) = row.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                let j = twins[0].0;
                return Err(format!("row {i} holds column {j} twice; call X.sum_duplicates() before saving"));
            }
            matrix.push_row(row.into_iter().filter(|(_, value)| *value != 0.0));
        }
        Ok(matrix)
    }
}
