//! Runs that switch on the way: one algorithm until an error, then the same on other machines, or another that adopts
//! its model.

pub mod cells;

use std::ops::ControlFlow;
use std::path::Path;

use anyhow::Context;
use hemingway::algorithm;
use hemingway::backend::{Backend, Checkpoint, Config, Ending, EngineBackend, Frame};
use hemingway::problem::Problem;
use hemingway::record::{Record, Trace, csv, import};

use crate::curves::Case;
use crate::{cluster, out_dir};

/// The problems on which form and constants of the model were settled.
pub const SETTLED: [&str; 4] = ["a9a-logistic", "a9a-hinge", "synth-svm", "synth-ridge"];
/// Those it met only afterwards; they teach nothing.
pub const UNSEEN: [&str; 2] = ["mushrooms-logistic", "housing-ridge"];
/// A run switches at the first round with at most this true error.
pub const LEVELS: [f64; 2] = [1e-1, 1e-2];
/// Rounds watched after a switch.
pub const WATCHED: u64 = 60;
/// Rounds within which a run has to get to the switch.
const PATIENCE: u64 = 400;
const SEEDS: u64 = 3;
const ALGORITHMS: [&str; 6] = ["gd", "lbfgs", "cocoa", "cocoa+", "local-sgd", "minibatch-sgd"];
/// Where algorithms take over from each other.
const ADOPTING: usize = 8;
/// Where machines come and go.
const RESIZING: [(usize, usize); 2] = [(4, 16), (16, 4)];

/// A run up to a switch.
struct Head {
    level: f64,
    records: Vec<Record>,
    checkpoint: Checkpoint,
}

/// The stretches of every switched run of a problem, in order; made if they are not stored yet.
pub fn read(case: &Case, optimum: f64) -> anyhow::Result<Vec<Trace>> {
    let folder = out_dir()?.join("switches");
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{}.csv", case.name));
    if !path.exists() {
        make(case, optimum, &path).context(case.name)?;
    }
    Ok(import(&[path], None)?)
}

fn make(case: &Case, optimum: f64, path: &Path) -> anyhow::Result<()> {
    let data = case.load()?;
    let mut records = Vec::new();
    for seed in 0..SEEDS {
        let problem = Problem::new(&data, case.loss, case.l2, seed)?;
        let fits = |name: &&str| {
            let known = algorithm::by_name(name);
            known.is_ok_and(|algorithm| algorithm::check(algorithm.as_ref(), case.loss, &problem.penalty).is_ok())
        };
        let names: Vec<&str> = ALGORITHMS.into_iter().filter(fits).collect();
        for from in &names {
            let others = names.iter().filter(|to| *to != from).map(|to| Config::new(*to, ADOPTING));
            records.extend(switched(
                case,
                &problem,
                optimum,
                &Config::new(*from, ADOPTING),
                &others.collect::<Vec<_>>(),
            )?);
            for (before, after) in RESIZING {
                let to = [Config::new(*from, after)];
                records.extend(switched(case, &problem, optimum, &Config::new(*from, before), &to)?);
            }
        }
    }
    Ok(csv::save(path, &records)?)
}

/// Every switch from one configuration to any of the others, at every level.
fn switched(case: &Case, problem: &Problem, optimum: f64, from: &Config, to: &[Config]) -> anyhow::Result<Vec<Record>> {
    let mut records = Vec::new();
    for head in heads(case, problem, optimum, from)? {
        for to in to {
            let run = format!("{from} to {to} at {} seed {}", head.level, problem.seed);
            let before = head.records.iter().map(|record| Record { run: run.clone(), ..record.clone() });
            records.extend(before);
            records.extend(tail(case, problem, &head.checkpoint, &run, to)?);
        }
    }
    Ok(records)
}

/// The run up to each level it reaches.
fn heads(case: &Case, problem: &Problem, optimum: f64, config: &Config) -> anyhow::Result<Vec<Head>> {
    let mut backend = backend(case, problem);
    let frame = Frame::new("head", config.clone(), PATIENCE);
    let (mut heads, mut records, mut from): (Vec<Head>, Vec<Record>, Option<Checkpoint>) = Default::default();
    for level in LEVELS {
        let there = |record: &Record| record.objective <= optimum * (1.0 + level);
        // A first round may leap over several levels: one switch is enough there.
        if records.last().is_some_and(there) {
            continue;
        }
        let (checkpoint, ending) = backend.run(&frame, from.as_ref(), &mut |record, _| {
            records.push(record.clone());
            Ok(if there(record) { ControlFlow::Break(Ending::GoalMet) } else { ControlFlow::Continue(()) })
        })?;
        if ending != Ending::GoalMet {
            break;
        }
        from = Some(checkpoint.clone());
        heads.push(Head { level, records: records.clone(), checkpoint });
    }
    Ok(heads)
}

/// What follows the switch.
fn tail(case: &Case, problem: &Problem, from: &Checkpoint, run: &str, config: &Config) -> anyhow::Result<Vec<Record>> {
    let until_round = from.clock.rounds + WATCHED;
    let frame = Frame::new(run, config.clone(), until_round);
    let mut records = Vec::new();
    backend(case, problem).run(&frame, Some(from), &mut |record, _| {
        records.push(record.clone());
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(records)
}

fn backend(case: &Case, problem: &Problem) -> EngineBackend {
    let most = RESIZING.iter().map(|(before, after)| *before.max(after)).fold(ADOPTING, usize::max);
    EngineBackend::new(problem.clone(), case.name, Some(cluster(most)))
}
