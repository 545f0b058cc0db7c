//! Tables of numbers as text: fields separated by commas, semicolons or tabs, one row a line, one column the labels, and
//! another, where `--weight` names it, the weights.
//!
//! A first line that holds anything but numbers is a header. Lines that begin with `#` are comments.

mod fields;

use std::io::BufRead;
use std::path::Path;

use super::layout::{Layout, Role};
use super::text::{is_skipped, number, show};
use super::{Dataset, Matrix, Reading, file, weights};
use crate::{Error, Result};
use fields::{Fields, separator};

/// What a file held.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// Rows and labels, the matrix in the form its density asks for.
    pub dataset: Dataset,
    /// Names of the columns, if there is a header.
    pub names: Option<Vec<String>>,
    /// Sentences to say aloud.
    pub notes: Vec<String>,
}

/// What stands for a value that is not known.
const MISSING: [&str; 8] = ["", "na", "n/a", "nan", "null", "none", "?", "-"];

/// Reads text; `path` is for messages and the name.
pub fn parse(text: impl BufRead, path: &Path, reading: &Reading) -> Result<Parsed> {
    let mut lines = Lines { text, line: Vec::new(), number: 0 };
    let empty = || Error::file(path, "holds no rows; expected lines such as `0.5,3,1`");
    if !lines.advance().map_err(file::unreadable(path))? {
        return Err(empty());
    }
    let mut fields = Fields::new(separator(&lines.line));
    fields.split(&lines.line).map_err(|what| Error::data(path, lines.number, what))?;
    let header = fields.iter().any(is_name);
    let names = header.then(|| fields.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect());
    let layout = Layout::of(names, fields.len(), reading).map_err(|what| Error::file(path, what))?;
    let mut rows = Rows::new(&layout);
    let mut more = !header || lines.advance().map_err(file::unreadable(path))?;
    while more {
        let split = fields.split(&lines.line);
        split.and_then(|()| rows.push(&fields)).map_err(|what| Error::data(path, lines.number, what))?;
        more = lines.advance().map_err(file::unreadable(path))?;
    }
    if rows.labels.is_empty() {
        return Err(empty());
    }
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let weights = layout.roles.contains(&Role::Weight).then_some(rows.weights);
    let dataset = Dataset { weights, ..Dataset::new(name, rows.matrix.compact(), rows.labels) };
    Ok(Parsed { dataset, names: layout.names, notes: layout.notes })
}

/// Lines that hold something, counted as they are in the file.
struct Lines<T> {
    text: T,
    line: Vec<u8>,
    number: usize,
}

impl<T: BufRead> Lines<T> {
    /// Goes to the next line; false at the end.
    fn advance(&mut self) -> std::io::Result<bool> {
        loop {
            self.line.clear();
            if self.text.read_until(b'\n', &mut self.line)? == 0 {
                return Ok(false);
            }
            self.number += 1;
            if !is_skipped(&self.line) {
                self.end_line();
                return Ok(true);
            }
        }
    }

    /// Lets every line end in `\n`, however it ends in the file.
    fn end_line(&mut self) {
        while self.line.pop_if(|b| matches!(b, b'\r' | b'\n')).is_some() {}
        self.line.push(b'\n');
    }
}

/// Rows being read.
struct Rows<'a> {
    layout: &'a Layout,
    matrix: Matrix,
    labels: Vec<f64>,
    weights: Vec<f64>,
    row: Vec<(u32, f64)>,
}

impl<'a> Rows<'a> {
    fn new(layout: &'a Layout) -> Self {
        Self {
            layout,
            matrix: Matrix::sparse(layout.columns),
            labels: Vec::new(),
            weights: Vec::new(),
            row: Vec::new(),
        }
    }

    fn push(&mut self, fields: &Fields) -> Result<(), String> {
        let roles = &self.layout.roles;
        if fields.len() != roles.len() {
            return Err(format!(
                "expected {} fields as in the first line, found {}; fill in what is missing, and put text in quotes",
                roles.len(),
                fields.len()
            ));
        }
        let mut label = 0.0;
        self.row.clear();
        for (place, (role, field)) in roles.iter().zip(fields.iter()).enumerate() {
            match role {
                Role::Ignored => {}
                Role::Label => label = self.cell(place, field)?,
                Role::Weight => self.weights.push(self.weight(place, field)?),
                Role::Feature(j) => match self.cell(place, field)? {
                    0.0 => {}
                    value => self.row.push((*j, value)),
                },
            }
        }
        // Columns of a test set may stand in another order than those of the training data.
        self.row.sort_unstable_by_key(|(j, _)| *j);
        // The first row foretells the form, which spares most tables a copy; the last one settles it.
        if self.labels.is_empty() {
            self.matrix = Matrix::for_rows_of(self.row.len(), self.layout.columns);
        }
        self.labels.push(label);
        self.matrix.push_row(self.row.drain(..));
        Ok(())
    }

    fn weight(&self, place: usize, field: &[u8]) -> Result<f64, String> {
        let column = || self.layout.column(place);
        self.cell(place, field)
            .and_then(|weight| weights::check(weight).map_err(|what| format!("{}: {what}", column())))
    }

    fn cell(&self, place: usize, field: &[u8]) -> Result<f64, String> {
        number(field).ok_or_else(|| {
            let column = self.layout.column(place);
            let is_label = self.layout.roles[place] == Role::Label;
            match field {
                _ if is_missing(field) => format!("{column} is missing; fill it in or leave the row out"),
                _ if float(field).is_some() => {
                    format!("{column}: {} is not a finite number; fill it in or leave the row out", show(field))
                }
                _ if has_decimal_comma(field) => {
                    format!("{column}: {} has a decimal comma; write a point", show(field))
                }
                _ if is_label => format!("{column}: the label {} is text; give each class a number", show(field)),
                _ => format!("{column}: {} is text, not a number; {}", show(field), self.layout.text_advice()),
            }
        })
    }
}

/// A field of a header: neither a number nor a value that is missing.
fn is_name(field: &[u8]) -> bool {
    float(field).is_none() && !is_missing(field)
}

fn is_missing(field: &[u8]) -> bool {
    std::str::from_utf8(field).is_ok_and(|text| MISSING.iter().any(|word| text.eq_ignore_ascii_case(word)))
}

fn has_decimal_comma(field: &[u8]) -> bool {
    let [whole, part] = field.split(|&b| b == b',').collect::<Vec<_>>()[..] else { return false };
    number(&[whole, part].join(&b'.')).is_some()
}

/// A number, finite or not.
fn float(field: &[u8]) -> Option<f64> {
    std::str::from_utf8(field).ok()?.parse().ok()
}

#[cfg(test)]
mod tests;
