//! What methods that work on w alone do where rows have several margins: the sums of `primal`, of all classes in one look
//! at every row.

use crate::data::{Row, Shard};
use crate::problem::{Classes, Outline};

/// The margins of one row after the other, and what the loss makes of them.
pub(super) struct Margins<'a> {
    outline: &'a Outline,
    classes: Classes,
    /// xᵢ·wₖ.
    z: Vec<f64>,
    /// The slope along each.
    slopes: Vec<f64>,
    /// How the loss bends there, as [`Classes::product`] wants to know it.
    pub(super) bends: Vec<f64>,
}

impl<'a> Margins<'a> {
    pub(super) fn new(outline: &'a Outline, classes: Classes) -> Self {
        let numbers = vec![0.0; classes.count];
        Self { outline, classes, z: numbers.clone(), slopes: numbers.clone(), bends: numbers }
    }

    /// Looks at a row: its margins.
    fn see(&mut self, row: Row<'_>, w: &[f64]) {
        predict(self.outline, row, w, &mut self.z);
    }

    /// Looks at a row: φ, and all there is to know of it.
    fn see_bent(&mut self, row: Row<'_>, y: f64, w: &[f64]) -> f64 {
        self.see(row, w);
        self.classes.bent(self.outline.loss, &self.z, y, &mut self.slopes, &mut self.bends)
    }
}

/// x·wₖ for every class.
pub(super) fn predict(outline: &Outline, row: Row<'_>, w: &[f64], z: &mut [f64]) {
    z.iter_mut().zip(w.chunks_exact(outline.columns)).for_each(|(z, w)| *z = row.dot(w));
}

/// Adds cₖ·x to what belongs to every class.
pub(super) fn spread(outline: &Outline, row: Row<'_>, c: impl Iterator<Item = f64>, into: &mut [f64]) {
    for (c, into) in c.zip(into.chunks_exact_mut(outline.columns)).filter(|(c, _)| *c != 0.0) {
        row.axpy(c, into);
    }
}

/// Adds Σ sᵢφᵢ behind Σ sᵢ∇φᵢ xᵢᵀ, and tells of every row i how the loss bends there.
pub(super) fn push_gradient_noting(
    outline: &Outline,
    classes: Classes,
    shard: &Shard,
    w: &[f64],
    push: &mut [f64],
    mut note: impl FnMut(usize, &[f64]),
) {
    let (gradient, value) = push.split_at_mut(outline.coefficients());
    let mut margins = Margins::new(outline, classes);
    for i in 0..shard.len() {
        let (row, s) = (shard.row(i), shard.weight(i));
        value[0] += s * margins.see_bent(row, shard.label(i), w);
        spread(outline, row, margins.slopes.iter().map(|slope| s * slope), gradient);
        note(i, &margins.bends);
    }
}

/// Adds Σ sᵢφᵢ.
pub(super) fn push_value(outline: &Outline, classes: Classes, shard: &Shard, w: &[f64], push: &mut [f64]) {
    let mut margins = Margins::new(outline, classes);
    let mut loss = |i| {
        margins.see(shard.row(i), w);
        shard.weight(i) * classes.value(outline.loss, &margins.z, shard.label(i))
    };
    push[0] += (0..shard.len()).map(&mut loss).sum::<f64>();
}

/// Adds to `push` the terms of P(w) and of the dual at the feasible point αᵢ = −t∇φᵢ.
pub(super) fn push_evaluation(outline: &Outline, classes: Classes, shard: &Shard, w: &[f64], t: f64, push: &mut [f64]) {
    let (v, terms) = push.split_at_mut(outline.coefficients());
    let mut margins = Margins::new(outline, classes);
    let mut alpha = vec![0.0; classes.count];
    for i in 0..shard.len() {
        let (row, y, s) = (shard.row(i), shard.label(i), shard.weight(i));
        terms[0] += s * margins.see_bent(row, y, w);
        alpha.iter_mut().zip(&margins.slopes).for_each(|(alpha, slope)| *alpha = -t * slope);
        let (linear, quadratic) = classes.dual_terms(outline.loss, &alpha, y);
        terms[1] += s * linear;
        terms[2] += s * quadratic;
        spread(outline, row, alpha.iter().map(|alpha| s * alpha), v);
    }
}
