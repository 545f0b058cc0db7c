//! Makes the traces that g is judged on, once: every problem, algorithm, number of machines and seed as one CSV of
//! records under `bench/out/traces/`. What exists already is left alone, so that it can be stopped and started again; problems named
//! on the command line are made alone.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use hemingway::algorithm;
use hemingway::backend::{Backend, Config, Ending, EngineBackend, Frame};
use hemingway::problem::Problem;
use hemingway::record::{Record, csv};
use hemingway_bench::cluster;
use hemingway_bench::curves::{Case, cases, traces_dir};

/// Rounds of the run that brackets P* where no other program has.
const LONG: u64 = 1500;

fn main() -> anyhow::Result<()> {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let mut cases = cases();
    cases.retain(|case| asked.is_empty() || asked.iter().any(|name| name == case.name));
    // One seed of everything before the next of anything: stopped early, it leaves no problem without traces.
    for seed in 0..cases.iter().map(|case| case.seeds).max().unwrap_or(0) {
        for case in cases.iter().filter(|case| seed < case.seeds) {
            let started = Instant::now();
            make(case, seed).context(case.name)?;
            eprintln!("{} seed {seed}: {:.0} s", case.name, started.elapsed().as_secs_f64());
        }
    }
    Ok(())
}

fn make(case: &Case, seed: u64) -> anyhow::Result<()> {
    let folder = traces_dir()?.join(case.name);
    std::fs::create_dir_all(&folder)?;
    let data = case.load()?;
    let problem = Problem::new(&data, case.loss, case.l2, seed)?;
    let target = optimum(case, &problem, &folder)? * (1.0 + case.close);
    for algorithm in algorithms(case, &problem) {
        for &size in case.sizes {
            let path = folder.join(format!("{algorithm}-{}-{seed}.csv", size.0));
            if !path.exists() {
                csv::save(&path, &run(case, &problem, &algorithm, size, target)?)?;
            }
        }
    }
    Ok(())
}

fn algorithms(case: &Case, problem: &Problem) -> Vec<String> {
    if !case.algorithms.is_empty() {
        return case.algorithms.iter().map(|name| (*name).to_string()).collect();
    }
    let all = algorithm::candidates(case.loss, &problem.penalty, false);
    all.iter().map(|algorithm| algorithm.name().to_string()).collect()
}

/// P*, given or from a long run whose gap proves it; kept beside the traces for the judge.
fn optimum(case: &Case, problem: &Problem, folder: &Path) -> anyhow::Result<f64> {
    let path = folder.join("optimum");
    if path.exists() {
        return Ok(std::fs::read_to_string(&path)?.trim().parse()?);
    }
    let optimum = match case.optimum {
        Some(optimum) => optimum,
        None => proved(case, problem)?,
    };
    std::fs::write(&path, optimum.to_string())?;
    Ok(optimum)
}

fn proved(case: &Case, problem: &Problem) -> anyhow::Result<f64> {
    let judge = if case.loss.is_smooth() { "lbfgs" } else { "cocoa" };
    let records = run(case, problem, judge, (1, LONG), f64::NEG_INFINITY)?;
    let best = records.iter().map(|record| record.objective).fold(f64::INFINITY, f64::min);
    let bound = records.iter().filter_map(|record| record.lower_bound).fold(0.0, f64::max);
    let gap = (best - bound) / best;
    eprintln!("{}: P* = {best}, certified to {gap:.1e}", case.name);
    anyhow::ensure!(gap < 1e-5, "P* is only known to {gap:e}");
    // A smooth problem's best is P* to rounding; of others P* lies between.
    Ok(if case.loss.is_smooth() { best } else { 0.5 * (best + bound) })
}

fn run(
    case: &Case,
    problem: &Problem,
    algorithm: &str,
    (machines, rounds): (usize, u64),
    target: f64,
) -> anyhow::Result<Vec<Record>> {
    let mut backend = EngineBackend::new(problem.clone(), case.name, Some(cluster(machines)));
    let config = Config::new(algorithm, machines);
    let run = format!("{}-{algorithm}-{machines}-{}", case.name, problem.seed);
    let frame = Frame::new(run, config, rounds);
    let mut records = Vec::new();
    backend.run(&frame, None, &mut |record, _| {
        records.push(record.clone());
        Ok(if record.objective <= target { ControlFlow::Break(Ending::GoalMet) } else { ControlFlow::Continue(()) })
    })?;
    Ok(records)
}
