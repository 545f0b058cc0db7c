//! The MNIST case study: digit 5 against the rest, a linear SVM, λ = 3e-5. How many rounds CoCoA and CoCoA+ need to
//! come within 1e-4 of P*, by number of machines, beside the counts of an independent implementation; and how four
//! algorithms compare on 16 machines. Plots and numbers go to `bench/out/`.

use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use anyhow::Context;
use hemingway::data::{Dataset, Normalize, Preparation};
use hemingway::problem::{Loss, Problem};
use hemingway_bench::{Trace, load, out_dir, trace};
use hemingway_plot::{Axis, Chart, Layer, Picture, Scale, Stroke, distinct, ramp};

const OPTIMUM: f64 = 0.089_680_1;
const LAMBDA: f64 = 3e-5;
const CLOSE: f64 = 1e-4;
const SEEDS: u64 = 5;
const MOST_ROUNDS: u64 = 600;
const MACHINES: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];
const STUDIED: [(&str, [u64; 7]); 2] =
    [("cocoa+", [9, 13, 21, 38, 71, 133, 286]), ("cocoa", [9, 11, 18, 35, 63, 118, 253])];
/// The comparison on 16 machines.
const COMPARED: [&str; 4] = ["cocoa", "cocoa+", "splash", "local-sgd"];
const COMPARED_MACHINES: usize = 16;
const COMPARED_ROUNDS: u64 = 100;

/// One run of the study.
#[derive(Clone, Copy)]
struct Cell {
    algorithm: &'static str,
    machines: usize,
    seed: u64,
    rounds: u64,
    target: f64,
}

fn main() -> anyhow::Result<()> {
    let preparation = Preparation { normalize: Some(Normalize::Rows), positive: Some(5.0), ..Preparation::default() };
    let data = Arc::new(load("mnist/train-images-idx3-ubyte.gz", &preparation, true)?);
    let cells = cells();
    let traces = run_all(&data, &cells)?;
    let (study, comparison) = traces.split_at(STUDIED.len() * MACHINES.len() * SEEDS as usize);

    println!(
        "MNIST, digit 5 against the rest, hinge, λ = {LAMBDA:e}: rounds until P − P* < {CLOSE:e}, {SEEDS} seeds\n"
    );
    print!("{}", table(&cells, study));
    println!("\nRelative error (P − P*)/P* on {COMPARED_MACHINES} machines\n");
    print!("{}", comparison_table(comparison));

    let out = out_dir()?;
    std::fs::write(out.join("mnist-rounds.csv"), csv(&cells, &traces)).context("writing the numbers")?;
    for (algorithm, _) in STUDIED {
        let name = format!("mnist-{}.svg", algorithm.replace('+', "-plus"));
        std::fs::write(out.join(name), by_machines(algorithm, &cells, study).svg()).context("writing a plot")?;
    }
    std::fs::write(out.join("mnist-16-machines.svg"), compared(comparison).svg()).context("writing a plot")?;
    println!("\nPlots and numbers are in {}.", out.display());
    Ok(())
}

fn cells() -> Vec<Cell> {
    let target = OPTIMUM + CLOSE;
    let studied = STUDIED.iter().flat_map(move |(algorithm, _)| {
        MACHINES.iter().flat_map(move |&machines| {
            (0..SEEDS).map(move |seed| Cell { algorithm, machines, seed, rounds: MOST_ROUNDS, target })
        })
    });
    let compared = COMPARED.iter().map(|algorithm| Cell {
        algorithm,
        machines: COMPARED_MACHINES,
        seed: 0,
        rounds: COMPARED_ROUNDS,
        target: 0.0,
    });
    studied.chain(compared).collect()
}

/// Runs every cell, on as many threads as there are cores.
fn run_all(data: &Arc<Dataset>, cells: &[Cell]) -> anyhow::Result<Vec<Trace>> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<Option<anyhow::Result<Trace>>>> = Mutex::new(cells.iter().map(|_| None).collect());
    let problems: Vec<Problem> = (0..SEEDS)
        .map(|seed| Problem::new(data.as_ref(), Loss::Hinge, Some(LAMBDA), seed))
        .collect::<Result<_, _>>()?;
    std::thread::scope(|scope| {
        for _ in 0..hemingway::engine::cores() {
            scope.spawn(|| {
                while let Some(cell) = cells.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let problem = &problems[cell.seed as usize];
                    let result = trace(problem, cell.algorithm, cell.machines, cell.rounds, cell.target);
                    let at = cells.iter().position(|c| std::ptr::eq(c, cell)).expect("the cell is one of the cells");
                    done.lock().expect("no thread panicked")[at] = Some(result);
                    eprint!(".");
                }
            });
        }
    });
    eprintln!();
    done.into_inner().expect("no thread panicked").into_iter().map(|t| t.expect("every cell ran")).collect()
}

/// Median rounds of one algorithm on so many machines; `None` if most runs did not arrive.
fn median_rounds(cells: &[Cell], traces: &[Trace], algorithm: &str, machines: usize) -> Option<u64> {
    let own = cells.iter().zip(traces).filter(|(c, _)| c.algorithm == algorithm && c.machines == machines);
    let mut rounds: Vec<u64> =
        own.map(|(cell, t)| t.points.last().filter(|p| p.1 <= cell.target).map_or(u64::MAX, |p| p.0)).collect();
    rounds.sort_unstable();
    Some(rounds[rounds.len() / 2]).filter(|r| *r < u64::MAX)
}

/// ±20 % for m ≥ 8, ±3 rounds below.
fn agrees(machines: usize, ours: Option<u64>, reference: u64) -> bool {
    let slack = if machines >= 8 { 0.2 * reference as f64 } else { 3.0 };
    ours.is_some_and(|ours| (ours as f64 - reference as f64).abs() <= slack)
}

fn table(cells: &[Cell], traces: &[Trace]) -> String {
    let mut out =
        String::from("| algorithm | machines | rounds (median) | reference | within |\n|---|---:|---:|---:|---|\n");
    for (algorithm, references) in STUDIED {
        for (&machines, reference) in MACHINES.iter().zip(references) {
            let ours = median_rounds(cells, traces, algorithm, machines);
            let mark = if agrees(machines, ours, reference) { "✓" } else { "✗" };
            let ours = ours.map_or("—".into(), |r| r.to_string());
            let _ = writeln!(out, "| {algorithm} | {machines} | {ours} | {reference} | {mark} |");
        }
    }
    out
}

fn comparison_table(traces: &[Trace]) -> String {
    let at = [1, 5, 10, 20, 50, 100];
    let mut out = format!(
        "| algorithm | {} |\n|---{}|\n",
        at.map(|r| format!("round {r}")).join(" | "),
        "|---:".repeat(at.len())
    );
    for (algorithm, trace) in COMPARED.iter().zip(traces) {
        let error = |round: u64| {
            let point = trace.points.iter().find(|p| p.0 == round);
            point.map_or("—".into(), |p| format!("{:.1e}", (p.1 - OPTIMUM) / OPTIMUM))
        };
        let _ = writeln!(out, "| {algorithm} | {} |", at.map(error).join(" | "));
    }
    out
}

fn csv(cells: &[Cell], traces: &[Trace]) -> String {
    let mut out = String::from("algorithm,machines,seed,round,objective,suboptimality\n");
    for (cell, trace) in cells.iter().zip(traces) {
        for (round, objective) in &trace.points {
            let gap = objective - OPTIMUM;
            let _ = writeln!(out, "{},{},{},{round},{objective},{gap}", cell.algorithm, cell.machines, cell.seed);
        }
    }
    out
}

fn by_machines(algorithm: &str, cells: &[Cell], traces: &[Trace]) -> Picture {
    let first =
        |m: usize| cells.iter().zip(traces).find(|(c, _)| (c.algorithm, c.machines, c.seed) == (algorithm, m, 0));
    let lines = MACHINES.iter().enumerate().filter_map(|(place, &m)| {
        let line = Layer::line(ramp(place, MACHINES.len()), Stroke::Solid, points(first(m)?.1));
        Some(line.named(if m == 64 { "64 machines".into() } else { m.to_string() }))
    });
    let close = Layer::Level { at: CLOSE, name: "10⁻⁴".into() };
    picture(
        &format!("{}: more machines, more rounds", paper_name(algorithm)),
        Scale::Log,
        lines.chain([close]).collect(),
    )
}

fn compared(traces: &[Trace]) -> Picture {
    let lines = COMPARED.iter().zip(traces).enumerate().map(|(place, (algorithm, trace))| {
        Layer::line(distinct(place), Stroke::Solid, points(trace)).named(paper_name(algorithm))
    });
    picture(&format!("Four algorithms on {COMPARED_MACHINES} machines"), Scale::Linear, lines.collect())
}

fn picture(title: &str, rounds: Scale, layers: Vec<Layer>) -> Picture {
    let (x, y) = (Axis::new("round", rounds), Axis::new("P − P*", Scale::Log));
    Picture {
        title: title.into(),
        subtitle: format!("MNIST, digit 5 against the rest, linear SVM, λ = {LAMBDA:e}"),
        charts: vec![Chart { x, y, layers, ..Chart::default() }],
        ..Picture::default()
    }
}

fn points(trace: &Trace) -> Vec<(f64, f64)> {
    trace.points.iter().map(|&(round, p)| (round as f64, (p - OPTIMUM).max(1e-9))).collect()
}

fn paper_name(algorithm: &str) -> &str {
    match algorithm {
        "cocoa" => "CoCoA",
        "cocoa+" => "CoCoA+",
        "splash" => "Splash",
        "local-sgd" => "local SGD",
        other => other,
    }
}
