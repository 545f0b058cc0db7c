//! How well f predicts our own runs on the shipped clusters, straggler noise on: all of the data from samples of at
//! most a tenth, by algorithm; one m left out, from the total time or from its phases; and the slowest rounds of an m
//! left out.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use anyhow::Context;
use hemingway::backend::{Backend, Config, EngineBackend, Frame};
use hemingway::cluster::Cluster;
use hemingway::data::source::Source;
use hemingway::data::{Dataset, Normalize, Preparation, prepare};
use hemingway::model::system::Observation;
use hemingway::model::{Estimate, FitOptions, Method, SystemModel};
use hemingway::problem::{Loss, Problem};
use hemingway::record::{Record, Trace, traces};
use hemingway_bench::folds::{Fold, Folds, NAMES, judge, quantile, table};

const ROUNDS: u64 = 12;
/// Enough to know the slowest hundredth by.
const MANY_ROUNDS: u64 = 200;
const ALGORITHMS: [&str; 7] = ["gd", "lbfgs", "minibatch-sgd", "local-sgd", "splash", "cocoa", "cocoa+"];
const SAMPLES: [f64; 3] = [0.025, 0.05, 0.1];

fn main() -> anyhow::Result<()> {
    let [mut sizes, mut phases, mut slowest]: [BTreeMap<String, Folds>; 3] = Default::default();
    for (place, data) in datasets()?.iter().enumerate() {
        let data = Sizes::of(data)?;
        for cluster in clusters()? {
            for name in ALGORITHMS {
                from_samples(&data, &cluster, name, sizes.entry(name.into()).or_default())?;
                from_phases(&data, &cluster, name, phases.entry(name.into()).or_default())?;
                // Every round is evaluated to be timed alone: the small set will do.
                if place == 0 {
                    of_the_slowest(&data, &cluster, name, slowest.entry(name.into()).or_default())?;
                }
            }
        }
    }
    println!("## All of the data from samples of at most a tenth\n");
    table(&NAMES, sizes.iter().map(|(name, folds)| (name.as_str(), folds)));
    println!("\n## One m left out, inner and up, ours from the total and from its phases\n");
    table(&["total", "phases"], phases.iter().map(|(name, folds)| (name.as_str(), folds)));
    println!(
        "\n## One m left out, inner and up: seconds that 90 % and 99 % of {MANY_ROUNDS} rounds do not exceed (a9a)\n"
    );
    table(&["p90", "p99"], slowest.iter().map(|(name, folds)| (name.as_str(), folds)));
    Ok(())
}

fn datasets() -> anyhow::Result<Vec<Dataset>> {
    let folder = hemingway_bench::data_dir()?;
    let load = |path: &str, preparation: Preparation| {
        let loaded = Source::parse(&folder.join(path).display().to_string())?.load()?;
        Ok(prepare(loaded.dataset, &preparation, true)?.dataset)
    };
    let mnist = Preparation { normalize: Some(Normalize::Rows), positive: Some(5.0), ..Preparation::default() };
    let small = load("a9a/a9a.libsvm.gz", Preparation::default());
    [small, load("mnist/train-images-idx3-ubyte.gz", mnist)].into_iter().collect()
}

fn clusters() -> anyhow::Result<Vec<Cluster>> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../clusters"));
    let read = |name| Ok(Cluster::read(&folder.join(format!("{name}.toml")))?);
    ["laptop", "spark-1gbit", "cloud-25gbit", "hpc-200gbit"].into_iter().map(read).collect()
}

/// One data set in all the sizes that are asked for.
struct Sizes(Vec<(f64, Problem)>);

impl Sizes {
    fn of(data: &Dataset) -> anyhow::Result<Self> {
        let data = data.clone().shuffled(7);
        let cut = |fraction: f64| {
            let rows: Vec<usize> = (0..(data.rows() as f64 * fraction).round() as usize).collect();
            Ok((fraction, Problem::new(data.select(&rows), Loss::Logistic, None, 1)?))
        };
        Ok(Self(SAMPLES.into_iter().chain([1.0]).map(cut).collect::<anyhow::Result<_>>()?))
    }

    /// Runs a few rounds; the last record.
    fn run(&self, fraction: f64, cluster: &Cluster, name: &str, machines: usize) -> anyhow::Result<Record> {
        let records = self.records(fraction, cluster, Config::new(name, machines), (ROUNDS, 1000))?;
        records.into_iter().last().context("a run without records")
    }

    /// Every record of so many rounds, evaluated every so many. Stragglers differ from run to run.
    fn records(
        &self,
        fraction: f64,
        cluster: &Cluster,
        config: Config,
        (until_round, eval_every): (u64, u64),
    ) -> anyhow::Result<Vec<Record>> {
        let problem = self.0.iter().find(|size| size.0 == fraction).context("a size not prepared")?.1.clone();
        let seed = config.machines as u64 + (1000.0 * fraction) as u64;
        let mut backend = EngineBackend::new(Problem { seed, ..problem }, "", Some(cluster.clone()));
        let frame = Frame { eval_every, ..Frame::new("", config, until_round) };
        let mut records = Vec::new();
        backend.run(&frame, None, &mut |record, _| {
            records.push(record.clone());
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(records)
    }
}

fn observe(machines: usize, fraction: f64, seconds: f64) -> Observation {
    Observation { machines, fraction, seconds, noise: None }
}

fn from_samples(data: &Sizes, cluster: &Cluster, name: &str, into: &mut Folds) -> anyhow::Result<()> {
    let at = |machines: usize, fraction: f64| -> anyhow::Result<Observation> {
        let record = data.run(fraction, cluster, name, machines)?;
        Ok(observe(machines, fraction, record.train_seconds / record.round as f64))
    };
    let places = [1, 2, 4, 8].into_iter().flat_map(|m| SAMPLES.map(|fraction| (m, fraction)));
    let taught: Vec<Observation> = places.map(|(m, fraction)| at(m, fraction)).collect::<anyhow::Result<_>>()?;
    let asked = [1, 4, 8, 16, 32].into_iter().filter(|m| *m <= cluster.machines);
    let tested: Vec<Observation> = asked.map(|m| at(m, 1.0)).collect::<anyhow::Result<_>>()?;
    judge(&taught, &tested, into);
    Ok(())
}

fn all_machines(cluster: &Cluster) -> Vec<usize> {
    [1, 2, 4, 8, 16, 32, 64].into_iter().filter(|m| *m <= cluster.machines).collect()
}

fn of_the_slowest(data: &Sizes, cluster: &Cluster, name: &str, into: &mut Folds) -> anyhow::Result<()> {
    let mut seen: Vec<Trace> = Vec::new();
    for m in all_machines(cluster) {
        seen.extend(traces(&data.records(1.0, cluster, Config::new(name, m), (MANY_ROUNDS, 1))?));
    }
    for left_out in &seen[1..] {
        let taught: Vec<&Trace> = seen.iter().filter(|trace| trace.machines != left_out.machines).collect();
        let model = SystemModel::of(&cluster.name, &taught, &FitOptions::default()).context("no times")?;
        for (folds, share) in into.iter_mut().zip([0.9, 0.99]) {
            // Where an iteration takes several rounds, none is timed alone.
            let Some(estimate) = model.quantile(left_out.machines, 1.0, share) else { continue };
            folds.push(Fold::new(&estimate, quantile(left_out.single_round_seconds(), share)));
        }
    }
    Ok(())
}

fn from_phases(data: &Sizes, cluster: &Cluster, name: &str, into: &mut Folds) -> anyhow::Result<()> {
    let machines = all_machines(cluster);
    let mut parts: [Vec<Observation>; 5] = Default::default();
    for &m in &machines {
        let record = data.run(1.0, cluster, name, m)?;
        let other = record.train_seconds - record.compute - record.wait - record.sync;
        let seconds = [record.train_seconds, record.compute, record.wait, record.sync, other];
        for (part, seconds) in parts.iter_mut().zip(seconds) {
            part.push(observe(m, 1.0, seconds / record.round as f64));
        }
    }
    for place in 1..machines.len() {
        let without = |part: &Vec<Observation>| {
            let taught: Vec<Observation> =
                part.iter().enumerate().filter(|(other, _)| *other != place).map(|(_, o)| *o).collect();
            Some(SystemModel::fit("", &taught, Method::Ours)?.seconds(machines[place], 1.0))
        };
        let estimates: Vec<Option<Estimate>> = parts.iter().map(without).collect();
        let real = parts[0][place].seconds;
        into[0].extend(estimates[0].map(|total| Fold::new(&total, real)));
        let mid = estimates[1..].iter().flatten().map(|phase| phase.mid).sum();
        // Independent phases: half widths add in squares.
        let width = |of: fn(&Estimate) -> f64| {
            estimates[1..].iter().flatten().map(|phase| (of(phase) - phase.mid).powi(2)).sum::<f64>().sqrt()
        };
        let (low, high) = (mid - width(|phase| phase.low), mid + width(|phase| phase.high));
        into[1].push(Fold::new(&Estimate { low, mid, high, extrapolated: false }, real));
    }
    Ok(())
}
