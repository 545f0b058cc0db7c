//! Ratings as a product of factors: r̂ = μ + bᵤ + bᵢ + pᵤ·qᵢ, or for what users merely did, x̂ = pᵤ·qᵢ.
//!
//! Rows are users, columns are items, stored entries are what is known of the pair. With N of them,
//!
//! - explicit: P = (1/2N) Σ_Ω [(r − r̂)² + λ(‖pᵤ‖² + bᵤ² + ‖qᵢ‖² + bᵢ²)], each rating bringing its own part of the penalty
//!   (Zhou et al. 2008);
//! - implicit: P = (1/2N) [Σ_all c(x − x̂)² + λ(Σ‖pᵤ‖² + Σ‖qᵢ‖²)], c = 1 + αr and x = 1 where there is an entry, c = 1 and
//!   x = 0 where there is none (Hu, Koren, Volinsky 2008).
//!
//! Neither is convex: there is no dual, and no error to prove.

mod measures;

use serde::{Deserialize, Serialize};

use crate::data::matrix::dot;
use crate::data::{Dataset, Row};
use crate::simd::widest;

/// What is factorized, and into what.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Factors {
    /// Numbers of a factor, biases not counted.
    pub rank: usize,
    /// N.
    pub ratings: usize,
    /// What an entry means.
    pub feedback: Feedback,
}

/// What an entry means.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Feedback {
    /// A rating that the user gave.
    Explicit {
        /// μ, the mean of all ratings.
        mean: f64,
        /// The least rating: predictions are not below.
        low: f64,
        /// The highest: predictions are not above.
        high: f64,
    },
    /// How often, or how long, the user had to do with the item.
    Implicit {
        /// α.
        alpha: f64,
    },
}

/// Factors of items and users, as they lie in a model: Q, one item after the other, then P. Of biased factors the last number
/// is the bias.
#[derive(Debug, Clone, Copy)]
pub struct FactorModel<'a> {
    /// What they are factors of.
    pub factors: Factors,
    /// Q.
    pub items: &'a [f64],
    /// P.
    pub users: &'a [f64],
}

impl Factors {
    /// Of these ratings; `alpha` if they are implicit.
    pub fn of(data: &Dataset, rank: usize, alpha: Option<f64>) -> Self {
        let ratings = data.matrix.stored();
        let all = || (0..data.rows()).flat_map(|u| data.matrix.row(u).iter().map(|(_, r)| r));
        let explicit = || Feedback::Explicit {
            mean: all().sum::<f64>() / ratings.max(1) as f64,
            low: all().fold(f64::INFINITY, f64::min),
            high: all().fold(f64::NEG_INFINITY, f64::max),
        };
        let feedback = alpha.map_or_else(explicit, |alpha| Feedback::Implicit { alpha });
        Self { rank, ratings, feedback }
    }

    /// Whether users and items have biases: those of explicit ratings do.
    pub fn biased(&self) -> bool {
        matches!(self.feedback, Feedback::Explicit { .. })
    }

    /// Numbers kept for a user or an item.
    pub fn width(&self) -> usize {
        self.rank + usize::from(self.biased())
    }

    /// Numbers in a model.
    pub fn coefficients(&self, users: usize, items: usize) -> usize {
        (users + items) * self.width()
    }

    /// α, where feedback is implicit.
    pub fn alpha(&self) -> Option<f64> {
        match self.feedback {
            Feedback::Explicit { .. } => None,
            Feedback::Implicit { alpha } => Some(alpha),
        }
    }

    /// y, what p·q and the biases are to come to where there is an entry.
    #[inline(always)]
    pub(crate) fn target(&self, rating: f64) -> f64 {
        match self.feedback {
            Feedback::Explicit { mean, .. } => rating - mean,
            Feedback::Implicit { .. } => 1.0,
        }
    }

    /// How much more an entry counts than its absence.
    #[inline(always)]
    pub(crate) fn confidence(&self, rating: f64) -> f64 {
        self.alpha().map_or(1.0, |alpha| alpha * rating)
    }

    /// What an absent entry counts for.
    pub(crate) fn absent(&self) -> f64 {
        if self.biased() { 0.0 } else { 1.0 }
    }

    /// The two halves of a model for so many items.
    pub fn split<'a>(&self, model: &'a [f64], items: usize) -> FactorModel<'a> {
        let (items, users) = model.split_at(items * self.width());
        FactorModel { factors: *self, items, users }
    }

    /// What it is, in words.
    pub fn told(&self) -> String {
        match self.feedback {
            Feedback::Explicit { .. } => format!("factors of rank {} with biases", self.rank),
            Feedback::Implicit { alpha } => format!("factors of rank {} of implicit feedback, α = {alpha}", self.rank),
        }
    }

    /// The part of 2N·P that one user's entries make up, entry by entry; `norms` are ‖qᵢ‖² with the bias. What all pairs add,
    /// and the penalty of implicit factors, is [`Self::beyond_entries`].
    pub(crate) fn of_user(&self, model: FactorModel<'_>, user: usize, row: Row<'_>, norms: &[f64], l2: f64) -> f64 {
        let own = model.user(user);
        let own_norm = dot(own, own);
        let term = |(i, rating): (u32, f64)| {
            let (fit, y) = (model.fit(user, i as usize), self.target(rating));
            match self.feedback {
                Feedback::Explicit { .. } => (y - fit) * (y - fit) + l2 * (own_norm + norms[i as usize]),
                Feedback::Implicit { alpha } => (1.0 + alpha * rating) * (y - fit) * (y - fit) - fit * fit,
            }
        };
        row.iter().map(term).sum()
    }

    /// The rest of 2N·P: Σ_all x̂² = ⟨PᵀP, QᵀQ⟩ and the penalty, where feedback is implicit.
    pub(crate) fn beyond_entries(&self, model: FactorModel<'_>, l2: f64) -> f64 {
        if self.biased() {
            return 0.0;
        }
        let (p, q) = (gram(model.users, self.width()), gram(model.items, self.width()));
        dot(&p, &q) + l2 * (dot(model.users, model.users) + dot(model.items, model.items))
    }

    /// ‖x‖² of every factor, biases counted.
    pub(crate) fn norms(&self, factors: &[f64]) -> Vec<f64> {
        factors.chunks_exact(self.width()).map(|x| dot(x, x)).collect()
    }

    /// P straight from the definition, over all pairs.
    pub(super) fn objective(&self, data: &Dataset, model: &[f64], l2: f64) -> f64 {
        let model = self.split(model, data.columns());
        let norms = self.norms(model.items);
        let entries = (0..data.rows()).map(|u| self.of_user(model, u, data.matrix.row(u), &norms, l2)).sum::<f64>();
        let pairs = || (0..data.rows()).flat_map(|u| (0..data.columns()).map(move |i| (u, i)));
        let absent: f64 = self.absent() * pairs().map(|(u, i)| model.fit(u, i).powi(2)).sum::<f64>();
        let penalty =
            if self.biased() { 0.0 } else { l2 * (dot(model.users, model.users) + dot(model.items, model.items)) };
        (entries + absent + penalty) / (2 * self.ratings.max(1)) as f64
    }
}

impl<'a> FactorModel<'a> {
    /// pᵤ, and bᵤ if there are biases.
    #[inline(always)]
    pub fn user(&self, user: usize) -> &'a [f64] {
        &self.users[user * self.factors.width()..(user + 1) * self.factors.width()]
    }

    /// qᵢ, and bᵢ if there are biases.
    #[inline(always)]
    pub fn item(&self, item: usize) -> &'a [f64] {
        &self.items[item * self.factors.width()..(item + 1) * self.factors.width()]
    }

    /// pᵤ·qᵢ, and bᵤ + bᵢ if there are biases.
    #[inline(always)]
    pub(crate) fn fit(&self, user: usize, item: usize) -> f64 {
        let (rank, p, q) = (self.factors.rank, self.user(user), self.item(item));
        let bias = if self.factors.biased() { p[rank] + q[rank] } else { 0.0 };
        dot(&p[..rank], &q[..rank]) + bias
    }

    /// r̂ within the range of ratings, or x̂. Of a user or an item that was not seen nothing is known: their part is 0.
    pub fn predict(&self, user: Option<usize>, item: Option<usize>) -> f64 {
        let (rank, biased) = (self.factors.rank, self.factors.biased());
        let bias = |factor: Option<&[f64]>| factor.filter(|_| biased).map_or(0.0, |factor| factor[rank]);
        let (p, q) = (user.map(|u| self.user(u)), item.map(|i| self.item(i)));
        let product = p.zip(q).map_or(0.0, |(p, q)| dot(&p[..rank], &q[..rank]));
        match self.factors.feedback {
            Feedback::Explicit { mean, low, high } => (mean + bias(p) + bias(q) + product).clamp(low, high),
            Feedback::Implicit { .. } => product,
        }
    }
}

/// XᵀX of rows of this width, four at a time.
pub(crate) fn gram(rows: &[f64], width: usize) -> Vec<f64> {
    let mut sum = vec![0.0; width * width];
    widest(
        #[inline(always)]
        || {
            let fours = rows.chunks_exact(4 * width);
            for x in fours.remainder().chunks_exact(width) {
                add_products([x; 4], [1.0, 0.0, 0.0, 0.0], &mut sum);
            }
            for four in fours {
                let ((a, b), (c, d)) = (four[..2 * width].split_at(width), four[2 * width..].split_at(width));
                add_products([a, b, c, d], [1.0; 4], &mut sum);
            }
        },
    );
    sum
}

/// Adds w·xxᵀ of four rows.
#[inline(always)]
fn add_products([a, b, c, d]: [&[f64]; 4], w: [f64; 4], sum: &mut [f64]) {
    let width = a.len();
    for (k, into) in sum.chunks_exact_mut(width).enumerate() {
        let (wa, wb, wc, wd) = (w[0] * a[k], w[1] * b[k], w[2] * c[k], w[3] * d[k]);
        for ((((into, a), b), c), d) in into.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            *into += (wa * a + wb * b) + (wc * c + wd * d);
        }
    }
}
