//! The best fixed configuration by hindsight.

use hemingway::backend::Config;
use hemingway::cluster::Cluster;
use serde::{Deserialize, Serialize};

use super::{Case, Field, Shelf};

/// What every fixed configuration takes to reach the true error ε, the quickest first.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Oracle {
    /// (configuration, seconds of training, rounds).
    pub times: Vec<(Config, f64, u64)>,
    /// (configuration, seconds) of those that were not followed to ε, because they could not win: they take longer.
    pub longer: Vec<(Config, f64)>,
}

impl Oracle {
    /// Of one problem on one cluster.
    pub fn of(case: &Case, shelf: &Shelf, cluster: &Cluster) -> Self {
        Self::on(&Field::of(case, shelf, cluster))
    }

    /// Of runs already timed.
    pub fn on(field: &Field) -> Self {
        let (mut times, mut longer) = (Vec::new(), Vec::new());
        for run in &field.runs {
            match run.reaches(field.error) {
                Some(point) => times.push((run.config.clone(), point.seconds, point.round)),
                None => longer.push((run.config.clone(), run.end().seconds)),
            }
        }
        times.sort_by(|a, b| a.1.total_cmp(&b.1));
        Self { times, longer }
    }

    /// The best.
    pub fn best(&self) -> &(Config, f64, u64) {
        &self.times[0]
    }

    /// Seconds of one configuration, or of as many of its machines as there are.
    pub fn seconds(&self, config: &Config) -> Seconds {
        let reached = self.times.iter().map(|(known, seconds, _)| (known, Seconds::Exactly(*seconds)));
        let all = reached.chain(self.longer.iter().map(|(known, seconds)| (known, Seconds::AtLeast(*seconds))));
        let room = all.filter(|(known, _)| known.algorithm == config.algorithm && known.machines <= config.machines);
        room.max_by_key(|(known, _)| known.machines).map_or(Seconds::Exactly(f64::INFINITY), |(_, seconds)| seconds)
    }
}

/// What something takes to ε.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Seconds {
    /// So much.
    Exactly(f64),
    /// More than so much: it was followed no further.
    AtLeast(f64),
}

impl Seconds {
    /// As far as they are known.
    pub fn known(self) -> f64 {
        match self {
            Self::Exactly(seconds) | Self::AtLeast(seconds) => seconds,
        }
    }

    /// Over what the oracle takes. What was not followed to ε could not win.
    pub fn over(self, oracle: f64) -> Regret {
        let times = self.known() / oracle;
        match self {
            Self::Exactly(_) => Regret { times, at_least: false },
            Self::AtLeast(_) => Regret { times: times.max(1.0), at_least: true },
        }
    }
}

/// A time over the oracle's.
#[derive(Debug, Clone, Copy)]
pub struct Regret {
    /// So many times it,
    pub times: f64,
    /// or more.
    pub at_least: bool,
}

impl std::fmt::Display for Regret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{:.2}", if self.at_least { "≥ " } else { "" }, self.times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regret::field::tests::{field, run};

    #[test]
    fn what_was_not_followed_to_the_end_takes_at_least_as_long_as_it_was() {
        let mut short = run("cocoa", 4, 1.0, 0.5);
        short.points.truncate(6);
        let oracle = Oracle::on(&field(vec![short, run("cocoa", 2, 2.0, 0.5), run("lbfgs", 1, 1.0, 0.25)], 1e-3));
        assert_eq!(oracle.best(), &(Config::new("lbfgs", 1), 5.0, 5));
        let regret = |name, machines| oracle.seconds(&Config::new(name, machines)).over(5.0).to_string();
        assert_eq!(regret("cocoa", 2), "4.00");
        assert_eq!(regret("cocoa", 4), "≥ 1.00");
        // Sixteen machines asked of a cluster that has one to offer.
        assert_eq!(regret("lbfgs", 16), "1.00");
        assert_eq!(regret("gd", 1), "inf");
    }
}
