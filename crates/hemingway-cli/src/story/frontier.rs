//! Time against money: those that may be chosen, and than which none that may is both sooner and cheaper.

use hemingway::plan::{Candidate, Plan};

/// Seconds and dollars to the goal, the soonest first and ever cheaper.
pub(crate) struct Frontier<'a> {
    /// Those on it.
    pub(crate) candidates: Vec<&'a Candidate>,
}

impl<'a> Frontier<'a> {
    /// Of a plan with prices.
    pub(crate) fn of(plan: &'a Plan) -> Option<Self> {
        let mut priced: Vec<(&Candidate, f64, f64)> =
            plan.candidates.iter().filter(|c| plan.may_choose(c)).filter_map(priced).collect();
        priced.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.2.total_cmp(&b.2)));
        let mut cheapest = f64::INFINITY;
        priced.retain(|(_, _, dollars)| {
            *dollars < cheapest && {
                cheapest = *dollars;
                true
            }
        });
        let candidates: Vec<&Candidate> = priced.into_iter().map(|(candidate, ..)| candidate).collect();
        (!candidates.is_empty()).then_some(Self { candidates })
    }
}

/// A candidate that gets there, its seconds and its dollars.
pub(super) fn priced(candidate: &Candidate) -> Option<(&Candidate, f64, f64)> {
    let (seconds, dollars) = (candidate.seconds_to_go()?.mid, candidate.dollars?.mid);
    Some((candidate, seconds, dollars))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hemingway::backend::Config;
    use hemingway::model::{Estimate, Reach};

    #[test]
    fn nothing_on_the_frontier_is_beaten_in_both() {
        let sure = |mid: f64| Estimate { low: mid, mid, high: mid, extrapolated: false };
        let candidate = |machines: usize, seconds: f64, dollars: f64| Candidate {
            config: Config::new("gd", machines),
            seconds_per_round: Some(sure(1.0)),
            saved_per_round: None,
            rounds: Some(Reach::At(sure(seconds))),
            seconds: Some(Reach::At(sure(seconds))),
            dollars: Some(sure(dollars)),
            error_at_end: None,
            fits: machines > 1,
        };
        let rows = [(1, 0.5, 0.5), (8, 2.0, 9.0), (16, 1.0, 12.0), (4, 2.0, 8.0), (32, 3.0, 8.5), (2, 5.0, 3.0)];
        let candidates = rows.map(|(m, seconds, dollars)| candidate(m, seconds, dollars)).to_vec();
        let plan = Plan { goal: String::new(), candidates, chosen: None, unsettled: None };
        let found = Frontier::of(&plan).unwrap().candidates;
        assert_eq!(found.iter().map(|c| c.config.machines).collect::<Vec<_>>(), [16, 4, 2]);
        assert!(Frontier::of(&Plan { candidates: Vec::new(), ..plan }).is_none());
    }
}
