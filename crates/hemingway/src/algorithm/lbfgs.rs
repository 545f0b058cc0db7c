//! Distributed L-BFGS (Liu & Nocedal 1989): gradients are summed over the machines, the two-loop recursion runs on
//! the replicated server; a line search for the weak Wolfe conditions by bisection (Lewis & Overton 2013), one round
//! a trial. With λ₁ > 0 it is OWL-QN (see `orthant`). Its iterates do not depend on m.

mod orthant;

use super::gd::{GradientWorker, gradient};
use super::pairs::Pairs;
use super::{Algorithm, Machines, Server, Step, Support, Worker, primal, strange_state};
use crate::Result;
use crate::data::Shard;
use crate::data::matrix::{axpy, dot};
use crate::problem::{Evaluation, Loss, Outline, Penalty, Scheme};

/// Pairs (s, y) remembered.
const MEMORY: usize = 10;
/// Trials of a line search before it is given up.
const TRIALS: usize = 40;
/// Armijo's and the curvature constant.
const DECREASE: f64 = 1e-4;
const CURVATURE: f64 = 0.9;

/// Limited-memory BFGS.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lbfgs;

impl Algorithm for Lbfgs {
    fn name(&self) -> &str {
        "lbfgs"
    }

    fn paced_by_rows(&self) -> bool {
        false
    }

    fn same_on_any(&self) -> bool {
        true
    }

    /// It rarely takes fewer rounds than newton, and to find out costs more than that saves (`bench/regret`).
    fn outdone_by(&self, _loss: Loss, penalty: &Penalty) -> Option<&'static str> {
        (penalty.l1 == 0.0).then_some("newton")
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
        Box::new(LbfgsServer { outline: *outline, here: None, pairs: Pairs::at_most(MEMORY) })
    }
}

/// P at a point and the gradient of P − λ₁‖·‖₁.
#[derive(Debug, Clone)]
struct Local {
    value: f64,
    gradient: Vec<f64>,
}

struct LbfgsServer {
    outline: Outline,
    /// At the current w, once known.
    here: Option<Local>,
    pairs: Pairs,
}

impl LbfgsServer {
    fn local(&self, on: &mut dyn Machines, at: &[f64]) -> Result<Local> {
        let mut sum = vec![0.0; self.outline.coefficients() + 1];
        let smooth = gradient(&self.outline, on, at, &mut sum)?;
        sum.truncate(self.outline.coefficients());
        Ok(Local { value: smooth + self.outline.penalty.lasso(at), gradient: sum })
    }

    /// −H∇P by the two-loop recursion.
    fn direction(&self, gradient: &[f64]) -> Vec<f64> {
        let steepest = gradient.iter().map(|g| -g).collect();
        self.pairs.solve(steepest, |q| {
            if let Some(scale) = self.pairs.newest_scale() {
                q.iter_mut().for_each(|q| *q *= scale);
            }
        })
    }

    /// A direction in which a function of this slope falls: −H∇P, forgetting the past if that climbs.
    fn descent(&mut self, slope: &[f64]) -> Vec<f64> {
        let p = self.direction(slope);
        if dot(&p, slope) < 0.0 {
            return p;
        }
        self.pairs.clear();
        self.direction(slope)
    }

    /// The length of the first step along `p`.
    fn first_step(&self, p: &[f64]) -> f64 {
        if self.pairs.is_empty() { 1.0 / dot(p, p).sqrt().max(1.0) } else { 1.0 }
    }

    /// The first t with enough decrease and enough flattening along −H∇P, with P and ∇P there.
    fn search_line(&mut self, on: &mut dyn Machines, w: &[f64], here: &Local) -> Result<Option<(Vec<f64>, Local)>> {
        let p = &self.descent(&here.gradient);
        let slope = dot(&here.gradient, p);
        let mut t = self.first_step(p);
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let rounding = 1e-15 * here.value.abs();
        for _ in 0..TRIALS {
            let mut trial = w.to_vec();
            axpy(t, p, &mut trial);
            let there = self.local(on, &trial)?;
            // Written so that a NaN counts as no decrease.
            let decreased = there.value <= here.value + DECREASE * t * slope + rounding;
            let slope_there = dot(&there.gradient, p);
            if !decreased {
                high = t;
            } else if slope_there < CURVATURE * slope {
                low = t;
            } else {
                return Ok(Some((trial, there)));
            }
            // Downhill still: the secant of the slopes says how far, for a parabola exactly.
            let bottom = t * slope / (slope - slope_there);
            let further = if bottom.is_finite() { bottom.clamp(2.0 * t, 100.0 * t) } else { 2.0 * t };
            t = if high.is_finite() { 0.5 * (low + high) } else { further };
        }
        Ok(None)
    }
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

impl Server for LbfgsServer {
    fn iterate(&mut self, on: &mut dyn Machines, shared: &mut [f64]) -> Result<Step> {
        let here = match self.here.take() {
            Some(here) => here,
            None => self.local(on, shared)?,
        };
        let found = match self.outline.penalty.l1 > 0.0 {
            true => self.search_orthant(on, shared, &here),
            false => self.search_line(on, shared, &here),
        };
        if let Ok(Some((trial, there))) = found {
            self.pairs.keep(difference(&trial, shared), difference(&there.gradient, &here.gradient));
            shared.copy_from_slice(&trial);
            self.here = Some(there);
            return Ok(Step::Moved);
        }
        // Also where the search was cut short: what is known of this point stays known.
        self.here = Some(here);
        found?;
        if self.pairs.is_empty() {
            return Ok(Step::Stalled);
        }
        self.pairs.clear();
        Ok(Step::Moved)
    }

    fn adopt(&mut self, _on: &mut dyn Machines, model: &[f64], shared: &mut [f64]) -> Result<()> {
        shared.copy_from_slice(model);
        self.here = None;
        self.pairs.clear();
        Ok(())
    }

    fn evaluate(&mut self, on: &mut dyn Machines, shared: &[f64]) -> Result<Evaluation> {
        primal::evaluate(&self.outline, on, shared)
    }

    /// [P, ∇P, s₁, y₁, s₂, y₂, …], or nothing before the first gradient.
    fn state(&self) -> Vec<f64> {
        let Some(here) = &self.here else { return Vec::new() };
        let mut state = vec![here.value];
        state.extend_from_slice(&here.gradient);
        state.extend(self.pairs.state());
        state
    }

    fn restore(&mut self, state: &[f64]) -> Result<()> {
        let d = self.outline.coefficients();
        let Some((&value, rest)) = state.split_first() else { return Ok(()) };
        let (gradient, pairs) = rest.split_at_checked(d).ok_or_else(strange_state)?;
        self.pairs = Pairs::restored(pairs, d, MEMORY).ok_or_else(strange_state)?;
        self.here = Some(Local { value, gradient: gradient.to_vec() });
        Ok(())
    }
}
