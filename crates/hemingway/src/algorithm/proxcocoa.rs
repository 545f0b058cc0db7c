//! ProxCoCoA+: machines hold columns, and each improves the coefficients of its own by a pass of exact coordinate steps on
//! a parabola above P; the changes are added (Smith et al. 2015, Algorithm 1, γ = 1, σ′ = m). Made for λ₁, where most
//! coefficients are 0.
//!
//! The shared vector is [v, w], v = Xw being every row's prediction.

use std::borrow::Cow;

use rand::seq::SliceRandom;

use super::columns::Columns;
use super::{Algorithm, Costs, Machines, Order, Server, Step, Support, Task, Work, Worker, columns, primal};
use crate::Result;
use crate::data::{Row, Shard};
use crate::problem::{Evaluation, Loss, Outline, Penalty};
use crate::rng::{Purpose, keyed};

/// CoCoA+ over columns.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProxCocoa;

impl Algorithm for ProxCocoa {
    fn name(&self) -> &str {
        "proxcocoa+"
    }

    fn support(&self, loss: Loss) -> Support {
        if loss.is_smooth() { Support::Exact } else { Support::No }
    }

    /// A step reads a column where it stands and writes as much.
    fn costs(&self, _loss: Loss) -> Costs {
        Costs { entry: 1.8, ..Costs::IN_BLOCKS }
    }

    /// Without λ₁ there is no column to leave at 0, and rows are the better thing to deal; with it columns that stay at 0
    /// need not be visited.
    fn outdone_by(&self, _loss: Loss, penalty: &Penalty) -> Option<&'static str> {
        Some(if penalty.l1 == 0.0 { "cocoa+" } else { "strads" })
    }

    fn push_len(&self, rows: usize, columns: usize) -> usize {
        rows + columns
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
        columns::shared(outline)
    }

    fn model<'a>(&self, outline: &Outline, shared: &'a [f64]) -> Cow<'a, [f64]> {
        columns::model(outline, shared)
    }

    fn worker(&self, outline: &Outline, shard: Shard) -> Box<dyn Worker> {
        Box::new(ColumnWorker { columns: Columns::new(outline, shard), visits: Vec::new() })
    }

    fn server(&self, outline: &Outline) -> Box<dyn Server> {
        Box::new(ColumnServer { outline: *outline, sum: vec![0.0; outline.rows + outline.columns] })
    }
}

struct ColumnWorker {
    columns: Columns,
    visits: Vec<u32>,
}

impl Worker for ColumnWorker {
    fn push(&mut self, order: &Order, shared: &[f64], _items: &mut [f64], push: &mut [f64]) -> Work {
        match order.task {
            Task::Evaluate => self.columns.push_evaluation(order, shared, push),
            Task::Adopt => self.columns.push_predictions(shared, push),
            Task::Step | Task::Probe => self.push_steps(order, shared, push),
        }
        self.columns.pass()
    }
}

impl ColumnWorker {
    /// One pass over its columns, each set to the least of (1/n) Σ sᵢφ′ᵢΔvᵢ + (σ′c/2n) Σ sᵢΔvᵢ² + g(w + Δw), c being φ's
    /// largest curvature.
    fn push_steps(&mut self, order: &Order, shared: &[f64], push: &mut [f64]) {
        let Columns { outline, shard, norms } = &self.columns;
        let n = outline.rows;
        let (v, w) = shared.split_at(n);
        let (moved, change) = push.split_at_mut(n);
        // sᵢφ′ᵢ and Δvᵢ of a row side by side: a column asks for both of the same rows.
        let mut both: Vec<[f64; 2]> = self.columns.slopes(v).into_iter().map(|slope| [slope, 0.0]).collect();
        let curve = order.args[0] * outline.loss.curvature();
        self.visits.clear();
        self.visits.extend(0..shard.len() as u32);
        self.visits.shuffle(&mut keyed(shard.seed, Purpose::Visit, shard.worker, order.round));
        for j in shard.visit(&self.visits) {
            let (column, old) = (shard.row(j), w[shard.start() + j]);
            let bend = curve * norms[j] / n as f64;
            let by = if bend > 0.0 {
                let [slope, turned] = slope_and_turn(column, &both, shard.all_weights());
                let slope = (slope + curve * turned) / n as f64;
                outline.penalty.prox(old - slope / bend, bend) - old
            } else {
                // A column of zeros is worth nothing, whatever a model taken over says.
                -old
            };
            if by != 0.0 {
                change[shard.start() + j] = by;
                column.axpy_second(by, &mut both);
            }
        }
        moved.iter_mut().zip(both).for_each(|(moved, [_, by])| *moved = by);
    }
}

/// Σ xᵢsᵢφ′ᵢ and Σ sᵢxᵢΔvᵢ.
#[inline(always)]
fn slope_and_turn(column: Row<'_>, both: &[[f64; 2]], weights: Option<&[f64]>) -> [f64; 2] {
    let [slope, turned] = column.dot_both(both);
    let Some(s) = weights else { return [slope, turned] };
    [slope, column.iter().map(|(i, x)| s[i as usize] * x * both[i as usize][1]).sum()]
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
        columns::adopt(&self.outline, on, model, shared)
    }

    fn evaluate(&mut self, on: &mut dyn Machines, shared: &[f64]) -> Result<Evaluation> {
        columns::evaluate(&self.outline, on, shared)
    }
}
