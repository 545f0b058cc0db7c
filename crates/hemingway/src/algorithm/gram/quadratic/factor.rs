//! Cholesky's factor of a table, A = LLᵀ. Of columns that depend on those before them nothing is known: they stay at 0.

use crate::data::matrix::{axpy, dot};

/// A column whose own part, after those before it, is less than this share of its norm is theirs up to rounding.
const DEPENDENT: f64 = 1e-13;

/// L, line after line; 0 on the diagonal where a column depends on others.
#[derive(Debug)]
pub(in crate::algorithm::gram) struct Factor {
    columns: usize,
    lower: Vec<f64>,
}

impl Factor {
    /// Of some columns of A.
    #[inline(always)]
    pub(super) fn of<'a>(table: impl Fn(usize, usize) -> f64 + 'a, columns: &[usize]) -> Self {
        let d = columns.len();
        let mut lower = vec![0.0; d * d];
        for (i, own) in columns.iter().enumerate() {
            let (above, line) = lower.split_at_mut(i * d);
            for (j, other) in columns[..i].iter().enumerate() {
                let other_line = &above[j * d..=j * d + j];
                line[j] = divided(table(*own, *other) - dot(&line[..j], &other_line[..j]), other_line[j]);
            }
            let norm = table(*own, *own);
            let rest = norm - dot(&line[..i], &line[..i]);
            line[i] = if rest > DEPENDENT * norm { rest.sqrt() } else { 0.0 };
        }
        Self { columns: d, lower }
    }

    fn line(&self, i: usize) -> &[f64] {
        &self.lower[i * self.columns..=i * self.columns + i]
    }

    /// A⁻¹b in the place of b.
    #[inline(always)]
    pub(super) fn solve(&self, b: &mut [f64]) {
        self.solve_lower(b);
        for i in (0..self.columns).rev() {
            let line = self.line(i);
            b[i] = divided(b[i], line[i]);
            let (before, this) = b.split_at_mut(i);
            axpy(-this[0], &line[..i], before);
        }
    }

    /// gᵀA⁻¹g, unless columns depend on each other.
    pub(in crate::algorithm::gram) fn inverse_norm_sq(&self, mut g: Vec<f64>) -> Option<f64> {
        let whole = (0..self.columns).all(|i| self.line(i)[i] > 0.0);
        whole.then(|| {
            self.solve_lower(&mut g);
            dot(&g, &g)
        })
    }

    /// L⁻¹b in the place of b.
    #[inline(always)]
    fn solve_lower(&self, b: &mut [f64]) {
        for i in 0..self.columns {
            let line = self.line(i);
            b[i] = divided(b[i] - dot(&line[..i], &b[..i]), line[i]);
        }
    }
}

fn divided(value: f64, by: f64) -> f64 {
    if by > 0.0 { value / by } else { 0.0 }
}
