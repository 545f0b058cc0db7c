//! STRADS (Lee et al. 2014; Kim et al. 2016): machines hold columns, and a schedule says which of them move in a round. Made for λ₁,
//! where most coefficients stay 0.
//!
//! A look at all columns (`look`) finds those that would move and leaves out for good those that cannot; together with the
//! coefficients that are not 0 they are the pool. From the pool the schedule draws block after block (`schedule/dynamic.rs`); every
//! machine improves its own columns of the block one after the other (`local`), and the changes are added. When sweeps over the
//! pool gain little, the next look follows. On one machine nobody can be in the way and a block is the whole pool: active sets, as
//! in Johnson & Guestrin 2015.
//!
//! The server (`server`) takes turns at looking, describing and moving. The shared vector is [v, w], v = Xw; what is sent in a round is v and the coefficients of the block only.

mod extrapolate;
mod local;
mod look;
mod parabola;
mod server;

use std::borrow::Cow;
use std::sync::Arc;

use super::columns::Columns;
use super::{Algorithm, Order, Server, Support, Task, Work, Worker, columns};
use crate::data::Shard;
use crate::data::matrix::dot;
use crate::placement::Placement;
use crate::problem::{Loss, Outline, Penalty};
use crate::schedule::Schedule;
use crate::schedule::dependence::{sign, signature_len};
use local::Effort;
use look::{Ask, Sphere, Travel};
use server::StradsServer;
pub(crate) use server::path;

/// Scheduled coordinate descent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Strads {
    pub(super) schedule: Schedule,
}

impl Algorithm for Strads {
    fn name(&self) -> &str {
        "strads"
    }

    fn support(&self, loss: Loss) -> Support {
        if loss.is_smooth() { Support::Exact } else { Support::No }
    }

    /// Without λ₁ no column stays at 0, and rows are the better thing to deal.
    fn outdone_by(&self, _loss: Loss, penalty: &Penalty) -> Option<&'static str> {
        (penalty.l1 == 0.0).then_some("cocoa+")
    }

    /// The predictions; what moves of the coefficients is little beside them.
    fn push_len(&self, rows: usize, _columns: usize) -> usize {
        rows
    }

    /// On one machine a block is the whole pool. On more a sweep is dozens of rounds, and `lbfgs` makes better use of them.
    fn most_machines(&self) -> usize {
        1
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

    fn schedule(&self) -> Schedule {
        self.schedule
    }

    fn scheduled(&self, schedule: Schedule) -> Option<Arc<dyn Algorithm>> {
        Some(Arc::new(Self { schedule }))
    }

    /// What looks keep of a column.
    fn width(&self) -> usize {
        look::KEPT
    }

    fn needs_only_a_model(&self) -> bool {
        true
    }

    fn shared(&self, outline: &Outline) -> Vec<f64> {
        columns::shared(outline)
    }

    fn model<'a>(&self, outline: &Outline, shared: &'a [f64]) -> Cow<'a, [f64]> {
        columns::model(outline, shared)
    }

    fn worker(&self, outline: &Outline, shard: Shard) -> Box<dyn Worker> {
        Box::new(StradsWorker { columns: Columns::new(outline, shard) })
    }

    fn server(&self, outline: &Outline) -> Box<dyn Server> {
        Box::new(StradsServer::new(outline, self.schedule))
    }
}

struct StradsWorker {
    columns: Columns,
}

impl Worker for StradsWorker {
    fn push(&mut self, order: &Order, shared: &[f64], items: &mut [f64], push: &mut [f64]) -> Work {
        let columns = &self.columns;
        let entries = match order.task {
            Task::Evaluate => {
                columns.push_evaluation(order, shared, push);
                return columns.pass();
            }
            Task::Adopt => {
                columns.push_predictions(shared, push);
                return columns.pass();
            }
            // Columns without a question: what do they look like?
            Task::Probe if order.args.is_empty() => self.push_signatures(&order.block, push),
            Task::Probe if order.args.len() == 2 => self.push_dual(order, shared, push),
            Task::Probe => self.push_look(order, shared, items, push),
            Task::Step => self.push_change(order, shared, push),
        };
        let columns = &self.columns;
        let all = columns.shard.stored().max(1);
        Work { rows: columns.pass().rows * entries / all, entries }
    }
}

impl StradsWorker {
    /// Which columns of a block it holds: where in the block, and where among its own.
    fn own(&self, block: &[u32]) -> (std::ops::Range<usize>, Vec<usize>) {
        let shard = &self.columns.shard;
        let place = |column: usize| block.partition_point(|other| (*other as usize) < column);
        let range = place(shard.start())..place(shard.start() + shard.len());
        let own = block[range.clone()].iter().map(|column| *column as usize - shard.start()).collect();
        (range, own)
    }

    /// A look at its columns.
    fn push_look(&mut self, order: &Order, shared: &[f64], items: &mut [f64], push: &mut [f64]) -> u64 {
        let [machines, slots, l1, near, t, radius, before, now, since] = order.args[..] else {
            unreachable!("as the server asks")
        };
        self.columns.outline.penalty.l1 = l1;
        let (v, w) = shared.split_at(self.columns.outline.rows);
        let (sphere, travel) = (Sphere { t, radius }, Travel { before, now, since });
        let (machines, slots) = (machines as usize, slots as usize);
        let ask = Ask { machines, slots, sphere, travel, near, support: &order.block, w };
        look::push(&self.columns, &ask, v, items, push)
    }

    /// Its rows' part of the two sums of D at tα.
    fn push_dual(&self, order: &Order, v: &[f64], push: &mut [f64]) -> u64 {
        let own = Placement::even(v.len(), order.args[1] as usize).range(self.columns.shard.worker);
        let rows = own.len() as u64;
        let [_, linear, quadratic] = self.columns.terms(v, own, order.args[0]);
        push.copy_from_slice(&[linear, quadratic]);
        rows
    }

    /// The entries of each of its columns of the block, and its signature.
    fn push_signatures(&self, block: &[u32], push: &mut [f64]) -> u64 {
        let Columns { outline, shard, norms } = &self.columns;
        let length = 1 + signature_len(outline.rows);
        let (range, own) = self.own(block);
        let mut entries = 0;
        for (k, j) in range.zip(own) {
            let [stored, signature @ ..] = &mut push[k * length..(k + 1) * length] else { continue };
            *stored = shard.row(j).stored() as f64;
            sign(shard.row(j), outline.rows, shard.all_weights(), norms[j], signature);
            entries += shard.row(j).stored() as u64;
        }
        entries
    }

    /// The change of its columns of the block.
    fn push_change(&mut self, order: &Order, shared: &[f64], push: &mut [f64]) -> u64 {
        let [epochs, l1, ref gap @ ..] = order.args[..] else { unreachable!("as the server asks") };
        self.columns.outline.penalty.l1 = l1;
        let n = self.columns.outline.rows;
        let (range, own) = self.own(&order.block);
        if own.is_empty() {
            return 0;
        }
        let (v, w) = shared.split_at(n);
        let effort = Effort { epochs: epochs as u32, gap: gap.first().copied() };
        let change = local::improve(&self.columns, v, &own, &w[range.clone()], effort);
        let (moved, rest) = push.split_at_mut(n);
        let (by, totals) = rest.split_at_mut(order.block.len());
        moved.copy_from_slice(&change.moved);
        by[range].copy_from_slice(&change.by);
        let plain = dot(&change.moved, &change.moved);
        let weighted =
            self.columns.shard.all_weights().map(|s| s.iter().zip(&change.moved).map(|(s, u)| s * u * u).sum());
        let has_weights = f64::from(u8::from(weighted.is_some()));
        totals.copy_from_slice(&[change.gain, weighted.unwrap_or(plain), plain, 1.0, has_weights]);
        change.entries
    }
}
