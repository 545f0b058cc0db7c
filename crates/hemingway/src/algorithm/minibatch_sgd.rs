//! Mini-batch SGD: every round each machine sums the gradient over a sample of its rows, and the shared w takes one
//! step along the mean (Dekel et al. 2012; the rate is O(1/√(bT) + 1/T) for batches of b).
//!
//! The right step depends on how alike the rows are, which nobody knows: between 1/mean ‖x‖² and d times that. The
//! scalar form of AdaGrad finds it: η = D/√Σ‖g‖² over all rounds so far, which forgives a wrong D (Duchi et al. 2011;
//! Ward, Wu & Bottou 2019, for smooth losses).

use rand::seq::index::sample;

use super::{Algorithm, Machines, Order, Server, Step, Support, Task, Work, Worker, primal, strange_state};
use crate::Result;
use crate::data::Shard;
use crate::data::matrix::{axpy, dot};
use crate::problem::{Evaluation, Loss, Outline, Penalty};
use crate::rng::{Purpose, keyed};

/// The share of its rows a machine samples in a round.
const FRACTION: f64 = 0.1;

/// The length of the first step, in 1/‖x‖: it can move the margin of a typical row from one class to the other.
const REACH: f64 = 2.0;

/// One averaged step a round.
#[derive(Debug, Clone, Copy)]
pub(super) struct MinibatchSgd;

impl Algorithm for MinibatchSgd {
    fn name(&self) -> &str {
        "minibatch-sgd"
    }

    fn support(&self, _loss: Loss) -> Support {
        Support::Approximate
    }

    /// A tenth of the rows for one step, where local steps are as many as rows.
    fn outdone_by(&self, _loss: Loss, _penalty: &Penalty) -> Option<&'static str> {
        Some("local-sgd")
    }

    fn worker(&self, outline: &Outline, shard: Shard) -> Box<dyn Worker> {
        Box::new(MinibatchWorker { outline: *outline, shard })
    }

    fn server(&self, outline: &Outline) -> Box<dyn Server> {
        Box::new(MinibatchServer { outline: *outline, sum: vec![0.0; outline.columns + 1], squares: 0.0 })
    }
}

struct MinibatchWorker {
    outline: Outline,
    shard: Shard,
}

impl Worker for MinibatchWorker {
    fn push(&mut self, order: &Order, shared: &[f64], _items: &mut [f64], push: &mut [f64]) -> Work {
        if order.task == Task::Evaluate {
            primal::push_evaluation(order, &self.outline, &self.shard, shared, push);
            return primal::pass(&self.outline, &self.shard);
        }
        self.sample_gradient(order, shared, push)
    }
}

impl MinibatchWorker {
    /// Σ sᵢφ′(xᵢ·w)·xᵢ over the sample, and its size behind it.
    fn sample_gradient(&self, order: &Order, w: &[f64], push: &mut [f64]) -> Work {
        let size = (FRACTION * self.shard.len() as f64).ceil() as usize;
        let mut rng = keyed(self.shard.seed, Purpose::Visit, self.shard.worker, order.round);
        let (gradient, count) = push.split_at_mut(self.outline.columns);
        let mut work = Work::default();
        for i in sample(&mut rng, self.shard.len(), size) {
            let row = self.shard.row(i);
            let slope = self.outline.loss.slope(row.dot(w), self.shard.label(i));
            row.axpy(self.shard.weight(i) * slope, gradient);
            work.rows += 1;
            work.entries += row.stored() as u64;
        }
        count[0] = size as f64;
        work
    }
}

struct MinibatchServer {
    outline: Outline,
    sum: Vec<f64>,
    /// Σ‖g‖² over the rounds so far.
    squares: f64,
}

impl Server for MinibatchServer {
    fn iterate(&mut self, on: &mut dyn Machines, shared: &mut [f64]) -> Result<Step> {
        on.round(&Order::train(on, Task::Step, Vec::new()), shared, &mut self.sum)?;
        let (gradient, count) = self.sum.split_at_mut(self.outline.columns);
        for (g, w) in gradient.iter_mut().zip(&*shared) {
            *g = *g / count[0].max(1.0) + self.outline.penalty.l2 * w;
        }
        self.squares += dot(gradient, gradient);
        let length = REACH / self.outline.mean_norm_sq.sqrt();
        if self.squares > 0.0 && length.is_finite() {
            axpy(-length / self.squares.sqrt(), gradient, shared);
        }
        Ok(Step::Moved)
    }

    fn evaluate(&mut self, on: &mut dyn Machines, shared: &[f64]) -> Result<Evaluation> {
        primal::evaluate(&self.outline, on, shared)
    }

    fn state(&self) -> Vec<f64> {
        vec![self.squares]
    }

    fn restore(&mut self, state: &[f64]) -> Result<()> {
        let [squares] = state else { return Err(strange_state()) };
        self.squares = *squares;
        Ok(())
    }
}
