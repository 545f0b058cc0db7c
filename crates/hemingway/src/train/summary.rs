//! How a job ended, as scripts read it.

use serde::{Deserialize, Serialize};

use super::{Compared, Decision, History, Purpose};
use crate::backend::{Config, Ending};
use crate::model::Estimate;

/// The result of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The goal was met.
    pub goal_met: bool,
    /// How it ended.
    pub ending: Ending,
    /// Why, in words.
    pub why: String,
    /// ẽ of the best model.
    pub estimated_error: Option<f64>,
    /// ê of the best model.
    pub certified_error: Option<f64>,
    /// P of the best model.
    pub objective: Option<f64>,
    /// The best bound below P*.
    pub lower_bound: f64,
    /// What trained it last.
    pub choice: Option<Config>,
    /// What the first choice was predicted to take.
    pub predicted_seconds: Option<Estimate>,
    /// What it took: training seconds of the chosen run.
    pub real_seconds: f64,
    /// Rounds of the chosen run.
    pub rounds: u64,
    /// Spent in probes.
    pub probe_seconds: f64,
    /// Everything since the job began.
    pub wall_seconds: f64,
    /// All seconds are virtual.
    pub simulated: bool,
    /// What it cost, where there is a price.
    pub dollars: Option<f64>,
    /// Changes of mind.
    pub switches: Vec<Switch>,
    /// Where the model is.
    pub model: Option<String>,
    /// The name of the run.
    pub run: String,
    /// The clusters compared before, this one among them; nothing where there was one only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clusters: Vec<Compared>,
}

/// A change of mind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Switch {
    /// At this round of the run it left.
    pub round: u64,
    /// From this configuration,
    pub from: Config,
    /// to this one,
    pub to: Config,
    /// because.
    pub why: String,
}

/// Every change of configuration between one training frame and the next.
pub(super) fn switches(decisions: &[Decision]) -> Vec<Switch> {
    let training = decisions.iter().filter_map(|decision| match decision {
        Decision::Run { frame, purpose: Purpose::Train, why, .. } => Some((frame, why)),
        _ => None,
    });
    let frames: Vec<_> = training.collect();
    let changed = frames.windows(2).filter(|pair| pair[0].0.config != pair[1].0.config);
    changed
        .map(|pair| Switch {
            round: pair[0].0.until_round,
            from: pair[0].0.config.clone(),
            to: pair[1].0.config.clone(),
            why: pair[1].1.clone(),
        })
        .collect()
}

impl Summary {
    /// Sums up a job that has ended so.
    pub fn of(history: &History, ending: Ending, why: &str) -> Self {
        let of = |wanted: Purpose| {
            history.decisions.iter().filter_map(move |decision| match decision {
                Decision::Run { frame, purpose, predicted, .. } if *purpose == wanted => Some((frame, *predicted)),
                _ => None,
            })
        };
        // A cap may forbid the first round of what was decided on.
        let begun = |wanted| of(wanted).rfind(|(frame, _)| history.last_of(&frame.run).is_some());
        // A probe may meet the goal before any training is decided on.
        let chosen = begun(Purpose::Train).or_else(|| begun(Purpose::Probe)).map(|(frame, _)| frame);
        // A job that ends with a plan has chosen without training.
        let planned = history.proposal().and_then(|plan| plan.choice()).map(|best| best.config.clone());
        let last = chosen.and_then(|frame| history.last_of(&frame.run));
        Self {
            goal_met: ending == Ending::GoalMet,
            ending,
            why: why.into(),
            estimated_error: history.standing.estimated_error(),
            certified_error: history.standing.certified_error(),
            objective: history.standing.objective(),
            lower_bound: history.standing.lower_bound(),
            choice: planned.or_else(|| chosen.map(|frame| frame.config.clone())),
            predicted_seconds: of(Purpose::Train).next().and_then(|(_, predicted)| predicted),
            real_seconds: last.map_or(0.0, |record| record.train_seconds),
            rounds: last.map_or(0, |record| record.round),
            probe_seconds: history.spent.probe_seconds,
            wall_seconds: history.spent.wall_seconds,
            simulated: history.facts.simulated,
            dollars: history.spent.dollars,
            switches: switches(&history.decisions),
            model: None,
            run: history.id.clone(),
            clusters: history.compared.clone(),
        }
    }
}
