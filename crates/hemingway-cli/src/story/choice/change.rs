//! What would have made another choice better.

use hemingway::backend::Config;
use hemingway::goal::Goal;
use hemingway::model::Estimate;
use hemingway::plan::{Candidate, Plan};
use serde::Serialize;

use super::promise;
use crate::story::{Story, crossing};

/// Rivals worth a sentence.
const MOST_RIVALS: usize = 3;
/// A rival that promises so many times worse is none.
const HOPELESS: f64 = 5.0;

/// A circumstance under which another configuration would have been the better choice.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "if", rename_all = "kebab-case")]
pub(crate) enum Change {
    /// It came to the goal sooner than promised.
    Sooner {
        /// The rival.
        config: Config,
        /// By this share fewer rounds,
        fewer_rounds: f64,
        /// or rounds so many times quicker.
        quicker_rounds: f64,
        /// Its own 90 % interval allows for that.
        within_interval: bool,
    },
    /// It ended lower than promised.
    Lower {
        /// The rival.
        config: Config,
        /// The error it promised,
        promised: f64,
        /// and the one that would win.
        needed: f64,
        /// Its own 90 % interval allows for that.
        within_interval: bool,
    },
    /// A probe on so many machines confirmed what is promised there.
    Measured {
        /// The rival.
        config: Config,
        /// Seconds to the goal, or error in the end.
        promised: Estimate,
    },
    /// A run of its algorithm confirmed what is promised of it.
    Run {
        /// The rival.
        config: Config,
        /// Seconds to the goal, or error in the end.
        promised: Estimate,
    },
    /// So few machines had memory enough.
    Memory {
        /// The rival.
        config: Config,
        /// Seconds to the goal, or error in the end.
        promised: Estimate,
    },
    /// A larger error were enough: the rival was measured to be there first.
    Looser {
        /// The rival.
        config: Config,
        /// The error.
        error: f64,
        /// When the rival was there,
        seconds: f64,
        /// and when the choice was.
        against: f64,
    },
    /// Money counted before time.
    Cheaper {
        /// The rival.
        config: Config,
        /// What it costs,
        dollars: f64,
        /// and what the choice does.
        against: f64,
    },
}

/// Everything that would have changed a choice.
pub(super) fn changes(story: &Story, plan: &Plan, chosen: &Candidate) -> Vec<Change> {
    let goal = &story.history.spec.goal;
    let Some(own) = promise(chosen, goal).map(|own| own.mid) else { return Vec::new() };
    let rivals = rivals(plan, chosen, goal);
    let mut found: Vec<Change> = rivals.into_iter().filter_map(|rival| better(rival, goal, own)).collect();
    found.extend(barred(plan, goal, own));
    found.extend(crossing::looser(story, &chosen.config));
    found.extend(cheaper(plan, chosen));
    found
}

/// The runner-up, and the best of every other algorithm.
fn rivals<'a>(plan: &'a Plan, chosen: &Candidate, goal: &Goal) -> Vec<&'a Candidate> {
    let near = HOPELESS * chosen.score(goal);
    let mut found: Vec<&Candidate> = Vec::new();
    for candidate in plan.candidates.iter().filter(|c| c.config != chosen.config && c.score(goal) <= near) {
        let same = |other: &Candidate| other.config.algorithm == candidate.config.algorithm;
        let is_new = !same(chosen) && !found.iter().any(|rival| same(rival));
        if found.is_empty() || is_new {
            found.push(candidate);
        }
    }
    found.truncate(MOST_RIVALS);
    found
}

/// Errors that nobody tells from 0, or from each other.
const SMALLEST: f64 = 1e-9;

/// What a rival lacks.
fn better(rival: &Candidate, goal: &Goal, own: f64) -> Option<Change> {
    let promised = promise(rival, goal).filter(|promised| promised.mid > own && own > 0.0)?;
    if goal.is_budget() && promised.mid <= SMALLEST {
        return None;
    }
    let (config, within_interval) = (rival.config.clone(), promised.low <= own);
    Some(match goal {
        Goal::Within { .. } | Goal::Spend { .. } => {
            Change::Lower { config, promised: promised.mid, needed: own, within_interval }
        }
        _ => {
            let (fewer_rounds, quicker_rounds) = (1.0 - own / promised.mid, promised.mid / own);
            Change::Sooner { config, fewer_rounds, quicker_rounds, within_interval }
        }
    })
}

/// The best of those that promise more than the choice but may not be chosen: not run yet, beyond what was measured, or
/// too large for the memory. One of each.
fn barred(plan: &Plan, goal: &Goal, own: f64) -> impl Iterator<Item = Change> {
    let best = |is_barred: &dyn Fn(&&Candidate) -> bool| {
        let barred = plan.candidates.iter().filter(|c| !plan.may_choose(c)).filter(is_barred);
        let promises = barred.filter_map(|c| Some((c.config.clone(), promise(c, goal)?)));
        promises.filter(|(_, promised)| promised.mid < own).min_by(|a, b| a.1.mid.total_cmp(&b.1.mid))
    };
    let run = best(&|c| c.is_usable()).map(|(config, promised)| Change::Run { config, promised });
    let measured = best(&|c| c.fits && !c.is_usable()).map(|(config, promised)| Change::Measured { config, promised });
    let memory = best(&|c| !c.fits).map(|(config, promised)| Change::Memory { config, promised });
    run.into_iter().chain(measured).chain(memory)
}

/// The cheapest that may be chosen, if that is another.
fn cheaper(plan: &Plan, chosen: &Candidate) -> Option<Change> {
    let against = chosen.dollars?.mid;
    let priced = plan.candidates.iter().filter(|c| plan.may_choose(c)).filter_map(|c| Some((c, c.dollars?.mid)));
    let (cheapest, dollars) = priced.min_by(|a, b| a.1.total_cmp(&b.1))?;
    // One that is sooner as well lost for another reason.
    (dollars < against && !cheapest.is_sooner(chosen)).then(|| Change::Cheaper {
        config: cheapest.config.clone(),
        dollars,
        against,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hemingway::model::Reach;

    const GOAL: Goal = Goal::Reach { error: 1e-3, certified: false };

    fn estimate(mid: f64, extrapolated: bool) -> Estimate {
        Estimate { low: 0.5 * mid, mid, high: 2.0 * mid, extrapolated }
    }

    fn candidate(algorithm: &str, machines: usize, seconds: f64) -> Candidate {
        Candidate {
            config: Config::new(algorithm, machines),
            seconds_per_round: Some(estimate(0.1, false)),
            saved_per_round: None,
            rounds: Some(Reach::At(estimate(10.0 * seconds, false))),
            seconds: Some(Reach::At(estimate(seconds, false))),
            dollars: Some(estimate(seconds * machines as f64, false)),
            error_at_end: Some(estimate(1e-4 * seconds, false)),
            fits: true,
        }
    }

    fn plan(candidates: Vec<Candidate>) -> Plan {
        Plan { goal: GOAL.sentence(), candidates, chosen: None, unsettled: None }
    }

    #[test]
    fn rivals_are_the_runner_up_and_the_best_of_other_algorithms() {
        let rows = [("a", 4, 10.0), ("a", 2, 12.0), ("a", 8, 13.0), ("b", 4, 20.0), ("b", 2, 21.0), ("c", 1, 500.0)];
        let plan = plan(rows.map(|(name, m, seconds)| candidate(name, m, seconds)).to_vec());
        let rivals = rivals(&plan, &plan.candidates[0], &GOAL);
        let names: Vec<String> = rivals.iter().map(|rival| rival.config.to_string()).collect();
        assert_eq!(names, ["a m=2", "b m=4"], "c is hopeless");
    }

    #[test]
    fn a_rival_wins_with_the_rounds_it_has_too_many() {
        let wanted = Change::Sooner {
            config: Config::new("b", 2),
            fewer_rounds: 0.375,
            quicker_rounds: 1.6,
            within_interval: true,
        };
        assert_eq!(better(&candidate("b", 2, 16.0), &GOAL, 10.0), Some(wanted));
        assert_eq!(better(&candidate("b", 2, 9.0), &GOAL, 10.0), None, "it is ahead already");
        let far = better(&candidate("b", 2, 25.0), &GOAL, 10.0);
        assert!(matches!(far, Some(Change::Sooner { within_interval: false, .. })), "{far:?}");
        let lower = better(&candidate("b", 2, 20.0), &Goal::Within { seconds: 9.0 }, 1e-3);
        assert!(matches!(lower, Some(Change::Lower { needed: 1e-3, within_interval: true, .. })), "{lower:?}");
    }

    #[test]
    fn what_may_not_be_chosen_is_named_once_for_each_reason() {
        let unmeasured =
            |m, seconds| Candidate { seconds_per_round: Some(estimate(0.1, true)), ..candidate("a", m, seconds) };
        let small = Candidate { fits: false, ..candidate("b", 1, 6.0) };
        let plan = plan(vec![candidate("a", 4, 10.0), unmeasured(1, 8.0), unmeasured(2, 9.0), small]);
        let found: Vec<Change> = barred(&plan, &GOAL, 10.0).collect();
        assert!(matches!(&found[..], [Change::Measured { config, .. }, Change::Memory { .. }] if config.machines == 1));
        assert_eq!(barred(&plan, &GOAL, 5.0).count(), 0, "none of them promises more");
    }

    #[test]
    fn what_has_not_run_here_is_barred_and_not_merely_dearer() {
        let unseen = |name, m, seconds| Candidate {
            rounds: Some(Reach::At(estimate(10.0 * seconds, true))),
            ..candidate(name, m, seconds)
        };
        let rows = vec![candidate("a", 4, 10.0), candidate("a", 2, 12.0), unseen("b", 1, 6.0), unseen("b", 2, 7.0)];
        let plan = Plan { chosen: Some(Config::new("a", 4)), ..plan(rows) };
        let found: Vec<Change> = barred(&plan, &GOAL, 10.0).collect();
        assert!(matches!(&found[..], [Change::Run { config, .. }] if *config == Config::new("b", 1)), "{found:?}");
        assert!(plan.bars_a_sooner(&plan.candidates[0]));
        let cheaper_one = cheaper(&plan, &plan.candidates[0]);
        assert!(matches!(&cheaper_one, Some(Change::Cheaper { config, .. }) if *config == Config::new("a", 2)));
    }

    #[test]
    fn the_cheapest_is_named_unless_it_is_the_choice() {
        let plan = plan(vec![candidate("a", 4, 10.0), candidate("a", 1, 12.0)]);
        let cheaper_one = cheaper(&plan, &plan.candidates[0]);
        assert!(matches!(cheaper_one, Some(Change::Cheaper { dollars: 12.0, against: 40.0, .. })), "{cheaper_one:?}");
        assert_eq!(cheaper(&plan, &plan.candidates[1]), None);
    }
}
