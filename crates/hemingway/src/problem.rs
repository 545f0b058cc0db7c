//! The problem P(w) = (1/n) Σ sᵢφ(xᵢ·w, yᵢ) + (λ₂/2)‖w‖² + λ₁‖w‖₁, its dual D(α) and the bracket D ≤ P* ≤ P they form.
//!
//! sᵢ is what row i counts for, 1 on average: only ratios of weights matter, and whole ones are as good as rows repeated.
//! Rows of weight 0 count for nothing, in n neither.

mod classes;
mod factors;
mod loss;
mod penalty;
mod steepest;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::{Error, Result, metric};
pub(crate) use classes::largest;
use classes::side;
pub use classes::{Classes, Scheme};
pub(crate) use factors::gram;
pub use factors::{FactorModel, Factors, Feedback};
pub use loss::Loss;
pub(crate) use loss::{BLOCK, Bents};
pub use penalty::{Penalty, shrunk};
pub(crate) use steepest::{slopes, steepest};

/// Data, loss and regularizer. The rows are dealt to machines in the order in which they stand here.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The rows, already shuffled by the seed; their weights, if any, are 1 on average.
    pub data: Arc<Dataset>,
    /// φ.
    pub loss: Loss,
    /// The classes, if there are more than two; labels are then their numbers from 0.
    pub classes: Option<Classes>,
    /// What the rows, ratings of a user each, are factorized into, if they are.
    pub factors: Option<Factors>,
    /// g.
    pub penalty: Penalty,
    /// The seed of everything random in a run.
    pub seed: u64,
    /// All rows in numbers, where this process holds only some of them.
    pub whole: Option<Whole>,
}

/// What a process knows of all rows of which it holds only some.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Whole {
    /// n.
    pub rows: usize,
    /// Stored entries.
    pub stored: usize,
    /// Mean of sᵢ‖xᵢ‖².
    pub mean_norm_sq: f64,
    /// Largest sᵢ‖xᵢ‖².
    pub max_norm_sq: f64,
    /// The least λ₁ that leaves every coefficient at 0, where there is a λ₁ to compare with.
    #[serde(default)]
    pub steepest: Option<f64>,
}

/// What every machine knows of the problem without holding all of it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Outline {
    /// n.
    pub rows: usize,
    /// d.
    pub columns: usize,
    /// φ.
    pub loss: Loss,
    /// The classes, if there are more than two.
    pub classes: Option<Classes>,
    /// What ratings are factorized into, if they are.
    #[serde(default)]
    pub factors: Option<Factors>,
    /// g.
    pub penalty: Penalty,
    /// Mean of sᵢ‖xᵢ‖².
    pub mean_norm_sq: f64,
    /// Largest sᵢ‖xᵢ‖².
    pub max_norm_sq: f64,
    /// The seed of what is drawn for all machines at once.
    pub seed: u64,
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
    /// Checks the settings, weighs the rows and shuffles them by the seed: those given away where they stand, others in a
    /// copy.
    pub fn new<'a>(data: impl Into<Cow<'a, Dataset>>, loss: Loss, l2: Option<f64>, seed: u64) -> Result<Self> {
        Self::of_classes(data, loss, None, l2, seed)
    }

    /// The same, of several classes if there are any.
    pub fn of_classes<'a>(
        data: impl Into<Cow<'a, Dataset>>,
        loss: Loss,
        classes: Option<Classes>,
        l2: Option<f64>,
        seed: u64,
    ) -> Result<Self> {
        let data = data.into();
        if data.rows() == 0 || data.columns() == 0 {
            return Err(Error::file(&data.name, "holds no rows or no columns: there is nothing to learn"));
        }
        check_rows(data.rows(), &data.name)?;
        let data = data.into_owned().into_weighed()?;
        let penalty = Penalty::new(l2.unwrap_or(1.0 / data.rows() as f64), 0.0)?;
        check_labels(&data.labels, loss, classes)?;
        Ok(Self { data: Arc::new(data.shuffled(seed)), loss, classes, factors: None, penalty, seed, whole: None })
    }

    /// Ratings, one row a user, to be factorized. Their users are shuffled by the seed.
    pub fn of_ratings(ratings: Dataset, rank: usize, alpha: Option<f64>, l2: f64, seed: u64) -> Result<Self> {
        check_rows(ratings.rows(), &ratings.name)?;
        let factors = Some(Factors::of(&ratings, rank, alpha));
        let data = Arc::new(ratings.shuffled(seed));
        Ok(Self {
            data,
            loss: Loss::Squared,
            classes: None,
            factors,
            penalty: Penalty::new(l2, 0.0)?,
            seed,
            whole: None,
        })
    }

    /// Every measure of a model on a test set.
    pub fn measures(&self, test: &Dataset, model: &[f64]) -> BTreeMap<String, f64> {
        match self.factors {
            Some(factors) => factors.measures(&self.data, test, model),
            None => metric::all(test, model, self.loss, self.classes),
        }
    }

    /// The same with λ₁ besides.
    pub fn with_l1(self, l1: f64) -> Result<Self> {
        Ok(Self { penalty: Penalty::new(self.penalty.l2, l1)?, ..self })
    }

    /// What every machine knows.
    pub fn outline(&self) -> Outline {
        let Whole { rows, mean_norm_sq, max_norm_sq, .. } = self.whole();
        Outline {
            rows,
            columns: self.data.columns(),
            loss: self.loss,
            classes: self.classes,
            factors: self.factors,
            penalty: self.penalty,
            mean_norm_sq,
            max_norm_sq,
            seed: self.seed,
        }
    }

    /// All rows in numbers.
    pub fn whole(&self) -> Whole {
        self.whole.unwrap_or_else(|| {
            let (data, rows) = (&self.data, self.data.rows());
            let norms = || (0..rows).map(|i| data.weight(i) * data.matrix.row(i).norm_sq());
            let mean_norm_sq = norms().sum::<f64>() / rows as f64;
            let max_norm_sq = norms().fold(0.0, f64::max);
            Whole { rows, stored: data.matrix.stored(), mean_norm_sq, max_norm_sq, steepest: None }
        })
    }

    /// The least λ₁ that leaves every coefficient at 0, of problems with one margin a row.
    pub fn steepest(&self) -> f64 {
        let told = self.whole.and_then(|whole| whole.steepest);
        told.unwrap_or_else(|| steepest(slopes(&self.data, self.loss).into_iter(), self.data.rows()))
    }

    /// A name under which records of this exact problem, however its rows were dealt, find each other.
    pub fn fingerprint(&self, data: u64) -> String {
        let Penalty { l2, l1 } = self.penalty;
        let sparse = if l1 > 0.0 { format!("-l1-{l1:e}") } else { String::new() };
        let classes = self.classes.map(|classes| format!("-{}-{}", classes.scheme, classes.count)).unwrap_or_default();
        if let Some(factors) = self.factors {
            let alpha = factors.alpha().map(|alpha| format!("-alpha-{alpha:e}")).unwrap_or_default();
            return format!("{data:016x}-factors-{}{alpha}-{l2:e}", factors.rank);
        }
        format!("{data:016x}-{}{classes}-{l2:e}{sparse}", self.loss)
    }

    /// P(w), straight from the definition. It needs all rows in this process.
    pub fn objective(&self, w: &[f64]) -> f64 {
        let data = &self.data;
        if let Some(factors) = self.factors {
            return factors.objective(data, w, self.penalty.l2);
        }
        let margins = |i| w.chunks_exact(data.columns()).map(|w| data.matrix.row(i).dot(w)).collect::<Vec<f64>>();
        let of_row = |i: usize| match self.classes {
            None => self.loss.value(margins(i)[0], data.labels[i]),
            Some(classes) => classes.value(self.loss, &margins(i), data.labels[i]),
        };
        let loss = |i| data.weight(i) * of_row(i);
        (0..data.rows()).map(loss).sum::<f64>() / data.rows() as f64 + self.penalty.value(w)
    }

    /// Numbers in w.
    pub fn coefficients(&self) -> usize {
        let (users, items) = (self.data.rows(), self.data.columns());
        match (self.factors, self.classes) {
            (Some(factors), _) => factors.coefficients(users, items),
            (None, classes) => items * classes.map_or(1, |classes| classes.count),
        }
    }
}

/// Rows are numbered in four bytes.
pub(crate) fn check_rows(rows: usize, name: &str) -> Result<()> {
    let too_many = || Error::file(name, format!("holds {rows} rows; at most {} are dealt", u32::MAX));
    u32::try_from(rows).map(drop).map_err(|_| too_many())
}

/// Labels are ±1, or numbers of classes, or anything.
pub(crate) fn check_labels(labels: &[f64], loss: Loss, classes: Option<Classes>) -> Result<()> {
    let Some(classes) = classes else {
        let strange = loss.is_binary() && labels.iter().any(|y| y.abs() != 1.0);
        let what = || Error::setting("--loss", format!("{loss} needs labels of −1 and +1"));
        return if strange { Err(what()) } else { Ok(()) };
    };
    classes.scheme.check(loss)?;
    let is_class = |y: &f64| y.fract() == 0.0 && (0.0..classes.count as f64).contains(y);
    if classes.count < 3 || !labels.iter().all(is_class) {
        let what = format!("{} needs three classes or more, and their numbers from 0 as labels", classes.scheme);
        return Err(Error::setting("--classes", what));
    }
    Ok(())
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
    /// Margins a row has: one, or one a class.
    pub fn outputs(&self) -> usize {
        self.classes.map_or(1, |classes| classes.count)
    }

    /// Numbers in w: d for every margin, one margin's after the other's; or the factors of items and users.
    pub fn coefficients(&self) -> usize {
        if let Some(factors) = self.factors {
            return factors.coefficients(self.rows, self.columns);
        }
        self.columns * self.outputs()
    }

    /// Which row and which of its margins the numbers of the rows belong to, one margin after the other.
    #[inline]
    pub(crate) fn place(&self, at: usize) -> (usize, usize) {
        match self.classes {
            None => (at, 0),
            Some(Classes { count, .. }) => (at / count, at % count),
        }
    }

    /// Where in w the coefficients of a margin are.
    #[inline]
    pub(crate) fn block(&self, margin: usize) -> std::ops::Range<usize> {
        margin * self.columns..(margin + 1) * self.columns
    }

    /// What a label is to one margin, each being a problem of its own.
    #[inline]
    pub(crate) fn target(&self, label: f64, margin: usize) -> f64 {
        if self.classes.is_some() { side(label, margin) } else { label }
    }

    /// An upper bound of how the loss bends.
    pub fn curvature(&self) -> f64 {
        self.classes.map_or(self.loss.curvature(), |classes| classes.curvature(self.loss))
    }

    /// λ₂n, the scale between dual variables and w.
    pub fn l2_rows(&self) -> f64 {
        self.penalty.l2 * self.rows as f64
    }
}
