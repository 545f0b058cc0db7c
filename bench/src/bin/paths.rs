//! 100 values of λ₁, ours on one thread against celer, skglm and scikit-learn: the same columns, values and gap.
//!
//! ```text
//! HEMINGWAY_PYTHON=venv/bin/python cargo run --release -p hemingway-bench --bin paths -- [arcene|news20|genotypes …] [--ours]
//! ```

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, bail};
use hemingway::path::{Asked, End, Point, Precision, Solver, grid};
use hemingway::problem::{Loss, Problem};
use hemingway_bench::paths::{SETS, load, save, save_points};

/// Gap of every point, as a share of P(0).
const GAP: f64 = 1e-6;
/// Where paths end, as a share of where they begin: down to 1e-3 celer had not ended on news20 after 200 s.
const LAST: f64 = 1e-2;
const PEERS: [&str; 3] = ["celer", "skglm", "scikit-learn"];
/// The bound below P* that judges everybody is of a path so much closer.
const REFERENCE: f64 = 1e-3;
/// Runs of ours, of which the median counts.
const REPEATS: usize = 3;

fn main() -> anyhow::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let ours_only = words.iter().any(|word| word == "--ours");
    let named: Vec<&str> = words.iter().map(String::as_str).filter(|word| !word.starts_with("--")).collect();
    println!("| set | rows × columns | who | seconds | worst gap / P(0) | times ours |");
    println!("|---|--:|---|--:|--:|--:|");
    for set in if named.is_empty() { SETS.to_vec() } else { named } {
        race(set, ours_only)?;
    }
    Ok(())
}

fn race(set: &str, ours_only: bool) -> anyhow::Result<()> {
    let problem = Problem::new(load(set)?, Loss::Squared, Some(0.0), 0)?;
    let (rows, columns) = (problem.data.rows(), problem.data.columns());
    let folder = tempfile::tempdir()?;
    let (alone, start, points) = ours(&problem, GAP)?;
    let worst = points.iter().map(|point| point.gap / start).fold(0.0, f64::max);
    println!("| {set} | {rows} × {columns} | ours | {alone:.3} | {worst:.1e} | 1 |");
    save_points(folder.path(), "ours", &points)?;
    if ours_only {
        return Ok(());
    }
    save_points(folder.path(), "reference", &ours(&problem, GAP * REFERENCE)?.2)?;
    save(folder.path(), &problem.data)?;
    drop(problem);
    for peer in PEERS {
        let (seconds, worst, judged) = theirs(folder.path(), peer)?;
        let ratio = seconds / alone;
        println!("| {set} | {rows} × {columns} | {peer} | {seconds:.3} | {worst:.1e} | {ratio:.2} |");
        if judged > 1.05 * GAP {
            bail!("{set}: our worst gap is {judged:e} by their measure");
        }
    }
    Ok(())
}

/// Seconds of a path from columns dealt to the last point, P(0), and the points.
fn ours(problem: &Problem, gap: f64) -> anyhow::Result<(f64, f64, Vec<Point>)> {
    let asked = Asked { points: 100, end: End::Ratio(LAST), precision: Precision::OfStart(gap), threads: 1 };
    let mut runs = Vec::new();
    while runs.len() < REPEATS && runs.first().is_none_or(|(seconds, _, _)| *seconds < 10.0) {
        let mut solver = Solver::new(problem, asked.precision)?;
        let began = Instant::now();
        let l1 = grid(solver.largest()?, &asked)?;
        let points = l1.into_iter().map(|l1| solver.solve(l1)).collect::<Result<Vec<_>, _>>()?;
        runs.push((began.elapsed().as_secs_f64(), solver.start(), points));
    }
    runs.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(runs.swap_remove(runs.len() / 2))
}

/// Their seconds, their worst gap, and ours by the same measure.
fn theirs(folder: &Path, peer: &str) -> anyhow::Result<(f64, f64, f64)> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("paths.py");
    let python = std::env::var("HEMINGWAY_PYTHON").unwrap_or_else(|_| "python3".into());
    let output = Command::new(&python).arg(script).arg(folder).args([peer, &GAP.to_string()]).output();
    let output = output.with_context(|| format!("cannot start {python}; name one in HEMINGWAY_PYTHON"))?;
    if !output.status.success() {
        bail!(
            "{peer} MISSING or failing in {python}: {}\ninstall with `pip install celer skglm scikit-learn`, then set HEMINGWAY_PYTHON",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    let text = String::from_utf8(output.stdout)?;
    let numbers = text.split_whitespace().map(str::parse).collect::<Result<Vec<f64>, _>>()?;
    let [seconds, worst, judged] = numbers[..] else { bail!("{peer} answered {text}") };
    Ok((seconds, worst, judged))
}
