//! Reading what liblinear, or we, wrote.

use std::path::Path;

use super::SOLVERS;
use crate::data::Rules;
use crate::data::libsvm::Base;
use crate::data::prepare::LabelRule;
use crate::problem::Loss;
use crate::trained::{FORMAT, TrainedModel};
use crate::{Error, Result};

/// Whether a file begins like one of liblinear's.
pub(in crate::trained) fn begins(bytes: &[u8]) -> bool {
    [&b"solver_type "[..], b"nr_class "].iter().any(|word| bytes.starts_with(word))
}

/// Reads a model of two classes or of numbers.
pub(in crate::trained) fn read(bytes: &[u8], path: &Path) -> Result<TrainedModel> {
    let text =
        std::str::from_utf8(bytes).map_err(|_| Error::file(path, "begins like liblinear text but is not text"))?;
    if !text.ends_with('\n') {
        return Err(Error::file(path, "is cut short: its last line does not end"));
    }
    let mut lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
    let mut header = Header::default();
    for (at, line) in lines.by_ref().take_while(|(_, line)| *line != "w") {
        header.take(line).map_err(|what| Error::data(path, at, what))?;
    }
    let weights = lines.filter(|(_, line)| !line.is_empty()).map(|(at, line)| {
        let weight = line.parse().ok().filter(|w: &f64| w.is_finite());
        weight.ok_or_else(|| Error::data(path, at, format!("expected one weight, a finite number, found `{line}`")))
    });
    header.model(weights.collect::<Result<_>>()?).map_err(|what| Error::file(path, what))
}

/// What stands before the weights.
#[derive(Default)]
struct Header {
    loss: Option<Loss>,
    columns: Option<u32>,
    labels: Option<[i32; 2]>,
    bias: Option<f64>,
}

impl Header {
    /// Takes one line in.
    fn take(&mut self, line: &str) -> Result<(), String> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "solver_type" => self.loss = Some(loss(rest)?),
            "nr_class" if rest == "2" => {}
            "nr_class" => return Err(format!("{rest} classes; only models of two can be read, or of numbers")),
            "label" => {
                self.labels = Some(two(rest).ok_or_else(|| format!("expected two whole numbers, found `{rest}`"))?)
            }
            "nr_feature" => {
                self.columns = Some(rest.parse().map_err(|_| format!("`{rest}` is not a number of columns"))?)
            }
            "bias" => {
                let bias = rest.parse().ok().filter(|bias: &f64| bias.is_finite());
                self.bias = Some(bias.ok_or_else(|| format!("bias `{rest}` is not a finite number"))?);
            }
            other => return Err(format!("`{other}` has no meaning before the weights of a liblinear model")),
        }
        Ok(())
    }

    /// The model, with the signs that [`super`] explains.
    fn model(self, mut weights: Vec<f64>) -> Result<TrainedModel, String> {
        let missing = |word| format!("is cut short: there is no line `{word}`");
        let loss = self.loss.ok_or_else(|| missing("solver_type"))?;
        let columns = self.columns.ok_or_else(|| missing("nr_feature"))? as usize;
        let bias = self.bias.filter(|bias| *bias >= 0.0);
        let expected = columns + usize::from(bias.is_some());
        if weights.len() != expected {
            return Err(format!(
                "holds {} weights where its header promises {expected}; write it again",
                weights.len()
            ));
        }
        if let (Some(bias), Some(last)) = (bias, weights.last_mut()) {
            *last *= bias;
        }
        let mut labels = LabelRule::Keep;
        if loss.is_binary() {
            let [first, second] = self.labels.ok_or_else(|| missing("label"))?;
            labels = LabelRule::Two { negative: first.into(), positive: second.into() };
            weights.iter_mut().for_each(|w| *w = -*w);
        }
        let rules = Rules { columns, names: None, unit_rows: false, scales: None, intercept: bias.is_some(), labels };
        let format = FORMAT.into();
        Ok(TrainedModel { format, loss, l2: None, l1: None, rules, base: Some(Base::One), weights, provenance: None })
    }
}

fn loss(solver: &str) -> Result<Loss, String> {
    SOLVERS.iter().find(|(name, _)| *name == solver).map(|(_, loss)| *loss).ok_or_else(|| {
        let known = SOLVERS.map(|(name, _)| name).join(", ");
        format!("models of solver `{solver}` cannot be read, only those of {known}")
    })
}

fn two(text: &str) -> Option<[i32; 2]> {
    let numbers: Option<Vec<i32>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
    <[i32; 2]>::try_from(numbers?).ok().filter(|[first, second]| first != second)
}
