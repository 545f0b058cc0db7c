//! Anyone's records, by header: CSV or JSON lines from Spark, Vowpal Wabbit, PyTorch, or ourselves.

mod assemble;

use std::fs;
use std::path::Path;
use std::str::FromStr;

use serde_json::Value;

use super::Trace;
use crate::{Error, Result};
use assemble::{Clock, Row, assemble};

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

/// Reads records from files, `.jsonl`/`.json`/`.ndjson` as one JSON object a line and anything else as CSV with a
/// header.
///
/// Columns: `algorithm` or `context`; `machines`; `seconds` (of one round), `elapsed` or `train_seconds`
/// (cumulative); optionally `rows` or `fraction`, `round` or `iteration`, `objective`, `lower_bound`, `run`,
/// `cluster`, `problem`. Lines that begin with `#` are comments; an empty field is unknown. Rows without a run and
/// without rounds or objectives are separate measurements.
pub fn import(paths: &[impl AsRef<Path>], metric: Option<&Metric>) -> Result<Vec<Trace>> {
    let mut rows = Vec::new();
    for (file, path) in paths.iter().enumerate() {
        let path = path.as_ref();
        let text = fs::read_to_string(path).map_err(Error::io(path))?;
        let lines = matches!(path.extension().and_then(|end| end.to_str()), Some("jsonl" | "json" | "ndjson"));
        let from = rows.len();
        if lines {
            read_json(path, &text, metric, &mut rows)?
        } else {
            read_csv(path, &text, metric, &mut rows)?
        }
        if from == rows.len() {
            return Err(Error::file(path, "no records: expected a header and at least one row"));
        }
        rows[from..].iter_mut().for_each(|row| row.file = file);
    }
    Ok(assemble(rows))
}

fn read_csv(path: &Path, text: &str, metric: Option<&Metric>, rows: &mut Vec<Row>) -> Result<()> {
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).trim(csv::Trim::All).from_reader(text.as_bytes());
    let headers = reader.headers().map_err(|error| broken(path, &error))?.clone();
    for record in reader.records() {
        let record = record.map_err(|error| broken(path, &error))?;
        let line = record.position().map_or(0, |position| line_of(text, position));
        let get = |name: &str| {
            let place = headers.iter().position(|header| header == name)?;
            record.get(place).map(str::to_owned)
        };
        let known: Vec<&str> = headers.iter().collect();
        rows.push(Line { path, line, get: &get, known: &known }.row(metric)?);
    }
    Ok(())
}

/// The line a record is on: the reader's position is that of the comments and empty lines before it.
fn line_of(text: &str, position: &csv::Position) -> usize {
    let ahead = text.get(position.byte() as usize..).unwrap_or_default();
    let skipped = ahead.lines().take_while(|line| line.is_empty() || line.starts_with('#')).count();
    position.line() as usize + skipped
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

fn read_json(path: &Path, text: &str, metric: Option<&Metric>, rows: &mut Vec<Row>) -> Result<()> {
    for (line, content) in text.lines().enumerate().map(|(place, content)| (place + 1, content.trim())) {
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let value: Value = serde_json::from_str(content)
            .map_err(|error| Error::data(path, line, format!("expected one JSON object a line: {error}")))?;
        let Value::Object(object) = value else {
            return Err(Error::data(path, line, "expected one JSON object a line"));
        };
        let get = |name: &str| {
            let nested = || object.get("metrics").and_then(|metrics| metrics.get(name));
            match object.get(name).or_else(nested)? {
                Value::Null => None,
                Value::String(text) => Some(text.clone()),
                other => Some(other.to_string()),
            }
        };
        let known: Vec<&str> = object.keys().map(String::as_str).collect();
        rows.push(Line { path, line, get: &get, known: &known }.row(metric)?);
    }
    Ok(())
}

/// One line's fields by name.
struct Line<'a> {
    path: &'a Path,
    line: usize,
    get: &'a dyn Fn(&str) -> Option<String>,
    known: &'a [&'a str],
}

impl Line<'_> {
    fn row(&self, metric: Option<&Metric>) -> Result<Row> {
        let context = self.text("context").or_else(|| self.text("algorithm"));
        let machines: usize = self.number("machines")?.ok_or_else(|| self.missing("machines"))?;
        if machines == 0 {
            return Err(self.wrong("machines", "expected at least 1, found 0"));
        }
        let row = Row {
            file: 0,
            line: self.line,
            context: context.ok_or_else(|| self.missing("algorithm` or `context"))?,
            problem: self.text("problem").unwrap_or_default(),
            run: self.text("run"),
            cluster: self.text("cluster").unwrap_or_default(),
            machines,
            rows: self.number("rows")?.filter(|&rows: &usize| rows > 0),
            fraction: self.share()?,
            round: self.number("round")?.map_or_else(|| self.number("iteration"), |round| Ok(Some(round)))?,
            clock: self.clock()?,
            objective: self.objective(metric)?,
            lower_bound: if metric.is_some() { None } else { self.finite("lower_bound")? },
        };
        let columns = ["seconds", "elapsed", "train_seconds", metric.map_or("objective", |metric| &metric.name)];
        if !columns.iter().any(|column| self.known.contains(column)) && row.objective.is_none() {
            return Err(self.missing("seconds`, `elapsed` or `objective"));
        }
        Ok(row)
    }

    fn clock(&self) -> Result<Option<Clock>> {
        for (name, make) in [
            ("train_seconds", Clock::Elapsed as fn(f64) -> Clock),
            ("elapsed", Clock::Elapsed),
            ("seconds", Clock::Round),
        ] {
            match self.finite(name)? {
                Some(value) if value < 0.0 => return Err(self.wrong(name, format!("expected ≥ 0, found {value}"))),
                Some(value) => return Ok(Some(make(value))),
                None => {}
            }
        }
        Ok(None)
    }

    fn share(&self) -> Result<Option<f64>> {
        let fraction = self.finite("fraction")?;
        match fraction {
            Some(value) if value <= 0.0 => Err(self.wrong("fraction", format!("expected > 0, found {value}"))),
            _ => Ok(fraction),
        }
    }

    fn objective(&self, metric: Option<&Metric>) -> Result<Option<f64>> {
        let Some(metric) = metric else { return self.finite("objective") };
        let value = self.finite(&metric.name)?;
        if !metric.maximize {
            return Ok(value);
        }
        match value {
            Some(value) if !(0.0..=1.0).contains(&value) => {
                Err(self.wrong(&metric.name, format!("`:max` expects a share from 0 to 1, found {value}")))
            }
            _ => Ok(value.map(|value| 1.0 - value)),
        }
    }

    fn text(&self, name: &str) -> Option<String> {
        (self.get)(name).filter(|text| !text.is_empty())
    }

    /// A number that may be absent; a diverged run's NaN or infinity counts as absent.
    fn finite(&self, name: &str) -> Result<Option<f64>> {
        Ok(self.number(name)?.filter(|value: &f64| value.is_finite()))
    }

    fn number<T: FromStr>(&self, name: &str) -> Result<Option<T>> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let number = text.parse().map_err(|_| self.wrong(name, format!("expected a number, found `{text}`")))?;
        Ok(Some(number))
    }

    fn missing(&self, name: &str) -> Error {
        let what = format!("column `{name}` is missing; found {}", self.known.join(", "));
        Error::data(self.path, self.line, what)
    }

    fn wrong(&self, name: &str, what: impl std::fmt::Display) -> Error {
        Error::data(self.path, self.line, format!("column `{name}`: {what}"))
    }
}

#[cfg(test)]
mod tests;
