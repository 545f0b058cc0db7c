//! Rows of LIBSVM text, in parts that can be put together.

use std::path::Path;

use super::{Base, Parsed};
use crate::data::text::{number, prefix, show};
use crate::data::{Dataset, Matrix, Numbers, Values};
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

    /// Makes them those of whole lines, up to the first bad one; memory held is used again.
    pub(super) fn parse(&mut self, text: &[u8]) {
        self.clear();
        let mut rest = text;
        while !rest.is_empty() {
            self.lines += 1;
            let length = match self.take_plain(rest) {
                Some(length) => length,
                None => {
                    let line = rest.iter().position(|&b| b == b'\n').map_or(rest.len(), |at| at + 1);
                    if let Err(what) = self.push(&rest[..line]) {
                        self.bad = Some(Bad { line: self.lines, what });
                        return;
                    }
                    line
                }
            };
            rest = &rest[length..];
        }
    }

    fn clear(&mut self) {
        (self.lines, self.span, self.queries, self.bad) = (0, None, false, None);
        self.labels.clear();
        self.starts.truncate(1);
        self.indices.clear();
        self.values.clear();
    }

    /// Takes a line of the usual form whole, or nothing of it; tells its length.
    fn take_plain(&mut self, text: &[u8]) -> Option<usize> {
        let stored = self.indices.len();
        let taken = self.plain(text);
        if taken.is_none() {
            self.indices.truncate(stored);
            self.values.truncate(stored);
        }
        taken
    }

    /// Neither comments nor tabs nor anything to complain of: those are left to `push`.
    fn plain(&mut self, text: &[u8]) -> Option<usize> {
        let mut at = usize::from(text.first() == Some(&b'+'));
        let (label, length) = prefix(&text[at..])?;
        at += length;
        let mut span: Option<(u32, u32)> = None;
        let lowest = u32::from(self.base == Some(Base::One));
        loop {
            match text.get(at) {
                Some(b' ') => {
                    at += 1;
                    continue;
                }
                Some(b'\r') if text.get(at + 1) == Some(&b'\n') => at += 1,
                Some(b'\n') | None => break,
                Some(_) => {}
            }
            if text[at] == b'\n' {
                break;
            }
            let (j, colon) = short_index(text, at)?;
            let (v, length) = prefix(&text[colon + 1..])?;
            at = colon + 1 + length;
            if span.map_or(lowest, |(_, before)| before + 1) > j {
                return None;
            }
            span = Some((span.map_or(j, |(first, _)| first), j));
            if v != 0.0 {
                self.indices.push(j);
                self.values.push(v);
            }
        }
        self.labels.push(label);
        self.starts.push(self.indices.len());
        self.span = wider(self.span, span);
        Some(text.len().min(at + 1))
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
        self.span = wider(self.span, Some((j, j)));
        if v != 0.0 {
            self.indices.push(j);
            self.values.push(v);
        }
        Ok(j)
    }
}

/// All rows, put together: values are kept as f32 until one comes that is none.
pub(super) struct Together {
    /// All but the values.
    rows: Rows,
    values: Values,
}

impl Together {
    /// None yet.
    pub(super) fn new(base: Option<Base>) -> Self {
        Self { rows: Rows::new(base), values: Values::F32(Vec::new()) }
    }

    /// Adds what followed in the text.
    ///
    /// # Errors
    /// Its first bad line, counted from the beginning of all.
    pub(super) fn append(&mut self, next: &Rows) -> Result<(), Bad> {
        let Self { rows, values } = self;
        if let Some(Bad { line, what }) = &next.bad {
            return Err(Bad { line: rows.lines + line, what: what.clone() });
        }
        let before = rows.indices.len();
        rows.lines += next.lines;
        rows.labels.extend_from_slice(&next.labels);
        rows.starts.extend(next.starts[1..].iter().map(|start| before + start));
        rows.indices.extend_from_slice(&next.indices);
        values.extend(Numbers::F64(&next.values));
        rows.span = wider(rows.span, next.span);
        rows.queries |= next.queries;
        Ok(())
    }

    /// Settles what indices count from.
    pub(super) fn finish(self, path: &Path) -> Result<Parsed> {
        let Rows { base, labels, starts, mut indices, span, queries, .. } = self.rows;
        let (low, high) = span_of(&labels, span, path)?;
        let base = base.unwrap_or(if low == 0 { Base::Zero } else { Base::One });
        let mut columns = high as usize + 1;
        if base == Base::One {
            columns -= 1;
            indices.iter_mut().for_each(|j| *j -= 1);
        }
        let matrix = Matrix::Sparse { columns, starts, indices, values: self.values };
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let matrix = matrix.not_too_wide().map_err(|what| Error::file(path, what))?;
        let dataset = Dataset::new(name, matrix.compact(), labels);
        Ok(Parsed { dataset, base, queries })
    }
}

/// The smallest and largest index, without which there is nothing to learn.
pub(super) fn span_of(labels: &[f64], span: Option<(u32, u32)>, path: &Path) -> Result<(u32, u32)> {
    if labels.is_empty() {
        return Err(Error::file(path, "holds no rows; expected lines such as `+1 3:0.5 7:1`"));
    }
    span.ok_or_else(|| Error::file(path, "every row holds only a label; expected lines such as `+1 3:0.5 7:1`"))
}

/// What holds both.
pub(super) fn wider(one: Option<(u32, u32)>, other: Option<(u32, u32)>) -> Option<(u32, u32)> {
    [one, other].into_iter().flatten().reduce(|(a, b), (c, d)| (a.min(c), b.max(d)))
}

/// An index of at most nine digits, and where its colon is.
#[inline(always)]
fn short_index(text: &[u8], begin: usize) -> Option<(u32, usize)> {
    let (mut j, mut at) = (0_u32, begin);
    while let Some(digit) = text.get(at).map(|b| b.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        j = j.wrapping_mul(10).wrapping_add(u32::from(digit));
        at += 1;
    }
    ((1..=9).contains(&(at - begin)) && text.get(at) == Some(&b':')).then_some((j, at))
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
