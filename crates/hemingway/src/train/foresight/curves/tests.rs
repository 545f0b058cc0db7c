//! Runs whose P* is known.

use super::*;
use crate::job::Lore;
use crate::model::Precedents;
use crate::record::Record;
use proptest::prelude::*;

const OPTIMUM: f64 = 0.5;

/// A run from one round to another whose error is e^(−rate·i).
fn run(rate: f64, rounds: std::ops::RangeInclusive<u64>, bound: Option<f64>) -> Trace {
    let record = |round: u64| Record {
        run: "a".into(),
        algorithm: "gd".into(),
        machines: 4,
        round,
        objective: OPTIMUM * (1.0 + (-rate * round as f64).exp()),
        lower_bound: bound,
        ..Record::default()
    };
    traces(&rounds.map(record).collect::<Vec<_>>()).remove(0)
}

fn before() -> Expectation {
    Precedents::none().expect(&Lore::default().traits, &["gd".into()])
}

fn after(run: &Trace) -> Vec<World> {
    worlds(&before(), &[], &[Stretch::of(run, &["gd".into()]).unwrap()], None)
}

fn mean_optimum(worlds: &[World]) -> f64 {
    worlds.iter().map(|world| world.weight * world.ends.unwrap().1).sum()
}

#[test]
fn before_any_run_nothing_is_known_of_the_optimum() {
    let worlds = worlds(&before(), &[], &[], None);
    let [world] = &worlds[..] else { panic!("{worlds:?}") };
    assert_eq!((world.weight, world.ends, world.depth(1.0)), (1.0, None, None));
    assert_eq!(world.expectation, before());
}

#[test]
fn a_remembered_run_that_goes_back_in_rounds_is_taken_as_it_is() {
    let mut backwards = run(-0.2, 3..=9, None);
    backwards.points.reverse();
    (backwards.fresh, backwards.points[1].objective) = (false, Some(OPTIMUM));
    assert_eq!(Stretch::of(&backwards, &["gd".into()]).unwrap().steps.last(), Some(&(0, OPTIMUM)));
    let mut back_once = run(0.2, 0..=4, None);
    back_once.points[4].round = 2;
    let stretch = Stretch::of(&back_once, &["gd".into()]).unwrap();
    assert!(stretch.steps.is_sorted_by_key(|step| step.0) && stretch.last_gain() > 0.0, "{:?}", stretch.steps);
}

#[test]
fn more_rounds_bring_the_optimum_nearer() {
    let off = [16, 32, 64].map(|rounds| {
        let run = run(0.2, 0..=rounds, None);
        let worlds =
            worlds(&before(), &[], &[Stretch::of(&run, &["gd".into()]).unwrap()], Bracket::of([&run]).as_ref());
        (mean_optimum(&worlds) - OPTIMUM).abs()
    });
    assert!(off[1] < 0.5 * off[0] && off[2] < 0.1 * off[1], "{off:?}");
}

#[test]
fn what_runs_foresee_themselves_is_believed_too() {
    let run = run(0.2, 0..=20, None);
    let stretch = [Stretch::of(&run, &["gd".into()]).unwrap()];
    let bracket = Bracket { mid: OPTIMUM, ..Bracket::of([&run]).unwrap() };
    let off = |bracket| (mean_optimum(&worlds(&before(), &[], &stretch, bracket)) - OPTIMUM).abs();
    assert!(off(Some(&bracket)) < off(None));
}

#[test]
fn so_much_is_still_to_be_gained_as_usual_after_what_was_gained_of_late() {
    let stretch = Stretch::of(&run(0.2, 0..=40, None), &[]).unwrap();
    // From round 32 to 40.
    let late = OPTIMUM * ((-6.4f64).exp() - (-8f64).exp());
    assert!((stretch.late_gain() - late).abs() < 1e-9);
    let usual = late * USUAL.2.exp();
    let likely = [0.01, 1.0, 100.0].map(|by| stretch.likely(by * usual));
    assert!(likely[0] < likely[1] && likely[1] > likely[2], "{likely:?}");
    // What stands still says nothing.
    let still = Stretch::of(&run(0.0, 0..=40, None), &[]).unwrap();
    assert_eq!(still.likely(1e-3), still.likely(1e3));
}

#[test]
fn depth_is_the_part_of_the_way_that_is_behind() {
    let world = World::at((4.0 * OPTIMUM, OPTIMUM), before());
    assert!((world.depth(1.01 * OPTIMUM).unwrap() - 300f64.ln()).abs() < 1e-9);
    assert!((world.start().0 - 3f64.ln()).abs() < 1e-9);
    assert_eq!(world.depth(OPTIMUM), None);
    // Worse than at the start is no way at all.
    assert_eq!(world.depth(5.0 * OPTIMUM), Some(0.0));
}

#[test]
fn a_warm_start_has_rounds_behind_it() {
    let ln_rounds = |warm: bool| {
        let stretch = Stretch::of(&Trace { fresh: !warm, ..run(0.2, 10..=20, None) }, &[]).unwrap();
        let mut world = World::at((2.0 * OPTIMUM, OPTIMUM), before());
        stretch.tell(&mut world);
        let level = Level { algorithm: "gd", machines: 4, depth: 4.0 };
        world.expectation.ln_rounds(level).unwrap()
    };
    // Ten rounds of its own, from X = 2 to 4: as many again, and more, lie before.
    assert_eq!(
        Stretch::of(&Trace { fresh: false, ..run(0.2, 10..=20, None) }, &[]).unwrap().steps.last().unwrap().0,
        10
    );
    assert!(ln_rounds(true) > 10f64.ln() + 0.3, "{}", ln_rounds(true));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn worlds_share_out_what_is_likely_above_what_is_proved(
        rate in 0.01..1.0f64,
        rounds in 1..200u64,
        proved in 0.0..1.0f64,
    ) {
        let run = run(rate, 0..=rounds, Some(proved * OPTIMUM));
        let best = run.best().unwrap();
        let worlds = after(&run);
        let total: f64 = worlds.iter().map(|world| world.weight).sum();
        prop_assert!((total - 1.0).abs() < 1e-12, "{}", total);
        for world in &worlds {
            let optimum = world.ends.unwrap().1;
            prop_assert!(proved * OPTIMUM <= optimum && optimum < best, "{} {} {}", proved * OPTIMUM, optimum, best);
            prop_assert!(world.weight > 0.0);
        }
    }
}

#[test]
fn one_machine_tells_of_all_that_are_the_same_there() {
    let candidates = ["cocoa", "cocoa+", "lbfgs"].map(String::from);
    assert_eq!(same("cocoa", 1, &candidates), ["cocoa", "cocoa+"]);
    assert_eq!(same("cocoa+", 1, &candidates), ["cocoa+", "cocoa"]);
    assert_eq!(same("cocoa", 2, &candidates), ["cocoa"]);
    assert_eq!(same("lbfgs", 1, &candidates), ["lbfgs"]);
}
