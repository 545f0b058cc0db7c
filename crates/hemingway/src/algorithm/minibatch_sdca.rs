//! Mini-batch SDCA: every round each machine draws some of its rows and finds the dual step of each as if alone; all are
//! taken together (Takáč et al. 2013; Shalev-Shwartz & Zhang 2013). So that they do not overshoot, every row is treated
//! as β times as long as it is. The safe β depends on how alike the rows are: it is 1 if none share a column and the size
//! of the batch if all are the same. Here it is found on the way: the dual tells after every round whether the steps
//! gained what they promised.
//!
//! Row i's number is αᵢ, the shared vector is v(α) = Σ sᵢαᵢxᵢ / (λ₂n).

use std::borrow::Cow;

use rand::seq::index::sample;

use super::{Algorithm, Machines, Order, Server, Step, Support, Task, Work, Worker, dual, primal, strange_state};
use crate::Result;
use crate::data::Shard;
use crate::problem::{Evaluation, Loss, Outline, Penalty};
use crate::rng::{Purpose, keyed};

/// The share of its rows a machine draws in a round.
const FRACTION: f64 = 0.1;
/// What becomes of β after a round that kept its promise, and after one that did not.
const BOLDER: f64 = 0.8;
const MORE_CAREFUL: f64 = 2.0;

/// Dual steps of many rows at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct MinibatchSdca;

impl Algorithm for MinibatchSdca {
    fn name(&self) -> &str {
        "minibatch-sdca"
    }

    fn support(&self, _loss: Loss) -> Support {
        Support::Exact
    }

    fn outdone_by(&self, _loss: Loss, _penalty: &Penalty) -> Option<&'static str> {
        Some("cocoa+")
    }

    fn is_dual(&self) -> bool {
        true
    }

    fn takes_l1(&self) -> bool {
        true
    }

    fn width(&self) -> usize {
        1
    }

    fn worker(&self, outline: &Outline, shard: Shard) -> Box<dyn Worker> {
        Box::new(SdcaWorker { outline: *outline, shard })
    }

    fn server(&self, outline: &Outline) -> Box<dyn Server> {
        Box::new(SdcaServer { outline: *outline, care: 0.0, sum: vec![0.0; outline.columns + TERMS] })
    }

    fn model<'a>(&self, outline: &Outline, shared: &'a [f64]) -> Cow<'a, [f64]> {
        dual::model(outline, shared)
    }
}

/// Behind the change of v: what −Σφ* gained, and what the steps promised.
const TERMS: usize = 2;

struct SdcaWorker {
    outline: Outline,
    shard: Shard,
}

impl Worker for SdcaWorker {
    fn push(&mut self, order: &Order, shared: &[f64], items: &mut [f64], push: &mut [f64]) -> Work {
        match order.task {
            Task::Evaluate => dual::push_evaluation(&self.outline, &self.shard, shared, items.iter().copied(), push),
            Task::Adopt => dual::push_adopted(order, &self.outline, &self.shard, shared, items.iter_mut(), push),
            Task::Step | Task::Probe => return self.push_steps(order, shared, items, push),
        }
        primal::pass(&self.outline, &self.shard)
    }
}

impl SdcaWorker {
    fn batch(&self) -> usize {
        (FRACTION * self.shard.len() as f64).ceil() as usize
    }

    fn push_steps(&self, order: &Order, v: &[f64], alpha: &mut [f64], push: &mut [f64]) -> Work {
        let loss = self.outline.loss;
        let (by, scale) = (dual::shrinkage(&self.outline), 1.0 / self.outline.l2_rows());
        let (change, terms) = push.split_at_mut(self.outline.columns);
        let worth = |alpha: f64, y: f64| {
            let (linear, quadratic) = loss.dual_terms(alpha, y);
            linear - quadratic
        };
        let mut rng = keyed(self.shard.seed, Purpose::Visit, self.shard.worker, order.round);
        let mut work = Work::default();
        for i in sample(&mut rng, self.shard.len(), self.batch()) {
            let (row, y, s) = (self.shard.row(i), self.shard.label(i), self.shard.weight(i));
            let (z, q) = (dual::predict(row, v, by), order.args[0] * scale * s * row.norm_sq());
            let next = loss.dual_step(alpha[i], y, z, q);
            let step = next - alpha[i];
            let gain = worth(next, y) - worth(alpha[i], y);
            terms[0] += s * gain;
            terms[1] += s * (gain - z * step - 0.5 * q * step * step);
            alpha[i] = next;
            row.axpy(scale * s * step, change);
            work.rows += 1;
            work.entries += row.stored() as u64;
        }
        work
    }
}

struct SdcaServer {
    outline: Outline,
    /// β; 0 before the first round.
    care: f64,
    sum: Vec<f64>,
}

impl SdcaServer {
    /// As many rows as all machines draw together, or a few more: the β that is always safe.
    fn batch(&self, machines: usize) -> f64 {
        FRACTION * self.outline.rows as f64 + machines as f64
    }

    /// g*(λ₂v).
    fn conjugate(&self, v: &[f64]) -> f64 {
        self.outline.penalty.conjugate(v.iter().map(|v| self.outline.penalty.l2 * v))
    }
}

impl Server for SdcaServer {
    fn iterate(&mut self, on: &mut dyn Machines, shared: &mut [f64]) -> Result<Step> {
        let safe = self.batch(on.count());
        if self.care == 0.0 {
            self.care = safe;
        }
        on.round(&Order::train(on, Task::Step, vec![self.care]), shared, &mut self.sum)?;
        let (change, terms) = self.sum.split_at(self.outline.columns);
        let (n, before) = (self.outline.rows as f64, self.conjugate(shared));
        primal::add(change, shared);
        let gained = terms[0] / n - (self.conjugate(shared) - before);
        let kept = gained >= terms[1] / n;
        self.care = (self.care * if kept { BOLDER } else { MORE_CAREFUL }).clamp(1.0, safe);
        Ok(Step::Moved)
    }

    fn adopt(&mut self, on: &mut dyn Machines, model: &[f64], shared: &mut [f64]) -> Result<()> {
        self.care = 0.0;
        dual::adopt(&self.outline, on, model, &mut self.sum[..self.outline.columns], shared)
    }

    fn evaluate(&mut self, on: &mut dyn Machines, shared: &[f64]) -> Result<Evaluation> {
        dual::evaluate(&self.outline, on, shared)
    }

    fn state(&self) -> Vec<f64> {
        vec![self.care]
    }

    fn restore(&mut self, state: &[f64]) -> Result<()> {
        let [care] = state else { return Err(strange_state()) };
        self.care = *care;
        Ok(())
    }
}
