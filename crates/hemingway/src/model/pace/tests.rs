//! Clusters whose seconds are known.

use super::*;
use crate::problem::Loss;

const TRAITS: Traits = Traits {
    rows: 10_000,
    columns: 100,
    entries: 100_000_000,
    margins: 1,
    loss: Loss::Logistic,
    l2: 1e-4,
    mean_norm_sq: 1.0,
    l1_share: 0.0,
};
const MACHINES: [usize; 5] = [1, 4, 16, 32, 64];

/// How sums go with m.
type Shape = fn(f64) -> f64;
const TREE: Shape = |m| m.log2();
const STAR: Shape = |m| m;
const FLAT: Shape = |_| 1.0;

fn timing(machines: usize, [compute, wait, sync, other]: [f64; 4]) -> Timing {
    Timing { algorithm: "a".into(), machines, rounds: 4.0, compute, wait, sync, other, of: None }
}

/// Machines without stragglers that take 10 ns an entry, and a round that costs something for each of them.
fn on(shape: Shape, machines: usize) -> Timing {
    let m = machines as f64;
    timing(machines, [1.0 / m, 0.0, 0.1 * shape(m) / shape(4.0), 0.025 + 0.006 * m])
}

fn pace(timings: &[Timing]) -> Pace {
    Pace::of(timings, &TRAITS, &["a".into(), "b".into()], &MACHINES, |_| Toil::PLAIN)
}

/// Mean and standard deviation of ln seconds.
fn ln_seconds(pace: &Pace, algorithm: &str, machines: usize) -> (f64, f64) {
    let seconds = pace.seconds(algorithm, machines).unwrap();
    (seconds.ln, pace.parts().variance_of(&seconds.along).sqrt())
}

fn real(timing: &Timing) -> f64 {
    (timing.compute + timing.wait + timing.sync + timing.other).ln()
}

#[test]
fn computing_is_shared_by_the_machines() {
    let mut only_computing = timing(4, [1.0, 0.0, 1e-9, 1e-9]);
    // So many that nothing is left of what was thought of stragglers.
    only_computing.rounds = 1e6;
    let pace = pace(&[only_computing]);
    for machines in [1, 16, 64] {
        let seconds = ln_seconds(&pace, "a", machines).0.exp();
        assert!((seconds * machines as f64 / 4.0 - 1.0).abs() < 1e-3, "m={machines}: {seconds}");
    }
}

/// A hundred entries a row, and an algorithm for which rows cost three times as much again.
#[test]
fn what_rows_cost_besides_is_not_taken_for_what_entries_cost() {
    let traits = Traits { rows: 1_000_000, ..TRAITS };
    let dear = |name: &str| Toil { row: if name == "a" { 300.0 } else { 0.0 }, ..Toil::PLAIN };
    let pace = Pace::of(&[timing(1, [4.0, 0.0, 0.0, 0.0])], &traits, &["a".into(), "b".into()], &MACHINES, dear);
    let pass = |name: &str| pace.pass_seconds(name).unwrap();
    assert!((pass("a") / 4.0).ln().abs() < 0.01 && (pass("b") / 1.0).ln().abs() < 0.1, "{} {}", pass("a"), pass("b"));
    // Four times the rows of as many entries in all.
    let of = Some(Traits { rows: 250_000, ..traits });
    let timings = [Timing { of, ..timing(1, [1.75, 0.0, 0.0, 0.0]) }];
    let pace = Pace::of(&timings, &traits, &["a".into(), "b".into()], &MACHINES, dear);
    assert!((pace.pass_seconds("a").unwrap() / 4.0).ln().abs() < 0.02);
}

#[test]
fn rounds_on_one_m_foretell_those_on_others_whatever_the_cluster() {
    for (name, shape) in [("tree", TREE), ("star", STAR), ("flat", FLAT)] {
        let pace = pace(&[on(shape, 4)]);
        for machines in [16, 32] {
            let ((mean, deviation), truth) = (ln_seconds(&pace, "a", machines), real(&on(shape, machines)));
            assert!((mean - truth).abs() < 2.0 * deviation, "{name}, m={machines}: {mean} ± {deviation}, {truth}");
        }
        let ((mean, deviation), truth) = (ln_seconds(&pace, "a", 4), real(&on(shape, 4)));
        assert!((mean - truth).abs() < 0.1 && deviation < 0.05, "{name}, as seen: {mean} ± {deviation}, {truth}");
    }
}

#[test]
fn a_second_m_narrows_what_lies_between() {
    for (name, shape) in [("tree", TREE), ("star", STAR), ("flat", FLAT)] {
        let (one, two) = (pace(&[on(shape, 4)]), pace(&[on(shape, 4), on(shape, 64)]));
        let ((_, wide), (mean, narrow)) = (ln_seconds(&one, "a", 16), ln_seconds(&two, "a", 16));
        assert!(narrow < 0.5 * wide, "{name}: {wide}, then {narrow}");
        let truth = real(&on(shape, 16));
        assert!((mean - truth).abs() < 2.0 * narrow, "{name}: {mean} ± {narrow}, {truth}");
    }
}

#[test]
fn another_algorithm_finds_the_same_machines() {
    let (before, after) = (pace(&[]), pace(&[on(TREE, 4)]));
    let ((_, unknown), (mean, deviation)) = (ln_seconds(&before, "b", 4), ln_seconds(&after, "b", 4));
    let truth = real(&on(TREE, 4));
    assert!((mean - truth).abs() < 2.0 * deviation && deviation < 0.25 * unknown, "{mean} ± {deviation}, {truth}");
}

#[test]
fn another_problems_rounds_count_by_their_entries() {
    let computing = |of: Option<Traits>| {
        let pace = pace(&[Timing { of, ..on(FLAT, 4) }]);
        (pace.parts().mean_of(&vec![(0, 1.0)]), pace.parts().variance_of(&vec![(0, 1.0)]))
    };
    let (own, sure) = computing(None);
    let (tenfold, less_sure) = computing(Some(Traits { entries: TRAITS.entries / 10, ..TRAITS }));
    assert!((tenfold - own - 10f64.ln()).abs() < 0.02, "{own}, {tenfold}");
    assert!(sure < less_sure && less_sure < 0.02, "{sure}, {less_sure}");
}

#[test]
fn rows_of_several_classes_cost_so_many_times_as_much_roughly() {
    let computing = |of: Option<Traits>| {
        let pace = pace(&[Timing { of, ..on(FLAT, 4) }]);
        (pace.parts().mean_of(&vec![(0, 1.0)]), pace.parts().variance_of(&vec![(0, 1.0)]).sqrt())
    };
    let (own, _) = computing(None);
    let (one_class_less, unsure) = computing(Some(Traits { margins: 2, ..TRAITS }));
    assert!((own - 2f64.ln() - one_class_less).abs() < 0.3 && unsure > 0.4, "{own}, {one_class_less}, {unsure}");
}

#[test]
fn sums_of_another_length_tell_less() {
    let sync = |of: Option<Traits>| {
        let pace = pace(&[Timing { of, ..on(FLAT, 4) }]);
        let place = vec![(pace.sync_place(1), 1.0)];
        (pace.parts().mean_of(&place), pace.parts().variance_of(&place).sqrt())
    };
    let (same, sure) = sync(Some(TRAITS));
    let (longer, unsure) = sync(Some(Traits { columns: TRAITS.columns / 4, ..TRAITS }));
    // Between latency alone and bytes alone.
    assert!(same < longer && longer < same + 4f64.ln(), "{same}, {longer}");
    assert!(sure < 0.1 && (0.2..1.0).contains(&unsure), "{sure}, {unsure}");
}

#[test]
fn stragglers_slow_many_machines_more_than_few() {
    let sigma = 0.2f64;
    let reach = |m: f64| (sigma * (2.0 * m.ln()).sqrt()).exp();
    let waited = |machines: usize| timing(machines, [1.0, reach(machines as f64) - 1.0, 1e-9, 1e-9]);
    let seen = Timing { rounds: 1e6, ..waited(4) };
    let seconds = ln_seconds(&pace(&[seen]), "a", 64).0.exp();
    assert!((seconds / (4.0 / 64.0 * reach(64.0)) - 1.0).abs() < 1e-3, "{seconds}");
}

#[test]
fn one_machine_has_nothing_to_sum() {
    let pace = pace(&[on(FLAT, 4)]);
    let seconds = pace.seconds("a", 1).unwrap();
    assert_eq!(seconds.along[1], (pace.sync_place(0), 0.0));
    assert!((seconds.along.iter().map(|part| part.1).sum::<f64>() - 1.0).abs() < 1e-12);
}

/// Real engines call their sum on one machine too, and find it a thousand times as fast as over links.
#[test]
fn the_sum_of_one_machine_tells_nothing_of_links() {
    let alone = timing(1, [1e-4, 0.0, 1e-5, 0.0]);
    let pace = pace(&[alone, timing(16, [6.25e-6, 0.0, 6e-2, 0.0])]);
    let (four, one) = (ln_seconds(&pace, "a", 4).0.exp(), ln_seconds(&pace, "a", 1).0.exp());
    assert!((0.004..0.06).contains(&four), "{four}");
    assert!((one / 1.1e-4 - 1.0).abs() < 0.05, "{one}");
}

#[test]
fn a_round_without_overhead_is_foretold_without() {
    let pace = pace(&[timing(4, [1.0, 0.0, 0.5, 0.0])]);
    let seen = ln_seconds(&pace, "a", 4).0.exp();
    assert!((1.4..1.9).contains(&seen), "{seen}");
}

#[test]
fn covered_is_what_was_timed_and_what_lies_between() {
    let (none, one, two) = (pace(&[]), pace(&[on(TREE, 16)]), pace(&[on(TREE, 32), on(TREE, 4)]));
    let covered = |pace: &Pace| MACHINES.map(|machines| pace.covers(machines));
    assert_eq!(covered(&none), [false; 5]);
    assert_eq!(covered(&one), [false, false, true, false, false]);
    assert_eq!(covered(&two), [false, true, true, true, false]);
}

#[test]
fn nothing_is_said_of_what_was_not_asked_about() {
    let pace = pace(&[on(TREE, 4)]);
    assert_eq!((pace.seconds("c", 4), pace.seconds("a", 5)), (None, None));
    // But machines that were timed are known, asked about or not.
    assert!(Pace::of(&[on(TREE, 5)], &TRAITS, &["a".into()], &MACHINES, |_| Toil::PLAIN).seconds("a", 5).is_some());
    assert!((pace.least_other().unwrap() / on(TREE, 4).other - 1.0).abs() < 0.01);
}

/// Ten times as much in a round as in a pass, give or take as much again; the first rounds are cheap.
#[test]
fn where_later_rounds_do_more_the_first_few_tell_little_and_are_thought_to_be_cheap() {
    let busy = |name: &str| match name {
        "a" => Toil { passes: 10.0, uneven: Some(1.0), ..Toil::PLAIN },
        _ => Toil::PLAIN,
    };
    let after = |rounds: f64| {
        let timing = Timing { rounds, ..timing(1, [1.0, 0.0, 1e-9, 1e-9]) };
        ln_seconds(&Pace::of(&[timing], &TRAITS, &["a".into(), "b".into()], &MACHINES, busy), "a", 1)
    };
    let [(soon, unsure), (late, sure)] = [2.0, 40.0].map(after);
    assert!(soon > 0.5 && unsure > 0.3, "{soon} ± {unsure}");
    assert!(late.abs() < 0.1 && sure < 0.1, "{late} ± {sure}");
}
