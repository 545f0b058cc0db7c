//! Every contender on every pair.

use hemingway::backend::Config;
use hemingway::cluster::Cluster;
use hemingway::model::{Lesson, Precedents};
use hemingway::record::store::Store;

use super::{Case, Oracle, Outcome, Shelf, Trainer};

/// A job is given up after so many times what the oracle takes.
const PATIENCE: f64 = 60.0;

/// One problem on one cluster.
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
}

impl Pair {
    /// What a job took until the true error was ε, over what the oracle took.
    pub fn regret(&self, outcome: &Outcome) -> f64 {
        outcome.reached.unwrap_or(f64::INFINITY) / self.oracle.best().1
    }

    /// The same of a configuration fixed beforehand; infinite where it was not followed to ε.
    pub fn regret_of(&self, config: &Config) -> f64 {
        self.oracle.seconds(config).unwrap_or(f64::INFINITY) / self.oracle.best().1
    }
}

/// One problem on every cluster, knowing nothing of its family.
pub fn pairs(case: &Case, clusters: &[Cluster], lessons: &[(String, Lesson)]) -> anyhow::Result<Vec<Pair>> {
    let shelf = Shelf::of(case)?;
    let strangers = lessons.iter().filter(|(family, _)| *family != case.family).map(|(_, lesson)| lesson.clone());
    let precedents = Precedents::learn(&strangers.collect::<Vec<_>>());
    let folder = tempfile::tempdir()?;
    let trainer = Trainer { case, data: case.raw()?, precedents, store: Store::at(folder.path()) };
    let mut pairs = Vec::new();
    for cluster in clusters {
        let oracle = Oracle::of(case, &shelf, cluster);
        let most = PATIENCE * oracle.best().1;
        pairs.push(Pair {
            problem: case.name.clone(),
            error: case.error,
            cluster: cluster.name.clone(),
            machines: cluster.machines,
            adaptive: trainer.train(cluster, true, most)?,
            fixed: trainer.train(cluster, false, most)?,
            oracle,
        });
    }
    Ok(pairs)
}
