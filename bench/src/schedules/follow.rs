//! One schedule on so many simulated machines, until the error is reached.

use std::time::{Duration, Instant};

use hemingway::algorithm::{self, Order, Step, Task};
use hemingway::engine::{Done, Engine, Setting, Simulated};
use hemingway::schedule::Schedule;

use super::{ERROR, Race};
use crate::watched::{Watched, Witness};

/// P is looked at whenever rounds have grown by this part.
const EVERY: f64 = 0.03;
/// Above so many times where it began, a run has diverged.
const DIVERGED: f64 = 10.0;

/// What it took to the error.
#[derive(Debug, Clone, Copy)]
pub struct Reached {
    /// Columns moved, each as often as it was visited for that.
    pub updates: f64,
    /// Columns looked at besides.
    pub looks: f64,
    /// Rounds.
    pub rounds: u64,
    /// On the simulated clock.
    pub seconds: f64,
    /// Of these, waiting for the slowest machine.
    pub waiting: f64,
    /// By how many entries the machine with most work had more than the mean, summed over looks and over moves.
    pub uneven: [f64; 2],
}

/// How a run ended.
#[derive(Debug, Clone, Copy)]
pub enum Ending {
    /// At the error.
    Reached(Reached),
    /// Far above where it began.
    Diverged,
    /// Still on its way.
    Left,
}

/// Entries of columns visited, to move them and otherwise.
#[derive(Default)]
struct Visits {
    moved: u64,
    looked: u64,
    uneven: [f64; 2],
}

impl Witness for Visits {
    fn saw(&mut self, order: &Order, done: &[Done], _down: usize, _up: usize) {
        let entries: u64 = done.iter().map(|(work, _)| work.entries).sum();
        let most = done.iter().map(|(work, _)| work.entries).max().unwrap_or(0);
        self.uneven[usize::from(order.task == Task::Step)] += most as f64 - entries as f64 / done.len().max(1) as f64;
        match order.task {
            Task::Step => self.moved += entries,
            _ => self.looked += entries,
        }
    }
}

/// Runs it, for no longer than so much of our own time.
pub fn follow(race: &Race, schedule: Schedule, machines: usize, patience: Duration) -> anyhow::Result<Ending> {
    let plain = algorithm::by_name("strads")?;
    let algorithm = plain.scheduled(schedule).unwrap_or(plain);
    let setting = Setting::new(&race.problem, algorithm);
    let mut server = setting.algorithm.server(&setting.outline);
    let mut shared = setting.algorithm.shared(&setting.outline);
    let entries = race.problem.data.matrix.stored() as f64 / race.problem.data.columns() as f64;
    let engine = Simulated::new(setting, crate::cluster(machines), machines)?;
    let mut on = Watched { engine, witness: Visits::default() };
    let began = Instant::now();
    let (mut start, mut next) = (None, 0.0);
    loop {
        let rounds = on.engine.clock().rounds;
        let mut is_over = false;
        if rounds as f64 >= next {
            next = (rounds as f64 * (1.0 + EVERY)).max(rounds as f64 + 1.0);
            let objective = server.evaluate(&mut on, &shared)?.objective;
            if (objective - race.bound) / race.bound <= ERROR {
                let (updates, looks) = (on.witness.moved as f64 / entries, on.witness.looked as f64 / entries);
                let (clock, uneven) = (on.engine.clock(), on.witness.uneven);
                let (seconds, waiting) = (clock.train_seconds(), clock.wait);
                return Ok(Ending::Reached(Reached { updates, looks, rounds, seconds, waiting, uneven }));
            }
            if !objective.is_finite() || objective > DIVERGED * *start.get_or_insert(objective) {
                return Ok(Ending::Diverged);
            }
            is_over = began.elapsed() > patience;
        }
        if is_over || server.iterate(&mut on, &mut shared)? == Step::Stalled {
            return Ok(Ending::Left);
        }
    }
}
