//! Consensus ADMM (Boyd et al. 2011, §8.2): every machine finds the model x_k that suits its own rows and stays near the
//! shared z, and z becomes the regularized mean of what they found.
//!
//! A machine's multiplier is u_k = (1/ρ) Σ sᵢαᵢxᵢ over its rows, αᵢ being the dual variables of its local problem (for each
//! unit of weight, see `dual`): kept as one number a row it moves with the rows, and a new ρ changes nothing. The local problem is solved by passes of dual
//! coordinate steps that go on where the last round's ended: x_k = z + (1/ρ) Σ sᵢ(αᵢ − αᵢ′)xᵢ. ρ is balanced so that
//! consensus and z settle at one pace (Wohlberg 2017).

use rand::seq::SliceRandom;

use super::{Algorithm, Costs, Machines, Order, Server, Step, Support, Task, Work, Worker, primal, strange_state};
use crate::Result;
use crate::data::Shard;
use crate::data::matrix::dot;
use crate::problem::{Evaluation, Loss, Outline, Penalty};
use crate::rng::{Purpose, keyed};

/// Passes over the rows in a round, beside the one that sums u_k.
const PASSES: u64 = 2;
/// ρ is changed by this factor where one residual is so many times the other.
const BALANCE: f64 = 2.0;
const UNEVEN: f64 = 3.0;
/// Rounds between two changes, and how much more there are with each: only a ρ that settles is sure to converge.
const WAIT: f64 = 2.0;
const LONGER: f64 = 1.3;

/// Consensus by the alternating direction method of multipliers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Admm;

impl Algorithm for Admm {
    fn name(&self) -> &str {
        "admm"
    }

    fn support(&self, _loss: Loss) -> Support {
        Support::Exact
    }

    fn outdone_by(&self, _loss: Loss, penalty: &Penalty) -> Option<&'static str> {
        (penalty.l1 == 0.0).then_some("cocoa+")
    }

    fn passes(&self, _entries: f64) -> f64 {
        (PASSES + 1) as f64
    }

    fn costs(&self, loss: Loss) -> Costs {
        Costs::one_by_one(loss)
    }

    fn takes_l1(&self) -> bool {
        true
    }

    fn width(&self) -> usize {
        1
    }

    fn worker(&self, outline: &Outline, shard: Shard) -> Box<dyn Worker> {
        let work = primal::pass(outline, &shard);
        Box::new(AdmmWorker { outline: *outline, shard, work, visits: Vec::new() })
    }

    fn server(&self, outline: &Outline) -> Box<dyn Server> {
        Box::new(AdmmServer::new(outline))
    }
}

/// Behind Σ (x_k − z + u_k): Σ‖x_k − z‖² and Σ‖u_k‖².
const TERMS: usize = 2;

struct AdmmWorker {
    outline: Outline,
    shard: Shard,
    work: Work,
    visits: Vec<u32>,
}

impl Worker for AdmmWorker {
    fn push(&mut self, order: &Order, shared: &[f64], alpha: &mut [f64], push: &mut [f64]) -> Work {
        match order.task {
            // Its own multipliers are a far better dual point than z's slopes, above all where φ has corners.
            Task::Evaluate => {
                let t = order.args[0];
                primal::push_evaluation_at(&self.outline, &self.shard, shared, push, |i, _, _| t * alpha[i]);
            }
            Task::Adopt => self.adopt(shared, alpha),
            Task::Step | Task::Probe => {
                self.push_local_solution(order, shared, alpha, push);
                return Work { rows: (PASSES + 1) * self.work.rows, entries: (PASSES + 1) * self.work.entries };
            }
        }
        self.work
    }
}

impl AdmmWorker {
    fn push_local_solution(&mut self, order: &Order, z: &[f64], alpha: &mut [f64], push: &mut [f64]) {
        let scale = 1.0 / order.args[0];
        let (x, terms) = push.split_at_mut(self.outline.columns);
        x.copy_from_slice(z);
        self.visits.clear();
        self.visits.extend(0..self.shard.len() as u32);
        let mut rng = keyed(self.shard.seed, Purpose::Visit, self.shard.worker, order.round);
        for _ in 0..PASSES {
            self.visits.shuffle(&mut rng);
            self.pass(scale, alpha, x);
        }
        let mut multiplier = vec![0.0; x.len()];
        for (i, alpha) in alpha.iter().enumerate() {
            self.shard.row(i).axpy(scale * self.shard.weight(i) * alpha, &mut multiplier);
        }
        x.iter_mut().zip(z).for_each(|(x, z)| *x -= z);
        terms[0] = dot(x, x);
        terms[1] = dot(&multiplier, &multiplier);
        primal::add(&multiplier, x);
    }

    /// One pass of exact dual coordinate steps for Σ sᵢφ(xᵢ·x) + (ρ/2)‖x − z + u_k‖².
    fn pass(&self, scale: f64, alpha: &mut [f64], x: &mut [f64]) {
        for i in self.shard.visit(&self.visits) {
            let row = self.shard.row(i);
            let scale = scale * self.shard.weight(i);
            let q = scale * row.norm_sq();
            let next = self.outline.loss.dual_step(alpha[i], self.shard.label(i), row.dot(x), q);
            row.axpy(scale * (next - alpha[i]), x);
            alpha[i] = next;
        }
    }

    fn adopt(&self, w: &[f64], alpha: &mut [f64]) {
        for (i, alpha) in alpha.iter_mut().enumerate() {
            *alpha = self.outline.loss.dual_of(self.shard.row(i).dot(w), self.shard.label(i));
        }
    }
}

struct AdmmServer {
    outline: Outline,
    /// ρ; 0 before the first round.
    rho: f64,
    /// Rounds that ρ is kept for, and how many of them remain.
    wait: f64,
    left: f64,
    sum: Vec<f64>,
}

impl AdmmServer {
    fn new(outline: &Outline) -> Self {
        Self { outline: *outline, rho: 0.0, wait: WAIT, left: WAIT, sum: vec![0.0; outline.columns + TERMS] }
    }

    /// About what the rows of one machine bend the local problem by.
    fn first_rho(&self, machines: usize) -> f64 {
        let Outline { rows, columns, loss, mean_norm_sq, penalty, .. } = self.outline;
        let bend = loss.curvature() * mean_norm_sq / columns as f64 + penalty.l2;
        (bend * rows as f64 / machines as f64).max(f64::MIN_POSITIVE)
    }

    /// ρ for the next round, `moved` being ‖z − z′‖² and `size` ‖z‖²: relative residuals of consensus and of z.
    fn balance(&mut self, machines: f64, moved: f64, size: f64) {
        let [apart, multipliers] = self.sum[self.outline.columns..] else { unreachable!("the sum ends in its terms") };
        let consensus = (apart / (machines * size).max(f64::MIN_POSITIVE)).sqrt();
        let settling = (machines * moved / multipliers.max(f64::MIN_POSITIVE)).sqrt();
        self.left -= 1.0;
        let uneven = consensus > UNEVEN * settling || settling > UNEVEN * consensus;
        if self.left <= 0.0 && uneven {
            self.rho *= if consensus > settling { BALANCE } else { 1.0 / BALANCE };
            self.wait *= LONGER;
            self.left = self.wait;
        }
    }
}

impl Server for AdmmServer {
    fn iterate(&mut self, on: &mut dyn Machines, shared: &mut [f64]) -> Result<Step> {
        let machines = on.count() as f64;
        if self.rho == 0.0 {
            self.rho = self.first_rho(on.count());
        }
        on.round(&Order::train(on, Task::Step, vec![self.rho]), shared, &mut self.sum)?;
        let closeness = machines * self.rho / self.outline.rows as f64;
        let mut moved = 0.0;
        for (z, sum) in shared.iter_mut().zip(&self.sum) {
            let next = self.outline.penalty.prox(*z + sum / machines, closeness);
            moved += (next - *z).powi(2);
            *z = next;
        }
        self.balance(machines, moved, dot(shared, shared));
        Ok(Step::Moved)
    }

    /// z is the model, and α what would be right if the model were.
    fn adopt(&mut self, on: &mut dyn Machines, model: &[f64], shared: &mut [f64]) -> Result<()> {
        shared.copy_from_slice(model);
        *self = Self::new(&self.outline);
        on.round(&Order::train(on, Task::Adopt, Vec::new()), model, &mut self.sum)?;
        Ok(())
    }

    fn evaluate(&mut self, on: &mut dyn Machines, shared: &[f64]) -> Result<Evaluation> {
        primal::evaluate(&self.outline, on, shared)
    }

    fn state(&self) -> Vec<f64> {
        vec![self.rho, self.wait, self.left]
    }

    fn restore(&mut self, state: &[f64]) -> Result<()> {
        let [rho, wait, left] = state else { return Err(strange_state()) };
        (self.rho, self.wait, self.left) = (*rho, *wait, *left);
        Ok(())
    }
}
