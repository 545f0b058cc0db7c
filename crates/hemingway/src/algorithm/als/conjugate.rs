//! A few steps of conjugate gradients on one ridge regression, whose matrix is never made: A·v = Σ g·x(x·v) + w₀G·v + λv.

use super::Sent;
use crate::data::Row;
use crate::data::matrix::{axpy, dot};
use crate::problem::Factors;

/// Room for one regression after the other.
pub(super) struct Conjugate {
    factors: Factors,
    l2: f64,
    /// x of every entry, one after the other, and what each counts for.
    rows: Vec<f64>,
    counts: Vec<f64>,
    /// Residual, direction, and A times the direction.
    residual: Vec<f64>,
    direction: Vec<f64>,
    image: Vec<f64>,
}

impl Conjugate {
    pub(super) fn new(factors: Factors, l2: f64) -> Self {
        let zeros = vec![0.0; factors.width()];
        let (rows, counts) = (Vec::new(), Vec::new());
        Self { factors, l2, rows, counts, residual: zeros.clone(), direction: zeros.clone(), image: zeros }
    }

    /// So many steps from where `into` is.
    #[inline(always)]
    pub(super) fn improve(&mut self, row: Row<'_>, sent: &Sent<'_>, steps: usize, into: &mut [f64]) {
        let count = row.stored();
        if count == 0 {
            return into.fill(0.0);
        }
        let ridge = if self.factors.biased() { self.l2 * count as f64 } else { self.l2 };
        self.gather(row, sent.others);
        self.multiply(into, sent.gram, ridge);
        self.residual.iter_mut().zip(&self.image).for_each(|(r, image)| *r -= image);
        self.direction.copy_from_slice(&self.residual);
        let mut length = dot(&self.residual, &self.residual);
        for _ in 0..steps {
            // Nothing is left that could be made smaller.
            if length <= f64::MIN_POSITIVE {
                return;
            }
            let direction = std::mem::take(&mut self.direction);
            self.multiply(&direction, sent.gram, ridge);
            let by = length / dot(&direction, &self.image);
            axpy(by, &direction, into);
            axpy(-by, &self.image, &mut self.residual);
            let next = dot(&self.residual, &self.residual);
            self.direction = direction;
            let keep = next / length;
            self.direction.iter_mut().zip(&self.residual).for_each(|(d, r)| *d = r + keep * *d);
            length = next;
        }
    }

    /// Copies the other side's factors, biases turned into constants, and leaves b in the residual.
    #[inline(always)]
    fn gather(&mut self, row: Row<'_>, others: &[f64]) {
        let Self { factors, rows, counts, residual, .. } = self;
        let (rank, width) = (factors.rank, factors.width());
        rows.clear();
        counts.clear();
        residual.fill(0.0);
        for (j, rating) in row.iter() {
            let other = &others[j as usize * width..(j as usize + 1) * width];
            let start = rows.len();
            rows.extend_from_slice(other);
            let mut y = factors.target(rating);
            if factors.biased() {
                y -= other[rank];
                rows[start + rank] = 1.0;
            }
            let g = factors.confidence(rating);
            counts.push(g);
            axpy((g + factors.absent()) * y, &rows[start..], residual);
        }
    }

    /// The image of v.
    #[inline(always)]
    fn multiply(&mut self, v: &[f64], gram: &[f64], ridge: f64) {
        let Self { rows, counts, image, .. } = self;
        let width = v.len();
        image.iter_mut().zip(v).for_each(|(image, v)| *image = ridge * v);
        for (row, v) in gram.chunks_exact(width).zip(v) {
            axpy(*v, row, image);
        }
        for (x, g) in rows.chunks_exact(width).zip(counts.iter()) {
            axpy(g * dot(x, v), x, image);
        }
    }
}
