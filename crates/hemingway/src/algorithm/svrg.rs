//! SVRG on several machines (Johnson & Zhang 2013; Konečný et al. 2016): one round for ∇P at the anchor w, and one in
//! which every machine takes a pass of stochastic steps whose gradients are corrected by it, sᵢ(φ′(xᵢ·w′) − φ′(xᵢ·w)) on top
//! of ∇P(w); the changes are averaged. On one machine it is SVRG itself.
//!
//! P at the next anchor comes with ∇P there, and a step after which P is not lower is taken back and halved: no step size
//! needs tuning. Row i's number is its prediction xᵢ·w at the anchor.

use rand::seq::SliceRandom;

use super::{Algorithm, Machines, Order, Server, Step, Support, Task, Work, Worker, primal, strange_state};
use crate::Result;
use crate::data::{Row, Shard};
use crate::problem::{Evaluation, Loss, Outline, Penalty};
use crate::rng::{Purpose, keyed};

/// What becomes of the step size after an epoch that helped, and after one that did not.
const BOLDER: f64 = 1.2;
const MORE_CAREFUL: f64 = 0.5;
/// After so many epochs taken back in a row nothing moves at working precision.
const REFUSALS: u32 = 40;

/// Stochastic variance-reduced gradients.
#[derive(Debug, Clone, Copy)]
pub(super) struct Svrg;

impl Algorithm for Svrg {
    fn name(&self) -> &str {
        "svrg"
    }

    fn support(&self, loss: Loss) -> Support {
        if loss.is_smooth() { Support::Exact } else { Support::No }
    }

    fn outdone_by(&self, _loss: Loss, _penalty: &Penalty) -> Option<&'static str> {
        Some("lbfgs")
    }

    fn width(&self) -> usize {
        1
    }

    fn worker(&self, outline: &Outline, shard: Shard) -> Box<dyn Worker> {
        let work = primal::pass(outline, &shard);
        Box::new(SvrgWorker { outline: *outline, shard, work, visits: Vec::new() })
    }

    fn server(&self, outline: &Outline) -> Box<dyn Server> {
        Box::new(SvrgServer::new(outline))
    }
}

struct SvrgWorker {
    outline: Outline,
    shard: Shard,
    work: Work,
    visits: Vec<u32>,
}

impl Worker for SvrgWorker {
    fn push(&mut self, order: &Order, shared: &[f64], anchored: &mut [f64], push: &mut [f64]) -> Work {
        match order.task {
            Task::Evaluate => primal::push_evaluation(order, &self.outline, &self.shard, shared, push),
            Task::Probe | Task::Adopt => {
                let note = |block: primal::Looked<'_>| anchored[block.rows].copy_from_slice(block.predictions);
                primal::push_gradient_noting(&self.outline, &self.shard, shared, push, note);
            }
            Task::Step => self.push_epoch(order, shared, anchored, push),
        }
        self.work
    }
}

impl SvrgWorker {
    /// Its share of the mean change after a pass of corrected steps. With u = w′ − w every step is
    /// u ← (1 − ηλ₂)u − η∇P(w) − ηsᵢ(φ′(xᵢ·w′) − φ′(xᵢ·w))xᵢ; columns that a row does not hold catch up when they are
    /// next needed.
    fn push_epoch(&mut self, order: &Order, slope: &[f64], anchored: &[f64], u: &mut [f64]) {
        let Outline { rows, loss, penalty, .. } = self.outline;
        let eta = order.args[0];
        self.visits.clear();
        self.visits.extend(0..self.shard.len() as u32);
        self.visits.shuffle(&mut keyed(self.shard.seed, Purpose::Visit, self.shard.worker, order.round));
        let mut drift = Drift { keep: 1.0 - eta * penalty.l2, eta, slope, seen: vec![0; u.len()] };
        for (step, i) in (0..).zip(self.shard.visit(&self.visits)) {
            let (row, y) = (self.shard.row(i), self.shard.label(i));
            drift.catch_up(row, step, u);
            let z = anchored[i];
            let turn = loss.slope(z + row.dot(u), y) - loss.slope(z, y);
            // Damped as an implicit step would be, so that one long row cannot carry the model away.
            let eta = eta * self.shard.weight(i);
            row.axpy(-eta * turn / (1.0 + eta * loss.curvature() * row.norm_sq()), u);
        }
        let share = self.shard.len() as f64 / rows as f64;
        for (j, u) in u.iter_mut().enumerate() {
            *u = share * drift.after(j, self.shard.len() as u32, *u);
        }
    }
}

/// What every step does to every column, done late.
struct Drift<'a> {
    keep: f64,
    eta: f64,
    slope: &'a [f64],
    /// Steps each column has seen.
    seen: Vec<u32>,
}

impl Drift<'_> {
    /// uⱼ after all steps before `step`.
    fn after(&self, j: usize, step: u32, u: f64) -> f64 {
        let late = step - self.seen[j];
        if late == 0 {
            return u;
        }
        let kept = self.keep.powi(late as i32);
        let lost = if self.keep == 1.0 { f64::from(late) } else { (1.0 - kept) / (1.0 - self.keep) };
        kept * u - self.eta * lost * self.slope[j]
    }

    /// Brings the columns of a row to the moment after `step`'s own drift.
    fn catch_up(&mut self, row: Row<'_>, step: u32, u: &mut [f64]) {
        for (j, _) in row.iter() {
            let j = j as usize;
            u[j] = self.after(j, step + 1, u[j]);
            self.seen[j] = step + 1;
        }
    }
}

struct SvrgServer {
    outline: Outline,
    /// η.
    step: f64,
    /// P at the last anchor, and the anchor.
    anchor: Option<(f64, Vec<f64>)>,
    refusals: u32,
    sum: Vec<f64>,
}

impl SvrgServer {
    fn new(outline: &Outline) -> Self {
        let smoothness = outline.loss.curvature() * outline.mean_norm_sq + outline.penalty.l2;
        Self {
            outline: *outline,
            step: 0.5 / smoothness.max(f64::MIN_POSITIVE),
            anchor: None,
            refusals: 0,
            sum: vec![0.0; outline.columns],
        }
    }

    /// Goes back to the last anchor if P is not lower here; P and ∇P from where to go on.
    fn settle(&mut self, on: &mut dyn Machines, shared: &mut [f64]) -> Result<(f64, Vec<f64>)> {
        let here = look(&self.outline, on, shared)?;
        let Some((value, anchor)) = &self.anchor else { return Ok(here) };
        // Written so that a NaN is taken back.
        if here.0 < *value {
            self.step *= BOLDER;
            self.refusals = 0;
            return Ok(here);
        }
        self.step *= MORE_CAREFUL;
        self.refusals += 1;
        shared.copy_from_slice(anchor);
        look(&self.outline, on, shared)
    }
}

impl Server for SvrgServer {
    fn iterate(&mut self, on: &mut dyn Machines, shared: &mut [f64]) -> Result<Step> {
        let (value, gradient) = self.settle(on, shared)?;
        on.round(&Order::train(on, Task::Step, vec![self.step]), &gradient, &mut self.sum)?;
        self.anchor = Some((value, shared.to_vec()));
        primal::add(&self.sum, shared);
        Ok(if self.refusals < REFUSALS { Step::Moved } else { Step::Stalled })
    }

    fn adopt(&mut self, _on: &mut dyn Machines, model: &[f64], shared: &mut [f64]) -> Result<()> {
        shared.copy_from_slice(model);
        *self = Self::new(&self.outline);
        Ok(())
    }

    fn evaluate(&mut self, on: &mut dyn Machines, shared: &[f64]) -> Result<Evaluation> {
        primal::evaluate(&self.outline, on, shared)
    }

    /// [η, refusals, P, w], the last two of the anchor, once there is one.
    fn state(&self) -> Vec<f64> {
        [self.step, f64::from(self.refusals)].into_iter().chain(state_of(self.anchor.as_ref())).collect()
    }

    fn restore(&mut self, state: &[f64]) -> Result<()> {
        let [step, refusals, anchor @ ..] = state else { return Err(strange_state()) };
        self.anchor = restored(anchor, self.outline.columns)?;
        (self.step, self.refusals) = (*step, *refusals as u32);
        Ok(())
    }
}

/// P(w) − λ₁‖w‖₁ and its gradient in one round.
fn look(outline: &Outline, on: &mut dyn Machines, w: &[f64]) -> Result<(f64, Vec<f64>)> {
    let mut sum = vec![0.0; outline.columns + 1];
    on.round(&Order::train(on, Task::Probe, Vec::new()), w, &mut sum)?;
    let value = primal::fold_gradient(outline, w, &mut sum);
    sum.truncate(outline.columns);
    Ok((value, sum))
}

/// A value and a vector as the end of a server's state, where there are any.
fn state_of(known: Option<&(f64, Vec<f64>)>) -> impl Iterator<Item = f64> + '_ {
    known.into_iter().flat_map(|(value, vector)| std::iter::once(*value).chain(vector.iter().copied()))
}

/// What [`state_of`] gave; nothing else is taken.
fn restored(state: &[f64], columns: usize) -> Result<Option<(f64, Vec<f64>)>> {
    match state {
        [] => Ok(None),
        [value, vector @ ..] if vector.len() == columns => Ok(Some((*value, vector.to_vec()))),
        _ => Err(strange_state()),
    }
}
