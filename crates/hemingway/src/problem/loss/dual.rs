//! Conjugates and exact dual coordinate steps.
//!
//! With α the dual variable of a row (SDCA's sign: w(α) = Σ αᵢxᵢ / (λn)), the dual objective gains −φ*(−α) from the
//! row. What becomes of it with weights, `algorithm/dual.rs` says. For the losses with classes b = yα lives in [0, 1], for the squared hinge in [0, ∞).

use super::elementary::ln;
use super::{HUBER, Loss, SMOOTHING, sigmoid};

impl Loss {
    /// A feasible dual variable for a row whose prediction is z: α = −φ′(z, y) (Fenchel–Young holds with equality).
    #[inline(always)]
    pub fn dual_of(self, z: f64, y: f64) -> f64 {
        -self.slope(z, y)
    }

    /// −φ*(−α) as (a, c): along t·α the row is worth t·a − t²·c. The logistic entropy does not scale so; there the
    /// pair is right only at t = 1 (see [`Loss::dual_scales`]).
    #[inline(always)]
    pub fn dual_terms(self, alpha: f64, y: f64) -> (f64, f64) {
        let quadratic = match self {
            Self::Logistic => return (-entropy_sum(y * alpha), 0.0),
            Self::Hinge | Self::Absolute => 0.0,
            Self::SquaredHinge => 0.25,
            Self::SmoothedHinge => 0.5 * SMOOTHING,
            Self::Squared | Self::Huber => 0.5,
        };
        (y * alpha, quadratic * alpha * alpha)
    }

    /// Whether a dual point may be rescaled by the parabola of [`Loss::dual_terms`].
    pub fn dual_scales(self) -> bool {
        !matches!(self, Self::Logistic)
    }

    /// The α that maximises the dual along one coordinate, exactly (Shalev-Shwartz & Zhang 2013, §6.2, with CoCoA's σ′
    /// inside `q`): `z` = x·v, `q` = σ′‖x‖²/(λn).
    #[inline(always)]
    pub fn dual_step(self, alpha: f64, y: f64, z: f64, q: f64) -> f64 {
        match self {
            Self::Hinge => {
                let target = if q > 0.0 { y * alpha + (1.0 - y * z) / q } else { 1.0 };
                y * target.clamp(0.0, 1.0)
            }
            Self::SquaredHinge => y * ((1.0 - y * z + q * y * alpha) / (0.5 + q)).max(0.0),
            Self::SmoothedHinge => y * ((1.0 - y * z + q * y * alpha) / (SMOOTHING + q)).clamp(0.0, 1.0),
            Self::Logistic => y * logistic_step(y * alpha, y * z, q),
            Self::Squared => alpha + (y - z - alpha) / (1.0 + q),
            Self::Absolute if q > 0.0 => (alpha + (y - z) / q).clamp(-1.0, 1.0),
            Self::Absolute => self.dual_of(z, y),
            Self::Huber => (alpha + (y - z - alpha) / (1.0 + q)).clamp(-HUBER, HUBER),
        }
    }
}

/// b ln b + (1 − b) ln(1 − b), 0 at the ends.
fn entropy_sum(b: f64) -> f64 {
    let term = |p: f64| if p > 0.0 { p * p.ln() } else { 0.0 };
    term(b) + term(1.0 - b)
}

/// After a step Δ of Newton's in ln(b/(1 − b)), the next is at most qΔ²/20: with qΔ² below this, it may be left out. The dual
/// loses the square of that.
const SHORT: f64 = 1e-4;

/// Solves ln((1 − b)/b) − s − q(b − b₀) = 0 for b in (0, 1), s = yz: the left side falls strictly, so a bisection
/// bracket around Newton's steps always ends. In u = ln(b/(1 − b)) the equation −u − s − q(σ(u) − b₀) = 0 has slope
/// between −1 − q/4 and −1, where Newton behaves.
#[inline(always)]
fn logistic_step(b0: f64, s: f64, q: f64) -> f64 {
    let mut low = -s - q * (1.0 - b0);
    let mut high = -s + q * b0;
    let odds = b0 / (1.0 - b0);
    let known = b0 < 1.0 && odds >= f64::MIN_POSITIVE;
    let mut u = if known { clamped(ln(odds), low, high) } else { 0.5 * (low + high) };
    let mut b = if known && u > low && u < high { b0 } else { sigmoid(u) };
    for _ in 0..60 {
        let excess = -u - s - q * (b - b0);
        if excess > 0.0 {
            low = u;
        } else {
            high = u;
        }
        let newton = u + excess / (1.0 + q * b * (1.0 - b));
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        let is_short = q * (next - u) * (next - u) <= SHORT;
        u = next;
        b = sigmoid(u);
        if is_short {
            break;
        }
    }
    b
}

/// Between two numbers, the second of which may be the lower by rounding.
#[inline(always)]
fn clamped(x: f64, low: f64, high: f64) -> f64 {
    x.max(low).min(high)
}
