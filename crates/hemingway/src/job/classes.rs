//! What labels ask for if the user does not say: a loss, and a way to tell more than two classes apart.

use super::{Facts, JobSpec};
use crate::Result;
use crate::data::prepare::{Preparation, Rules, are_numbers, distinct};
use crate::problem::{Classes, Loss, Scheme};

/// Classes are a logistic problem, numbers a squared one.
pub(super) fn default_loss(labels: &[f64], preparation: &Preparation, notes: &mut Vec<String>) -> Loss {
    let labels = distinct(labels);
    let (loss, why) = if labels.len() == 2 || preparation.positive.is_some() {
        (Loss::Logistic, "two classes")
    } else if preparation.classes.is_none() && are_numbers(&labels) {
        (Loss::Squared, "labels are numbers")
    } else {
        (Loss::Logistic, "several classes; --loss squared predicts their labels as numbers")
    };
    notes.push(format!("loss: {loss} ({why})"));
    loss
}

impl JobSpec {
    /// The classes, if there are more than two, and how they are told apart.
    pub(super) fn classes(&self, rules: &Rules, loss: Loss, notes: &mut Vec<String>) -> Result<Option<Classes>> {
        let Some(labels) = rules.labels.many() else { return Ok(None) };
        let asked = self.preparation.classes;
        let scheme = asked.unwrap_or_else(|| Scheme::usual(loss));
        scheme.check(loss)?;
        let classes = Classes { scheme, count: labels.len() };
        let or = if asked.is_some() { "" } else { "; --classes takes another way, --positive LABEL one class" };
        notes.push(format!("classes: {classes}{or}"));
        Ok(Some(classes))
    }
}

impl Facts {
    /// The loss, and how it sees several classes.
    pub fn loss_told(&self) -> String {
        let classes = self.classes.map(|classes| format!(", {classes}")).unwrap_or_default();
        format!("{} loss{classes}", self.loss)
    }
}
