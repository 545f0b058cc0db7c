//! Lessons whose numbers are known.

use super::*;
use crate::problem::Loss;
use proptest::prelude::*;

fn problem(rows: usize, l2: f64, loss: Loss) -> Traits {
    Traits { rows, columns: 100, entries: 10 * rows, margins: 1, loss, l2, mean_norm_sq: 1.0, l1_share: 0.0 }
}

/// Problems of every loss, from few rows to many, from easy to hard.
fn problems() -> Vec<Traits> {
    let sizes = [1_000, 10_000, 100_000];
    let easy_to_hard = [1e-2, 1e-3, 1e-4, 1e-5];
    let all = Loss::ALL.iter().flat_map(|loss| sizes.map(|rows| (*loss, rows)));
    all.flat_map(|(loss, rows)| easy_to_hard.map(|l2| problem(rows, l2, loss))).collect()
}

/// Runs that pass every level exactly when the four numbers say.
fn curves(algorithm: &str, numbers: [f64; TERMS]) -> Vec<Crossings> {
    let rounds = |machines, x| dot(&expectation::basis(machines, x), &numbers).exp();
    let levels = |machines| (4..=40).map(|k| 0.25 * f64::from(k)).map(|x| (x, rounds(machines, x))).collect();
    let run = |machines| Crossings { algorithm: algorithm.into(), machines, levels: levels(machines), passes: None };
    [1, 4, 16, 64].map(run).into()
}

/// Gradients care for the condition and not for m, coordinates for the condition per row and for m.
fn numbers_by_traits(algorithm: &str, traits: &Traits) -> [f64; TERMS] {
    let features = traits.features();
    match algorithm {
        "gradient" => [4.5 + 0.6 * features[2], 0.0, 0.3, 0.0],
        _ => [4.0 + 0.4 * features[1], 0.5, 0.25, 0.02],
    }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).into()).collect()
}

fn level(algorithm: &str, machines: usize, depth: f64) -> Level<'_> {
    Level { algorithm, machines, depth }
}

/// Mean and variance of ln rounds.
fn foretold(expectation: &Expectation, level: Level<'_>) -> (f64, f64) {
    let direction = expectation.direction(level).unwrap();
    (expectation.numbers().mean_of(&direction), expectation.numbers().variance_of(&direction))
}

fn is_covariance(entries: &[f64]) -> bool {
    let size = entries.len().isqrt();
    let symmetric = (0..size * size).all(|k| entries[k] == entries[k % size * size + k / size]);
    symmetric && Cholesky::of(entries.to_vec(), size).is_some()
}

#[test]
fn what_follows_the_traits_is_foretold_of_a_new_problem() {
    let lesson = |traits: Traits| {
        let of = |name| curves(name, numbers_by_traits(name, &traits));
        Lesson { traits, start: 0.0, curves: [of("gradient"), of("coordinates")].concat() }
    };
    let precedents = Precedents::learn(&problems().into_iter().map(lesson).collect::<Vec<_>>());
    for traits in [problem(30_000, 3e-4, Loss::Logistic), problem(3_000, 3e-3, Loss::Hinge)] {
        let expectation = precedents.expect(&traits, &names(&["gradient", "coordinates", "stranger"]));
        for (machines, depth) in [(2, 3.0), (8, 6.0), (32, 9.0)] {
            let (_, unknown) = foretold(&expectation, level("stranger", machines, depth));
            for name in ["gradient", "coordinates"] {
                let truth = dot(&expectation::basis(machines, depth), &numbers_by_traits(name, &traits));
                let (mean, variance) = foretold(&expectation, level(name, machines, depth));
                let told = format!("{name}, m={machines}, X={depth}: {mean} ± {}, really {truth}", variance.sqrt());
                assert!((mean - truth).abs() < variance.sqrt(), "{told}");
                assert!(variance < 0.25 * unknown, "{told}; of a stranger ± {}", unknown.sqrt());
            }
        }
    }
}

#[test]
fn of_an_algorithm_that_nobody_taught_little_is_thought() {
    let traits = problem(1_000, 1e-3, Loss::Logistic);
    let taught = Lesson { traits, start: 0.0, curves: curves("gradient", [3.0, 0.0, 0.3, 0.0]) };
    let expectation = Precedents::learn(&[taught]).expect(&traits, &names(&["gradient", "stranger"]));
    let numbers = expectation.numbers();
    for (term, (mean, deviation)) in UNKNOWN.into_iter().enumerate() {
        let own = vec![(TERMS + term, 1.0)];
        assert_eq!((numbers.mean_of(&own), numbers.variance_of(&own)), (mean, deviation.powi(2)));
        assert!((0..TERMS).all(|other| numbers.covariance_of(&own, &vec![(other, 1.0)]) == 0.0));
    }
    let alone = Precedents::none().expect(&traits, &names(&["stranger"]));
    assert_eq!(foretold(&alone, level("stranger", 4, 7.0)), foretold(&expectation, level("stranger", 4, 7.0)));
}

/// Twins are hard and easy together, the loner on its own account.
fn family() -> Expectation {
    let traits = problem(1_000, 1e-3, Loss::Logistic);
    let lesson = |k: u32| {
        let [together, apart] = [k, k / 2].map(|bits| if bits.is_multiple_of(2) { -1.0 } else { 1.0 });
        let of = |name, off: f64| curves(name, [4.5 + off, 0.3, 0.3, 0.0]);
        Lesson {
            traits,
            start: 0.0,
            curves: [of("twin", together), of("other twin", together), of("loner", apart)].concat(),
        }
    };
    let precedents = Precedents::learn(&(0..16).map(lesson).collect::<Vec<_>>());
    precedents.expect(&traits, &names(&["twin", "other twin", "loner"]))
}

#[test]
fn a_level_seen_tells_of_later_ones_and_of_relatives() {
    let before = family();
    let mut after = before.clone();
    let (seen, ahead) = (level("twin", 4, 3.0), |name| level(name, 16, 8.0));
    // e times as many rounds as foretold.
    after.see(seen, (foretold(&before, seen).0 + 1.0).exp(), 0.0, 0.0);
    let moved = |name| foretold(&after, ahead(name)).0 - foretold(&before, ahead(name)).0;
    let kept = |name| foretold(&after, ahead(name)).1 / foretold(&before, ahead(name)).1;
    assert!(moved("twin") > 0.8 && kept("twin") < 0.5, "{} {}", moved("twin"), kept("twin"));
    assert!(moved("other twin") > 0.5 && kept("other twin") < 0.8, "{} {}", moved("other twin"), kept("other twin"));
    assert!(moved("loner").abs() < 0.05 && kept("loner") > 0.95, "{} {}", moved("loner"), kept("loner"));
}

#[test]
fn settings_leave_an_algorithm_near_what_it_is_without_but_less_surely() {
    let traits = problem(1, 1.0, Loss::Hinge);
    let kin = |_: &str| Kin { family: "cocoa+".into(), slow: false };
    let expected = Precedents::shipped().expect_of_kin(&traits, &names(&["cocoa+", "cocoa+:epochs=4"]), kin);
    let [plain, tuned] = ["cocoa+", "cocoa+:epochs=4"].map(|name| foretold(&expected, level(name, 4, 8.0)));
    assert!((plain.0 - tuned.0).abs() < 1e-12 && tuned.1 > plain.1, "{plain:?} {tuned:?}");
}

#[test]
fn strangers_whose_steps_shrink_are_thought_slower_the_further_they_go() {
    let traits = problem(1, 1.0, Loss::Hinge);
    let kin = |name: &str| Kin { family: name.into(), slow: name == "slow" };
    let expected = Precedents::none().expect_of_kin(&traits, &names(&["slow", "quick"]), kin);
    let further = |name| foretold(&expected, level(name, 1, 16.0)).0 - foretold(&expected, level(name, 1, 8.0)).0;
    assert!(further("slow") > 4.0 * further("quick"), "{} {}", further("slow"), further("quick"));
}

#[test]
fn what_a_round_takes_is_foretold_where_rounds_are_not_alike_and_left_alone_where_they_are() {
    let with_l1 = |l1_share: f64| Traits { l1_share, ..problem(1_000, 0.0, Loss::Squared) };
    let lesson = |k: i32| {
        let traits = with_l1(0.5_f64.powi(k));
        let uneven = |curve: Crossings| Crossings { passes: Some(2.0_f64.powi(k) / curve.machines as f64), ..curve };
        let busy = curves("busy", [3.0, 0.0, 0.2, 0.0]).into_iter().map(uneven);
        Lesson { traits, start: 0.0, curves: busy.chain(curves("even", [3.0, 0.0, 0.2, 0.0])).collect() }
    };
    let precedents = Precedents::learn(&(1..=40).map(|k| lesson(1 + k % 8)).collect::<Vec<_>>());
    let (few, off) = precedents.ln_passes(&with_l1(0.25), "busy").unwrap();
    let (many, _) = precedents.ln_passes(&with_l1(0.5_f64.powi(7)), "busy").unwrap();
    // On one machine, the fewest, 2² and 2⁷; what few lessons say is held back a little.
    let near = |ln: f64, passes: f64| (ln - passes.ln()).abs() < 2.0 * off;
    assert!(near(few, 4.0) && near(many, 128.0), "{few} {many} ± {off}");
    assert_eq!(precedents.ln_passes(&with_l1(0.25), "even"), None);
    assert_eq!(Precedents::shipped().ln_passes(&problem(1, 1.0, Loss::Hinge), "newton"), None);
}

#[test]
fn that_two_algorithms_go_together_is_believed_less_with_l1() {
    let together = |l1_share: f64| {
        let traits = Traits { l1_share, ..problem(1_000, 1e-3, Loss::Squared) };
        let lesson = |k: i32| {
            let numbers = [3.0 + f64::from(k % 2), 0.0, 0.2, 0.0];
            Lesson { traits, start: 0.0, curves: [curves("one", numbers), curves("other", numbers)].concat() }
        };
        let learned = Precedents::learn(&(0..20).map(lesson).collect::<Vec<_>>());
        learned.covariance[TERMS] / learned.covariance[0]
    };
    let (without, with) = (together(0.0), together(0.1));
    assert!((without - TOGETHER).abs() < 1e-6 && (with - TOGETHER_L1).abs() < 1e-6, "{without} {with}");
}

#[test]
fn what_is_shipped_is_of_use() {
    let plain = problem(1, 1.0, Loss::Hinge);
    for (shipped, traits) in
        [(Precedents::shipped(), plain), (Precedents::shipped_for_l1(), Traits { l1_share: 0.1, ..plain })]
    {
        is_of_use(&shipped, traits.features().len());
    }
}

fn is_of_use(shipped: &Precedents, width: usize) {
    assert_ne!(*shipped, Precedents::none());
    let known = |name: &String| crate::algorithm::by_name(name).is_ok();
    assert!(shipped.algorithms.iter().all(known), "{:?}", shipped.algorithms);
    assert!(shipped.weights.iter().all(|weights| weights.len() == width));
    assert!(shipped.passes.iter().all(|passes| passes.weights.len() == width && passes.off > 0.0));
    assert_eq!(shipped.weights.len(), TERMS * shipped.algorithms.len());
    assert_eq!(shipped.noise.len(), shipped.algorithms.len());
    assert_eq!(shipped.covariance.len(), shipped.weights.len().pow(2));
    assert!(is_covariance(&shipped.covariance));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn lessons_with_gaps_still_fit_together(
        lessons in proptest::collection::vec(proptest::collection::vec((any::<bool>(), -2.0..2.0f64), 4), 1..12),
    ) {
        let traits = problems();
        let lesson = |(k, runs): (usize, &Vec<(bool, f64)>)| {
            let own = |(name, (ran, off)): (usize, &(bool, f64))| {
                if *ran { curves(&name.to_string(), [5.0 + off, 0.1 * off, 0.3, 0.0]) } else { Vec::new() }
            };
            Lesson { start: 0.0, traits: traits[5 * k % traits.len()], curves: runs.iter().enumerate().flat_map(own).collect() }
        };
        let precedents = Precedents::learn(&lessons.iter().enumerate().map(lesson).collect::<Vec<_>>());
        prop_assert!(is_covariance(&precedents.covariance));
        let expectation = precedents.expect(&traits[0], &names(&["stranger", "3", "0"]));
        prop_assert!(is_covariance(&expectation.numbers().covariance));
    }
}
