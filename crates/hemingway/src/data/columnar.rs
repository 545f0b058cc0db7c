//! Tables of numbers as Parquet: every column a feature but that of the labels and, where `--weight` names it, that of the
//! weights. Groups of rows are decoded side by side.

mod column;
pub(crate) mod pages;
mod write;

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};

use super::csv::Parsed;
use super::layout::{Layout, Role};
use super::{Dataset, Matrix, Reading, weights};
use crate::engine::cores;
use crate::{Error, Result};
pub use write::write;

/// How pandas begins the names of columns that only count rows.
const INDEX: &str = "__index_level_";

/// Reads a file; labels and weights are found as in a table of text with a header.
pub fn read(path: &Path, reading: &Reading) -> Result<Parsed> {
    // The reader beneath asserts what a damaged file may break; here that is an error like any other.
    catch_unwind(|| decode(path, reading)).unwrap_or_else(|_| Err(damaged(path)))
}

fn decode(path: &Path, reading: &Reading) -> Result<Parsed> {
    let (handle, file) = open(path)?;
    pages::check_rows(&handle, file.metadata()).map_err(|what| Error::file(path, what))?;
    let names = names(&file);
    let width = names.len();
    if width == 0 {
        return Err(Error::file(path, "holds no columns"));
    }
    let layout = Layout::of(Some(names), width, reading).map_err(|what| Error::file(path, what))?;
    let table = Table { path, layout: &layout };
    table.check(&file)?;
    let mut rows = Rows::new(table);
    table.read_groups(file.num_row_groups(), &mut rows)?;
    let dataset = rows.finish()?;
    Ok(Parsed { dataset, names: layout.names, notes: layout.notes })
}

/// The file and the reader of it, which keeps a handle of its own.
fn open(path: &Path) -> Result<(File, SerializedFileReader<File>)> {
    let open = || File::open(path).map_err(Error::io(path));
    let reader = SerializedFileReader::new(open()?).map_err(|error| broken(path, &error))?;
    Ok((open()?, reader))
}

fn broken(path: &Path, error: &ParquetError) -> Error {
    Error::file(path, format!("not a whole Parquet file: {error}; write it again"))
}

fn damaged(path: &Path) -> Error {
    Error::file(path, "the Parquet file is damaged; write it again")
}

/// What the columns are called; those that count rows have no name.
fn names(file: &SerializedFileReader<File>) -> Vec<String> {
    let columns = file.metadata().file_metadata().schema_descr().columns().iter();
    let name = |name: String| if name.starts_with(INDEX) { String::new() } else { name };
    columns.map(|column| name(column.path().string())).collect()
}

/// A file and what its columns are for.
#[derive(Clone, Copy)]
struct Table<'a> {
    path: &'a Path,
    layout: &'a Layout,
}

/// One group of rows, column by column as in the file; nothing of those left out.
type Group = Vec<Vec<f64>>;

impl Table<'_> {
    /// Refuses columns that are no numbers before any of them is read.
    fn check(self, file: &SerializedFileReader<File>) -> Result<()> {
        let described = file.metadata().file_metadata().schema_descr();
        for (place, role) in self.layout.roles.iter().enumerate().filter(|(_, role)| **role != Role::Ignored) {
            let what = column::check(&described.column(place), *role == Role::Label);
            what.map_err(|what| Error::file(self.path, format!("{} {what}", self.layout.column(place))))?;
        }
        Ok(())
    }

    /// Every core decodes its share of the groups, through a file handle of its own and not far ahead of the others.
    fn read_groups(self, groups: usize, rows: &mut Rows<'_>) -> Result<()> {
        let count = cores().min(groups);
        thread::scope(|scope| {
            let lane = |lane: usize| {
                let (send, receive) = sync_channel(1);
                let share = (lane..groups).step_by(count);
                // Where one breaks, its end of the channel closes.
                scope.spawn(move || _ = catch_unwind(AssertUnwindSafe(|| self.decode_groups(share, &send))));
                receive
            };
            let lanes: Vec<_> = (0..count).map(lane).collect();
            for group in 0..groups {
                rows.take(&lanes[group % count].recv().unwrap_or_else(|_| Err(damaged(self.path)))?)?;
            }
            Ok(())
        })
    }

    /// Ends early if nobody waits any more.
    fn decode_groups(self, groups: impl Iterator<Item = usize>, send: &SyncSender<Result<Group>>) {
        let Ok((handle, file)) = open(self.path) else { return };
        for place in groups {
            if send.send(self.group(&handle, &file, place)).is_err() {
                return;
            }
        }
    }

    fn group(self, handle: &File, file: &SerializedFileReader<File>, place: usize) -> Result<Group> {
        let earlier: i64 = file.metadata().row_groups()[..place].iter().map(|group| group.num_rows()).sum();
        let group = file.get_row_group(place).map_err(|error| broken(self.path, &error))?;
        let column = |(place, role): (usize, &Role)| {
            if *role == Role::Ignored {
                return Ok(Vec::new());
            }
            column::read(handle, &*group, place).map_err(|column::Wrong { row, what }| {
                let row = row.map_or_else(String::new, |row| format!("row {}: ", earlier + row as i64 + 1));
                Error::file(self.path, format!("{row}{} {what}", self.layout.column(place)))
            })
        };
        self.layout.roles.iter().enumerate().map(column).collect()
    }
}

/// Rows being read.
struct Rows<'a> {
    table: Table<'a>,
    matrix: Matrix,
    labels: Vec<f64>,
    weights: Vec<f64>,
}

impl<'a> Rows<'a> {
    fn new(table: Table<'a>) -> Self {
        Self { table, matrix: Matrix::sparse(table.layout.columns), labels: Vec::new(), weights: Vec::new() }
    }

    fn take(&mut self, group: &Group) -> Result<()> {
        let rows = group.iter().map(Vec::len).max().unwrap_or(0);
        let mut features: Vec<(u32, &[f64])> = Vec::new();
        for (place, (role, column)) in self.table.layout.roles.iter().zip(group).enumerate() {
            match role {
                Role::Ignored => {}
                Role::Label => self.labels.extend(column),
                Role::Weight => self.take_weights(place, column)?,
                Role::Feature(j) => features.push((*j, column)),
            }
        }
        // Columns of a test set may stand in another order than those of the training data.
        features.sort_unstable_by_key(|(j, _)| *j);
        for i in 0..rows {
            let row = features.iter().map(|(j, column)| (*j, column[i])).filter(|(_, value)| *value != 0.0);
            // The first row foretells the form, which spares most tables a copy; the last one settles it.
            if self.matrix.rows() == 0 {
                self.matrix = Matrix::for_rows_of(row.clone().count(), self.table.layout.columns);
            }
            self.matrix.push_row(row);
        }
        Ok(())
    }

    fn take_weights(&mut self, place: usize, column: &[f64]) -> Result<()> {
        for weight in column {
            let row = self.weights.len() + 1;
            let name = || self.table.layout.column(place);
            let wrong = |what| Error::file(self.table.path, format!("row {row}: {}: {what}", name()));
            self.weights.push(weights::check(*weight).map_err(wrong)?);
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Dataset> {
        let (path, rows) = (self.table.path, self.matrix.rows());
        if rows == 0 {
            return Err(Error::file(path, "holds no rows"));
        }
        // Where labels are not needed there may be none.
        self.labels.resize(rows, 0.0);
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let weights = self.table.layout.roles.contains(&Role::Weight).then_some(self.weights);
        Ok(Dataset { weights, ..Dataset::new(name, self.matrix.compact(), self.labels) })
    }
}

#[cfg(test)]
mod tests;
