//! Every contender on every pair.

use hemingway::backend::Config;
use hemingway::cluster::Cluster;
use hemingway::model::Lesson;
use hemingway::record::store::Store;
use serde::{Deserialize, Serialize};

use super::oracle::Seconds;
use super::rivals::{Attempt, bayes, splash};
use super::{Case, Field, Oracle, Outcome, Regret, Shelf, Trainer};

/// A job is given up after so many times what the oracle takes.
pub const PATIENCE: f64 = 60.0;
/// The algorithms whose m is also chosen on-line.
pub const ON_LINE: [&str; 2] = ["cocoa", "cocoa+"];

/// One problem on one cluster.
#[derive(Serialize, Deserialize)]
pub struct Pair {
    /// The problem.
    pub problem: String,
    /// ε.
    pub error: f64,
    /// The cluster.
    pub cluster: String,
    /// How many machines it has.
    pub machines: usize,
    /// Every fixed configuration.
    pub oracle: Oracle,
    /// `train`.
    pub adaptive: Outcome,
    /// `train --fixed`.
    pub fixed: Outcome,
    /// m chosen on-line for each of [`ON_LINE`] that applies.
    pub on_line: [Option<Attempt>; 2],
    /// (algorithm, m) chosen by Bayesian optimisation.
    pub bayes: Attempt,
}

impl Pair {
    /// What a job took until the true error was ε, over what the oracle took; infinite if it ended before.
    pub fn regret(&self, outcome: &Outcome) -> f64 {
        outcome.reached.unwrap_or(f64::INFINITY) / self.oracle.best().1
    }

    /// The same of a configuration fixed beforehand.
    pub fn regret_of(&self, config: &Config) -> Regret {
        self.oracle.seconds(config).over(self.oracle.best().1)
    }

    /// The same of a rival.
    pub fn regret_by(&self, attempt: Option<Attempt>) -> Regret {
        attempt.map_or(Seconds::Exactly(f64::INFINITY), |attempt| attempt.took).over(self.oracle.best().1)
    }
}

/// One problem on every cluster, knowing nothing of its family.
pub fn pairs(case: &Case, clusters: &[Cluster], lessons: &[(String, Lesson)]) -> anyhow::Result<Vec<Pair>> {
    let shelf = Shelf::of(case)?;
    let folder = tempfile::tempdir()?;
    let trainer = Trainer::of(case, lessons, Store::at(folder.path()))?;
    clusters.iter().map(|cluster| pair(&trainer, &Field::of(case, &shelf, cluster), cluster)).collect()
}

fn pair(trainer: &Trainer<'_>, field: &Field, cluster: &Cluster) -> anyhow::Result<Pair> {
    let case = trainer.case;
    let oracle = Oracle::on(field);
    anyhow::ensure!(!oracle.times.is_empty(), "no tape reaches ε on {}: ask for less in suite.toml", cluster.name);
    let most = PATIENCE * oracle.best().1;
    let adaptive = trainer.train(cluster, true, most)?;
    Ok(Pair {
        problem: case.name.clone(),
        error: case.error,
        cluster: cluster.name.clone(),
        machines: cluster.machines,
        on_line: ON_LINE.map(|name| splash::play(field, name)),
        bayes: bayes::play(field, adaptive.probing),
        fixed: trainer.train(cluster, false, most)?,
        adaptive,
        oracle,
    })
}
