//! Rows of LIBSVM text, in parts that can be put together.

use std::path::Path;

use super::{Base, Parsed};
use crate::data::text::{number, show};
use crate::data::{Dataset, Matrix};
use crate::{Error, Result};

/// Rows and labels.
pub(super) struct Rows {
    base: Option<Base>,
    /// Lines read, those without a row included.
    pub(super) lines: usize,
    pub(super) labels: Vec<f64>,
    pub(super) starts: Vec<usize>,
    pub(super) indices: Vec<u32>,
    pub(super) values: Vec<f64>,
    /// Smallest and largest index seen, those of zeros included.
    pub(super) span: Option<(u32, u32)>,
    pub(super) queries: bool,
    pub(super) bad: Option<Bad>,
}

/// The first line that cannot be read.
pub(super) struct Bad {
    pub(super) line: usize,
    pub(super) what: String,
}

impl Rows {
    /// None yet.
    pub(super) fn new(base: Option<Base>) -> Self {
        let (labels, indices, values) = (Vec::new(), Vec::new(), Vec::new());
        Self { base, lines: 0, labels, starts: vec![0], indices, values, span: None, queries: false, bad: None }
    }

    /// Those of whole lines, up to the first bad one.
    pub(super) fn parse(text: &[u8], base: Option<Base>) -> Self {
        let mut rows = Self::new(base);
        for line in text.split_inclusive(|&b| b == b'\n') {
            rows.lines += 1;
            if let Err(what) = rows.push(line) {
                rows.bad = Some(Bad { line: rows.lines, what });
                break;
            }
        }
        rows
    }

    /// Adds what followed in the text.
    ///
    /// # Errors
    /// Its first bad line, counted from the beginning of all.
    pub(super) fn append(&mut self, mut next: Self) -> Result<(), Bad> {
        if let Some(Bad { line, what }) = next.bad {
            return Err(Bad { line: self.lines + line, what });
        }
        let before = self.indices.len();
        self.lines += next.lines;
        self.labels.append(&mut next.labels);
        self.starts.extend(next.starts[1..].iter().map(|start| before + start));
        self.indices.append(&mut next.indices);
        self.values.append(&mut next.values);
        let spans = [self.span, next.span].into_iter().flatten();
        self.span = spans.reduce(|(a, b), (c, d)| (a.min(c), b.max(d)));
        self.queries |= next.queries;
        Ok(())
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
            Some(before) if before == j => return Err(format!("index {j} appears twice; keep one of them")),
            Some(before) if before > j => {
                return Err(format!("index {j} after {before}; indices must ascend: sort the entries of each row"));
            }
            _ => {}
        }
        if j == 0 && self.base == Some(Base::One) {
            return Err("index 0, but indices of the training data count from 1: number both alike".into());
        }
        self.span = Some(self.span.map_or((j, j), |(low, high)| (low.min(j), high.max(j))));
        if v != 0.0 {
            self.indices.push(j);
            self.values.push(v);
        }
        Ok(j)
    }

    /// Settles what indices count from.
    pub(super) fn finish(mut self, path: &Path) -> Result<Parsed> {
        let (low, high) = span_of(&self.labels, self.span, path)?;
        let base = self.base.unwrap_or(if low == 0 { Base::Zero } else { Base::One });
        let mut columns = high as usize + 1;
        if base == Base::One {
            columns -= 1;
            self.indices.iter_mut().for_each(|j| *j -= 1);
        }
        let matrix = Matrix::Sparse { columns, starts: self.starts, indices: self.indices, values: self.values };
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let matrix = matrix.not_too_wide().map_err(|what| Error::file(path, what))?;
        let dataset = Dataset::new(name, matrix.compact(), self.labels);
        Ok(Parsed { dataset, base, queries: self.queries })
    }
}

/// The smallest and largest index, without which there is nothing to learn.
pub(super) fn span_of(labels: &[f64], span: Option<(u32, u32)>, path: &Path) -> Result<(u32, u32)> {
    if labels.is_empty() {
        return Err(Error::file(path, "holds no rows; expected lines such as `+1 3:0.5 7:1`"));
    }
    span.ok_or_else(|| Error::file(path, "every row holds only a label; expected lines such as `+1 3:0.5 7:1`"))
}

fn value(token: &[u8], text: &[u8]) -> Result<f64, String> {
    number(text)
        .ok_or_else(|| format!("{} has no finite number after the colon; fill it in or leave it out", show(token)))
}

fn index(text: &[u8]) -> Result<u32, String> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(format!("bad index {}; expected a whole number", show(text)));
    }
    if digits.len() < text.len() {
        return Err(format!("negative index {}; they count from 0 or 1", show(text)));
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
