//! A share of LIBSVM text: the lines that begin within a range of its bytes. It is read twice, first to find out what all rows
//! have in common, then to send each row to the process that will hold it; no process ever holds more than its own.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::chunks::Chunks;
use super::rows::{Rows, wider};
use super::{Base, file};
use crate::data::Matrix;
use crate::data::matrix::check_width;
use crate::share::{Company, tell_all};
use crate::{Error, Result};

/// Bytes that are parsed at a time.
const CHUNK: usize = 1 << 20;

/// A range of a file's bytes, from the beginning of a line to that of another.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Share {
    path: PathBuf,
    bytes: Range<u64>,
}

/// What a share holds, in short.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Part {
    chunks: usize,
    lines: usize,
    labels: Vec<f64>,
    nonzeros: usize,
    span: Option<(u32, u32)>,
    queries: bool,
    /// The first line that cannot be read, and why.
    bad: Option<(usize, String)>,
    /// Largest absolute value by index, where that matters.
    largest: Vec<f64>,
}

/// What all shares hold together.
pub(crate) struct Survey {
    /// All labels, in the order of the file.
    pub(crate) labels: Vec<f64>,
    /// Where each share's rows begin among all, and where the last end.
    pub(crate) cuts: Vec<usize>,
    pub(crate) columns: usize,
    pub(crate) nonzeros: usize,
    pub(crate) base: Base,
    pub(crate) queries: bool,
    /// Largest absolute value in each column, where that was asked for.
    pub(crate) largest: Vec<f64>,
    /// Entries of each row of this share.
    pub(crate) lengths: Vec<u32>,
    /// Pieces in which the longest share is read.
    pub(crate) chunks: usize,
}

impl Share {
    /// That of one of several processes.
    pub(crate) fn of(path: &Path, rank: usize, ranks: usize) -> Result<Self> {
        let mut file = File::open(path).map_err(Error::io(path))?;
        let size = file.metadata().map_err(Error::io(path))?.len();
        let cut = |k: usize| (u128::from(size) * k as u128 / ranks as u128) as u64;
        let start = line_from(&mut file, cut(rank), size).map_err(Error::io(path))?;
        let end = line_from(&mut file, cut(rank + 1), size).map_err(Error::io(path))?;
        Ok(Self { path: path.into(), bytes: start..end })
    }

    /// Its rows, some at a time.
    fn chunks(&self) -> Result<Chunks<impl BufRead + use<>>> {
        let mut file = File::open(&self.path).map_err(Error::io(&self.path))?;
        file.seek(SeekFrom::Start(self.bytes.start)).map_err(Error::io(&self.path))?;
        Ok(Chunks::of(BufReader::new(file.take(self.bytes.end - self.bytes.start)), CHUNK))
    }

    /// Calls `see` with the rows of one piece after the other.
    fn each(&self, mut see: impl FnMut(&Rows) -> Result<()>) -> Result<()> {
        let (mut chunks, mut text, mut rows) = (self.chunks()?, Vec::new(), Rows::new(None));
        while chunks.next(&mut text) {
            rows.parse(&text);
            see(&rows)?;
        }
        chunks.finish().map_err(file::unreadable(&self.path))
    }

    fn look(&self, with_largest: bool, lengths: &mut Vec<u32>) -> Result<Part> {
        let mut part = Part::default();
        self.each(|rows| {
            part.chunks += 1;
            if part.bad.is_none() {
                part.bad = rows.bad.as_ref().map(|bad| (part.lines + bad.line, bad.what.clone()));
            }
            part.lines += rows.lines;
            part.labels.extend(&rows.labels);
            part.nonzeros += rows.indices.len();
            part.span = wider(part.span, rows.span);
            part.queries |= rows.queries;
            lengths.extend(rows.starts.windows(2).map(|pair| (pair[1] - pair[0]) as u32));
            if with_largest {
                raise(&mut part.largest, rows.indices.iter().zip(&rows.values).map(|(j, v)| (*j as usize, v.abs())));
            }
            Ok(())
        })?;
        Ok(part)
    }

    /// Reads it once, and learns from the others what all of them hold together.
    pub(crate) fn survey(&self, with_largest: bool, company: &mut dyn Company) -> Result<Survey> {
        let mut lengths = Vec::new();
        let mine = self.look(with_largest, &mut lengths);
        let parts = tell_all(company, mine)?;
        let mut all = Part::default();
        let mut cuts = vec![0];
        for part in parts {
            if let Some((line, what)) = part.bad {
                return Err(Error::data(&self.path, all.lines + line, what));
            }
            all.lines += part.lines;
            all.labels.extend(part.labels);
            cuts.push(all.labels.len());
            all.nonzeros += part.nonzeros;
            all.span = wider(all.span, part.span);
            all.queries |= part.queries;
            all.chunks = all.chunks.max(part.chunks);
            raise(&mut all.largest, part.largest.into_iter().enumerate());
        }
        self.settle(all, cuts, lengths, with_largest)
    }

    /// What indices count from.
    fn settle(&self, all: Part, cuts: Vec<usize>, lengths: Vec<u32>, with_largest: bool) -> Result<Survey> {
        let (low, high) = super::rows::span_of(&all.labels, all.span, &self.path)?;
        let base = if low == 0 { Base::Zero } else { Base::One };
        let first = if base == Base::Zero { 0 } else { 1 };
        let columns = high as usize + 1 - first;
        check_width(columns, all.nonzeros).map_err(|what| Error::file(&self.path, what))?;
        let mut largest: Vec<f64> = all.largest.into_iter().skip(first).collect();
        if with_largest {
            largest.resize(columns, 0.0);
        }
        let Part { labels, nonzeros, queries, chunks, .. } = all;
        Ok(Survey { labels, cuts, columns, nonzeros, base, queries, largest, lengths, chunks })
    }

    /// Reads it again: its rows some at a time, as the survey has understood them.
    pub(crate) fn rows(&self, survey: &Survey, mut see: impl FnMut(Matrix) -> Result<()>) -> Result<()> {
        let first = u32::from(survey.base == Base::One);
        self.each(|rows| {
            let indices = rows.indices.iter().map(|j| j - first).collect();
            let (starts, values) = (rows.starts.clone(), rows.values.clone().into());
            see(Matrix::Sparse { columns: survey.columns, starts, indices, values })
        })
    }
}

/// Each number is at least what it is raised to.
fn raise(largest: &mut Vec<f64>, to: impl Iterator<Item = (usize, f64)>) {
    for (j, v) in to {
        if j >= largest.len() {
            largest.resize(j + 1, 0.0);
        }
        largest[j] = largest[j].max(v);
    }
}

/// The first line that begins at this byte or after it.
fn line_from(file: &mut File, at: u64, size: u64) -> io::Result<u64> {
    if at == 0 || at >= size {
        return Ok(at.min(size));
    }
    file.seek(SeekFrom::Start(at - 1))?;
    let mut input = BufReader::new(file);
    let mut read = 0;
    loop {
        let buffer = input.fill_buf()?;
        if let Some(found) = buffer.iter().position(|&b| b == b'\n') {
            return Ok(at - 1 + read + found as u64 + 1);
        }
        if buffer.is_empty() {
            return Ok(size);
        }
        let seen = buffer.len();
        read += seen as u64;
        input.consume(seen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_in_exactly_one_share() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("some.svm");
        for text in ["1 1:2\n-1 2:3 7:1\n\n# words\n+1 1:1", "1 1:2\n", "1 1:2", "\n\n1 5:1\n"] {
            std::fs::write(&path, text).unwrap();
            for ranks in 1..9 {
                let mut read = String::new();
                for rank in 0..ranks {
                    let share = Share::of(&path, rank, ranks).unwrap();
                    let part = &text[share.bytes.start as usize..share.bytes.end as usize];
                    assert!(part.is_empty() || read.is_empty() || read.ends_with('\n'));
                    read.push_str(part);
                }
                assert_eq!(read, text, "{ranks} shares");
            }
        }
    }
}
