//! What methods share whose machines hold columns: the shared vector is [v, w], v = Xw being every row's prediction.

use std::borrow::Cow;

use super::{Machines, Order, Task, Work, primal};
use crate::Result;
use crate::data::{Row, Shard};
use crate::placement::Placement;
use crate::problem::{Evaluation, Outline};

/// [v, w] at w = 0.
pub(super) fn shared(outline: &Outline) -> Vec<f64> {
    vec![0.0; outline.rows + outline.columns]
}

/// w.
pub(super) fn model<'a>(outline: &Outline, shared: &'a [f64]) -> Cow<'a, [f64]> {
    Cow::Borrowed(&shared[outline.rows..])
}

/// The columns of one machine.
pub(super) struct Columns {
    pub(super) outline: Outline,
    pub(super) shard: Shard,
    /// Σ sᵢxᵢⱼ² of its columns j.
    pub(super) norms: Vec<f64>,
}

impl Columns {
    pub(super) fn new(outline: &Outline, shard: Shard) -> Self {
        let norms = (0..shard.len()).map(|j| weighted_norm_sq(shard.row(j), shard.all_weights())).collect();
        Self { outline: *outline, shard, norms }
    }

    /// One look at every entry held.
    pub(super) fn pass(&self) -> Work {
        // Of every row, the share of the columns.
        let rows = self.outline.rows * self.shard.len() / self.outline.columns;
        Work { rows: rows as u64, entries: self.shard.stored() }
    }

    /// sᵢφ′ of every row: every machine needs all of them.
    pub(super) fn slopes(&self, v: &[f64]) -> Vec<f64> {
        let mut slopes: Vec<f64> =
            v.iter().zip(self.shard.all_labels()).map(|(v, y)| self.outline.loss.slope(*v, *y)).collect();
        if let Some(weights) = self.shard.all_weights() {
            slopes.iter_mut().zip(weights).for_each(|(slope, s)| *slope *= s);
        }
        slopes
    }

    /// Its columns' part of Xw.
    pub(super) fn push_predictions(&self, w: &[f64], push: &mut [f64]) {
        let own = &w[self.shard.start()..self.shard.start() + self.shard.len()];
        for (j, w) in own.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            self.shard.row(j).axpy(*w, push);
        }
    }

    /// Its columns of Xᵀα, and its part of the rows' terms of P and D, at αᵢ = −t·φ′(vᵢ).
    pub(super) fn push_evaluation(&self, order: &Order, shared: &[f64], push: &mut [f64]) {
        let [t, machines] = order.args[..] else { unreachable!("the server sends t and m") };
        let v = &shared[..self.outline.rows];
        let (columns, terms) = push.split_at_mut(self.outline.columns);
        let slopes = self.slopes(v);
        for j in 0..self.shard.len() {
            columns[self.shard.start() + j] = -t * self.shard.row(j).dot(&slopes);
        }
        let own = Placement::even(v.len(), machines as usize).range(self.shard.worker);
        let [value, linear, quadratic] = self.terms(v, own, t);
        terms[0] += value;
        terms[1] += linear;
        terms[2] += quadratic;
    }

    /// Σ sᵢφ and the two sums of D at αᵢ = −t·φ′(vᵢ), over some rows.
    pub(super) fn terms(&self, v: &[f64], rows: std::ops::Range<usize>, t: f64) -> [f64; 3] {
        let (loss, mut sums) = (self.outline.loss, [0.0; 3]);
        for i in rows {
            let (y, s) = (self.shard.all_labels()[i], self.shard.all_weights().map_or(1.0, |weights| weights[i]));
            let (linear, quadratic) = loss.dual_terms(t * loss.dual_of(v[i], y), y);
            sums[0] += s * loss.value(v[i], y);
            sums[1] += s * linear;
            sums[2] += s * quadratic;
        }
        sums
    }
}

/// Σ sᵢxᵢ².
pub(super) fn weighted_norm_sq(x: Row<'_>, weights: Option<&[f64]>) -> f64 {
    weights.map_or_else(|| x.norm_sq(), |s| x.iter().map(|(i, x)| s[i as usize] * x * x).sum())
}

/// Takes up a model: v = Xw in one round.
pub(super) fn adopt(outline: &Outline, on: &mut dyn Machines, model: &[f64], shared: &mut [f64]) -> Result<()> {
    let (v, w) = shared.split_at_mut(outline.rows);
    w.copy_from_slice(model);
    on.round(&Order::train(on, Task::Adopt, Vec::new()), model, v)?;
    Ok(())
}

/// P and D at the w within the shared vector, off the clock.
pub(super) fn evaluate(outline: &Outline, on: &mut dyn Machines, shared: &[f64]) -> Result<Evaluation> {
    primal::evaluate_within(outline, on, shared, &shared[outline.rows..])
}
