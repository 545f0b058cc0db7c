//! Searches whose every trial runs on the ranks.

use anyhow::Result;
use hemingway::sync::ranker::Ranker;
use hemingway::sync::replay::Engine;
use hemingway::sync::search::{Built, Interval, REPEATS, Wish, search_by};
use hemingway::sync::sketch::Sketch;
use serde::{Deserialize, Serialize};

use super::beds::{BedPlan, Cast};
use super::calibrate::Costs;
use super::field::Field;
use super::{keep, kept};
use crate::sync::dataset::{SEARCH, Timed};

const SEED: u64 = 1;

/// What a search came to.
#[derive(Debug, Serialize, Deserialize)]
pub struct Searched {
    /// Seconds of what was found, confirmed: fastest, middle, slowest.
    pub found: [f64; 3],
    /// The same of every builder with its best settings.
    pub builders: Vec<(String, Sketch, [f64; 3])>,
    /// Every trial.
    pub trials: Vec<(Sketch, f64)>,
    /// The share of trials that beat every builder.
    pub hits: f64,
    /// Whether it ended by itself.
    pub settled: bool,
}

impl Searched {
    /// The fastest builder.
    pub fn best_builder(&self) -> Option<&(String, Sketch, [f64; 3])> {
        self.builders.iter().min_by(|a, b| a.2[1].total_cmp(&b.2[1]))
    }

    /// Every trial, and every builder as it was confirmed.
    pub fn timed(self) -> Vec<Timed> {
        let one = |source: String, place, sketch, seconds, runs| Timed {
            source,
            seed: SEED as usize,
            place,
            sketch,
            seconds,
            runs,
        };
        let builders = self.builders.into_iter().map(|(name, sketch, three)| one(name, 0, sketch, three, REPEATS));
        let trials = self.trials.into_iter().enumerate();
        let trials = trials.map(|(place, (sketch, seconds))| one(SEARCH.into(), place, sketch, [seconds; 3], 1));
        builders.chain(trials).collect()
    }
}

fn name(cast: &Cast, bed: &BedPlan) -> String {
    format!("search-{}-on-{}", cast.model, bed.name)
}

/// What the search of a cell came to, if it has run.
pub fn searched(cast: &Cast, bed: &BedPlan) -> Result<Option<Searched>> {
    kept(&name(cast, bed))
}

/// Searches without loss, and keeps what was found.
pub fn measure(cast: &Cast, bed: &BedPlan, costs: &Costs, field: &Field, trials: usize) -> Result<()> {
    let stage = cast.stage(bed, costs)?;
    let wish = Wish { trials, lossless: true, seed: SEED, engine: Engine::Ranks { scale: cast.scale } };
    let mut judge = field.judge(&stage, cast.scale);
    let found = search_by(&mut judge, wish, &Ranker::default(), &mut |words| eprintln!("{words}"))?;
    let three = |seconds: &Interval| [seconds.low, seconds.mid, seconds.high];
    let built = |built: &Built| (built.name.to_string(), built.sketch().clone(), three(&built.seconds));
    let (hits, settled) = (found.hit_rate(), found.settled);
    let searched = Searched {
        found: three(&found.seconds),
        builders: found.builders.iter().map(built).collect(),
        trials: found.trials.into_iter().map(|trial| (trial.sketch, trial.seconds)).collect(),
        hits,
        settled,
    };
    keep(&name(cast, bed), &searched)
}
