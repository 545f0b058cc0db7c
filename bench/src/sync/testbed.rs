//! Forecasts, rankers and searches held against real ranks: strategies carried out across the hosts of a testbed.
//!
//! Every cell is a model on a bed. What is measured is kept in `bench/out/sync-testbed`, so that work goes on where it ended:
//! first what links and messages cost ([`calibrate`]), which ends before the first strategy is judged, then strategies drawn
//! at random ([`random`]), then searches ([`searches`]). [`tables`] prints what came of it.

pub mod beds;
pub mod calibrate;
pub mod field;
pub mod random;
pub mod searches;
pub mod tables;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use beds::{BEDS, BedPlan, Cast};
use searches::Searched;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::dataset::{self, Origin, Row};

/// Every cell, in the order in which they are measured.
fn cells() -> impl Iterator<Item = (&'static Cast, &'static BedPlan)> {
    BEDS.iter().flat_map(|bed| beds::casts(bed).map(move |cast| (cast, bed)))
}

/// Which cells are measured, and how long.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// One bed instead of all.
    pub bed: Option<&'a str>,
    /// One model instead of all.
    pub model: Option<&'a str>,
    /// The most trials of a search.
    pub trials: usize,
    /// Strategies drawn to learn from, in each cell that is learned from.
    pub lessons: usize,
    /// When to stop.
    pub until: Until,
}

impl Asked<'_> {
    fn casts(&self, bed: &BedPlan) -> Vec<&'static Cast> {
        beds::casts(bed).filter(|cast| self.model.is_none_or(|model| model == cast.model)).collect()
    }

    fn lessons(&self, cast: &Cast, bed: &BedPlan) -> usize {
        if beds::is_taught(cast, bed) { self.lessons } else { 0 }
    }

    fn is_unsearched(&self, cast: &Cast, bed: &BedPlan) -> Result<bool> {
        Ok(self.trials > 0 && beds::is_searched(cast, bed) && searches::searched(cast, bed)?.is_none())
    }
}

/// A search that is begun goes on to its end, which takes about so long.
const SEARCH_SECONDS: f64 = 75.0;

/// Measures what is not measured yet, bed by bed: costs, then random strategies, then searches.
pub fn measure(asked: &Asked<'_>) -> Result<()> {
    for bed in BEDS.iter().filter(|bed| asked.bed.is_none_or(|name| name == bed.name)) {
        let mut left = Vec::new();
        for cast in asked.casts(bed) {
            let is_left =
                !random::sampled(cast, bed)?.is_done(asked.lessons(cast, bed)) || asked.is_unsearched(cast, bed)?;
            left.extend(is_left.then_some(cast));
        }
        if left.is_empty() || asked.until.is_over() {
            continue;
        }
        let field = field::Field::up(bed)?;
        if !calibrate::is_done(bed)? {
            calibrate::measure(bed, &field)?;
        }
        let costs = calibrate::costs(bed)?;
        for cast in &left {
            random::measure(cast, bed, &costs, &field, asked.lessons(cast, bed), asked.until)?;
        }
        for cast in &left {
            if asked.is_unsearched(cast, bed)? && !asked.until.has_less_than(SEARCH_SECONDS) {
                searches::measure(cast, bed, &costs, &field, asked.trials)?;
            }
        }
    }
    Ok(())
}

/// Everything that ranks have timed, as rows of the data set.
pub fn rows() -> Result<Vec<Row>> {
    let mut all = Vec::new();
    for (cast, bed) in cells() {
        if !calibrate::is_done(bed)? {
            continue;
        }
        let stage = cast.stage(bed, &calibrate::costs(bed)?)?;
        let mut timed = random::sampled(cast, bed)?.timed(&stage);
        timed.extend(searches::searched(cast, bed)?.into_iter().flat_map(Searched::timed));
        let origin = Origin { batch: cast.batch, engine: dataset::RANKS, scale: cast.scale };
        all.extend(dataset::rows(&stage, origin, timed)?);
    }
    Ok(all)
}

/// When to stop, so that a run fits between others.
#[derive(Debug, Clone, Copy)]
pub struct Until(Option<Instant>);

impl Until {
    /// After so many minutes, if any.
    pub fn minutes(minutes: Option<f64>) -> Self {
        Self(minutes.map(|minutes| Instant::now() + Duration::from_secs_f64(60.0 * minutes.clamp(0.0, 1e6))))
    }

    /// Whether it is time.
    pub fn is_over(self) -> bool {
        self.has_less_than(0.0)
    }

    /// Whether there are fewer seconds left than these.
    pub fn has_less_than(self, seconds: f64) -> bool {
        self.0.is_some_and(|end| Instant::now() + Duration::from_secs_f64(seconds) > end)
    }
}

fn file(name: &str) -> Result<PathBuf> {
    let folder = crate::out_dir()?.join("sync-testbed");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder.join(format!("{name}.json")))
}

/// What was kept under a name.
pub(super) fn kept<T: DeserializeOwned>(name: &str) -> Result<Option<T>> {
    let path = file(name)?;
    let Ok(text) = std::fs::read(&path) else { return Ok(None) };
    serde_json::from_slice(&text).map(Some).with_context(|| format!("{} cannot be read", path.display()))
}

/// Keeps something under a name.
pub(super) fn keep(name: &str, what: &impl Serialize) -> Result<()> {
    let path = file(name)?;
    std::fs::write(&path, serde_json::to_vec(what)?).with_context(|| format!("cannot write {}", path.display()))
}
