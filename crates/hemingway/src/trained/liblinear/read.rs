//! Reading what liblinear, or we, wrote.

use std::path::Path;

use super::{JOINT, SOLVERS};
use crate::data::Rules;
use crate::data::libsvm::Base;
use crate::data::prepare::LabelRule;
use crate::problem::{Classes, Loss, Scheme};
use crate::trained::{FORMAT, TrainedModel};
use crate::{Error, Result};

/// Whether a file begins like one of liblinear's.
pub(in crate::trained) fn begins(bytes: &[u8]) -> bool {
    [&b"solver_type "[..], b"nr_class "].iter().any(|word| bytes.starts_with(word))
}

/// Reads a model of classes or of numbers.
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
    let mut weights = Vec::new();
    for (at, line) in lines.filter(|(_, line)| !line.is_empty()) {
        weights.append(&mut numbers(line, header.outputs()).map_err(|what| Error::data(path, at, what))?);
    }
    header.model(weights).map_err(|what| Error::file(path, what))
}

/// The weights of a column.
fn numbers(line: &str, outputs: usize) -> Result<Vec<f64>, String> {
    let number = |word: &str| word.parse().ok().filter(|w: &f64| w.is_finite());
    let found: Option<Vec<f64>> = line.split_whitespace().map(number).collect();
    found.filter(|found| found.len() == outputs).ok_or_else(|| match outputs {
        1 => format!("expected one weight, a finite number, found `{line}`"),
        several => format!("expected {several} finite numbers, found `{line}`"),
    })
}

/// What stands before the weights.
#[derive(Default)]
struct Header {
    loss: Option<Loss>,
    classes: Option<usize>,
    columns: Option<u32>,
    labels: Option<Vec<i32>>,
    bias: Option<f64>,
}

/// Labels say so many classes.
const MOST_CLASSES: usize = 1 << 20;

impl Header {
    /// Takes one line in.
    fn take(&mut self, line: &str) -> Result<(), String> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "solver_type" => self.loss = Some(loss(rest)?),
            "nr_class" => {
                let count = rest.parse().ok().filter(|count| (2..=MOST_CLASSES).contains(count));
                self.classes = Some(count.ok_or_else(|| format!("`{rest}` is not a number of classes from 2 on"))?);
            }
            "label" => {
                let what = || format!("expected different whole numbers, found `{rest}`");
                self.labels = Some(different(rest).ok_or_else(what)?);
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

    /// Weights of a column.
    fn outputs(&self) -> usize {
        self.classes.filter(|count| *count > 2).unwrap_or(1)
    }

    /// The model, with the signs that [`super`] explains.
    fn model(self, mut weights: Vec<f64>) -> Result<TrainedModel, String> {
        let loss = self.loss.ok_or_else(|| missing("solver_type"))?;
        let columns = self.columns.ok_or_else(|| missing("nr_feature"))? as usize;
        let bias = self.bias.filter(|bias| *bias >= 0.0);
        let (outputs, width) = (self.outputs(), columns + usize::from(bias.is_some()));
        if weights.len() != outputs * width {
            let promised = outputs * width;
            return Err(format!(
                "holds {} weights where its header promises {promised}; write it again",
                weights.len()
            ));
        }
        let last = weights.len() - outputs.min(weights.len());
        weights[last..].iter_mut().for_each(|w| *w *= bias.unwrap_or(1.0));
        let labels = if loss.is_binary() { self.label(&mut weights)? } else { LabelRule::Keep };
        let classes = labels.many().map(|labels| Classes { scheme: Scheme::OneVsRest, count: labels.len() });
        let rules = Rules { columns, names: None, unit_rows: false, scales: None, intercept: bias.is_some(), labels };
        let format = FORMAT.into();
        Ok(TrainedModel {
            format,
            loss,
            classes,
            l2: None,
            l1: None,
            rules,
            base: Some(Base::One),
            factors: None,
            weights,
            provenance: None,
        })
    }

    /// Which label is which; puts the weights in our order, with our signs.
    fn label(self, weights: &mut Vec<f64>) -> Result<LabelRule, String> {
        let labels = self.labels.ok_or_else(|| missing("label"))?;
        match labels[..] {
            _ if labels.len() != self.classes.unwrap_or(2) => {
                Err(format!("has {} labels for its classes", labels.len()))
            }
            [first, second] => {
                weights.iter_mut().for_each(|w| *w = -*w);
                Ok(LabelRule::Two { negative: first.into(), positive: second.into() })
            }
            _ => {
                let (rule, ordered) = in_order(&labels, weights);
                *weights = ordered;
                Ok(rule)
            }
        }
    }
}

fn missing(word: &str) -> String {
    format!("is cut short: there is no line `{word}`")
}

/// Classes by ascending label, each with its w: the weights of the file stand column by column.
fn in_order(labels: &[i32], weights: &[f64]) -> (LabelRule, Vec<f64>) {
    let mut order: Vec<usize> = (0..labels.len()).collect();
    order.sort_by_key(|k| labels[*k]);
    let w = order.iter().flat_map(|k| weights.iter().skip(*k).step_by(labels.len())).copied().collect();
    (LabelRule::Many { labels: order.iter().map(|k| labels[*k].into()).collect() }, w)
}

/// Of Crammer & Singer's machines and of softmax only the largest score is told: as of any one against the rest.
fn loss(solver: &str) -> Result<Loss, String> {
    if solver == JOINT {
        return Ok(Loss::Hinge);
    }
    SOLVERS.iter().find(|(name, _)| *name == solver).map(|(_, loss)| *loss).ok_or_else(|| {
        let known = SOLVERS.map(|(name, _)| name).join(", ");
        format!("models of solver `{solver}` cannot be read, only those of {known}")
    })
}

fn different(text: &str) -> Option<Vec<i32>> {
    let numbers: Option<Vec<i32>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
    let mut sorted = numbers.clone()?;
    sorted.sort_unstable();
    numbers.filter(|_| sorted.is_sorted_by(|a, b| a < b))
}
