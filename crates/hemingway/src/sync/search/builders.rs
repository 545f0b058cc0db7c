//! Builders with their best settings.

use super::{Interval, Trial};
use crate::Result;
use crate::sync::builders::{NAMES, sketches};
use crate::sync::ranker::{Look, traits};
use crate::sync::replay::Judge;
use crate::sync::sketch::Sketch;
use crate::sync::stage::Stage;
use crate::sync::strategy::Strategy;

/// Settings of a builder that are run, the most promising on paper.
const RUN: usize = 3;

/// A builder with its best settings.
#[derive(Debug, Clone)]
pub struct Built {
    /// Its name.
    pub name: &'static str,
    /// The strategy.
    pub strategy: Strategy,
    /// Its time.
    pub seconds: Interval,
    pub(super) sketch: Sketch,
    pub(super) look: Look,
}

impl Built {
    /// Seconds on paper.
    pub fn forecast(&self) -> f64 {
        self.look.forecast
    }

    /// Its outline.
    pub fn sketch(&self) -> &Sketch {
        &self.sketch
    }

    pub(super) fn trial(&self) -> Trial {
        Trial { sketch: self.sketch.clone(), look: self.look, seconds: self.seconds.mid }
    }
}

/// Every builder that the cluster allows, tuned: all settings on paper, the best of them in trials.
pub fn tuned(stage: &Stage, judge: &mut Judge<'_>) -> Result<Vec<Built>> {
    let mut all = Vec::new();
    for name in NAMES {
        let mut looks = Vec::new();
        for sketch in sketches(name, stage).unwrap_or_default() {
            let strategy = sketch.strategy(stage, name);
            let look = traits(stage, &stage.play(&strategy)?).0;
            looks.push((sketch, strategy, look));
        }
        looks.sort_by(|a, b| a.2.forecast.total_cmp(&b.2.forecast));
        let mut best: Option<Built> = None;
        for (sketch, strategy, look) in looks.into_iter().take(RUN) {
            let seconds = judge.trial(&strategy)?;
            if best.as_ref().is_none_or(|best| seconds < best.seconds.mid) {
                let seconds = Interval { low: seconds, mid: seconds, high: seconds };
                best = Some(Built { name, strategy, seconds, sketch, look });
            }
        }
        all.extend(best);
    }
    Ok(all)
}
