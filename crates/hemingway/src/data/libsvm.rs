//! LIBSVM (SVMlight) text: `label [qid:q] index:value index:value … [# comment]`, one row a line.
//!
//! Indices count from 1 by custom and from 0 by habit; a file tells which only by holding an index 0 or not. What was
//! decided is returned, so that it can be said aloud and imposed on the test set of the same data.

use std::io::{self, BufRead, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::text::{number, show};
use super::{Dataset, Matrix, file};
use crate::{Error, Result};

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

/// Reads a file, plain or compressed. Without a `base`, an index 0 anywhere means that indices count from 0.
pub fn read(path: &Path, base: Option<Base>) -> Result<Parsed> {
    parse(file::open(path)?, path, base)
}

/// Reads text; `path` is for messages and the name. Explicit zeros count for the width but are not stored.
pub fn parse(mut text: impl BufRead, path: &Path, base: Option<Base>) -> Result<Parsed> {
    let mut rows = Rows::new(base);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        if text.read_until(b'\n', &mut line).map_err(file::unreadable(path))? == 0 {
            break;
        }
        rows.push(&line).map_err(|what| Error::data(path, number, what))?;
    }
    rows.finish(path)
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

struct Rows {
    base: Option<Base>,
    labels: Vec<f64>,
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
    /// Smallest and largest index seen, those of zeros included.
    span: Option<(u32, u32)>,
    queries: bool,
}

impl Rows {
    fn new(base: Option<Base>) -> Self {
        let (labels, indices, values) = (Vec::new(), Vec::new(), Vec::new());
        Self { base, labels, starts: vec![0], indices, values, span: None, queries: false }
    }

    fn push(&mut self, line: &[u8]) -> Result<(), String> {
        let text = line.iter().position(|&b| b == b'#').map_or(line, |at| &line[..at]);
        let mut tokens = text.split(u8::is_ascii_whitespace).filter(|token| !token.is_empty()).peekable();
        let Some(label) = tokens.next() else { return Ok(()) };
        self.labels.push(number(label).ok_or_else(|| bad_label(label))?);
        if let Some(query) = tokens.next_if(|token| token.starts_with(b"qid:")) {
            index(&query[4..])?;
            self.queries = true;
        }
        let mut before = None;
        for token in tokens {
            before = Some(self.push_entry(token, before)?);
        }
        self.starts.push(self.indices.len());
        Ok(())
    }

    fn push_entry(&mut self, token: &[u8], before: Option<u32>) -> Result<u32, String> {
        let colon = token.iter().position(|&b| b == b':');
        let colon = colon.ok_or_else(|| format!("{} has no colon; expected index:value", show(token)))?;
        let (j, v) = (index(&token[..colon])?, value(token, &token[colon + 1..])?);
        match before {
            Some(before) if before == j => return Err(format!("index {j} appears twice")),
            Some(before) if before > j => return Err(format!("index {j} after {before}; indices must ascend")),
            _ => {}
        }
        if j == 0 && self.base == Some(Base::One) {
            return Err("index 0, but indices of this data count from 1".into());
        }
        self.span = Some(self.span.map_or((j, j), |(low, high)| (low.min(j), high.max(j))));
        if v != 0.0 {
            self.indices.push(j);
            self.values.push(v);
        }
        Ok(j)
    }

    fn finish(mut self, path: &Path) -> Result<Parsed> {
        if self.labels.is_empty() {
            return Err(Error::file(path, "holds no rows; expected lines such as `+1 3:0.5 7:1`"));
        }
        let Some((low, high)) = self.span else {
            return Err(Error::file(path, "every row holds only a label; expected lines such as `+1 3:0.5 7:1`"));
        };
        let base = self.base.unwrap_or(if low == 0 { Base::Zero } else { Base::One });
        let mut columns = high as usize + 1;
        if base == Base::One {
            columns -= 1;
            self.indices.iter_mut().for_each(|j| *j -= 1);
        }
        let matrix = Matrix::Sparse { columns, starts: self.starts, indices: self.indices, values: self.values };
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let dataset = Dataset { name, matrix: matrix.compact(), labels: self.labels };
        Ok(Parsed { dataset, base, queries: self.queries })
    }
}

fn value(token: &[u8], text: &[u8]) -> Result<f64, String> {
    number(text).ok_or_else(|| format!("{} has no finite number after the colon", show(token)))
}

fn index(text: &[u8]) -> Result<u32, String> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(format!("bad index {}; expected a whole number", show(text)));
    }
    if digits.len() < text.len() {
        return Err(format!("negative index {}", show(text)));
    }
    let too_large = || format!("index {} is too large; at most {}", show(text), u32::MAX);
    let digit = |n: u32, b: &u8| n.checked_mul(10)?.checked_add(u32::from(b - b'0'));
    digits.iter().try_fold(0, digit).ok_or_else(too_large)
}

fn bad_label(text: &[u8]) -> String {
    let hint = match text {
        _ if text.contains(&b':') => "; each row must begin with its label",
        _ if text.contains(&b',') => "; several labels a row are not supported",
        _ => "; expected a finite number",
    };
    format!("bad label {}{hint}", show(text))
}

#[cfg(test)]
mod tests;
