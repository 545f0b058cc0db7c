//! Strategies drawn at random, each timed on the ranks: some to judge by, others to learn from.

use anyhow::Result;
use hemingway::rng::{Purpose, keyed};
use hemingway::sync::Stage;
use hemingway::sync::execute::Timing;
use hemingway::sync::search::Interval;
use hemingway::sync::sketch::Sketch;
use serde::{Deserialize, Serialize};

use super::beds::{BedPlan, Cast};
use super::calibrate::Costs;
use super::field::Field;
use super::{Until, keep, kept};
use crate::sync::dataset::{RANDOM, Timed};

/// Strategies that are judged, and how often each is run: once in each of so many rounds through all of them.
pub const JUDGED: usize = 32;
const ROUNDS: usize = 5;
/// Strategies that are learned from; none of them is judged.
pub const LEARNED: usize = 200;
const JUDGED_SEED: u64 = 11;
const LEARNED_SEED: u64 = 12;
/// Steps of a run.
const STEPS: u64 = 3;

/// What was measured of a cell: seconds of each run, by strategy.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Sampled {
    /// Of those that are judged.
    pub judged: Vec<Vec<f64>>,
    /// Of those that are learned from, one run each.
    pub learned: Vec<f64>,
}

impl Sampled {
    /// Every strategy that has run, judged or learned from.
    pub fn timed(&self, stage: &Stage) -> Vec<Timed> {
        let one = |seed: u64, place: usize, runs: &[f64]| {
            let Interval { low, mid, high } = Interval::of(runs.to_vec());
            // Of two, which a run that was ended early may leave, neither is in the middle.
            let seconds = [low, if runs.len() == 2 { (low + high) / 2.0 } else { mid }, high];
            let sketch = drawn(stage, seed, place);
            Timed { source: RANDOM.into(), seed: seed as usize, place, sketch, seconds, runs: runs.len() }
        };
        let run = self.judged.iter().enumerate().filter(|(_, runs)| !runs.is_empty());
        let judged = run.map(|(place, runs)| one(JUDGED_SEED, place, runs));
        let learned = self.learned.iter().enumerate().map(|(place, run)| one(LEARNED_SEED, place, &[*run]));
        judged.chain(learned).collect()
    }

    /// Whether there is nothing left to run, with so many to learn from.
    pub fn is_done(&self, lessons: usize) -> bool {
        self.judged.len() == JUDGED
            && self.judged.iter().all(|runs| runs.len() == ROUNDS)
            && self.learned.len() >= lessons
    }
}

fn drawn(stage: &Stage, seed: u64, place: usize) -> Sketch {
    Sketch::sample(stage, true, &mut keyed(seed, Purpose::Propose, 0, place as u64))
}

fn name(cast: &Cast, bed: &BedPlan) -> String {
    format!("random-{}-on-{}", cast.model, bed.name)
}

/// What has been measured of a cell so far.
pub fn sampled(cast: &Cast, bed: &BedPlan) -> Result<Sampled> {
    Ok(kept(&name(cast, bed))?.unwrap_or_default())
}

/// Goes on with a cell until it is done or the time is over.
pub fn measure(cast: &Cast, bed: &BedPlan, costs: &Costs, field: &Field, lessons: usize, until: Until) -> Result<()> {
    let stage = cast.stage(bed, costs)?;
    let timing = Timing { scale: cast.scale, steps: STEPS, seed: 1 };
    let run = |sketch: &Sketch| -> Result<f64> {
        Ok(Interval::of(field.time(&stage, &sketch.strategy(&stage, "sampled"), timing)?).mid)
    };
    let mut all = sampled(cast, bed)?;
    all.judged.resize(JUDGED.max(all.judged.len()), Vec::new());
    for (round, place) in (1..=ROUNDS).flat_map(|round| (0..JUDGED).map(move |place| (round, place))) {
        if until.is_over() {
            break;
        }
        if all.judged[place].len() < round {
            all.judged[place].push(run(&drawn(&stage, JUDGED_SEED, place))?);
            keep(&name(cast, bed), &all)?;
        }
    }
    while all.learned.len() < lessons && !until.is_over() {
        all.learned.push(run(&drawn(&stage, LEARNED_SEED, all.learned.len()))?);
        keep(&name(cast, bed), &all)?;
    }
    Ok(())
}
