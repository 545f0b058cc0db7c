//! What a machine does in a visit, user by user: numbers of the component before are put back, those of this one taken out, the
//! user's is set, and every item hears of it.

use super::super::factors;
use super::Layout;
use crate::data::matrix::{dot, either};
use crate::data::{Numbers, Row, Shard, Value};
use crate::problem::{Factors, Outline};

/// Sums that do not wait for each other.
const LANES: usize = 4;

/// What a machine keeps for its users between the visits of one iteration.
pub(super) struct Pass {
    outline: Outline,
    factors: Factors,
    /// z of every entry, from which the open component is left out.
    left: Vec<f64>,
    /// Where each user's begin.
    starts: Vec<usize>,
    /// The users' factors.
    users: Vec<f64>,
    /// What multiplies the items' numbers of the component that is still open.
    open: Vec<f64>,
}

impl Pass {
    pub(super) fn new(outline: &Outline, shard: &Shard) -> Self {
        let ends = (0..shard.len()).scan(0, |end, u| {
            *end += shard.row(u).stored();
            Some(*end)
        });
        let starts = std::iter::once(0).chain(ends).collect();
        let (left, users, open) = (Vec::new(), Vec::new(), vec![0.0; shard.len()]);
        Self { outline: *outline, factors: factors::of(outline), left, starts, users, open }
    }

    /// Makes everything anew from the model and, where there are biases, sets the users'.
    #[inline(always)]
    pub(super) fn begin(&mut self, shard: &Shard, shared: &[f64], push: &mut [f64]) {
        let Self { outline, factors, left, starts, users, open } = self;
        let (width, rank, l2) = (factors.width(), factors.rank, outline.penalty.l2);
        let model = factors.split(shared, outline.columns);
        users.clear();
        users.extend_from_slice(&model.users[shard.start() * width..(shard.start() + shard.len()) * width]);
        left.resize(shard.stored() as usize, 0.0);
        for u in 0..shard.len() {
            let (p, z) = (&mut users[u * width..(u + 1) * width], &mut left[starts[u]..starts[u + 1]]);
            let row = shard.row(u);
            for ((i, rating), z) in row.iter().zip(z.iter_mut()) {
                let q = model.item(i as usize);
                let bias = if factors.biased() { p[rank] + q[rank] } else { 0.0 };
                let (g, fit) = (factors.confidence(rating), dot(&p[..rank], &q[..rank]) + bias);
                *z = (g + factors.absent()) * factors.target(rating) - g * fit;
            }
            open[u] = 0.0;
            if factors.biased() {
                set_bias(&mut p[rank], row, z, l2);
                for ((i, _), z) in row.iter().zip(z.iter()) {
                    push[2 * i as usize] += z + model.item(i as usize)[rank];
                    push[2 * i as usize + 1] += 1.0 + l2;
                }
                // What the items' biases move by is still to be taken out.
                open[u] = 1.0;
                push[Layout::of(outline).users() + shard.start() + u] = p[rank];
            }
        }
    }

    /// Sets component t of the users. `shared` holds for every item the numbers of the component that is open and of this one,
    /// then column t of QᵀQ where absent entries count.
    pub(super) fn visit(&mut self, shard: &Shard, t: usize, shared: &[f64], push: &mut [f64]) {
        let layout = Layout::of(&self.outline);
        let (pairs, gram) = shared.split_at(2 * layout.items);
        let (pairs, _) = pairs.as_chunks::<2>();
        let (width, l2) = (self.factors.width(), self.outline.penalty.l2);
        let (items, rest) = push.split_at_mut(layout.users());
        let (items, _) = items.as_chunks_mut::<2>();
        let (own, products) = rest.split_at_mut(layout.users);
        for u in 0..shard.len() {
            let z = &mut self.left[self.starts[u]..self.starts[u + 1]];
            let p = &mut self.users[u * width..(u + 1) * width];
            let Row::Sparse(indices, ratings) = shard.row(u) else { continue };
            let alpha = self.factors.alpha();
            let (mut numerator, mut denominator) = either!(Numbers, ratings, ratings => match alpha {
                None => take_out(indices, ratings, z, pairs, (self.open[u], p[t]), |_| 1.0),
                Some(alpha) => take_out(indices, ratings, z, pairs, (self.open[u], p[t]), |r| alpha * r),
            });
            if alpha.is_some() {
                numerator -= dot(p, gram) - p[t] * gram[t];
                denominator += gram[t] + l2;
            } else {
                denominator += l2 * z.len() as f64;
            }
            p[t] = super::quotient(numerator, denominator);
            either!(Numbers, ratings, ratings => match alpha {
                None => tell(indices, ratings, z, items, p[t], l2, |_| 1.0),
                Some(alpha) => tell(indices, ratings, z, items, p[t], 0.0, |r| alpha * r),
            });
            products.iter_mut().zip(&*p).for_each(|(sum, other)| *sum += p[t] * other);
            self.open[u] = p[t];
            own[shard.start() + u] = p[t];
        }
    }
}

/// bᵤ = Σ(z + bᵤ)/(n + λn), and z without it.
#[inline(always)]
fn set_bias(bias: &mut f64, row: Row<'_>, z: &mut [f64], l2: f64) {
    let count = row.stored() as f64;
    let sum: f64 = z.iter().sum();
    let new = super::quotient(sum + count * *bias, count * (1.0 + l2));
    z.iter_mut().for_each(|z| *z += *bias - new);
    *bias = new;
}

/// z ← z + g(p·q − p′q′), with Σ zq and Σ gq²: (p′, p) belong to the component that was open and the one that is visited.
#[inline(always)]
fn take_out<V: Value>(
    indices: &[u32],
    ratings: &[V],
    z: &mut [f64],
    pairs: &[[f64; 2]],
    (open, own): (f64, f64),
    count: impl Fn(f64) -> f64,
) -> (f64, f64) {
    let (mut pull, mut bend) = ([0.0; LANES], [0.0; LANES]);
    for (k, ((i, rating), z)) in indices.iter().zip(ratings).zip(z).enumerate() {
        let ([before, q], g) = (pairs[*i as usize], count(rating.wide()));
        *z += g * (own * q - open * before);
        pull[k % LANES] += *z * q;
        bend[k % LANES] += g * q * q;
    }
    let sum = |lanes: [f64; LANES]| (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    (sum(pull), sum(bend))
}

/// Adds Σ zp and Σ (gp² + λ) to what items hear.
#[inline(always)]
fn tell<V: Value>(
    indices: &[u32],
    ratings: &[V],
    z: &[f64],
    items: &mut [[f64; 2]],
    p: f64,
    l2: f64,
    count: impl Fn(f64) -> f64,
) {
    for ((i, rating), z) in indices.iter().zip(ratings).zip(z) {
        let item = &mut items[*i as usize];
        item[0] += z * p;
        item[1] += count(rating.wide()) * p * p + l2;
    }
}
