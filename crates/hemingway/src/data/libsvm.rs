//! LIBSVM (SVMlight) text: `label [qid:q] index:value index:value … [# comment]`, one row a line.
//!
//! Indices count from 1 by custom and from 0 by habit; a file tells which only by holding an index 0 or not. What was
//! decided is returned, so that it can be said aloud and imposed on the test set of the same data.

mod chunks;
mod rows;
pub(crate) mod share;

use std::io::{self, BufRead, Write};
use std::path::Path;
use std::thread;

use serde::{Deserialize, Serialize};

use super::{Dataset, Matrix, file};
use crate::engine::cores;
use crate::{Error, Result};
use chunks::Chunks;
use rows::{Bad, Rows, Together};

/// What the indices of a file count from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Base {
    /// The first column is 0.
    Zero,
    /// The first column is 1.
    One,
}

/// What a file held.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// Rows and labels, the matrix in the form its density asks for.
    pub dataset: Dataset,
    /// What its indices count from.
    pub base: Base,
    /// It had `qid:` fields, which were left out.
    pub queries: bool,
}

/// Bytes that one core parses at a time.
const CHUNK: usize = 1 << 20;

/// Reads a file, plain or compressed. Without a `base`, an index 0 anywhere means that indices count from 0.
pub fn read(path: &Path, base: Option<Base>) -> Result<Parsed> {
    parse(file::open(path)?, path, base)
}

/// Reads text; `path` is for messages and the name. Explicit zeros count for the width but are not stored.
///
/// While all cores parse what is in memory, what they parsed before is put together and more is read. What comes of it, rows
/// or the first bad line, does not depend on how the text is cut.
pub fn parse(text: impl BufRead, path: &Path, base: Option<Base>) -> Result<Parsed> {
    let mut chunks = Chunks::of(text, CHUNK);
    let mut rows = Together::new(base);
    let mut desks: Vec<Desk> = (0..cores()).map(|_| Desk::new(base)).collect();
    let mut next: Vec<Desk> = (0..cores()).map(|_| Desk::new(base)).collect();
    let mut more = fill(&mut desks, &mut chunks);
    while more {
        thread::scope(|scope| {
            for desk in &mut desks {
                scope.spawn(|| desk.rows.parse(&desk.text));
            }
            next.iter().try_for_each(|desk| rows.append(&desk.rows))?;
            more = fill(&mut next, &mut chunks);
            Ok(())
        })
        .map_err(bad_line(path))?;
        std::mem::swap(&mut desks, &mut next);
    }
    next.iter().try_for_each(|desk| rows.append(&desk.rows)).map_err(bad_line(path))?;
    drop((desks, next));
    chunks.finish().map_err(file::unreadable(path))?;
    rows.finish(path)
}

/// A piece of text, and the rows in it.
struct Desk {
    text: Vec<u8>,
    rows: Rows,
}

impl Desk {
    fn new(base: Option<Base>) -> Self {
        Self { text: Vec::new(), rows: Rows::new(base) }
    }
}

/// The next pieces of text, or none, one a desk; whether there is any.
fn fill(desks: &mut [Desk], chunks: &mut Chunks<impl BufRead>) -> bool {
    desks.iter_mut().map(|desk| chunks.next(&mut desk.text)).fold(false, |any, one| any | one)
}

fn bad_line(path: &Path) -> impl FnOnce(Bad) -> Error + '_ {
    move |bad| Error::data(path, bad.line, bad.what)
}

/// Writes 1-based text that reads back to the same numbers. If nothing is stored in the last column, the first row
/// names it with a zero, or the width would be lost.
pub fn write(dataset: &Dataset, out: &mut impl Write) -> io::Result<()> {
    let width = dataset.columns() as u64;
    let mut missing = width > 0 && !reaches_last_column(&dataset.matrix);
    for (i, label) in dataset.labels.iter().enumerate() {
        write_number(out, *label)?;
        for (j, v) in dataset.matrix.row(i).iter().filter(|(_, v)| *v != 0.0) {
            write!(out, " {}:", u64::from(j) + 1)?;
            write_number(out, v)?;
        }
        if std::mem::take(&mut missing) {
            write!(out, " {width}:0")?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn reaches_last_column(matrix: &Matrix) -> bool {
    let last = matrix.columns() - 1;
    (0..matrix.rows()).any(|i| matrix.row(i).iter().last().is_some_and(|(j, v)| j as usize == last && v != 0.0))
}

/// Shortest digits that read back the same; plain notation would spell 1e300 out.
fn write_number(out: &mut impl Write, v: f64) -> io::Result<()> {
    let plain = v == 0.0 || (1e-5..1e16).contains(&v.abs());
    if plain { write!(out, "{v}") } else { write!(out, "{v:e}") }
}

#[cfg(test)]
mod tests;
