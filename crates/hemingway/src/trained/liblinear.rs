//! liblinear's text: a header of words and numbers, then one weight a line.
//!
//! liblinear takes its first label where x·w > 0 and its second otherwise, ties included; we give ties, such as every
//! empty row, to +1. So that both predict the same, the negative label stands first, and weights change their sign.
//!
//! Of several classes a line holds the weights of all of them for a column, in the order of the labels; both take the first
//! of equal scores.

mod read;

use super::TrainedModel;
use super::plain::Plain;
use crate::data::Rules;
use crate::problem::{Classes, Loss, Scheme};
pub(super) use read::{begins, read};

/// Its name of several classes that are told apart together (Crammer & Singer's). Only there it does not make probabilities
/// of each score by itself, which softmax does not mean.
const JOINT: &str = "MCSVM_CS";

/// liblinear's names of solvers that have one weight a column, and the loss of each; of one loss, the first is written.
const SOLVERS: [(&str, Loss); 10] = [
    ("L2R_LR", Loss::Logistic),
    ("L2R_LR_DUAL", Loss::Logistic),
    ("L1R_LR", Loss::Logistic),
    ("L2R_L2LOSS_SVC", Loss::SquaredHinge),
    ("L2R_L2LOSS_SVC_DUAL", Loss::SquaredHinge),
    ("L1R_L2LOSS_SVC", Loss::SquaredHinge),
    ("L2R_L1LOSS_SVC_DUAL", Loss::Hinge),
    ("L2R_L2LOSS_SVR", Loss::Squared),
    ("L2R_L2LOSS_SVR_DUAL", Loss::Squared),
    ("L2R_L1LOSS_SVR_DUAL", Loss::Absolute),
];

/// Refuses what liblinear's `predict` cannot do, in the sentence to show.
///
/// A row divided by its length has its score divided by a positive number: the class stays the same unless an intercept
/// is added, the number that a regression predicts does not.
pub(super) fn check(loss: Loss, rules: &Rules) -> Result<(), String> {
    let scores_matter = !loss.is_binary() || rules.intercept;
    if rules.unit_rows && scores_matter {
        let why = if rules.intercept { "an intercept" } else { "regression" };
        return Err(format!(
            "liblinear does not scale rows to length 1, which matters with {why}; write .onnx, which does, or train without --normalize rows"
        ));
    }
    if loss.is_binary() {
        label_line(rules)?;
    }
    Ok(())
}

/// The text.
pub(super) fn write(model: &TrainedModel) -> Result<String, String> {
    let plain = Plain::of(model)?;
    let outputs = model.outputs();
    let mut text = format!("solver_type {}\nnr_class {}\n", solver(model), outputs.max(2));
    if model.loss.is_binary() {
        text += &format!("label {}\n", label_line(&model.rules)?);
    }
    let sign = if model.loss.is_binary() && outputs == 1 { -1.0 } else { 1.0 };
    let bias = if plain.intercepts.is_some() { 1 } else { -1 };
    text += &format!("nr_feature {}\nbias {bias}\nw\n", model.rules.columns);
    let numbers = [plain.by_column(outputs), plain.intercepts.unwrap_or_default()].concat();
    for line in numbers.chunks(outputs) {
        let words: Vec<String> = line.iter().map(|w| format!("{:?}", sign * w)).collect();
        text += &format!("{}\n", words.join(" "));
    }
    Ok(text)
}

/// The solver whose predictions are meant. Probabilities of rows that should have been scaled would be wrong: written as
/// a support vector machine, the model gives none.
fn solver(model: &TrainedModel) -> &'static str {
    if matches!(model.classes, Some(Classes { scheme: Scheme::Softmax, .. })) {
        return JOINT;
    }
    let loss = match model.loss {
        Loss::Logistic if model.rules.unit_rows => Loss::Hinge,
        Loss::SmoothedHinge => Loss::SquaredHinge,
        Loss::Huber => Loss::Squared,
        loss => loss,
    };
    SOLVERS.iter().find(|(_, of)| *of == loss).map_or(SOLVERS[0].0, |(name, _)| name)
}

/// The labels in the order of their scores; of two, the negative first.
fn label_line(rules: &Rules) -> Result<String, String> {
    let two = || [-1.0, 1.0].map(|class| rules.labels.undo(class)).to_vec();
    let labels = rules.labels.many().map_or_else(two, <[f64]>::to_vec);
    let is_whole = |label: &f64| f64::from(*label as i32) == *label;
    let words = |labels: &[f64], between: &str| labels.iter().map(f64::to_string).collect::<Vec<_>>().join(between);
    if !labels.iter().all(is_whole) {
        let few = words(&labels[..labels.len().min(3)], " and ");
        return Err(format!(
            "its labels are whole numbers, not {few}; give the classes such numbers, or write .onnx or .safetensors"
        ));
    }
    Ok(words(&labels, " "))
}
