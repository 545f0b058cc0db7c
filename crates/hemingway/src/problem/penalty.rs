//! The regularizer g(w) = (λ₂/2)‖w‖² + λ₁‖w‖₁, its conjugate and its proximal step.

use serde::{Deserialize, Serialize};

use crate::data::matrix::dot;
use crate::{Error, Result};

/// How strongly w is held back: L2, L1, or both (elastic net).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Penalty {
    /// λ₂.
    pub l2: f64,
    /// λ₁.
    #[serde(default)]
    pub l1: f64,
}

impl Penalty {
    /// Both strengths, checked.
    pub fn new(l2: f64, l1: f64) -> Result<Self> {
        for (field, strength, default) in [("--l2", l2, "1/n"), ("--l1", l1, "0")] {
            if !(strength.is_finite() && strength >= 0.0) {
                let what = format!("{strength} is not a strength; give a number ≥ 0, or leave it out for {default}");
                return Err(Error::setting(field, what));
            }
        }
        Ok(Self { l2, l1 })
    }

    /// Whether nothing holds w back.
    pub fn is_none(&self) -> bool {
        self.l1 == 0.0 && self.l2 == 0.0
    }

    /// g(w).
    pub fn value(&self, w: &[f64]) -> f64 {
        self.ridge(w) + self.lasso(w)
    }

    /// Its smooth part, (λ₂/2)‖w‖².
    pub fn ridge(&self, w: &[f64]) -> f64 {
        0.5 * self.l2 * dot(w, w)
    }

    /// Its part with corners, λ₁‖w‖₁.
    pub fn lasso(&self, w: &[f64]) -> f64 {
        if self.l1 == 0.0 { 0.0 } else { self.l1 * w.iter().map(|w| w.abs()).sum::<f64>() }
    }

    /// g*(u) = ‖[|u| − λ₁]₊‖²/(2λ₂); without λ₂, 0 where no |uⱼ| exceeds λ₁ and infinite elsewhere.
    pub fn conjugate(&self, u: impl Iterator<Item = f64>) -> f64 {
        let over = u.map(|u| (u.abs() - self.l1).max(0.0));
        if self.l2 > 0.0 {
            return over.map(|over| over * over).sum::<f64>() / (2.0 * self.l2);
        }
        if over.fold(0.0, f64::max) > 0.0 { f64::INFINITY } else { 0.0 }
    }

    /// The w of one coordinate that makes g(w) + (c/2)(w − v)² least.
    pub fn prox(&self, v: f64, c: f64) -> f64 {
        shrunk(c * v, self.l1) / (c + self.l2)
    }
}

/// u moved towards 0 by `by`, and not beyond.
pub fn shrunk(u: f64, by: f64) -> f64 {
    if by == 0.0 { u } else { (u.abs() - by).max(0.0).copysign(u) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_penalty() -> impl Strategy<Value = Penalty> {
        let strength = || prop_oneof![Just(0.0), 1e-3..3.0f64];
        (strength(), strength()).prop_map(|(l2, l1)| Penalty { l2, l1 })
    }

    proptest! {
        /// g(w) + g*(u) ≥ w·u, with equality where w = argmax.
        #[test]
        fn fenchel_young(penalty in any_penalty(), w in -5.0..5.0f64, u in -5.0..5.0f64) {
            prop_assert!(penalty.value(&[w]) + penalty.conjugate([u].into_iter()) >= w * u - 1e-9);
            if penalty.l2 > 0.0 {
                let own = shrunk(u, penalty.l1) / penalty.l2;
                let gap = penalty.value(&[own]) + penalty.conjugate([u].into_iter()) - own * u;
                prop_assert!(gap.abs() < 1e-9 * (1.0 + own.abs()));
            }
        }

        /// No other w is better than the proximal step's.
        #[test]
        fn the_proximal_step_is_exact(penalty in any_penalty(), v in -5.0..5.0f64, c in 1e-2..9.0f64, other in -5.0..5.0f64) {
            let worth = |w: f64| penalty.value(&[w]) + 0.5 * c * (w - v) * (w - v);
            prop_assert!(worth(penalty.prox(v, c)) <= worth(other) + 1e-12);
        }
    }

    #[test]
    fn strange_strengths_are_refused_by_name() {
        assert!(Penalty::new(-1.0, 0.0).unwrap_err().to_string().starts_with("--l2: -1 is not a strength"));
        assert!(Penalty::new(1.0, f64::NAN).unwrap_err().to_string().starts_with("--l1: NaN is not a strength"));
    }
}
