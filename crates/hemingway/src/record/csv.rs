//! Records as CSV: one row per round, metrics as further columns.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;
use std::path::Path;

use super::Record;
use crate::{Error, Result};

/// The fixed columns, in order.
pub const COLUMNS: [&str; 16] = [
    "run",
    "problem",
    "cluster",
    "algorithm",
    "machines",
    "rows",
    "fraction",
    "round",
    "iteration",
    "passes",
    "train_seconds",
    "compute",
    "wait",
    "sync",
    "objective",
    "lower_bound",
];

/// Writes a file of records that [`import`](super::import()) reads back.
pub fn save(path: &Path, records: &[Record]) -> Result<()> {
    let file = File::create(path).map_err(Error::io(path))?;
    write(std::io::BufWriter::new(file), records).map_err(Error::io(path))
}

/// Writes records, and as further columns every metric any of them has; an unknown value is an empty field.
pub fn write(to: impl Write, records: &[Record]) -> std::io::Result<()> {
    let metrics: BTreeSet<&String> = records.iter().flat_map(|record| record.metrics.keys()).collect();
    let mut writer = csv::Writer::from_writer(to);
    let names = metrics.iter().map(|name| name.as_str());
    writer.write_record(COLUMNS.into_iter().chain(names))?;
    for record in records {
        let further = metrics.iter().map(|name| optional(record.metrics.get(*name).copied()));
        writer.write_record(fields(record).into_iter().chain(further))?;
    }
    writer.flush()
}

fn fields(record: &Record) -> [String; COLUMNS.len()] {
    [
        record.run.clone(),
        record.problem.clone(),
        record.cluster.clone(),
        record.algorithm.clone(),
        record.machines.to_string(),
        record.rows.to_string(),
        record.fraction.to_string(),
        record.round.to_string(),
        record.iteration.to_string(),
        record.passes.to_string(),
        record.train_seconds.to_string(),
        record.compute.to_string(),
        record.wait.to_string(),
        record.sync.to_string(),
        record.objective.to_string(),
        optional(record.lower_bound),
    ]
}

fn optional(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_become_columns_and_gaps_empty_fields() {
        let plain = Record { run: "a".into(), machines: 2, objective: 0.1 + 0.2, ..Record::default() };
        let mut scored = plain.clone();
        scored.metrics.insert("accuracy".into(), 0.9);
        let mut text = Vec::new();
        write(&mut text, &[plain, scored]).unwrap();
        let text = String::from_utf8(text).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[0].ends_with("objective,lower_bound,accuracy"));
        assert!(lines[1].ends_with("0.30000000000000004,,"), "{}", lines[1]);
        assert!(lines[2].ends_with(",0.9"));
    }
}
