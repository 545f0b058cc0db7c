//! What both ways of factorizing ratings share: the first model, P, and where the halves of a model lie.
//!
//! The shared vector is the model, [Q, P]: the factors of every item, then those of every user in the order of the rows.

use rand_distr::{Distribution, StandardNormal};

use super::{Machines, Order, Task, Work};
use crate::Result;
use crate::data::Shard;
use crate::problem::{Evaluation, Factors, Outline};
use crate::rng::{Purpose, keyed};

/// The setting by which shards are cut again.
pub(super) const RECUT: &str = "cuts=measured";

/// What is factorized.
///
/// # Panics
/// If the problem is not one of ratings: [`super::check_problem`] keeps others away.
pub(super) fn of(outline: &Outline) -> Factors {
    outline.factors.expect("only ratings are factorized")
}

/// Items at random points about a unit from 0, users and biases at 0.
pub(super) fn first(outline: &Outline) -> Vec<f64> {
    let factors = of(outline);
    let mut rng = keyed(outline.seed, Purpose::Begin, 0, 0);
    let scale = 1.0 / (factors.rank as f64).sqrt();
    let mut model = vec![0.0; outline.coefficients()];
    for item in model.chunks_exact_mut(factors.width()).take(outline.columns) {
        item[..factors.rank].fill_with(|| scale * Distribution::<f64>::sample(&StandardNormal, &mut rng));
    }
    model
}

/// The part of 2N·P that held users' entries make up.
pub(super) fn push_evaluation(outline: &Outline, shard: &Shard, shared: &[f64], push: &mut [f64]) -> Work {
    let factors = of(outline);
    let model = factors.split(shared, outline.columns);
    let norms = factors.norms(model.items);
    let of_user = |u| factors.of_user(model, shard.start() + u, shard.row(u), &norms, outline.penalty.l2);
    push[0] = (0..shard.len()).map(of_user).sum();
    Work { rows: shard.len() as u64, entries: shard.stored() * work_of(factors.width()) }
}

/// P, off the clock.
pub(super) fn evaluate(outline: &Outline, on: &mut dyn Machines, shared: &[f64]) -> Result<Evaluation> {
    let factors = of(outline);
    let mut sum = [0.0];
    on.round(&Order::aside(on, Task::Evaluate), shared, &mut sum)?;
    let rest = factors.beyond_entries(factors.split(shared, outline.columns), outline.penalty.l2);
    Ok(Evaluation { objective: (sum[0] + rest) / (2 * factors.ratings.max(1)) as f64, dual: None })
}

/// So many multiplications side by side, as entries of a sparse row: about eight take as long as one.
pub(super) fn work_of(multiplications: usize) -> u64 {
    multiplications.div_ceil(8) as u64
}
