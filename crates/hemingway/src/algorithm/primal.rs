//! What all methods that work on w alone share: the gradient, and the terms of P and D at any w.

use super::{Machines, Order, Task, Work};
use crate::Result;
use crate::data::Shard;
use crate::data::matrix::{axpy, dot};
use crate::problem::{Evaluation, Outline};

/// A whole pass over a shard.
pub(super) fn pass(shard: &Shard) -> Work {
    Work { rows: shard.len() as u64, entries: shard.stored() }
}

/// Adds Σ φ(xᵢ·w) to `push[d]` and Σ φ′(xᵢ·w)·xᵢ to `push[..d]`.
pub(super) fn push_gradient(outline: &Outline, shard: &Shard, w: &[f64], push: &mut [f64]) {
    let (gradient, value) = push.split_at_mut(outline.columns);
    for i in 0..shard.len() {
        let (row, y) = (shard.row(i), shard.label(i));
        let z = row.dot(w);
        value[0] += outline.loss.value(z, y);
        let slope = outline.loss.slope(z, y);
        if slope != 0.0 {
            row.axpy(slope, gradient);
        }
    }
}

/// Adds Σ φ(xᵢ·w) to `push[0]`.
pub(super) fn push_value(outline: &Outline, shard: &Shard, w: &[f64], push: &mut [f64]) {
    push[0] += (0..shard.len()).map(|i| outline.loss.value(shard.row(i).dot(w), shard.label(i))).sum::<f64>();
}

/// P(w) and ∇P(w) from the sums of [`push_gradient`]; `gradient` comes in as the sum.
pub(super) fn fold_gradient(outline: &Outline, w: &[f64], sum: &mut [f64]) -> f64 {
    let n = outline.rows as f64;
    let (gradient, value) = sum.split_at_mut(outline.columns);
    for (g, w) in gradient.iter_mut().zip(w) {
        *g = *g / n + outline.l2 * w;
    }
    value[0] / n + outline.penalty(w)
}

/// Numbers in the sum of an evaluation beyond Σ αᵢxᵢ.
const TERMS: usize = 3;

/// Adds to `push` the terms of P(w) and of the dual at the feasible point αᵢ = −φ′(xᵢ·w).
pub(super) fn push_evaluation(outline: &Outline, shard: &Shard, w: &[f64], push: &mut [f64]) {
    let (v, terms) = push.split_at_mut(outline.columns);
    for i in 0..shard.len() {
        let (row, y) = (shard.row(i), shard.label(i));
        let z = row.dot(w);
        let alpha = outline.loss.dual_of(z, y);
        let (linear, quadratic) = outline.loss.dual_terms(alpha, y);
        terms[0] += outline.loss.value(z, y);
        terms[1] += linear;
        terms[2] += quadratic;
        if alpha != 0.0 {
            row.axpy(alpha, v);
        }
    }
}

/// Evaluates any w: one round, off the clock.
pub(super) fn evaluate(outline: &Outline, on: &mut dyn Machines, shared: &[f64]) -> Result<Evaluation> {
    let d = outline.columns;
    let n = outline.rows as f64;
    let mut sum = vec![0.0; d + TERMS];
    on.round(&Order::aside(on, Task::Evaluate), shared, &mut sum)?;
    let (v, terms) = sum.split_at(d);
    let objective = terms[0] / n + outline.penalty(&shared[..d]);
    Ok(Evaluation { objective, dual: best_dual(outline, v, terms[1] / n, terms[2] / n) })
}

/// D(tα) = t·a − t²·(c + ‖v‖²/(2λn²)) at its best t in [0, 1], v = Σ αᵢxᵢ: a point far from optimal would
/// otherwise prove nothing.
fn best_dual(outline: &Outline, v: &[f64], linear: f64, quadratic: f64) -> Option<f64> {
    if outline.l2 <= 0.0 {
        return None;
    }
    let n = outline.rows as f64;
    let curve = quadratic + dot(v, v) / (2.0 * outline.l2 * n * n);
    let t = if outline.loss.dual_scales() && curve > 0.0 { (linear / (2.0 * curve)).clamp(0.0, 1.0) } else { 1.0 };
    Some(t * linear - t * t * curve)
}

/// w += Δ, the commonest pull.
pub(super) fn add(delta: &[f64], w: &mut [f64]) {
    axpy(1.0, delta, w);
}
