//! The losses φ(z, y), their conjugates and their exact dual coordinate steps.
//!
//! With α the dual variable of a row (SDCA's sign: w(α) = Σ αᵢxᵢ / (λn)), the dual objective gains −φ*(−α) from the
//! row. For the classification losses b = yα lives in [0, 1].

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// What a prediction z = x·w costs when the label is y.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// max(0, 1 − yz): the linear support vector machine. Not differentiable.
    Hinge,
    /// ln(1 + e^(−yz)).
    Logistic,
    /// ½(z − y)².
    Squared,
}

impl Loss {
    /// Every loss, in the order in which tables print them.
    pub const ALL: [Self; 3] = [Self::Hinge, Self::Logistic, Self::Squared];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hinge => "hinge",
            Self::Logistic => "logistic",
            Self::Squared => "squared",
        }
    }

    /// Labels are classes (and become ±1), not numbers.
    pub fn is_binary(self) -> bool {
        !matches!(self, Self::Squared)
    }

    /// φ has a gradient everywhere.
    pub fn is_smooth(self) -> bool {
        !matches!(self, Self::Hinge)
    }

    /// An upper bound of φ″ where there is one; for the hinge, 1, the scale on which its slope changes.
    pub fn curvature(self) -> f64 {
        match self {
            Self::Logistic => 0.25,
            Self::Squared | Self::Hinge => 1.0,
        }
    }

    /// φ(z, y).
    pub fn value(self, z: f64, y: f64) -> f64 {
        match self {
            Self::Hinge => (1.0 - y * z).max(0.0),
            Self::Logistic => softplus(-y * z),
            Self::Squared => 0.5 * (z - y) * (z - y),
        }
    }

    /// φ′(z, y), or a subgradient.
    pub fn slope(self, z: f64, y: f64) -> f64 {
        match self {
            Self::Hinge => {
                if y * z < 1.0 {
                    -y
                } else {
                    0.0
                }
            }
            Self::Logistic => -y * sigmoid(-y * z),
            Self::Squared => z - y,
        }
    }

    /// A feasible dual variable for a row whose prediction is z: α = −φ′(z, y) (Fenchel–Young holds with equality).
    pub fn dual_of(self, z: f64, y: f64) -> f64 {
        -self.slope(z, y)
    }

    /// −φ*(−α) as (a, c): along t·α the row is worth t·a − t²·c. The logistic entropy does not scale so; there the
    /// pair is right only at t = 1 (see [`Loss::dual_scales`]).
    pub fn dual_terms(self, alpha: f64, y: f64) -> (f64, f64) {
        match self {
            Self::Hinge => (y * alpha, 0.0),
            Self::Logistic => (-entropy_sum(y * alpha), 0.0),
            Self::Squared => (y * alpha, 0.5 * alpha * alpha),
        }
    }

    /// Whether a dual point may be rescaled by the parabola of [`Loss::dual_terms`].
    pub fn dual_scales(self) -> bool {
        !matches!(self, Self::Logistic)
    }

    /// The α that maximises the dual along one coordinate, exactly (Shalev-Shwartz & Zhang 2013, §6.2, with CoCoA's σ′
    /// inside `q`): `z` = x·v, `q` = σ′‖x‖²/(λn).
    pub fn dual_step(self, alpha: f64, y: f64, z: f64, q: f64) -> f64 {
        match self {
            Self::Hinge => {
                let target = if q > 0.0 { y * alpha + (1.0 - y * z) / q } else { 1.0 };
                y * target.clamp(0.0, 1.0)
            }
            Self::Logistic => y * logistic_step(y * alpha, y * z, q),
            Self::Squared => alpha + (y - z - alpha) / (1.0 + q),
        }
    }
}

impl std::fmt::Display for Loss {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for Loss {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|loss| loss.name() == text).ok_or_else(|| {
            let known = Self::ALL.map(Self::name).join(", ");
            Error::setting("--loss", format!("`{text}` is not a loss; there are {known}"))
        })
    }
}

/// ln(1 + eᵗ) without overflow.
fn softplus(t: f64) -> f64 {
    t.max(0.0) + (-t.abs()).exp().ln_1p()
}

/// 1/(1 + e⁻ᵗ) without overflow.
fn sigmoid(t: f64) -> f64 {
    if t >= 0.0 {
        1.0 / (1.0 + (-t).exp())
    } else {
        let e = t.exp();
        e / (1.0 + e)
    }
}

/// b ln b + (1 − b) ln(1 − b), 0 at the ends.
fn entropy_sum(b: f64) -> f64 {
    let term = |p: f64| if p > 0.0 { p * p.ln() } else { 0.0 };
    term(b) + term(1.0 - b)
}

/// Solves ln((1 − b)/b) − s − q(b − b₀) = 0 for b in (0, 1), s = yz: the left side falls strictly, so a bisection
/// bracket around Newton's steps always ends. In u = ln(b/(1 − b)) the equation −u − s − q(σ(u) − b₀) = 0 has slope
/// between −1 − q/4 and −1, where Newton behaves.
fn logistic_step(b0: f64, s: f64, q: f64) -> f64 {
    let mut low = -s - q * (1.0 - b0);
    let mut high = -s + q * b0;
    let mut u = if b0 > 0.0 && b0 < 1.0 { (b0 / (1.0 - b0)).ln().clamp(low, high) } else { 0.5 * (low + high) };
    for _ in 0..60 {
        let b = sigmoid(u);
        let excess = -u - s - q * (b - b0);
        if excess > 0.0 {
            low = u;
        } else {
            high = u;
        }
        let newton = u + excess / (1.0 + q * b * (1.0 - b));
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if (next - u).abs() <= 1e-12 * (1.0 + u.abs()) {
            u = next;
            break;
        }
        u = next;
    }
    sigmoid(u)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn label(loss: Loss, positive: bool, number: f64) -> f64 {
        if loss.is_binary() { if positive { 1.0 } else { -1.0 } } else { number }
    }

    fn dual_value(loss: Loss, alpha: f64, y: f64) -> f64 {
        let (a, c) = loss.dual_terms(alpha, y);
        a - c
    }

    fn any_loss() -> impl Strategy<Value = Loss> {
        prop::sample::select(Loss::ALL.to_vec())
    }

    proptest! {
        /// φ(z) + φ*(−α) ≥ −αz for every feasible α, with equality at α = −φ′(z).
        #[test]
        fn fenchel_young(loss in any_loss(), z in -8.0..8.0f64, z2 in -8.0..8.0f64, positive: bool, t in -3.0..3.0f64) {
            let y = label(loss, positive, t);
            let other = loss.dual_of(z2, y);
            prop_assert!(loss.value(z, y) - dual_value(loss, other, y) >= -other * z - 1e-9);
            let own = loss.dual_of(z, y);
            prop_assert!((loss.value(z, y) - dual_value(loss, own, y) + own * z).abs() < 1e-9);
        }

        /// The step is the maximiser of −φ*(−α) − zΔ − qΔ²/2 over feasible α.
        #[test]
        fn dual_step_is_exact(loss in any_loss(), z0 in -3.0..3.0f64, z in -3.0..3.0f64, q in 0.0..50.0f64,
                              positive: bool, t in -3.0..3.0f64, other in -5.0..5.0f64) {
            let y = label(loss, positive, t);
            let alpha = loss.dual_of(z0, y);
            let gain = |a: f64| dual_value(loss, a, y) - z * (a - alpha) - 0.5 * q * (a - alpha) * (a - alpha);
            let best = loss.dual_step(alpha, y, z, q);
            let rival = loss.dual_of(other, y);
            prop_assert!(gain(best) >= gain(rival) - 1e-8);
            prop_assert!(gain(best) >= gain(alpha) - 1e-8);
        }
    }

    #[test]
    fn extreme_margins_stay_finite() {
        for loss in Loss::ALL {
            for z in [-1e9, -800.0, 0.0, 800.0, 1e9] {
                assert!(loss.value(z, 1.0).is_finite() && loss.slope(z, -1.0).is_finite());
                assert!(loss.dual_step(0.0, 1.0, z, 1e-9).is_finite());
            }
        }
    }

    #[test]
    fn an_empty_row_takes_its_whole_dual_weight() {
        assert_eq!(Loss::Hinge.dual_step(0.0, -1.0, 0.0, 0.0), -1.0);
    }
}
