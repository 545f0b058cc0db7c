//! What a second thread gains: seconds of a round of gd and lbfgs, and of the way to an error by whichever is fastest, on one
//! thread and on two in turn.
//!
//! ```text
//! cargo run --release -p hemingway-bench --bin threads -- [SETS]
//! ```
//!
//! Both sides are ours, and so is P*, from a long run of newton.

use std::time::Instant;

use hemingway::algorithm::{self, Step};
use hemingway::engine::{self, Setting};
use hemingway::problem::{Loss, Problem};
use hemingway_bench::peers::{ERRORS, Ours, REPEATS, Suite, medians};

/// Those whose rounds are timed.
const ROUNDS_OF: [&str; 2] = ["gd", "lbfgs"];
/// Those of which the fastest counts.
const FIELD: [&str; 6] = ["gd", "lbfgs", "newton", "cocoa", "cocoa+", "local-sgd"];
/// Rounds whose median is taken, the first of a run: later ones may be of a search along a line at the optimum.
const ROUNDS: u64 = 12;
/// Seconds after which an algorithm is given up, in rounds of lbfgs on one thread.
const PATIENCE: f64 = 60.0;
/// The sets that are made.
const MADE: [&str; 4] = ["dense", "sparse", "dense-10", "sparse-10"];

fn main() -> anyhow::Result<()> {
    let mut sets: Vec<String> = std::env::args().skip(1).collect();
    if sets.is_empty() {
        sets = MADE.map(String::from).to_vec();
    }
    println!("| problem | what | 1 thread | 2 threads | ratio |\n|---|---|--:|--:|--:|");
    for case in Suite::read()?.cases(&sets) {
        let case = case?;
        if case.loss != Loss::Logistic {
            continue;
        }
        let (name, problem) = (case.name(), case.problem()?);
        drop(case);
        let mut pass = 0.0;
        for algorithm in ROUNDS_OF {
            let [one, two] = in_turn(|threads| round_seconds(&problem, algorithm, threads))?;
            pass = one;
            println!(
                "| {name} | ms of a round, {algorithm} | {:.3} | {:.3} | {:.2} |",
                1e3 * one,
                1e3 * two,
                one / two
            );
        }
        let optimum = optimum(&problem)?;
        to_errors(&name, &Ours::new(problem, optimum, PATIENCE * pass))?;
    }
    Ok(())
}

/// The best of each number of threads, at every error.
fn to_errors(name: &str, ours: &Ours) -> anyhow::Result<()> {
    let mut best = [[None::<(f64, &str)>; ERRORS.len()]; 2];
    for algorithm in FIELD {
        let mut repeats = [Vec::new(), Vec::new()];
        for _ in 0..REPEATS.min(3) {
            for (threads, times) in (1..).zip(&mut repeats) {
                times.push(ours.passing_times(algorithm, threads)?);
            }
        }
        for (best, times) in best.iter_mut().zip(&repeats) {
            for (best, seconds) in best.iter_mut().zip(medians(times)) {
                let better = seconds.filter(|seconds| best.is_none_or(|(least, _)| *seconds < least));
                *best = better.map(|seconds| (seconds, algorithm)).or(*best);
            }
        }
    }
    let [one, two] = best;
    for ((error, one), two) in ERRORS.iter().zip(one).zip(two) {
        let (Some((one, by_one)), Some((two, by_two))) = (one, two) else { continue };
        let ratio = one / two;
        println!("| {name} | seconds to {error:e} | {one:.4} ({by_one}) | {two:.4} ({by_two}) | {ratio:.2} |");
    }
    Ok(())
}

/// The median of each, measured in turn.
fn in_turn(mut seconds: impl FnMut(usize) -> anyhow::Result<f64>) -> anyhow::Result<[f64; 2]> {
    let mut all = [Vec::new(), Vec::new()];
    for _ in 0..REPEATS {
        for (threads, all) in (1..).zip(&mut all) {
            all.push(seconds(threads)?);
        }
    }
    Ok(all.map(median))
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

fn round_seconds(problem: &Problem, name: &str, threads: usize) -> anyhow::Result<f64> {
    let algorithm = algorithm::by_name(name)?;
    let setting = Setting::new(problem, algorithm.clone());
    let outline = setting.outline;
    let (mut shared, mut server) = (algorithm.shared(&outline), algorithm.server(&outline));
    let mut engine = engine::build(setting, None, threads)?;
    let mut seconds = Vec::new();
    while engine.clock().rounds < ROUNDS {
        let (before, began) = (engine.clock().rounds, Instant::now());
        let step = server.iterate(engine.as_mut(), &mut shared)?;
        seconds.push(began.elapsed().as_secs_f64() / (engine.clock().rounds - before).max(1) as f64);
        if step == Step::Stalled {
            break;
        }
    }
    Ok(median(seconds))
}

fn optimum(problem: &Problem) -> anyhow::Result<f64> {
    let algorithm = algorithm::by_name("newton")?;
    let setting = Setting::new(problem, algorithm.clone());
    let outline = setting.outline;
    let (mut shared, mut server) = (algorithm.shared(&outline), algorithm.server(&outline));
    let mut engine = engine::build(setting, None, 2)?;
    for _ in 0..150 {
        if server.iterate(engine.as_mut(), &mut shared)? == Step::Stalled {
            break;
        }
    }
    Ok(server.evaluate(engine.as_mut(), &shared)?.objective)
}
