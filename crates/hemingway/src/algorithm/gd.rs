//! Full gradient descent with Nesterov's acceleration, backtracking line search and restarts (Beck & Teboulle 2009,
//! FISTA with backtracking; O'Donoghue & Candès 2015, restart by function value). λ₁‖w‖₁ is met by proximal steps. Its
//! iterates do not depend on m.

use super::{Algorithm, Machines, Order, Server, Step, Support, Task, Work, Worker, primal, strange_state};
use crate::Result;
use crate::data::Shard;
use crate::problem::{Evaluation, Loss, Outline, Penalty, Scheme, shrunk};

/// After this many halvings the step is below working precision.
const HALVINGS: usize = 60;

/// How often the first step may be made four times as long.
const LENGTHENINGS: usize = 10;

/// How boldly the step grows after one that was accepted at once.
const GROWTH: f64 = 1.2;

/// Accelerated gradient descent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gd;

impl Algorithm for Gd {
    fn name(&self) -> &str {
        "gd"
    }

    fn outdone_by(&self, _loss: Loss, _penalty: &Penalty) -> Option<&'static str> {
        Some("lbfgs")
    }

    fn paced_by_rows(&self) -> bool {
        false
    }

    fn same_on_any(&self) -> bool {
        true
    }

    fn takes_l1(&self) -> bool {
        true
    }

    fn support(&self, loss: Loss) -> Support {
        if loss.is_smooth() { Support::Exact } else { Support::No }
    }

    fn takes_classes(&self, _scheme: Scheme) -> bool {
        true
    }

    fn worker(&self, outline: &Outline, shard: Shard) -> Box<dyn Worker> {
        Box::new(GradientWorker::new(outline, shard))
    }

    fn server(&self, outline: &Outline) -> Box<dyn Server> {
        Box::new(GdServer::new(outline))
    }
}

/// Sums gradients and values over its shard; L-BFGS uses it too.
pub(super) struct GradientWorker {
    outline: Outline,
    shard: Shard,
    work: Work,
}

impl GradientWorker {
    pub(super) fn new(outline: &Outline, shard: Shard) -> Self {
        let work = primal::pass(outline, &shard);
        Self { outline: *outline, shard, work }
    }
}

impl Worker for GradientWorker {
    fn push(&mut self, order: &Order, shared: &[f64], _items: &mut [f64], push: &mut [f64]) -> Work {
        match order.task {
            Task::Evaluate => primal::push_evaluation(order, &self.outline, &self.shard, shared, push),
            Task::Probe => primal::push_value(&self.outline, &self.shard, shared, push),
            Task::Step | Task::Adopt => primal::push_gradient(&self.outline, &self.shard, shared, push),
        }
        self.work
    }
}

/// P − λ₁‖·‖₁ and its gradient at a point, in one round; the gradient is left in `sum[..d]`.
pub(super) fn gradient(outline: &Outline, on: &mut dyn Machines, at: &[f64], sum: &mut [f64]) -> Result<f64> {
    on.round(&Order::train(on, Task::Step, Vec::new()), at, sum)?;
    Ok(primal::fold_gradient(outline, at, sum))
}

struct GdServer {
    outline: Outline,
    /// η.
    step: f64,
    /// Nesterov's tₖ; 1 means no momentum.
    momentum: f64,
    /// P(w) when last known; at first a number above any, but one that JSON can hold.
    value: f64,
    previous: Vec<f64>,
    sum: Vec<f64>,
}

impl GdServer {
    fn new(outline: &Outline) -> Self {
        let smoothness = outline.curvature() * outline.mean_norm_sq + outline.penalty.l2;
        Self {
            outline: *outline,
            step: 1.0 / smoothness.max(f64::MIN_POSITIVE),
            momentum: 1.0,
            value: f64::MAX,
            previous: vec![0.0; outline.coefficients()],
            sum: vec![0.0; outline.coefficients() + 1],
        }
    }

    /// P − λ₁‖·‖₁.
    fn smooth_at(&self, on: &mut dyn Machines, w: &[f64]) -> Result<f64> {
        let mut sum = [0.0];
        on.round(&Order::train(on, Task::Probe, Vec::new()), w, &mut sum)?;
        Ok(sum[0] / self.outline.rows as f64 + self.outline.penalty.ridge(w))
    }

    /// The proximal step from a point, and what a smooth function of curvature 1/`step` gains by it at least.
    fn proximal(&self, from: &[f64], slope: &[f64], step: f64) -> (Vec<f64>, f64) {
        let to: Vec<f64> =
            from.iter().zip(slope).map(|(y, g)| shrunk(y - step * g, step * self.outline.penalty.l1)).collect();
        let moves = || to.iter().zip(from).map(|(to, from)| to - from);
        let along: f64 = moves().zip(slope).map(|(by, g)| by * g).sum();
        let length: f64 = moves().map(|by| by * by).sum();
        (to, -along - 0.5 * length / step)
    }

    /// Before the first step: the first guess of it may be too short by the number of columns, so it is made longer as
    /// long as it descends as it should.
    fn lengthened(&self, on: &mut dyn Machines, from: &[f64], value: f64, slope: &[f64]) -> Result<f64> {
        let mut step = self.step;
        for _ in 0..LENGTHENINGS {
            let (trial, gain) = self.proximal(from, slope, 4.0 * step);
            // Written so that a NaN ends it.
            let descends = self.smooth_at(on, &trial)? < value - gain;
            if !descends {
                break;
            }
            step *= 4.0;
        }
        Ok(step)
    }
}

impl Server for GdServer {
    /// A round may be refused before it begins: nothing is changed until all are over.
    fn iterate(&mut self, on: &mut dyn Machines, shared: &mut [f64]) -> Result<Step> {
        let next_momentum = 0.5 * (1.0 + (1.0 + 4.0 * self.momentum * self.momentum).sqrt());
        let carry = (self.momentum - 1.0) / next_momentum;
        let ahead: Vec<f64> = shared.iter().zip(&self.previous).map(|(w, p)| w + carry * (w - p)).collect();
        let value_ahead = gradient(&self.outline, on, &ahead, &mut self.sum)?;
        let slope = self.sum[..self.outline.coefficients()].to_vec();
        let is_first = self.value == f64::MAX;
        let mut step = if is_first { self.lengthened(on, &ahead, value_ahead, &slope)? } else { self.step };

        for halvings in 0..HALVINGS {
            let (trial, gain) = self.proximal(&ahead, &slope, step);
            let smooth = self.smooth_at(on, &trial)?;
            let rounding = 1e-15 * value_ahead.abs();
            // Written so that a NaN is no descent.
            let descends = smooth <= value_ahead - gain + rounding;
            if !descends {
                step *= 0.5;
                continue;
            }
            self.step = step;
            let value = smooth + self.outline.penalty.lasso(&trial);
            if value > self.value && carry > 0.0 {
                self.momentum = 1.0;
                return Ok(Step::Moved);
            }
            let stalled = value >= self.value && carry == 0.0;
            self.previous.copy_from_slice(shared);
            shared.copy_from_slice(&trial);
            self.value = value;
            self.momentum = next_momentum;
            if halvings == 0 {
                self.step *= GROWTH;
            }
            return Ok(if stalled { Step::Stalled } else { Step::Moved });
        }
        self.step = step;
        Ok(Step::Stalled)
    }

    fn adopt(&mut self, _on: &mut dyn Machines, model: &[f64], shared: &mut [f64]) -> Result<()> {
        shared.copy_from_slice(model);
        *self = Self::new(&self.outline);
        self.previous.copy_from_slice(model);
        Ok(())
    }

    fn evaluate(&mut self, on: &mut dyn Machines, shared: &[f64]) -> Result<Evaluation> {
        primal::evaluate(&self.outline, on, shared)
    }

    fn state(&self) -> Vec<f64> {
        let mut state = vec![self.step, self.momentum, self.value];
        state.extend_from_slice(&self.previous);
        state
    }

    fn restore(&mut self, state: &[f64]) -> Result<()> {
        let [step, momentum, value, previous @ ..] = state else { return Err(strange_state()) };
        if previous.len() != self.previous.len() {
            return Err(strange_state());
        }
        (self.step, self.momentum, self.value) = (*step, *momentum, *value);
        self.previous.copy_from_slice(previous);
        Ok(())
    }
}
