//! What a problem looks like before anything has run.

use serde::{Deserialize, Serialize};

use crate::problem::{Loss, Problem};

/// The size and shape of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Traits {
    /// n.
    pub rows: usize,
    /// d.
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
            columns: outline.columns,
            entries: problem.data.matrix.stored(),
            loss: outline.loss,
            l2: outline.l2,
            // JSON knows no infinity.
            mean_norm_sq: outline.mean_norm_sq.min(f64::MAX),
        }
    }

    /// As numbers of about the size of 1: 1, ln(1 + κ/n), by which coordinate methods go, ln κ, by which gradient
    /// methods do, the loss, and ln n. κ is the mean curvature over λ.
    pub(super) fn features(&self) -> Vec<f64> {
        let curvature = if self.loss == Loss::Logistic { 0.25 } else { 1.0 };
        let rows = self.rows.max(1) as f64;
        let kappa = curvature * self.mean_norm_sq.max(1e-12) / self.l2.max(1e-12);
        let is = |loss: Loss| if self.loss == loss { 1.0 } else { 0.0 };
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
