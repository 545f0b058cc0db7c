//! Columns in groups whose members lean on each other, all by the same correlation.

use hemingway::data::{Dataset, Matrix};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::paths::normal;

/// Rows, columns, columns of a group, and columns that explain the labels.
const ROWS: usize = 400;
const COLUMNS: usize = 5_000;
const GROUP: usize = 50;
const MATTER: usize = 40;
const NOISE: f64 = 0.3;
const SEED: u64 = 29;

/// xⱼ = √c·z + √(1 − c)·eⱼ, z the group's own: two columns of a group have correlation c, others none.
pub fn correlated(c: f64) -> Dataset {
    let mut rng = StdRng::seed_from_u64(SEED);
    let mut values = vec![0.0; ROWS * COLUMNS];
    let weights: Vec<f64> = (0..MATTER).map(|_| rng.random_range(-1.0..1.0)).collect();
    let mut labels = Vec::with_capacity(ROWS);
    for row in values.chunks_exact_mut(COLUMNS) {
        for group in row.chunks_exact_mut(GROUP) {
            let common = c.sqrt() * normal(&mut rng);
            group.iter_mut().for_each(|x| *x = common + (1.0 - c).sqrt() * normal(&mut rng));
        }
        let explained: f64 = weights.iter().zip(row.iter().step_by(COLUMNS / MATTER)).map(|(w, x)| w * x).sum();
        labels.push(explained + NOISE * normal(&mut rng));
    }
    Dataset::new(format!("correlated {c}"), Matrix::dense(COLUMNS, values), labels)
}
