//! The founding paper's g: ln(P(i, m) − P*) as a sparse sum of features of i and m.

use serde::{Deserialize, Serialize};

use super::convergence::Curves;
use super::estimate::{Estimate, HALF_WIDTH, Reach};
use super::lasso::{Lasso, neighbouring_folds};

/// Number of [`features`].
pub const FEATURES: usize = 16;
const FOLDS: usize = 5;

/// A Lasso over the feature library, cross-validated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct LassoCurve {
    lasso: Lasso,
}

/// "A range of fractional, polynomial and logarithmic terms": the list is not published, this is a reconstruction.
/// CoCoA's bound c₁(1 − c₀/m)ⁱ has logarithm ln c₁ − c₀·i/m − …, so i/m and i/m² must be in. With one m only,
/// standardising turns the terms in m alone to 0.
pub fn features(i: f64, m: f64) -> [f64; FEATURES] {
    let (root, log, log_m) = (i.sqrt(), (i + 1.0).ln(), m.ln());
    [
        i,
        i / m,
        i / m.sqrt(),
        i / (m * m),
        i * log_m,
        i * m,
        root,
        root / m,
        log,
        log / m,
        1.0 / i,
        m / i,
        i * i,
        i * i / m,
        log_m,
        1.0 / m,
    ]
}

impl LassoCurve {
    /// Fits all runs of all m; `None` with fewer points than folds or none that differ.
    pub(super) fn fit(curves: &[Curves]) -> Option<Self> {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for curves in curves {
            for (round, error) in curves.runs.iter().flatten() {
                x.extend(features(*round, curves.machines as f64));
                y.push(*error);
            }
        }
        if y.len() < FOLDS {
            return None;
        }
        let lasso = Lasso::fit(FEATURES, &x, &y, &neighbouring_folds(y.len(), FOLDS))?;
        Some(Self { lasso })
    }

    fn ln_error(&self, rounds: f64, machines: usize) -> f64 {
        self.lasso.predict(&features(rounds.max(1.0), machines as f64))
    }

    pub(super) fn error_after(&self, rounds: f64, machines: usize) -> Estimate {
        let mid = self.ln_error(rounds, machines).clamp(-80.0, 80.0).exp();
        Estimate::log_normal(mid, self.lasso.left_out_error().min(20.0), false)
    }

    /// The first round at which the predicted curve is down to ε, and those at which its 90 % band is.
    pub(super) fn rounds_to(&self, error: f64, machines: usize, horizon: f64) -> Reach {
        let shift = HALF_WIDTH * self.lasso.left_out_error();
        let first = |level: f64| self.first_below(level, machines, horizon);
        let Some(mid) = first(error.ln()) else { return Reach::Never };
        let low = first(error.ln() + shift).unwrap_or(mid);
        let high = first(error.ln() - shift).unwrap_or(f64::INFINITY);
        Reach::At(Estimate { low, mid, high, extrapolated: false })
    }

    /// Walks the curve, which need not be monotone, in steps of 2 % and halves the step that crosses.
    fn first_below(&self, level: f64, machines: usize, horizon: f64) -> Option<f64> {
        let below = |rounds: f64| self.ln_error(rounds, machines) <= level;
        let (mut before, mut after) = (0.0, 1.0);
        while !below(after) {
            before = after;
            after = (after * 1.02).max(after + 1.0);
            if after > horizon {
                return None;
            }
        }
        while after - before > 1.0 {
            let middle = (0.5 * (before + after)).round();
            if below(middle) { after = middle } else { before = middle }
        }
        Some(after)
    }
}
