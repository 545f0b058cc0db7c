//! What `train` takes once a store remembers: another problem on this cluster, this problem on another, or all of it.

use std::path::Path;

use anyhow::Context;
use hemingway::cluster::Cluster;
use hemingway::record::store::Store;
use hemingway::train::recall;

use super::{Case, Outcome, Suite, Trainer};
use crate::folds::quantile;

/// A job is given up after so many virtual seconds.
const PATIENCE: f64 = 1e5;

/// What a store may hold when a problem is trained on a cluster, beside nothing.
const REMEMBERED: [&str; 3] =
    ["another problem on this cluster", "this problem on another cluster", "this problem on this cluster"];

/// One problem on one cluster.
struct Cell<'a> {
    problem: &'a str,
    cluster: &'a str,
    /// With nothing remembered.
    first: Outcome,
    /// For each of [`REMEMBERED`].
    again: [Outcome; 3],
}

/// Trains every problem asked for, all if none is, on every cluster and prints every cell.
pub fn print(suite: &Suite, names: &[String]) -> anyhow::Result<()> {
    let asked = |case: &Case| names.is_empty() || names.contains(&case.name);
    let cases: Vec<&Case> = suite.cases.iter().filter(|case| asked(case)).collect();
    let lessons = [suite.lessons(false)?, suite.lessons(true)?];
    let lessons = |case: &Case| &lessons[usize::from(case.has_l1())];
    let folder = tempfile::tempdir()?;
    let store = |case: &Case, cluster: &Cluster| kept(folder.path(), case, cluster);
    let first = suite.each(asked, |case| {
        let mut trainer = Trainer::of(case, lessons(case), Store::at(""))?;
        let mut on = |cluster: &Cluster| {
            trainer.store = store(case, cluster);
            trainer.run(&trainer.job(&trainer.wish(cluster, true, PATIENCE))?, cluster)
        };
        suite.clusters.iter().map(&mut on).collect::<anyhow::Result<Vec<_>>>()
    })?;
    let again = suite.each(asked, |case| {
        let mut trainer = Trainer::of(case, lessons(case), Store::at(""))?;
        trainer.store = Store::at(folder.path().join("again").join(&case.name));
        let stranger = stranger(&cases, case)?;
        let on = |(place, cluster): (usize, &Cluster)| {
            let elsewhere = &suite.clusters[(place + 1) % suite.clusters.len()];
            let remembers = |case, place| remembering(&trainer, cluster, &store(case, place));
            Ok([remembers(stranger, cluster)?, remembers(case, elsewhere)?, remembers(case, cluster)?])
        };
        suite.clusters.iter().enumerate().map(on).collect::<anyhow::Result<Vec<_>>>()
    })?;
    let places = cases.iter().flat_map(|case| suite.clusters.iter().map(|cluster| (&case.name, &cluster.name)));
    let outcomes = first.into_iter().flatten().zip(again.into_iter().flatten());
    let cells: Vec<Cell<'_>> = places
        .zip(outcomes)
        .map(|((problem, cluster), (first, again))| Cell { problem, cluster, first, again })
        .collect();
    table(&cells);
    sums(&cells);
    Ok(())
}

/// Where the journal of a problem trained on a cluster is kept.
fn kept(folder: &Path, case: &Case, cluster: &Cluster) -> Store {
    Store::at(folder.join(&case.name).join(&cluster.name))
}

/// The next problem of another family.
fn stranger<'a>(cases: &[&'a Case], case: &Case) -> anyhow::Result<&'a Case> {
    let after = cases.iter().skip_while(|other| other.name != case.name).chain(cases);
    let mut strangers = after.filter(|other| other.family != case.family);
    strangers.next().copied().context("problems of two families are needed")
}

fn remembering(trainer: &Trainer<'_>, cluster: &Cluster, past: &Store) -> anyhow::Result<Outcome> {
    let mut job = trainer.job(&trainer.wish(cluster, true, PATIENCE))?;
    recall(&mut job, past);
    trainer.run(&job, cluster)
}

fn table(cells: &[Cell<'_>]) {
    println!("Virtual seconds of probing, and until the true error was ε, by what is remembered:\n");
    let heads = REMEMBERED.map(|what| format!("| {what} "));
    println!("| problem | cluster | nothing {}|", heads.concat());
    println!("|---|---|---:|---:|---:|---:|");
    for cell in cells {
        let told = cell.outcomes().map(|outcome| format!("{:.4} of {:.3}", outcome.probing, reached(outcome)));
        println!("| {} | {} | {} |", cell.problem, cell.cluster, told.collect::<Vec<_>>().join(" | "));
    }
}

impl Cell<'_> {
    fn outcomes(&self) -> impl Iterator<Item = &Outcome> {
        std::iter::once(&self.first).chain(&self.again)
    }
}

fn reached(outcome: &Outcome) -> f64 {
    outcome.reached.unwrap_or(f64::INFINITY)
}

/// What remembering comes to, over all cells: clusters differ by orders of magnitude, so shares of what the same cell took
/// with nothing remembered stand beside sums.
fn sums(cells: &[Cell<'_>]) {
    println!(
        "\n| remembered | median share of probing | median probing, as a share | all probing | at most half | median share of time to ε |"
    );
    println!("|---|---:|---:|---:|---:|---:|");
    for (k, what) in REMEMBERED.iter().enumerate() {
        let probed = cells.iter().filter(|cell| cell.first.probing > 0.0);
        let shares: Vec<f64> = probed.map(|cell| cell.again[k].probing / cell.first.probing).collect();
        let halved = shares.iter().filter(|share| **share <= 0.5).count();
        let all = |outcome: fn(&Cell<'_>, usize) -> f64| cells.iter().map(|cell| outcome(cell, k)).sum::<f64>();
        let total = all(|cell, k| cell.again[k].probing) / all(|cell, _| cell.first.probing);
        let middle =
            |probing: fn(&Cell<'_>, usize) -> f64| quantile(cells.iter().map(|c| probing(c, k)).collect(), 0.5);
        let medians = middle(|cell, k| cell.again[k].probing) / middle(|cell, _| cell.first.probing);
        let both = cells.iter().filter(|cell| reached(&cell.again[k]).min(reached(&cell.first)).is_finite());
        let times = both.map(|cell| reached(&cell.again[k]) / reached(&cell.first)).collect();
        println!(
            "| {what} | {:.2} | {medians:.2} | {total:.2} | {halved} of {} | {:.2} |",
            quantile(shares.clone(), 0.5),
            shares.len(),
            quantile(times, 0.5)
        );
    }
}
