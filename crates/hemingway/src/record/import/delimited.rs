//! Records as CSV, by header.

use std::path::Path;

use super::Metric;
use super::assemble::{At, Row};
use super::line::{Line, twice};
use crate::{Error, Result};

/// What fields may be separated by, the usual first.
const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];

pub(super) fn read(path: &Path, text: &str, metric: Option<&Metric>) -> Result<Vec<Row>> {
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .delimiter(delimiter(text))
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let headers = reader.headers().map_err(|error| broken(path, &error))?;
    let names: Vec<String> = headers.iter().map(str::to_owned).collect();
    let head = headers.position().map_or(1, |position| line_of(text, position));
    if let Some(name) = twice(&names) {
        return Err(Error::data(path, head, format!("column `{name}` is there twice; rename or drop one")));
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| broken(path, &error))?;
        let at = At::Line(record.position().map_or(0, |position| line_of(text, position)));
        let value = |place: usize| record.get(place).map(str::to_owned);
        let line = Line { path, at, head: At::Line(head), names: &names, value: &value };
        if !line.is_empty() {
            rows.push(line.row(metric)?);
        }
    }
    Ok(rows)
}

/// The separator the header has most of, outside quotes.
fn delimiter(text: &str) -> u8 {
    let header = text.lines().find(|line| !is_skipped(line)).unwrap_or_default();
    let bare: String = header.split('"').step_by(2).collect();
    let count = |delimiter: u8| bare.bytes().filter(|byte| *byte == delimiter).count();
    // Of equals `max_by_key` takes the last, and the usual is to win.
    DELIMITERS.into_iter().rev().max_by_key(|&delimiter| count(delimiter)).unwrap_or(b',')
}

/// The line a record is on: the reader's position is that of the comments and empty lines before it.
fn line_of(text: &str, position: &csv::Position) -> usize {
    let ahead = text.get(position.byte() as usize..).unwrap_or_default();
    position.line() as usize + ahead.lines().take_while(|line| is_skipped(line)).count()
}

fn is_skipped(line: &str) -> bool {
    line.is_empty() || line.starts_with('#')
}

fn broken(path: &Path, error: &csv::Error) -> Error {
    let line = error.position().map_or(1, |position| position.line() as usize);
    let what = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("expected {expected_len} fields as in the header, found {len}")
        }
        _ => error.to_string(),
    };
    Error::data(path, line, what)
}
