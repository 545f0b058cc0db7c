//! Switches whose effect is known.

use super::*;
use crate::model::FitOptions;
use crate::model::synthetic::trace;
use proptest::prelude::*;

/// ln error falls by this in a round of the second algorithm.
const RATE: f64 = 0.1;
const BEFORE: u64 = 30;

/// A run of `a` that has e⁻³ at round 30 and goes on as `b`, jumping to e^(−3(1 − s)) and then p times slower than `b` alone.
fn switched(name: usize, lost: f64, pace: f64) -> [Trace; 2] {
    let head = Trace { run: format!("run-{name}"), ..trace("a", 4, BEFORE, |i| 1.0 + (-0.1 * i).exp()) };
    let after = |i: f64| 1.0 + (-3.0 * (1.0 - lost) - RATE * (i / pace - 1.0)).exp();
    let mut tail = Trace { fresh: false, run: head.run.clone(), ..trace("b", 4, 200, after) };
    tail.points.iter_mut().for_each(|point| point.round += BEFORE);
    [head, tail]
}

fn alone() -> Trace {
    trace("b", 4, 400, |i| 1.0 + (-RATE * i).exp())
}

fn model(switches: impl IntoIterator<Item = [Trace; 2]>) -> RunModel {
    let traces: Vec<Trace> = std::iter::once(alone()).chain(switches.into_iter().flatten()).collect();
    RunModel::fit(&traces, &FitOptions::default()).unwrap()
}

fn at(error: f64) -> Switch<'static> {
    Switch { from: "a", to: "b", machines: 4, error }
}

fn rounds(model: &RunModel, error: f64) -> Estimate {
    model.rounds_after_switch(error, 4, &at((-3.0f64).exp())).unwrap().unwrap().estimate().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Enough of one kind of switch, and its effect is known whatever was believed.
    #[test]
    fn a_known_jump_and_pace_are_learned(lost in 0.0..1.0f64, pace in 0.5..3.0f64) {
        let model = model((0..60).map(|name| switched(name, lost, pace)));
        prop_assert_eq!(model.switch.count(), 60);
        let effect = model.switch.effect(&at(0.05), 4);
        prop_assert!((effect.lost.mean - lost).abs() < 0.1, "{effect:?}");
        prop_assert!((effect.pace.mean - pace.ln()).abs() < 0.15, "{effect:?}");
        // From e^(−3(1 − s)) to e⁻⁶.
        let real = pace * (1.0 + (6.0 - 3.0 * (1.0 - lost)) / RATE);
        let told = rounds(&model, (-6.0f64).exp());
        prop_assert!((told.mid / real).ln().abs() < 0.2, "{told:?} {real}");
        prop_assert!(told.low <= real && real <= told.high, "{told:?} {real}");
    }

    /// Deeper is later, and intervals hold their middle.
    #[test]
    fn answers_are_monotone(lost in 0.0..1.0f64, deep in 3.5..8.0f64) {
        let model = model([switched(0, lost, 1.0)]);
        let (near, far) = (rounds(&model, (-deep).exp()), rounds(&model, (-deep - 1.0).exp()));
        prop_assert!(near.mid <= far.mid);
        prop_assert!(near.low <= near.mid && near.mid <= near.high && near.low >= 1.0);
    }
}

#[test]
fn without_switches_the_caller_is_believed() {
    let model = model([]);
    assert_eq!(model.switch.effect(&at(0.05), 4), Effect::ADOPT);
    let resize = Switch { from: "b", ..at(0.05) };
    assert_eq!(model.switch.effect(&resize, 16), Effect::RESIZE);
    let told = Priors { into: [("b".to_string(), Effect::REBUILD)].into(), ..Priors::default() };
    let told = SwitchModel::default().with_priors(told);
    assert_eq!(told.effect(&at(0.05), 4), Effect::REBUILD);
    let reach = |switch: &SwitchModel| switch.rounds_to(&model, 1e-3, 4, &at(0.05)).unwrap().unwrap().estimate();
    let kept = Priors { into: [("b".to_string(), Effect::KEEP)].into(), ..Priors::default() };
    assert!(reach(&told).unwrap().mid > reach(&SwitchModel::default().with_priors(kept)).unwrap().mid);
}

#[test]
fn more_machines_and_fewer_are_two_kinds() {
    let resized = |name: usize, from: usize, to: usize, lost: f64| {
        let [head, tail] = switched(name, lost, 1.0);
        [Trace { context: "b".into(), machines: from, ..head }, Trace { machines: to, ..tail }]
    };
    let up = (0..20).map(|name| resized(name, 4, 16, 0.5));
    let model = model(up.chain((20..40).map(|name| resized(name, 16, 4, 0.0))));
    let lost = |from: usize, to: usize| {
        model.switch.effect(&Switch { from: "b", to: "b", machines: from, error: 0.05 }, to).lost.mean
    };
    assert!(lost(4, 16) > lost(16, 4) + 0.3);
}

#[test]
fn a_stretch_that_gets_nowhere_slows_the_pace() {
    let stuck = |name: usize| {
        let [head, mut tail] = switched(name, 0.0, 1.0);
        tail.points.iter_mut().for_each(|point| point.objective = Some(1.0 + (-2.9f64).exp()));
        [head, tail]
    };
    let model = model((0..10).map(stuck));
    assert!(model.switch.effect(&at(0.05), 4).pace.mean > 1.0);
}

#[test]
fn what_is_no_switch_teaches_nothing() {
    let [head, tail] = switched(0, 0.5, 1.0);
    let fresh = Trace { fresh: true, ..tail.clone() };
    let elsewhere = Trace { run: "other".into(), ..tail.clone() };
    let again = Trace { context: "a".into(), ..tail.clone() };
    let empty = Trace { points: Vec::new(), ..tail };
    for after in [fresh, elsewhere, again, empty] {
        assert_eq!(model([[head.clone(), after]]).switch.count(), 0);
    }
    let model = model([]);
    let nowhere = Switch { to: "c", ..at(0.05) };
    assert!(model.rounds_after_switch(1e-3, 4, &nowhere).unwrap_err().to_string().contains("`c`"));
}
