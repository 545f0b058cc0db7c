//! One ridge regression: the normal equations of a user's, or an item's, entries, and their Cholesky factorization.
//!
//! Only what is on and above the diagonal counts. Entries come in blocks, so that a tile of the matrix stays in registers for all of them;
//! the factorization subtracts whole rows. What lies below the diagonal in a row's first lane is computed along and never read.

use super::Sent;
use super::lanes::{Lane, WIDE, ZERO, add, axpy, dot, fill, four, lanes, scale};
use crate::data::Row;
use crate::problem::Factors;

/// Rows of a tile.
const TALL: usize = 4;
/// Entries taken together.
const BLOCK: usize = 32;

/// Room for one regression after the other.
pub(super) struct Regression {
    factors: Factors,
    l2: f64,
    /// Lanes in a row.
    length: usize,
    /// A, then its factor.
    matrix: Vec<Lane>,
    /// b.
    right: Vec<Lane>,
    /// What comes of it.
    found: Vec<Lane>,
    /// x of the entries of a block, and each times what it counts for.
    block: Vec<Lane>,
    counted: Vec<Lane>,
}

impl Regression {
    pub(super) fn new(factors: Factors, l2: f64) -> Self {
        let length = lanes(factors.width());
        let (row, block) = (vec![ZERO; length], vec![ZERO; BLOCK * length]);
        let matrix = vec![ZERO; WIDE * length * length];
        Self { factors, l2, length, matrix, right: row.clone(), found: row, counted: block.clone(), block }
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
        self.substitute();
        into.copy_from_slice(&self.found.as_flattened()[..into.len()]);
    }

    #[inline(always)]
    fn begin(&mut self, gram: &[f64], ridge: f64) {
        let (length, width) = (self.length, self.factors.width());
        self.matrix.fill(ZERO);
        self.right.fill(ZERO);
        for (into, from) in self.matrix.chunks_exact_mut(length).zip(gram.chunks_exact(width)) {
            fill(into, from);
        }
        let flat = self.matrix.as_flattened_mut();
        for k in 0..width {
            flat[k * length * WIDE + k] += ridge;
        }
    }

    /// Puts an entry into the block, its bias turned into a constant, and adds what it pulls towards.
    #[inline(always)]
    fn take(&mut self, place: usize, others: &[f64], j: usize, rating: f64) {
        let Self { factors, length, right, block, counted, .. } = self;
        let (rank, width) = (factors.rank, factors.width());
        let (other, here) = (&others[j * width..(j + 1) * width], place * *length..(place + 1) * *length);
        let x = &mut block[here.clone()];
        fill(x, other);
        let mut y = factors.target(rating);
        if factors.biased() {
            y -= other[rank];
            x.as_flattened_mut()[rank] = 1.0;
        }
        let g = factors.confidence(rating);
        axpy((g + factors.absent()) * y, x, right);
        scale(g, x, &mut counted[here]);
    }

    /// A += Σ g·xxᵀ over a block, tile by tile.
    #[inline(always)]
    fn add_block(&mut self, filled: usize) {
        let Self { length, matrix, block, counted, .. } = self;
        let length = *length;
        for i in 0..length {
            for half in [0, TALL] {
                for j in i..length {
                    let mut tile = [ZERO; TALL];
                    for (x, counted) in block.chunks_exact(length).zip(counted.chunks_exact(length)).take(filled) {
                        let (across, down) = (&x[j], &counted[i]);
                        for a in 0..TALL {
                            for b in 0..WIDE {
                                tile[a][b] += down[half + a] * across[b];
                            }
                        }
                    }
                    for (a, tile) in tile.iter().enumerate() {
                        let into = &mut matrix[(i * WIDE + half + a) * length + j];
                        for b in 0..WIDE {
                            into[b] += tile[b];
                        }
                    }
                }
            }
        }
    }

    /// A = UᵀU, row by row, each less the rows above it, four of them at once.
    #[inline(always)]
    fn factorize(&mut self) {
        let (length, width) = (self.length, self.factors.width());
        for j in 0..width {
            let (first, place) = (j / WIDE, j % WIDE);
            let (above, rest) = self.matrix.split_at_mut(j * length);
            let row = &mut rest[first..length];
            let fours = above.chunks_exact(4 * length);
            let left = fours.remainder();
            for rows in fours {
                let rows = four(rows, length).map(|row| &row[first..]);
                add(rows, rows.map(|row| -row[0][place]), row);
            }
            for one in left.chunks_exact(length) {
                axpy(-one[first][place], &one[first..], row);
            }
            // λ > 0 keeps A definite; rounding must not end in a root of something below 0.
            let by = 1.0 / row[0][place].max(f64::MIN_POSITIVE).sqrt();
            row.as_flattened_mut().iter_mut().for_each(|u| *u *= by);
        }
    }

    /// Uᵀz = b, then Ux = z.
    #[inline(always)]
    fn substitute(&mut self) {
        let Self { factors, length, right, matrix, found, .. } = self;
        let length = *length;
        for j in 0..factors.width() {
            let (first, place) = (j / WIDE, j % WIDE);
            let row = &matrix[j * length + first..(j + 1) * length];
            let z = right[first][place] / row[0][place];
            found[first][place] = z;
            axpy(-z, row, &mut right[first..]);
        }
        right.copy_from_slice(found);
        found.fill(ZERO);
        for j in (0..factors.width()).rev() {
            let (first, place) = (j / WIDE, j % WIDE);
            let row = &matrix[j * length + first..(j + 1) * length];
            // Those before j are still 0, and so is j itself.
            found[first][place] = (right[first][place] - dot(row, &found[first..])) / row[0][place];
        }
    }
}
