//! Vowpal Wabbit text: `label [weight] ['tag]|namespace feature feature:value … |namespace …`, one row a line.
//!
//! Vowpal Wabbit hashes names; here each name has a column of its own, which the names of the training data settle for
//! its companions. Where all names are whole numbers, they are the indices, as in LIBSVM.

mod names;

use std::io::BufRead;
use std::path::Path;

use super::libsvm::Base;
use super::text::{number, show};
use super::{Dataset, Matrix, Reading, file, weights};
use crate::{Error, Result};
use names::{Columns, Names};

/// What a file held.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// Rows and labels, the matrix in the form its density asks for.
    pub dataset: Dataset,
    /// Names of the columns, `namespace^feature`, unless they are numbers.
    pub names: Option<Vec<String>>,
    /// What numbers as names count from.
    pub base: Option<Base>,
}

/// Reads text; `path` is for messages and the name.
pub fn parse(mut text: impl BufRead, path: &Path, reading: &Reading) -> Result<Parsed> {
    let mut rows = Rows::new(reading);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        if text.read_until(b'\n', &mut line).map_err(file::unreadable(path))? == 0 {
            break;
        }
        rows.push(line.trim_ascii()).map_err(|what| Error::data(path, number, what))?;
    }
    rows.finish(path)
}

/// Rows being read; what columns their features are in, the end of the file settles.
struct Rows<'a> {
    reading: &'a Reading,
    names: Names,
    labels: Vec<f64>,
    weights: Vec<f64>,
    starts: Vec<usize>,
    entries: Vec<(u32, f64)>,
}

impl<'a> Rows<'a> {
    fn new(reading: &'a Reading) -> Self {
        let names = Names::like(reading.like.as_ref());
        Self { reading, names, labels: Vec::new(), weights: Vec::new(), starts: vec![0], entries: Vec::new() }
    }

    fn push(&mut self, line: &[u8]) -> Result<(), String> {
        if line.is_empty() {
            return Ok(());
        }
        let mut parts = line.split(|&b| b == b'|');
        let head = parts.next().unwrap_or_default();
        if head.len() == line.len() {
            return Err(format!("{} has no `|` before its features; write 1 | a b:2", show(line)));
        }
        let (label, weight) = self.label(head)?;
        self.labels.push(label);
        self.weights.push(weight);
        for part in parts {
            self.push_namespace(part)?;
        }
        self.starts.push(self.entries.len());
        Ok(())
    }

    /// The label before the first bar, and the weight if there is one. What touches the bar, or begins with a quote, is a tag.
    fn label(&self, head: &[u8]) -> Result<(f64, f64), String> {
        let mut words: Vec<&[u8]> = head.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
        let touches = head.last().is_some_and(|b| !b.is_ascii_whitespace());
        words.pop_if(|word| touches || word.starts_with(b"'"));
        let finite = |word: &[u8]| number(word).ok_or_else(|| format!("bad label {}; expected a number", show(word)));
        match words[..] {
            [] if self.reading.unlabelled => Ok((0.0, 1.0)),
            [] => Err("has no label; write it before the `|`, with a blank between".into()),
            [label] => Ok((finite(label)?, 1.0)),
            [label, weight] => Ok((finite(label)?, weights::parse(weight)?)),
            [_, _, third, ..] => {
                Err(format!("{} before the `|`: only a label, a weight and a tag may be", show(third)))
            }
        }
    }

    fn push_namespace(&mut self, part: &[u8]) -> Result<(), String> {
        let named = part.first().is_some_and(|b| !b.is_ascii_whitespace());
        let mut words = part.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let namespace = if named { words.next().unwrap_or_default() } else { &[] };
        let (namespace, scale) = weighed(namespace)?;
        for word in words {
            let (name, value) = weighed(word)?;
            if name.is_empty() {
                return Err(format!("{} has no name before its colon", show(word)));
            }
            let id = self.names.id(namespace, name)?;
            let value = scale * value;
            if !value.is_finite() {
                return Err(format!("{} is too large with the weight of its namespace", show(word)));
            }
            self.entries.push((id, value));
        }
        Ok(())
    }

    fn finish(self, path: &Path) -> Result<Parsed> {
        let wrong = |what: String| Error::file(path, what);
        if self.labels.is_empty() {
            return Err(wrong("holds no rows; expected lines such as `1 |words good:2 film`".into()));
        }
        let columns = self.names.columns(self.reading.like.as_ref()).map_err(wrong)?;
        let Columns { places, count, names, base } = columns;
        if count == 0 {
            return Err(wrong("no row has a feature; expected lines such as `1 |words good:2 film`".into()));
        }
        let mut matrix = Matrix::sparse(count);
        for pair in self.starts.windows(2) {
            let entries = self.entries[pair[0]..pair[1]].iter();
            let mut row: Vec<(u32, f64)> = entries.map(|(id, value)| (places[*id as usize], *value)).collect();
            row.sort_by_key(|(j, _)| *j);
            // What is said twice counts twice, as in Vowpal Wabbit.
            let sum = |same: &[(u32, f64)]| (same[0].0, same.iter().map(|(_, value)| value).sum());
            row = row.chunk_by(|a, b| a.0 == b.0).map(sum).filter(|(_, value)| *value != 0.0).collect();
            if row.iter().any(|(_, value)| !value.is_finite()) {
                return Err(wrong("what a row says twice of a feature is too large in sum".into()));
            }
            matrix.push_row(row);
        }
        let matrix = matrix.not_too_wide().map_err(wrong)?;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let weights = self.weights.iter().any(|weight| *weight != 1.0).then_some(self.weights);
        let dataset = Dataset { weights, ..Dataset::new(name, matrix.compact(), self.labels) };
        Ok(Parsed { dataset, names, base })
    }
}

/// `name:value`; 1 if nothing is said.
fn weighed(word: &[u8]) -> Result<(&[u8], f64), String> {
    let Some(colon) = word.iter().position(|&b| b == b':') else { return Ok((word, 1.0)) };
    let value = number(&word[colon + 1..]);
    let value = value
        .ok_or_else(|| format!("{} has no finite number after the colon; fill it in or leave it out", show(word)))?;
    Ok((&word[..colon], value))
}

#[cfg(test)]
mod tests;
