//! The learned simulator: which of two strategies is faster, from few real trials.
//!
//! score(s) = ln(analytic seconds) + w·φ(s) + trees(φ(s)): the analytic forecast is the prior, and w and the trees are what trials say
//! it gets wrong. Both are trained on pairs, Σ ln(1 + exp((score(a) − score(b))/τ)) over trials a faster than b: first w, with
//! (λ/2)‖w‖² beside it, then small trees one after the other. A line then turns scores into seconds.
//!
//! What other models and clusters have taught is where w begins and what it is pulled back to: (λ/2)‖w − w₀‖², the less the
//! more trials there are; their trees stay, and those of own trials come after. Trials are paired only with those of the same model
//! on the same cluster.

mod lessons;
mod traits;
mod trees;

use serde::{Deserialize, Serialize};

pub use lessons::Lesson;
pub use traits::{TRAITS, traits};
use trees::{Bend, Tree, borders};

use crate::rng::{Purpose, keyed};

/// τ: differences of scores, which are logarithms of seconds, that count as clear.
const TEMPERATURE: f64 = 0.05;
/// λ, for each pair.
const RIDGE: f64 = 3e-3;
/// As many trials as what others have taught weighs, beside λ itself.
const TRUST: f64 = 100.0;
/// Pairs learned from at once.
const MOST_PAIRS: usize = 20_000;
const STEPS: usize = 120;
/// Trees of one lesson.
const TREES: usize = 100;
const RATE: f64 = 0.03;

/// What is known of one strategy before it runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Look {
    /// Seconds on paper.
    pub forecast: f64,
    /// What else may matter.
    pub traits: [f64; TRAITS],
}

/// A ranker, trained or not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ranker {
    /// Of each trait over the trials, and its spread.
    means: [f64; TRAITS],
    spreads: [f64; TRAITS],
    weights: [f64; TRAITS],
    trees: Vec<Tree>,
    /// ln seconds = intercept + slope·score, within so much.
    intercept: f64,
    slope: f64,
    deviation: f64,
}

impl Default for Ranker {
    /// The forecast itself.
    fn default() -> Self {
        Self {
            means: [0.0; TRAITS],
            spreads: [1.0; TRAITS],
            weights: [0.0; TRAITS],
            trees: Vec::new(),
            intercept: 0.0,
            slope: 1.0,
            deviation: 0.3,
        }
    }
}

impl Ranker {
    /// Learns from trials of one model on one cluster: what each strategy looked like, and its seconds.
    pub fn fit(trials: &[(Look, f64)]) -> Self {
        Self::default().taught(trials)
    }

    /// Learns from trials of several models and clusters, a list for each pair of them.
    pub fn from_others(others: &[Vec<(Look, f64)>]) -> Self {
        let trials: Vec<(Look, f64)> = others.iter().flatten().copied().collect();
        let mut ranker = Self::default();
        if trials.len() < 4 {
            return ranker;
        }
        ranker.measure(&trials);
        let (mut all, mut before) = (Vec::new(), 0);
        for own in others {
            let pairs = pairs(own, MOST_PAIRS / others.len());
            all.extend(pairs.into_iter().map(|(fast, slow)| (fast + before, slow + before)));
            before += own.len();
        }
        ranker.descend(&trials, &all, RIDGE);
        ranker.boost(&trials, &all);
        ranker.calibrate(&trials);
        ranker
    }

    /// The same after trials of one model on one cluster.
    pub fn taught(&self, trials: &[(Look, f64)]) -> Self {
        let mut ranker = self.clone();
        if trials.len() < 4 {
            return ranker;
        }
        let knows_nothing = self.weights == [0.0; TRAITS] && self.trees.is_empty();
        let pull = if knows_nothing { RIDGE } else { RIDGE * (1.0 + TRUST / trials.len() as f64) };
        if knows_nothing {
            ranker.measure(trials);
        }
        let pairs = pairs(trials, MOST_PAIRS);
        ranker.descend(trials, &pairs, pull);
        ranker.boost(trials, &pairs);
        ranker.calibrate(trials);
        ranker
    }

    /// Lower is faster.
    pub fn score(&self, look: &Look) -> f64 {
        let inputs = self.standard(look);
        let linear: f64 = inputs.iter().zip(&self.weights).map(|(x, w)| x * w).sum();
        look.forecast.max(1e-12).ln() + linear + self.trees.iter().map(|tree| tree.answer(&inputs)).sum::<f64>()
    }

    /// Seconds as (5 % limit, likeliest, 95 % limit).
    pub fn seconds(&self, look: &Look) -> (f64, f64, f64) {
        let mid = (self.intercept + self.slope * self.score(look)).exp();
        let factor = (1.645 * self.deviation).exp();
        (mid / factor, mid, mid * factor)
    }

    /// The share of pairs that it puts in their real order, of those whose times differ by more than `margin` (0.02: 2 %).
    pub fn accuracy(&self, trials: &[(Look, f64)], margin: f64) -> Option<f64> {
        let scores: Vec<f64> = trials.iter().map(|(look, _)| self.score(look)).collect();
        let (mut right, mut all) = (0, 0);
        for i in 0..trials.len() {
            for j in 0..i {
                let difference = (trials[i].1 / trials[j].1).ln();
                if difference.abs() > margin {
                    all += 1;
                    right += usize::from((scores[i] - scores[j]) * difference > 0.0);
                }
            }
        }
        (all > 0).then(|| f64::from(right as u32) / f64::from(all as u32))
    }

    fn measure(&mut self, trials: &[(Look, f64)]) {
        let count = trials.len() as f64;
        for k in 0..TRAITS {
            let values = || trials.iter().map(|(look, _)| look.traits[k]);
            self.means[k] = values().sum::<f64>() / count;
            let variance = values().map(|value| (value - self.means[k]).powi(2)).sum::<f64>() / count;
            self.spreads[k] = if variance > 1e-12 { variance.sqrt() } else { 1.0 };
        }
    }

    /// Traits in spreads from the mean; nothing is taken for further off than four of them.
    fn standard(&self, look: &Look) -> [f64; TRAITS] {
        std::array::from_fn(|k| ((look.traits[k] - self.means[k]) / self.spreads[k]).clamp(-4.0, 4.0))
    }

    /// Adam on the pairwise loss, pulled back to where it begins.
    fn descend(&mut self, trials: &[(Look, f64)], pairs: &[(usize, usize)], pull: f64) {
        let inputs: Vec<[f64; TRAITS]> = trials.iter().map(|(look, _)| self.standard(look)).collect();
        let (begin, mut first, mut second) = (self.weights, [0.0; TRAITS], [0.0; TRAITS]);
        for step in 1..=STEPS {
            let scores: Vec<f64> = trials.iter().map(|(look, _)| self.score(look)).collect();
            let mut gradient: [f64; TRAITS] =
                std::array::from_fn(|k| pull * (self.weights[k] - begin[k]) / TEMPERATURE);
            for (fast, slow) in pairs {
                let push = 1.0 / (1.0 + ((scores[*slow] - scores[*fast]) / TEMPERATURE).exp());
                let share = push / TEMPERATURE / pairs.len().max(1) as f64;
                for k in 0..TRAITS {
                    gradient[k] += share * (inputs[*fast][k] - inputs[*slow][k]);
                }
            }
            for k in 0..TRAITS {
                first[k] = 0.9 * first[k] + 0.1 * gradient[k];
                second[k] = 0.999 * second[k] + 0.001 * gradient[k].powi(2);
                let (mean, size) =
                    (first[k] / (1.0 - 0.9f64.powi(step as i32)), second[k] / (1.0 - 0.999f64.powi(step as i32)));
                self.weights[k] -= RATE / (step as f64).sqrt() * mean / (size.sqrt() + 1e-9);
            }
        }
    }

    /// One tree after the other on the pairwise loss.
    fn boost(&mut self, trials: &[(Look, f64)], pairs: &[(usize, usize)]) {
        let inputs: Vec<[f64; TRAITS]> = trials.iter().map(|(look, _)| self.standard(look)).collect();
        let mut scores: Vec<f64> = trials.iter().map(|(look, _)| self.score(look)).collect();
        let borders = borders(&inputs);
        // As if every trial were in one pair with each other: thinning pairs leaves curvatures as they are.
        let weight = trials.len() as f64 / pairs.len().max(1) as f64;
        for number in 0..TREES as u64 {
            let mut bends = vec![Bend::default(); trials.len()];
            for (fast, slow) in pairs {
                let push = 1.0 / (1.0 + ((scores[*slow] - scores[*fast]) / TEMPERATURE).exp());
                let (slope, curvature) = (push / TEMPERATURE, push * (1.0 - push) / TEMPERATURE.powi(2));
                bends[*fast].slope += weight * slope;
                bends[*slow].slope -= weight * slope;
                bends[*fast].curvature += weight * curvature;
                bends[*slow].curvature += weight * curvature;
            }
            let tree = Tree::fit(&inputs, &bends, &borders, &mut keyed(0, Purpose::Grow, 0, number));
            scores.iter_mut().zip(&inputs).for_each(|(score, inputs)| *score += tree.answer(inputs));
            self.trees.push(tree);
        }
    }

    /// The line of ln seconds over scores; its slope stays near 1 where trials are alike.
    fn calibrate(&mut self, trials: &[(Look, f64)]) {
        let points: Vec<(f64, f64)> = trials.iter().map(|(look, seconds)| (self.score(look), seconds.ln())).collect();
        let count = points.len() as f64;
        let mean = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
        let (x, y) = (mean(&|p| p.0), mean(&|p| p.1));
        let (xx, xy) = (mean(&|p| (p.0 - x).powi(2)), mean(&|p| (p.0 - x) * (p.1 - y)));
        const PRIOR: f64 = 1e-3;
        self.slope = ((xy + PRIOR) / (xx + PRIOR)).clamp(0.5, 1.5);
        self.intercept = y - self.slope * x;
        self.deviation = mean(&|p| (p.1 - self.intercept - self.slope * p.0).powi(2)).sqrt().max(0.01);
    }
}

/// Pairs (faster, slower), thinned evenly where there are very many.
fn pairs(trials: &[(Look, f64)], most: usize) -> Vec<(usize, usize)> {
    let all = || {
        let pairs = (0..trials.len()).flat_map(|i| (0..trials.len()).map(move |j| (i, j)));
        pairs.filter(|(i, j)| trials[*i].1 * 1.01 < trials[*j].1)
    };
    // Counted first: of many trials there are more pairs than memory holds.
    let step = all().count().div_ceil(most.max(1)).max(1);
    all().step_by(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Real times are the forecast times e^(0.4·trait 3): a prior that is wrong in one respect.
    fn trials(count: usize, seed: usize) -> Vec<(Look, f64)> {
        let draw = |i: usize, k: usize| ((i * 7919 + k * 104_729 + seed * 31) % 1009) as f64 / 1009.0;
        let trial = |i: usize| {
            let traits: [f64; TRAITS] = std::array::from_fn(|k| draw(i, k));
            let forecast = 0.1 + draw(i, 50) / 10.0;
            (Look { forecast, traits }, 2.0 * forecast * (0.9 * traits[3]).exp())
        };
        (0..count).map(trial).collect()
    }

    #[test]
    fn it_learns_what_the_prior_gets_wrong_and_speaks_in_seconds() {
        let (seen, unseen) = (trials(80, 1), trials(200, 500));
        let (prior, learned) = (Ranker::default(), Ranker::fit(&seen));
        let [before, after] = [&prior, &learned].map(|ranker| ranker.accuracy(&unseen, 0.02).unwrap());
        assert!(before < 0.85 && after > 0.95, "{before} {after}");
        let near = unseen.iter().filter(|(look, seconds)| (learned.seconds(look).1 / seconds - 1.0).abs() < 0.1);
        assert!(near.count() > 160);
        assert_eq!(Ranker::fit(&seen[..3]), prior);
    }
    /// Another model: the same prior is wrong in the same respect, on another scale.
    #[test]
    fn what_others_taught_ranks_before_any_trial_and_yields_to_trials() {
        let other = |seed: usize| -> Vec<(Look, f64)> {
            let scale = |(look, seconds): (Look, f64)| (Look { forecast: 9.0 * look.forecast, ..look }, 9.0 * seconds);
            trials(60, seed).into_iter().map(scale).collect()
        };
        let unseen = trials(200, 500);
        let learned = Ranker::from_others(&[other(1), trials(60, 7)]);
        assert!(learned.accuracy(&unseen, 0.02).unwrap() > 0.95);
        // Where others mislead, trials of one's own take over.
        let turned: Vec<(Look, f64)> =
            unseen.iter().map(|(look, _)| (*look, look.forecast * (-0.9 * look.traits[3]).exp())).collect();
        let before = learned.accuracy(&turned, 0.02).unwrap();
        let after = learned.taught(&turned[..120]).accuracy(&turned[120..], 0.02).unwrap();
        assert!(before < 0.8 && after > 0.9, "{before} {after}");
        assert_eq!(learned.taught(&turned[..3]), learned);
    }
}
