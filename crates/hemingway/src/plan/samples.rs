//! Whether a choice that rests on samples of the rows can be taken.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Candidate, Plan};
use crate::backend::Config;
use crate::model::{Doubt, RunModel, SubsetModel};

/// Why samples do not settle a choice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unsettled {
    /// Nothing tells how long a round on all rows takes.
    Untimed,
    /// An algorithm that may be the best is in doubt.
    Doubted {
        /// The algorithm.
        algorithm: String,
        /// Why.
        doubt: Doubt,
    },
    /// The largest samples changed the choice, by more than is negligible.
    Unsteady {
        /// What the choice would be with them.
        config: Config,
        /// What it would have been without.
        before: Config,
    },
}

impl fmt::Display for Unsettled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Untimed => write!(f, "no times on all rows: run a few rounds on them (--rounds 5)"),
            Self::Doubted { algorithm, doubt } => {
                write!(f, "{algorithm} may be faster, but of it samples cannot tell: {doubt}")
            }
            Self::Unsteady { config, before } => {
                write!(f, "{config} by all samples, {before} without the largest: run both on all rows")
            }
        }
    }
}

/// A choice may cost so much more than another; calibrated with the next by `eval_subset`.
const NEGLIGIBLE: f64 = 1.1;
/// One in doubt may be faster than foreseen by this.
const DOUBTED: f64 = 4.0;

/// Why the best candidate is not to be taken at its word; `None` where nothing rests on samples, or they settle it.
pub(super) fn unsettled(model: &RunModel, plan: &Plan, error: f64) -> Option<Unsettled> {
    let view = View { model, plan, error };
    let Some(best) = plan.best() else {
        let sampled = plan.candidates.iter().any(|c| view.samples(&c.config.algorithm).is_some());
        return sampled.then_some(Unsettled::Untimed);
    };
    view.samples(&best.config.algorithm)?;
    view.doubted(best).or_else(|| view.unsteady(best))
}

struct View<'a> {
    model: &'a RunModel,
    plan: &'a Plan,
    error: f64,
}

impl View<'_> {
    fn samples(&self, algorithm: &str) -> Option<&SubsetModel> {
        self.model.contexts.get(algorithm)?.samples.as_ref()
    }

    /// An algorithm without an answer that could be as fast as the best.
    fn doubted(&self, best: &Candidate) -> Option<Unsettled> {
        let limit = best.seconds_to_go().map_or(f64::INFINITY, |seconds| DOUBTED * seconds.mid);
        let open = self.plan.candidates.iter().filter(|c| c.is_usable() && c.rounds.is_none());
        open.filter_map(|candidate| {
            let Config { algorithm, machines, .. } = &candidate.config;
            let samples = self.samples(algorithm)?;
            let doubt = samples.rounds_to(self.error, *machines).err()?;
            let seconds = samples.at_least(self.error, *machines) * candidate.seconds_per_round?.mid;
            (seconds < limit).then(|| Unsettled::Doubted { algorithm: algorithm.clone(), doubt })
        })
        .next()
    }

    /// Another choice by the smaller samples, which either view finds more than negligibly slower.
    fn unsteady(&self, best: &Candidate) -> Option<Unsettled> {
        let usable = || self.plan.candidates.iter().filter(|c| c.is_usable() && c.seconds_to_go().is_some());
        let before = usable().min_by(|a, b| self.before(a).total_cmp(&self.before(b)))?;
        let by_all = now(before) / now(best);
        let by_smaller = self.before(best) / self.before(before);
        let changed = by_all > NEGLIGIBLE || by_smaller > NEGLIGIBLE || by_smaller.is_nan();
        changed.then(|| Unsettled::Unsteady { config: best.config.clone(), before: before.config.clone() })
    }

    /// Seconds by all but the largest samples.
    fn before(&self, candidate: &Candidate) -> f64 {
        let Config { algorithm, machines, .. } = &candidate.config;
        let Some(samples) = self.samples(algorithm) else { return now(candidate) };
        let rounds = samples.foretold(self.error, *machines);
        rounds.zip(candidate.seconds_per_round).map_or(f64::INFINITY, |(rounds, pace)| rounds * pace.mid)
    }
}

/// Seconds by everything there is.
fn now(candidate: &Candidate) -> f64 {
    candidate.seconds_to_go().map_or(f64::INFINITY, |seconds| seconds.mid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goal::Goal;
    use crate::model::FitOptions;
    use crate::plan::{Question, plan};
    use crate::record::{Point, Trace};

    const SHARES: [f64; 3] = [0.05, 0.1, 0.2];

    fn trace(context: &str, machines: usize, fraction: f64, points: Vec<Point>) -> Trace {
        Trace {
            context: context.into(),
            problem: String::new(),
            run: format!("{context}-{machines}-{fraction}"),
            cluster: String::new(),
            machines,
            rows: None,
            fraction,
            fresh: true,
            points,
            phases: None,
        }
    }

    /// A sample on which every e-fold of error takes so many rounds.
    fn sample(context: &str, machines: usize, share: f64, rounds: f64) -> Trace {
        let objective = |round: u64| Some(1.0 + (-(round as f64) / rounds).exp());
        let point = |round: u64| Point { round, objective: objective(round), ..Point::default() };
        trace(context, machines, share, (1..=200).map(point).collect())
    }

    /// Samples of three sizes, each with its rounds to an e-fold, on one and four machines.
    fn samples(context: &str, rounds: [f64; 3]) -> Vec<Trace> {
        let sizes = SHARES.into_iter().zip(rounds);
        sizes.flat_map(|(share, rounds)| [1, 4].map(|m| sample(context, m, share, rounds))).collect()
    }

    /// Rounds of one second on all rows.
    fn times(context: &str) -> Vec<Trace> {
        let point = |round: u64| Point { round, seconds: Some(round as f64), ..Point::default() };
        [1, 4].map(|m| trace(context, m, 1.0, (1..=5).map(point).collect())).into()
    }

    fn ask(traces: &[Vec<Trace>], algorithms: &[&str]) -> Plan {
        let model = RunModel::fit(&traces.concat(), &FitOptions::default()).unwrap();
        let goal = Goal::Reach { error: 1e-2, certified: false };
        let question = Question {
            goal: &goal,
            algorithms: algorithms.iter().map(|name| name.as_ref()).collect(),
            machines: &[1, 4],
            fits_from: 1,
            price_per_hour: None,
            seconds_left: None,
            dollars_left: None,
        };
        plan(&model, &question)
    }

    #[test]
    fn samples_that_agree_settle_a_choice() {
        let traces = [samples("a", [10.0; 3]), samples("b", [15.0; 3]), times("a"), times("b")];
        let plan = ask(&traces, &["a", "b"]);
        assert_eq!(plan.choice().map(|choice| choice.config.algorithm.as_str()), Some("a"), "{:?}", plan.unsettled);
    }

    #[test]
    fn a_choice_that_the_largest_sample_changed_is_not_given() {
        let traces = [samples("a", [10.0; 3]), samples("b", [9.5, 9.5, 12.0]), times("a"), times("b")];
        let plan = ask(&traces, &["a", "b"]);
        assert!(matches!(plan.unsettled, Some(Unsettled::Unsteady { .. })), "{:?}", plan.unsettled);
        assert!(plan.choice().is_none() && !plan.candidates.is_empty());
    }

    #[test]
    fn one_in_doubt_that_may_be_faster_forbids_a_choice() {
        let doubtful = |rounds: f64| vec![sample("b", 1, 0.1, rounds), sample("b", 4, 0.1, rounds)];
        let with = |rounds: f64| ask(&[samples("a", [5.0; 3]), doubtful(rounds), times("a"), times("b")], &["a", "b"]);
        assert!(matches!(with(6.0).unsettled, Some(Unsettled::Doubted { .. })));
        assert!(with(40.0).choice().is_some(), "far slower, in doubt or not");
    }

    #[test]
    fn without_times_on_all_rows_there_is_no_choice() {
        let plan = ask(&[samples("a", [10.0; 3])], &["a"]);
        assert_eq!(plan.unsettled, Some(Unsettled::Untimed));
    }
}
