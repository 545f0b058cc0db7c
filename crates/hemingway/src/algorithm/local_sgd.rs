//! Local-update SGD: every machine runs a local epoch of SGD from the shared w, and the ends are averaged, each by
//! what its rows count for (Zinkevich et al. 2010, in rounds; the baseline of the CoCoA papers).
//!
//! The step after t steps of a worker is η₀/(√(1 + t/(100m)) + η₀λ(t + 1)), η₀ = 1/(curvature · mean ‖x‖² + λ). At
//! first it is as large as a single row allows; averaging m ends leaves 1/m of the noise, so that it may fall √m later
//! (Stich 2019: η of order √(m/T)); the last term is the tail 1/(λt) of strong convexity (Bottou 2012,
//! §5.2). No row takes a step that would throw it past its own label, however long it is.
//! That the square root begins to bite after 100m steps is a compromise found by trying 1, 10 and 100: noisy
//! well-conditioned data would have it earlier, sparse and ill-conditioned data later.

use rand::seq::SliceRandom;

use super::{Algorithm, Costs, Machines, Order, Server, Step, Support, Task, Work, Worker, primal, strange_state};
use crate::Result;
use crate::data::Shard;
use crate::problem::{Evaluation, Loss, Outline};
use crate::rng::{Purpose, keyed};

/// Steps of one machine before its noise is worth stepping less for.
const FULL_STEPS: f64 = 100.0;

/// One local epoch a round.
#[derive(Debug, Clone, Copy)]
pub(super) struct LocalSgd;

impl Algorithm for LocalSgd {
    fn name(&self) -> &str {
        "local-sgd"
    }

    fn support(&self, _loss: Loss) -> Support {
        Support::Approximate
    }

    fn costs(&self, loss: Loss) -> Costs {
        Costs::one_by_one(loss)
    }

    fn worker(&self, outline: &Outline, shard: Shard) -> Box<dyn Worker> {
        let longest = |i: usize| 1.0 / (outline.loss.curvature() * shard.row(i).norm_sq());
        let longest = (0..shard.len()).map(longest).collect();
        let (work, mean_weight) = (primal::pass(outline, &shard), shard.mean_weight());
        Box::new(LocalWorker { outline: *outline, shard, mean_weight, longest, work, visits: Vec::new() })
    }

    fn server(&self, outline: &Outline) -> Box<dyn Server> {
        Box::new(LocalServer { outline: *outline, sum: vec![0.0; outline.columns], epochs: 0.0 })
    }
}

struct LocalWorker {
    outline: Outline,
    shard: Shard,
    /// What a row of the shard counts for on average.
    mean_weight: f64,
    /// The longest step each row may ask for.
    longest: Vec<f64>,
    work: Work,
    visits: Vec<u32>,
}

impl Worker for LocalWorker {
    fn push(&mut self, order: &Order, shared: &[f64], _items: &mut [f64], push: &mut [f64]) -> Work {
        if order.task == Task::Evaluate {
            primal::push_evaluation(order, &self.outline, &self.shard, shared, push);
        } else {
            self.local_epoch(order, shared, push);
        }
        self.work
    }
}

impl LocalWorker {
    /// SGD in a fresh order on w = s·v, s a scalar and v in the push: the shrinking of every step then costs nothing.
    fn local_epoch(&mut self, order: &Order, w: &[f64], v: &mut [f64]) {
        let [share, epochs] = order.args[..] else { unreachable!("the server sends 1/m and its epochs") };
        let schedule = Schedule::new(&self.outline, share);
        self.visits.clear();
        self.visits.extend(0..self.shard.len() as u32);
        self.visits.shuffle(&mut keyed(self.shard.seed, Purpose::Visit, self.shard.worker, order.round));

        v.copy_from_slice(w);
        let mut s = 1.0;
        let mut t = epochs * self.shard.len() as f64;
        for i in self.shard.visit(&self.visits) {
            let (row, y) = (self.shard.row(i), self.shard.label(i));
            let step = schedule.at(t);
            let slope = self.outline.loss.slope(s * row.dot(v), y);
            s *= 1.0 - step * self.outline.penalty.l2;
            if slope != 0.0 {
                let step = (self.shard.weight(i) / self.mean_weight * step).min(self.longest[i]);
                row.axpy(-step * slope / s, v);
            }
            t += 1.0;
        }

        for (v, w) in v.iter_mut().zip(w) {
            *v = share * self.mean_weight * (s * *v - w);
        }
    }
}

/// The step by number of steps taken.
struct Schedule {
    first: f64,
    l2: f64,
    /// Steps until the square root matters.
    full: f64,
}

impl Schedule {
    fn new(outline: &Outline, share: f64) -> Self {
        let scale = outline.loss.curvature() * outline.mean_norm_sq + outline.penalty.l2;
        Self { first: 1.0 / scale.max(f64::MIN_POSITIVE), l2: outline.penalty.l2, full: FULL_STEPS / share }
    }

    /// Below 1/(2λ) from the first step on, so that shrinking never wipes w out.
    fn at(&self, t: f64) -> f64 {
        self.first / ((1.0 + t / self.full).sqrt() + self.first * self.l2 * (t + 1.0))
    }
}

struct LocalServer {
    outline: Outline,
    sum: Vec<f64>,
    epochs: f64,
}

impl Server for LocalServer {
    fn iterate(&mut self, on: &mut dyn Machines, shared: &mut [f64]) -> Result<Step> {
        let args = vec![1.0 / on.count() as f64, self.epochs];
        on.round(&Order::train(on, Task::Step, args), shared, &mut self.sum)?;
        primal::add(&self.sum, shared);
        self.epochs += 1.0;
        Ok(Step::Moved)
    }

    fn evaluate(&mut self, on: &mut dyn Machines, shared: &[f64]) -> Result<Evaluation> {
        primal::evaluate(&self.outline, on, shared)
    }

    fn state(&self) -> Vec<f64> {
        vec![self.epochs]
    }

    fn restore(&mut self, state: &[f64]) -> Result<()> {
        let [epochs] = state else { return Err(strange_state()) };
        self.epochs = *epochs;
        Ok(())
    }
}
