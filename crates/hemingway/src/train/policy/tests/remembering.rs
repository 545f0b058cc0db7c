//! Decisions of jobs that do not begin from nothing.

use super::*;
use crate::model::Timing;
use crate::record::{Point, Trace};

/// Rounds of cocoa as [`plain`] has them, timed on any number of machines.
fn timings(of: Option<Traits>) -> Vec<Timing> {
    let timing = |machines: usize| {
        let seconds = plain(&Config::new("cocoa", machines)).0;
        let (algorithm, rounds) = ("cocoa".into(), 50.0);
        Timing { algorithm, machines, rounds, compute: seconds - 0.1, wait: 0.0, sync: 0.05, other: 0.05, of }
    };
    [1, 2, 4, 8].map(timing).into()
}

/// A run of cocoa to the goal, elsewhere.
fn trace() -> Trace {
    let shrink = plain(&Config::new("cocoa", 4)).1;
    let point = |round: u64| {
        let objective = Some(OPTIMUM * (1.0 + shrink.powi(round as i32)));
        Point { round, seconds: None, objective, lower_bound: Some(0.99 * OPTIMUM) }
    };
    Trace {
        context: "cocoa".into(),
        problem: "p".into(),
        run: "earlier.1".into(),
        cluster: "elsewhere".into(),
        machines: 4,
        rows: Some(64),
        fraction: 1.0,
        fresh: true,
        phases: None,
        points: (0..=60).map(point).collect(),
    }
}

fn remember_rounds(history: &mut History) {
    history.facts.lore.traces = vec![trace()];
    history.facts.lore.errors = [("cocoa".into(), 1e-4)].into();
}

fn probes(history: &History) -> Vec<(Config, u64)> {
    let probes = history.past.iter().filter(|past| past.purpose == Purpose::Probe);
    probes.map(|past| (past.frame.config.clone(), past.frame.until_round - past.frame.from_round)).collect()
}

/// The run was here.
fn remember_all(history: &mut History) {
    remember_rounds(history);
    history.facts.lore.timings = timings(None);
    history.facts.lore.errors_here = history.facts.lore.errors.clone();
}

#[test]
fn what_is_known_all_through_is_trained_at_once() {
    let mut history = job(reach(), choose());
    remember_all(&mut history);
    let Decision::Run { start: Start::Fresh, purpose: Purpose::Train, frame, plan, .. } = decide(&history) else {
        panic!("{:?}", decide(&history))
    };
    assert_eq!(frame.config.algorithm, "cocoa");
    assert_eq!(plan.unwrap().choice().unwrap().config, frame.config);
    follow(&mut history, &plain, 6);
    assert_eq!(probes(&history), []);
    // A plan of it needs no rounds either.
    let mut plan = job(reach(), Mode::Choose { adapt: true, plan_only: true });
    remember_all(&mut plan);
    assert!(matches!(decide(&plan), Decision::Stop { plan: Some(_), .. }));
}

#[test]
fn where_only_seconds_are_known_the_first_rounds_are_training_unless_they_could_not_change_the_choice() {
    let purpose = |mode: Mode| {
        let mut history = job(reach(), mode);
        history.facts.lore.timings = timings(Some(lore().traits));
        let Decision::Run { purpose, .. } = decide(&history) else { panic!() };
        purpose
    };
    assert_eq!(purpose(choose()), Purpose::Train);
    assert_eq!(purpose(Mode::Choose { adapt: false, plan_only: false }), Purpose::Probe);
    assert_eq!(purpose(Mode::Choose { adapt: true, plan_only: true }), Purpose::Probe);
}

#[test]
fn where_only_rounds_are_known_training_begins_with_the_proven_and_no_other_algorithm_is_raced() {
    let mut history = job(reach(), choose());
    remember_rounds(&mut history);
    let Decision::Run { purpose: Purpose::Train, frame, .. } = decide(&history) else {
        panic!("{:?}", decide(&history))
    };
    assert_eq!(frame.config.algorithm, "cocoa");
    follow(&mut history, &plain, 8);
    let probes = probes(&history);
    assert!(probes.iter().all(|(config, rounds)| config.algorithm == "cocoa" && *rounds == 1), "{probes:?}");
}

#[test]
fn where_only_rounds_are_known_a_round_times_machines_if_training_could_not_change_the_choice() {
    for mode in [Mode::Choose { adapt: false, plan_only: false }, Mode::Choose { adapt: true, plan_only: true }] {
        let mut history = job(reach(), mode);
        remember_rounds(&mut history);
        let Decision::Run { purpose: Purpose::Probe, frame, .. } = decide(&history) else { panic!() };
        assert_eq!((frame.config.algorithm.as_str(), frame.until_round), ("cocoa", 1));
    }
}

#[test]
fn what_came_short_of_the_goal_settles_nothing() {
    let mut history = job(reach(), choose());
    remember_rounds(&mut history);
    history.facts.lore.errors = [("cocoa".into(), 1e-2)].into();
    let Decision::Run { purpose: Purpose::Probe, frame, .. } = decide(&history) else { panic!() };
    assert_eq!(frame.until_round, FIRST_LOOK);
}

#[test]
fn a_remembered_algorithm_that_fails_now_is_left() {
    let mut history = job(reach(), choose());
    remember_all(&mut history);
    let decision = decide(&history);
    carry_out(&mut history, decision, &plain, Ending::Diverged);
    assert!(matches!(decide(&history), Decision::Run { frame, .. } if frame.config.algorithm == "lbfgs"));
}

#[test]
fn an_algorithm_that_may_not_be_chosen_and_an_estimate_where_a_proof_is_asked_for_settle_nothing() {
    let first_look = |history: &History| match decide(history) {
        Decision::Run { purpose: Purpose::Probe, frame, .. } => frame.until_round,
        decision => panic!("{decision:?}"),
    };
    let mut other = job(reach(), choose());
    remember_rounds(&mut other);
    other.facts.algorithms = vec!["lbfgs".into(), "gd".into()];
    let mut certified = job(Goal::Reach { error: 1e-3, certified: true }, choose());
    remember_rounds(&mut certified);
    assert_eq!([first_look(&other), first_look(&certified)], [FIRST_LOOK; 2]);
}
