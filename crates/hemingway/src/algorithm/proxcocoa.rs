//! ProxCoCoA+: machines hold columns, and each improves the coefficients of its own by a pass of exact coordinate steps on
//! a parabola above P; the changes are added (Smith et al. 2015, Algorithm 1, γ = 1, σ′ = m). Made for λ₁, where most
//! coefficients are 0.
//!
//! The shared vector is [v, w], v = Xw being every row's prediction.

use std::borrow::Cow;

use rand::seq::SliceRandom;

use super::{Algorithm, Machines, Order, Server, Step, Support, Task, Work, Worker, primal};
use crate::Result;
use crate::data::{Row, Shard};
use crate::placement::Placement;
use crate::problem::{Evaluation, Loss, Outline, Penalty};
use crate::rng::{Purpose, keyed};

/// CoCoA+ over columns.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProxCocoa;

impl Algorithm for ProxCocoa {
    fn name(&self) -> &'static str {
        "proxcocoa+"
    }

    fn support(&self, loss: Loss) -> Support {
        if loss.is_smooth() { Support::Exact } else { Support::No }
    }

    /// Without λ₁ there is no column to leave at 0, and rows are the better thing to deal.
    fn outdone_by(&self, _loss: Loss, penalty: &Penalty) -> Option<&'static str> {
        (penalty.l1 == 0.0).then_some("cocoa+")
    }

    fn takes_l1(&self) -> bool {
        true
    }

    fn paced_by_rows(&self) -> bool {
        false
    }

    fn deals_columns(&self) -> bool {
        true
    }

    fn shared(&self, outline: &Outline) -> Vec<f64> {
        vec![0.0; outline.rows + outline.columns]
    }

    fn model<'a>(&self, outline: &Outline, shared: &'a [f64]) -> Cow<'a, [f64]> {
        Cow::Borrowed(&shared[outline.rows..])
    }

    fn worker(&self, outline: &Outline, shard: Shard) -> Box<dyn Worker> {
        let norms = (0..shard.len()).map(|j| weighted_norm_sq(shard.row(j), shard.all_weights())).collect();
        let entries = shard.stored();
        Box::new(ColumnWorker { outline: *outline, shard, norms, entries, visits: Vec::new() })
    }

    fn server(&self, outline: &Outline) -> Box<dyn Server> {
        Box::new(ColumnServer { outline: *outline, sum: vec![0.0; outline.rows + outline.columns] })
    }
}

struct ColumnWorker {
    outline: Outline,
    shard: Shard,
    /// Σ sᵢxᵢⱼ² of its columns j.
    norms: Vec<f64>,
    entries: u64,
    visits: Vec<u32>,
}

impl Worker for ColumnWorker {
    fn push(&mut self, order: &Order, shared: &[f64], _items: &mut [f64], push: &mut [f64]) -> Work {
        match order.task {
            Task::Evaluate => self.push_evaluation(order, shared, push),
            Task::Adopt => self.push_predictions(shared, push),
            Task::Step | Task::Probe => self.push_steps(order, shared, push),
        }
        // Of every row, the share of the columns.
        let rows = self.outline.rows * self.shard.len() / self.outline.columns;
        Work { rows: rows as u64, entries: self.entries }
    }
}

impl ColumnWorker {
    /// sᵢφ′ of every row: every machine needs all of them.
    fn slopes(&self, v: &[f64]) -> Vec<f64> {
        let mut slopes: Vec<f64> =
            v.iter().zip(self.shard.all_labels()).map(|(v, y)| self.outline.loss.slope(*v, *y)).collect();
        if let Some(weights) = self.shard.all_weights() {
            slopes.iter_mut().zip(weights).for_each(|(slope, s)| *slope *= s);
        }
        slopes
    }

    /// One pass over its columns, each set to the least of (1/n) Σ sᵢφ′ᵢΔvᵢ + (σ′c/2n) Σ sᵢΔvᵢ² + g(w + Δw), c being φ's
    /// largest curvature.
    fn push_steps(&mut self, order: &Order, shared: &[f64], push: &mut [f64]) {
        let n = self.outline.rows;
        let (v, w) = shared.split_at(n);
        let (moved, change) = push.split_at_mut(n);
        let slopes = self.slopes(v);
        let curve = order.args[0] * self.outline.loss.curvature();
        self.visits.clear();
        self.visits.extend(0..self.shard.len() as u32);
        self.visits.shuffle(&mut keyed(self.shard.seed, Purpose::Visit, self.shard.worker, order.round));
        for j in self.visits.iter().map(|j| *j as usize) {
            let (column, old) = (self.shard.row(j), w[self.shard.start() + j]);
            let bend = curve * self.norms[j] / n as f64;
            let by = if bend > 0.0 {
                let slope =
                    (column.dot(&slopes) + curve * weighted_dot(column, moved, self.shard.all_weights())) / n as f64;
                self.outline.penalty.prox(old - slope / bend, bend) - old
            } else {
                // A column of zeros is worth nothing, whatever a model taken over says.
                -old
            };
            if by != 0.0 {
                change[self.shard.start() + j] = by;
                column.axpy(by, moved);
            }
        }
    }

    /// Its columns' part of Xw.
    fn push_predictions(&self, w: &[f64], push: &mut [f64]) {
        for j in 0..self.shard.len() {
            self.shard.row(j).axpy(w[self.shard.start() + j], push);
        }
    }

    /// Its columns of Xᵀα, and its part of the rows' terms of P and D, at αᵢ = −t·φ′(vᵢ).
    fn push_evaluation(&self, order: &Order, shared: &[f64], push: &mut [f64]) {
        let [t, machines] = order.args[..] else { unreachable!("the server sends t and m") };
        let (loss, v) = (self.outline.loss, &shared[..self.outline.rows]);
        let (columns, terms) = push.split_at_mut(self.outline.columns);
        let slopes = self.slopes(v);
        for j in 0..self.shard.len() {
            columns[self.shard.start() + j] = -t * self.shard.row(j).dot(&slopes);
        }
        for i in Placement::even(v.len(), machines as usize).range(self.shard.worker) {
            let (y, s) = (self.shard.all_labels()[i], self.shard.all_weights().map_or(1.0, |weights| weights[i]));
            let (linear, quadratic) = loss.dual_terms(t * loss.dual_of(v[i], y), y);
            terms[0] += s * loss.value(v[i], y);
            terms[1] += s * linear;
            terms[2] += s * quadratic;
        }
    }
}

/// Σ sᵢxᵢvᵢ.
fn weighted_dot(x: Row<'_>, v: &[f64], weights: Option<&[f64]>) -> f64 {
    weights.map_or_else(|| x.dot(v), |s| x.iter().map(|(i, x)| s[i as usize] * x * v[i as usize]).sum())
}

/// Σ sᵢxᵢ².
fn weighted_norm_sq(x: Row<'_>, weights: Option<&[f64]>) -> f64 {
    weights.map_or_else(|| x.norm_sq(), |s| x.iter().map(|(i, x)| s[i as usize] * x * x).sum())
}

struct ColumnServer {
    outline: Outline,
    sum: Vec<f64>,
}

impl Server for ColumnServer {
    fn iterate(&mut self, on: &mut dyn Machines, shared: &mut [f64]) -> Result<Step> {
        on.round(&Order::train(on, Task::Step, vec![on.count() as f64]), shared, &mut self.sum)?;
        primal::add(&self.sum, shared);
        Ok(if self.sum.iter().all(|v| *v == 0.0) { Step::Stalled } else { Step::Moved })
    }

    fn adopt(&mut self, on: &mut dyn Machines, model: &[f64], shared: &mut [f64]) -> Result<()> {
        let (v, w) = shared.split_at_mut(self.outline.rows);
        w.copy_from_slice(model);
        on.round(&Order::train(on, Task::Adopt, Vec::new()), model, v)?;
        Ok(())
    }

    fn evaluate(&mut self, on: &mut dyn Machines, shared: &[f64]) -> Result<Evaluation> {
        primal::evaluate_within(&self.outline, on, shared, &shared[self.outline.rows..])
    }
}
