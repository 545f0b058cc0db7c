//! What a problem looks like before anything has run.

use serde::{Deserialize, Serialize};

use crate::problem::{Loss, Problem};

/// κ beyond which no lesson tells anything more; without λ₂ it has no end.
const LARGEST: f64 = 1e9;

/// The share of λ₁ below which no lesson tells anything more.
const LEAST_SHARE: f64 = 1e-5;

/// The size and shape of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Traits {
    /// n.
    pub rows: usize,
    /// d, for every margin that a row has.
    pub columns: usize,
    /// Stored entries.
    pub entries: usize,
    /// Margins that a row has: one for each class, if there are more than two.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub margins: usize,
    /// φ.
    pub loss: Loss,
    /// λ.
    pub l2: f64,
    /// Mean of ‖xᵢ‖².
    pub mean_norm_sq: f64,
    /// λ₁ as a share of the least that leaves every coefficient at 0; 0 without λ₁.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub l1_share: f64,
}

fn is_zero(share: &f64) -> bool {
    *share == 0.0
}

fn one() -> usize {
    1
}

fn is_one(margins: &usize) -> bool {
    *margins == 1
}

impl Traits {
    /// A problem of one number, where none is known.
    pub const LEAST: Self = Self {
        rows: 1,
        columns: 1,
        entries: 1,
        margins: 1,
        loss: Loss::Logistic,
        l2: 1.0,
        mean_norm_sq: 1.0,
        l1_share: 0.0,
    };

    /// Of this problem.
    pub fn of(problem: &Problem) -> Self {
        let outline = problem.outline();
        Self {
            rows: outline.rows,
            columns: outline.coefficients(),
            entries: problem.whole().stored,
            margins: outline.outputs(),
            loss: outline.loss,
            l2: outline.penalty.l2,
            // JSON knows no infinity.
            mean_norm_sq: outline.mean_norm_sq.min(f64::MAX),
            l1_share: l1_share(problem),
        }
    }

    /// As numbers of about the size of 1. With λ₁ lessons are others, and so is what tells them apart.
    pub(super) fn features(&self) -> Vec<f64> {
        if self.l1_share > 0.0 { self.with_l1() } else { self.without_l1() }
    }

    /// 1, ln of the share of λ₁, which says how many coefficients move, whether the loss is a parabola, ln n, ln d/n, and
    /// ln of the part of entries that are stored.
    fn with_l1(&self) -> Vec<f64> {
        let [rows, columns, entries] = [self.rows, self.columns, self.entries].map(|count| count.max(1) as f64);
        let share = self.l1_share.clamp(LEAST_SHARE, 1.0);
        vec![
            1.0,
            (share.ln() + 4.0) / 1.5,
            if self.loss.kin() == Loss::Squared { 1.0 } else { 0.0 },
            (rows.ln() - 8.0) / 2.0,
            (columns / rows).ln() / 3.0,
            ((entries / (rows * columns)).ln() + 2.5) / 2.5,
        ]
    }

    /// 1, ln(1 + κ/n), by which coordinate methods go, ln κ, by which gradient
    /// methods do, the kin of the loss, and ln n. κ is the mean curvature over λ.
    fn without_l1(&self) -> Vec<f64> {
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

/// λ₁ over the steepest slope of the losses at 0. Of several classes no lesson tells.
fn l1_share(problem: &Problem) -> f64 {
    let l1 = problem.penalty.l1;
    if l1 == 0.0 || problem.classes.is_some() {
        return 0.0;
    }
    let steepest = problem.steepest();
    if steepest > 0.0 { (l1 / steepest).min(1.0) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Traits = Traits {
        rows: 20_000,
        columns: 50,
        entries: 100_000,
        margins: 1,
        loss: Loss::Logistic,
        l2: 1e-4,
        mean_norm_sq: 2.0,
        l1_share: 0.0,
    };

    #[test]
    fn with_l1_other_numbers_tell_and_they_are_finite_whatever_comes() {
        let sparse = Traits { l1_share: 0.05, ..PLAIN };
        assert!(sparse.features().iter().all(|feature| feature.abs() < 3.0), "{:?}", sparse.features());
        for (rows, columns, entries, l1_share) in [(0, 0, 0, 1e-300), (1, usize::MAX, 1, 1.0), (usize::MAX, 1, 0, 0.5)]
        {
            let features = Traits { rows, columns, entries, l1_share, ..PLAIN }.features();
            assert!(features.iter().all(|feature| feature.is_finite()), "{features:?}");
        }
        // λ₂ is no matter then, the share of λ₁ is.
        assert_eq!(Traits { l2: 1e-7, ..sparse }.features(), sparse.features());
        assert_ne!(Traits { l1_share: 0.01, ..sparse }.features(), sparse.features());
    }

    #[test]
    fn the_share_of_l1_is_of_the_least_that_leaves_all_at_0() {
        let data = crate::data::Source::parse("synth:ridge,rows=100,columns=5").unwrap().load().unwrap().dataset;
        let problem = |l1: f64| Problem::new(&data, Loss::Squared, Some(0.0), 0).unwrap().with_l1(l1).unwrap();
        let most = problem(0.0).steepest();
        assert_eq!(Traits::of(&problem(0.0)).l1_share, 0.0);
        assert!((Traits::of(&problem(0.25 * most)).l1_share - 0.25).abs() < 1e-12);
        assert_eq!(Traits::of(&problem(7.0 * most)).l1_share, 1.0);
        // Journals of problems without λ₁ are what they were.
        assert!(!serde_json::to_string(&Traits::of(&problem(0.0))).unwrap().contains("l1_share"));
    }

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
