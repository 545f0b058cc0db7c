//! Splash (Zhang & Jordan 2015): every machine runs AdaGrad over its own rows as if each of them stood for m, so that
//! a local epoch imitates a pass over all the data; the reweighted ends are averaged, each by what its rows count for.
//!
//! The shared vector is w followed by AdaGrad's sums of squares G. The loss moves w by single rows; the regularizer
//! moves it at the end of the epoch in one implicit step, which no step size can make overshoot. A row that stands for
//! m would at first be thrown √m too far; as m small steps would, its step ends where its own loss does (the idea of
//! Karampatziakis & Langford 2011).

use rand::seq::SliceRandom;

use super::{Algorithm, Costs, Machines, Order, Server, Step, Support, Task, Work, Worker, primal};
use crate::Result;
use crate::data::Shard;
use crate::problem::{Evaluation, Loss, Outline};
use crate::rng::{Purpose, keyed};

/// Keeps the first step of a coordinate finite.
const FIRST_SQUARE: f64 = 1e-8;

/// One reweighted local epoch a round.
#[derive(Debug, Clone, Copy)]
pub(super) struct Splash;

impl Algorithm for Splash {
    fn name(&self) -> &str {
        "splash"
    }

    fn support(&self, _loss: Loss) -> Support {
        Support::Approximate
    }

    /// Every entry brings the whole of an AdaGrad step: a square, a root and a division.
    fn costs(&self, _loss: Loss) -> Costs {
        Costs { entry: 6.0, row: 45.0 }
    }

    fn shared(&self, outline: &Outline) -> Vec<f64> {
        let mut shared = vec![0.0; 2 * outline.columns];
        shared[outline.columns..].fill(FIRST_SQUARE);
        shared
    }

    fn worker(&self, outline: &Outline, shard: Shard) -> Box<dyn Worker> {
        let (work, mean_weight) = (primal::pass(outline, &shard), shard.mean_weight());
        Box::new(SplashWorker { outline: *outline, shard, mean_weight, work, visits: Vec::new() })
    }

    fn server(&self, outline: &Outline) -> Box<dyn Server> {
        Box::new(SplashServer { outline: *outline, sum: vec![0.0; 2 * outline.columns] })
    }
}

struct SplashWorker {
    outline: Outline,
    shard: Shard,
    /// What a row of the shard counts for on average.
    mean_weight: f64,
    work: Work,
    visits: Vec<u32>,
}

impl Worker for SplashWorker {
    fn push(&mut self, order: &Order, shared: &[f64], _items: &mut [f64], push: &mut [f64]) -> Work {
        match order.task {
            Task::Evaluate => {
                primal::push_evaluation(order, &self.outline, &self.shard, &shared[..self.outline.columns], push);
            }
            Task::Adopt => self.sum_squares(shared, push),
            Task::Step | Task::Probe => self.local_epoch(order, shared, push),
        }
        self.work
    }
}

impl SplashWorker {
    /// Σ sᵢgᵢ² at the model: what AdaGrad would remember of one pass there.
    fn sum_squares(&self, model: &[f64], push: &mut [f64]) {
        for i in 0..self.shard.len() {
            let row = self.shard.row(i);
            let slope = self.outline.loss.slope(row.dot(model), self.shard.label(i));
            for (j, x) in row.iter() {
                push[j as usize] += self.shard.weight(i) * slope * slope * x * x;
            }
        }
    }

    fn local_epoch(&mut self, order: &Order, shared: &[f64], push: &mut [f64]) {
        let [weight] = order.args[..] else { unreachable!("the server sends m") };
        self.visits.clear();
        self.visits.extend(0..self.shard.len() as u32);
        self.visits.shuffle(&mut keyed(self.shard.seed, Purpose::Visit, self.shard.worker, order.round));

        push.copy_from_slice(shared);
        let (w, squares) = push.split_at_mut(self.outline.columns);
        // AdaGrad's step is a length in w; 1/‖x‖ moves a margin by about one.
        let step = weight / self.outline.mean_norm_sq.max(f64::MIN_POSITIVE).sqrt();
        for i in self.shard.visit(&self.visits) {
            let s = self.shard.weight(i) / self.mean_weight;
            self.visit(i, s * weight, s * step, w, squares);
        }
        let pull = step * self.shard.len() as f64 * self.outline.penalty.l2;
        for (w, square) in w.iter_mut().zip(squares.iter()) {
            *w /= 1.0 + pull / square.sqrt();
        }

        for (new, old) in push.iter_mut().zip(shared) {
            *new = self.mean_weight * (*new - old) / weight;
        }
    }

    /// One AdaGrad step on one row that stands for `weight` of them, no longer than brings its slope to zero.
    fn visit(&self, i: usize, weight: f64, step: f64, w: &mut [f64], squares: &mut [f64]) {
        let (row, loss) = (self.shard.row(i), self.outline.loss);
        let slope = loss.slope(row.dot(w), self.shard.label(i));
        if slope == 0.0 {
            return;
        }
        // How far a step of 1 moves the row's own prediction, for each unit of slope.
        let mut reach = 0.0;
        for (j, x) in row.iter() {
            let square = &mut squares[j as usize];
            *square += weight * slope * slope * x * x;
            reach += x * x / square.sqrt();
        }
        let step = step.min(1.0 / (loss.curvature() * reach));
        for (j, x) in row.iter() {
            w[j as usize] -= step * slope * x / squares[j as usize].sqrt();
        }
    }
}

struct SplashServer {
    outline: Outline,
    sum: Vec<f64>,
}

impl Server for SplashServer {
    fn iterate(&mut self, on: &mut dyn Machines, shared: &mut [f64]) -> Result<Step> {
        on.round(&Order::train(on, Task::Step, vec![on.count() as f64]), shared, &mut self.sum)?;
        primal::add(&self.sum, shared);
        Ok(Step::Moved)
    }

    /// Begins with the squares of a pass at the model: with none, AdaGrad's first steps would throw it away.
    fn adopt(&mut self, on: &mut dyn Machines, model: &[f64], shared: &mut [f64]) -> Result<()> {
        let (w, squares) = shared.split_at_mut(self.outline.columns);
        on.round(&Order::train(on, Task::Adopt, Vec::new()), model, squares)?;
        squares.iter_mut().for_each(|s| *s += FIRST_SQUARE);
        w.copy_from_slice(model);
        Ok(())
    }

    fn evaluate(&mut self, on: &mut dyn Machines, shared: &[f64]) -> Result<Evaluation> {
        primal::evaluate(&self.outline, on, shared)
    }
}
