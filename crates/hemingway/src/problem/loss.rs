//! The losses φ(z, y), their slopes and curvatures; their conjugates and exact dual coordinate steps are in `dual`.

mod block;
mod dual;
mod elementary;

use serde::{Deserialize, Serialize};

pub(crate) use block::{BLOCK, Bents};
use elementary::{exp, ln_1p};

use crate::{Error, Result};

/// How far below the margin the smoothed hinge is a parabola (γ of Shalev-Shwartz & Zhang 2013).
const SMOOTHING: f64 = 1.0;
/// Up to this residual Huber's loss is a parabola.
const HUBER: f64 = 1.0;

/// What a prediction z = x·w costs when the label is y.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// max(0, 1 − yz): the linear support vector machine. Not differentiable.
    Hinge,
    /// max(0, 1 − yz)², as LIBLINEAR has it.
    SquaredHinge,
    /// The hinge with its corner rounded off: (1 − yz)²/2 for yz in [0, 1], ½ − yz below.
    SmoothedHinge,
    /// ln(1 + e^(−yz)).
    Logistic,
    /// ½(z − y)².
    Squared,
    /// |z − y|: regression on the median. Not differentiable.
    Absolute,
    /// ½(z − y)² up to a residual of 1, |z − y| − ½ beyond.
    Huber,
}

/// A loss at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bent {
    /// φ.
    pub(crate) value: f64,
    /// φ′, or a subgradient.
    pub(crate) slope: f64,
    /// φ″; 0 on straight pieces.
    pub(crate) bend: f64,
}

impl Loss {
    /// Every loss, in the order in which tables print them.
    pub const ALL: [Self; 7] = [
        Self::Hinge,
        Self::SquaredHinge,
        Self::SmoothedHinge,
        Self::Logistic,
        Self::Squared,
        Self::Absolute,
        Self::Huber,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hinge => "hinge",
            Self::SquaredHinge => "squared-hinge",
            Self::SmoothedHinge => "smoothed-hinge",
            Self::Logistic => "logistic",
            Self::Squared => "squared",
            Self::Absolute => "absolute",
            Self::Huber => "huber",
        }
    }

    /// Labels are classes (and become ±1), not numbers.
    pub fn is_binary(self) -> bool {
        !matches!(self, Self::Squared | Self::Absolute | Self::Huber)
    }

    /// φ has a gradient everywhere.
    pub fn is_smooth(self) -> bool {
        !matches!(self, Self::Hinge | Self::Absolute)
    }

    /// Whether P is a parabola, which a single look tells all about.
    pub fn is_parabola(self) -> bool {
        self == Self::Squared
    }

    /// The loss among hinge, logistic and squared that methods find most like it: corners, a slope that flattens out
    /// slowly, a parabola.
    pub fn kin(self) -> Self {
        match self {
            Self::Hinge | Self::Absolute => Self::Hinge,
            Self::Logistic | Self::SmoothedHinge => Self::Logistic,
            Self::Squared | Self::SquaredHinge | Self::Huber => Self::Squared,
        }
    }

    /// An upper bound of φ″ where there is one; for losses with a corner, 1, the scale on which their slope changes.
    pub fn curvature(self) -> f64 {
        match self {
            Self::Logistic => 0.25,
            Self::SquaredHinge => 2.0,
            Self::SmoothedHinge => 1.0 / SMOOTHING,
            Self::Squared | Self::Huber | Self::Hinge | Self::Absolute => 1.0,
        }
    }

    /// φ(z, y).
    #[inline(always)]
    pub fn value(self, z: f64, y: f64) -> f64 {
        match self {
            Self::Hinge => short(z, y),
            Self::SquaredHinge => short(z, y) * short(z, y),
            Self::SmoothedHinge => eased(short(z, y), SMOOTHING) / SMOOTHING,
            Self::Logistic => softplus(-y * z),
            Self::Squared => 0.5 * (z - y) * (z - y),
            Self::Absolute => (z - y).abs(),
            Self::Huber => eased((z - y).abs(), HUBER),
        }
    }

    /// φ′(z, y), or a subgradient.
    #[inline(always)]
    pub fn slope(self, z: f64, y: f64) -> f64 {
        match self {
            Self::Hinge if y * z < 1.0 => -y,
            Self::Hinge => 0.0,
            Self::SquaredHinge => -2.0 * y * short(z, y),
            Self::SmoothedHinge => -y * (short(z, y) / SMOOTHING).min(1.0),
            Self::Logistic => -y * sigmoid(-y * z),
            Self::Squared => z - y,
            Self::Absolute if z == y => 0.0,
            Self::Absolute => (z - y).signum(),
            Self::Huber => (z - y).clamp(-HUBER, HUBER),
        }
    }

    /// φ, φ′ and φ″ at once: of the logistic loss all three come from one exponential.
    #[inline(always)]
    pub(crate) fn bent(self, z: f64, y: f64) -> Bent {
        if self != Self::Logistic {
            return Bent { value: self.value(z, y), slope: self.slope(z, y), bend: self.bend(z, y) };
        }
        let t = -y * z;
        let e = exp(-t.abs());
        let likely = 1.0 / (1.0 + e);
        let unlikely = e * likely;
        let slope = -y * if t >= 0.0 { likely } else { unlikely };
        Bent { value: t.max(0.0) + ln_1p(e), slope, bend: likely * unlikely }
    }

    /// φ″(z, y), where φ bends; 0 on straight pieces. Where they meet, and training begins there with the smoothed hinge, φ bends.
    #[inline(always)]
    pub fn bend(self, z: f64, y: f64) -> f64 {
        let within = |inside: bool, bend: f64| if inside { bend } else { 0.0 };
        match self {
            Self::Hinge | Self::Absolute => 0.0,
            Self::SquaredHinge => within(y * z < 1.0, 2.0),
            Self::SmoothedHinge => within((0.0..=SMOOTHING).contains(&(1.0 - y * z)), 1.0 / SMOOTHING),
            Self::Logistic => sigmoid(z) * sigmoid(-z),
            Self::Squared => 1.0,
            Self::Huber => within((z - y).abs() <= HUBER, 1.0),
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

/// What is missing to the margin.
#[inline(always)]
fn short(z: f64, y: f64) -> f64 {
    (1.0 - y * z).max(0.0)
}

/// ½r² up to r = `knee`, and straight on beyond.
#[inline(always)]
fn eased(r: f64, knee: f64) -> f64 {
    if r <= knee { 0.5 * r * r } else { knee * (r - 0.5 * knee) }
}

/// ln(1 + eᵗ) without overflow.
#[inline(always)]
fn softplus(t: f64) -> f64 {
    t.max(0.0) + ln_1p(exp(-t.abs()))
}

/// 1/(1 + e⁻ᵗ) without overflow.
#[inline(always)]
fn sigmoid(t: f64) -> f64 {
    let e = exp(-t.abs());
    let likely = 1.0 / (1.0 + e);
    if t >= 0.0 { likely } else { e * likely }
}

#[cfg(test)]
mod tests;
