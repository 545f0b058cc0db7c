//! What factors are worth on ratings held back.

use std::collections::BTreeMap;

use super::{FactorModel, Factors, Feedback};
use crate::data::Dataset;

/// How many are recommended when recommendations are measured.
const TOP: usize = 10;
/// Users whose recommendations are measured: each means a look at every item.
const MOST_USERS: usize = 1000;

impl Factors {
    /// The names of the measures that apply.
    pub fn measure_names(&self) -> &'static [&'static str] {
        match self.feedback {
            Feedback::Explicit { .. } => &["mae", "rmse"],
            Feedback::Implicit { .. } => &["ndcg10", "precision10"],
        }
    }

    /// Every measure that applies. `test` has a row more than the training data, for users that it did not have, and a column
    /// more for such items.
    pub fn measures(&self, train: &Dataset, test: &Dataset, model: &[f64]) -> BTreeMap<String, f64> {
        let model = self.split(model, train.columns());
        let values = match self.feedback {
            Feedback::Explicit { .. } => errors(train, test, model),
            Feedback::Implicit { .. } => hits(train, test, model),
        };
        let named = self.measure_names().iter().zip(values).filter(|(_, value)| value.is_finite());
        named.map(|(name, value)| ((*name).into(), value)).collect()
    }
}

/// The mean |r − r̂|, and the root of the mean (r − r̂)².
fn errors(train: &Dataset, test: &Dataset, model: FactorModel<'_>) -> [f64; 2] {
    let (users, items) = (train.rows(), train.columns());
    let (mut absolute, mut squared) = (0.0, 0.0);
    for u in 0..test.rows() {
        for (i, rating) in test.matrix.row(u).iter() {
            let (user, item) = (Some(u).filter(|u| *u < users), Some(i as usize).filter(|i| *i < items));
            let error = rating - model.predict(user, item);
            absolute += error.abs();
            squared += error * error;
        }
    }
    let n = test.matrix.stored() as f64;
    [absolute / n, (squared / n).sqrt()]
}

/// Of the first users who have something to find: NDCG and the share of right ones among the ten items recommended to each,
/// items of the training data left out.
fn hits(train: &Dataset, test: &Dataset, model: FactorModel<'_>) -> [f64; 2] {
    let (mut gain, mut right, mut users) = (0.0, 0.0, 0.0);
    let worth = |place: usize| 1.0 / (place as f64 + 2.0).log2();
    let with_something = (0..train.rows()).filter(|u| test.matrix.row(*u).stored() > 0).take(MOST_USERS);
    for u in with_something {
        let seen: Vec<u32> = train.matrix.row(u).iter().map(|(i, _)| i).collect();
        let wanted: Vec<u32> = test.matrix.row(u).iter().map(|(i, _)| i).collect();
        let best = model.top(u, &seen, TOP);
        let found = best.iter().enumerate().filter(|(_, (i, _))| wanted.binary_search(&(*i as u32)).is_ok());
        let (hits, dcg) = found.fold((0.0, 0.0), |(hits, dcg), (place, _)| (hits + 1.0, dcg + worth(place)));
        let ideal: f64 = (0..wanted.len().min(TOP)).map(worth).sum();
        gain += dcg / ideal;
        right += hits / TOP.min(wanted.len()) as f64;
        users += 1.0;
    }
    [gain / users, right / users]
}

impl FactorModel<'_> {
    /// The items that suit a user best, with what they score, the best first and the first of equals; `without` are left out,
    /// which ascend.
    pub fn top(&self, user: usize, without: &[u32], count: usize) -> Vec<(usize, f64)> {
        self.best(Some(user), without, count)
    }

    /// The same for a user of whom nothing is known, if none is given.
    pub fn best(&self, user: Option<usize>, without: &[u32], count: usize) -> Vec<(usize, f64)> {
        let items = self.items.len() / self.factors.width();
        // What is not clamped tells more of the best apart.
        let score = |i: usize| match user {
            Some(user) => self.fit(user, i),
            None => self.predict(None, Some(i)),
        };
        let left = (0..items).filter(|i| without.binary_search(&(*i as u32)).is_err());
        let mut all: Vec<(usize, f64)> = left.map(|i| (i, score(i))).collect();
        let better = |a: &(usize, f64), b: &(usize, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if count < all.len() {
            all.select_nth_unstable_by(count, better);
            all.truncate(count);
        }
        all.sort_by(better);
        all.into_iter().map(|(i, _)| (i, self.predict(user, Some(i)))).collect()
    }
}
