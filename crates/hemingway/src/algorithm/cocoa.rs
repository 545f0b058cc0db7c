//! CoCoA and CoCoA+: every machine improves its own rows' dual variables for a local epoch, the changes of w are
//! averaged (CoCoA; Jaggi et al. 2014, Algorithm 1) or added (CoCoA+; Ma et al. 2015, Algorithm 1, γ = 1, σ′ = m).
//!
//! Row i's number is αᵢ, the shared vector is w(α) = Σ αᵢxᵢ / (λn); both P(w) and D(α) are known exactly.

use rand::seq::SliceRandom;

use super::{Algorithm, Machines, Order, Server, Step, Support, Task, Work, Worker, primal};
use crate::Result;
use crate::data::Shard;
use crate::data::matrix::dot;
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
            Task::Evaluate => self.evaluate(shared, items, push),
            Task::Adopt => self.adopt(order.args[0], shared, items, push),
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
        self.before.clear();
        self.before.extend_from_slice(alpha);
        self.visits.clear();
        self.visits.extend(0..self.shard.len() as u32);
        self.visits.shuffle(&mut keyed(self.shard.seed, Purpose::Visit, self.shard.worker, order.round));

        v.copy_from_slice(w);
        for &i in &self.visits {
            let i = i as usize;
            let (row, y) = (self.shard.row(i), self.shard.label(i));
            let next = self.outline.loss.dual_step(alpha[i], y, row.dot(v), scale * self.norms[i]);
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

    /// [Σ φ(xᵢ·w), Σ −φ*(−αᵢ)].
    fn evaluate(&self, w: &[f64], alpha: &[f64], push: &mut [f64]) {
        let loss = self.outline.loss;
        for (i, &alpha) in alpha.iter().enumerate() {
            let (row, y) = (self.shard.row(i), self.shard.label(i));
            let (linear, quadratic) = loss.dual_terms(alpha, y);
            push[0] += loss.value(row.dot(w), y);
            push[1] += linear - quadratic;
        }
    }

    /// αᵢ = −t·φ′(xᵢ·w), and its share of w(α).
    fn adopt(&self, t: f64, w: &[f64], alpha: &mut [f64], push: &mut [f64]) {
        for (i, alpha) in alpha.iter_mut().enumerate() {
            let (row, y) = (self.shard.row(i), self.shard.label(i));
            *alpha = t * self.outline.loss.dual_of(row.dot(w), y);
            row.axpy(*alpha / self.outline.l2_rows(), push);
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

    /// w(α) differs from the model unless the model is optimal, and by far where λ is small; α is therefore shrunk
    /// by the t in [0, 1] that brings w(tα) nearest to it.
    fn adopt(&mut self, on: &mut dyn Machines, model: &[f64], shared: &mut [f64]) -> Result<()> {
        on.round(&Order::train(on, Task::Adopt, vec![1.0]), model, &mut self.sum)?;
        let length = dot(&self.sum, &self.sum);
        let t = if length > 0.0 { (dot(&self.sum, model) / length).clamp(0.0, 1.0) } else { 1.0 };
        if t < 1.0 {
            on.round(&Order::train(on, Task::Adopt, vec![t]), model, &mut self.sum)?;
        }
        shared.copy_from_slice(&self.sum);
        Ok(())
    }

    fn evaluate(&mut self, on: &mut dyn Machines, shared: &[f64]) -> Result<Evaluation> {
        let mut sum = [0.0; 2];
        on.round(&Order::aside(on, Task::Evaluate), shared, &mut sum)?;
        let n = self.outline.rows as f64;
        let penalty = self.outline.penalty(shared);
        Ok(Evaluation { objective: sum[0] / n + penalty, dual: Some(sum[1] / n - penalty) })
    }
}
