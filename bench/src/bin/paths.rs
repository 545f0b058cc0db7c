//! 100 values of λ₁, ours against celer, skglm and scikit-learn: the same columns, values, gap and threads.
//!
//! ```text
//! HEMINGWAY_PYTHON=venv/bin/python cargo run --release -p hemingway-bench --bin paths -- [threads=1,2] [patience=SECONDS] [folder=DIR] [--ours] [arcene|news20|genotypes …]
//! ```
//!
//! Nobody else is waited for longer than `patience`, and a row says so. What they read is left in the folder, so that one can be run alone:
//! `python bench/paths.py DIR PEER 1e-6 THREADS SECONDS`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, anyhow, bail};
use cpu_time::ProcessTime;
use hemingway::engine::cores;
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

/// Seconds that a peer may take for a path.
const PATIENCE: f64 = 600.0;

/// What is asked for.
struct Field {
    threads: Vec<usize>,
    patience: f64,
    folder: Option<PathBuf>,
    ours_only: bool,
}

fn main() -> anyhow::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut field = Field { threads: vec![1], patience: PATIENCE, folder: None, ours_only: false };
    let mut sets = Vec::new();
    for word in &words {
        match word.split_once('=') {
            Some(("threads", list)) => field.threads = list.split(',').map(str::parse).collect::<Result<_, _>>()?,
            Some(("patience", seconds)) => field.patience = seconds.parse()?,
            Some(("folder", folder)) => field.folder = Some(folder.into()),
            _ if word == "--ours" => field.ours_only = true,
            _ => sets.push(word.as_str()),
        }
    }
    println!(
        "| set | rows × columns | threads | who | seconds | of a core | worst gap / P(0) | times ours | of a core |"
    );
    println!("|---|--:|--:|---|--:|--:|--:|--:|--:|");
    for set in if sets.is_empty() { SETS.to_vec() } else { sets } {
        field.race(set)?;
    }
    Ok(())
}

impl Field {
    fn race(&self, set: &str) -> anyhow::Result<()> {
        let problem = Problem::new(load(set)?, Loss::Squared, Some(0.0), 0)?;
        let head = format!("| {set} | {} × {} |", problem.data.rows(), problem.data.columns());
        let temporary = tempfile::tempdir()?;
        let folder = self.folder.as_ref().map_or(temporary.path(), |folder| folder.as_path());
        std::fs::create_dir_all(folder)?;
        let mut alone = Vec::new();
        for threads in &self.threads {
            let Ours { seconds, cpu, start, points } = ours(&problem, GAP, *threads)?;
            let worst = points.iter().map(|point| point.gap / start).fold(0.0, f64::max);
            println!("{head} {threads} | ours | {seconds:.3} | {cpu:.3} | {worst:.1e} | 1 | 1 |");
            save_points(folder, "ours", &points)?;
            alone.push((seconds, cpu));
        }
        if !self.ours_only || self.folder.is_some() {
            save_points(folder, "reference", &ours(&problem, GAP * REFERENCE, cores())?.points)?;
            save(folder, &problem.data)?;
        }
        drop(problem);
        for (threads, alone) in self.threads.iter().zip(&alone).filter(|_| !self.ours_only) {
            for peer in PEERS {
                let Some([seconds, cpu, worst, judged]) = self.theirs(folder, peer, *threads)? else {
                    println!("{head} {threads} | {peer} | more than {} | | | | |", self.patience);
                    continue;
                };
                let (times, of_a_core) = (seconds / alone.0, cpu / alone.1);
                println!(
                    "{head} {threads} | {peer} | {seconds:.3} | {cpu:.3} | {worst:.1e} | {times:.2} | {of_a_core:.2} |"
                );
                if judged > 1.05 * GAP {
                    bail!("{set}: our worst gap is {judged:e} by their measure");
                }
            }
        }
        Ok(())
    }

    /// Their seconds, those of a core, their worst gap, and ours by the same measure; nothing if they took too long.
    fn theirs(&self, folder: &Path, peer: &str, threads: usize) -> anyhow::Result<Option<[f64; 4]>> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("paths.py");
        let python = std::env::var("HEMINGWAY_PYTHON").unwrap_or_else(|_| "python3".into());
        let words = [peer.into(), GAP.to_string(), threads.to_string(), self.patience.to_string()];
        let output = Command::new(&python).arg(script).arg(folder).args(words).output();
        let output = output.with_context(|| format!("cannot start {python}; name one in HEMINGWAY_PYTHON"))?;
        if !output.status.success() {
            bail!(
                "{peer} MISSING or failing in {python}: {}\ninstall with `pip install celer skglm scikit-learn`, then set HEMINGWAY_PYTHON",
                String::from_utf8_lossy(&output.stderr).trim()
            );
        }
        let text = String::from_utf8(output.stdout)?;
        if text.trim() == "patience" {
            return Ok(None);
        }
        let numbers = text.split_whitespace().map(str::parse).collect::<Result<Vec<f64>, _>>()?;
        let numbers = numbers.try_into().map_err(|_| anyhow!("{peer} answered {text}"))?;
        Ok(Some(numbers))
    }
}

/// A path of ours.
struct Ours {
    /// From columns dealt to the last point.
    seconds: f64,
    /// Those that cores were busy with it, whoever else had them.
    cpu: f64,
    /// P(0).
    start: f64,
    points: Vec<Point>,
}

/// The median of a few runs.
fn ours(problem: &Problem, gap: f64, threads: usize) -> anyhow::Result<Ours> {
    let asked = Asked { points: 100, end: End::Ratio(LAST), precision: Precision::OfStart(gap), threads };
    let mut runs: Vec<Ours> = Vec::new();
    while runs.len() < REPEATS && runs.first().is_none_or(|run| run.seconds < 10.0) {
        let mut solver = Solver::new(problem, asked.precision, threads)?;
        let (began, busy) = (Instant::now(), ProcessTime::now());
        let l1 = grid(solver.largest()?, &asked)?;
        let points = l1.into_iter().map(|l1| solver.solve(l1)).collect::<Result<Vec<_>, _>>()?;
        let (seconds, cpu) = (began.elapsed().as_secs_f64(), busy.elapsed().as_secs_f64());
        runs.push(Ours { seconds, cpu, start: solver.start(), points });
    }
    runs.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    Ok(runs.swap_remove(runs.len() / 2))
}
