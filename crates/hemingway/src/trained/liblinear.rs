//! liblinear's text: a header of words and numbers, then one weight a line.
//!
//! liblinear takes its first label where x·w > 0 and its second otherwise, ties included; we give ties, such as every
//! empty row, to +1. So that both predict the same, the negative label stands first, and weights change their sign.

mod read;

use super::TrainedModel;
use super::plain::Plain;
use crate::data::Rules;
use crate::problem::Loss;
pub(super) use read::{begins, read};

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
        labels(rules)?;
    }
    Ok(())
}

/// The text.
pub(super) fn write(model: &TrainedModel) -> Result<String, String> {
    let Plain { weights, intercept } = Plain::of(model)?;
    let mut text = format!("solver_type {}\nnr_class 2\n", solver(model));
    let mut sign = 1.0;
    if model.loss.is_binary() {
        let [negative, positive] = labels(&model.rules)?;
        text += &format!("label {negative} {positive}\n");
        sign = -1.0;
    }
    let bias = if intercept.is_some() { 1 } else { -1 };
    text += &format!("nr_feature {}\nbias {bias}\nw\n", weights.len());
    weights.iter().chain(&intercept).for_each(|w| text += &format!("{:?}\n", sign * w));
    Ok(text)
}

/// The solver whose predictions are meant. Probabilities of rows that should have been scaled would be wrong: written as
/// a support vector machine, the model gives none.
fn solver(model: &TrainedModel) -> &'static str {
    let loss = match model.loss {
        Loss::Logistic if model.rules.unit_rows => Loss::Hinge,
        Loss::SmoothedHinge => Loss::SquaredHinge,
        Loss::Huber => Loss::Squared,
        loss => loss,
    };
    SOLVERS.iter().find(|(_, of)| *of == loss).map_or(SOLVERS[0].0, |(name, _)| name)
}

/// The negative and the positive label.
fn labels(rules: &Rules) -> Result<[i32; 2], String> {
    let [negative, positive] = [-1.0, 1.0].map(|class| rules.labels.undo(class));
    let whole = |label: f64| (f64::from(label as i32) == label).then_some(label as i32);
    whole(negative).zip(whole(positive)).map(|(negative, positive)| [negative, positive]).ok_or_else(|| {
        format!("its labels are whole numbers, not {negative} and {positive}; give the classes such numbers, or write .onnx or .safetensors")
    })
}
