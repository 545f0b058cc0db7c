//! The best model of a job, kept whatever happens to the run that made it.

use serde::{Deserialize, Serialize};

use crate::backend::Config;
use crate::goal::Goal;
use crate::metric;
use crate::record::Record;

/// The best model so far. It may trail the journal after a kill; the rounds run again catch up.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Best {
    /// What the goal wants small.
    worth: f64,
    pub(super) objective: f64,
    /// What made it; nothing yet.
    pub(super) maker: Option<Config>,
    pub(super) model: Vec<f64>,
}

impl Best {
    pub(super) fn none(columns: usize) -> Self {
        Self { worth: f64::INFINITY, objective: f64::INFINITY, maker: None, model: vec![0.0; columns] }
    }

    pub(super) fn see(&mut self, goal: &Goal, record: &Record, model: &[f64]) {
        let worth = worth(goal, record);
        if worth < self.worth {
            let maker = Some(Config::new(&record.algorithm, record.machines));
            *self = Self { worth, objective: record.objective, maker, model: model.to_vec() };
        }
    }
}

/// What the goal wants small: the objective, or how far the asked-for measure is off.
fn worth(goal: &Goal, record: &Record) -> f64 {
    match goal {
        Goal::ReachMetric { metric, .. } => {
            let seen = record.metrics.get(metric).copied();
            seen.map_or(f64::INFINITY, |seen| if metric::is_loss(metric) { seen } else { -seen })
        }
        _ => record.objective,
    }
}
