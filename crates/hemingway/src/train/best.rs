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

/// The record of the best model: the first of those that the goal values most, as [`Best`] keeps it.
pub(super) fn record_of_best<'a>(goal: &Goal, records: &'a [Record]) -> Option<&'a Record> {
    let valued = records.iter().map(|record| (worth(goal, record), record));
    valued.filter(|(worth, _)| worth.is_finite()).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, record)| record)
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
