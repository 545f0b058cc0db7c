//! One ridge regression: the normal equations of a user's, or an item's, entries, and their Cholesky factorization.
//!
//! Only the triangle above the diagonal is kept, in rows of whole vectors. Entries come in blocks, so that a tile of the matrix stays in
//! registers for all of them; the factorization subtracts whole rows. Nothing is summed across a vector, so that
//! the bits are the same at every width.

use super::Sent;
use crate::data::Row;
use crate::data::matrix::dot;
use crate::problem::Factors;

/// Rows of a tile, and its columns, a whole number of vectors.
const TALL: usize = 4;
const WIDE: usize = 8;
/// Entries taken together.
const BLOCK: usize = 32;

/// Room for one regression after the other.
pub(super) struct Regression {
    factors: Factors,
    l2: f64,
    /// Numbers in a row of what follows.
    stride: usize,
    /// A, then its factor.
    matrix: Vec<f64>,
    /// b.
    right: Vec<f64>,
    /// x of the entries of a block, and each times what it counts for.
    block: Vec<f64>,
    counted: Vec<f64>,
}

impl Regression {
    pub(super) fn new(factors: Factors, l2: f64) -> Self {
        let stride = factors.width().next_multiple_of(WIDE);
        let block = vec![0.0; BLOCK * stride];
        Self {
            factors,
            l2,
            stride,
            matrix: vec![0.0; stride * stride],
            right: vec![0.0; stride],
            counted: block.clone(),
            block,
        }
    }

    /// (Σ g·xxᵀ + w₀G + λI) · into = Σ (g + w₀)·y·x, λ times the number of entries where each brings its own.
    #[inline(always)]
    pub(super) fn solve(&mut self, row: Row<'_>, sent: &Sent<'_>, into: &mut [f64]) {
        let count = row.stored();
        if count == 0 {
            return into.fill(0.0);
        }
        self.begin(sent.gram, if self.factors.biased() { self.l2 * count as f64 } else { self.l2 });
        let mut filled = 0;
        for (j, rating) in row.iter() {
            self.take(filled, sent.others, j as usize, rating);
            filled += 1;
            if filled == BLOCK {
                self.add_block(filled);
                filled = 0;
            }
        }
        self.add_block(filled);
        self.factorize();
        self.substitute(into);
    }

    #[inline(always)]
    fn begin(&mut self, gram: &[f64], ridge: f64) {
        let (stride, width) = (self.stride, self.factors.width());
        self.matrix.fill(0.0);
        self.right.fill(0.0);
        for (into, from) in self.matrix.chunks_exact_mut(stride).zip(gram.chunks_exact(width)) {
            into[..width].copy_from_slice(from);
        }
        for k in 0..width {
            self.matrix[k * stride + k] += ridge;
        }
    }

    /// Puts an entry into the block, its bias turned into a constant, and adds what it pulls towards.
    #[inline(always)]
    fn take(&mut self, place: usize, others: &[f64], j: usize, rating: f64) {
        let Self { factors, stride, right, block, counted, .. } = self;
        let (rank, width) = (factors.rank, factors.width());
        let (other, here) = (&others[j * width..(j + 1) * width], place * *stride);
        let x = &mut block[here..here + width];
        x.copy_from_slice(other);
        let mut y = factors.target(rating);
        if factors.biased() {
            y -= other[rank];
            x[rank] = 1.0;
        }
        let g = factors.confidence(rating);
        let pull = (g + factors.absent()) * y;
        for ((x, counted), right) in x.iter().zip(&mut counted[here..here + width]).zip(&mut right[..width]) {
            *counted = g * x;
            *right += pull * x;
        }
    }

    /// A += Σ g·xxᵀ over a block, tile by tile.
    #[inline(always)]
    fn add_block(&mut self, filled: usize) {
        let Self { stride, matrix, block, counted, .. } = self;
        let stride = *stride;
        for i in (0..stride).step_by(TALL) {
            for j in (i / WIDE * WIDE..stride).step_by(WIDE) {
                let mut tile = [[0.0; WIDE]; TALL];
                for (x, counted) in block.chunks_exact(stride).zip(counted.chunks_exact(stride)).take(filled) {
                    let (across, down) = (&x[j..j + WIDE], &counted[i..i + TALL]);
                    for a in 0..TALL {
                        for b in 0..WIDE {
                            tile[a][b] += down[a] * across[b];
                        }
                    }
                }
                for (a, tile) in tile.iter().enumerate() {
                    let at = (i + a) * stride + j;
                    matrix[at..at + WIDE].iter_mut().zip(tile).for_each(|(into, by)| *into += by);
                }
            }
        }
    }

    /// A = UᵀU, row by row, each less the rows above it, four of them at once.
    #[inline(always)]
    fn factorize(&mut self) {
        let (stride, width) = (self.stride, self.factors.width());
        for j in 0..width {
            let (above, rest) = self.matrix.split_at_mut(j * stride);
            let row = &mut rest[j..stride];
            let rows_above = above.chunks_exact(stride);
            let fours = above.chunks_exact(4 * stride);
            let left = rows_above.skip(j / 4 * 4);
            for four in fours {
                let [a, b, c, d] = [0, 1, 2, 3].map(|k| &four[k * stride + j..(k + 1) * stride]);
                let (ua, ub, uc, ud) = (a[0], b[0], c[0], d[0]);
                for (k, into) in row.iter_mut().enumerate() {
                    *into -= (ua * a[k] + ub * b[k]) + (uc * c[k] + ud * d[k]);
                }
            }
            for one in left {
                let one = &one[j..];
                let by = one[0];
                row.iter_mut().zip(one).for_each(|(into, u)| *into -= by * u);
            }
            // λ > 0 keeps A definite; rounding must not end in a root of something below 0.
            let scale = 1.0 / row[0].max(f64::MIN_POSITIVE).sqrt();
            row.iter_mut().for_each(|u| *u *= scale);
        }
    }

    /// Uᵀz = b, then Ux = z.
    #[inline(always)]
    fn substitute(&mut self, into: &mut [f64]) {
        let Self { stride, right, matrix, .. } = self;
        let width = into.len();
        for j in 0..width {
            let row = &matrix[j * *stride + j..j * *stride + width];
            let z = right[j] / row[0];
            right[j] = z;
            right[j + 1..width].iter_mut().zip(&row[1..]).for_each(|(right, u)| *right -= z * u);
        }
        for j in (0..width).rev() {
            let row = &matrix[j * *stride + j..j * *stride + width];
            into[j] = (right[j] - dot(&row[1..], &into[j + 1..])) / row[0];
        }
    }
}
