//! Are our solvers faster than those people would otherwise use? See `bench/src/peers.rs`.
//!
//! ```text
//! HEMINGWAY_PYTHON=venv/bin/python cargo run --release -p hemingway-bench --bin peers -- [--threads N] [SETS]
//! ```

use anyhow::Context;
use hemingway_bench::peers::{Case, Cell, ERRORS, Ours, Peers, REPEATS, Suite, Times, best, medians, print};

/// Who takes so many times as long as the best at every error is measured once.
const HOPELESS: f64 = 5.0;

fn main() -> anyhow::Result<()> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let threads = match words.iter().position(|word| word == "--threads") {
        Some(at) => words.drain(at..(at + 2).min(words.len())).nth(1).context("--threads N")?.parse()?,
        None => 1,
    };
    let mut ratios = [const { Vec::new() }; ERRORS.len()];
    for case in Suite::read()?.cases(&words) {
        let case = case?;
        let cells = race(&case, threads)?;
        print(&case.name(), &cells);
        for (k, ratios) in ratios.iter_mut().enumerate() {
            if let (Some(ours), Some(theirs)) = (best(&cells, true, k), best(&cells, false, k)) {
                ratios.push((ours / theirs, case.name()));
            }
        }
    }
    println!(
        "\n### Best of ours over best of theirs\n\n| error | problems | ours faster | at most 1.05 | worst |\n|---|---:|---:|---:|---|"
    );
    for (error, ratios) in ERRORS.iter().zip(&ratios) {
        let within = |most: f64| ratios.iter().filter(|(ratio, _)| *ratio <= most).count();
        let worst = ratios.iter().max_by(|a, b| a.0.total_cmp(&b.0));
        let worst = worst.map_or("—".into(), |(ratio, name)| format!("{ratio:.2} ({name})"));
        println!("| {error:e} | {} | {} | {} | {worst} |", ratios.len(), within(1.0), within(1.05));
    }
    Ok(())
}

/// Whether it is so far behind at every error that measuring it again tells nothing.
fn is_hopeless(times: &Times, best: &Times) -> bool {
    times.iter().zip(best).all(|(own, best)| match (own, best) {
        (Some(own), Some(best)) => *own > HOPELESS * best,
        _ => true,
    })
}

/// Everyone on one problem, in turn.
fn race(case: &Case, threads: usize) -> anyhow::Result<Vec<Cell>> {
    let folder = tempfile::tempdir()?;
    let mut peers = Peers::start(case, folder.path(), threads)?;
    let mut fields = Vec::new();
    for solver in peers.solvers.clone() {
        let settings = peers.calibrate(&solver)?;
        fields.push((solver, settings));
    }
    let mut ours = Ours::new(case.problem()?, peers.optimum);
    let algorithms = ours.algorithms();
    let mut measured: Vec<(String, bool, Vec<Times>)> = Vec::new();
    measured.extend(algorithms.iter().map(|name| (name.clone(), true, Vec::new())));
    measured.extend(fields.iter().map(|(name, _)| (name.clone(), false, Vec::new())));
    for repeat in 0..REPEATS {
        let best: Times = std::array::from_fn(|k| {
            measured.iter().filter_map(|(_, _, times)| times.first()?[k]).min_by(f64::total_cmp)
        });
        for (name, is_ours, times) in &mut measured {
            if repeat > 0 && is_hopeless(&times[0], &best) {
                continue;
            }
            times.push(match fields.iter().find(|(solver, _)| solver == name) {
                Some((solver, settings)) if !*is_ours => peers.times(solver, settings)?,
                _ => ours.times(name, threads)?,
            });
        }
        eprint!(".");
    }
    eprintln!(" {}", case.name());
    Ok(measured.into_iter().map(|(solver, ours, times)| Cell { solver, ours, times: medians(&times) }).collect())
}
