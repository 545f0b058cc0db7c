//! The founding paper's figures again: MNIST, digit 5 against the rest, a linear SVM, on a simulated Spark cluster.
//!
//! One run for each number of machines, as in the paper. P is the best so far; the judge knows P*, the models only
//! estimate it, and from no run that they are to predict.

mod first;
mod forward;
mod grid;
mod picture;
mod runs;

use hemingway::model::Method;
use hemingway::record::Trace;

use crate::folds::quantile;
pub use first::{first_figure, first_numbers};
pub use forward::forward;
pub use grid::{fitted, left_out};
pub use picture::{ours, picture};
pub use runs::{Study, study};

/// The methods compared: the paper's, which is Ernest's f and a Lasso for g, and ours.
pub const METHODS: [Method; 2] = [Method::Lasso, Method::Ours];
/// Their names.
pub const NAMES: [&str; 2] = ["the paper's Lasso", "ours"];

/// Errors are compared no further down than this.
const TINY: f64 = 1e-5;

/// The error after one round, as it was predicted and as it was.
#[derive(Debug, Clone, Copy)]
pub struct Prediction {
    /// Number of machines, m.
    pub machines: usize,
    /// The round, i.
    pub round: u64,
    /// Seconds of training by then, or the time asked about.
    pub seconds: f64,
    /// (P − P*)/P* as predicted.
    pub predicted: f64,
    /// (P − P*)/P*.
    pub real: f64,
}

/// What predictions are drawn against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Along {
    /// i.
    Rounds,
    /// t.
    Seconds,
}

/// One half of a figure: (a) or (b).
#[derive(Clone)]
pub struct Part {
    /// What is predicted.
    pub title: &'static str,
    /// Against what it is drawn.
    pub along: Along,
    /// By method.
    pub predictions: [Vec<Prediction>; 2],
}

impl Part {
    /// Its first hundred rounds.
    pub fn early(&self) -> Self {
        let predictions = self.predictions.clone().map(|all| all.into_iter().filter(|one| one.round <= 100).collect());
        Self { predictions, ..self.clone() }
    }

    /// |predicted / real − 1| in per cent: how many, median, mean and 95th percentile of each method, as a row.
    pub fn row(&self) -> String {
        let cells = self.predictions.each_ref().map(|all| {
            let misses: Vec<f64> = all.iter().map(Prediction::miss).collect();
            let mean = misses.iter().sum::<f64>() / misses.len() as f64;
            format!("{:.1} | {mean:.1} | {:.1}", quantile(misses.clone(), 0.5), quantile(misses.clone(), 0.95))
        });
        format!("| {} | {} | {} |", self.title, self.predictions[1].len(), cells.join(" | "))
    }
}

impl Prediction {
    /// The prediction of an objective, judged by P*.
    fn judged(trace: &Trace, place: usize, objective: f64, optimum: f64) -> Option<Self> {
        let point = trace.points.get(place)?;
        let error = |objective: f64| ((objective - optimum) / optimum).max(TINY);
        Some(Self {
            machines: trace.machines,
            round: point.round,
            seconds: point.seconds?,
            predicted: error(objective),
            real: error(point.objective?),
        })
    }

    fn miss(&self) -> f64 {
        100.0 * (self.predicted / self.real - 1.0).abs()
    }
}
