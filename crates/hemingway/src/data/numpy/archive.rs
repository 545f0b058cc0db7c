//! Arrays by name in a zip archive, and SciPy's sparse matrix among them.

use std::fs::File;
use std::io::{BufReader, Read};
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
        self.read(name, |file| Array::read(file))
    }

    /// Reads whole numbers, none of them negative.
    fn whole<T: Copy + TryFrom<u64>>(&mut self, name: &str) -> Result<Vec<T>, String> {
        let make = |value: f64| {
            let fits = value.fract() == 0.0 && (0.0..9e15).contains(&value);
            let made = fits.then_some(value as u64).and_then(|value| T::try_from(value).ok());
            made.ok_or_else(|| format!("holds {value}, which cannot be a place or a size"))
        };
        self.read(name, |file| Array::read_as(file, make)).map(|array| array.values)
    }

    fn read<T>(&mut self, name: &str, read: impl FnOnce(&mut dyn Read) -> Result<T, String>) -> Result<T, String> {
        let file = self.zip.by_name(&format!("{name}.npy"));
        let mut file = file.map_err(|error| format!("array `{name}`: {error}; save it again"))?;
        read(&mut file).map_err(|what| format!("array `{name}`: {what}"))
    }
}

/// The arrays that make a sparse matrix.
const PARTS: [&str; 5] = ["indptr", "indices", "data", "shape", "format"];

/// Whether it seems to hold a sparse matrix, in whatever format: only some have `indices`.
pub(super) fn is_sparse(archive: &Archive) -> bool {
    let has = |part: &str| archive.find(&[part]).is_some();
    has("indices") || (has("format") && has("shape"))
}

/// The sparse matrix that `scipy.sparse.save_npz` wrote.
pub(super) fn csr(archive: &mut Archive) -> Result<Matrix, String> {
    check_format(archive)?;
    if let Some(missing) = PARTS.iter().find(|part| archive.find(&[part]).is_none()) {
        return Err(format!("holds a sparse matrix without its array `{missing}`; save it with save_npz(path, X)"));
    }
    let [rows, columns] = archive.whole::<usize>("shape")?[..] else {
        return Err("array `shape` does not hold rows and columns".into());
    };
    if rows == 0 || columns == 0 || columns > 1 << 32 {
        return Err(format!("holds {rows} rows and {columns} columns: nothing to train on"));
    }
    let entries = Entries {
        starts: archive.whole("indptr")?,
        indices: archive.whole("indices")?,
        values: archive.array("data")?.values,
    };
    entries.check(rows, columns)?;
    entries.into_matrix(columns)?.not_too_wide()
}

/// Other formats consist of other arrays.
fn check_format(archive: &mut Archive) -> Result<(), String> {
    let Some(format) = archive.find(&["format"]) else { return Ok(()) };
    match archive.read(&format, |file| Array::read_letters(file))?.as_str() {
        "csr" => Ok(()),
        other => {
            let other = other.escape_debug();
            Err(format!("holds a sparse matrix as `{other}`; save it by rows: save_npz(path, X.tocsr())"))
        }
    }
}

/// The arrays of a sparse matrix.
struct Entries {
    starts: Vec<usize>,
    indices: Vec<u32>,
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
        if let Some(j) = indices.iter().find(|j| **j as usize >= columns) {
            return Err(format!("array `indices` holds {j}, beyond the {columns} columns"));
        }
        match values.iter().position(|value| !value.is_finite()) {
            Some(k) => Err(format!("array `data` holds {} at {k}; fill it in or leave the row out", values[k])),
            None => Ok(()),
        }
    }

    fn into_matrix(self, columns: usize) -> Result<Matrix, String> {
        let Self { starts, indices, values } = self;
        let ascending = |pair: &[usize]| indices[pair[0]..pair[1]].is_sorted_by(|a, b| a < b);
        if starts.windows(2).all(ascending) && !values.contains(&0.0) {
            return Ok(Matrix::Sparse { columns, starts, indices, values: values.into() });
        }
        Self { starts, indices, values }.in_order(columns)
    }

    /// Row by row, what SciPy leaves as it came: entries in any order, and zeros.
    fn in_order(&self, columns: usize) -> Result<Matrix, String> {
        let mut matrix = Matrix::sparse(columns);
        for (i, pair) in self.starts.windows(2).enumerate() {
            let range = pair[0]..pair[1];
            let indices = self.indices[range.clone()].iter().copied();
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
