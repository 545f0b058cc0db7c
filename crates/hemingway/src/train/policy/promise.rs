//! What is promised of a configuration, as numbers and in words.

use super::super::History;
use super::super::foresight::{Foresight, Prospect};
use crate::goal::Goal;
use crate::model::{Estimate, Reach};
use crate::plan::{CLAIM_LAG, Candidate, Plan};
use crate::units::Unit;

/// Curves bend where nobody foresees it: runs have taken so many times the rounds that were foreseen, in the median
/// (`regret judge`).
const SLOWER: Estimate = Estimate { low: 1.1, mid: 1.1, high: 1.1, extrapolated: false };

/// Deviations are thought larger than they turn out: with this share of them 90 % intervals hold in 85 to 89 % of jobs
/// (`regret judge`).
const TURNS_OUT: f64 = 0.75;

/// The candidates as a table shows them, the best first, and the one that is chosen.
pub(super) fn plan_of(history: &History, foresight: &Foresight<'_>, chosen: &Prospect) -> Plan {
    let mut prospects: Vec<&Prospect> = foresight.prospects.iter().collect();
    prospects.sort_by(|a, b| {
        let left = |prospect: &Prospect| foresight.was_left(prospect);
        left(a).cmp(&left(b)).then(a.cost().total_cmp(&b.cost()))
    });
    let candidates = prospects.into_iter().map(|prospect| candidate(history, foresight, prospect)).collect();
    let chosen = Some(chosen.config.clone());
    Plan { goal: history.spec.goal.sentence(), candidates, chosen, unsettled: None }
}

fn candidate(history: &History, foresight: &Foresight<'_>, prospect: &Prospect) -> Candidate {
    let facts = &history.facts;
    let machines = prospect.config.machines;
    let untimed = !foresight.covers(machines);
    // Remembered rounds alone are no ground for seconds.
    let timed = foresight.is_timed();
    let rounds = claimed(history, spread(prospect.rounds, !foresight.has_seen(prospect)));
    let pace = spread(prospect.pace, untimed);
    let seconds = plus(rounds.times(pace), prospect.moving);
    let price = facts.price_per_hour.map(|price| price * machines as f64 / 3600.0);
    let scaled =
        |by: f64| Estimate { low: by * seconds.low, mid: by * seconds.mid, high: by * seconds.high, ..seconds };
    Candidate {
        config: prospect.config.clone(),
        seconds_per_round: timed.then_some(pace),
        saved_per_round: history
            .exchanged(&prospect.config)
            .map(|rounds| rounds.to_save(history.telling_seconds(machines))),
        rounds: Some(Reach::At(rounds)),
        seconds: timed.then_some(Reach::At(seconds)),
        dollars: price.filter(|_| timed).map(scaled),
        error_at_end: foresight.error_at_end(prospect).filter(|_| timed),
        fits: machines >= facts.fits_from,
    }
}

fn spread((ln, variance): (f64, f64), extrapolated: bool) -> Estimate {
    Estimate::log_normal(ln.exp(), TURNS_OUT * variance.sqrt(), extrapolated)
}

fn plus(estimate: Estimate, more: f64) -> Estimate {
    Estimate { low: estimate.low + more, mid: estimate.mid + more, high: estimate.high + more, ..estimate }
}

/// Rounds until a goal that is an error can be claimed: an estimate comes later than what it is of.
fn claimed(history: &History, rounds: Estimate) -> Estimate {
    match history.spec.goal {
        Goal::Reach { .. } => rounds.times(CLAIM_LAG).times(SLOWER),
        _ => rounds,
    }
}

/// Seconds of rounds still to go.
fn to_go(history: &History, prospect: &Prospect) -> Estimate {
    claimed(history, spread(prospect.rounds, false)).times(spread(prospect.pace, false))
}

/// Seconds the run will have trained for when it reaches the goal. A budget is used up whatever is predicted, what is foreseen of a
/// measure on the test set is an error that may stand for it or not, and without any round timed there is no ground for seconds.
pub(super) fn predicted(history: &History, foresight: &Foresight<'_>, prospect: &Prospect) -> Option<Estimate> {
    let foreseen = matches!(history.spec.goal, Goal::Reach { .. } | Goal::ReachMetric { level: Some(_), .. });
    (foreseen && foresight.is_timed()).then(|| plus(to_go(history, prospect), prospect.trained(history)))
}

/// Why the first choice is the first.
pub(super) fn first_choice(history: &History, foresight: &Foresight<'_>, best: &Prospect) -> String {
    // What promises more has not been tried, or not on so many machines.
    let others = || foresight.prospects.iter().filter(|prospect| prospect.config != best.config);
    let (worse, better): (Vec<_>, Vec<_>) = others().partition(|prospect| prospect.cost() >= best.cost());
    let rival = worse.into_iter().min_by(|a, b| a.cost().total_cmp(&b.cost()));
    let against = rival.map_or(String::new(), |rival| {
        let surely = if rival.price * rival.seconds() < best.price * best.seconds() { ", but less surely" } else { "" };
        format!("; next {}: {}{surely}", rival.config, promise(history, foresight, rival))
    });
    let of_those = if better.is_empty() { "" } else { " of what was tried" };
    let gains_nothing = |name: &str| history.is_dead(name) || history.is_stuck(name);
    let left = history.past.last().filter(|past| gains_nothing(&past.frame.config.algorithm));
    let left = left.filter(|past| past.frame.config != best.config);
    let left = left.map_or(String::new(), |past| format!("{} gains nothing more; ", past.frame.config));
    format!("{left}best promise{of_those}: {}{against}", promise(history, foresight, best))
}

/// What a configuration promises, in words: what the plan's table says of it.
pub(super) fn promise(history: &History, foresight: &Foresight<'_>, prospect: &Prospect) -> String {
    if !foresight.is_timed() {
        return "a time that its first rounds will tell".into();
    }
    if history.spec.goal.is_budget() {
        let error = foresight.error_at_end(prospect);
        return error.map_or("an error that its first rounds will tell".into(), |error| {
            format!("an error of {:.1e} at the end ({:.1e} to {:.1e})", error.mid, error.low, error.high)
        });
    }
    let seconds = plus(to_go(history, prospect), prospect.moving);
    let unit = Unit::of(seconds.mid);
    let [low, mid, high] = [seconds.low, seconds.mid, seconds.high].map(|seconds| unit.number(seconds));
    let to = match history.spec.goal {
        Goal::ReachMetric { level: None, .. } => format!("to error {:e}", history.spec.goal.planning_error()),
        _ => "to go".into(),
    };
    format!("{mid} {} {to} ({low} to {high})", unit.name)
}
