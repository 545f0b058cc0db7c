//! Several classes: every row has k margins zₖ = x·wₖ, one a class, and its label is the number of its class.
//!
//! Softmax joins them in one loss, ln Σₖ e^(zₖ) − z_y. One against the rest is k problems of two classes side by side, class
//! k's labels being +1 for its own rows and −1 for all others; P is the sum of their objectives, so that each wₖ is what it
//! would be alone.

use serde::{Deserialize, Serialize};

use super::Loss;
use crate::{Error, Result};

/// How several classes are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// One loss of all margins: multinomial logistic regression.
    Softmax,
    /// A problem of two classes for each, all of them at once.
    OneVsRest,
}

/// The classes of a problem that has more than two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Classes {
    /// How they are told apart.
    pub scheme: Scheme,
    /// k.
    pub count: usize,
}

impl Scheme {
    /// Both, in the order in which tables print them.
    pub const ALL: [Self; 2] = [Self::Softmax, Self::OneVsRest];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Softmax => "softmax",
            Self::OneVsRest => "one-vs-rest",
        }
    }

    /// What a loss asks for if nobody says otherwise.
    pub fn usual(loss: Loss) -> Self {
        if loss == Loss::Logistic { Self::Softmax } else { Self::OneVsRest }
    }

    /// Refuses a loss that it does not go with.
    pub fn check(self, loss: Loss) -> Result<()> {
        let wrong = |what: String| Err(Error::setting("--classes", what));
        match self {
            _ if !loss.is_binary() => wrong(format!("the {loss} loss is for numbers, not for classes")),
            Self::Softmax if loss != Loss::Logistic => {
                wrong(format!("softmax is the logistic loss of several classes; the {loss} loss takes one-vs-rest"))
            }
            _ => Ok(()),
        }
    }
}

impl std::fmt::Display for Scheme {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for Scheme {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|scheme| scheme.name() == text)
            .ok_or_else(|| Error::setting("--classes", format!("`{text}` is neither softmax nor one-vs-rest")))
    }
}

impl std::fmt::Display for Classes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} over {} classes", self.scheme, self.count)
    }
}

/// The label of class `k`'s own problem.
pub(crate) fn side(label: f64, k: usize) -> f64 {
    if label == k as f64 { 1.0 } else { -1.0 }
}

/// The class of the largest margin, the first of equals.
pub(crate) fn largest(z: &[f64]) -> usize {
    (1..z.len()).fold(0, |best, k| if z[k] > z[best] { k } else { best })
}

impl Classes {
    /// What the margins of a row of class `y` cost.
    pub fn value(self, loss: Loss, z: &[f64], y: f64) -> f64 {
        match self.scheme {
            Scheme::OneVsRest => z.iter().enumerate().map(|(k, z)| loss.value(*z, side(y, k))).sum(),
            Scheme::Softmax => {
                let top = largest(z);
                let others = z.iter().enumerate().filter(|(k, _)| *k != top);
                z[top] - z[y as usize] + others.map(|(_, other)| (other - z[top]).exp()).sum::<f64>().ln_1p()
            }
        }
    }

    /// The same; besides, the slope along every margin, and what [`Classes::product`] needs to know of how the loss bends:
    /// φ″ of every margin, of softmax the probability πₖ of every class.
    pub(crate) fn bent(self, loss: Loss, z: &[f64], y: f64, slopes: &mut [f64], bends: &mut [f64]) -> f64 {
        match self.scheme {
            Scheme::OneVsRest => {
                let mut value = 0.0;
                for (k, z) in z.iter().enumerate() {
                    let at = loss.bent(*z, side(y, k));
                    value += at.value;
                    (slopes[k], bends[k]) = (at.slope, at.bend);
                }
                value
            }
            Scheme::Softmax => {
                probabilities(z, bends);
                slopes.copy_from_slice(bends);
                // Of a class that is nearly sure, 1 − π has lost its digits; what the others leave has not.
                let y_at = y as usize;
                slopes[y_at] = -bends.iter().enumerate().filter(|(k, _)| *k != y_at).map(|(_, p)| p).sum::<f64>();
                self.value(loss, z, y)
            }
        }
    }

    /// ∇²φ·u in place of u, from what [`Classes::bent`] has told of a row: with softmax πₖ(uₖ − Σ πu).
    pub(crate) fn product(self, bends: &[f64], u: &mut [f64]) {
        let mean = match self.scheme {
            Scheme::OneVsRest => 0.0,
            Scheme::Softmax => bends.iter().zip(&*u).map(|(p, u)| p * u).sum(),
        };
        u.iter_mut().zip(bends).for_each(|(u, bend)| *u = bend * (*u - mean));
    }

    /// The diagonal of ∇²φ, entry by entry.
    pub(crate) fn diagonal(self, bend: f64) -> f64 {
        match self.scheme {
            Scheme::OneVsRest => bend,
            Scheme::Softmax => bend * (1.0 - bend),
        }
    }

    /// −φ*(−α) in the two terms of [`Loss::dual_terms`]. Softmax has the entropy of e_y − α, which is a distribution over the
    /// classes if α is feasible.
    pub fn dual_terms(self, loss: Loss, alpha: &[f64], y: f64) -> (f64, f64) {
        let each = alpha.iter().enumerate();
        match self.scheme {
            Scheme::OneVsRest => each.map(|(k, alpha)| loss.dual_terms(*alpha, side(y, k))).fold((0.0, 0.0), add),
            Scheme::Softmax => {
                let chance = |(k, alpha): (usize, &f64)| if k == y as usize { 1.0 - alpha } else { -alpha };
                let term = |p: f64| if p > 0.0 { p * p.ln() } else { 0.0 };
                (-each.map(chance).map(term).sum::<f64>(), 0.0)
            }
        }
    }

    /// An upper bound of how φ bends along any direction of the margins.
    pub fn curvature(self, loss: Loss) -> f64 {
        match self.scheme {
            Scheme::OneVsRest => loss.curvature(),
            // No variance of numbers whose squares add up to 1 is larger.
            Scheme::Softmax => 0.5,
        }
    }
}

fn add(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0 + b.0, a.1 + b.1)
}

/// e^(zₖ) / Σ e^z, without overflow.
pub(crate) fn probabilities(z: &[f64], into: &mut [f64]) {
    let top = z[largest(z)];
    into.iter_mut().zip(z).for_each(|(p, z)| *p = (z - top).exp());
    let sum: f64 = into.iter().sum();
    into.iter_mut().for_each(|p| *p /= sum);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const K: usize = 4;

    fn any_classes() -> impl Strategy<Value = (Classes, Loss)> {
        let binary: Vec<Loss> = Loss::ALL.into_iter().filter(|loss| loss.is_binary()).collect();
        let rest = prop::sample::select(binary).prop_map(|loss| (Scheme::OneVsRest, loss));
        prop_oneof![Just((Scheme::Softmax, Loss::Logistic)), rest]
            .prop_map(|(scheme, loss)| (Classes { scheme, count: K }, loss))
    }

    fn margins() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(-6.0..6.0f64, K)
    }

    fn slopes(classes: Classes, loss: Loss, z: &[f64], y: f64) -> [f64; K] {
        let (mut slopes, mut bends) = ([0.0; K], [0.0; K]);
        let value = classes.bent(loss, z, y, &mut slopes, &mut bends);
        assert_eq!(value, classes.value(loss, z, y));
        slopes
    }

    fn dot(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    proptest! {
        /// φ(z) + φ*(−α) ≥ −α·z for every feasible α, with equality at α = −∇φ(z).
        #[test]
        fn fenchel_young((classes, loss) in any_classes(), z in margins(), other in margins(), y in 0..K, t in 0.0..=1.0f64) {
            let y = y as f64;
            let gap = |alpha: &[f64]| {
                let (a, c) = classes.dual_terms(loss, alpha, y);
                classes.value(loss, &z, y) - (a - c) + dot(alpha, &z)
            };
            let own = slopes(classes, loss, &z, y).map(|slope| -slope);
            let shrunk = slopes(classes, loss, &other, y).map(|slope| -t * slope);
            prop_assert!(gap(&own).abs() < 1e-9 && gap(&shrunk) > -1e-9, "{} {}", gap(&own), gap(&shrunk));
        }

        #[test]
        fn slopes_and_products_are_differences(
            (classes, loss) in any_classes(), z in margins(), u in margins(), y in 0..K,
        ) {
            let (y, h) = (y as f64, 1e-6);
            let moved = |by: f64| -> Vec<f64> { z.iter().zip(&u).map(|(z, u)| z + by * u).collect() };
            let value = |by: f64| classes.value(loss, &moved(by), y);
            let here = slopes(classes, loss, &z, y);
            let (mut at, mut bends) = ([0.0; K], [0.0; K]);
            classes.bent(loss, &z, y, &mut at, &mut bends);
            let off = (value(h) - value(-h)) / (2.0 * h) - dot(&here, &u);
            let near_corner = (0..K).any(|k| {
                let gap = side(y, k) * z[k];
                [0.0, 1.0].iter().any(|corner| (gap - corner).abs() < 1e-4)
            });
            prop_assert!(near_corner || off.abs() < 1e-5, "{off}");
            let mut product = u.clone();
            classes.product(&bends, &mut product);
            let (ahead, behind) = (slopes(classes, loss, &moved(h), y), slopes(classes, loss, &moved(-h), y));
            for k in 0..K {
                let found = (ahead[k] - behind[k]) / (2.0 * h);
                prop_assert!(near_corner || (found - product[k]).abs() < 1e-5, "{found} {}", product[k]);
                let mut unit = [0.0; K];
                unit[k] = 1.0;
                classes.product(&bends, &mut unit);
                prop_assert!((unit[k] - classes.diagonal(bends[k])).abs() < 1e-12);
            }
            prop_assert!(dot(&u, &product) <= classes.curvature(loss) * dot(&u, &u) + 1e-9);
        }
    }

    #[test]
    fn extreme_margins_stay_finite() {
        let classes = Classes { scheme: Scheme::Softmax, count: 3 };
        assert_eq!(classes.value(Loss::Logistic, &[1e9, -1e9, 0.0], 1.0), 2e9);
        let sure = classes.value(Loss::Logistic, &[40.0, 0.0, 0.0], 0.0);
        assert!((sure / (2.0 * (-40_f64).exp()) - 1.0).abs() < 1e-12, "{sure}");
    }

    #[test]
    fn schemes_are_chosen_and_refused_by_loss() {
        assert_eq!(Scheme::usual(Loss::Logistic), "softmax".parse().unwrap());
        assert_eq!(Scheme::usual(Loss::Hinge), "one-vs-rest".parse().unwrap());
        assert!("ovr".parse::<Scheme>().unwrap_err().to_string().contains("neither softmax nor one-vs-rest"));
        assert!(Scheme::Softmax.check(Loss::Hinge).unwrap_err().to_string().contains("takes one-vs-rest"));
        assert!(Scheme::OneVsRest.check(Loss::Squared).unwrap_err().to_string().contains("for numbers"));
        Scheme::OneVsRest.check(Loss::Logistic).unwrap();
    }
}
