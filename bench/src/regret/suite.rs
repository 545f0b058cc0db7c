//! The problems and clusters, as their files say.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use anyhow::{Context, bail};
use hemingway::cluster::Cluster;
use hemingway::data::{Dataset, Normalize, Preparation, prepare};
use hemingway::model::Lesson;
use hemingway::problem::{Loss, Penalty, Problem};
use serde::{Deserialize, Serialize};

use super::Shelf;

/// The seed of every run, ours and the oracle's.
pub const SEED: u64 = 0;

/// Every problem on every cluster.
pub struct Suite {
    /// The problems.
    pub cases: Vec<Case>,
    /// The clusters.
    pub clusters: Vec<Cluster>,
}

/// One problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its name in tables.
    pub name: String,
    /// What is alike: knowledge of one problem of a family is never used on another of it.
    pub family: String,
    /// DATA.
    pub data: String,
    /// Labels from the first to the second are +1, the others −1; as they are if none.
    positive: Option<(f64, f64)>,
    normalize: Option<Normalize>,
    /// φ.
    pub loss: Loss,
    /// λ₂; 1/n if none.
    pub l2: Option<f64>,
    /// λ₁.
    #[serde(default)]
    pub l1: f64,
    /// ε.
    pub error: f64,
    /// P*, by another program.
    #[serde(default)]
    pub optimum: f64,
}

#[derive(Deserialize)]
struct SuiteFile {
    problem: Vec<Case>,
}

#[derive(Deserialize)]
struct OptimaFile {
    optimum: BTreeMap<String, f64>,
}

impl Suite {
    /// Reads all files.
    pub fn read() -> anyhow::Result<Self> {
        let mut cases = parse::<SuiteFile>(&folder().join("suite.toml"))?.problem;
        let optima = parse::<OptimaFile>(&folder().join("optima.toml"))?.optimum;
        cases.retain_mut(|case| match optima.get(&case.name) {
            Some(optimum) => {
                case.optimum = *optimum;
                true
            }
            None => {
                eprintln!("P* MISSING: {} is left out; bench/regret/optima.py finds it", case.name);
                false
            }
        });
        let shipped = folder().join("../../clusters");
        let own = folder().join("clusters");
        let files = [
            shipped.join("laptop.toml"),
            shipped.join("spark-1gbit.toml"),
            shipped.join("cloud-25gbit.toml"),
            shipped.join("hpc-200gbit.toml"),
            own.join("jvm-10gbit.toml"),
            own.join("boards-1gbit.toml"),
        ];
        let clusters = files.iter().map(|file| Ok(Cluster::read(file)?)).collect::<anyhow::Result<_>>()?;
        Ok(Self { cases, clusters })
    }

    /// What each problem with λ₁, or each without, teaches, by family: one kind tells nothing of the other.
    pub fn lessons(&self, with_l1: bool) -> anyhow::Result<Vec<(String, Lesson)>> {
        self.cases
            .iter()
            .filter(|case| case.has_l1() == with_l1)
            .map(|case| Ok((case.family.clone(), Shelf::of(case)?.lesson(case))))
            .collect()
    }

    /// Does something with every problem that is asked for, two at a time; in order.
    pub fn each<T: Send>(
        &self,
        asked: impl Fn(&Case) -> bool,
        work: impl Fn(&Case) -> anyhow::Result<T> + Sync,
    ) -> anyhow::Result<Vec<T>> {
        let todo: Mutex<Vec<(usize, &Case)>> =
            Mutex::new(self.cases.iter().enumerate().filter(|(_, case)| asked(case)).rev().collect());
        let one_by_one = || {
            let mut done = Vec::new();
            while let Some((place, case)) = todo.lock().map_or(None, |mut todo| todo.pop()) {
                let began = Instant::now();
                done.push((place, work(case).with_context(|| case.name.clone())?));
                eprintln!("{}: {:.0} s", case.name, began.elapsed().as_secs_f64());
            }
            Ok(done)
        };
        let mut done: Vec<(usize, T)> = std::thread::scope(|scope| {
            let threads = [scope.spawn(one_by_one), scope.spawn(one_by_one)];
            let joined = threads.map(|thread| thread.join().unwrap_or_else(|_| bail!("a thread panicked")));
            joined.into_iter().collect::<anyhow::Result<Vec<_>>>()
        })?
        .into_iter()
        .flatten()
        .collect();
        done.sort_by_key(|(place, _)| *place);
        Ok(done.into_iter().map(|(_, value)| value).collect())
    }
}

impl Case {
    /// Its rows as they are, with two classes where it asks for them.
    pub fn raw(&self) -> anyhow::Result<Dataset> {
        let mut data = crate::raw(&self.data)?;
        if let Some((first, last)) = self.positive {
            let sign = |label: &f64| if (first..=last).contains(label) { 1.0 } else { -1.0 };
            data.labels = data.labels.iter().map(sign).collect();
        }
        Ok(data)
    }

    /// What is done to its rows before training.
    pub fn preparation(&self) -> Preparation {
        Preparation { normalize: self.normalize, ..Preparation::default() }
    }

    /// Its data, ready to train on.
    pub fn load(&self) -> anyhow::Result<Dataset> {
        Ok(prepare(self.raw()?, &self.preparation(), self.loss.is_binary())?.dataset)
    }

    /// The problem, dealt by the seed.
    pub fn problem(&self, data: &Dataset) -> anyhow::Result<Problem> {
        Ok(Problem::new(data, self.loss, self.l2, SEED)?.with_l1(self.l1)?)
    }

    /// Whether λ₁ > 0.
    pub fn has_l1(&self) -> bool {
        self.l1 > 0.0
    }

    /// Its penalty, as far as that decides who applies.
    pub fn penalty(&self) -> Penalty {
        Penalty { l2: self.l2.unwrap_or(1.0), l1: self.l1 }
    }

    /// e = (P − P*)/P*.
    pub fn true_error(&self, objective: f64) -> f64 {
        (objective - self.optimum) / self.optimum
    }
}

/// Where the suite is described.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("regret")
}

fn parse<T: for<'de> Deserialize<'de>>(path: &Path) -> anyhow::Result<T> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    toml::from_str(&text).with_context(|| format!("in {}", path.display()))
}
