//! Which of several clusters to train on: what a plan on each came to, and the best of them.

use std::cmp::Ordering;
use std::iter::Sum;

use serde::{Deserialize, Serialize};

use super::{Decision, History, Purpose, Spent, decide};
use crate::backend::{Config, Ending};
use crate::goal::{Caps, Goal};
use crate::job::Mode;
use crate::model::Estimate;
use crate::plan::{Candidate, NEGLIGIBLE, Plan};

/// What a plan on one of several clusters came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// The name of the cluster.
    pub cluster: String,
    /// The run that planned on it.
    pub run: String,
    /// What training would begin with; nothing where probing was cut short.
    pub choice: Option<Config>,
    /// Seconds to go from there.
    pub predicted_seconds: Option<Estimate>,
    /// What they cost, where there is a price.
    pub predicted_dollars: Option<Estimate>,
    /// Relative error when time or money runs out, where they are limited.
    pub predicted_error: Option<Estimate>,
    /// What planning used up.
    #[serde(flatten)]
    pub spent: Spent,
    /// It would cost more than the caps leave.
    pub too_dear: bool,
    /// The one to train on.
    pub chosen: bool,
}

impl Compared {
    /// From the jobs that planned, each foreseen with what all of them leave of the caps.
    pub fn all(plans: &[History], caps: Caps) -> Vec<Self> {
        let proposed: Vec<Self> = plans.iter().map(|plan| Self::of(plan, proposal(plan))).collect();
        let foreseen = plans.iter().zip(&proposed).map(|(plan, first)| {
            let mut ahead = plan.clone();
            ahead.carry_out(&proposed, caps);
            match decide(&ahead) {
                Decision::Run { purpose: Purpose::Train, frame, plan: Some(promises), .. } => {
                    Self::of(plan, promises.candidate(&frame.config))
                }
                Decision::Stop { ending: Ending::GoalMet, .. } => Self::met(plan),
                // Cut short, or one more look would come first: what was proposed is as good as any.
                _ => first.clone(),
            }
        });
        foreseen.collect()
    }

    fn of(plan: &History, choice: Option<&Candidate>) -> Self {
        Self {
            cluster: plan.facts.cluster.clone(),
            run: plan.id.clone(),
            choice: choice.map(|candidate| candidate.config.clone()),
            predicted_seconds: choice.and_then(|candidate| candidate.seconds_to_go()),
            predicted_dollars: choice.and_then(|candidate| candidate.dollars),
            predicted_error: choice.and_then(|candidate| candidate.error_at_end),
            spent: plan.spent,
            too_dear: false,
            chosen: false,
        }
    }

    /// A probe met the goal: nothing is left to do.
    fn met(plan: &History) -> Self {
        let predicted_error = plan.standing.estimated_error().map(certain);
        Self { predicted_seconds: Some(certain(0.0)), predicted_error, ..Self::of(plan, None) }
    }

    /// What is to be small, the first first.
    fn costs(&self, goal: &Goal) -> [f64; 3] {
        let mid = |estimate: Option<Estimate>| estimate.map_or(f64::INFINITY, |estimate| estimate.mid);
        let (seconds, error) = (mid(self.predicted_seconds), mid(self.predicted_error).max(NEGLIGIBLE));
        let (first, second) = if goal.is_budget() { (error, seconds) } else { (seconds, error) };
        // One that cannot be paid for to the end has at least begun.
        let hopeless = match (first.is_finite(), self.too_dear) {
            (true, false) => 0.0,
            (true, true) => 1.0,
            (false, _) => 2.0,
        };
        [hopeless, first, second]
    }
}

fn proposal(plan: &History) -> Option<&Candidate> {
    plan.proposal().and_then(Plan::choice)
}

/// What happened already.
fn certain(value: f64) -> Estimate {
    Estimate { low: value, mid: value, high: value, extrapolated: false }
}

/// Marks the cluster that serves the goal best, and those that cost more to reach it than the caps leave; gives its place,
/// if there is any.
pub fn choose_cluster(compared: &mut [Compared], goal: &Goal, caps: Caps) -> Option<usize> {
    let left = caps.dollars.map(|cap| cap - total(compared).dollars.unwrap_or(0.0));
    for one in compared.iter_mut() {
        let dollars = one.predicted_dollars.filter(|_| !goal.is_budget());
        one.too_dear = dollars.zip(left).is_some_and(|(dollars, left)| dollars.mid > left);
    }
    let before = |a: &[f64; 3], b: &[f64; 3]| {
        a.iter().zip(b).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    let costs = compared.iter().map(|one| one.costs(goal));
    let (best, _) = costs.enumerate().min_by(|(_, a), (_, b)| before(a, b))?;
    compared[best].chosen = true;
    Some(best)
}

impl History {
    /// What was only a plan is trained by; what plans on the other clusters took has been spent as well.
    pub(super) fn carry_out(&mut self, clusters: &[Compared], caps: Caps) {
        if let Mode::Choose { plan_only, .. } = &mut self.spec.mode {
            *plan_only = false;
        }
        self.spec.caps = caps;
        self.spent = total(clusters);
        self.compared = clusters.to_vec();
    }
}

fn total(compared: &[Compared]) -> Spent {
    compared.iter().map(|one| one.spent).sum()
}

impl Sum for Spent {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |total, more| Self {
            wall_seconds: total.wall_seconds + more.wall_seconds,
            probe_seconds: total.probe_seconds + more.probe_seconds,
            dollars: more.dollars.map_or(total.dollars, |more| Some(total.dollars.unwrap_or(0.0) + more)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REACH: Goal = Goal::Reach { error: 1e-3, certified: false };

    fn cluster(name: &str, seconds: f64, dollars: f64, error: f64) -> Compared {
        Compared {
            cluster: name.into(),
            run: "run-1".into(),
            choice: Some(Config::new("gd", 2)),
            predicted_seconds: Some(certain(seconds)),
            predicted_dollars: Some(certain(dollars)),
            predicted_error: Some(certain(error)),
            spent: Spent { wall_seconds: 1.0, probe_seconds: 0.5, dollars: Some(0.25) },
            too_dear: false,
            chosen: false,
        }
    }

    fn chosen(mut compared: Vec<Compared>, goal: &Goal, caps: Caps) -> String {
        choose_cluster(&mut compared, goal, caps).expect("a cluster");
        let chosen: Vec<_> = compared.into_iter().filter(|one| one.chosen).collect();
        assert_eq!(chosen.len(), 1);
        chosen[0].cluster.clone()
    }

    #[test]
    fn an_error_is_reached_where_it_is_soonest_and_a_budget_spent_where_it_goes_furthest() {
        let field = || vec![cluster("cheap", 9.0, 1.0, 1e-4), cluster("fast", 3.0, 8.0, 1e-2)];
        let no_caps = Caps::default();
        assert_eq!(chosen(field(), &REACH, no_caps), "fast");
        assert_eq!(chosen(field(), &Goal::Within { seconds: 5.0 }, no_caps), "cheap");
        assert_eq!(chosen(field(), &Goal::Spend { dollars: 5.0 }, no_caps), "cheap");
    }

    #[test]
    fn money_counts_only_where_a_cap_on_it_would_break_with_what_was_spent_on_plans() {
        let field = || vec![cluster("cheap", 9.0, 1.0, 1e-4), cluster("fast", 3.0, 8.0, 1e-2)];
        let caps = |dollars| Caps { seconds: None, dollars: Some(dollars) };
        assert_eq!(chosen(field(), &REACH, caps(8.6)), "fast");
        assert_eq!(chosen(field(), &REACH, caps(8.4)), "cheap");
        assert_eq!(chosen(field(), &REACH, caps(0.1)), "fast", "none can be paid for");
    }

    #[test]
    fn a_plan_that_came_to_nothing_is_chosen_only_where_there_is_no_other() {
        let nothing = Compared { predicted_seconds: None, predicted_error: None, ..cluster("none", 0.0, 0.0, 0.0) };
        let field = vec![nothing.clone(), cluster("some", 9.0, 1.0, 1e-4)];
        assert_eq!(chosen(field, &REACH, Caps::default()), "some");
        let caps = Caps { seconds: None, dollars: Some(0.5) };
        let field = vec![nothing.clone(), cluster("dear", 9.0, 1.0, 1e-4)];
        assert_eq!(chosen(field, &REACH, caps), "dear", "what has begun is not thrown away");
        assert_eq!(chosen(vec![nothing], &REACH, Caps::default()), "none");
        assert_eq!(choose_cluster(&mut [], &REACH, Caps::default()), None);
    }

    #[test]
    fn errors_too_small_to_matter_leave_it_to_the_seconds() {
        let field = vec![cluster("slow", 9.0, 1.0, 1e-12), cluster("fast", 3.0, 8.0, 1e-9)];
        assert_eq!(chosen(field, &Goal::Within { seconds: 99.0 }, Caps::default()), "fast");
    }
}
