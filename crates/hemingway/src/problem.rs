//! The problem P(w) = (1/n) Σ sᵢφ(xᵢ·w, yᵢ) + (λ₂/2)‖w‖² + λ₁‖w‖₁, its dual D(α) and the bracket D ≤ P* ≤ P they form.
//!
//! sᵢ is what row i counts for, 1 on average: only ratios of weights matter, and whole ones are as good as rows repeated.
//! Rows of weight 0 count for nothing, in n neither.

mod loss;
mod penalty;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::{Error, Result};
pub use loss::Loss;
pub(crate) use loss::{BLOCK, Bents};
pub use penalty::{Penalty, shrunk};

/// Data, loss and regularizer. The rows are dealt to machines in the order in which they stand here.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The rows, already shuffled by the seed; their weights, if any, are 1 on average.
    pub data: Arc<Dataset>,
    /// φ.
    pub loss: Loss,
    /// g.
    pub penalty: Penalty,
    /// The seed of everything random in a run.
    pub seed: u64,
}

/// What every machine knows of the problem without holding all of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outline {
    /// n.
    pub rows: usize,
    /// d.
    pub columns: usize,
    /// φ.
    pub loss: Loss,
    /// g.
    pub penalty: Penalty,
    /// Mean of sᵢ‖xᵢ‖².
    pub mean_norm_sq: f64,
    /// Largest sᵢ‖xᵢ‖².
    pub max_norm_sq: f64,
}

/// What is known of the objective at one point.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// P(w).
    pub objective: f64,
    /// D(α) ≤ P* for some feasible α, where a dual exists.
    pub dual: Option<f64>,
}

impl Problem {
    /// Checks the settings, weighs the rows and shuffles them by the seed.
    pub fn new(data: &Dataset, loss: Loss, l2: Option<f64>, seed: u64) -> Result<Self> {
        if data.rows() == 0 || data.columns() == 0 {
            return Err(Error::file(&data.name, "holds no rows or no columns: there is nothing to learn"));
        }
        let data = data.weighed()?;
        let penalty = Penalty::new(l2.unwrap_or(1.0 / data.rows() as f64), 0.0)?;
        if loss.is_binary() && data.labels.iter().any(|y| y.abs() != 1.0) {
            return Err(Error::setting("--loss", format!("{loss} needs labels of −1 and +1")));
        }
        Ok(Self { data: Arc::new(data.shuffled(seed)), loss, penalty, seed })
    }

    /// The same with λ₁ besides.
    pub fn with_l1(self, l1: f64) -> Result<Self> {
        Ok(Self { penalty: Penalty::new(self.penalty.l2, l1)?, ..self })
    }

    /// What every machine knows.
    pub fn outline(&self) -> Outline {
        let norms = || (0..self.data.rows()).map(|i| self.data.weight(i) * self.data.matrix.row(i).norm_sq());
        Outline {
            rows: self.data.rows(),
            columns: self.data.columns(),
            loss: self.loss,
            penalty: self.penalty,
            mean_norm_sq: norms().sum::<f64>() / self.data.rows() as f64,
            max_norm_sq: norms().fold(0.0, f64::max),
        }
    }

    /// A name under which records of this exact problem, however its rows were dealt, find each other.
    pub fn fingerprint(&self, data: u64) -> String {
        let Penalty { l2, l1 } = self.penalty;
        let sparse = if l1 > 0.0 { format!("-l1-{l1:e}") } else { String::new() };
        format!("{data:016x}-{}-{l2:e}{sparse}", self.loss)
    }

    /// P(w), straight from the definition.
    pub fn objective(&self, w: &[f64]) -> f64 {
        let data = &self.data;
        let loss = |i| data.weight(i) * self.loss.value(data.matrix.row(i).dot(w), data.labels[i]);
        (0..data.rows()).map(loss).sum::<f64>() / data.rows() as f64 + self.penalty.value(w)
    }
}

/// What records call a sample of a problem that they call `whole`: another seed or λ means another P*.
pub fn sample_name(whole: &str, seed: u64, l2: f64) -> String {
    format!("{whole}@{seed}-{l2:e}")
}

/// The whole that a sample was drawn from; the name itself if it is no sample's.
pub fn whole_name(sample: &str) -> &str {
    sample.rsplit_once('@').map_or(sample, |(whole, _)| whole)
}

impl Outline {
    /// λ₂n, the scale between dual variables and w.
    pub fn l2_rows(&self) -> f64 {
        self.penalty.l2 * self.rows as f64
    }
}
