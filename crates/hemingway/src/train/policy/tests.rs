//! Decisions on made-up journals: no engine, no clock.

mod budgets;
mod remembering;
mod sparse;

use super::*;
use crate::data::{Dataset, Info, Matrix, Preparation};
use crate::goal::Caps;
use crate::job::{Facts, JobSpec, Lore};
use crate::model::{Precedents, Traits};
use crate::problem::Loss;
use crate::record::Record;
use crate::record::journal::Event;
use crate::train::{Past, Spent};

/// P* of every made-up run.
const OPTIMUM: f64 = 0.5;

fn job(goal: Goal, mode: Mode) -> History {
    let data = Dataset::new("made up", Matrix::dense(1, vec![1.0; 64]), vec![1.0; 64]);
    let spec = JobSpec {
        factors: None,
        data: "made up".into(),
        labels: Default::default(),
        weights: Default::default(),
        class_weight: None,
        loss: None,
        l2: None,
        l1: 0.0,
        fraction: None,
        preparation: Preparation::default(),
        cluster: None,
        machines: None,
        algorithms: None,
        test: None,
        seed: 0,
        goal,
        caps: Caps::default(),
        eval_every: 1,
        mode,
        sync: None,
        forget: false,
    };
    let facts = Facts {
        factors: None,
        problem: "p".into(),
        data: Info::of(&data),
        loss: Loss::Logistic,
        classes: None,
        l2: 1e-2,
        l1: 0.0,
        cluster: "made-up".into(),
        simulated: true,
        machines: vec![1, 2, 4, 8],
        algorithms: vec!["cocoa".into(), "lbfgs".into()],
        price_per_hour: None,
        fits_from: 1,
        cores: 8,
        exchanges: Vec::new(),
        lore: lore(),
    };
    History::new("job", spec, facts)
}

/// Of a problem like many others.
fn lore() -> Lore {
    let traits = Traits {
        rows: 20_000,
        columns: 50,
        entries: 1_000_000,
        margins: 1,
        loss: Loss::Logistic,
        l2: 1e-4,
        mean_norm_sq: 1.0,
        l1_share: 0.0,
    };
    Lore { traits, precedents: Precedents::shipped(), ..Lore::default() }
}

/// A job that has done nothing yet.
pub(in crate::train) fn made_up() -> History {
    job(reach(), choose())
}

fn reach() -> Goal {
    Goal::Reach { error: 1e-3, certified: false }
}

fn choose() -> Mode {
    Mode::Choose { adapt: true, plan_only: false }
}

/// Carries a decision out on a world where `world(config)` gives (seconds a round, shrinking of the error a round).
fn carry_out(history: &mut History, decision: Decision, world: &dyn Fn(&Config) -> (f64, f64), ending: Ending) {
    let Decision::Run { frame, start, .. } = &decision else { panic!("{decision:?} is not a frame") };
    let (frame, start) = (frame.clone(), start.clone());
    history.apply(&Event::Decided { spent: history.spent, decision: Box::new(decision) });
    let (seconds, shrink) = world(&frame.config);
    let last = history.last_of(&frame.run).cloned();
    let adopted = match &start {
        Start::Adopt { run } => history.last_of(run).cloned().map(|r| Record { train_seconds: 0.0, ..r }),
        _ => None,
    };
    let (mut round, mut time, mut error) =
        last.or(adopted).map_or((0, 0.0, 1.0), |r| (r.round, r.train_seconds, (r.objective - OPTIMUM) / OPTIMUM));
    while round < frame.until_round {
        (round, time, error) = (round + 1, time + seconds, error * shrink);
        let record = Record {
            run: frame.run.clone(),
            problem: "p".into(),
            cluster: "made-up".into(),
            algorithm: frame.config.algorithm.clone(),
            machines: frame.config.machines,
            rows: 64,
            fraction: 1.0,
            round,
            train_seconds: time,
            objective: OPTIMUM * (1.0 + error),
            // Dual variables prove about as much as they gain.
            lower_bound: Some(OPTIMUM * (1.0 - error).max(0.0)),
            ..Record::default()
        };
        history.apply(&Event::Round { record });
    }
    let spent = Spent { wall_seconds: history.spent.wall_seconds + time, ..history.spent };
    history.apply(&Event::FrameEnded { run: frame.run, ending, spent });
}

/// The next decision but rehearsals, of which nothing comes.
fn next(history: &mut History) -> Decision {
    let decision = decide(history);
    let Decision::Rehearse { .. } = decision else { return decision };
    let spent = history.spent;
    history.apply(&Event::Decided { spent, decision: Box::new(decision) });
    history.apply(&Event::Rehearsed { rehearsals: Vec::new(), spent });
    decide(history)
}

/// Decides and carries out until training begins.
fn until_training(history: &mut History, world: &dyn Fn(&Config) -> (f64, f64)) -> (Vec<Config>, Decision) {
    let mut probed = Vec::new();
    loop {
        let decision = next(history);
        match &decision {
            Decision::Run { frame, purpose: Purpose::Probe, .. } => probed.push(frame.config.clone()),
            _ => return (probed, decision),
        }
        carry_out(history, decision, world, Ending::FrameOver);
        assert!(probed.len() < 30, "probing must end");
    }
}

/// CoCoA is cheap and slows down with m, L-BFGS costs five times as much a round and does not.
fn plain(config: &Config) -> (f64, f64) {
    let m = config.machines as f64;
    match config.algorithm.as_str() {
        "cocoa" => (0.1 + 1.0 / m, 1.0 - 0.3 / m.sqrt()),
        _ => (0.5 + 5.0 / m, 0.8),
    }
}

/// The configurations of so many frames.
fn follow(history: &mut History, world: &dyn Fn(&Config) -> (f64, f64), frames: usize) -> Vec<Config> {
    let mut followed = Vec::new();
    for _ in 0..frames {
        let decision = next(history);
        let Decision::Run { frame, why, .. } = &decision else { panic!("{decision:?}") };
        assert!(!why.is_empty());
        followed.push(frame.config.clone());
        carry_out(history, decision, world, Ending::FrameOver);
    }
    followed
}

#[test]
fn the_goal_is_credited_to_who_made_the_model_that_meets_it() {
    let mut history = made_up();
    let frame = |run: &str, algorithm: &str| Frame::new(run.to_string(), Config::new(algorithm, 2), 3);
    let record = |run: &str, algorithm: &str, objective: f64| Record {
        run: run.into(),
        algorithm: algorithm.into(),
        machines: 2,
        round: 3,
        objective,
        ..Record::default()
    };
    history.records = vec![record("job.1", "cocoa", 0.6), record("job.2", "lbfgs", 0.6)];
    let past = |frame: Frame, ending: Ending| Past { frame, purpose: Purpose::Probe, ending };
    history.past =
        vec![past(frame("job.1", "cocoa"), Ending::FrameOver), past(frame("job.2", "lbfgs"), Ending::GoalMet)];
    let why = |history: &History| match decide(history) {
        Decision::Stop { ending: Ending::GoalMet, why, .. } => why,
        other => panic!("{other:?}"),
    };
    // The second took up the model of the first, and its bound showed how good that is.
    let credited = "on cocoa m=2, as lbfgs m=2 has shown";
    assert!(why(&history).ends_with(credited), "{}", why(&history));
    history.records[1].objective = 0.5;
    assert!(why(&history).ends_with("on lbfgs m=2"), "{}", why(&history));
}

#[test]
fn the_first_look_is_short_and_training_follows_with_a_promise() {
    let mut history = job(reach(), choose());
    let (probed, decision) = until_training(&mut history, &plain);
    assert!(!probed.is_empty() && history.past[0].frame.until_round == FIRST_LOOK);
    let Decision::Run { frame, start: Start::Continue { run }, predicted: Some(promised), plan: Some(plan), .. } =
        decision
    else {
        panic!("{decision:?}");
    };
    assert_eq!(frame.run, run);
    assert_eq!(plan.choice().unwrap().config, frame.config);
    assert!(promised.low < promised.mid && promised.mid < promised.high);
}

#[test]
fn rivals_are_rehearsed_once_after_the_first_look() {
    let mut history = job(reach(), choose());
    let first = decide(&history);
    carry_out(&mut history, first, &plain, Ending::FrameOver);
    let decision = decide(&history);
    let Decision::Rehearse { script, why } = &decision else { panic!("{decision:?}") };
    assert!(!script.algorithms.is_empty() && script.rounds >= 25 && !why.is_empty());
    assert!(script.rows * 8 <= history.facts.lore.traits.rows);
    assert!(!matches!(next(&mut history), Decision::Rehearse { .. }));
    assert_eq!(history.script, None);
}

#[test]
fn little_time_or_money_leaves_none_for_rehearsing() {
    let hurried = job(Goal::Within { seconds: 0.5 }, choose());
    let mut poor = job(reach(), choose());
    poor.facts.price_per_hour = Some(3600.0);
    poor.spec.caps.dollars = Some(0.001);
    for mut history in [hurried, poor] {
        let first = decide(&history);
        carry_out(&mut history, first, &plain, Ending::FrameOver);
        assert!(!matches!(decide(&history), Decision::Rehearse { .. }));
    }
}

#[test]
fn a_rival_is_tried_where_that_can_pay() {
    // One algorithm crawls, the other does what is expected of it.
    let world = |config: &Config| (0.1, if config.algorithm == "cocoa" { 0.97 } else { 0.7 });
    let mut history = job(reach(), choose());
    let followed = follow(&mut history, &world, 8);
    assert!(followed.iter().any(|config| config.algorithm == "lbfgs"), "{followed:?}");
}

/// Where it begins is what tells an engine that rows have yet to be moved, and what a trial of it took.
#[test]
fn what_takes_up_a_model_begins_where_that_is_and_looks_no_further_than_a_new_run() {
    let world = |config: &Config| (0.1, if config.algorithm == "cocoa" { 0.97 } else { 0.7 });
    let mut history = job(reach(), choose());
    follow(&mut history, &world, 12);
    let taken_up = history.decisions.iter().filter_map(|decision| match decision {
        Decision::Run { frame, start: Start::Adopt { .. }, purpose, .. } => Some((frame, *purpose)),
        _ => None,
    });
    let mut count = 0;
    for (frame, purpose) in taken_up {
        let first = history.records.iter().find(|record| record.run == frame.run).unwrap();
        assert_eq!(frame.from_round + 1, first.round);
        let ahead = frame.until_round - frame.from_round;
        assert!(purpose == Purpose::Probe || ahead <= 2 * SHORTEST_FRAME, "{frame:?}");
        count += 1;
    }
    assert!(count > 0, "{:?}", history.decisions);
}

#[test]
fn what_was_tried_is_tried_again_only_for_longer() {
    let world = |config: &Config| (0.1 + 1.0 / config.machines as f64, 0.97);
    let mut history = job(reach(), choose());
    follow(&mut history, &world, 12);
    let mut longest: Vec<(Config, u64)> = Vec::new();
    for past in history.past.iter().filter(|past| past.purpose == Purpose::Probe) {
        let rounds = past.frame.until_round - past.frame.from_round;
        assert!(
            longest.iter().all(|(config, most)| *config != past.frame.config || rounds > *most),
            "{:?}",
            past.frame
        );
        longest.push((past.frame.config.clone(), rounds));
    }
    assert!(!longest.is_empty());
}

#[test]
fn training_begins_with_the_untried_only_where_it_is_far_better() {
    let mut history = job(reach(), choose());
    let first = decide(&history);
    carry_out(&mut history, first, &plain, Ending::FrameOver);
    let foresight = Foresight::of(&history);
    let (best, tried) = (foresight.best().unwrap(), foresight.best_tried().unwrap());
    // As it is thought to cost, and as if the tried were nearly as good.
    for far in [10.0, 1.1] {
        let mut tried = tried.clone();
        tried.price *= far * best.cost() / tried.cost();
        let expected = if far > 2.0 { &best.config } else { &tried.config };
        assert_eq!(boldest(&foresight, &tried).config, *expected);
    }
}

#[test]
fn training_settles() {
    // Frames of a made-up run that go far beyond an error of 1e-3, where a job would have stopped, but not beyond working
    // precision, where nothing is left to gain.
    let mut history = job(Goal::Reach { error: 1e-9, certified: false }, choose());
    let mut followed = Vec::new();
    while followed.len() < 12 && history.standing.objective().is_none_or(|best| best > OPTIMUM * (1.0 + 1e-12)) {
        followed.extend(follow(&mut history, &plain, 1));
    }
    assert!(followed.len() >= 8, "{followed:?}");
    let late = &followed[followed.len() - 3..];
    assert!(late.iter().all(|config| *config == late[0]), "{followed:?}");
    let trained = history.past.iter().filter(|past| past.purpose == Purpose::Train).count();
    assert!(followed.len() - trained <= 4, "{trained} frames of training of {}", followed.len());
}

#[test]
fn who_has_yet_to_come_to_where_the_other_is_must_promise_more() {
    // Whoever keeps numbers for rows cannot take up what lbfgs has found.
    let world = |config: &Config| if config.algorithm == "lbfgs" { (0.01, 0.8) } else { (10.0, 0.99) };
    let mut history = job(reach(), choose());
    follow(&mut history, &world, 8);
    assert_eq!(training(&history).unwrap().algorithm, "lbfgs");
    let foresight = Foresight::of(&history);
    let now = foresight.prospect_of(training(&history).unwrap()).unwrap();
    let behind = foresight.prospects.iter().find(|other| other.start != now.start && other.is_behind(now)).unwrap();
    // After one switch, less than 0.56 of what remains is enough for who begins where the other is.
    for (far, taken) in [(0.45, false), (0.3, true)] {
        let mut other = behind.clone();
        other.price *= far * now.cost() / other.cost();
        assert_eq!(keep_or_switch(&history, &foresight, now, &other, true).0.config == other.config, taken, "{far}");
    }
}

#[test]
fn a_change_of_the_world_changes_the_mind() {
    let mut history = job(reach(), choose());
    let (_, first) = until_training(&mut history, &plain);
    let Decision::Run { frame, .. } = &first else { panic!() };
    let chosen = frame.config.clone();
    // From now on the chosen configuration is fifty times slower.
    let slowed = |config: &Config| if *config == chosen { (50.0 * plain(config).0, 0.99) } else { plain(config) };
    let mut decision = first;
    for _ in 0..6 {
        carry_out(&mut history, decision, &slowed, Ending::FrameOver);
        decision = decide(&history);
        if let Decision::Run { frame, why, .. } = &decision
            && frame.config != chosen
        {
            assert!(why.contains("promises"), "{why}");
            assert_eq!(crate::train::summary::switches(&history.decisions).len(), 0);
            return;
        }
    }
    panic!("stayed with {chosen} although it had become slow");
}

#[test]
fn a_diverged_algorithm_is_left_for_another() {
    let mut history = job(reach(), choose());
    let (_, decision) = until_training(&mut history, &plain);
    carry_out(&mut history, decision, &plain, Ending::Diverged);
    let decision = decide(&history);
    assert!(matches!(&decision, Decision::Run { frame, .. } if frame.config.algorithm == "lbfgs"));
    carry_out(&mut history, decision, &plain, Ending::Stalled);
    let Decision::Stop { ending: Ending::Stalled, .. } = decide(&history) else { panic!() };
}

#[test]
fn a_run_that_found_its_best_long_ago_is_stuck() {
    let stuck_after = |falls: u64| {
        let mut history = job(reach(), choose());
        for round in 0..=24 {
            let objective = 1.0 - 0.01 * round.min(falls) as f64;
            let record = Record {
                run: "a".into(),
                algorithm: "cocoa".into(),
                machines: 1,
                round,
                objective,
                ..Record::default()
            };
            history.apply(&Event::Round { record });
        }
        history.is_stuck("cocoa")
    };
    assert!(stuck_after(6) && !stuck_after(7));
    assert!(!job(reach(), choose()).is_stuck("cocoa"));
}

#[test]
fn endings_end() {
    for ending in [Ending::GoalMet, Ending::BudgetSpent, Ending::Interrupted] {
        let mut history = job(reach(), choose());
        let decision = decide(&history);
        carry_out(&mut history, decision, &plain, ending);
        let Decision::Stop { ending: last, why, .. } = decide(&history) else { panic!() };
        assert!(last == ending && !why.is_empty());
    }
}

#[test]
fn probes_leave_most_of_a_deadline_to_training() {
    let mut history = job(Goal::Within { seconds: 20.0 }, choose());
    let (probed, _) = until_training(&mut history, &plain);
    assert!(probed.len() <= 2, "{probed:?}");
}

#[test]
fn a_fixed_configuration_is_one_frame() {
    let mut history = job(Goal::Rounds { rounds: 7 }, Mode::Fixed(Config::new("lbfgs", 3)));
    let decision = decide(&history);
    let Decision::Run { frame, start: Start::Fresh, .. } = &decision else { panic!() };
    assert_eq!((frame.until_round, frame.config.machines), (7, 3));
    carry_out(&mut history, decision, &plain, Ending::GoalMet);
    assert!(matches!(decide(&history), Decision::Stop { ending: Ending::GoalMet, .. }));
}
