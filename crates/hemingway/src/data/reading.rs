//! What a file does not say of itself: where its labels and weights are, and what the training data imposes on its
//! companions.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::libsvm::Base;
use crate::{Error, Result};

/// Where labels are, as the user says.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Labels {
    /// `--label`: a column, by its name or by its number from 1.
    pub column: Option<String>,
    /// `--labels`: a NumPy file of its own, one label a row.
    pub file: Option<PathBuf>,
}

/// Where weights are, as the user says.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Weights {
    /// `--weight`: a column, by its name or by its number from 1.
    pub column: Option<String>,
    /// `--weights`: a file of its own, text or NumPy, one weight a row.
    pub file: Option<PathBuf>,
}

/// How to read a file, where its content leaves it open.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reading {
    /// Where its labels are.
    pub labels: Labels,
    /// Where its weights are, if it has any.
    pub weights: Weights,
    /// What the training data was, if this is its test set or data to predict.
    pub like: Option<Like>,
    /// Labels may be missing, as in prediction; they are 0 then.
    pub unlabelled: bool,
    /// The column of weights may be missing, as in a test set; all rows count alike then.
    pub unweighted: bool,
}

/// What the training data imposes on its companions: a test set that happens to hold no index 0, or its columns in
/// another order, would otherwise be misread.
#[derive(Debug, Clone, PartialEq)]
pub struct Like {
    /// What indices count from.
    pub base: Option<Base>,
    /// Number of columns, d.
    pub columns: usize,
    /// Their names, where they have any.
    pub names: Option<Vec<String>>,
}

impl Labels {
    /// Nothing was said.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// What holds for a test set too: a file of labels is that of its own rows only.
    pub fn of_companion(&self) -> Self {
        Self { column: self.column.clone(), file: None }
    }
}

impl Weights {
    /// Nothing was said.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// What holds for a test set too: a file of weights is that of its own rows only.
    pub fn of_companion(&self) -> Self {
        Self { column: self.column.clone(), file: None }
    }
}

impl Reading {
    /// Reads training data whose labels and weights are there.
    pub fn of(labels: &Labels, weights: &Weights) -> Self {
        Self { labels: labels.clone(), weights: weights.clone(), ..Self::default() }
    }

    /// What indices must count from.
    pub(crate) fn base(&self) -> Option<Base> {
        self.like.as_ref().and_then(|like| like.base)
    }

    /// Refuses `--label` and `--labels` where a format says itself where its labels are. Its training data may be a
    /// table whose column was named.
    pub(super) fn refuse_labels(&self, format: &str) -> Result<()> {
        self.refuse_file(format)?;
        if self.labels.column.is_none() || self.like.is_some() {
            return Ok(());
        }
        Err(Error::setting("--label", format!("{format} says itself where its labels are; leave --label out")))
    }

    /// Refuses `--weight` where there are no columns to name, unless the training data had some.
    pub(super) fn refuse_weight(&self, format: &str) -> Result<()> {
        if self.weights.column.is_none() || self.like.is_some() {
            return Ok(());
        }
        let what = format!("{format} has no columns to name; give a file of one weight a row with --weights");
        Err(Error::setting("--weight", what))
    }

    /// Refuses data that says how wide it is, and is not as wide as the training data.
    pub(super) fn refuse_width(&self, columns: usize) -> Result<(), String> {
        match &self.like {
            Some(like) if like.columns != columns => Err(format!(
                "holds {columns} columns, the training data {}: apply the model to data like that",
                like.columns
            )),
            _ => Ok(()),
        }
    }

    /// Refuses `--labels`, which is for NumPy files.
    pub(super) fn refuse_file(&self, format: &str) -> Result<()> {
        if self.labels.file.is_none() {
            return Ok(());
        }
        Err(Error::setting("--labels", format!("{format} holds its labels itself; leave --labels out")))
    }
}
