//! Strategies drawn at random, each timed on the ranks: some to judge by, others to learn from.

use anyhow::Result;
use hemingway::rng::{Purpose, keyed};
use hemingway::sync::Stage;
use hemingway::sync::execute::Timing;
use hemingway::sync::ranker::Look;
use hemingway::sync::search::{Interval, looks};
use hemingway::sync::sketch::Sketch;
use serde::{Deserialize, Serialize};

use super::beds::{BedPlan, Cast};
use super::calibrate::Costs;
use super::field::Field;
use super::{Until, keep, kept};

/// Strategies that are judged, and how often each is run: once in each of so many rounds through all of them.
pub const JUDGED: usize = 32;
const ROUNDS: usize = 2;
/// Strategies that are learned from; none of them is judged.
pub const LEARNED: usize = 200;
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
    /// How far two runs of a strategy are apart, in logarithms: the median.
    pub fn spread(&self) -> f64 {
        let apart = |runs: &Vec<f64>| Some((runs.first()? / runs.get(1)?).ln().abs());
        Interval::of(self.judged.iter().filter_map(apart).collect()).mid
    }

    /// What each strategy that is judged looks like, and its seconds.
    pub fn asked(&self, stage: &Stage) -> Result<Vec<(Look, f64)>> {
        let run = || self.judged.iter().enumerate().filter(|(_, runs)| !runs.is_empty());
        let sketches: Vec<Sketch> = run().map(|(place, _)| judged(stage, place)).collect();
        let mean = |(_, runs): (usize, &Vec<f64>)| runs.iter().sum::<f64>() / runs.len() as f64;
        Ok(looks(stage, &sketches)?.into_iter().zip(run().map(mean)).collect())
    }

    /// The same of those that are learned from.
    pub fn lessons(&self, stage: &Stage) -> Result<Vec<(Look, f64)>> {
        let sketches: Vec<Sketch> = (0..self.learned.len()).map(|i| learned(stage, i)).collect();
        Ok(looks(stage, &sketches)?.into_iter().zip(self.learned.iter().copied()).collect())
    }

    /// Whether there is nothing left to run, with so many to learn from.
    pub fn is_done(&self, lessons: usize) -> bool {
        self.judged.len() == JUDGED
            && self.judged.iter().all(|runs| runs.len() == ROUNDS)
            && self.learned.len() >= lessons
    }
}

fn judged(stage: &Stage, place: usize) -> Sketch {
    Sketch::sample(stage, true, &mut keyed(11, Purpose::Propose, 0, place as u64))
}

fn learned(stage: &Stage, place: usize) -> Sketch {
    Sketch::sample(stage, true, &mut keyed(12, Purpose::Propose, 0, place as u64))
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
            all.judged[place].push(run(&judged(&stage, place))?);
            keep(&name(cast, bed), &all)?;
        }
    }
    while all.learned.len() < lessons && !until.is_over() {
        all.learned.push(run(&learned(&stage, all.learned.len()))?);
        keep(&name(cast, bed), &all)?;
    }
    Ok(())
}
