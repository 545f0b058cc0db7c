//! The model file: coefficients, what must be done to data before they apply, and where they came from.
//!
//! JSON holds all of it; [`ModelFormat`] lists what other programs read, where preparation is moved into the weights.

mod format;
mod liblinear;
mod onnx;
mod plain;
mod ratings;
mod safetensors;

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::backend::{Config, Ending};
use crate::data::libsvm::Base;
use crate::data::prepare::Rules;
use crate::data::{Dataset, Matrix};
use crate::problem::{Classes, Loss, largest};
use crate::record::store::replace;
use crate::{Error, Result, metric};
pub use format::ModelFormat;
pub use ratings::{RatingModel, Recommended};

/// The name and version of the format.
pub const FORMAT: &str = "hemingway-model-1";

/// A trained linear model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainedModel {
    /// [`FORMAT`].
    pub format: String,
    /// What it was trained to make small.
    pub loss: Loss,
    /// The classes, if there are more than two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<Classes>,
    /// λ₂, where the file says it.
    pub l2: Option<f64>,
    /// λ₁, where the file says it.
    #[serde(default)]
    pub l1: Option<f64>,
    /// What was done to the training data.
    pub rules: Rules,
    /// What indices counted from in the training data; other LIBSVM files are read alike.
    #[serde(default)]
    pub base: Option<Base>,
    /// What else a model of ratings holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub factors: Option<Box<RatingModel>>,
    /// w; the intercept, if any, last. Of several classes one w after the other. Of ratings Q, then P.
    pub weights: Vec<f64>,
    /// Where it came from, if from here.
    #[serde(default)]
    pub provenance: Option<Provenance>,
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
    /// Where weights of its rows came from, if they did not all count alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
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
        let text = ModelFormat::Json.bytes(self).map_err(|what| Error::file(path, what))?;
        replace(path, &text)
    }

    /// Writes the file in a format, whole or not at all, and returns sentences to say aloud.
    pub fn save_as(&self, path: &Path, format: ModelFormat) -> Result<Vec<String>> {
        let refuse = |what| Error::file(path, what);
        self.check().map_err(refuse)?;
        format.check(self.loss, &self.rules)?;
        format.check_factors(self.factors.is_some())?;
        replace(path, &format.bytes(self).map_err(refuse)?)?;
        Ok(format.notes(self))
    }

    /// Reads and checks a model file; which format it has, its content says.
    pub fn load(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(Error::io(path))?;
        let model = format::read(&bytes, path)?;
        model.check().map_err(|what| Error::file(path, what))?;
        Ok(model)
    }

    /// Refuses what cannot be applied.
    fn check(&self) -> Result<(), String> {
        let (rules, held) = (&self.rules, self.weights.len());
        let columns = self.columns();
        if self.format != FORMAT {
            return Err(format!("format {} is not {FORMAT}", self.format));
        }
        self.check_classes()?;
        if let Some(ratings) = &self.factors {
            ratings.check(held)?;
        }
        match self.classes {
            _ if self.factors.is_some() => {}
            None if held != columns => return Err(format!("holds {held} weights for {columns} columns")),
            Some(Classes { count, .. }) if held != columns.saturating_mul(count) => {
                return Err(format!("holds {held} weights for {count} classes of {columns} columns"));
            }
            _ => {}
        }
        if let Some(j) = self.weights.iter().position(|w| !w.is_finite()) {
            return Err(format!(
                "weight {} is {}: the model cannot be applied; train it again",
                j + 1,
                self.weights[j]
            ));
        }
        if rules.names.as_ref().is_some_and(|names| names.len() != rules.columns) {
            return Err(format!("does not name each of its {} columns", rules.columns));
        }
        let fit = |scales: &Vec<f64>| scales.len() == rules.columns && scales.iter().all(|s| s.is_finite() && *s > 0.0);
        if !rules.scales.as_ref().is_none_or(fit) {
            return Err(format!("does not hold a scale above 0 for each of its {} columns", rules.columns));
        }
        Ok(())
    }

    /// The columns of its rows, that of the intercept counted.
    fn columns(&self) -> usize {
        self.rules.columns.saturating_add(usize::from(self.rules.intercept))
    }

    /// Refuses classes that do not fit the labels.
    fn check_classes(&self) -> Result<(), String> {
        let labels = self.rules.labels.many();
        if labels.map(<[f64]>::len) != self.classes.map(|classes| classes.count) {
            return Err("does not name a label for each of its classes".into());
        }
        if labels.is_some_and(|labels| labels.len() < 3 || !labels.is_sorted_by(|a, b| a < b)) {
            return Err("its labels are not three or more, each larger than the last".into());
        }
        self.classes.map_or(Ok(()), |classes| classes.scheme.check(self.loss).map_err(|e| e.to_string()))
    }

    /// What other programs may want to show, by name.
    fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = vec![("loss", self.loss.to_string()), ("columns", self.rules.columns.to_string())];
        if let (Some(classes), Some(labels)) = (self.classes, self.rules.labels.many()) {
            facts.push(("classes", classes.scheme.to_string()));
            facts.push(("labels", serde_json::json!(labels).to_string()));
        }
        facts.extend(self.l2.map(|l2| ("l2", l2.to_string())));
        facts.extend(self.l1.map(|l1| ("l1", l1.to_string())));
        facts.extend(self.rules.names.as_ref().map(|names| ("names", serde_json::json!(names).to_string())));
        facts
    }

    /// Margins of a row: one, or one a class.
    pub fn outputs(&self) -> usize {
        self.classes.map_or(1, |classes| classes.count)
    }

    /// x·w for every row, of several classes one after the other; and sentences to say aloud.
    pub fn margins(&self, matrix: Matrix) -> Result<(Vec<f64>, Vec<String>)> {
        let (matrix, notes) = self.rules.apply_to_rows(matrix).map_err(|what| Error::file("data", what))?;
        let each = |i| self.weights.chunks_exact(self.columns().max(1)).map(move |w| (i, w));
        let margins = (0..matrix.rows()).flat_map(each).map(|(i, w)| matrix.row(i).dot(w));
        Ok((margins.collect(), notes))
    }

    /// Every measure that applies, on labelled data.
    pub fn score(&self, data: Dataset) -> Result<(std::collections::BTreeMap<String, f64>, Vec<String>)> {
        let (data, notes) = self.rules.apply(data)?;
        let data = data.weighed()?;
        Ok((metric::all(&data, &self.weights, self.loss, self.classes), notes))
    }

    /// The label that the margins of a row stand for: the user's own classes, or the number itself.
    pub fn label(&self, margins: &[f64]) -> f64 {
        match margins {
            [margin] if self.loss.is_binary() => self.rules.labels.undo(metric::decide(*margin)),
            [margin] => *margin,
            several => self.rules.labels.undo(largest(several) as f64),
        }
    }
}

#[cfg(test)]
mod tests;
