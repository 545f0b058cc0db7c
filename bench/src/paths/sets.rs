//! Real sets, and made ones whose columns lean on each other.

use anyhow::bail;
use hemingway::data::{Dataset, Matrix, Preparation};
use hemingway::rng::{Purpose, keyed};
use rand::RngExt;
use rand::rngs::StdRng;

/// The sets of the path bench.
pub const SETS: [&str; 3] = ["arcene", "news20", "genotypes"];

/// Columns and rows of the large set, like those of the paper's.
const GENOTYPES: (usize, usize) = (500_000, 400);
/// Neighbouring genotypes that are inherited together, and how often one is as the one before it.
const TOGETHER: usize = 50;
const AS_BEFORE: f64 = 0.9;
/// Columns that matter in made sets, and the share of noise in the labels.
const MATTER: usize = 40;
const NOISE: f64 = 0.3;

/// A set by its name; columns of dense ones are of mean 0 and of length √n.
pub fn load(name: &str) -> anyhow::Result<Dataset> {
    let plain = |file: &str| crate::load(file, &Preparation::default(), false);
    Ok(match name {
        "arcene" => standardized(plain("arcene/arcene.libsvm.gz")?),
        "colon" => standardized(plain("colon/colon.libsvm.gz")?),
        "news20" => {
            let mut data = plain("news20/news20.libsvm.gz")?;
            // Half of the groups against the other half.
            data.labels.iter_mut().for_each(|y| *y = if *y > 10.0 { 1.0 } else { -1.0 });
            data
        }
        "nycflights13" => plain("nycflights13/flights_arr_delay.libsvm.gz")?,
        "genotypes" => genotypes(GENOTYPES.0, GENOTYPES.1),
        _ => bail!("no set is called {name}"),
    })
}

/// Columns less their mean, divided by their deviation; the labels less theirs. Constant columns become 0.
fn standardized(data: Dataset) -> Dataset {
    let (rows, columns) = (data.rows(), data.columns());
    let mut turned: Vec<Vec<f64>> = vec![vec![0.0; rows]; columns];
    let entries = (0..rows).flat_map(|i| data.matrix.row(i).iter().map(move |(j, x)| (i, j as usize, x)));
    entries.for_each(|(i, j, x)| turned[j][i] = x);
    turned.iter_mut().for_each(|column| standardize(column));
    by_rows(data.name, rows, &turned, data.labels)
}

fn standardize(column: &mut [f64]) {
    let n = column.len() as f64;
    let mean = column.iter().sum::<f64>() / n;
    let deviation = (column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
    column.iter_mut().for_each(|x| *x = if deviation > 0.0 { (*x - mean) / deviation } else { 0.0 });
}

/// Blocks of rows at a time, so that columns are read in order.
fn by_rows(name: String, rows: usize, columns: &[Vec<f64>], mut labels: Vec<f64>) -> Dataset {
    const BLOCK: usize = 16;
    let mut values = vec![0.0; rows * columns.len()];
    for start in (0..rows).step_by(BLOCK) {
        for (j, column) in columns.iter().enumerate() {
            for i in start..rows.min(start + BLOCK) {
                values[i * columns.len() + j] = column[i];
            }
        }
    }
    let mean = labels.iter().sum::<f64>() / rows as f64;
    labels.iter_mut().for_each(|y| *y -= mean);
    Dataset::new(name, Matrix::dense(columns.len(), values), labels)
}

/// Genotypes 0, 1 or 2, standardized: two chromosomes, on each of which neighbours are mostly inherited together.
pub fn genotypes(columns: usize, rows: usize) -> Dataset {
    let mut rng: StdRng = rand::SeedableRng::seed_from_u64(17);
    let mut found: Vec<Vec<f64>> = Vec::with_capacity(columns);
    let mut chromosomes = vec![[false; 2]; rows];
    let mut frequency = 0.0;
    for j in 0..columns {
        if j % TOGETHER == 0 {
            frequency = rng.random_range(0.05..0.5);
        }
        let copies = if j % TOGETHER == 0 { 0.0 } else { AS_BEFORE };
        let mut column = vec![0.0; rows];
        for (x, pair) in column.iter_mut().zip(&mut chromosomes) {
            for allele in pair.iter_mut() {
                if copies == 0.0 || rng.random::<f64>() >= copies {
                    *allele = rng.random::<f64>() < frequency;
                }
                *x += f64::from(u8::from(*allele));
            }
        }
        standardize(&mut column);
        found.push(column);
    }
    let labels = explained(&found, rows);
    by_rows("genotypes".into(), rows, &found, labels)
}

/// What some of the columns, spread evenly, explain, and noise.
fn explained(columns: &[Vec<f64>], rows: usize) -> Vec<f64> {
    let mut rng = keyed(3, Purpose::Synthesize, 0, 0);
    let mut labels = vec![0.0; rows];
    for k in 0..MATTER {
        let column = &columns[(2 * k + 1) * columns.len() / (2 * MATTER)];
        let weight = rng.random_range(-1.0..1.0);
        labels.iter_mut().zip(column).for_each(|(y, x)| *y += weight * x);
    }
    let deviation = (labels.iter().map(|y| y * y).sum::<f64>() / rows as f64).sqrt();
    labels.iter_mut().for_each(|y| *y += NOISE * deviation * normal(&mut rng));
    labels
}

/// Box & Muller.
pub(crate) fn normal(rng: &mut impl rand::Rng) -> f64 {
    let (a, b): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * (1.0 - a).ln()).sqrt() * (std::f64::consts::TAU * b).cos()
}
