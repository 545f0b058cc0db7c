//! Training curves of neural networks that others measured, as traces: 1 − metric is what is to become small.

pub mod judge;
mod sanity;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use hemingway::record::{Point, Trace};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Seconds between two accuracies of one Lynceus trial.
const STRIDE: f64 = 30.0;

/// Every study there is, by name; each is one problem, whose contexts share P*.
pub fn studies(data: &Path) -> anyhow::Result<BTreeMap<String, Vec<Trace>>> {
    let mut studies = lynceus(&data.join("lynceus"))?;
    studies.extend(pollux(&data.join("pollux"))?);
    Ok(studies)
}

/// One training with TensorFlow and a parameter server on so many workers, until 85 % or for ten minutes.
#[derive(Deserialize)]
struct Trial {
    n_workers: usize,
    learning_rate: String,
    batch_size: String,
    synchronism: String,
    training_time: f64,
    vm_flavor: String,
    total_iterations: u64,
    intermediate_acc_values: String,
}

/// By network, synchronism and batch size; contexts are learning rates and machine types, m is the number of workers, a
/// round an iteration.
fn lynceus(folder: &Path) -> anyhow::Result<BTreeMap<String, Vec<Trace>>> {
    let mut studies: BTreeMap<String, Vec<Trace>> = BTreeMap::new();
    for path in files(folder, "_intermediate_values.csv")? {
        let name = stem(&path).replace("_intermediate_values", "").replace("t2_", "lynceus-");
        for trial in rows::<Trial>(&path)? {
            let study = format!("{name} {} {}", trial.synchronism, trial.batch_size);
            studies.entry(study).or_default().push(trial.trace(&path)?);
        }
    }
    Ok(studies)
}

impl Trial {
    /// Accuracies carry no time of their own: only the last point has one, so that f sees one measurement, not twenty.
    fn trace(&self, path: &Path) -> anyhow::Result<Trace> {
        let pace = self.total_iterations as f64 / self.training_time;
        let mut points = Vec::new();
        for (place, value) in self.intermediate_acc_values.split_whitespace().enumerate() {
            let accuracy: f64 = value.parse().with_context(|| format!("{}: accuracy `{value}`", path.display()))?;
            let round = (pace * STRIDE * (place + 1) as f64).round() as u64;
            points.push(Point { round, objective: Some(1.0 - accuracy), ..Point::default() });
        }
        points.retain(|point| point.round < self.total_iterations);
        let (round, seconds) = (self.total_iterations, Some(self.training_time));
        points.push(Point { round, seconds, ..Point::default() });
        Ok(trace(format!("{} {}", self.learning_rate, self.vm_flavor), self.n_workers, points))
    }
}

/// The metric after so many iterations, evaluated at equal progress.
#[derive(Deserialize)]
struct Validation {
    iteration: u64,
    metric: f64,
}

/// By network; m is the batch in multiples of the smallest, as it grows with replicas of one local batch each, a round an
/// iteration.
fn pollux(folder: &Path) -> anyhow::Result<BTreeMap<String, Vec<Trace>>> {
    let mut studies = BTreeMap::new();
    for network in files(folder, "")?.into_iter().filter(|path| path.is_dir()) {
        let mut curves = Vec::new();
        for path in files(&network, ".csv")? {
            if let Some(batch) = stem(&path).strip_prefix("validation-") {
                let batch: usize = batch.parse().with_context(|| path.display().to_string())?;
                curves.push((batch, rows::<Validation>(&path)?));
            }
        }
        let smallest = curves.iter().map(|(batch, _)| *batch).min().unwrap_or(1);
        let point =
            |row: &Validation| Point { round: row.iteration, objective: Some(1.0 - row.metric), ..Point::default() };
        let curve = |(batch, rows): &(usize, Vec<Validation>)| {
            trace("replicas".into(), batch / smallest, rows.iter().map(point).collect())
        };
        studies.insert(format!("pollux-{}", stem(&network)), curves.iter().map(curve).collect());
    }
    Ok(studies)
}

fn trace(context: String, machines: usize, points: Vec<Point>) -> Trace {
    Trace {
        run: format!("{context} {machines}"),
        context,
        problem: String::new(),
        cluster: String::new(),
        machines,
        rows: None,
        fraction: 1.0,
        fresh: true,
        points,
        phases: None,
    }
}

fn rows<R: DeserializeOwned>(path: &Path) -> anyhow::Result<Vec<R>> {
    let read = || csv::Reader::from_path(path)?.into_deserialize().collect::<Result<Vec<R>, _>>();
    read().with_context(|| path.display().to_string())
}

fn files(folder: &Path, ending: &str) -> anyhow::Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        bail!("DATA MISSING: {} is not there; set HEMINGWAY_DATA to the directory of the data sets", folder.display());
    }
    let entries = std::fs::read_dir(folder)?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<Vec<_>>>()?;
    files.retain(|path| path.to_string_lossy().ends_with(ending));
    files.sort();
    Ok(files)
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
