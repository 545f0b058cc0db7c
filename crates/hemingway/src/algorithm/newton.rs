//! Truncated Newton within a trust region, as distributed LIBLINEAR (Lin, Weng & Keerthi 2008; Zhuang et al. 2015): an
//! iteration is one round for every product with the Hessian that conjugate gradients ask for, and one for P and ∇P
//! where they lead. Its iterates do not depend on m.
//!
//! Row i's number is φ″(xᵢ·w), so that a product needs one look at the row's entries and none at w.

use super::{Algorithm, Machines, Order, Server, Step, Support, Task, Work, Worker, primal, strange_state};
use crate::Result;
use crate::data::Shard;
use crate::data::matrix::{axpy, dot};
use crate::problem::{Evaluation, Loss, Outline};

/// Conjugate gradients end where the residual is this share of the gradient …
const FORCING: f64 = 0.1;
/// … or after so many products.
const PRODUCTS: usize = 250;
/// What part of the promised decrease a step must keep to be taken, to let the region be, and to let it grow.
const TAKEN: f64 = 1e-4;
const FAIR: f64 = 0.25;
const GOOD: f64 = 0.75;
/// By how much the region shrinks at most, at least, and grows at most.
const SHRINK: (f64, f64) = (0.25, 0.5);
const GROW: f64 = 4.0;
/// The least curvature believed in at first, as a share of the largest.
const FLATTEST: f64 = 1e-4;
/// After so many steps refused in a row nothing moves at working precision.
const REFUSALS: u32 = 30;

/// Truncated Newton.
#[derive(Debug, Clone, Copy)]
pub(super) struct Newton;

impl Algorithm for Newton {
    fn name(&self) -> &'static str {
        "newton"
    }

    fn paced_by_rows(&self) -> bool {
        false
    }

    fn support(&self, loss: Loss) -> Support {
        if loss.is_smooth() { Support::Exact } else { Support::No }
    }

    fn width(&self) -> usize {
        1
    }

    fn worker(&self, outline: &Outline, shard: Shard) -> Box<dyn Worker> {
        let work = primal::pass(&shard);
        Box::new(NewtonWorker { outline: *outline, shard, work })
    }

    fn server(&self, outline: &Outline) -> Box<dyn Server> {
        Box::new(NewtonServer::new(outline))
    }
}

struct NewtonWorker {
    outline: Outline,
    shard: Shard,
    work: Work,
}

impl Worker for NewtonWorker {
    fn push(&mut self, order: &Order, shared: &[f64], bends: &mut [f64], push: &mut [f64]) -> Work {
        match order.task {
            Task::Evaluate => primal::push_evaluation(order, &self.outline, &self.shard, shared, push),
            Task::Step => self.push_product(shared, bends, push),
            Task::Probe | Task::Adopt => {
                let note = |i: usize, z, y| bends[i] = self.outline.loss.bend(z, y);
                primal::push_gradient_noting(&self.outline, &self.shard, shared, push, note);
            }
        }
        self.work
    }
}

impl NewtonWorker {
    /// Σ φ″ᵢ (xᵢ·p) xᵢ.
    fn push_product(&self, p: &[f64], bends: &[f64], push: &mut [f64]) {
        for (i, bend) in bends.iter().enumerate().filter(|(_, bend)| **bend != 0.0) {
            let row = self.shard.row(i);
            row.axpy(bend * row.dot(p), push);
        }
    }
}

struct NewtonServer {
    outline: Outline,
    /// P(w) and ∇P(w), where the rows' φ″ are of this w.
    here: Option<(f64, Vec<f64>)>,
    /// Radius of the region in which the parabola is believed; 0 before the first step.
    radius: f64,
    refusals: u32,
    sum: Vec<f64>,
}

impl NewtonServer {
    fn new(outline: &Outline) -> Self {
        Self { outline: *outline, here: None, radius: 0.0, refusals: 0, sum: vec![0.0; outline.columns] }
    }

    /// What P bends by at least, as far as one knows; not so little that the first region is without end.
    fn least_bend(&self) -> f64 {
        let most = self.outline.loss.curvature() * self.outline.mean_norm_sq + self.outline.penalty.l2;
        self.outline.penalty.l2.max(FLATTEST * most).max(f64::MIN_POSITIVE)
    }

    /// ∇²P·p into `self.sum`.
    fn product(&mut self, on: &mut dyn Machines, p: &[f64]) -> Result<()> {
        on.round(&Order::train(on, Task::Step, Vec::new()), p, &mut self.sum)?;
        let n = self.outline.rows as f64;
        for (h, p) in self.sum.iter_mut().zip(p) {
            *h = *h / n + self.outline.penalty.l2 * p;
        }
        Ok(())
    }

    /// Steihaug's conjugate gradients: a step s within the region, and the residual −∇P − ∇²P·s.
    fn step(&mut self, on: &mut dyn Machines, gradient: &[f64]) -> Result<(Vec<f64>, Vec<f64>)> {
        let mut s = vec![0.0; gradient.len()];
        let mut r: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let mut p = r.clone();
        let mut r_sq = dot(&r, &r);
        let enough = FORCING * FORCING * r_sq;
        for _ in 0..PRODUCTS {
            if r_sq <= enough {
                break;
            }
            self.product(on, &p)?;
            let bend = dot(&p, &self.sum);
            let t = r_sq / bend;
            let room = to_the_edge(&s, &p, self.radius);
            // Written so that a flat direction, along which t is no number, goes to the edge.
            let inside = bend > 0.0 && t < room;
            let t = if inside { t } else { room };
            axpy(t, &p, &mut s);
            axpy(-t, &self.sum, &mut r);
            if !inside {
                break;
            }
            let next = dot(&r, &r);
            let carry = next / r_sq;
            p.iter_mut().zip(&r).for_each(|(p, r)| *p = r + carry * *p);
            r_sq = next;
        }
        Ok((s, r))
    }

    /// The region after a step of this length that kept so much of its promise; `slope` is ∇P·s, `fell` what P fell by.
    fn resize(&mut self, length: f64, kept: f64, slope: f64, fell: f64) {
        // The step at which the parabola through both ends is lowest.
        let lowest = if -fell - slope <= 0.0 { GROW } else { (0.5 * slope / (slope + fell)).max(SHRINK.0) };
        let (low, high) = match kept {
            kept if kept < TAKEN => (SHRINK.0 * self.radius.min(length), SHRINK.1 * self.radius),
            kept if kept < FAIR => (SHRINK.0 * self.radius, SHRINK.1 * self.radius),
            kept if kept < GOOD => (SHRINK.0 * self.radius, GROW * self.radius),
            _ => (self.radius, GROW * self.radius),
        };
        self.radius = (lowest * length).clamp(low.min(high), high);
    }
}

/// The t ≥ 0 with ‖s + t·p‖ = `radius`.
fn to_the_edge(s: &[f64], p: &[f64], radius: f64) -> f64 {
    let (ss, sp, pp) = (dot(s, s), dot(s, p), dot(p, p));
    let room = (radius * radius - ss).max(0.0);
    let root = (sp * sp + pp * room).sqrt();
    // Of the two ways to write it, the one that does not cancel.
    if sp >= 0.0 { room / (sp + root).max(f64::MIN_POSITIVE) } else { (root - sp) / pp }
}

impl Server for NewtonServer {
    fn iterate(&mut self, on: &mut dyn Machines, shared: &mut [f64]) -> Result<Step> {
        if self.here.is_none() {
            self.here = Some(primal::look(&self.outline, on, shared)?);
        }
        let Some((value, gradient)) = self.here.clone() else { return Ok(Step::Stalled) };
        let first = self.radius == 0.0;
        if first {
            self.radius = dot(&gradient, &gradient).sqrt() / self.least_bend();
        }
        let (s, r) = self.step(on, &gradient)?;
        let (slope, length) = (dot(&gradient, &s), dot(&s, &s).sqrt());
        let promised = -0.5 * (slope - dot(&s, &r));
        let mut trial = shared.to_vec();
        axpy(1.0, &s, &mut trial);
        // From here on the rows' φ″ are the trial's.
        self.here = None;
        let there = primal::look(&self.outline, on, &trial)?;
        let fell = value - there.0;
        if first {
            self.radius = self.radius.min(length);
        }
        // Written so that a NaN is refused.
        let kept = if fell.is_finite() { fell / promised } else { f64::NEG_INFINITY };
        self.resize(length, kept, slope, if fell.is_finite() { fell } else { slope });
        if kept > TAKEN {
            shared.copy_from_slice(&trial);
            self.here = Some(there);
            self.refusals = 0;
            return Ok(Step::Moved);
        }
        self.refusals += 1;
        // A promise that is no number or none at all cannot be kept.
        let hopeful = promised > 0.0 && self.refusals < REFUSALS;
        Ok(if hopeful { Step::Moved } else { Step::Stalled })
    }

    fn adopt(&mut self, _on: &mut dyn Machines, model: &[f64], shared: &mut [f64]) -> Result<()> {
        shared.copy_from_slice(model);
        *self = Self::new(&self.outline);
        Ok(())
    }

    fn evaluate(&mut self, on: &mut dyn Machines, shared: &[f64]) -> Result<Evaluation> {
        primal::evaluate(&self.outline, on, shared)
    }

    /// [radius, refusals, P, ∇P], the last two once known.
    fn state(&self) -> Vec<f64> {
        [self.radius, f64::from(self.refusals)].into_iter().chain(primal::state_of(self.here.as_ref())).collect()
    }

    fn restore(&mut self, state: &[f64]) -> Result<()> {
        let [radius, refusals, here @ ..] = state else { return Err(strange_state()) };
        self.here = primal::restored(here, self.outline.columns)?;
        (self.radius, self.refusals) = (*radius, *refusals as u32);
        Ok(())
    }
}
