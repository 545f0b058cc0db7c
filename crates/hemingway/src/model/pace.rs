//! f(m) of every algorithm from the first rounds of any: computing shrinks with m, and what remains is everybody's.
//!
//! A round is computing, c/m and what stragglers add; broadcasting and summing, sync(m); and the rest, other(m). c is an
//! algorithm's own but rests on one pace of the machines; sync and other are the cluster's, smooth in m on a logarithmic
//! scale. Each is unknown at first, within orders of magnitude, and known after a round.

use serde::{Deserialize, Serialize};

use super::Traits;
use super::normal::{Direction, Normal};

/// ln seconds an entry takes, before any was touched, and how surely: from native code to interpreted.
const ENTRY: (f64, f64) = (-18.6, 1.3);
/// How algorithms differ in what they do with an entry.
const OWN: f64 = 0.2;
/// sync and other on [`USUAL`] machines before any was seen: ln seconds, and how surely; their power of m; how smooth they
/// are. The first round shows other, and sync goes with it.
const OTHER: Guess = Guess { level: (-6.2, 8.0), power: (0.4, 0.35), rough: 0.1 };
const SYNC: Guess = Guess { level: (-6.5, 1.3), power: (0.45, 0.35), rough: 0.15 };
const USUAL: f64 = 4.0;
/// What a mean of a few rounds is off by.
const BLUR: f64 = 0.05;
/// A part of a round that is less than this share of it is none: not seen is not unknown.
const NOTHING: f64 = 1e-6;
/// How far roughness reaches in ln m.
const REACH: f64 = 1.4;
/// Where later rounds do more: ln of how much more a round takes on the whole than the first few, how far off that is, and
/// after how many rounds the difference is gone (the tapes of `bench/regret` with λ₁).
const GROWN: (f64, f64, f64) = (1.2, 0.8, 20.0);
/// How far what was computed over other rows is off once scaled, variance in ln, and where rows have another number of margins:
/// one exponential for a row is cheaper than several that share a sum.
const STRANGE: (f64, f64) = (0.01, 0.5);
/// Spread of machines' paces before any was seen, counting as so many rounds.
const SPREAD: (f64, f64) = (0.12, 1.0);

#[derive(Clone, Copy)]
struct Guess {
    level: (f64, f64),
    power: (f64, f64),
    rough: f64,
}

/// What a round of one algorithm on m machines took, on average.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// The algorithm.
    pub algorithm: String,
    /// m.
    pub machines: usize,
    /// Rounds it is the mean of.
    pub rounds: f64,
    /// Mean over machines of the time spent computing.
    pub compute: f64,
    /// Waiting for the slowest.
    pub wait: f64,
    /// Broadcasting and summing.
    pub sync: f64,
    /// What remains.
    pub other: f64,
    /// What the rows were, where they were another problem's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<Traits>,
}

impl Timing {
    /// The whole round.
    pub fn total(&self) -> f64 {
        self.compute + self.wait + self.sync + self.other
    }
}

/// What an algorithm does in a round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Toil {
    /// Passes over all rows.
    pub passes: f64,
    /// Standard deviation of their ln, where rounds are not alike: later ones then do more than early ones.
    pub uneven: Option<f64>,
    /// What an entry costs in each, of entries that cost the same for all.
    pub entry: f64,
    /// What a row costs in each besides its entries, in such entries.
    pub row: f64,
    /// Numbers that a machine sends, for every number of the model.
    pub sends: f64,
}

impl Toil {
    /// A pass in which only entries count.
    pub const PLAIN: Self = Self { passes: 1.0, uneven: None, entry: 1.0, row: 0.0, sends: 1.0 };

    /// What it comes to over these rows, in entries.
    fn over(self, traits: &Traits) -> f64 {
        let each = self.entry * traits.entries.max(1) as f64 + self.row * traits.rows as f64;
        self.passes * traits.margins as f64 * each
    }
}

/// ln of what the rounds of a whole run take on average over what its first few have, where later ones do more: mean and
/// variance.
fn still_to_grow(rounds: f64) -> (f64, f64) {
    let left = (1.0 - rounds / GROWN.2).max(0.05);
    (GROWN.0 * left, (GROWN.1 * left).powi(2))
}

/// A sum is part latency, part bytes: between not at all and in proportion to its length, which is so much longer in ln.
fn dearer(ln_longer: f64) -> f64 {
    (0.5 * ln_longer).exp()
}

/// What is off when what rounds over other rows computed is scaled: variance in ln.
fn strangeness(of: &Traits, traits: &Traits) -> f64 {
    if of.margins == traits.margins { STRANGE.0 } else { STRANGE.1 }
}

/// What that may be off by: variance in ln.
fn dearer_off(ln_longer: f64) -> f64 {
    0.25 * ln_longer.powi(2)
}

/// The seconds of a round, as far as they are known.
#[derive(Debug, Clone, PartialEq)]
pub struct Pace {
    algorithms: Vec<String>,
    toils: Vec<Toil>,
    machines: Vec<usize>,
    /// ln c of every algorithm, then ln sync and ln other on every number of machines.
    parts: Normal,
    /// σ of the machines' paces.
    spread: f64,
    /// Machines on which rounds were timed.
    timed: Vec<usize>,
}

/// ln seconds of a round of one configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Seconds {
    /// Its likeliest value.
    pub ln: f64,
    /// What it hangs on, to first order.
    pub along: Direction,
}

impl Pace {
    /// What timings tell of algorithms on numbers of machines.
    pub fn of(
        timings: &[Timing],
        traits: &Traits,
        algorithms: &[String],
        machines: &[usize],
        toil: impl Fn(&str) -> Toil,
    ) -> Self {
        let mut all: Vec<usize> = machines.iter().copied().chain(timings.iter().map(|t| t.machines)).collect();
        all.sort_unstable();
        all.dedup();
        let mut timed: Vec<usize> = timings.iter().map(|t| t.machines).collect();
        timed.sort_unstable();
        timed.dedup();
        let toils: Vec<Toil> = algorithms.iter().map(|name| toil(name)).collect();
        let parts = before(traits, &toils, &all);
        let (algorithms, spread) = (algorithms.to_vec(), spread(timings));
        let mut pace = Self { algorithms, toils, machines: all, parts, spread, timed };
        for timing in timings {
            pace.see(timing, traits);
        }
        pace
    }

    fn see(&mut self, timing: &Timing, traits: &Traits) {
        let Some(at) = self.machines.iter().position(|m| *m == timing.machines) else { return };
        let own = self.algorithms.iter().position(|name| *name == timing.algorithm);
        let toils = &self.toils;
        // What is kept is of sums as long as the model.
        let sent = own.map_or(1.0, |own| toils[own].sends);
        let columns = timing.of.map_or(traits.columns, |of| of.columns);
        let longer = (traits.columns as f64 / (sent * columns.max(1) as f64)).ln();
        let blur = BLUR.powi(2) / timing.rounds.max(1.0);
        let (sync, other) = (self.sync_place(at), self.other_place(at));
        let mut see = |place: usize, seconds: f64, more: f64| {
            if seconds > 0.0 {
                self.parts.see(&vec![(place, 1.0)], seconds.ln(), blur + more);
            }
        };
        if let Some(own) = own {
            let uneven = toils[own].uneven;
            let strange =
                timing.of.map_or(0.0, |of| strangeness(&of, traits) + uneven.map_or(0.0, |off| 2.0 * off * off));
            let more = timing.of.map_or(1.0, |of| toils[own].over(traits) / toils[own].over(&of));
            let (later, unsure) = uneven.map_or((0.0, 0.0), |_| still_to_grow(timing.rounds));
            see(own, later.exp() * more * timing.compute * timing.machines as f64, strange + unsure);
        }
        // One machine has nothing to exchange: what its sum takes all the same is no point on the curve of sync over m.
        let alone = timing.machines == 1;
        if !alone {
            see(sync, dearer(longer) * timing.sync, dearer_off(longer));
        }
        let rest = timing.other + if alone { timing.sync } else { 0.0 };
        see(other, rest.max(NOTHING * timing.total()), 0.0);
    }

    fn sync_place(&self, at: usize) -> usize {
        self.algorithms.len() + at
    }

    fn other_place(&self, at: usize) -> usize {
        self.algorithms.len() + self.machines.len() + at
    }

    /// Seconds of a round.
    pub fn seconds(&self, algorithm: &str, machines: usize) -> Option<Seconds> {
        let own = self.algorithms.iter().position(|name| name == algorithm)?;
        let at = self.machines.iter().position(|m| *m == machines)?;
        let m = machines as f64;
        let slowest = (self.spread * (2.0 * m.ln()).sqrt()).exp();
        let sync = self.parts.mean[self.sync_place(at)].exp() * dearer(self.toils[own].sends.ln());
        let sync = if machines == 1 { 0.0 } else { sync };
        let parts = [
            (own, self.parts.mean[own].exp() / m * slowest),
            (self.sync_place(at), sync),
            (self.other_place(at), self.parts.mean[self.other_place(at)].exp()),
        ];
        let total: f64 = parts.iter().map(|part| part.1).sum();
        let along = parts.iter().map(|&(place, seconds)| (place, seconds / total)).collect();
        Some(Seconds { ln: total.ln(), along })
    }

    /// Seconds in which one machine computes a round: goes over all rows.
    pub fn pass_seconds(&self, algorithm: &str) -> Option<f64> {
        let own = self.algorithms.iter().position(|name| name == algorithm)?;
        Some(self.parts.mean[own].exp())
    }

    /// The distribution of the parts.
    pub fn parts(&self) -> &Normal {
        &self.parts
    }

    /// What a round of the fewest machines timed costs beside computing and summing.
    pub fn least_other(&self) -> Option<f64> {
        let at = self.machines.iter().position(|m| Some(m) == self.timed.first())?;
        Some(self.parts.mean[self.other_place(at)].exp())
    }

    /// Variance of what a few rounds show of a part.
    pub fn blur() -> f64 {
        BLUR.powi(2)
    }

    /// Whether any round was timed.
    pub fn is_timed(&self) -> bool {
        !self.timed.is_empty()
    }

    /// Whether so many machines are within what was timed.
    pub fn covers(&self, machines: usize) -> bool {
        let ends = self.timed.first().zip(self.timed.last());
        ends.is_some_and(|(first, last)| (*first..=*last).contains(&machines))
    }
}

/// What is thought of the parts before any round.
fn before(traits: &Traits, toils: &[Toil], machines: &[usize]) -> Normal {
    let ln_m: Vec<f64> = machines.iter().map(|m| (*m as f64 / USUAL).ln()).collect();
    let algorithms = toils.len();
    let size = algorithms + 2 * machines.len();
    let mut mean: Vec<f64> = toils.iter().map(|toil| toil.over(traits).ln() + ENTRY.0).collect();
    for guess in [SYNC, OTHER] {
        mean.extend(ln_m.iter().map(|m| guess.level.0 + guess.power.0 * m));
    }
    let mut covariance = vec![0.0; size * size];
    for a in 0..algorithms {
        for b in 0..algorithms {
            let own = OWN.powi(2) + toils[a].uneven.map_or(0.0, |off| off * off);
            covariance[a * size + b] = ENTRY.1.powi(2) + if a == b { own } else { 0.0 };
        }
    }
    let (sync, other) = (algorithms, algorithms + machines.len());
    for (a, x) in ln_m.iter().enumerate() {
        for (b, y) in ln_m.iter().enumerate() {
            let fades = (-(x - y).abs() / REACH).exp();
            let own = |guess: Guess| guess.power.1.powi(2) * x * y + guess.rough.powi(2) * fades;
            let both = OTHER.level.1.powi(2);
            covariance[(other + a) * size + other + b] = both + own(OTHER);
            covariance[(sync + a) * size + sync + b] = both + SYNC.level.1.powi(2) + own(SYNC);
            covariance[(sync + a) * size + other + b] = both;
            covariance[(other + a) * size + sync + b] = both;
        }
    }
    Normal { mean, covariance }
}

/// σ of the machines' paces: the slowest of m takes about e^(σ√(2 ln m)) times the mean.
fn spread(timings: &[Timing]) -> f64 {
    let (mut sum, mut weight) = (SPREAD.0 * SPREAD.1, SPREAD.1);
    for timing in timings.iter().filter(|timing| timing.machines > 1 && timing.compute > 0.0) {
        let reach = (2.0 * (timing.machines as f64).ln()).sqrt();
        sum += timing.rounds * (1.0 + timing.wait / timing.compute).ln() / reach;
        weight += timing.rounds;
    }
    sum / weight
}

#[cfg(test)]
mod tests;
