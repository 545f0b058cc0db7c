//! What h could be: joint samples of every candidate's loss.

use rand_distr::{Distribution, StandardNormal};

use super::belief::Belief;
use crate::rng::{Purpose, keyed};

/// How fast numbers of machines cease to tell about each other: by 1/e for every factor of 4.
const FADE: f64 = 2.0 * std::f64::consts::LN_2;
/// Half of the samples; the other half are their mirror images.
const PAIRS: u64 = 512;

/// One way things could be.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct World {
    /// How far f and g of each candidate are from their middles, in standard deviations.
    pub(super) off: [Vec<f64>; 2],
    /// What a probe of f and of g would be blurred by.
    pub(super) blur: [f64; 2],
    /// The loss of each candidate.
    pub(super) losses: Vec<f64>,
}

/// Always the same samples for the same beliefs, in mirrored pairs. f and g are independent of each other and between
/// contexts; within one, neighbouring m are tied (an Ornstein–Uhlenbeck path over ln m). `beliefs` are in order of
/// context and m.
pub(super) fn worlds(beliefs: &[Belief]) -> Vec<World> {
    (0..PAIRS).flat_map(|pair| [1.0, -1.0].map(|sign| world(beliefs, pair, sign))).collect()
}

fn world(beliefs: &[Belief], pair: u64, sign: f64) -> World {
    let mut random = keyed(0, Purpose::Foresee, 0, pair);
    let mut normal = || {
        let drawn: f64 = StandardNormal.sample(&mut random);
        sign * drawn
    };
    let off = [path(beliefs, &mut normal), path(beliefs, &mut normal)];
    let loss = |(place, belief): (usize, &Belief)| belief.at(together(belief, [off[0][place], off[1][place]]));
    let losses = beliefs.iter().enumerate().map(loss).collect();
    World { off, blur: [normal(), normal()], losses }
}

/// One standard normal number for each candidate.
fn path(beliefs: &[Belief], normal: &mut impl FnMut() -> f64) -> Vec<f64> {
    let mut path: Vec<f64> = Vec::with_capacity(beliefs.len());
    for (place, belief) in beliefs.iter().enumerate() {
        let before = place.checked_sub(1).map(|before| (&beliefs[before], path[before]));
        let (tied, last) = before.map_or((0.0, 0.0), |(before, last)| (tie(before, belief), last));
        path.push(tied * last + (1.0 - tied * tied).sqrt() * normal());
    }
    path
}

/// The deviations of f and g as one.
pub(super) fn together(belief: &Belief, off: [f64; 2]) -> f64 {
    belief.loads[0] * off[0] + belief.loads[1] * off[1]
}

/// How much one candidate tells about another: the correlation of their deviations.
pub(super) fn tie(a: &Belief, b: &Belief) -> f64 {
    if a.same_context(b) { fading(a.config.machines as f64 / b.config.machines as f64) } else { 0.0 }
}

/// What is left of a measurement at another size or number of machines.
pub(super) fn fading(ratio: f64) -> f64 {
    (-ratio.ln().abs() / FADE).exp()
}
