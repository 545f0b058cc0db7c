//! Records as JSON lines, ours and anyone's.

use std::path::Path;

use serde_json::{Map, Value};

use super::Metric;
use super::assemble::{At, Row};
use super::line::{Line, twice};
use crate::{Error, Result};

pub(super) fn read(path: &Path, text: &str, metric: Option<&Metric>) -> Result<Vec<Row>> {
    let lines = text.lines().enumerate().map(|(place, content)| (place + 1, content.trim()));
    let lines = lines.filter(|(_, content)| !content.is_empty() && !content.starts_with('#'));
    lines.map(|(line, content)| row(path, line, content, metric)).collect()
}

fn row(path: &Path, line: usize, content: &str, metric: Option<&Metric>) -> Result<Row> {
    let value = serde_json::from_str(content).map_err(|error| Error::data(path, line, unparsed(&error)))?;
    let Value::Object(object) = value else {
        return Err(Error::data(path, line, "expected one JSON object a line"));
    };
    let (mut names, mut values) = fields(&object);
    if let Some(name) = twice(&names) {
        return Err(Error::data(path, line, format!("field `{name}` is there twice; rename or drop one")));
    }
    if let Some(Value::Object(metrics)) = object.get("metrics") {
        let (further, measured) = fields(metrics);
        names.extend(further);
        values.extend(measured);
    }
    let value = |place: usize| values[place].clone();
    let at = At::Line(line);
    Line { path, at, head: at, names: &names, value: &value }.row(metric)
}

/// The parser sees one line only, and counts from it.
fn unparsed(error: &serde_json::Error) -> String {
    let said = error.to_string();
    let what = said.split(" at line ").next().unwrap_or(&said);
    format!("expected one JSON object a line: {what} at column {}", error.column())
}

fn fields(object: &Map<String, Value>) -> (Vec<String>, Vec<Option<String>>) {
    object.iter().map(|(name, value)| (name.clone(), shown(value))).unzip()
}

fn shown(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}
