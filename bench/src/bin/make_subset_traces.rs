//! Makes the traces that learning from samples is judged on, once: every problem whole and in samples of 5, 10 and 20 %,
//! λ scaled either way, every algorithm, number of machines and seed as one CSV of records under
//! `bench/out/traces-subset/`. What exists already is left alone; problems named on the command line are made alone.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use hemingway::algorithm;
use hemingway::backend::{Backend, Config, Ending, EngineBackend, Frame};
use hemingway::cluster::Cluster;
use hemingway::data::Dataset;
use hemingway::problem::Problem;
use hemingway::record::{Record, csv};
use hemingway_bench::cluster;
use hemingway_bench::subset::{FRACTIONS, MACHINES, SEEDS, Scaling, Study, clusters, studies};

/// Traces end after so many rounds, or this close to P*.
const ROUNDS: u64 = 200;
const CLOSE: f64 = 1e-4;
/// Rounds whose seconds are taken.
const TIMED: u64 = 12;
/// The run that brackets P* ends after so many rounds, or with this gap proved.
const LONG: u64 = 1500;
const PROVED: f64 = 1e-6;

fn main() -> anyhow::Result<()> {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let studies = studies(&asked);
    let whole: Vec<Dataset> = studies.iter().map(|study| study.case.load()).collect::<anyhow::Result<_>>()?;
    for seed in SEEDS {
        for (study, data) in studies.iter().zip(&whole) {
            let started = Instant::now();
            make(study, data, seed).context(study.case.name)?;
            eprintln!("{} seed {seed}: {:.0} s", study.case.name, started.elapsed().as_secs_f64());
        }
    }
    Ok(())
}

fn make(study: &Study, data: &Dataset, seed: u64) -> anyhow::Result<()> {
    for scaling in Scaling::ALL {
        // The first seed settles how to scale λ; the others keep to it.
        let asked = |name: &str| seed == SEEDS[0] || Scaling::of(name) == scaling;
        for fraction in FRACTIONS {
            let folder = study.sample_dir(fraction, scaling, seed)?;
            Maker { study, fraction, problem: study.sample(data, fraction, scaling, seed)? }.fill(&folder, asked)?;
        }
    }
    let whole = Maker { study, fraction: 1.0, problem: study.whole(data, seed)? };
    clusters()?.iter().try_for_each(|cluster| whole.time(cluster))?;
    whole.fill(&study.whole_dir()?, |_| true)
}

/// Runs one problem of one size.
struct Maker<'a> {
    study: &'a Study,
    fraction: f64,
    problem: Problem,
}

impl Maker<'_> {
    fn fill(&self, folder: &Path, asked: impl Fn(&str) -> bool) -> anyhow::Result<()> {
        let mut algorithms = algorithm::candidates(self.problem.loss, &self.problem.penalty, false);
        algorithms.retain(|algorithm| asked(algorithm.name()));
        if algorithms.is_empty() {
            return Ok(());
        }
        std::fs::create_dir_all(folder)?;
        let target = self.optimum(folder)? * (1.0 + CLOSE);
        for algorithm in algorithms {
            for machines in MACHINES {
                let path = folder.join(format!("{}-{machines}-{}.csv", algorithm.name(), self.problem.seed));
                if !path.exists() {
                    let there = |record: &Record| record.objective <= target;
                    // Whole or not at all, so that it can be stopped at any time.
                    let part = path.with_extension("part");
                    csv::save(&part, &self.run(algorithm.name(), machines, ROUNDS, there)?)?;
                    std::fs::rename(part, path)?;
                }
            }
        }
        Ok(())
    }

    /// A few rounds of everything on a shipped cluster, for the seconds they take.
    fn time(&self, cluster: &Cluster) -> anyhow::Result<()> {
        let folder = self.study.times_dir(&cluster.name)?;
        std::fs::create_dir_all(&folder)?;
        for algorithm in algorithm::candidates(self.problem.loss, &self.problem.penalty, false) {
            for machines in MACHINES.into_iter().filter(|m| *m <= cluster.machines) {
                let path = folder.join(format!("{}-{machines}.csv", algorithm.name()));
                if !path.exists() {
                    csv::save(&path, &self.run_on(cluster, algorithm.name(), machines, TIMED, |_| false)?)?;
                }
            }
        }
        Ok(())
    }

    /// P*, given or from a long run whose gap proves it; kept beside the traces for the judge.
    fn optimum(&self, folder: &Path) -> anyhow::Result<f64> {
        let path = folder.join("optimum");
        if path.exists() {
            return Ok(std::fs::read_to_string(&path)?.trim().parse()?);
        }
        let optimum = match self.study.case.optimum.filter(|_| self.fraction == 1.0) {
            Some(optimum) => optimum,
            None => self.proved()?,
        };
        std::fs::write(&path, optimum.to_string())?;
        Ok(optimum)
    }

    fn proved(&self) -> anyhow::Result<f64> {
        let gap = |record: &Record| 1.0 - record.lower_bound.unwrap_or(0.0) / record.objective;
        let judge = if self.problem.loss.is_smooth() { "lbfgs" } else { "cocoa" };
        let records = self.run(judge, 1, LONG, |record| gap(record) < PROVED)?;
        let best = records.iter().map(|record| record.objective).fold(f64::INFINITY, f64::min);
        let bound = records.iter().filter_map(|record| record.lower_bound).fold(0.0, f64::max);
        let gap = (best - bound) / best;
        // Of a sample it only says where traces end.
        anyhow::ensure!(gap < 10.0 * PROVED || self.fraction < 1.0, "P* is only known to {gap:e}");
        Ok(0.5 * (best + bound))
    }

    fn run(
        &self,
        algorithm: &str,
        machines: usize,
        rounds: u64,
        over: impl Fn(&Record) -> bool,
    ) -> anyhow::Result<Vec<Record>> {
        self.run_on(&cluster(machines), algorithm, machines, rounds, over)
    }

    fn run_on(
        &self,
        cluster: &Cluster,
        algorithm: &str,
        machines: usize,
        rounds: u64,
        over: impl Fn(&Record) -> bool,
    ) -> anyhow::Result<Vec<Record>> {
        let Self { study, fraction, problem } = self;
        let mut backend =
            EngineBackend::new(problem.clone(), study.case.name, Some(cluster.clone())).with_fraction(*fraction);
        let config = Config::new(algorithm, machines);
        let run = format!("{}-{fraction}-{algorithm}-{machines}-{}", study.case.name, problem.seed);
        let frame = Frame::new(run, config, rounds);
        let mut records = Vec::new();
        backend.run(&frame, None, &mut |record, _| {
            records.push(record.clone());
            Ok(if over(record) { ControlFlow::Break(Ending::GoalMet) } else { ControlFlow::Continue(()) })
        })?;
        Ok(records)
    }
}
