//! What a job has spent, and whether the next round still fits into what is left.

use std::collections::HashMap;
use std::time::Instant;

use super::{Purpose, Spent};
use crate::backend::Config;
use crate::engine::Clock;
use crate::goal::Caps;
use crate::job::Facts;
use crate::record::Record;

/// How much of a slow round is forgotten with every faster one: no hiccup frightens for ever.
const FORGET: f64 = 0.1;

/// Measures what is spent, in virtual seconds from the records or in this machine's, and foresees what comes.
#[derive(Debug)]
pub(super) struct Meter {
    simulated: bool,
    price_per_hour: Option<f64>,
    began: Instant,
    /// Wall seconds spent before a resume.
    before: f64,
    /// What each run's clock showed at its newest record.
    runs: HashMap<String, Reading>,
    /// Wall seconds when the last record came in.
    last_record: f64,
    /// What a record takes beside its run's clock: measures on a test set, the journal.
    aside: f64,
    /// Configurations by their first record.
    paces: Vec<(Config, Pace)>,
}

/// A run's clock, as far as records show it.
#[derive(Debug, Clone, Copy, Default)]
struct Reading {
    round: u64,
    train: f64,
    evaluation: f64,
    loading: f64,
}

/// Seconds of the slowest round and evaluation of late.
#[derive(Debug, Clone, Copy, Default)]
struct Pace {
    /// Nothing before the first round.
    round: Option<f64>,
    evaluation: f64,
}

/// Work that has not begun: on which configuration, how many rounds before the next evaluation.
pub(super) struct Ahead<'a> {
    pub(super) config: &'a Config,
    pub(super) rounds: f64,
    /// Seconds a round was predicted to take.
    pub(super) promised: Option<f64>,
}

impl Meter {
    pub(super) fn new(facts: &Facts, began: Instant) -> Self {
        Self {
            simulated: facts.simulated,
            price_per_hour: facts.price_per_hour,
            began,
            before: 0.0,
            runs: HashMap::new(),
            last_record: 0.0,
            aside: 0.0,
            paces: Vec::new(),
        }
    }

    /// Goes on counting from what earlier sittings spent.
    pub(super) fn go_on_from(&mut self, spent: &Spent) {
        self.before = spent.wall_seconds;
    }

    pub(super) fn wall(&self, spent: &Spent) -> f64 {
        if self.simulated { spent.wall_seconds } else { self.before + self.began.elapsed().as_secs_f64() }
    }

    /// What comes now is rounds, not loading or dealing.
    pub(super) fn begin(&mut self, spent: &Spent) {
        self.last_record = self.wall(spent);
    }

    /// Counts a round that has just ended.
    pub(super) fn see(&mut self, record: &Record, purpose: Purpose, spent: &mut Spent) {
        let busy = self.recall(record, purpose, spent);
        if !self.simulated {
            spent.wall_seconds = self.wall(spent);
            self.aside = fading(self.aside, (spent.wall_seconds - self.last_record - busy).max(0.0));
            self.last_record = spent.wall_seconds;
        }
    }

    /// Counts a rehearsal that has just ended: one machine, beside any run.
    pub(super) fn rehearsed(&self, seconds: f64, spent: &mut Spent) {
        spent.wall_seconds = if self.simulated { spent.wall_seconds + seconds } else { self.wall(spent) };
        spent.probe_seconds += seconds;
        if self.price_per_hour.is_some() {
            *spent.dollars.get_or_insert(0.0) += self.price(1) * seconds;
        }
    }

    /// Counts a round by its record alone; gives the seconds it took.
    pub(super) fn recall(&mut self, record: &Record, purpose: Purpose, spent: &mut Spent) -> f64 {
        let now = Reading::of(record);
        let before = self.runs.insert(record.run.clone(), now);
        self.learn(record, before, now);
        let busy = now.since(before.unwrap_or_default());
        spent.wall_seconds += busy;
        if purpose == Purpose::Probe {
            spent.probe_seconds += busy;
        }
        if self.price_per_hour.is_some() {
            *spent.dollars.get_or_insert(0.0) += self.price(record.machines) * busy;
        }
        busy
    }

    fn learn(&mut self, record: &Record, before: Option<Reading>, now: Reading) {
        let config = Config::new(&record.algorithm, record.machines);
        if self.pace(&config).is_none() {
            self.paces.push((config.clone(), Pace::default()));
        }
        let Some((_, pace)) = self.paces.iter_mut().find(|(known, _)| *known == config) else { return };
        let evaluation = now.evaluation - before.map_or(0.0, |before| before.evaluation);
        pace.evaluation = fading(pace.evaluation, evaluation.max(0.0));
        // The first record of a run tells what its start took, not a round.
        if let Some(before) = before.filter(|before| before.round < now.round) {
            let round = (now.train - before.train).max(0.0) / (now.round - before.round) as f64;
            pace.round = Some(fading(pace.round.unwrap_or(0.0), round));
        }
    }

    fn pace(&self, config: &Config) -> Option<Pace> {
        self.paces.iter().find(|(known, _)| known == config).map(|(_, pace)| *pace)
    }

    /// Another configuration's pace: on as many machines, if there is one.
    fn comparable(&self, config: &Config) -> Pace {
        let alike = self.paces.iter().rev().find(|(known, _)| known.machines == config.machines);
        alike.or(self.paces.last()).map(|(_, pace)| *pace).unwrap_or_default()
    }

    /// Seconds until the next evaluation is done. A configuration without a round of its own takes what was promised
    /// of it, but hardly less than to evaluate, which is a round as well.
    fn foresee(&self, ahead: &Ahead<'_>) -> f64 {
        let own = self.pace(ahead.config);
        let like = own.unwrap_or_else(|| self.comparable(ahead.config));
        let first = || ahead.promised.or(like.round).unwrap_or(0.0).max(like.evaluation);
        let round = own.and_then(|own| own.round).unwrap_or_else(first);
        ahead.rounds * round + like.evaluation + self.aside
    }

    /// Whether this work still fits, when the clock of its run, if it has begun, shows so much.
    pub(super) fn fits(&self, ahead: &Ahead<'_>, running: Option<(&str, &Clock)>, spent: &Spent, caps: Caps) -> bool {
        let unrecorded = running.map_or(0.0, |(run, clock)| {
            let Clock { rounds: round, evaluation, loading, .. } = *clock;
            let now = Reading { round, train: clock.train_seconds(), evaluation, loading };
            self.runs.get(run).map_or(0.0, |recorded| now.since(*recorded))
        });
        let next = self.foresee(ahead);
        let wall = if self.simulated { spent.wall_seconds + unrecorded } else { self.wall(spent) };
        let dollars = spent.dollars.unwrap_or(0.0) + self.price(ahead.config.machines) * (unrecorded + next);
        caps.seconds.is_none_or(|cap| wall + next <= cap) && caps.dollars.is_none_or(|cap| dollars <= cap)
    }

    /// Dollars a second for so many machines.
    fn price(&self, machines: usize) -> f64 {
        self.price_per_hour.unwrap_or(0.0) * machines as f64 / 3600.0
    }
}

impl Reading {
    fn of(record: &Record) -> Self {
        Self {
            round: record.round,
            train: record.train_seconds,
            evaluation: record.eval_seconds,
            loading: record.load_seconds,
        }
    }

    /// Everything on the clock.
    fn total(self) -> f64 {
        self.train + self.evaluation + self.loading
    }

    /// Seconds since an earlier reading. A round run again after a kill may take less than it did before.
    fn since(self, before: Self) -> f64 {
        (self.total() - before.total()).max(0.0)
    }
}

/// The larger of what is seen and what is remembered.
fn fading(remembered: f64, seen: f64) -> f64 {
    seen.max(remembered + FORGET * (seen - remembered))
}
