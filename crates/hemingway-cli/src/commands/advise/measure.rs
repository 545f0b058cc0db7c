//! Goals that are a measure, such as accuracy, and what they mean to models fitted on it.

use anyhow::Result;
use hemingway::Error;
use hemingway::goal::Goal;
use hemingway::metric;
use hemingway::model::RunModel;
use hemingway::record::Metric;

use super::super::exit::Usage;

/// The column to take for the objective: the one named, or that of the goal.
pub(super) fn of(goal: &Goal, named: Option<&Metric>) -> Result<Option<Metric>> {
    let Goal::ReachMetric { metric: name, .. } = goal else { return Ok(named.cloned()) };
    match named {
        Some(named) if named.name != *name => {
            Err(Usage::error(format!("--metric {} is not the {name} of --reach-metric: name one", named.name)))
        }
        Some(named) => Ok(Some(named.clone())),
        None => Ok(Some(Metric { name: name.clone(), maximize: !metric::is_loss(name) })),
    }
}

/// The error, relative to the best the models hope for, at which the measure has this value.
pub(super) fn level(model: &RunModel, metric: Option<&Metric>, value: f64) -> Result<f64> {
    let maximize = metric.is_some_and(|metric| metric.maximize);
    let signed = |value: f64| if maximize { 1.0 - value } else { value };
    let bracket = model.bracket.ok_or_else(|| Error::Evidence("the records hold no value of the measure".into()))?;
    bracket.error(signed(value)).ok_or_else(|| {
        let [best, hope] = [bracket.best, bracket.mid].map(signed);
        Error::Evidence(format!("{value} is out of sight: the best seen is {best:.4}, the likeliest end {hope:.4}"))
            .into()
    })
}
