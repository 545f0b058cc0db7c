//! A few steps of conjugate gradients on one ridge regression, whose matrix is never made: A·v = Σ g·x(x·v) + w₀G·v + λv.
//! Entries are taken four at a time.

use super::Sent;
use super::lanes::{Lane, WIDE, ZERO, add, axpy, dot, dots, fill, four, lanes, turn};
use crate::data::Row;
use crate::problem::Factors;

/// Room for one regression after the other.
pub(super) struct Conjugate {
    factors: Factors,
    l2: f64,
    /// Lanes in a row.
    length: usize,
    /// x of every entry, one after the other, what each counts for, and what it pulls with; a multiple of four.
    rows: Vec<Lane>,
    counts: Vec<f64>,
    pulls: Vec<f64>,
    /// The rows of G, padded, and as often a multiple of four.
    gram: Vec<Lane>,
    /// Where it is, the residual, the direction, and A times one of them.
    place: Vec<Lane>,
    residual: Vec<Lane>,
    direction: Vec<Lane>,
    image: Vec<Lane>,
}

impl Conjugate {
    pub(super) fn new(factors: Factors, l2: f64) -> Self {
        let length = lanes(factors.width());
        let row = vec![ZERO; length];
        Self {
            factors,
            l2,
            length,
            rows: Vec::new(),
            counts: Vec::new(),
            pulls: Vec::new(),
            gram: Vec::new(),
            place: row.clone(),
            residual: row.clone(),
            direction: row.clone(),
            image: row,
        }
    }

    /// Takes the Gram matrix of a round.
    #[inline(always)]
    pub(super) fn begin(&mut self, gram: &[f64]) {
        self.gram.clear();
        let rows = if gram.is_empty() { 0 } else { WIDE * self.length };
        self.gram.resize(rows * self.length, ZERO);
        for (into, from) in self.gram.chunks_exact_mut(self.length).zip(gram.chunks_exact(self.factors.width())) {
            fill(into, from);
        }
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
        fill(&mut self.place, into);
        self.first_residual(ridge);
        let mut length = dot(&self.residual, &self.residual);
        for _ in 0..steps {
            // Nothing is left that could be made smaller.
            if length <= f64::MIN_POSITIVE {
                break;
            }
            self.multiply(ridge);
            let by = length / dot(&self.direction, &self.image);
            axpy(by, &self.direction, &mut self.place);
            axpy(-by, &self.image, &mut self.residual);
            let next = dot(&self.residual, &self.residual);
            let keep = next / length;
            turn(keep, &self.residual, &mut self.direction);
            length = next;
        }
        into.copy_from_slice(&self.place.as_flattened()[..into.len()]);
    }

    /// Copies the other side's factors, biases turned into constants.
    #[inline(always)]
    fn gather(&mut self, row: Row<'_>, others: &[f64]) {
        let Self { factors, length, rows, counts, pulls, .. } = self;
        let (rank, width, length) = (factors.rank, factors.width(), *length);
        let whole = row.stored().next_multiple_of(4);
        rows.resize(whole * length, ZERO);
        for numbers in [&mut *counts, &mut *pulls] {
            numbers.clear();
            numbers.resize(whole, 0.0);
        }
        for (k, (j, rating)) in row.iter().enumerate() {
            let other = &others[j as usize * width..(j as usize + 1) * width];
            let x = &mut rows[k * length..(k + 1) * length];
            fill(x, other);
            let mut y = factors.target(rating);
            if factors.biased() {
                y -= other[rank];
                x.as_flattened_mut()[rank] = 1.0;
            }
            counts[k] = factors.confidence(rating);
            pulls[k] = (counts[k] + factors.absent()) * y;
        }
    }

    /// r = b − A·x, which is where it goes first.
    #[inline(always)]
    fn first_residual(&mut self, ridge: f64) {
        let Self { length, rows, counts, pulls, gram, place, residual, direction, .. } = self;
        residual.fill(ZERO);
        axpy(-ridge, place, residual);
        add_gram(gram, *length, place, -1.0, residual);
        let (counts, pulls) = (counts.as_chunks::<4>().0, pulls.as_chunks::<4>().0);
        for ((rows, counts), pulls) in rows.chunks_exact(4 * *length).zip(counts).zip(pulls) {
            let rows = four(rows, *length);
            let z = dots(rows, place);
            let left = [0, 1, 2, 3].map(|k| pulls[k] - counts[k] * z[k]);
            add(rows, left, residual);
        }
        direction.copy_from_slice(residual);
    }

    /// The image of the direction.
    #[inline(always)]
    fn multiply(&mut self, ridge: f64) {
        let Self { length, rows, counts, gram, direction, image, .. } = self;
        image.fill(ZERO);
        axpy(ridge, direction, image);
        add_gram(gram, *length, direction, 1.0, image);
        for (rows, counts) in rows.chunks_exact(4 * *length).zip(counts.as_chunks::<4>().0) {
            let rows = four(rows, *length);
            let z = dots(rows, direction);
            add(rows, [0, 1, 2, 3].map(|k| counts[k] * z[k]), image);
        }
    }
}

/// y += a·G·v, G being its own transpose.
#[inline(always)]
fn add_gram(gram: &[Lane], length: usize, v: &[Lane], a: f64, y: &mut [Lane]) {
    let v = v.as_flattened().as_chunks::<4>().0;
    for (rows, v) in gram.chunks_exact(4 * length).zip(v) {
        add(four(rows, length), [0, 1, 2, 3].map(|k| a * v[k]), y);
    }
}
