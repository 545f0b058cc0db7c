//! Algorithms on a few rows, in one task on one machine: no rounds to schedule, nobody to wait for. What they need there
//! tells what they will need on all rows.

use serde::{Deserialize, Serialize};

use super::EngineBackend;
use crate::Result;
use crate::algorithm::{self, Step};
use crate::engine::{self, Setting};
use crate::problem::Problem;

/// From one look at the objective to the next the rounds grow by this share: looking costs as much as a round.
const LOOK_EVERY: f64 = 0.1;
/// It ends at this share of the error that is asked for.
const BEYOND: f64 = 0.5;

/// What to rehearse.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Script {
    /// Each of these, one after the other.
    pub algorithms: Vec<String>,
    /// On so many rows.
    pub rows: usize,
    /// For at most so many rounds.
    pub rounds: u64,
    /// ε: to go further tells nothing.
    pub error: f64,
}

/// How one algorithm did on a few rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rehearsal {
    /// The algorithm.
    pub algorithm: String,
    /// The rows.
    pub rows: usize,
    /// (round, best P so far), the start first.
    pub points: Vec<(u64, f64)>,
    /// P* of these rows is not below.
    pub bound: f64,
    /// What the rounds took.
    pub seconds: f64,
    /// What looking took.
    pub eval_seconds: f64,
}

impl EngineBackend {
    /// The first rows of those held here, which the seed has dealt. λ is such that the pace is that on all rows.
    fn few_rows(&self, name: &str, rows: usize) -> Result<Problem> {
        let all = &self.problem;
        let rows = rows.min(all.data.rows());
        let share = rows as f64 / all.whole().rows as f64;
        let l2 = algorithm::by_name(name)?.sample_l2(all.penalty.l2, share);
        let few = all.data.select(&(0..rows).collect::<Vec<_>>());
        Problem::of_classes(&few, all.loss, all.classes, Some(l2), all.seed)?.with_l1(all.penalty.l1)
    }

    pub(super) fn rehearse_one(&self, name: &str, script: &Script) -> Result<Rehearsal> {
        let problem = self.few_rows(name, script.rows)?;
        let setting = Setting::new(&problem, algorithm::by_name(name)?);
        let alone = self.cluster.as_ref().map(|cluster| cluster.one_task());
        let mut engine = engine::build(setting.clone(), alone.as_ref(), 1)?;
        let mut server = setting.algorithm.server(&setting.outline);
        let mut shared = setting.algorithm.shared(&setting.outline);
        let (mut points, mut bound, mut next): (Vec<(u64, f64)>, f64, u64) = (Vec::new(), 0.0, 0);
        loop {
            let round = engine.clock().rounds;
            if round >= next || round >= script.rounds {
                let seen = server.evaluate(engine.as_mut(), &shared)?;
                bound = bound.max(seen.dual.unwrap_or(0.0));
                let best = points.last().map_or(f64::INFINITY, |last| last.1).min(seen.objective);
                points.push((round, best));
                let near = best - bound <= BEYOND * script.error * best;
                if near || round >= script.rounds || !seen.objective.is_finite() {
                    break;
                }
                next = round + 1 + (LOOK_EVERY * round as f64) as u64;
            }
            if server.iterate(engine.as_mut(), &mut shared)? == Step::Stalled {
                break;
            }
        }
        let clock = engine.clock();
        let (seconds, eval_seconds) = (clock.train_seconds(), clock.evaluation);
        Ok(Rehearsal { algorithm: name.into(), rows: script.rows, points, bound, seconds, eval_seconds })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Backend;
    use super::*;
    use crate::cluster::Cluster;
    use crate::data::source::Source;
    use crate::problem::Loss;

    fn backend(cluster: Option<Cluster>) -> EngineBackend {
        let data = Source::parse("synth:logistic,rows=4000,columns=20,seed=3").unwrap().load().unwrap().dataset;
        EngineBackend::new(Problem::new(&data, Loss::Logistic, Some(1e-3), 0).unwrap(), "", cluster)
    }

    fn script() -> Script {
        Script { algorithms: vec!["lbfgs".into(), "cocoa".into()], rows: 256, rounds: 200, error: 1e-4 }
    }

    #[test]
    fn each_goes_on_until_its_error_is_proved_or_its_rounds_are_used_up() {
        for rehearsal in backend(None).rehearse(&script()).unwrap() {
            let (rounds, best) = *rehearsal.points.last().unwrap();
            assert!(best - rehearsal.bound <= 1e-4 * best && rounds < 200, "{rehearsal:?}");
            assert!(rehearsal.points.is_sorted_by(|a, b| a.0 < b.0 && a.1 >= b.1), "{rehearsal:?}");
        }
        let short = Script { rounds: 3, ..script() };
        for rehearsal in backend(None).rehearse(&short).unwrap() {
            assert!(rehearsal.points.last().unwrap().0 >= 3);
        }
    }

    #[test]
    fn on_a_cluster_it_is_one_task_and_repeats() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../clusters/spark-1gbit.toml");
        let cluster = Cluster::read(std::path::Path::new(file)).unwrap();
        let rehearsals = backend(Some(cluster.clone())).rehearse(&script()).unwrap();
        assert_eq!(rehearsals, backend(Some(cluster.clone())).rehearse(&script()).unwrap());
        for rehearsal in rehearsals {
            let rounds = rehearsal.points.last().unwrap().0 as f64;
            assert!(rehearsal.seconds < rounds * 1e-3 * cluster.overhead.per_round_ms, "{}", rehearsal.seconds);
        }
    }
}
