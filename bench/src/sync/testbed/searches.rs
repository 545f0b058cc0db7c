//! Searches whose every trial runs on the ranks.

use anyhow::Result;
use hemingway::sync::ranker::Ranker;
use hemingway::sync::replay::Engine;
use hemingway::sync::search::{Interval, Wish, search_by};
use hemingway::sync::sketch::Sketch;
use serde::{Deserialize, Serialize};

use super::beds::{BedPlan, Cast};
use super::calibrate::Costs;
use super::field::Field;
use super::{keep, kept};

/// What a search came to.
#[derive(Debug, Serialize, Deserialize)]
pub struct Searched {
    /// Seconds of what was found, confirmed: fastest, middle, slowest.
    pub found: [f64; 3],
    /// The same of every builder.
    pub builders: Vec<(String, [f64; 3])>,
    /// Every trial.
    pub trials: Vec<(Sketch, f64)>,
    /// The share of trials that beat every builder.
    pub hits: f64,
    /// Whether it ended by itself.
    pub settled: bool,
}

impl Searched {
    /// The fastest builder.
    pub fn best_builder(&self) -> Option<&(String, [f64; 3])> {
        self.builders.iter().min_by(|a, b| a.1[1].total_cmp(&b.1[1]))
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
    let wish = Wish { trials, lossless: true, seed: 1, engine: Engine::Ranks { scale: cast.scale } };
    let mut judge = field.judge(&stage, cast.scale);
    let found = search_by(&mut judge, wish, &Ranker::default(), &mut |words| eprintln!("{words}"))?;
    let three = |seconds: &Interval| [seconds.low, seconds.mid, seconds.high];
    let (hits, settled) = (found.hit_rate(), found.settled);
    let searched = Searched {
        found: three(&found.seconds),
        builders: found.builders.iter().map(|built| (built.name.to_string(), three(&built.seconds))).collect(),
        trials: found.trials.into_iter().map(|trial| (trial.sketch, trial.seconds)).collect(),
        hits,
        settled,
    };
    keep(&name(cast, bed), &searched)
}
