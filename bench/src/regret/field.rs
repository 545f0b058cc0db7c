//! Every tape of a problem as one cluster times it: what contenders that nobody built are played on.

use hemingway::backend::Config;
use hemingway::cluster::Cluster;
use hemingway::data::matrix::BYTES_PER_ENTRY;
use hemingway::engine::moving_seconds;
use hemingway::model::Traits;
use hemingway::placement::Placement;

use super::tape::Kept;
use super::{Case, Shelf};

/// All fixed configurations of one problem on one cluster.
pub struct Field {
    /// The cluster.
    pub cluster: Cluster,
    traits: Traits,
    /// ε.
    pub error: f64,
    /// How each went, as far as it was followed.
    pub runs: Vec<Run>,
}

/// One configuration from the start to where its tape ends.
pub struct Run {
    /// Which.
    pub config: Config,
    /// The start first.
    pub points: Vec<Point>,
}

/// A run after so many rounds.
#[derive(Debug, Clone, Copy)]
pub struct Point {
    /// How many.
    pub round: u64,
    /// Seconds of training they took.
    pub seconds: f64,
    /// The true error of the best model so far.
    pub error: f64,
}

impl Field {
    /// Times every tape that has room on the cluster.
    pub fn of(case: &Case, shelf: &Shelf, cluster: &Cluster) -> Self {
        let here = shelf.tapes.iter().filter(|(_, machines, _)| *machines <= cluster.machines);
        let runs = here.map(|kept| Run::of(case, kept, cluster)).collect();
        Self { cluster: cluster.clone(), traits: shelf.traits, error: case.error, runs }
    }

    /// Seconds to deal the rows anew from so many machines to so many.
    pub fn moving(&self, from: usize, to: usize) -> f64 {
        if from == to {
            return 0.0;
        }
        let Traits { rows, entries, .. } = self.traits;
        let bytes_per_row = entries as f64 * BYTES_PER_ENTRY / rows as f64;
        let placed = |machines| Placement::even(rows, machines);
        moving_seconds(&self.cluster.network, &placed(from), &placed(to), bytes_per_row)
    }

    /// Dollars a second of so many machines.
    pub fn price(&self, machines: usize) -> f64 {
        self.cluster.price_per_hour / 3600.0 * machines as f64
    }
}

impl Run {
    fn of(case: &Case, (name, machines, tape): &Kept, cluster: &Cluster) -> Self {
        let seconds = tape.seconds(cluster);
        let mut error = f64::INFINITY;
        let point = |&(round, objective, _): &(u64, f64, f64)| {
            error = error.min(case.true_error(objective));
            Point { round, seconds: seconds[round as usize], error }
        };
        Self { config: Config::new(name, *machines), points: tape.points.iter().map(point).collect() }
    }

    /// When the error is first at most this.
    pub fn reaches(&self, error: f64) -> Option<&Point> {
        self.points.get(self.place_of(error)?)
    }

    /// The first point whose error is at most this.
    pub fn place_of(&self, error: f64) -> Option<usize> {
        let place = self.points.partition_point(|point| point.error > error);
        (place < self.points.len()).then_some(place)
    }

    /// The last point within so many seconds.
    pub fn within(&self, seconds: f64) -> &Point {
        let after = self.points.partition_point(|point| point.seconds <= seconds);
        &self.points[after.max(1) - 1]
    }

    /// The last point.
    pub fn end(&self) -> &Point {
        &self.points[self.points.len() - 1]
    }
}

#[cfg(test)]
pub(super) mod tests {
    use hemingway::problem::Loss;

    use super::*;

    /// A run of even rounds that each cut the error to the same share, from 1.
    pub(crate) fn run(name: &str, machines: usize, seconds: f64, share: f64) -> Run {
        let point =
            |round: i32| Point { round: round as u64, seconds: seconds * f64::from(round), error: share.powi(round) };
        Run { config: Config::new(name, machines), points: (0..60).map(point).collect() }
    }

    /// Some runs of a small problem.
    pub(crate) fn field(runs: Vec<Run>, error: f64) -> Field {
        let traits = Traits {
            rows: 1000,
            columns: 10,
            entries: 10_000,
            margins: 1,
            loss: Loss::Logistic,
            l2: 1e-3,
            mean_norm_sq: 1.0,
            l1_share: 0.0,
        };
        Field { cluster: crate::cluster(64), traits, error, runs }
    }

    #[test]
    fn points_are_found_by_error_and_by_time() {
        let run = run("cocoa", 1, 2.0, 0.5);
        assert_eq!(run.reaches(0.2).map(|point| point.round), Some(3));
        assert_eq!(run.within(5.0).round, 2);
        assert_eq!(run.within(0.0).round, 0);
        assert!(run.reaches(0.0).is_none());
    }

    #[test]
    fn rows_stay_for_nothing_and_move_for_something() {
        let field = field(Vec::new(), 0.1);
        assert_eq!(field.moving(4, 4), 0.0);
        assert!(field.moving(1, 4) > 0.0);
    }
}
