//! λ₁ chosen by cross-validation: of every fold a path without its rows, and the loss of every point on them.

use serde::Serialize;

use super::{Asked, Precision, Solver};
use crate::data::Dataset;
use crate::error::counted;
use crate::problem::Problem;
use crate::{Error, Result};

/// How λ₁ is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// The least loss out of fold.
    Least,
    /// The largest λ₁ within one standard error of the least: sparser, and as good as can be told.
    OneStandardError,
}

/// The loss of one λ₁ on rows that its models have not seen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Choice {
    /// λ₁.
    pub l1: f64,
    /// Mean loss of a row.
    pub loss: f64,
    /// Its standard error, from the folds.
    pub error: f64,
}

/// What cross-validation found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CrossValidated {
    /// Every λ₁, the largest first.
    pub points: Vec<Choice>,
    /// Which of them was chosen.
    pub chosen: usize,
    /// By what.
    pub rule: Rule,
    /// Folds.
    pub folds: usize,
}

/// Refuses too few folds.
///
/// # Errors
/// If one would leave all rows out.
pub fn check_folds(folds: usize) -> Result<()> {
    if folds >= 2 {
        return Ok(());
    }
    let what = format!("{} would leave nothing to learn from; take at least 2", counted(folds, "fold"));
    Err(Error::setting("--cross-validate", what))
}

/// Every row is left out once: fold k has the rows k, k + folds, …, dealt by the seed. A fold's models see nothing of its rows; all
/// folds are solved for the same λ₁.
///
/// # Errors
/// If there are fewer than two folds, or more than rows.
pub fn cross_validate(
    problem: &Problem,
    grid: &[f64],
    asked: &Asked,
    folds: usize,
    rule: Rule,
    see: impl Fn(usize, usize) + Sync,
) -> Result<CrossValidated> {
    let rows = problem.data.rows();
    check_folds(folds)?;
    if folds > rows {
        let what = format!("{folds} folds of {}; there is at most one for each row", counted(rows, "row"));
        return Err(Error::setting("--cross-validate", what));
    }
    let losses = all_folds(problem, grid, asked, folds, &see)?;
    let of_point = |k: usize| losses.iter().map(|fold| fold[k]).collect::<Vec<_>>();
    let points: Vec<Choice> = grid.iter().enumerate().map(|(k, l1)| Choice::of(*l1, &of_point(k))).collect();
    let chosen = chosen(&points, rule);
    Ok(CrossValidated { points, chosen, rule, folds })
}

/// Loss and weight of every fold at every λ₁; some folds at a time, each on a thread of its own.
fn all_folds(
    problem: &Problem,
    grid: &[f64],
    asked: &Asked,
    folds: usize,
    see: &(impl Fn(usize, usize) + Sync),
) -> Result<Vec<Vec<Loss>>> {
    let precision = rough(asked.precision);
    let numbers: Vec<usize> = (0..folds).collect();
    let mut losses = Vec::with_capacity(folds);
    for some in numbers.chunks(asked.threads.max(1)) {
        let done: Vec<Result<Vec<Loss>>> = std::thread::scope(|scope| {
            let solve = |fold: usize| scope.spawn(move || one_fold(problem, grid, precision, (fold, folds), see));
            let threads: Vec<_> = some.iter().map(|fold| solve(*fold)).collect();
            let lost = || Error::Engine("a fold's thread ended before its path did".into());
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(lost()))).collect()
        });
        losses.extend(done.into_iter().collect::<Result<Vec<_>>>()?);
    }
    Ok(losses)
}

/// The path of all rows but a fold's, and the loss of every point on those.
fn one_fold(
    problem: &Problem,
    grid: &[f64],
    precision: Precision,
    (fold, folds): (usize, usize),
    see: &impl Fn(usize, usize),
) -> Result<Vec<Loss>> {
    let (inside, outside): (Vec<usize>, Vec<usize>) = (0..problem.data.rows()).partition(|row| row % folds != fold);
    let held = problem.data.select(&outside);
    let mut solver = Solver::new(&part(problem, &inside)?, precision, 1)?;
    // Looks at every column once; above its own largest λ₁ a fold's w stays 0.
    solver.largest()?;
    let mut losses = Vec::with_capacity(grid.len());
    for (k, l1) in grid.iter().enumerate() {
        see(fold, k);
        losses.push(loss_of(problem, &held, &solver.solve(*l1)?.weights));
    }
    Ok(losses)
}

/// Models that are only compared need not be closer than their comparison.
fn rough(precision: Precision) -> Precision {
    match precision {
        Precision::Error(error) => Precision::Error(error.max(1e-4)),
        Precision::OfStart(share) => Precision::OfStart(share.max(1e-5)),
    }
}

/// The problem of some of the rows, in their order.
fn part(problem: &Problem, rows: &[usize]) -> Result<Problem> {
    let data = problem.data.select(rows).into_weighed()?;
    Ok(Problem { data: std::sync::Arc::new(data), whole: None, ..problem.clone() })
}

/// Σ sφ and Σ s of rows.
type Loss = (f64, f64);

/// Those of some rows under a model.
fn loss_of(problem: &Problem, held: &Dataset, weights: &[(u32, f64)]) -> Loss {
    let mut w = vec![0.0; held.columns()];
    weights.iter().for_each(|(column, weight)| w[*column as usize] = *weight);
    let of_row = |i: usize| held.weight(i) * problem.loss.value(held.matrix.row(i).dot(&w), held.labels[i]);
    (0..held.rows()).fold((0.0, 0.0), |(loss, weight), i| (loss + of_row(i), weight + held.weight(i)))
}

impl Choice {
    fn of(l1: f64, folds: &[Loss]) -> Self {
        let weight: f64 = folds.iter().map(|(_, weight)| weight).sum();
        let loss = folds.iter().map(|(loss, _)| loss).sum::<f64>() / weight;
        let means: Vec<f64> =
            folds.iter().filter(|(_, weight)| *weight > 0.0).map(|(loss, weight)| loss / weight).collect();
        let count = means.len() as f64;
        let middle = means.iter().sum::<f64>() / count;
        let spread = means.iter().map(|mean| (mean - middle).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
        Self { l1, loss, error: (spread / count).sqrt() }
    }
}

/// The first of equals has the larger λ₁.
fn chosen(points: &[Choice], rule: Rule) -> usize {
    let least = (0..points.len()).min_by(|a, b| points[*a].loss.total_cmp(&points[*b].loss)).unwrap_or(0);
    match rule {
        Rule::Least => least,
        Rule::OneStandardError => {
            let limit = points[least].loss + points[least].error;
            points.iter().position(|point| point.loss <= limit).unwrap_or(least)
        }
    }
}
