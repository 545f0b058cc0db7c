//! How a job ended, as scripts read it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::best::record_of_best;
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
    /// Its measures on the test set, by name; nothing where there is none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: BTreeMap<String, f64>,
    /// What trained it.
    pub choice: Option<Config>,
    /// What the first choice was predicted to take.
    pub predicted_seconds: Option<Estimate>,
    /// What it took: training seconds of the chosen run.
    pub real_seconds: f64,
    /// Rounds of the chosen run, without those of one whose model it took up.
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

/// How what it took compares with what was predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Less than the interval.
    Sooner,
    /// Within the interval.
    Held,
    /// More.
    Missed,
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
        let first_choice = history.decisions.iter().find_map(|decision| match decision {
            Decision::Run { purpose: Purpose::Train, predicted, .. } => Some(*predicted),
            _ => None,
        });
        // Whatever ran last: the model that is kept may be that of another run, of a probe even.
        let best = record_of_best(&history.spec.goal, &history.records);
        let objective = best.map(|best| best.objective);
        let trained = best.map(|best| history.spec.config_of(&best.algorithm, best.machines));
        // A job that ends with a plan has chosen without training.
        let planned = history.proposal().and_then(|plan| plan.choice()).map(|best| best.config.clone());
        let last = best.and_then(|best| history.last_of(&best.run));
        Self {
            goal_met: ending == Ending::GoalMet,
            ending,
            why: why.into(),
            estimated_error: objective.and_then(|objective| history.standing.estimated_error_of(objective)),
            certified_error: objective.and_then(|objective| history.standing.certified_error_of(objective)),
            objective,
            lower_bound: history.standing.lower_bound(),
            metrics: best.map(|best| best.metrics.clone()).unwrap_or_default(),
            choice: planned.or(trained).map(|choice| history.spec.exchanged(choice)),
            predicted_seconds: first_choice.flatten(),
            real_seconds: last.map_or(0.0, |record| record.train_seconds),
            rounds: last.map_or(0, |record| history.rounds_of(&record.run)),
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

impl History {
    /// The configuration that training began with, of which the summary's seconds were predicted.
    pub fn first_choice(&self) -> Option<Config> {
        let first = self.decisions.iter().find_map(|decision| match decision {
            Decision::Run { purpose: Purpose::Train, frame, .. } => Some(frame.config.clone()),
            _ => None,
        });
        first.map(|config| self.spec.exchanged(config))
    }

    /// What was predicted is of what made the model.
    pub fn kept_its_choice(&self, summary: &Summary) -> bool {
        summary.switches.is_empty() && summary.choice.is_some() && self.first_choice() == summary.choice
    }

    /// Whether what was predicted came true. Nothing is said where the goal was not met, or by a model that something else made
    /// than what it was predicted of: neither held nor missed is true of that.
    pub fn verdict(&self, summary: &Summary) -> Option<Verdict> {
        let predicted = summary.predicted_seconds.filter(|_| summary.goal_met && self.kept_its_choice(summary))?;
        Some(match summary.real_seconds {
            real if real < predicted.low => Verdict::Sooner,
            real if real <= predicted.high => Verdict::Held,
            _ => Verdict::Missed,
        })
    }
}
