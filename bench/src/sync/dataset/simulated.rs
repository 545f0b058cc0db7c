//! Rows timed on the virtual clock: every built-in model on every cluster of the bench.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Result, anyhow};
use hemingway::engine::cores;
use hemingway::rng::{Purpose, keyed};
use hemingway::sync::Stage;
use hemingway::sync::model::builtin::NAMES;
use hemingway::sync::replay::{Engine, Judge};
use hemingway::sync::search::looks;
use hemingway::sync::sketch::Sketch;

use super::{Origin, RANDOM, Row, SIMULATED, Timed};
use crate::sync::testbed::{keep, kept};
use crate::sync::{CLUSTERS, stage};

/// Strategies of each model on each cluster, by the most variables that it may have for so many: a step of many has many times the
/// messages. Of every four, one may lose something or be late.
const DRAWN: [(usize, usize); 3] = [(16, 640), (40, 170), (usize::MAX, 24)];
const SEED: u64 = 21;

fn count(stage: &Stage) -> usize {
    let variables = stage.model.variables.len();
    DRAWN.iter().find(|(most, _)| variables <= *most).map_or(0, |(_, count)| *count)
}

fn pairs() -> Vec<(&'static str, &'static str)> {
    NAMES.iter().flat_map(|model| CLUSTERS.iter().map(|(cluster, _)| (*model, *cluster))).collect()
}

fn name((model, cluster): (&str, &str)) -> String {
    format!("played-{model}-on-{cluster}")
}

fn drawn(stage: &Stage, place: usize) -> Sketch {
    Sketch::sample(stage, !place.is_multiple_of(4), &mut keyed(SEED, Purpose::Propose, 0, place as u64))
}

/// Takes the times of rows whose forecasts are still the same: what messages take is the same to both.
pub fn recall(known: &[Row]) -> Result<()> {
    for pair in pairs() {
        let own = |row: &&Row| row.engine == SIMULATED && (&*row.model, &*row.cluster) == pair;
        let mut rows: Vec<&Row> = known.iter().filter(own).collect();
        rows.sort_by_key(|row| row.place);
        let Some(first) = rows.first().filter(|_| kept::<Vec<f64>>(&name(pair)).is_ok_and(|kept| kept.is_none()))
        else {
            continue;
        };
        let sketches: Vec<Sketch> = rows.iter().map(|row| row.sketch.clone()).collect();
        let looks = looks(&first.stage()?, &sketches)?;
        if rows.iter().zip(&looks).all(|(row, look)| row.look.forecast == look.forecast) {
            keep(&name(pair), &rows.iter().map(|row| row.seconds).collect::<Vec<f64>>())?;
        }
    }
    Ok(())
}

/// Plays what has not been played yet, a pair on each core.
pub fn play() -> Result<()> {
    let (pairs, next) = (pairs(), AtomicUsize::new(0));
    let work = || -> Result<()> {
        while let Some(pair) = pairs.get(next.fetch_add(1, Ordering::Relaxed)) {
            play_pair(*pair)?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cores()).map(|_| scope.spawn(work)).collect();
        let ended = |worker: thread::ScopedJoinHandle<'_, Result<()>>| {
            worker.join().unwrap_or_else(|_| Err(anyhow!("a thread that played strategies panicked")))
        };
        workers.into_iter().try_for_each(ended)
    })
}

fn play_pair(pair: (&str, &str)) -> Result<()> {
    let stage = stage(pair.0, pair.1)?;
    let done: Vec<f64> = kept(&name(pair))?.unwrap_or_default();
    if done.len() >= count(&stage) {
        return Ok(());
    }
    let sketches: Vec<Sketch> = (0..count(&stage)).map(|place| drawn(&stage, place)).collect();
    keep(&name(pair), &played(&stage, &sketches)?)
}

/// Seconds of all strategies of a pair, in their order.
pub fn played(stage: &Stage, sketches: &[Sketch]) -> Result<Vec<f64>> {
    let mut judge = Judge::new(stage, Engine::Simulated, SEED);
    let trials = sketches.iter().map(|sketch| judge.trial(&sketch.strategy(stage, "drawn")));
    Ok(trials.collect::<hemingway::Result<Vec<f64>>>()?)
}

/// Every row.
pub fn rows() -> Result<Vec<Row>> {
    let mut all = Vec::new();
    for pair in pairs() {
        let stage = stage(pair.0, pair.1)?;
        let seconds: Vec<f64> = kept(&name(pair))?.unwrap_or_default();
        let timed = |(place, seconds): (usize, f64)| Timed {
            source: RANDOM.into(),
            seed: SEED as usize,
            place,
            sketch: drawn(&stage, place),
            seconds: [seconds; 3],
            runs: 1,
        };
        let timed = seconds.into_iter().take(count(&stage)).enumerate().map(timed).collect();
        all.extend(super::rows(&stage, Origin { batch: 1.0, engine: SIMULATED, scale: 1.0 }, timed)?);
    }
    Ok(all)
}
