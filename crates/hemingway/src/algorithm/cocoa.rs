//! CoCoA and CoCoA+: every machine improves its own rows' dual variables for a local epoch, the changes of w are
//! averaged (CoCoA; Jaggi et al. 2014, Algorithm 1) or added (CoCoA+; Ma et al. 2015, Algorithm 1, γ = 1, σ′ = m).
//!
//! Row i's number is αᵢ, the shared vector is v(α) = Σ αᵢxᵢ / (λ₂n), and w(α) is v shrunk by λ₁/λ₂ (Shalev-Shwartz &
//! Zhang 2014, Prox-SDCA; without λ₁ it is v itself); both P(w) and D(α) are known exactly.

use std::borrow::Cow;

use rand::seq::SliceRandom;

use super::{Algorithm, Machines, Order, Server, Step, Support, Task, Work, Worker, dual, primal};
use crate::Result;
use crate::data::Shard;
use crate::problem::{Evaluation, Loss, Outline};
use crate::rng::{Purpose, keyed};

/// CoCoA in its two forms.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cocoa {
    adding: bool,
}

impl Cocoa {
    pub(super) fn averaging() -> Self {
        Self { adding: false }
    }

    pub(super) fn adding() -> Self {
        Self { adding: true }
    }

    /// (γ, σ′): how much of every machine's change is taken, and how careful the local problem must be about the
    /// others' (Ma et al. 2015, Lemma 4: σ′ = γm is safe).
    fn aggregation(self, machines: usize) -> (f64, f64) {
        if self.adding { (1.0, machines as f64) } else { (1.0 / machines as f64, 1.0) }
    }
}

impl Algorithm for Cocoa {
    fn name(&self) -> &'static str {
        if self.adding { "cocoa+" } else { "cocoa" }
    }

    /// One machine's change is added whole either way.
    fn alone(&self) -> &'static str {
        "cocoa"
    }

    fn is_dual(&self) -> bool {
        true
    }

    fn takes_l1(&self) -> bool {
        true
    }

    fn support(&self, _loss: Loss) -> Support {
        Support::Exact
    }

    fn width(&self) -> usize {
        1
    }

    fn worker(&self, outline: &Outline, shard: Shard) -> Box<dyn Worker> {
        let norms = (0..shard.len()).map(|i| shard.row(i).norm_sq()).collect();
        let entries = shard.stored();
        Box::new(CocoaWorker { outline: *outline, shard, norms, entries, visits: Vec::new(), before: Vec::new() })
    }

    fn model<'a>(&self, outline: &Outline, shared: &'a [f64]) -> Cow<'a, [f64]> {
        dual::model(outline, shared)
    }

    fn server(&self, outline: &Outline) -> Box<dyn Server> {
        Box::new(CocoaServer { outline: *outline, variant: *self, sum: vec![0.0; outline.columns] })
    }
}

struct CocoaWorker {
    outline: Outline,
    shard: Shard,
    norms: Vec<f64>,
    entries: u64,
    visits: Vec<u32>,
    before: Vec<f64>,
}

impl Worker for CocoaWorker {
    fn push(&mut self, order: &Order, shared: &[f64], items: &mut [f64], push: &mut [f64]) -> Work {
        match order.task {
            Task::Evaluate => dual::push_evaluation(&self.outline, &self.shard, shared, items, push),
            Task::Adopt => dual::push_adopted(order, &self.outline, &self.shard, shared, items, push),
            Task::Step | Task::Probe => self.local_epoch(order, shared, items, push),
        }
        Work { rows: self.shard.len() as u64, entries: self.entries }
    }
}

impl CocoaWorker {
    /// One pass of exact dual coordinate steps in a fresh order. The push doubles as the moving copy
    /// v = w + σ′Δw, so that a worker keeps nothing of the model's length.
    fn local_epoch(&mut self, order: &Order, w: &[f64], alpha: &mut [f64], v: &mut [f64]) {
        let [gamma, sigma] = order.args[..] else { unreachable!("the server sends γ and σ′") };
        let scale = sigma / self.outline.l2_rows();
        let by = dual::shrinkage(&self.outline);
        self.before.clear();
        self.before.extend_from_slice(alpha);
        self.visits.clear();
        self.visits.extend(0..self.shard.len() as u32);
        self.visits.shuffle(&mut keyed(self.shard.seed, Purpose::Visit, self.shard.worker, order.round));

        v.copy_from_slice(w);
        for &i in &self.visits {
            let i = i as usize;
            let (row, y) = (self.shard.row(i), self.shard.label(i));
            let next = self.outline.loss.dual_step(alpha[i], y, dual::predict(row, v, by), scale * self.norms[i]);
            let change = next - alpha[i];
            if change != 0.0 {
                alpha[i] = next;
                row.axpy(scale * change, v);
            }
        }

        for (a, b) in alpha.iter_mut().zip(&self.before) {
            *a = b + gamma * (*a - b);
        }
        for (v, w) in v.iter_mut().zip(w) {
            *v = gamma / sigma * (*v - w);
        }
    }
}

struct CocoaServer {
    outline: Outline,
    variant: Cocoa,
    sum: Vec<f64>,
}

impl Server for CocoaServer {
    fn iterate(&mut self, on: &mut dyn Machines, shared: &mut [f64]) -> Result<Step> {
        let (gamma, sigma) = self.variant.aggregation(on.count());
        on.round(&Order::train(on, Task::Step, vec![gamma, sigma]), shared, &mut self.sum)?;
        primal::add(&self.sum, shared);
        Ok(if self.sum.iter().all(|v| *v == 0.0) { Step::Stalled } else { Step::Moved })
    }

    fn adopt(&mut self, on: &mut dyn Machines, model: &[f64], shared: &mut [f64]) -> Result<()> {
        dual::adopt(&self.outline, on, model, &mut self.sum, shared)
    }

    fn evaluate(&mut self, on: &mut dyn Machines, shared: &[f64]) -> Result<Evaluation> {
        dual::evaluate(&self.outline, on, shared)
    }
}
