//! What rounds without work take, by how much they carry.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::{Site, middle};
use crate::algorithm::{self, Order, Task};
use crate::cluster::Timed;
use crate::data::{Dataset, Matrix};
use crate::engine::{Engine, Setting};
use crate::problem::{Loss, Problem};
use crate::{Error, Result};

/// Lengths to begin with: none, and from a few hundred numbers on ever more.
pub const NUMBERS: [u64; 5] = [0, 512, 4096, 16_384, 65_536];
/// A line that misses what lies in its middle by more than this share, and by more than repeats stray, is bent there.
const BENT: f64 = 0.05;
const STRAY: f64 = 3.0;
/// Long rounds that are not counted: connections are made in them, and memory is taken.
const WARM: usize = 3;
/// Repeats of one length, by which its median is steady, as far as time allows.
const REPEATS: std::ops::RangeInclusive<usize> = 7..=200;

/// Rounds at the site on every number of machines asked for.
pub fn timed(site: &Site<'_>, seen: &mut dyn FnMut(&str)) -> Result<Vec<Timed>> {
    let share = site.budget / site.machines.len().max(1) as u32;
    site.machines.iter().map(|&machines| on(site, machines, share, seen)).collect()
}

fn on(site: &Site<'_>, machines: usize, budget: Duration, seen: &mut dyn FnMut(&str)) -> Result<Timed> {
    seen(&format!("rounds of {machines} machines"));
    let setting = Setting::new(&few_rows(machines)?, algorithm::by_name("noop")?);
    let engine = (site.build)(setting, machines)?;
    let mut table = Table { engine, patience: budget / 24, ends: Instant::now() + budget, empty: 0.0 };
    (0..WARM).try_for_each(|_| table.round(site.numbers, site.numbers).map(drop))?;
    // What is measured first would else be dear: workers settle, and cores clock up.
    let settled = Instant::now() + table.patience;
    while Instant::now() < settled {
        table.round(0, 0)?;
    }
    table.empty = table.seconds(0, 0)?;
    // Which half of an empty round is whose cannot be told apart, and need not be.
    let half = table.empty / 2.0;
    let mut curve = |down: fn(u64) -> (u64, u64)| table.curve(site.numbers, down).map(|curve| halved(curve, half));
    Ok(Timed { machines, broadcast: curve(|numbers| (numbers, 0))?, sum: curve(|numbers| (0, numbers))? })
}

fn halved(curve: BTreeMap<u64, f64>, half: f64) -> Vec<(u64, f64)> {
    curve.into_iter().map(|(numbers, seconds)| (numbers, (seconds - half).max(0.0))).collect()
}

/// Rows enough for every machine to have one; nothing is done with them.
fn few_rows(machines: usize) -> Result<Problem> {
    let rows = machines.max(2);
    let labels = (0..rows).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let data = Dataset::new("calibration", Matrix::dense(1, vec![1.0; rows]), labels);
    Problem::new(&data, Loss::Logistic, None, 0)
}

/// Measures one length after another.
struct Table {
    engine: Box<dyn Engine>,
    /// For one length.
    patience: Duration,
    ends: Instant,
    empty: f64,
}

impl Table {
    /// One round that carries so many numbers: its seconds on the engine's own clock.
    fn round(&mut self, down: u64, up: u64) -> Result<f64> {
        let before = self.engine.clock().train_seconds();
        let order = Order {
            args: Vec::new(),
            block: Vec::new(),
            round: self.engine.next_round(),
            task: Task::Step,
            off_clock: false,
        };
        // Other numbers each time: an engine may send only what has changed.
        let shared = vec![self.engine.next_round() as f64; down as usize];
        self.engine.round(&order, &shared, &mut vec![0.0; up as usize])?;
        let seconds = self.engine.clock().train_seconds() - before;
        if seconds.is_finite() { Ok(seconds) } else { Err(Error::Engine("a round took no finite time".into())) }
    }

    fn seconds(&mut self, down: u64, up: u64) -> Result<f64> {
        self.measured(down, up).map(|(seconds, _)| seconds)
    }

    /// The median of repeats, and how far it may be off by their spread.
    fn measured(&mut self, down: u64, up: u64) -> Result<(f64, f64)> {
        let began = Instant::now();
        let mut times = Vec::new();
        while times.len() < *REPEATS.start() || (times.len() < *REPEATS.end() && began.elapsed() < self.patience) {
            times.push(self.round(down, up)?);
        }
        let (middling, count) = (middle(times.clone()), times.len() as f64);
        let spread = 1.4826 * middle(times.iter().map(|seconds| (seconds - middling).abs()).collect());
        Ok((middling, spread / count.sqrt()))
    }

    /// Seconds by length: the first lengths, and others where a straight line between two would be wrong.
    fn curve(&mut self, most: u64, lengths: fn(u64) -> (u64, u64)) -> Result<BTreeMap<u64, f64>> {
        let mut curve = BTreeMap::from([(0, self.empty)]);
        let firsts = NUMBERS.into_iter().filter(|numbers| (1..most).contains(numbers)).chain([most.max(1)]);
        for numbers in firsts {
            let (down, up) = lengths(numbers);
            curve.insert(numbers, self.seconds(down, up)?);
        }
        let mut open: Vec<(u64, u64)> = curve.keys().copied().zip(curve.keys().copied().skip(1)).collect();
        while let Some((low, high)) = open.pop() {
            let between = low + (high - low) / 2;
            if between == low || Instant::now() > self.ends {
                continue;
            }
            let (down, up) = lengths(between);
            let ((found, stray), line) = (self.measured(down, up)?, 0.5 * (curve[&low] + curve[&high]));
            curve.insert(between, found);
            if (found - line).abs() > (BENT * line).max(STRAY * stray) && high - low > low / 4 + 256 {
                open.extend([(low, between), (between, high)]);
            }
        }
        Ok(curve)
    }
}
