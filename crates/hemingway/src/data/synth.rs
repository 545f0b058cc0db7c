//! Data made to order: `synth:KIND,key=value…`, the same numbers for the same words.
//!
//! | kind | rows and labels | keys beside `rows`, `columns`, `noise`, `seed` |
//! |---|---|---|
//! | `logistic` | dense normal rows; ±1 with the odds of a hidden linear model | `condition`, `reflections` |
//! | `svm` | dense normal rows kept `margin` away from a hidden plane; ±1 by side | `condition`, `reflections`, `margin` |
//! | `ridge` | dense normal rows; y = x·w + noise, x·w of unit variance | `condition`, `reflections` |
//! | `ill-conditioned` | `logistic` with condition 1e4 | `condition`, `reflections` |
//! | `sparse` | few normal entries a row, few columns relevant; labels as `logistic` | `density`, `relevant` |
//! | `power-law` | bags of words: lengths and popularity by power laws; labels as `logistic` | `density`, `exponent` |
//! | `multiclass` | dense normal rows; labels 0, 1, … with the odds of a hidden softmax model | `condition`, `reflections`, `classes` |
//!
//! - `rows`, `columns`: sizes (20,000 × 50; 20,000 × 5,000 for `sparse` and `power-law`).
//! - `noise`: share of labels flipped at random (0; `svm` 0.05), of `multiclass` drawn at random; for `ridge` the standard deviation added to y (0.1).
//! - `condition`: condition number of XᵀX/n in the limit of many rows (1; `ill-conditioned` 1e4). Columns are scaled
//!   geometrically from 1 down to 1/√condition, and the hidden model makes up for it, so that each matters as much.
//! - `reflections`: random ones that all rows go through together, so that columns are correlated and scaling them mends
//!   nothing (0; half as many as columns mix them well).
//! - `margin`: least |x·w| of `svm`, in standard deviations of x·w (0.1).
//! - `density`: mean share of entries in a row (0.01); for `power-law` of words, some of which repeat.
//! - `relevant`: columns that the hidden model of `sparse` uses (a twentieth of them).
//! - `exponent`: of the Zipf law by which `power-law` draws columns, the first the most popular (1.1).
//! - `classes`: of `multiclass` (5).
//! - `seed`: another seed, other numbers (0).
//!
//! Logistic labels see margins centred and scaled to unit variance: neither separable nor pure noise.
//! The first rows of a longer order are those of a shorter one.

mod recipe;

use rand::{RngExt, seq::index};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Geometric, Pareto, StandardNormal, Zipf};

use super::{Dataset, Matrix, matrix};
use crate::rng::{Purpose, keyed};
pub use recipe::{Kind, Recipe};
pub(crate) use recipe::{PREFIX, refuse_twice};

/// Row lengths of `power-law` are Pareto with this shape: finite mean, no variance.
const LENGTH_SHAPE: f64 = 2.0;

/// Streams of random numbers: labels stay the same whatever the rows draw.
#[derive(Clone, Copy)]
enum Stream {
    Weights,
    Rows,
    Labels,
    /// The hidden model of a class.
    Class,
}

impl Recipe {
    /// Makes the data.
    pub fn make(&self) -> Dataset {
        let weights = self.weights();
        let (matrix, labels) = match self.kind {
            Kind::Svm => self.separable(&weights),
            Kind::Logistic | Kind::IllConditioned => self.logistic(self.normal_rows(), &weights),
            Kind::Ridge => self.linear(self.normal_rows(), &weights),
            Kind::Multiclass => self.multinomial(self.normal_rows()),
            Kind::Sparse => self.logistic(self.sparse_rows(), &weights),
            Kind::PowerLaw => self.logistic(self.power_law_rows(), &weights),
        };
        Dataset::new(self.to_string(), self.reflected(matrix).compact(), labels)
    }

    /// x − 2(u·x)u for one random unit vector u after the other.
    fn reflected(&self, mut matrix: Matrix) -> Matrix {
        if let Matrix::Dense { columns, values, .. } = &mut matrix {
            for number in 1..=self.reflections {
                let mut rng = self.stream(Stream::Weights, number);
                let u: Vec<f64> = (0..*columns).map(|_| normal(&mut rng)).collect();
                let twice = 2.0 / matrix::dot(&u, &u);
                for row in values.widened().chunks_exact_mut(*columns) {
                    matrix::axpy(-twice * matrix::dot(&u, row), &u, row);
                }
            }
        }
        matrix
    }

    fn stream(&self, stream: Stream, row: usize) -> ChaCha8Rng {
        keyed(self.seed, Purpose::Synthesize, stream as usize, row as u64)
    }

    /// The hidden model, scaled so that x·w of dense rows has unit variance.
    fn weights(&self) -> Vec<f64> {
        self.hidden(self.stream(Stream::Weights, 0))
    }

    fn hidden(&self, mut rng: ChaCha8Rng) -> Vec<f64> {
        let mut drawn: Vec<f64> = (0..self.columns).map(|_| StandardNormal.sample(&mut rng)).collect();
        if self.kind == Kind::Sparse {
            let mut relevant = vec![false; self.columns];
            index::sample(&mut rng, self.columns, self.relevant).iter().for_each(|j| relevant[j] = true);
            drawn.iter_mut().zip(relevant).filter(|(_, relevant)| !relevant).for_each(|(w, _)| *w = 0.0);
        }
        let norm = matrix::dot(&drawn, &drawn).sqrt();
        drawn.iter().zip(self.scales()).map(|(w, scale)| w / (norm * scale)).collect()
    }

    /// Standard deviation of each column: geometric, so that the variances span the condition number.
    fn scales(&self) -> Vec<f64> {
        let steps = (self.columns - 1).max(1) as f64;
        (0..self.columns).map(|j| self.condition.powf(-0.5 * j as f64 / steps)).collect()
    }

    fn normal_rows(&self) -> Matrix {
        let scales = self.scales();
        let mut values = Vec::with_capacity(self.rows * self.columns);
        for i in 0..self.rows {
            let mut rng = self.stream(Stream::Rows, i);
            values.extend(scales.iter().map(|scale| scale * normal(&mut rng)));
        }
        Matrix::dense(self.columns, values)
    }

    fn sparse_rows(&self) -> Matrix {
        let gap = Geometric::new(self.density).expect("density is checked to be in (0, 1]");
        let mut matrix = Matrix::sparse(self.columns);
        for i in 0..self.rows {
            let mut rng = self.stream(Stream::Rows, i);
            let mut next = 0_u64;
            // Jumping from entry to entry costs what the row holds, not its width.
            let row = std::iter::from_fn(|| {
                let j = next.saturating_add(gap.sample(&mut rng));
                next = j.saturating_add(1);
                (j < self.columns as u64).then(|| (j as u32, normal(&mut rng)))
            });
            matrix.push_row(row);
        }
        matrix
    }

    fn power_law_rows(&self) -> Matrix {
        let mean = self.density * self.columns as f64;
        let shortest = mean * (LENGTH_SHAPE - 1.0) / LENGTH_SHAPE;
        let length = Pareto::new(shortest, LENGTH_SHAPE).expect("density is checked to be positive");
        let word = Zipf::new(self.columns as f64, self.exponent).expect("exponent is checked not to be negative");
        let mut matrix = Matrix::sparse(self.columns);
        for i in 0..self.rows {
            let mut rng = self.stream(Stream::Rows, i);
            let length = length.sample(&mut rng).round().clamp(1.0, self.columns as f64) as usize;
            let mut words: Vec<u32> = (0..length).map(|_| word.sample(&mut rng) as u32 - 1).collect();
            words.sort_unstable();
            // The logarithm of counts, as for text: else the most popular word is all there is.
            matrix.push_row(words.chunk_by(|a, b| a == b).map(|same| (same[0], (same.len() as f64).ln_1p())));
        }
        matrix
    }

    fn logistic(&self, matrix: Matrix, weights: &[f64]) -> (Matrix, Vec<f64>) {
        let mut margins: Vec<f64> = (0..self.rows).map(|i| matrix.row(i).dot(weights)).collect();
        standardize(&mut margins);
        let labels = margins.iter().enumerate().map(|(i, margin)| {
            let mut rng = self.stream(Stream::Labels, i);
            let side = if rng.random::<f64>() < 1.0 / (1.0 + (-margin).exp()) { 1.0 } else { -1.0 };
            self.flipped(side, &mut rng)
        });
        let labels = labels.collect();
        (matrix, labels)
    }

    /// Labels with the odds e^(3x·wₖ): most rows are of the class whose margin is largest.
    fn multinomial(&self, matrix: Matrix) -> (Matrix, Vec<f64>) {
        let models: Vec<Vec<f64>> = (0..self.classes).map(|k| self.hidden(self.stream(Stream::Class, k))).collect();
        let label = |i| {
            let mut rng = self.stream(Stream::Labels, i);
            let odds: Vec<f64> = models.iter().map(|w| (3.0 * matrix.row(i).dot(w)).exp()).collect();
            let mut left = rng.random::<f64>() * odds.iter().sum::<f64>();
            let beyond = |odds: &&f64| {
                left -= **odds;
                left > 0.0
            };
            let drawn = odds.iter().take_while(beyond).count().min(self.classes - 1);
            let noisy = rng.random::<f64>() < self.noise;
            (if noisy { rng.random_range(0..self.classes) } else { drawn }) as f64
        };
        let labels = (0..self.rows).map(label).collect();
        (matrix, labels)
    }

    fn linear(&self, matrix: Matrix, weights: &[f64]) -> (Matrix, Vec<f64>) {
        let label = |i| matrix.row(i).dot(weights) + self.noise * normal(&mut self.stream(Stream::Labels, i));
        let labels = (0..self.rows).map(label).collect();
        (matrix, labels)
    }

    /// Pushes each row away from the plane, along its normal, by the margin.
    fn separable(&self, weights: &[f64]) -> (Matrix, Vec<f64>) {
        let scales = self.scales();
        let step = self.margin / matrix::dot(weights, weights);
        let mut values = Vec::with_capacity(self.rows * self.columns);
        let mut labels = Vec::with_capacity(self.rows);
        for i in 0..self.rows {
            let mut rng = self.stream(Stream::Rows, i);
            let mut row: Vec<f64> = scales.iter().map(|scale| scale * normal(&mut rng)).collect();
            let side = 1_f64.copysign(matrix::dot(&row, weights));
            matrix::axpy(side * step, weights, &mut row);
            values.append(&mut row);
            labels.push(self.flipped(side, &mut self.stream(Stream::Labels, i)));
        }
        (Matrix::dense(self.columns, values), labels)
    }

    fn flipped(&self, side: f64, rng: &mut ChaCha8Rng) -> f64 {
        if rng.random::<f64>() < self.noise { -side } else { side }
    }
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// Mean 0 and variance 1; all zero if they do not vary.
fn standardize(margins: &mut [f64]) {
    let n = margins.len() as f64;
    let mean = margins.iter().sum::<f64>() / n;
    let variance = margins.iter().map(|m| (m - mean).powi(2)).sum::<f64>() / n;
    let scale = if variance > 0.0 { variance.sqrt() } else { 1.0 };
    margins.iter_mut().for_each(|m| *m = (*m - mean) / scale);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe(spec: &str) -> Recipe {
        Recipe::parse(spec).unwrap()
    }

    /// Share of labels on the side where the hidden model has them.
    fn agreement(recipe: &Recipe, data: &Dataset) -> f64 {
        let weights = recipe.weights();
        let agrees = |i: &usize| data.matrix.row(*i).dot(&weights) * data.labels[*i] > 0.0;
        (0..data.rows()).filter(agrees).count() as f64 / data.rows() as f64
    }

    #[test]
    fn the_same_words_make_the_same_numbers() {
        for kind in Kind::ALL {
            let spec = format!("synth:{kind},rows=50,columns=40,density=0.2");
            let spec = if kind.keys().contains(&"density") { spec } else { spec.replace(",density=0.2", "") };
            let data = recipe(&spec).make();
            assert_eq!((data.rows(), data.columns(), data.labels.len()), (50, 40, 50));
            assert_eq!(data, recipe(&spec).make());
            assert_ne!(data.fingerprint(), recipe(&format!("{spec},seed=1")).make().fingerprint());
        }
    }

    #[test]
    fn logistic_is_neither_separable_nor_noise() {
        let recipe = recipe("synth:logistic,rows=5000");
        let data = recipe.make();
        assert!(matches!(data.matrix, Matrix::Dense { .. }));
        let share = agreement(&recipe, &data);
        assert!((0.65..0.75).contains(&share), "{share}");
    }

    #[test]
    fn svm_is_separable_but_for_the_flips() {
        let clean = recipe("synth:svm,rows=2000,noise=0,condition=100");
        let data = clean.make();
        let (weights, y) = (clean.weights(), &data.labels);
        assert!((0..2000).all(|i| y[i] * data.matrix.row(i).dot(&weights) >= 0.1 - 1e-9));
        let noisy = recipe("synth:svm,rows=2000,noise=0.1");
        assert!((agreement(&noisy, &noisy.make()) - 0.9).abs() < 0.03);
    }

    #[test]
    fn ridge_labels_are_the_model_plus_noise() {
        let recipe = recipe("synth:ridge,rows=4000,noise=0.5");
        let (data, weights) = (recipe.make(), recipe.weights());
        let residual = |i: usize| (data.labels[i] - data.matrix.row(i).dot(&weights)).powi(2);
        let deviation = ((0..4000).map(residual).sum::<f64>() / 4000.0).sqrt();
        assert!((deviation - 0.5).abs() < 0.03, "{deviation}");
    }

    #[test]
    fn multiclass_labels_are_mostly_those_of_the_largest_margin() {
        let recipe = recipe("synth:multiclass,rows=4000,classes=4,noise=0.1");
        let data = recipe.make();
        let models: Vec<Vec<f64>> = (0..4).map(|k| recipe.hidden(recipe.stream(Stream::Class, k))).collect();
        let right = |i: &usize| {
            let z: Vec<f64> = models.iter().map(|w| data.matrix.row(*i).dot(w)).collect();
            crate::problem::largest(&z) as f64 == data.labels[*i]
        };
        let share = (0..4000).filter(right).count() as f64 / 4000.0;
        assert!((0.65..0.9).contains(&share), "{share}");
        assert!((0..4).all(|k| data.labels.iter().filter(|y| **y == f64::from(k)).count() > 500));
    }

    #[test]
    fn column_variances_span_the_condition_number() {
        let data = recipe("synth:ill-conditioned,rows=4000,columns=10").make();
        let square = |j: usize| {
            let mut unit = vec![0.0; 10];
            unit[j] = 1.0;
            (0..4000).map(|i| data.matrix.row(i).dot(&unit).powi(2)).sum::<f64>()
        };
        let ratio = square(0) / square(9);
        assert!((ratio / 1e4 - 1.0).abs() < 0.2, "{ratio}");
    }

    #[test]
    fn reflections_keep_lengths_and_labels_and_mix_columns() {
        let plain = recipe("synth:ill-conditioned,rows=500,columns=10").make();
        let mixed = recipe("synth:ill-conditioned,rows=500,columns=10,reflections=10").make();
        assert_eq!(plain.labels, mixed.labels);
        let length = |data: &Dataset, i| data.matrix.row(i).norm_sq();
        assert!((0..500).all(|i| (length(&plain, i) / length(&mixed, i) - 1.0).abs() < 1e-9));
        let last = |data: &Dataset| (0..500).map(|i| data.matrix.row(i).iter().last().unwrap().1.abs()).sum::<f64>();
        assert!(last(&mixed) > 5.0 * last(&plain));
    }

    #[test]
    fn sparse_keeps_its_density_and_its_few_relevant_columns() {
        let recipe = recipe("synth:sparse,rows=2000,columns=1000,density=0.02,relevant=30");
        let data = recipe.make();
        assert!(matches!(data.matrix, Matrix::Sparse { .. }));
        let density = data.matrix.nonzeros() as f64 / 2e6;
        assert!((density - 0.02).abs() < 1e-3, "{density}");
        assert_eq!(recipe.weights().iter().filter(|w| **w != 0.0).count(), 30);
    }

    #[test]
    fn power_law_has_popular_columns_and_long_rows() {
        let data = recipe("synth:power-law,rows=3000,columns=1000,density=0.02").make();
        let mut counts = vec![0; 1000];
        (0..3000).for_each(|i| data.matrix.row(i).iter().for_each(|(j, _)| counts[j as usize] += 1));
        assert!(counts[0] > 5 * counts[20] && counts[20] > 5 * counts[500].max(1), "{:?}", &counts[..30]);
        let lengths = (0..3000).map(|i| data.matrix.row(i).stored());
        assert!(lengths.clone().max().unwrap() > 5 * lengths.sum::<usize>() / 3000);
        let positive = data.labels.iter().filter(|y| **y > 0.0).count();
        assert!((1200..1800).contains(&positive), "{positive}");
    }
}
