//! What a problem looks like before anything has run.

use serde::{Deserialize, Serialize};

use crate::problem::{Loss, Problem};

/// κ beyond which no lesson tells anything more; without λ₂ it has no end.
const LARGEST: f64 = 1e9;

/// The size and shape of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Traits {
    /// n.
    pub rows: usize,
    /// d, for every margin that a row has.
    pub columns: usize,
    /// Stored entries.
    pub entries: usize,
    /// φ.
    pub loss: Loss,
    /// λ.
    pub l2: f64,
    /// Mean of ‖xᵢ‖².
    pub mean_norm_sq: f64,
}

impl Traits {
    /// Of this problem.
    pub fn of(problem: &Problem) -> Self {
        let outline = problem.outline();
        Self {
            rows: outline.rows,
            columns: outline.coefficients(),
            entries: problem.whole().stored,
            loss: outline.loss,
            l2: outline.penalty.l2,
            // JSON knows no infinity.
            mean_norm_sq: outline.mean_norm_sq.min(f64::MAX),
        }
    }

    /// As numbers of about the size of 1: 1, ln(1 + κ/n), by which coordinate methods go, ln κ, by which gradient
    /// methods do, the kin of the loss, and ln n. κ is the mean curvature over λ.
    pub(super) fn features(&self) -> Vec<f64> {
        let curvature = self.loss.curvature();
        let rows = self.rows.max(1) as f64;
        let kappa = (curvature * self.mean_norm_sq.max(1e-12) / self.l2.max(1e-12)).min(LARGEST);
        let is = |loss: Loss| if self.loss.kin() == loss { 1.0 } else { 0.0 };
        vec![
            1.0,
            (1.0 + kappa / rows).ln() - 1.5,
            (kappa.ln() - 10.0) / 2.0,
            is(Loss::Hinge),
            is(Loss::Squared),
            (rows.ln() - 10.0) / 2.0,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Traits =
        Traits { rows: 20_000, columns: 50, entries: 100_000, loss: Loss::Logistic, l2: 1e-4, mean_norm_sq: 2.0 };

    #[test]
    fn numbers_are_of_about_the_size_of_one_and_finite_whatever_comes() {
        assert!(PLAIN.features().iter().all(|feature| feature.abs() < 3.0), "{:?}", PLAIN.features());
        for (rows, l2, mean_norm_sq) in [(0, 0.0, 0.0), (1, 0.0, f64::MAX), (usize::MAX, 1e300, 0.0)] {
            let features = Traits { rows, l2, mean_norm_sq, ..PLAIN }.features();
            assert!(features.iter().all(|feature| feature.is_finite()), "{features:?}");
        }
    }

    #[test]
    fn only_the_condition_counts_not_the_scale_of_rows() {
        let scaled = Traits { l2: 9.0 * PLAIN.l2, mean_norm_sq: 9.0 * PLAIN.mean_norm_sq, ..PLAIN };
        for (a, b) in PLAIN.features().into_iter().zip(scaled.features()) {
            assert!((a - b).abs() < 1e-12);
        }
        let harder = Traits { l2: 1e-6, ..PLAIN }.features();
        assert!(harder[1] > PLAIN.features()[1] && harder[2] > PLAIN.features()[2]);
    }

    #[test]
    fn losses_are_told_apart() {
        let of = |loss| Traits { loss, ..PLAIN }.features();
        assert!(Loss::ALL.iter().all(|a| {
            // Absolute and hinge are alike in all but their labels, and so are Huber and squared.
            let twins = |b: &Loss| a.kin() == b.kin() && a.curvature() == b.curvature();
            Loss::ALL.iter().all(|b| (of(*a) == of(*b)) == twins(b))
        }));
    }
}
