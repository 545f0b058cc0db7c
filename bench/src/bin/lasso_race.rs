//! The founding paper's Lasso path with cross-validation, ours against scikit-learn's `LassoCV`: the same rows, columns,
//! folds and penalties, in one command.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, bail};
use hemingway::model::lasso::{FEATURES, Lasso, features, neighbouring_folds};
use hemingway::rng::{Purpose, keyed};
use hemingway_bench::folds::quantile;
use hemingway_bench::npy;
use rand::RngExt;

const FOLDS: usize = 5;
const REPEATS: usize = 20;
/// What the product promises.
const BAR: f64 = 10.0;
/// How close scikit-learn is asked to come: as in the test of equality, and by itself.
const TOLERANCES: [&str; 2] = ["1e-10", "1e-4"];

/// Rows of numbers and what they are to explain.
struct Design {
    name: &'static str,
    columns: usize,
    x: Vec<f64>,
    y: Vec<f64>,
}

fn main() -> anyhow::Result<()> {
    println!("| design | rows × columns | ours ms | scikit-learn tol | ms | times faster | largest difference |");
    println!("|---|--:|--:|--:|--:|--:|--:|");
    let mut slow = false;
    for design in [convergence(), plain(40_000, 20)] {
        let (ours, seconds) = timed(&design)?;
        for tolerance in TOLERANCES {
            let theirs = Theirs::race(&design, tolerance)?;
            let ratio = theirs.seconds / seconds;
            slow |= ratio < BAR;
            println!(
                "| {} | {} × {} | {:.2} | {tolerance} | {:.1} | {ratio:.0} | {:.1e} |",
                design.name,
                design.y.len(),
                design.columns,
                1e3 * seconds,
                1e3 * theirs.seconds,
                theirs.apart(&ours),
            );
        }
    }
    if slow {
        bail!("less than {BAR} times faster");
    }
    Ok(())
}

/// The paper's features of i and m, 500 rounds on each m from 1 to 128, of curves that fall as CoCoA's do on MNIST:
/// in proportion to i / m^0.8 and with a wobble.
fn convergence() -> Design {
    let mut rng = keyed(1, Purpose::Synthesize, 0, 0);
    let places = (0..8).flat_map(|doublings| (1..=500).map(move |i| (i as f64, (1 << doublings) as f64)));
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for (i, m) in places {
        x.extend(features(i, m));
        y.push((-0.5 * i / m.powf(0.8)).max(-9.0) - (i + 1.0).ln() / 3.0 + 0.1 * rng.random_range(-1.0..1.0));
    }
    Design { name: "features of i and m", columns: FEATURES, x, y }
}

/// Columns that lean on their neighbours, a few of which matter.
fn plain(rows: usize, columns: usize) -> Design {
    let mut rng = keyed(2, Purpose::Synthesize, 0, 0);
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let mut before = 0.0;
        let row: Vec<f64> = (0..columns)
            .map(|_| {
                before = 0.7 * before + rng.random_range(-1.0..1.0);
                before
            })
            .collect();
        y.push(row.iter().step_by(4).sum::<f64>() + rng.random_range(-1.0..1.0));
        x.extend(row);
    }
    Design { name: "leaning columns", columns, x, y }
}

/// Our fit, and the median of its seconds.
fn timed(design: &Design) -> anyhow::Result<(Lasso, f64)> {
    let folds = neighbouring_folds(design.y.len(), FOLDS);
    let fit = || Lasso::fit(design.columns, &design.x, &design.y, &folds).context("nothing to explain");
    let seconds = (0..REPEATS).map(|_| {
        let start = Instant::now();
        fit().map(|_| start.elapsed().as_secs_f64())
    });
    let seconds = quantile(seconds.collect::<anyhow::Result<_>>()?, 0.5);
    Ok((fit()?, seconds))
}

/// What scikit-learn answered.
struct Theirs {
    seconds: f64,
    coefficients: Vec<f64>,
}

impl Theirs {
    fn race(design: &Design, tolerance: &str) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        npy::save(&folder.path().join("x.npy"), &design.x, Some(design.columns))?;
        npy::save(&folder.path().join("y.npy"), &design.y, None)?;
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("lasso_race.py");
        let python = std::env::var("HEMINGWAY_PYTHON").unwrap_or_else(|_| "python3".into());
        let output =
            Command::new(&python).arg(script).arg(folder.path()).args([&FOLDS.to_string(), tolerance]).output();
        let output = output.with_context(|| format!("cannot start {python}; name one in HEMINGWAY_PYTHON"))?;
        if !output.status.success() {
            bail!(
                "SCIKIT-LEARN MISSING or failing in {python}: {}\ninstall it with `python3 -m venv venv && venv/bin/pip install \
                 scikit-learn`, then set HEMINGWAY_PYTHON=venv/bin/python",
                String::from_utf8_lossy(&output.stderr).trim()
            );
        }
        let text = String::from_utf8(output.stdout)?;
        let mut numbers = text.split_whitespace().map(str::parse);
        let seconds = numbers.next().context("no time")??;
        Ok(Self { seconds, coefficients: numbers.collect::<Result<_, _>>()? })
    }

    /// The largest difference between coefficients.
    fn apart(&self, ours: &Lasso) -> f64 {
        let pairs = self.coefficients.iter().zip(&ours.coefficients);
        pairs.map(|(theirs, ours)| (theirs - ours).abs()).fold(0.0, f64::max)
    }
}
