//! Answers that make no sense whatever the truth is.

use hemingway::model::{Bracket, ConvergenceModel, Estimate, Reach};

const ROUNDS: [f64; 8] = [0.0, 1.0, 10.0, 100.0, 1e3, 1e4, 1e6, 1e9];
const ERRORS: [f64; 8] = [10.0, 1.0, 0.5, 0.1, 1e-2, 1e-3, 1e-6, 1e-12];
const MACHINES: [usize; 5] = [1, 3, 16, 100, 10_000];

/// How many answers about what was and was not seen are no numbers, out of order, above the start, or better for
/// fewer rounds or a harder target.
pub fn absurdities(model: &ConvergenceModel, bracket: &Bracket) -> usize {
    MACHINES.iter().map(|&machines| errors(model, bracket, machines) + reaches(model, machines)).sum()
}

fn errors(model: &ConvergenceModel, bracket: &Bracket, machines: usize) -> usize {
    let start = bracket.error(bracket.start).unwrap_or(f64::MAX);
    let answers = ROUNDS.map(|rounds| model.error_after(rounds, machines));
    let senseless = |error: &&Estimate| disordered(error) || error.mid > start * (1.0 + 1e-9);
    answers.iter().filter(senseless).count() + falls(answers.iter().map(|error| -error.mid))
}

fn reaches(model: &ConvergenceModel, machines: usize) -> usize {
    let answers = ERRORS.map(|error| model.rounds_to(error, machines));
    let senseless = answers.iter().filter_map(|reach| reach.estimate()).filter(disordered).count();
    let rounds = |reach: &Reach| reach.estimate().map_or(f64::INFINITY, |estimate| estimate.mid);
    senseless + falls(answers.iter().map(rounds))
}

/// Steps down among what must not fall.
fn falls(values: impl Iterator<Item = f64>) -> usize {
    let values: Vec<f64> = values.collect();
    values.windows(2).filter(|pair| pair[1] < pair[0] - 1e-9 * pair[0].abs()).count()
}

fn disordered(estimate: &Estimate) -> bool {
    !(0.0 <= estimate.low && estimate.low <= estimate.mid && estimate.mid <= estimate.high)
}
