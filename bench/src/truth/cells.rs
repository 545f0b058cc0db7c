//! Problems, tapes of their rounds, and what a simulation says of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use hemingway::algorithm;
use hemingway::calibrate::{AlgorithmPace, Calibration, Tape, paces};
use hemingway::cluster::{Cluster, Timed};
use hemingway::engine::{Engine, Setting, Simulated};
use hemingway::problem::Problem;

use super::{ALGORITHMS, RANKS, ROUNDS};
use crate::regret::{Case, Suite};

/// A data set with everything that is measured of it on one core.
pub struct Subject {
    /// Its name in tables.
    pub name: String,
    problem: Problem,
    paces: Vec<AlgorithmPace>,
    /// By algorithm, then by ranks.
    tapes: Vec<Vec<Tape>>,
}

/// Problems of the regret bench: many rows of few columns, dense rows, and few rows of many columns.
const PROBLEMS: [&str; 3] = ["a9a-logistic", "mnist-logistic", "rcv1-logistic"];

/// The problems, with P* by another program.
pub fn cases(suite: &Suite) -> anyhow::Result<Vec<&Case>> {
    let find = |name: &&str| suite.cases.iter().find(|case| case.name == *name);
    PROBLEMS.iter().map(|name| find(name).with_context(|| format!("{name} is no problem of the suite"))).collect()
}

impl Subject {
    /// Finds the pace of each algorithm on a data set, and then records the rounds of the grid.
    pub fn measure(case: &Case) -> anyhow::Result<Self> {
        let problem = case.problem(&case.load()?)?;
        let paces = paces(&problem, &ALGORITHMS, Duration::from_secs(8), &mut |_| ())?;
        let tape = |name: &str, ranks| Tape::record(&problem, name, ranks, &mut |tape| tape.beats.len() < ROUNDS);
        let row = |name: &&str| RANKS.iter().map(|ranks| tape(name, *ranks)).collect::<hemingway::Result<Vec<_>>>();
        let tapes = ALGORITHMS.iter().map(row).collect::<hemingway::Result<_>>()?;
        Ok(Self { name: case.name.clone(), problem, paces, tapes })
    }

    /// Writes down what was measured.
    pub fn keep(&self, folder: &Path) -> anyhow::Result<()> {
        let paces: Vec<_> = self.paces.iter().map(|pace| (&pace.algorithm, pace.ns_per_nonzero, pace.sigma)).collect();
        fs::write(file(folder, &self.name), serde_json::to_vec(&(paces, &self.tapes))?)?;
        Ok(())
    }

    /// What was measured earlier.
    pub fn kept(case: &Case, folder: &Path) -> anyhow::Result<Self> {
        let text = fs::read(file(folder, &case.name)).context("nothing is recorded: truth record")?;
        let (paces, tapes): (Vec<(String, f64, f64)>, _) = serde_json::from_slice(&text)?;
        let pace = |(algorithm, ns_per_nonzero, sigma)| AlgorithmPace { algorithm, ns_per_nonzero, sigma };
        let (name, problem) = (case.name.clone(), case.problem(&case.load()?)?);
        Ok(Self { name, problem, paces: paces.into_iter().map(pace).collect(), tapes })
    }

    /// The rounds of one cell, as they were computed.
    pub fn tape(&self, algorithm: usize, ranks: usize) -> &Tape {
        &self.tapes[algorithm][ranks]
    }

    /// The testbed as a cluster file for this data set.
    pub fn cluster(&self, rounds: &[Timed], name: &str) -> Cluster {
        let most = RANKS[RANKS.len() - 1];
        Calibration { paces: self.paces.clone(), rounds: rounds.to_vec() }.cluster(name, most, 1, 1e3)
    }

    /// Simulated seconds of every round of a cell.
    pub fn simulate(&self, cluster: &Cluster, algorithm: usize, ranks: usize) -> anyhow::Result<Vec<f64>> {
        let setting = Setting::new(&self.problem, algorithm::by_name(ALGORITHMS[algorithm])?);
        let mut server = setting.algorithm.server(&setting.outline);
        let mut shared = setting.algorithm.shared(&setting.outline);
        let mut engine = Simulated::new(setting, cluster.clone(), ranks)?;
        let (mut seconds, mut before) = (Vec::new(), 0.0);
        while (engine.clock().rounds as usize) < ROUNDS {
            let rounds = engine.clock().rounds;
            if server.iterate(&mut engine, &mut shared)? == algorithm::Step::Stalled {
                break;
            }
            let made = (engine.clock().rounds - rounds) as usize;
            let each = (engine.clock().train_seconds() - before) / made.max(1) as f64;
            seconds.extend(std::iter::repeat_n(each, made));
            before = engine.clock().train_seconds();
        }
        Ok(seconds)
    }
}

fn file(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("truth-{name}.json"))
}
