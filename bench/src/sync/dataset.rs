//! The data set of strategies and their times: every row a model, a cluster, a strategy, what was foretold and what it took.
//!
//! `bench/sync/dataset.parquet` holds rows that ranks have timed across a testbed ([`super::testbed`]) and rows timed on the virtual
//! clock; column `engine` says which. docs/sync.md lists the columns.

pub mod file;
pub mod simulated;
pub mod words;

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result};
use hemingway::cluster::Cluster;
use hemingway::sync::ranker::Look;
use hemingway::sync::search::looks;
use hemingway::sync::sketch::Sketch;
use hemingway::sync::{Model, Stage};

use super::testbed;

/// What ranks have timed.
pub const RANKS: &str = "ranks";
/// What was played on a virtual clock.
pub const SIMULATED: &str = "simulated";
/// Strategies drawn at random.
pub const RANDOM: &str = "random";
/// Trials of a search.
pub const SEARCH: &str = "search";

/// A strategy of a model on a cluster, and its time.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// A built-in model.
    pub model: String,
    /// The share of its usual batch that a step computes.
    pub batch: f64,
    /// The cluster's name.
    pub cluster: String,
    /// Its file, with which forecasts were made.
    pub cluster_file: String,
    /// How many of its machines.
    pub machines: usize,
    /// [`RANKS`] or [`SIMULATED`].
    pub engine: String,
    /// Bytes of the model for each that really moved.
    pub scale: f64,
    /// [`RANDOM`], [`SEARCH`], or a builder's name.
    pub source: String,
    /// What it was drawn with.
    pub seed: usize,
    /// Its place among those of its source and seed.
    pub place: usize,
    /// The strategy in outline.
    pub sketch: Sketch,
    /// What no lossless strategy can beat.
    pub bound: f64,
    /// Seconds on paper, and traits.
    pub look: Look,
    /// Seconds of a step: of several runs the mean where there are two, else the one in the middle.
    pub seconds: f64,
    /// The fastest run.
    pub low: f64,
    /// The slowest.
    pub high: f64,
    /// How many runs.
    pub runs: usize,
}

/// What was timed of one strategy.
#[derive(Debug, Clone)]
pub struct Timed {
    /// Where it comes from.
    pub source: String,
    /// What it was drawn with.
    pub seed: usize,
    /// Its place among those.
    pub place: usize,
    /// The strategy.
    pub sketch: Sketch,
    /// Seconds: fastest, middle or mean, slowest.
    pub seconds: [f64; 3],
    /// How many runs.
    pub runs: usize,
}

/// Where rows come from, and how they were timed.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// The share of the usual batch.
    pub batch: f64,
    /// [`RANKS`] or [`SIMULATED`].
    pub engine: &'a str,
    /// Bytes for each that moved.
    pub scale: f64,
}

/// Rows of one model on one cluster.
pub fn rows(stage: &Stage, origin: Origin<'_>, timed: Vec<Timed>) -> Result<Vec<Row>> {
    let sketches: Vec<Sketch> = timed.iter().map(|one| one.sketch.clone()).collect();
    let (bound, cluster_file) = (stage.bound(), stage.cluster.toml()?);
    let row = |(one, look): (Timed, Look)| Row {
        model: stage.model.name.clone(),
        batch: origin.batch,
        cluster: stage.cluster.name.clone(),
        cluster_file: cluster_file.clone(),
        machines: stage.machines(),
        engine: origin.engine.into(),
        scale: origin.scale,
        source: one.source,
        seed: one.seed,
        place: one.place,
        sketch: one.sketch,
        bound,
        look,
        seconds: one.seconds[1],
        low: one.seconds[0],
        high: one.seconds[2],
        runs: one.runs,
    };
    Ok(timed.into_iter().zip(looks(stage, &sketches)?).map(row).collect())
}

/// Where the data set is kept.
pub fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("sync/dataset.parquet")
}

/// Plays what has not been played yet on the virtual clock, adds what ranks have timed, and writes the file. What it holds already is
/// played again only where forecasts have changed, and cells that no ranks have timed since stay as they are.
pub fn make() -> Result<()> {
    let known = if path().exists() { file::read(&path())? } else { Vec::new() };
    simulated::recall(&known)?;
    simulated::play()?;
    let timed = testbed::rows()?;
    let is_timed = |row: &Row| timed.iter().any(|new| (&new.model, &new.cluster) == (&row.model, &row.cluster));
    let others = known.into_iter().filter(|row| row.engine == RANKS && !is_timed(row)).collect();
    let all = [timed.clone(), others, simulated::rows()?].concat();
    file::write(&path(), &all)?;
    let size = std::fs::metadata(path())?.len();
    println!("{}: {} rows, {:.2} MB\n", path().display(), all.len(), size as f64 / 1e6);
    count(&all);
    Ok(())
}

/// Writes the file again with today's forecasts and traits of the same strategies. Times stay, but for those of the virtual clock
/// where forecasts have changed: what messages take is the same to both.
pub fn refresh() -> Result<()> {
    let mut all = file::read(&path())?;
    let same = |a: &Row, b: &Row| (&a.model, &a.cluster_file, a.batch) == (&b.model, &b.cluster_file, b.batch);
    for rows in all.chunk_by_mut(same) {
        let sketches: Vec<Sketch> = rows.iter().map(|row| row.sketch.clone()).collect();
        let stage = rows[0].stage()?;
        let looks = looks(&stage, &sketches)?;
        let stale = rows.iter().zip(&looks).any(|(row, look)| row.look.forecast != look.forecast);
        rows.iter_mut().zip(looks).for_each(|(row, look)| row.look = look);
        if stale && rows[0].engine == SIMULATED {
            let seconds = simulated::played(&stage, &sketches)?;
            rows.iter_mut().zip(seconds).for_each(|(row, new)| [row.low, row.seconds, row.high] = [new; 3]);
        }
    }
    file::write(&path(), &all)
}

fn count(all: &[Row]) {
    let mut counts: BTreeMap<(&str, &str, &str), usize> = BTreeMap::new();
    all.iter().for_each(|row| *counts.entry((&row.engine, &row.model, &row.cluster)).or_default() += 1);
    println!("| engine | model | cluster | rows |");
    println!("|:--|:--|:--|--:|");
    counts
        .iter()
        .for_each(|((engine, model, cluster), count)| println!("| {engine} | {model} | {cluster} | {count} |"));
}

/// Prints the versioned strategy of one row, counted from 0.
pub fn show(place: usize) -> Result<()> {
    let all = file::read(&path())?;
    let row = all.get(place).with_context(|| format!("there are {} rows, counted from 0", all.len()))?;
    let strategy = row.sketch.strategy(&row.stage()?, format!("row {place}"));
    println!("{}", serde_json::to_string(&strategy)?);
    Ok(())
}

impl Row {
    /// The model on its cluster, as it was timed.
    pub fn stage(&self) -> Result<Stage> {
        let model = batched(Model::find(&self.model)?, self.batch);
        Ok(Stage::new(model, &Cluster::parse(&self.cluster_file)?, self.machines)?)
    }
}

/// A model that computes for a share of its usual batch.
pub fn batched(mut model: Model, batch: f64) -> Model {
    model.step_ms *= batch;
    model.variables.iter_mut().for_each(|variable| variable.ready_ms *= batch);
    model
}

#[cfg(test)]
mod tests {
    use hemingway::rng::{Purpose, keyed};

    use super::*;

    #[test]
    fn rows_read_back_and_are_laid_out_as_they_were() {
        let stage = crate::sync::stage("ncf", "uneven-10gbit").unwrap();
        let drawn = |place| Timed {
            source: RANDOM.into(),
            seed: 3,
            place,
            sketch: Sketch::sample(&stage, true, &mut keyed(3, Purpose::Propose, 0, place as u64)),
            seconds: [0.1, 0.2, 0.3],
            runs: 2,
        };
        let origin = Origin { batch: 1.0, engine: SIMULATED, scale: 1.0 };
        let all = rows(&stage, origin, (0..20).map(drawn).collect()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.parquet");
        file::write(&path, &all).unwrap();
        let mut read = file::read(&path).unwrap();
        let again = looks(&read[7].stage().unwrap(), &[read[7].sketch.clone()]).unwrap()[0];
        assert_eq!(again, all[7].look);
        // Traits are kept as 32 bits.
        read.iter_mut().zip(&all).for_each(|(read, written)| {
            let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-6 * b.abs().max(1.0);
            assert!(read.look.traits.iter().zip(&written.look.traits).all(near));
            read.look.traits = written.look.traits;
        });
        assert_eq!(read, all);
    }
}
