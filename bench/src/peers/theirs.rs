//! The peers, in a process of their own.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::Context;
use hemingway::data::{SaveAs, save};
use serde::Deserialize;

use super::{Case, ERRORS, Times};

/// How many more iterations are asked for when too few were not enough.
const MORE: f64 = 1.3;

/// A running `peers.py` with one problem in memory.
pub struct Peers {
    child: Child,
    asks: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// The solvers there are.
    pub solvers: Vec<String>,
    /// The lowest P that any of them found.
    pub optimum: f64,
    patience: f64,
}

/// What a fit took and where it came to.
#[derive(Debug, Clone, Copy, Deserialize)]
struct Fit {
    seconds: f64,
    objective: f64,
}

/// How many iterations first reach each error.
pub type Settings = [Option<u64>; ERRORS.len()];

impl Peers {
    /// Hands the problem over and waits for P*.
    pub fn start(case: &Case, folder: &Path, threads: usize) -> anyhow::Result<Self> {
        let file = folder.join("problem.npz");
        save(&case.data, &file, SaveAs::Npz)?;
        let python = std::env::var("HEMINGWAY_PYTHON").unwrap_or_else(|_| "python3".into());
        let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("peers/peers.py");
        let mut child = Command::new(&python)
            .arg(script)
            .arg(&file)
            .args([case.loss.to_string(), case.l2.to_string(), case.l1.to_string()])
            .env("OMP_NUM_THREADS", threads.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {python}; name one in HEMINGWAY_PYTHON"))?;
        let asks = child.stdin.take().context("no way to ask")?;
        let answers = BufReader::new(child.stdout.take().context("no way to listen")?);
        let mut peers =
            Self { child, asks, answers, solvers: Vec::new(), optimum: f64::INFINITY, patience: case.patience };
        peers.solvers = serde_json::from_str(&peers.answer()?).with_context(|| {
            format!("peers.py ended early: install its needs with `{python} -m pip install numpy scipy scikit-learn liblinear-official vowpalwabbit`")
        })?;
        peers.optimum = peers.fit("optimum", 0)?.objective;
        Ok(peers)
    }

    fn answer(&mut self) -> anyhow::Result<String> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        Ok(line)
    }

    fn fit(&mut self, solver: &str, iterations: u64) -> anyhow::Result<Fit> {
        writeln!(self.asks, "{solver} {iterations}")?;
        self.asks.flush()?;
        let fit: Fit = serde_json::from_str(&self.answer()?).with_context(|| format!("{solver} failed"))?;
        self.optimum = self.optimum.min(fit.objective);
        Ok(fit)
    }

    fn error(&self, fit: Fit) -> f64 {
        (fit.objective - self.optimum) / self.optimum
    }

    /// The fewest iterations on a grid with which a solver reaches each error.
    pub fn calibrate(&mut self, solver: &str) -> anyhow::Result<Settings> {
        let mut settings = Settings::default();
        let mut iterations = 1;
        let mut best = (f64::INFINITY, 0);
        loop {
            let fit = self.fit(solver, iterations)?;
            let error = self.error(fit);
            for (setting, _) in settings.iter_mut().zip(ERRORS).filter(|(set, asked)| set.is_none() && error <= *asked)
            {
                *setting = Some(iterations);
            }
            best = if error < 0.9 * best.0 { (error, 0) } else { (best.0, best.1 + 1) };
            if settings.iter().all(Option::is_some) || fit.seconds > self.patience || best.1 >= STUCK {
                return Ok(settings);
            }
            iterations = (iterations as f64 * MORE).ceil() as u64;
        }
    }

    /// Seconds with those settings.
    pub fn times(&mut self, solver: &str, settings: &Settings) -> anyhow::Result<Times> {
        let mut times = Times::default();
        for (time, iterations) in times.iter_mut().zip(settings) {
            *time = iterations.map(|iterations| self.fit(solver, iterations)).transpose()?.map(|fit| fit.seconds);
        }
        Ok(times)
    }
}

/// So many fits in a row without gaining a tenth, and a solver is at its floor. Few iterations of liblinear may do better
/// than many: it must see a hundred times as many before it is given up.
const STUCK: u32 = 18;

impl Drop for Peers {
    fn drop(&mut self) {
        // It ends by itself once nobody asks; what is left to do is to wait for it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
