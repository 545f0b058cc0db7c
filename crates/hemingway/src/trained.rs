//! The model file: coefficients, what must be done to data before they apply, and where they came from.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::backend::{Config, Ending};
use crate::data::libsvm::Base;
use crate::data::prepare::Rules;
use crate::data::{Dataset, Matrix};
use crate::problem::Loss;
use crate::{Error, Result, metric};

/// The name and version of the format.
pub const FORMAT: &str = "hemingway-model-1";

/// A trained linear model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainedModel {
    /// [`FORMAT`].
    pub format: String,
    /// What it was trained to make small.
    pub loss: Loss,
    /// λ₂.
    pub l2: f64,
    /// λ₁.
    #[serde(default)]
    pub l1: f64,
    /// What was done to the training data.
    pub rules: Rules,
    /// What indices counted from in the training data; other LIBSVM files are read alike.
    #[serde(default)]
    pub base: Option<Base>,
    /// w; the intercept, if any, last.
    pub weights: Vec<f64>,
    /// Where it came from.
    pub provenance: Provenance,
}

/// Where a model came from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The version that made it.
    pub version: String,
    /// The run that made it.
    pub run: String,
    /// The data as named by the user.
    pub data: String,
    /// Fingerprint of the problem.
    pub problem: String,
    /// The seed.
    pub seed: u64,
    /// P(w).
    pub objective: f64,
    /// ẽ.
    pub estimated_error: Option<f64>,
    /// ê.
    pub certified_error: Option<f64>,
    /// What trained it.
    pub choice: Option<Config>,
    /// How training ended.
    pub ending: Ending,
}

impl TrainedModel {
    /// Writes the file whole or not at all.
    pub fn save(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_vec_pretty(self).map_err(|e| Error::file(path, e.to_string()))?;
        crate::record::store::replace(path, &text)
    }

    /// Reads and checks a model file.
    pub fn load(path: &Path) -> Result<Self> {
        let text = std::fs::read(path).map_err(Error::io(path))?;
        let model: Self = serde_json::from_slice(&text)
            .map_err(|e| Error::data(path, e.line(), format!("not a model file of ours: {e}")))?;
        if model.format != FORMAT {
            return Err(Error::file(path, format!("format {} is not {FORMAT}", model.format)));
        }
        let columns = model.rules.columns + usize::from(model.rules.intercept);
        if model.weights.len() != columns {
            return Err(Error::file(path, format!("holds {} weights for {columns} columns", model.weights.len())));
        }
        Ok(model)
    }

    /// x·w for every row, and sentences to say aloud.
    pub fn margins(&self, matrix: Matrix) -> Result<(Vec<f64>, Vec<String>)> {
        let (matrix, notes) = self.rules.apply_to_rows(matrix).map_err(|what| Error::file("data", what))?;
        Ok(((0..matrix.rows()).map(|i| matrix.row(i).dot(&self.weights)).collect(), notes))
    }

    /// Every measure that applies, on labelled data.
    pub fn score(&self, data: Dataset) -> Result<(std::collections::BTreeMap<String, f64>, Vec<String>)> {
        let (data, notes) = self.rules.apply(data)?;
        Ok((metric::all(&data, &self.weights, self.loss), notes))
    }

    /// The label a margin stands for: the user's own classes, or the number itself.
    pub fn label(&self, margin: f64) -> f64 {
        if self.loss.is_binary() { self.rules.labels.undo(metric::decide(margin)) } else { margin }
    }
}
