//! What every engine must do, tried with an algorithm whose every number is known.

use std::sync::Arc;

use super::Build;
use super::problems::{dense, problem};
use crate::algorithm::{Algorithm, Machines, Order, Server, Step, Support, Task, Work, Worker};
use crate::data::{Dataset, Shard};
use crate::engine::{Clock, Engine, Setting};
use crate::problem::{Evaluation, Loss, Outline, Penalty};
use crate::{Error, Result};

const ROWS: usize = 23;
const WIDTH: usize = 2;

/// Row i's numbers are its label and how often it was visited; worker k pushes numbers made from k and the round.
pub(super) struct Ledger;

struct LedgerWorker(Shard);

impl Algorithm for Ledger {
    fn name(&self) -> &str {
        "ledger"
    }

    fn support(&self, _loss: Loss) -> Support {
        Support::Approximate
    }

    fn width(&self) -> usize {
        WIDTH
    }

    fn worker(&self, _outline: &Outline, shard: Shard) -> Box<dyn Worker> {
        Box::new(LedgerWorker(shard))
    }

    fn server(&self, _outline: &Outline) -> Box<dyn Server> {
        Box::new(Idle)
    }
}

impl Worker for LedgerWorker {
    fn push(&mut self, order: &Order, shared: &[f64], items: &mut [f64], push: &mut [f64]) -> Work {
        for i in 0..self.0.len() {
            items[WIDTH * i] = self.0.label(i);
            items[WIDTH * i + 1] += 1.0;
        }
        for (j, value) in push.iter_mut().enumerate() {
            *value += pushed(self.0.worker, order.round, j) * shared[0];
        }
        Work { rows: self.0.len() as u64, entries: self.0.stored() }
    }
}

/// What worker k pushes in place j: numbers whose sum depends on the order of addition.
fn pushed(worker: usize, round: u64, j: usize) -> f64 {
    1.0 / (worker as f64 + 0.3) + (j as f64 + round as f64).sqrt()
}

/// The engine is driven by hand.
struct Idle;

impl Server for Idle {
    fn iterate(&mut self, _on: &mut dyn Machines, _shared: &mut [f64]) -> Result<Step> {
        Ok(Step::Stalled)
    }

    fn adopt(&mut self, _on: &mut dyn Machines, _model: &[f64], _shared: &mut [f64]) -> Result<()> {
        Ok(())
    }

    fn evaluate(&mut self, _on: &mut dyn Machines, _shared: &[f64]) -> Result<Evaluation> {
        Ok(Evaluation { objective: 0.0, dual: None })
    }
}

/// Rows whose labels are their numbers.
fn setting() -> Setting {
    let mut matrix = dense(2);
    (0..ROWS).for_each(|i| matrix.push_row([(0, i as f64), (1, 1.0)]));
    let labels = (0..ROWS).map(|i| i as f64).collect();
    let data = Dataset::new("ledger", matrix, labels);
    Setting::new(&problem(data, Loss::Squared, Penalty { l2: 0.1, l1: 0.0 }), Arc::new(Ledger))
}

fn built(build: &Build<'_>, machines: usize) -> Box<dyn Engine> {
    build(setting(), machines).expect("the engine takes the machines")
}

/// One round; the sum.
fn round(engine: &mut dyn Engine, off_clock: bool, len: usize) -> Vec<f64> {
    let (round, block) = (engine.next_round(), Vec::new());
    let order = Order { round, task: Task::Step, block, args: Vec::new(), off_clock };
    let mut sum = vec![f64::NAN; len];
    let held = engine.round(&order, &[1.0, 0.0], &mut sum).expect("a round succeeds");
    assert_eq!(held, engine.count(), "a bulk-synchronous sum must hold every push");
    sum
}

/// The left half of a tree is the largest power of two below m.
fn tree(pushes: &[f64]) -> f64 {
    match pushes {
        [] => 0.0,
        [one] => *one,
        many => {
            let left = 1 << (many.len() - 1).ilog2();
            tree(&many[..left]) + tree(&many[left..])
        }
    }
}

pub(super) fn sums_follow_the_tree(build: &Build<'_>) {
    for machines in [1, 2, 3, 7, 64, 100] {
        let mut engine = built(build, machines);
        assert_eq!(engine.count(), machines, "the engine must have the machines asked for");
        for number in 1..=2 {
            let sum = round(engine.as_mut(), false, 3);
            for (j, found) in sum.iter().enumerate() {
                let pushes: Vec<f64> = (0..machines).map(|k| pushed(k, number, j)).collect();
                let expected = tree(&pushes);
                assert_eq!(found.to_bits(), expected.to_bits(), "m = {machines}: {found} is not the tree's {expected}");
            }
        }
    }
}

/// Sums of changing length, one after the other: nothing of an earlier round may remain.
pub(super) fn pushes_begin_at_zero(build: &Build<'_>) {
    let mut engine = built(build, 5);
    for len in [4, 1, 9, 0, 4] {
        let number = engine.next_round();
        let sum = round(engine.as_mut(), false, len);
        let expected = |j: usize| tree(&(0..5).map(|k| pushed(k, number, j)).collect::<Vec<_>>());
        let expected: Vec<f64> = (0..len).map(expected).collect();
        assert_eq!(sum, expected, "a push of length {len} must begin at zero");
    }
}

pub(super) fn items_travel_with_their_rows(build: &Build<'_>) {
    let mut engine = built(build, 4);
    for (done, machines) in [2, 7, ROWS + 5, 1].into_iter().enumerate() {
        round(engine.as_mut(), false, 1);
        engine.resize(machines).expect("the engine resizes");
        assert_eq!(engine.count(), machines, "resizing must give the machines asked for");
        let expected: Vec<f64> = (0..ROWS).flat_map(|i| [i as f64, (done + 1) as f64]).collect();
        assert_eq!(engine.items().expect("items can be read"), expected, "resized to {machines}: items must stay");
    }
}

pub(super) fn items_are_read_out_and_put_back(build: &Build<'_>) {
    let items: Vec<f64> = (0..WIDTH * ROWS).map(|i| i as f64 + 0.5).collect();
    for machines in [1, 3, ROWS + 5] {
        let mut engine = built(build, machines);
        assert_eq!(engine.items().expect("items can be read"), vec![0.0; WIDTH * ROWS], "items must begin at zero");
        engine.set_items(&items).expect("items can be put back");
        assert_eq!(engine.items().expect("items can be read"), items, "m = {machines}: items must come back");
        for wrong in [&items[1..], &[]] {
            assert!(engine.set_items(wrong).is_err(), "{} items for {ROWS} rows must be refused", wrong.len());
        }
        assert_eq!(engine.items().expect("items can be read"), items, "what is refused must change nothing");
    }
}

fn parts(clock: &Clock) -> [f64; 5] {
    [clock.compute, clock.wait, clock.sync, clock.other, clock.evaluation]
}

pub(super) fn the_clock_moves_forward(build: &Build<'_>) {
    let mut engine = built(build, 3);
    assert_eq!(engine.clock(), Clock::default(), "the clock must begin at zero");
    for machines in [3, 8, 2] {
        engine.resize(machines).expect("the engine resizes");
        for off_clock in [false, true, false] {
            let before = engine.clock();
            assert_eq!(engine.next_round(), before.rounds + 1, "rounds are numbered by the clock");
            round(engine.as_mut(), off_clock, 2);
            let after = engine.clock();
            let forward = parts(&before).iter().zip(parts(&after)).all(|(b, a)| *b <= a);
            assert!(forward, "no part of the clock may move back: {before:?} → {after:?}");
            check_step(&before, &after, off_clock);
        }
    }
    let later = Clock { rounds: 40, rows: 7, wait: 2.5, ..Clock::default() };
    engine.set_clock(later);
    assert_eq!(engine.clock(), later, "a clock that is set must be the clock");
    round(engine.as_mut(), false, 1);
    assert_eq!(engine.clock().rounds, 41, "counting must go on from a clock that is set");
}

fn check_step(before: &Clock, after: &Clock, off_clock: bool) {
    if off_clock {
        assert_eq!(Clock { evaluation: before.evaluation, ..*after }, *before, "evaluation must be off the clock");
        return;
    }
    assert_eq!(after.rounds, before.rounds + 1, "a round of training counts one");
    assert_eq!(after.rows, before.rows + ROWS as u64, "every row touched is counted");
    assert_eq!(after.evaluation.to_bits(), before.evaluation.to_bits(), "training is not evaluation");
    assert!(after.train_seconds() > before.train_seconds(), "a round must take time");
}

pub(super) fn the_impossible_is_refused(build: &Build<'_>) {
    let refused = |what: Result<()>| matches!(what, Err(Error::Setting { .. }));
    assert!(refused(build(setting(), 0).map(drop)), "zero machines must be refused");
    let mut engine = built(build, 3);
    round(engine.as_mut(), false, 1);
    let (clock, items) = (engine.clock(), engine.items().expect("items can be read"));
    assert!(refused(engine.resize(0)), "resizing to zero machines must be refused");
    assert_eq!(engine.count(), 3, "a refused resize must change nothing");
    assert_eq!((engine.clock(), engine.items().expect("items can be read")), (clock, items));
    round(engine.as_mut(), false, 1);
}

pub(super) fn seconds_repeat(build: &Build<'_>) {
    for machines in [1, 7, 1024] {
        let run = || {
            let mut engine = built(build, machines);
            for k in 0..6 {
                round(engine.as_mut(), k % 3 == 2, 2);
            }
            engine.clock()
        };
        assert_eq!(run(), run(), "m = {machines}: a counted clock must repeat exactly");
    }
}
