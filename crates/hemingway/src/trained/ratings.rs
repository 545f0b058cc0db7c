//! Factors as a model: what it predicts, what it recommends, and its arrays for other programs.

use std::collections::BTreeMap;
use std::io::Cursor;

use serde::{Deserialize, Serialize};

use super::TrainedModel;
use crate::data::numpy::Written;
use crate::data::ratings::{Directory, Listed, Meaning};
use crate::data::{Dataset, Matrix, Numbers};
use crate::problem::{FactorModel, Factors, Feedback};
use crate::{Error, Result};

/// What a model of ratings holds beside its weights, which are Q, then P.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RatingModel {
    /// What was factorized.
    pub factors: Factors,
    /// The id of each user, in the order of P.
    pub users: Vec<String>,
    /// The id of each item, in the order of Q.
    pub items: Vec<String>,
    /// The items that each user rated, ascending by number: they are not recommended again.
    pub seen: Vec<Vec<u32>>,
}

/// An item recommended, and what is predicted of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recommended {
    /// Its id.
    pub item: String,
    /// r̂, or x̂.
    pub score: f64,
}

impl RatingModel {
    /// What an entry means.
    pub fn meaning(&self) -> Meaning {
        if self.factors.biased() { Meaning::Explicit } else { Meaning::Implicit }
    }

    /// A sentence about pairs to measure on that were trained on, if there are any.
    fn known_already(&self, test: &Dataset) -> Option<String> {
        let known = |(u, seen): (usize, &Vec<u32>)| {
            test.matrix.row(u).iter().filter(|(i, _)| seen.binary_search(i).is_ok()).count()
        };
        let known: usize = self.seen.iter().enumerate().map(known).sum();
        let then = match self.meaning() {
            Meaning::Explicit => "errors on them tell little of others",
            Meaning::Implicit => "they are not recommended again, and cannot be found",
        };
        (known > 0)
            .then(|| format!("{known} of {} ratings to measure on were trained on: {then}", test.matrix.stored()))
    }

    /// Refuses what does not fit together.
    pub(super) fn check(&self, weights: usize) -> Result<(), String> {
        let (users, items) = (self.users.len(), self.items.len());
        let needed = users.checked_add(items).and_then(|all| all.checked_mul(self.factors.rank.saturating_add(1)));
        if self.factors.rank == 0 || needed.is_none() || self.factors.coefficients(users, items) != weights {
            return Err(format!(
                "holds {weights} weights for {users} users and {items} items of rank {}",
                self.factors.rank
            ));
        }
        let fits = |seen: &Vec<u32>| seen.is_sorted() && seen.last().is_none_or(|last| (*last as usize) < items);
        if self.seen.len() != users || !self.seen.iter().all(fits) {
            return Err("does not say for each user which items were rated".into());
        }
        match self.factors.feedback {
            Feedback::Explicit { low, high, .. } if low > high => Err("its range of ratings is none".into()),
            _ => Ok(()),
        }
    }
}

impl TrainedModel {
    fn factor_model<'a>(&'a self, ratings: &RatingModel) -> FactorModel<'a> {
        ratings.factors.split(&self.weights, ratings.items.len())
    }

    /// What it holds of ratings.
    ///
    /// # Errors
    /// If it is no model of ratings.
    pub fn of_ratings(&self) -> Result<&RatingModel> {
        let wrong = "is not a model of ratings; `train --problem mf` makes one";
        self.factors.as_deref().ok_or_else(|| Error::file("model", wrong))
    }

    /// The items that suit a user best, what the user has rated left out unless asked for. One who was not seen gets what
    /// suits most, where there are biases; nothing is known otherwise.
    pub fn recommend(&self, user: &str, top: usize, with_seen: bool) -> Result<(Vec<Recommended>, Option<String>)> {
        let ratings = self.of_ratings()?;
        let found = Directory::of(&ratings.users, &[]).user(user);
        if found.is_none() && !ratings.factors.biased() {
            let what = format!("`{user}` was not trained on, and implicit factors know nothing of others");
            return Err(Error::setting("--user", what));
        }
        let note = found.is_none().then(|| format!("`{user}` was not trained on: these are liked best by all"));
        let without = found.filter(|_| !with_seen).map_or(&[][..], |user| &ratings.seen[user][..]);
        let best = self.factor_model(ratings).best(found, without, top);
        let named = |(i, score): (usize, f64)| Recommended { item: ratings.items[i].clone(), score };
        Ok((best.into_iter().map(named).collect(), note))
    }

    /// What is predicted of each line.
    pub fn predict_ratings(&self, listed: &Listed) -> Result<Vec<f64>> {
        let ratings = self.of_ratings()?;
        let (model, known) = (self.factor_model(ratings), Directory::of(&ratings.users, &ratings.items));
        Ok(listed.iter().map(|(user, item, _)| model.predict(known.user(user), known.item(item))).collect())
    }

    /// Every measure that applies, and sentences about ids that were not seen and pairs that were, if any.
    pub fn score_ratings(&self, listed: &Listed) -> Result<(BTreeMap<String, f64>, Vec<String>)> {
        let ratings = self.of_ratings()?;
        let meaning = ratings.meaning();
        let (test, strange) = Directory::of(&ratings.users, &ratings.items).arrange(listed, meaning);
        if meaning == Meaning::Implicit && test.matrix.stored_in(0..ratings.users.len()) == 0 {
            return Err(Error::file(&test.name, "holds no user that was trained on: there is nobody to measure with"));
        }
        let mut seen = Matrix::sparse(ratings.items.len());
        ratings.seen.iter().for_each(|items| seen.push_row(items.iter().map(|i| (*i, 1.0))));
        let train = Dataset::new("seen", seen, vec![0.0; ratings.users.len()]);
        let notes = strange.into_iter().chain(ratings.known_already(&test)).collect();
        Ok((ratings.factors.measures(&train, &test, &self.weights), notes))
    }
}

/// `numpy.load` reads `user_factors`, `item_factors`, `users`, `items` and, of explicit ratings, `user_bias`, `item_bias` and
/// `mean`.
pub(super) fn write(model: &TrainedModel) -> Result<Vec<u8>, String> {
    let ratings = model.of_ratings().map_err(|_| "only factors of ratings are written as npz".to_string())?;
    arrays(model, ratings).map_err(|e| e.to_string())
}

fn arrays(model: &TrainedModel, ratings: &RatingModel) -> std::io::Result<Vec<u8>> {
    let (rank, width) = (ratings.factors.rank, ratings.factors.width());
    let halves = model.factor_model(ratings);
    let mut arrays = Written::new(Cursor::new(Vec::new()));
    let sides = [("user", "users", halves.users, &ratings.users), ("item", "items", halves.items, &ratings.items)];
    for (one, all, factors, names) in sides {
        let products: Vec<f64> = factors.chunks_exact(width).flat_map(|x| &x[..rank]).copied().collect();
        arrays.floats(&format!("{one}_factors"), &[names.len(), rank], Numbers::F64(&products))?;
        if ratings.factors.biased() {
            let biases: Vec<f64> = factors.chunks_exact(width).map(|x| x[rank]).collect();
            arrays.floats(&format!("{one}_bias"), &[names.len()], Numbers::F64(&biases))?;
        }
        arrays.texts(all, names)?;
    }
    if let Feedback::Explicit { mean, .. } = ratings.factors.feedback {
        arrays.floats("mean", &[], Numbers::F64(&[mean]))?;
    }
    Ok(arrays.finish()?.into_inner())
}
