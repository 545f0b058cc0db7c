//! Small trees, each correcting what those before it leave wrong: boosting of the pairwise loss.
//!
//! Every level of a tree asks the same question of all strategies ("is trait k above c?"), so that a tree of depth three has three
//! questions and eight answers: too few to learn single trials by heart. The best of a few questions is asked, drawn anew for every
//! level: trees that differ are wrong in different ways, and their sum is wrong by less.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::TRAITS;

/// Questions of a tree.
const DEPTH: usize = 3;
const LEAVES: usize = 1 << DEPTH;
/// Borders of a trait that may be tried, and the share of them that is, at each level of a tree.
const BORDERS: usize = 12;
const TRIED: f64 = 0.1;
/// The share of a tree's answers that is taken.
const SHRINK: f64 = 0.1;
/// What a leaf's curvature is taken to be beside that of its trials: few trials move it little.
const CAUTION: f64 = 30.0;

type Inputs = [f64; TRAITS];

/// A question.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Question {
    of: usize,
    border: f64,
}

/// A tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Tree {
    questions: Vec<Question>,
    answers: Vec<f64>,
}

/// Slope and curvature of the loss in a trial's score.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Bend {
    pub(super) slope: f64,
    pub(super) curvature: f64,
}

impl Bend {
    fn add(&mut self, other: Self) {
        self.slope += other.slope;
        self.curvature += other.curvature;
    }

    /// By how much the best answer lowers the loss.
    fn gain(self) -> f64 {
        self.slope.powi(2) / (self.curvature + CAUTION)
    }
}

impl Tree {
    /// What it adds to a score.
    pub(super) fn answer(&self, inputs: &Inputs) -> f64 {
        let leaf = self.questions.iter().fold(0, |leaf, question| 2 * leaf + question.ask(inputs));
        self.answers.get(leaf).copied().unwrap_or(0.0)
    }

    /// The tree that lowers the loss most, question by question of those that are drawn.
    pub(super) fn fit(inputs: &[Inputs], bends: &[Bend], borders: &[Vec<f64>], draw: &mut ChaCha8Rng) -> Self {
        let mut leaves = vec![0; inputs.len()];
        let mut questions = Vec::with_capacity(DEPTH);
        for _ in 0..DEPTH {
            let some: Vec<Vec<f64>> = borders.iter().map(|borders| some_of(borders, draw)).collect();
            let Some(best) = best_question(inputs, bends, &some, &leaves) else { break };
            leaves.iter_mut().zip(inputs).for_each(|(leaf, inputs)| *leaf = 2 * *leaf + best.ask(inputs));
            questions.push(best);
        }
        let mut sums = vec![Bend::default(); 1 << questions.len()];
        leaves.iter().zip(bends).for_each(|(leaf, bend)| sums[*leaf].add(*bend));
        let answers = sums.iter().map(|sum| -SHRINK * sum.slope / (sum.curvature + CAUTION)).collect();
        Self { questions, answers }
    }
}

impl Question {
    fn ask(self, inputs: &Inputs) -> usize {
        usize::from(inputs[self.of] > self.border)
    }
}

fn some_of(borders: &[f64], draw: &mut ChaCha8Rng) -> Vec<f64> {
    borders.iter().copied().filter(|_| draw.random_bool(TRIED)).collect()
}

/// The question that splits all leaves best; none where no trait has two values.
fn best_question(inputs: &[Inputs], bends: &[Bend], borders: &[Vec<f64>], leaves: &[usize]) -> Option<Question> {
    let mut best: Option<(f64, Question)> = None;
    for (of, borders) in borders.iter().enumerate() {
        for border in borders {
            let question = Question { of, border: *border };
            let mut sums = [Bend::default(); LEAVES];
            for ((inputs, bend), leaf) in inputs.iter().zip(bends).zip(leaves) {
                sums[2 * leaf + question.ask(inputs)].add(*bend);
            }
            let gain: f64 = sums.iter().map(|sum| sum.gain()).sum();
            if best.is_none_or(|(most, _)| gain > most) {
                best = Some((gain, question));
            }
        }
    }
    best.map(|(_, question)| question)
}

/// Borders of every trait, each between two shares of the trials.
pub(super) fn borders(inputs: &[Inputs]) -> Vec<Vec<f64>> {
    let of = |k: usize| {
        let mut values: Vec<f64> = inputs.iter().map(|inputs| inputs[k]).collect();
        values.sort_by(f64::total_cmp);
        let at = |i: usize| values[i * (values.len() - 1) / (BORDERS + 1)];
        let mut borders: Vec<f64> = (1..=BORDERS).map(at).collect();
        borders.dedup();
        borders.retain(|border| values.last().is_some_and(|most| border < most));
        borders
    };
    (0..TRAITS).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, keyed};

    #[test]
    fn a_tree_finds_what_depends_on_two_traits_at_once() {
        let draw = |i: usize, k: usize| ((i * 7919 + k * 104_729) % 1009) as f64 / 1009.0;
        let inputs: Vec<Inputs> = (0..400).map(|i| std::array::from_fn(|k| draw(i, k))).collect();
        let truth = |inputs: &Inputs| if inputs[4] > 0.5 && inputs[9] > 0.5 { 1.0 } else { 0.0 };
        let (borders, mut scores) = (borders(&inputs), vec![0.0; inputs.len()]);
        for number in 0..120 {
            let bend = |(inputs, score): (&Inputs, &f64)| Bend { slope: score - truth(inputs), curvature: 1.0 };
            let bends: Vec<Bend> = inputs.iter().zip(&scores).map(bend).collect();
            let tree = Tree::fit(&inputs, &bends, &borders, &mut keyed(0, Purpose::Grow, 0, number));
            scores.iter_mut().zip(&inputs).for_each(|(score, inputs)| *score += tree.answer(inputs));
        }
        let off = |(inputs, score): (&Inputs, &f64)| (score - truth(inputs)).abs();
        let mean = inputs.iter().zip(&scores).map(off).sum::<f64>() / inputs.len() as f64;
        assert!(mean < 0.1, "{mean}");
    }

    #[test]
    fn where_all_are_alike_there_is_nothing_to_ask() {
        let inputs = vec![[1.0; TRAITS]; 5];
        let tree = Tree::fit(
            &inputs,
            &[Bend { slope: 1.0, curvature: 1.0 }; 5],
            &borders(&inputs),
            &mut keyed(0, Purpose::Grow, 0, 0),
        );
        assert!(tree.questions.is_empty() && tree.answer(&inputs[0]) < 0.0);
    }
}
