//! What rows count for in a job.

use super::{Job, JobSpec};
use crate::Result;
use crate::data::{Dataset, Prepared, Weights, prepare};
use crate::problem::Loss;

/// The rows that count. Those of weight 0 are as if they were not there.
pub(super) fn counted(dataset: Dataset, notes: &mut Vec<String>) -> Result<Dataset> {
    if dataset.weights.is_none() {
        return Ok(dataset);
    }
    let all = dataset.rows();
    let weighed = dataset.into_weighed()?;
    let left_out = all - weighed.rows();
    notes.extend((left_out > 0).then(|| format!("rows of weight 0 are left out: {left_out} of {all}")));
    Ok(weighed)
}

impl JobSpec {
    /// Makes the rows ready, and weighs their classes.
    pub(super) fn prepare(&self, dataset: Dataset, loss: Loss) -> Result<Prepared> {
        let Some(classes) = &self.class_weight else { return prepare(dataset, &self.preparation, loss.is_binary()) };
        let labels = dataset.labels.clone();
        let mut prepared = prepare(dataset, &self.preparation, loss.is_binary())?;
        classes.apply(&labels, &mut prepared, loss.is_binary())?;
        prepared.dataset = prepared.dataset.into_weighed()?;
        Ok(prepared)
    }
}

impl Job {
    /// Where the weights of its rows came from, in words; nothing if they all count alike.
    pub fn weights_told(&self) -> Option<String> {
        self.problem.data.weights.as_ref()?;
        let Weights { column, file } = &self.spec.weights;
        let classes = self.spec.class_weight.as_ref().map(|classes| format!("classes {classes}"));
        let rows = match (column, file) {
            (_, Some(file)) => Some(format!("file {}", file.display())),
            (Some(column), None) => Some(format!("column {column}")),
            (None, None) => classes.is_none().then(|| "in the data".into()),
        };
        Some(rows.into_iter().chain(classes).collect::<Vec<_>>().join(", "))
    }
}
