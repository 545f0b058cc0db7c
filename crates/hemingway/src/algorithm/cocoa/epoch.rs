//! The hot loop: one αᵢ after the other is set to where the dual is highest along it, and v follows at once.

use prefetch_index::prefetch_index;
use rand_chacha::ChaCha8Rng;

use super::visits::{Looked, Visits, WIDTH};
use crate::algorithm::{Work, dual, primal};
use crate::data::{Ahead, Narrow, Shard, Value, ask_for};
use crate::problem::{Loss, Outline};
use crate::simd::widest;

/// What every step needs to know of a row besides its entries, side by side: one line of the cache brings both.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beside {
    /// sᵢ‖xᵢ‖².
    norm: f64,
    /// yᵢ.
    label: f64,
}

impl Beside {
    /// Of all rows.
    pub(super) fn rows(shard: &Shard) -> Vec<Self> {
        let of = |i| Self { norm: shard.weight(i) * shard.row(i).norm_sq(), label: shard.label(i) };
        (0..shard.len()).map(of).collect()
    }
}

/// What an epoch needs to know and changes, but for v.
pub(super) struct Epoch<'a> {
    outline: &'a Outline,
    shard: &'a Shard,
    loss: Loss,
    beside: &'a [Beside],
    weights: Option<&'a [f64]>,
    /// σ′/(λ₂n).
    scale: f64,
    /// λ₁/λ₂.
    by: f64,
    /// αᵢ, and for how long it has rested.
    rows: &'a mut [[f64; WIDTH]],
    work: Work,
    most: Work,
}

/// v, and how rows meet it, each by the place of its αᵢ.
trait Meeting {
    /// xᵢ·w. A row that comes later is asked for on the way.
    fn predict(&self, at: usize, later: Option<usize>) -> f64;
    /// v += a·xᵢ.
    fn add(&mut self, at: usize, a: f64);
    /// Entries of xᵢ.
    fn stored(&self, at: usize) -> usize;

    /// i.
    #[inline(always)]
    fn row(&self, at: usize) -> usize {
        at
    }

    /// What its label is there.
    #[inline(always)]
    fn target(&self, label: f64, _at: usize) -> f64 {
        label
    }
}

/// Rows of any form.
struct Any<'a> {
    shard: &'a Shard,
    by: f64,
    v: &'a mut [f64],
}

impl Meeting for Any<'_> {
    #[inline(always)]
    fn predict(&self, i: usize, later: Option<usize>) -> f64 {
        match later.map(|later| self.shard.row(later)) {
            Some(later) if self.by == 0.0 => return self.shard.row(i).dot_asking(self.v, later),
            Some(later) => ask_for(later),
            None => (),
        }
        dual::predict(self.shard.row(i), self.v, self.by)
    }

    #[inline(always)]
    fn add(&mut self, i: usize, a: f64) {
        self.shard.row(i).axpy(a, self.v);
    }

    #[inline(always)]
    fn stored(&self, i: usize) -> usize {
        self.shard.row(i).stored()
    }
}

/// Rows with several margins, each a problem of its own.
struct Several<'a> {
    shard: &'a Shard,
    outline: &'a Outline,
    by: f64,
    v: &'a mut [f64],
}

impl Meeting for Several<'_> {
    #[inline(always)]
    fn predict(&self, at: usize, _later: Option<usize>) -> f64 {
        let (i, margin) = self.outline.place(at);
        dual::predict(self.shard.row(i), &self.v[self.outline.block(margin)], self.by)
    }

    #[inline(always)]
    fn add(&mut self, at: usize, a: f64) {
        let (i, margin) = self.outline.place(at);
        self.shard.row(i).axpy(a, &mut self.v[self.outline.block(margin)]);
    }

    #[inline(always)]
    fn stored(&self, at: usize) -> usize {
        self.shard.row(self.row(at)).stored()
    }

    #[inline(always)]
    fn row(&self, at: usize) -> usize {
        self.outline.place(at).0
    }

    #[inline(always)]
    fn target(&self, label: f64, at: usize) -> f64 {
        self.outline.target(label, self.outline.place(at).1)
    }
}

/// Dense rows of few columns, without λ₁: v never leaves the registers.
struct Few<'a, V, const D: usize> {
    rows: &'a [[V; D]],
    v: [f64; D],
}

impl<V: Value, const D: usize> Meeting for Few<'_, V, D> {
    #[inline(always)]
    fn predict(&self, i: usize, later: Option<usize>) -> f64 {
        if let Some(later) = later {
            prefetch_index(self.rows, later);
        }
        let row = &self.rows[i];
        (0..D).fold(0.0, |sum, k| sum + row[k].wide() * self.v[k])
    }

    #[inline(always)]
    fn add(&mut self, i: usize, a: f64) {
        let row = &self.rows[i];
        (0..D).for_each(|k| self.v[k] += a * row[k].wide());
    }

    #[inline(always)]
    fn stored(&self, _i: usize) -> usize {
        D
    }
}

/// An epoch over rows of few columns.
struct OverFew<'a, 'b> {
    epoch: &'a mut Epoch<'b>,
    visits: &'a mut Visits,
    rng: &'a mut ChaCha8Rng,
    v: &'a mut [f64],
}

impl Narrow for OverFew<'_, '_> {
    fn run<V: Value, const D: usize>(&mut self, rows: &[[V; D]]) {
        let mut few = Few { rows, v: std::array::from_fn(|k| self.v[k]) };
        self.epoch.passes(self.visits, self.rng, self.epoch.shard.ahead(), &mut few);
        self.v.copy_from_slice(&few.v);
    }
}

impl<'a> Epoch<'a> {
    pub(super) fn new(
        outline: &'a Outline,
        shard: &'a Shard,
        beside: &'a [Beside],
        sigma: f64,
        rows: &'a mut [[f64; WIDTH]],
    ) -> Self {
        let Work { rows: all, entries } = primal::pass(outline, shard);
        Self {
            outline,
            shard,
            loss: outline.loss,
            beside,
            weights: shard.weights(),
            scale: sigma / outline.l2_rows(),
            by: dual::shrinkage(outline),
            rows,
            work: Work::default(),
            most: Work { rows: outline.outputs() as u64 * all, entries },
        }
    }

    /// As much work as so many epochs.
    pub(super) fn times(self, epochs: f64) -> Self {
        let times = |count: u64| (epochs * count as f64).ceil() as u64;
        Self { most: Work { rows: times(self.most.rows), entries: times(self.most.entries) }, ..self }
    }

    /// Passes until passes over all rows would have cost as much, or nothing moves any more.
    pub(super) fn run(mut self, visits: &mut Visits, mut rng: ChaCha8Rng, v: &mut [f64]) -> Work {
        let Self { outline, shard, by, .. } = self;
        if outline.classes.is_some() {
            self.passes(visits, &mut rng, Ahead::none(), &mut Several { shard, outline, by, v });
            return self.work;
        }
        let done = by == 0.0
            && shard.if_narrow(&mut OverFew { epoch: &mut self, visits: &mut *visits, rng: &mut rng, v: &mut *v });
        if !done {
            widest(
                #[inline(always)]
                || self.passes(visits, &mut rng, shard.ahead(), &mut Any { shard, by, v }),
            );
        }
        self.work
    }

    #[inline(always)]
    fn passes(&mut self, visits: &mut Visits, rng: &mut ChaCha8Rng, ahead: Ahead<'_>, v: &mut impl Meeting) {
        while self.work.is_less_than(self.most) && visits.shuffle(rng) {
            visits.pass(
                #[inline(always)]
                |order, k| {
                    ahead.ask_of(self.rows, order, k);
                    ahead.ask_of(self.beside, order, k);
                    self.look(order[k] as usize, ahead.soon(order, k), v)
                },
            );
        }
    }

    #[inline(always)]
    fn look(&mut self, at: usize, later: Option<usize>, v: &mut impl Meeting) -> Looked {
        if !self.work.is_less_than(self.most) {
            return Looked::Enough;
        }
        self.work.rows += 1;
        self.work.entries += v.stored(at) as u64;
        let i = v.row(at);
        let Beside { norm, label } = self.beside[i];
        let (alpha, y) = (self.rows[at][0], v.target(label, at));
        let next = self.loss.dual_step(alpha, y, v.predict(at, later), self.scale * norm);
        if next == alpha {
            return Looked::Rested;
        }
        self.rows[at] = [next, 0.0];
        let weight = self.weights.map_or(1.0, |weights| weights[i]);
        v.add(at, self.scale * weight * (next - alpha));
        Looked::Moved
    }
}
