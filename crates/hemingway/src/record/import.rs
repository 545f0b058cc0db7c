//! Anyone's records, by header: CSV, JSON lines or Parquet from Spark, Vowpal Wabbit, PyTorch, or ourselves.

mod assemble;
#[cfg(feature = "parquet")]
mod columnar;
mod delimited;
mod json;
mod line;

use std::fs;
use std::path::Path;
use std::str::FromStr;

use super::Trace;
use crate::{Error, Result, kind};
use assemble::{Row, assemble};

/// A column that takes the objective's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metric {
    /// Name of the column.
    pub name: String,
    /// Whether more is better. Such a metric must be a share in [0, 1] and counts as 1 − value, so that error
    /// relative to the best possible keeps its meaning.
    pub maximize: bool,
}

impl FromStr for Metric {
    type Err = Error;

    /// Reads `NAME` or `NAME:max`.
    fn from_str(text: &str) -> Result<Self> {
        let (name, maximize) = match text.split_once(':') {
            None => (text, false),
            Some((name, "max")) => (name, true),
            Some((_, other)) => {
                return Err(Error::setting("--metric", format!("`{other}`: only `:max` may follow a name")));
            }
        };
        if name.is_empty() {
            return Err(Error::setting("--metric", "the name of a column is missing"));
        }
        Ok(Self { name: name.into(), maximize })
    }
}

/// Reads records from files: Parquet (with the feature `parquet`), `.jsonl`/`.json`/`.ndjson` as one JSON object a line,
/// and anything else as CSV with a header, its fields separated by commas, semicolons or tabs.
///
/// Columns: `algorithm` or `context`; `machines`; `seconds` (of one round), `elapsed` or `train_seconds`
/// (cumulative); optionally `rows` or `fraction`, `round` or `iteration`, `objective`, `lower_bound`, `run`,
/// `cluster`, `problem`, and `compute`, `wait`, `sync` counted as the time is; in any order, upper or lower case, and
/// beside others. Lines that begin with `#` are comments; an empty field, `NA`, `NaN` or an infinity is unknown. Rows
/// without a run and without rounds or objectives are separate measurements; rounds that appear twice are two runs,
/// rounds out of order one.
pub fn import(paths: &[impl AsRef<Path>], metric: Option<&Metric>) -> Result<Vec<Trace>> {
    let mut rows = Vec::new();
    for (file, path) in paths.iter().enumerate() {
        let read = read(path.as_ref(), metric)?;
        if read.is_empty() {
            return Err(Error::file(path.as_ref(), "no records: expected a header and at least one row"));
        }
        rows.extend(read.into_iter().map(|row| Row { file, ..row }));
    }
    if let Some(metric) = metric.filter(|_| rows.iter().all(|row| row.objective.is_none())) {
        let what = format!("no row has a value of `{}`; name a column of the records", metric.name);
        return Err(Error::setting("--metric", what));
    }
    assemble(rows).map_err(|tangle| {
        let what = "the rounds of several runs are mixed up here; add a column `run` or put one run after the other";
        tangle.at.error(paths[tangle.file].as_ref(), what.into())
    })
}

fn read(path: &Path, metric: Option<&Metric>) -> Result<Vec<Row>> {
    let bytes = fs::read(path).map_err(Error::io(path))?;
    let end = path.extension().and_then(|end| end.to_str());
    if matches!(end, Some("parquet" | "pq")) || bytes.starts_with(b"PAR1") {
        return columnar(path, metric);
    }
    if let Some(kind) = kind::but_records(&bytes) {
        return Err(Error::file(path, format!("is {kind}; expected records, such as docs/records.md shows")));
    }
    let text = text(path, bytes)?;
    match end {
        Some("jsonl" | "json" | "ndjson") => json::read(path, &text, metric),
        _ => delimited::read(path, &text, metric),
    }
}

#[cfg(feature = "parquet")]
fn columnar(path: &Path, metric: Option<&Metric>) -> Result<Vec<Row>> {
    columnar::read(path, metric)
}

#[cfg(not(feature = "parquet"))]
fn columnar(path: &Path, _: Option<&Metric>) -> Result<Vec<Row>> {
    Err(Error::file(path, "Parquet was left out of this build: build with `--features parquet`, or save it as CSV"))
}

/// The file as text, without the mark some programs put before it.
fn text(path: &Path, bytes: Vec<u8>) -> Result<String> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(Error::file(path, "the text is UTF-16; save it as UTF-8"));
    }
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        Error::data(path, line, "the text is not UTF-8; save it as UTF-8")
    })?;
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    Ok(text)
}

#[cfg(test)]
mod tests;
