//! The model for rows as they come: what is done to columns before training, moved into the weights.

use super::TrainedModel;

/// z = x·w + b, for rows that nothing was done to but, if the rules say so, division by their length before b is added. Of
/// several classes each has its w and its b.
pub(super) struct Plain {
    /// w, one a column; one w after the other.
    pub(super) weights: Vec<f64>,
    /// b, one a w.
    pub(super) intercepts: Option<Vec<f64>>,
}

impl Plain {
    /// (x / s)·w = x·(w / s).
    ///
    /// # Errors
    /// The sentence to show, if a weight does not survive the division.
    pub(super) fn of(model: &TrainedModel) -> Result<Self, String> {
        let columns = model.rules.columns;
        let each = || model.weights.chunks_exact(model.columns().max(1));
        let mut weights: Vec<f64> = each().flat_map(|w| &w[..columns]).copied().collect();
        if let Some(scales) = &model.rules.scales {
            weights.iter_mut().zip(scales.iter().cycle()).for_each(|(w, s)| *w /= s);
        }
        match weights.iter().position(|w| !w.is_finite()) {
            Some(at) => Err(format!(
                "the weight of column {} is too large without the scale of its column; only .json keeps both",
                at % columns + 1
            )),
            None => {
                Ok(Self { weights, intercepts: model.rules.intercept.then(|| each().map(|w| w[columns]).collect()) })
            }
        }
    }

    /// The weights column by column, those of every class together.
    pub(super) fn by_column(&self, classes: usize) -> Vec<f64> {
        let columns = self.weights.len() / classes;
        (0..columns).flat_map(|j| (0..classes).map(move |k| self.weights[k * columns + j])).collect()
    }
}
