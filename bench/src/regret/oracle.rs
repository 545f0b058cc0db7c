//! The best fixed configuration by hindsight.

use hemingway::backend::Config;
use hemingway::cluster::Cluster;

use super::{Case, Shelf};

/// What every fixed configuration takes to reach the true error ε, the quickest first.
#[derive(Debug, Clone)]
pub struct Oracle {
    /// (configuration, seconds of training, rounds).
    pub times: Vec<(Config, f64, u64)>,
}

impl Oracle {
    /// Of one problem on one cluster.
    pub fn of(case: &Case, shelf: &Shelf, cluster: &Cluster) -> Self {
        let here = shelf.tapes.iter().filter(|(_, machines, _)| *machines <= cluster.machines);
        let time = |(name, machines, tape): &super::tape::Kept| {
            let round = tape.reaches(case)?;
            Some((Config::new(name, *machines), tape.seconds(cluster)[round as usize], round))
        };
        let mut times: Vec<_> = here.filter_map(time).collect();
        times.sort_by(|a, b| a.1.total_cmp(&b.1));
        Self { times }
    }

    /// The best.
    pub fn best(&self) -> &(Config, f64, u64) {
        &self.times[0]
    }

    /// Seconds of one configuration.
    pub fn seconds(&self, config: &Config) -> Option<f64> {
        self.times.iter().find(|(known, _, _)| known == config).map(|time| time.1)
    }
}
