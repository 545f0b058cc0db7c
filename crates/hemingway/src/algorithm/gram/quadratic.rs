//! The least of ½wᵀAw − bᵀw + λ₁‖w‖₁, A = XᵀX/n + λ₂I: by factors of A or, with λ₁, by coordinates until it shows which stay at
//! 0, and then by factors of the others' A.

mod factor;

pub(super) use factor::Factor;

use crate::data::matrix::{axpy, dot};
use crate::problem::Penalty;

/// Sweeps over all coordinates, at most.
const SWEEPS: u32 = 100_000;
/// Sweeps until factors are first tried; each time in vain, twice as many.
const FIRST_TRY: u32 = 8;
/// A sweep that moves predictions by less than this share of what they are has come to rest.
const AT_REST: f64 = 1e-15;
/// How far a slope may exceed λ₁ by rounding.
const SLACK: f64 = 1e-10;

/// The problem that is left when sums over rows are known.
pub(super) struct Quadratic<'a> {
    /// A, line after line.
    table: Vec<f64>,
    b: &'a [f64],
    l1: f64,
}

impl<'a> Quadratic<'a> {
    /// From XᵀX/n, on and below the diagonal, and Xᵀy/n.
    #[inline(always)]
    pub(super) fn new(products: &[f64], b: &'a [f64], penalty: Penalty) -> Self {
        let d = b.len();
        let mut table = vec![0.0; d * d];
        let mut products = products.iter();
        for i in 0..d {
            for j in 0..=i {
                let product = products.next().copied().unwrap_or(0.0);
                table[i * d + j] = product;
                table[j * d + i] = product;
            }
            table[i * d + i] += penalty.l2;
        }
        Self { table, b, l1: penalty.l1 }
    }

    /// Leaves the least in w; begins there. The factor of A, where it took that.
    #[inline(always)]
    pub(super) fn minimize(&self, w: &mut [f64]) -> Option<Factor> {
        if self.l1 > 0.0 {
            self.descend(w);
            return None;
        }
        let all: Vec<usize> = (0..self.b.len()).collect();
        let factor = Factor::of(|i, j| self.line(i)[j], &all);
        w.copy_from_slice(self.b);
        factor.solve(w);
        Some(factor)
    }

    fn line(&self, j: usize) -> &[f64] {
        let d = self.b.len();
        &self.table[j * d..(j + 1) * d]
    }

    /// b − Aw.
    #[inline(always)]
    fn slopes(&self, w: &[f64]) -> Vec<f64> {
        self.b.iter().enumerate().map(|(j, b)| b - dot(self.line(j), w)).collect()
    }

    /// By coordinates, in turn.
    #[inline(always)]
    fn descend(&self, w: &mut [f64]) {
        let mut slopes = self.slopes(w);
        let mut next_try = FIRST_TRY;
        for sweep in 1..=SWEEPS {
            let moved = self.sweep(w, &mut slopes);
            let size: f64 = w.iter().zip(self.b.iter().zip(&slopes)).map(|(w, (b, slope))| w * (b - slope)).sum();
            if moved <= AT_REST * AT_REST * size {
                return;
            }
            if sweep >= next_try {
                next_try *= 2;
                if let Some(least) = self.least_of_these_signs(w) {
                    w.copy_from_slice(&least);
                    return;
                }
                // What changes have left behind by rounding goes too.
                slopes = self.slopes(w);
            }
        }
    }

    /// Every coordinate once, each to its best; Σ Aⱼⱼδⱼ².
    #[inline(always)]
    fn sweep(&self, w: &mut [f64], slopes: &mut [f64]) -> f64 {
        let mut moved = 0.0;
        for j in 0..w.len() {
            let bend = self.line(j)[j];
            let pull = slopes[j] + bend * w[j];
            let best = if pull.abs() > self.l1 { (pull - self.l1.copysign(pull)) / bend } else { 0.0 };
            let by = best - w[j];
            if by != 0.0 {
                w[j] = best;
                axpy(-by, self.line(j), slopes);
                moved += bend * by * by;
            }
        }
        moved
    }

    /// The least among all w with these signs and zeros, if it has them and is the least of all.
    #[inline(always)]
    fn least_of_these_signs(&self, w: &[f64]) -> Option<Vec<f64>> {
        let support: Vec<usize> = (0..w.len()).filter(|j| w[*j] != 0.0).collect();
        let mut values: Vec<f64> = support.iter().map(|j| self.b[*j] - self.l1.copysign(w[*j])).collect();
        Factor::of(|i, j| self.line(i)[j], &support).solve(&mut values);
        let mut least = vec![0.0; w.len()];
        for (j, value) in support.iter().zip(values) {
            if value * w[*j] <= 0.0 {
                return None;
            }
            least[*j] = value;
        }
        let most = self.l1 * (1.0 + SLACK);
        let slopes = self.slopes(&least);
        slopes.iter().zip(&least).all(|(slope, w)| *w != 0.0 || slope.abs() <= most).then_some(least)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A and b of rows x and labels y, as the rounds sum them.
    fn sums(x: &[Vec<f64>], y: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (n, d) = (x.len() as f64, x[0].len());
        let entry = |i: usize, j: usize| x.iter().map(|x| x[i] * x[j]).sum::<f64>() / n;
        let products = (0..d).flat_map(|i| (0..=i).map(move |j| (i, j))).map(|(i, j)| entry(i, j)).collect();
        let moments = (0..d).map(|j| x.iter().zip(y).map(|(x, y)| x[j] * y).sum::<f64>() / n).collect();
        (products, moments)
    }

    proptest! {
        /// No subgradient is far from 0, columns that repeat each other and columns of zeros included.
        #[test]
        fn the_least_is_the_least(
            rows in prop::collection::vec(prop::collection::vec(-3.0..3.0f64, 5), 1..12),
            l1 in prop_oneof![Just(0.0), 0.001..2.0f64],
            l2 in prop_oneof![Just(0.0), 0.001..2.0f64],
        ) {
            let x: Vec<Vec<f64>> = rows.iter().map(|r| vec![r[0], r[1], r[2], r[0] + r[1], 0.0, 2.0 * r[2], r[3]]).collect();
            let y: Vec<f64> = rows.iter().map(|r| r[4]).collect();
            let (products, moments) = sums(&x, &y);
            let problem = Quadratic::new(&products, &moments, Penalty { l2, l1 });
            let mut w = vec![0.5; 7];
            problem.minimize(&mut w);
            for (slope, w) in problem.slopes(&w).iter().zip(&w) {
                let off = if *w == 0.0 { (slope.abs() - l1).max(0.0) } else { slope - l1 * w.signum() };
                prop_assert!(off.abs() < 1e-6, "{slope} at {w}, λ₁ = {l1}, λ₂ = {l2}");
            }
        }
    }
}
