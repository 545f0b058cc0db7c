//! What all methods that work on w alone share: the gradient, and the terms of P and D at any w.

use std::ops::Range;

use super::{Machines, Order, Task, Work, many};
use crate::Result;
use crate::data::Shard;
use crate::data::matrix::{axpy, dot};
use crate::problem::{BLOCK, Bents, Evaluation, Outline, Penalty};
use crate::simd::widest;

/// A whole pass over a shard: every entry once for each margin.
pub(super) fn pass(outline: &Outline, shard: &Shard) -> Work {
    Work { rows: shard.len() as u64, entries: outline.outputs() as u64 * shard.stored() }
}

/// What a block of rows is worth at a w.
#[derive(Debug)]
pub(super) struct Looked<'a> {
    /// Which of the held rows.
    pub(super) rows: Range<usize>,
    /// xᵢ·w.
    pub(super) predictions: &'a [f64],
    /// sᵢφ.
    values: &'a [f64],
    /// sᵢφ′.
    slopes: &'a [f64],
    /// sᵢφ″.
    pub(super) bends: &'a [f64],
}

/// Entries that are still in the nearest cache when they are needed again.
const NEAR: usize = 1536;

/// How many rows make a block: the more the better for vectors, as long as their entries stay near.
fn block_rows(shard: &Shard) -> usize {
    let entries = shard.stored() as usize / shard.len().max(1);
    let rows = (NEAR / entries.max(1)).clamp(8, BLOCK);
    // Whole vectors.
    rows - rows % 8
}

/// Shows `see` every block of rows at w. Entries are read once from memory; what `see` does with them finds them near.
#[inline(always)]
fn look(outline: &Outline, shard: &Shard, w: &[f64], mut see: impl FnMut(Looked<'_>)) {
    let (labels, weights) = (shard.labels(), shard.weights());
    let (mut z, mut at) = ([0.0; BLOCK], Bents::new());
    let size = block_rows(shard);
    for start in (0..shard.len()).step_by(size) {
        let rows = start..shard.len().min(start + size);
        let m = rows.len();
        shard.dots(rows.clone(), w, &mut z[..m]);
        at.fill(outline.loss, &z[..m], &labels[rows.clone()]);
        if let Some(weights) = weights {
            at.weigh(&weights[rows.clone()]);
        }
        let Bents { values, slopes, bends } = &at;
        see(Looked { rows, predictions: &z[..m], values: &values[..m], slopes: &slopes[..m], bends: &bends[..m] });
    }
}

/// The same in the widest form.
#[inline(always)]
fn wide_look(outline: &Outline, shard: &Shard, w: &[f64], see: impl FnMut(Looked<'_>)) {
    widest(
        #[inline(always)]
        || look(outline, shard, w, see),
    );
}

/// Adds Σ sᵢφ(xᵢ·w) to `push[d]` and Σ sᵢφ′(xᵢ·w)·xᵢ to `push[..d]`.
pub(super) fn push_gradient(outline: &Outline, shard: &Shard, w: &[f64], push: &mut [f64]) {
    match outline.classes {
        None => push_gradient_noting(outline, shard, w, push, |_| ()),
        Some(classes) => many::push_gradient_noting(outline, classes, shard, w, push, |_, _| ()),
    }
}

/// The same where rows have one margin, showing `note` every block of them.
#[inline(always)]
pub(super) fn push_gradient_noting(
    outline: &Outline,
    shard: &Shard,
    w: &[f64],
    push: &mut [f64],
    mut note: impl FnMut(Looked<'_>),
) {
    let (gradient, value) = push.split_at_mut(outline.columns);
    wide_look(
        outline,
        shard,
        w,
        #[inline(always)]
        |block| {
            value[0] += block.values.iter().sum::<f64>();
            shard.add_rows(block.rows.clone(), block.slopes, gradient);
            note(block);
        },
    );
}

/// Adds Σ sᵢφ(xᵢ·w) to `push[0]`.
pub(super) fn push_value(outline: &Outline, shard: &Shard, w: &[f64], push: &mut [f64]) {
    if let Some(classes) = outline.classes {
        return many::push_value(outline, classes, shard, w, push);
    }
    wide_look(
        outline,
        shard,
        w,
        #[inline(always)]
        |block| push[0] += block.values.iter().sum::<f64>(),
    );
}

/// Adds Σ aᵢ(xᵢ·p)xᵢ.
pub(super) fn push_product(shard: &Shard, p: &[f64], a: &[f64], push: &mut [f64]) {
    widest(
        #[inline(always)]
        || add_product(shard, p, a, push),
    );
}

/// Blocks of rows without any aᵢ are left out.
#[inline(always)]
fn add_product(shard: &Shard, p: &[f64], a: &[f64], push: &mut [f64]) {
    let mut z = [0.0; BLOCK];
    let size = block_rows(shard);
    for (start, a) in (0..shard.len()).step_by(size).zip(a.chunks(size)) {
        if a.iter().any(|a| *a != 0.0) {
            let rows = start..start + a.len();
            shard.dots(rows.clone(), p, &mut z[..a.len()]);
            z.iter_mut().zip(a).for_each(|(z, a)| *z *= a);
            shard.add_rows(rows, &z[..a.len()], push);
        }
    }
}

/// P(w) − λ₁‖w‖₁ and its gradient from the sums of [`push_gradient`]; `gradient` comes in as the sum.
pub(super) fn fold_gradient(outline: &Outline, w: &[f64], sum: &mut [f64]) -> f64 {
    let n = outline.rows as f64;
    let (gradient, value) = sum.split_at_mut(outline.coefficients());
    for (g, w) in gradient.iter_mut().zip(w) {
        *g = *g / n + outline.penalty.l2 * w;
    }
    value[0] / n + outline.penalty.ridge(w)
}

/// Numbers in the sum of an evaluation beyond Σ sᵢαᵢxᵢ.
const TERMS: usize = 3;

/// Adds to `push` the terms of P(w) and of the dual at the feasible point αᵢ = −t·φ′(xᵢ·w), t with the order.
pub(super) fn push_evaluation(order: &Order, outline: &Outline, shard: &Shard, w: &[f64], push: &mut [f64]) {
    let t = order.args[0];
    match outline.classes {
        None => push_evaluation_at(outline, shard, w, push, |_, z, y| t * outline.loss.dual_of(z, y)),
        Some(classes) => many::push_evaluation(outline, classes, shard, w, t, push),
    }
}

/// The same at any feasible αᵢ of rows with one margin, told from i, xᵢ·w and yᵢ.
pub(super) fn push_evaluation_at(
    outline: &Outline,
    shard: &Shard,
    w: &[f64],
    push: &mut [f64],
    dual: impl Fn(usize, f64, f64) -> f64,
) {
    let (v, terms) = push.split_at_mut(outline.columns);
    for i in 0..shard.len() {
        let (row, y, s) = (shard.row(i), shard.label(i), shard.weight(i));
        let z = row.dot(w);
        let alpha = dual(i, z, y);
        let (linear, quadratic) = outline.loss.dual_terms(alpha, y);
        terms[0] += s * outline.loss.value(z, y);
        terms[1] += s * linear;
        terms[2] += s * quadratic;
        if alpha != 0.0 {
            row.axpy(s * alpha, v);
        }
    }
}

/// Evaluates any w: one round, off the clock, or two where the dual point must be shrunk first.
pub(super) fn evaluate(outline: &Outline, on: &mut dyn Machines, shared: &[f64]) -> Result<Evaluation> {
    evaluate_within(outline, on, shared, &shared[..outline.coefficients()])
}

/// The same for a w that lies elsewhere in the shared vector. The order holds t and the number of machines.
pub(super) fn evaluate_within(
    outline: &Outline,
    on: &mut dyn Machines,
    shared: &[f64],
    w: &[f64],
) -> Result<Evaluation> {
    Ok(evaluate_showing(outline, on, shared, w)?.0)
}

/// The same with Σ sᵢαᵢxᵢ.
pub(super) fn evaluate_showing(
    outline: &Outline,
    on: &mut dyn Machines,
    shared: &[f64],
    w: &[f64],
) -> Result<(Evaluation, Vec<f64>)> {
    let d = outline.coefficients();
    let mut sum = vec![0.0; d + TERMS];
    let mut terms_at = |t: f64, sum: &mut [f64]| {
        let order = Order { args: vec![t, on.count() as f64], ..Order::aside(on, Task::Evaluate) };
        on.round(&order, shared, sum)
    };
    terms_at(1.0, &mut sum)?;
    let objective = sum[d] / outline.rows as f64 + outline.penalty.value(w);
    if !outline.loss.dual_scales() {
        let t = most_feasible(outline, &sum[..d]);
        if t < 1.0 {
            terms_at(t, &mut sum)?;
        }
    }
    let dual = best_dual(outline, &sum);
    sum.truncate(d);
    Ok((Evaluation { objective, dual }, sum))
}

/// The largest t in [0, 1] for which g*(t·v/n) is finite, v = Σ sᵢαᵢxᵢ.
fn most_feasible(outline: &Outline, v: &[f64]) -> f64 {
    if outline.penalty.l2 > 0.0 {
        return 1.0;
    }
    let largest = v.iter().fold(0.0_f64, |most, v| most.max(v.abs())) / outline.rows as f64;
    // A hair inside, so that rounding does not carry it out.
    if largest > outline.penalty.l1 { (1.0 - 1e-12) * outline.penalty.l1 / largest } else { 1.0 }
}

/// D(tα) = t·a − t²·c − g*(t·v/n) at its best t in [0, 1]: a point far from optimal would otherwise prove nothing.
fn best_dual(outline: &Outline, sum: &[f64]) -> Option<f64> {
    let (n, Penalty { l2, l1 }) = (outline.rows as f64, outline.penalty);
    if l2 <= 0.0 && l1 <= 0.0 {
        return None;
    }
    let (v, terms) = sum.split_at(outline.coefficients());
    let (linear, quadratic) = (terms[1] / n, terms[2] / n);
    let dual = |t: f64| t * linear - t * t * quadratic - outline.penalty.conjugate(v.iter().map(|v| t * v / n));
    if !outline.loss.dual_scales() {
        return Some(dual(1.0));
    }
    if l1 <= 0.0 {
        let curve = quadratic + dot(v, v) / (2.0 * l2 * n * n);
        let t = if curve > 0.0 { (linear / (2.0 * curve)).clamp(0.0, 1.0) } else { 1.0 };
        return Some(t * linear - t * t * curve);
    }
    Some(dual(highest(dual, most_feasible(outline, v))))
}

/// Where a concave function on [0, `end`] is highest, by golden section; the ends count too.
pub(super) fn highest(of: impl Fn(f64) -> f64, end: f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let (mut low, mut high) = (0.0, end);
    for _ in 0..60 {
        let (left, right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        if of(left) < of(right) {
            low = left;
        } else {
            high = right;
        }
    }
    [0.0, 0.5 * (low + high), end].into_iter().max_by(|a, b| of(*a).total_cmp(&of(*b))).unwrap_or(end)
}

/// w += Δ, the commonest pull.
pub(super) fn add(delta: &[f64], w: &mut [f64]) {
    axpy(1.0, delta, w);
}
