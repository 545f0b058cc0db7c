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
    /// The first rows, which the seed has dealt. λ is such that the pace is that on all rows.
    fn few_rows(&self, name: &str, rows: usize) -> Result<Problem> {
        let all = &self.problem;
        let share = rows as f64 / all.data.rows() as f64;
        let by_rows = algorithm::by_name(name)?.paced_by_rows();
        let l2 = if by_rows { all.l2 / share } else { all.l2 };
        let few = all.data.select(&(0..rows.min(all.data.rows())).collect::<Vec<_>>());
        Problem::new(&few, all.loss, Some(l2), all.seed)
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
