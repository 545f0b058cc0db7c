//! The problems that learning from samples is judged on, whole and in samples, and their traces as
//! `make_subset_traces` stores them.

pub mod choice;
pub mod rounds;
pub mod scaling;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;
use hemingway::algorithm;
use hemingway::cluster::Cluster;
use hemingway::data::Dataset;
use hemingway::problem::Problem;
use hemingway::record::{Trace, import};

use crate::curves::{Case, Real, cases};

/// The samples, as shares of the rows.
pub const FRACTIONS: [f64; 3] = [0.05, 0.1, 0.2];
/// Numbers of machines.
pub const MACHINES: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];
/// Samples are drawn, and rows dealt, by these seeds.
pub const SEEDS: [u64; 2] = [0, 1];

/// Relative errors to be reached; what takes fewer rounds says more about rounding than about a model.
const TARGETS: [f64; 8] = [1e-1, 5e-2, 2e-2, 1e-2, 5e-3, 2e-3, 1e-3, 5e-4];
const FEWEST: f64 = 10.0;

/// The problems, and whether the rules of abstention were settled while looking at them.
const CASES: [(&str, bool); 8] = [
    ("a9a-logistic", true),
    ("synth-svm", true),
    ("rcv1-hinge", true),
    ("mushrooms-logistic", true),
    ("a9a-hinge", false),
    ("synth-ridge", false),
    ("housing-ridge", false),
    ("mnist-hinge", true),
];

/// How a sample's λ follows from that of the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scaling {
    /// λ' = λ: the same optimum, in expectation.
    SameL2,
    /// λ'n' = λn: a dual variable weighs the same.
    SameL2Rows,
}

impl Scaling {
    /// Both.
    pub const ALL: [Self; 2] = [Self::SameL2, Self::SameL2Rows];

    /// The one an algorithm runs with on a sample.
    pub fn of(algorithm: &str) -> Self {
        let by_rows = algorithm::by_name(algorithm).is_ok_and(|algorithm| algorithm.paced_by_rows());
        if by_rows { Self::SameL2Rows } else { Self::SameL2 }
    }

    /// Its folder, and its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::SameL2 => "λ",
            Self::SameL2Rows => "λn",
        }
    }
}

/// One problem in all its sizes.
pub struct Study {
    /// The problem.
    pub case: Case,
    /// Whether rules were settled on it.
    pub settled: bool,
}

/// Every problem, or those named.
pub fn studies(asked: &[String]) -> Vec<Study> {
    let settled = |case: &Case| CASES.iter().find(|(name, _)| *name == case.name).map(|(_, settled)| *settled);
    let studies = cases().into_iter().filter_map(|case| Some(Study { settled: settled(&case)?, case }));
    studies.filter(|study| asked.is_empty() || asked.iter().any(|name| name == study.case.name)).collect()
}

impl Study {
    /// The whole problem.
    pub fn whole(&self, data: &Dataset, seed: u64) -> anyhow::Result<Problem> {
        Ok(Problem::new(data, self.case.loss, self.case.l2, seed)?)
    }

    /// The problem on a sample drawn by the seed.
    pub fn sample(&self, data: &Dataset, fraction: f64, scaling: Scaling, seed: u64) -> anyhow::Result<Problem> {
        let l2 = self.case.l2.unwrap_or(1.0 / data.rows() as f64);
        let l2 = if scaling == Scaling::SameL2Rows { l2 / fraction } else { l2 };
        Ok(Problem::new(data.sample(fraction, seed), self.case.loss, Some(l2), seed)?)
    }

    /// Where its traces on all rows are.
    pub fn whole_dir(&self) -> anyhow::Result<PathBuf> {
        Ok(dir()?.join(self.case.name).join("whole"))
    }

    /// Where its times on a cluster are.
    pub fn times_dir(&self, cluster: &str) -> anyhow::Result<PathBuf> {
        Ok(dir()?.join(self.case.name).join(format!("times-{cluster}")))
    }

    /// Where the traces of one sample are.
    pub fn sample_dir(&self, fraction: f64, scaling: Scaling, seed: u64) -> anyhow::Result<PathBuf> {
        Ok(dir()?.join(self.case.name).join(format!("{}-{fraction}-{seed}", scaling.name())))
    }
}

/// The traces in a folder.
fn read(folder: &Path) -> anyhow::Result<Vec<Trace>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("{}: run make_subset_traces", folder.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<Vec<_>>>()?;
    paths.retain(|path| path.extension().is_some_and(|end| end == "csv"));
    paths.sort();
    Ok(import(&paths, None)?)
}

/// The shipped clusters.
pub fn clusters() -> anyhow::Result<Vec<Cluster>> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../clusters"));
    let read = |name| Ok(Cluster::read(&folder.join(format!("{name}.toml")))?);
    ["laptop", "spark-1gbit", "cloud-25gbit", "hpc-200gbit"].into_iter().map(read).collect()
}

fn dir() -> anyhow::Result<PathBuf> {
    Ok(crate::out_dir()?.join("traces-subset"))
}

/// What really happened on all rows.
pub struct Truth {
    algorithms: Vec<String>,
    runs: BTreeMap<(String, usize), Real>,
}

impl Truth {
    /// Whose runs there are.
    pub fn algorithms(&self) -> &[String] {
        &self.algorithms
    }

    /// Median rounds to a target over the seeds; `None` if most never got there.
    pub fn rounds(&self, algorithm: &str, machines: usize, target: f64) -> Option<f64> {
        self.runs.get(&(algorithm.to_string(), machines))?.rounds_to(target)
    }
}

/// What one seed of a study has to learn from.
pub struct Evidence {
    /// Runs on all rows, this seed's; no times.
    pub whole: Vec<Trace>,
    /// Runs on samples drawn by this seed, every algorithm with its own scaling; no times.
    pub samples: Vec<Trace>,
}

impl Study {
    /// What really happened, by the judge's P*.
    pub fn truth(&self) -> anyhow::Result<Truth> {
        let folder = self.whole_dir()?;
        let optimum: f64 = std::fs::read_to_string(folder.join("optimum"))?.trim().parse()?;
        let mut traces: BTreeMap<(String, usize), Vec<Trace>> = BTreeMap::new();
        for trace in read(&folder)? {
            traces.entry((trace.context.clone(), trace.machines)).or_default().push(trace);
        }
        let mut algorithms: Vec<String> = traces.keys().map(|(algorithm, _)| algorithm.clone()).collect();
        algorithms.dedup();
        let runs = traces.into_iter().map(|(place, traces)| (place, Real::new(traces.iter(), optimum))).collect();
        Ok(Truth { algorithms, runs })
    }

    /// Everything of one seed.
    pub fn evidence(&self, seed: u64) -> anyhow::Result<Evidence> {
        let end = format!("-{seed}");
        let whole = read(&self.whole_dir()?)?.into_iter().filter(|trace| trace.run.ends_with(&end));
        let mut samples = Vec::new();
        for fraction in FRACTIONS {
            for scaling in Scaling::ALL {
                samples.extend(self.drawn(fraction, scaling, seed)?);
            }
        }
        samples.retain(|trace| trace.problem.ends_with(Scaling::of(&trace.context).name()));
        Ok(Evidence { whole: whole.map(timeless).collect(), samples })
    }

    /// The runs on one sample, the problem named after its scaling; none if its algorithms are all run with the other.
    pub fn drawn(&self, fraction: f64, scaling: Scaling, seed: u64) -> anyhow::Result<Vec<Trace>> {
        let folder = self.sample_dir(fraction, scaling, seed)?;
        if !folder.is_dir() {
            return Ok(Vec::new());
        }
        let name = format!("{}@{}", self.case.name, scaling.name());
        let named = |trace: Trace| Trace { problem: name.clone(), ..timeless(trace) };
        Ok(read(&folder)?.into_iter().map(named).collect())
    }

    /// Seconds of every algorithm and m on a cluster, all rows; no objectives.
    pub fn times(&self, cluster: &str) -> anyhow::Result<Vec<Trace>> {
        let mut traces = read(&self.times_dir(cluster)?)?;
        traces.iter_mut().flat_map(|trace| &mut trace.points).for_each(|point| {
            (point.objective, point.lower_bound) = (None, None);
        });
        Ok(traces)
    }
}

fn timeless(mut trace: Trace) -> Trace {
    trace.points.iter_mut().for_each(|point| point.seconds = None);
    trace
}
