//! Cholesky's factor of a table, A = LLᵀ. Of columns that depend on those before them nothing is known: they stay at 0, where the
//! models' own (`model/linalg.rs`) would give up.

use crate::data::matrix::{axpy, dot};

/// A column whose own part, after those before it, is less than this share of its norm is theirs up to rounding.
const DEPENDENT: f64 = 1e-13;
/// Where every column's own part is more than this, A⁻¹ is known to far more digits than a proof needs.
const SURE: f64 = 1e-8;

/// L, line after line; 0 on the diagonal where a column depends on others.
#[derive(Debug)]
pub(in crate::algorithm::gram) struct Factor {
    columns: usize,
    lower: Vec<f64>,
    /// The least that any column has of its own, as a share of its norm.
    least: f64,
}

impl Factor {
    /// Of some columns of A.
    #[inline(always)]
    pub(super) fn of<'a>(table: impl Fn(usize, usize) -> f64 + 'a, columns: &[usize]) -> Self {
        let d = columns.len();
        let (mut lower, mut least) = (vec![0.0; d * d], f64::INFINITY);
        for (i, own) in columns.iter().enumerate() {
            let (above, line) = lower.split_at_mut(i * d);
            for (j, other) in columns[..i].iter().enumerate() {
                let other_line = &above[j * d..=j * d + j];
                line[j] = divided(table(*own, *other) - dot(&line[..j], &other_line[..j]), other_line[j]);
            }
            let norm = table(*own, *own);
            let rest = norm - dot(&line[..i], &line[..i]);
            line[i] = if rest > DEPENDENT * norm { rest.sqrt() } else { 0.0 };
            least = least.min(divided(rest, norm));
        }
        Self { columns: d, lower, least }
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

    /// gᵀA⁻¹g, unless columns nearly depend on each other.
    pub(in crate::algorithm::gram) fn inverse_norm_sq(&self, mut g: Vec<f64>) -> Option<f64> {
        (self.least > SURE).then(|| {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn of(off_diagonal: f64) -> Factor {
        Factor::of(|i, j| if i == j { 2.0 } else { off_diagonal }, &[0, 1])
    }

    #[test]
    fn a_proof_needs_columns_of_their_own() {
        // [2 1; 1 2]⁻¹ = [2 −1; −1 2]/3.
        let proved = of(1.0).inverse_norm_sq(vec![1.0, 3.0]).unwrap();
        assert!((proved - 14.0 / 3.0).abs() < 1e-12);
        assert_eq!(of(2.0 * (1.0 - 1e-10)).inverse_norm_sq(vec![1.0, 3.0]), None);
        assert_eq!(of(2.0).inverse_norm_sq(vec![1.0, 3.0]), None);
    }
}
