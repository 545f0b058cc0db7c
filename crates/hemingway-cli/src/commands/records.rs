//! From what the user names as RECORDS to traces: files of anyone's, journals, runs of the store.

use std::path::Path;

use anyhow::Result;
use hemingway::Error;
use hemingway::engine::cores;
use hemingway::model::{FitOptions, Priors};
use hemingway::record::journal::{Event, Journal};
use hemingway::record::store::{RunDir, Store};
use hemingway::record::{Metric, Record, Trace, import, traces};

use super::outcome::store_flag;
use crate::args::RecordArgs;

/// Reads everything named, with this measure in the objective's place if one is.
pub(super) fn read(args: &RecordArgs, metric: Option<&Metric>) -> Result<Vec<Trace>> {
    let mut files = Vec::new();
    let mut found = Vec::new();
    for name in &args.records {
        let path = Path::new(name);
        if path.is_file() && !is_journal(path) {
            files.push(path);
            continue;
        }
        let events = if path.is_file() { Journal::read(path)? } else { run(name, &args.store.store)?.events()? };
        let records: Result<Vec<Record>> = rounds(events).map(|record| measured(record, metric)).collect();
        found.extend(traces(&records?));
    }
    if !files.is_empty() {
        found.extend(import(&files, metric)?);
    }
    Ok(found)
}

/// A run of the store, where there is no file of that name.
fn run(name: &str, store: &Path) -> hemingway::Result<RunDir> {
    let runs = format!("`hemingway runs{}` lists them", store_flag(store));
    let what = || format!("is neither a file nor a run in {}; {runs}", store.display());
    Store::at(store).find(name).map_err(|_| Error::file(name, what()))
}

/// How to fit them.
pub(super) fn options(args: &RecordArgs, cluster: Option<String>, metric: Option<&Metric>) -> Result<FitOptions> {
    let priors = priors(args, metric)?;
    Ok(FitOptions { method: args.method.into(), cluster, max_local_machines: Some(cores()), priors })
}

/// A cluster that no record names is a slip of the pen: without it f would be silently empty.
pub(super) fn check_cluster(traces: &[Trace], options: &FitOptions) -> Result<()> {
    let Some(asked) = &options.cluster else { return Ok(()) };
    let mut known: Vec<&str> =
        traces.iter().map(|trace| trace.cluster.as_str()).filter(|name| !name.is_empty()).collect();
    known.sort_unstable();
    known.dedup();
    if known.is_empty() || known.contains(&asked.as_str()) {
        return Ok(());
    }
    let what = format!("no record is of `{asked}`; they hold times of {}: name one of these", known.join(", "));
    Err(Error::setting("--cluster", what).into())
}

/// What earlier problems teach. Where a file does not name its problem, it is one.
fn priors(args: &RecordArgs, metric: Option<&Metric>) -> Result<Priors> {
    let mut earlier = Vec::new();
    for path in &args.prior {
        let named = |trace: Trace| match trace.problem.is_empty() {
            true => Trace { problem: path.display().to_string(), ..trace },
            false => trace,
        };
        earlier.extend(import(&[path], metric)?.into_iter().map(named));
    }
    Ok(Priors::of(&earlier))
}

fn is_journal(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "journal.jsonl")
}

fn rounds(events: Vec<Event>) -> impl Iterator<Item = Record> {
    events.into_iter().filter_map(|event| match event {
        Event::Round { record } => Some(record),
        _ => None,
    })
}

/// The record with the metric in the objective's place, by the same rule as for files: a share to be large counts as
/// 1 − value, and bounds of the objective no longer apply.
fn measured(mut record: Record, metric: Option<&Metric>) -> Result<Record> {
    let Some(metric) = metric else { return Ok(record) };
    let known = || record.metrics.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
    let value = record.metrics.get(&metric.name).copied().ok_or_else(|| {
        let what = format!("{} was not measured in {}; measured: {}", metric.name, record.run, known());
        hemingway::Error::setting("--metric", what)
    })?;
    record.objective = if metric.maximize { 1.0 - value } else { value };
    record.lower_bound = None;
    Ok(record)
}
