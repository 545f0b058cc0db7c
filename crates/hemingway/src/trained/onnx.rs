//! An ONNX graph: rows as doubles in; labels, scores and probabilities, or numbers, out.
//!
//! Everything `predict` does is a node, scaling rows to length 1 too. Opset 13 is the oldest that has them all, so that
//! old runtimes read the file.

mod graph;
mod protobuf;

use super::TrainedModel;
use super::plain::Plain;
use crate::problem::{Classes, Loss, Scheme};
use graph::{Graph, Kind};
use protobuf::Message;

const IR_VERSION: i64 = 7;
const OPSET: i64 = 13;
/// What a file may hold: lengths are signed 32-bit numbers.
const MOST_BYTES: usize = i32::MAX as usize - (1 << 16);

/// The file.
pub(super) fn write(model: &TrainedModel) -> Result<Vec<u8>, String> {
    let plain = Plain::of(model)?;
    if plain.weights.len() > MOST_BYTES / size_of::<f64>() {
        return Err("has more weights than the 2 GB of an ONNX file hold; write .safetensors".into());
    }
    let opset = Message::default().text(1, "").int(2, OPSET);
    let mut file = Message::default()
        .int(1, IR_VERSION)
        .text(2, "hemingway")
        .text(3, env!("CARGO_PKG_VERSION"))
        .message(7, graph(model, plain))
        .message(8, opset);
    for (key, value) in model.facts() {
        file = file.message(14, Message::default().text(1, key).text(2, &value));
    }
    Ok(file.bytes())
}

/// The scores of rows: one a row, or of several classes one for each.
fn score(graph: &mut Graph, model: &TrainedModel, plain: Plain) -> String {
    let several = model.classes.is_some();
    let (columns, outputs) = (model.rules.columns, model.outputs());
    let shape: &[usize] = if several { &[columns, outputs] } else { &[columns] };
    let weights = graph.doubles("weights", shape, &plain.by_column(outputs));
    let mut score = graph.node("MatMul", &["rows", weights]);
    if model.rules.unit_rows {
        // The least above 0 stands for the length of an empty row, whose score is 0 either way.
        let least = graph.doubles("least_length", &[], &[f64::MIN_POSITIVE]);
        let length = graph.reduce("ReduceL2", "rows", several);
        let length = graph.node("Max", &[&length, least]);
        score = graph.node("Div", &[&score, &length]);
    }
    if let Some(intercepts) = plain.intercepts {
        let shape: &[usize] = if several { &[outputs] } else { &[] };
        let intercept = graph.doubles("intercept", shape, &intercepts);
        score = graph.node("Add", &[&score, intercept]);
    }
    score
}

/// What `predict` does, node by node.
fn graph(model: &TrainedModel, plain: Plain) -> Message {
    let mut graph = Graph::of_rows("rows", model.rules.columns);
    let score = score(&mut graph, model, plain);
    if let (Some(classes), Some(labels)) = (model.classes, model.rules.labels.many()) {
        several(&mut graph, &score, classes, labels, model.loss);
        return graph.message();
    }
    if !model.loss.is_binary() {
        graph.output("Identity", &[&score], "prediction", Kind::Double);
        return graph.message();
    }
    let zero = graph.doubles("zero", &[], &[0.0]);
    let below = graph.node("Less", &[&score, zero]);
    let kind = graph.labels([-1.0, 1.0].map(|class| model.rules.labels.undo(class)));
    graph.output("Where", &[&below, "negative", "positive"], "label", kind);
    graph.output("Identity", &[&score], "score", Kind::Double);
    if model.loss == Loss::Logistic {
        graph.output("Sigmoid", &[&score], "probability", Kind::Double);
    }
    graph.message()
}

/// The label of the largest score, all scores, and where the loss speaks of chances, those.
fn several(graph: &mut Graph, score: &str, classes: Classes, labels: &[f64], loss: Loss) {
    let kind = graph.label_list("labels", labels);
    let largest = graph.argmax(score);
    graph.output("Gather", &["labels", &largest], "label", kind);
    graph.outputs("Identity", &[score], "score", classes.count);
    match classes.scheme {
        Scheme::Softmax => graph.softmax(score, "probability", classes.count),
        Scheme::OneVsRest if loss == Loss::Logistic => {
            let each = graph.node("Sigmoid", &[score]);
            let all = graph.reduce("ReduceL1", &each, true);
            graph.outputs("Div", &[&each, &all], "probability", classes.count);
        }
        Scheme::OneVsRest => {}
    }
}
