//! The model for rows as they come: what is done to columns before training, moved into the weights.

use super::TrainedModel;

/// z = x·w + b, for rows that nothing was done to but, if the rules say so, division by their length before b is added.
pub(super) struct Plain {
    /// w, one a column.
    pub(super) weights: Vec<f64>,
    /// b.
    pub(super) intercept: Option<f64>,
}

impl Plain {
    /// (x / s)·w = x·(w / s).
    ///
    /// # Errors
    /// The sentence to show, if a weight does not survive the division.
    pub(super) fn of(model: &TrainedModel) -> Result<Self, String> {
        let (weights, intercept) = model.weights.split_at(model.rules.columns);
        let mut weights = weights.to_vec();
        if let Some(scales) = &model.rules.scales {
            weights.iter_mut().zip(scales).for_each(|(w, s)| *w /= s);
        }
        match weights.iter().position(|w| !w.is_finite()) {
            Some(j) => Err(format!(
                "the weight of column {} is too large without the scale of its column; only .json keeps both",
                j + 1
            )),
            None => Ok(Self { weights, intercept: intercept.first().copied() }),
        }
    }
}
