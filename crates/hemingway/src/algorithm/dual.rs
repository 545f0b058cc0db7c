//! What all methods that keep a dual variable αᵢ for every row share. The shared vector is v(α) = Σ sᵢαᵢxᵢ / (λ₂n); the
//! model w(α) is v shrunk by λ₁/λ₂, and v itself without λ₁.
//!
//! αᵢ is counted for each unit of the row's weight sᵢ. The conjugate of sᵢφ is u ↦ sᵢφ*(u/sᵢ), so that at the dual
//! variables sᵢαᵢ
//!
//!   D(α) = (1/n) Σ −sᵢφ*(−αᵢ) − g*((1/n) Σ sᵢαᵢxᵢ):
//!
//! αᵢ keeps the range that φ gives it, and weight 0 divides nothing. Along one αᵢ, nD changes by
//! sᵢ·(−φ*(−αᵢ − Δ) + φ*(−αᵢ) − zΔ − ½ sᵢqΔ²) with q = ‖xᵢ‖²/(λ₂n) where λ₁ is 0, and at least so elsewhere: the exact
//! step is that of a row without weight whose ‖xᵢ‖² is sᵢ times as large.
//!
//! Of several classes one against the rest, each is such a problem: a row has an α for every margin, one after the other, and
//! v and D are theirs side by side.

use std::borrow::Cow;

use super::primal::highest;
use super::{Machines, Order, Task};
use crate::Result;
use crate::data::matrix::dot;
use crate::data::{Row, Shard};
use crate::problem::{Evaluation, Outline, shrunk};

/// λ₁/λ₂.
pub(super) fn shrinkage(outline: &Outline) -> f64 {
    outline.penalty.l1 / outline.penalty.l2
}

/// x·w, w being v shrunk.
#[inline(always)]
pub(super) fn predict(row: Row<'_>, v: &[f64], by: f64) -> f64 {
    if by == 0.0 { row.dot(v) } else { row.iter().map(|(j, x)| x * shrunk(v[j as usize], by)).sum() }
}

/// w(α).
pub(super) fn model<'a>(outline: &Outline, v: &'a [f64]) -> Cow<'a, [f64]> {
    let by = shrinkage(outline);
    if by == 0.0 { Cow::Borrowed(v) } else { v.iter().map(|v| shrunk(*v, by)).collect() }
}

/// Adds [Σ sᵢφ(xᵢ·w), Σ −sᵢφ*(−αᵢ)].
pub(super) fn push_evaluation(
    outline: &Outline,
    shard: &Shard,
    v: &[f64],
    alpha: impl Iterator<Item = f64>,
    push: &mut [f64],
) {
    let by = shrinkage(outline);
    for (at, alpha) in alpha.enumerate() {
        let (i, margin) = outline.place(at);
        let (row, y, s) = (shard.row(i), outline.target(shard.label(i), margin), shard.weight(i));
        let (linear, quadratic) = outline.loss.dual_terms(alpha, y);
        push[0] += s * outline.loss.value(predict(row, &v[outline.block(margin)], by), y);
        push[1] += s * (linear - quadratic);
    }
}

/// P(w(α)) and D(α): one round, off the clock.
pub(super) fn evaluate(outline: &Outline, on: &mut dyn Machines, v: &[f64]) -> Result<Evaluation> {
    let mut sum = [0.0; 2];
    on.round(&Order::aside(on, Task::Evaluate), v, &mut sum)?;
    let n = outline.rows as f64;
    let penalty = &outline.penalty;
    Ok(Evaluation {
        objective: sum[0] / n + penalty.value(&model(outline, v)),
        dual: Some(sum[1] / n - penalty.conjugate(v.iter().map(|v| penalty.l2 * v))),
    })
}

/// Sets αᵢ = −t·φ′(xᵢ·w), t with the order, and adds its share of v(α).
pub(super) fn push_adopted<'a>(
    order: &Order,
    outline: &Outline,
    shard: &Shard,
    w: &[f64],
    alpha: impl Iterator<Item = &'a mut f64>,
    push: &mut [f64],
) {
    for (at, alpha) in alpha.enumerate() {
        let (i, margin) = outline.place(at);
        let (row, y, block) = (shard.row(i), outline.target(shard.label(i), margin), outline.block(margin));
        *alpha = order.args[0] * outline.loss.dual_of(row.dot(&w[block.clone()]), y);
        row.axpy(shard.weight(i) * *alpha / outline.l2_rows(), &mut push[block]);
    }
}

/// Makes α fit a model. w(α) differs from it unless it is optimal, and by far where λ₂ is small; α is therefore shrunk by
/// the t in [0, 1] that brings w(tα) nearest to it.
pub(super) fn adopt(
    outline: &Outline,
    on: &mut dyn Machines,
    w: &[f64],
    sum: &mut [f64],
    shared: &mut [f64],
) -> Result<()> {
    on.round(&Order::train(on, Task::Adopt, vec![1.0]), w, sum)?;
    let t = nearest(outline, sum, w);
    if t < 1.0 {
        on.round(&Order::train(on, Task::Adopt, vec![t]), w, sum)?;
    }
    shared.copy_from_slice(sum);
    Ok(())
}

/// The t in [0, 1] for which t·v shrunk is nearest to w.
fn nearest(outline: &Outline, v: &[f64], w: &[f64]) -> f64 {
    let by = shrinkage(outline);
    if by == 0.0 {
        let length = dot(v, v);
        return if length > 0.0 { (dot(v, w) / length).clamp(0.0, 1.0) } else { 1.0 };
    }
    highest(|t| -v.iter().zip(w).map(|(v, w)| (shrunk(t * v, by) - w).powi(2)).sum::<f64>(), 1.0)
}
