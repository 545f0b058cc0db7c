//! CCD++: one component of all factors after the other, users first and then items, each number set to the best for all
//! others as they are (Yu, Hsieh, Si, Dhillon 2012). With implicit feedback what absent entries add comes from the Gram matrix of the other
//! side (He et al. 2016).
//!
//! An iteration visits the biases and every component once, a round each. A round carries one component: items' numbers
//! down; up come, for every item, numerator and denominator of its new number, and the users' new numbers. Machines keep
//! for every entry z = c·y − g·x̂, from which the visited component is left out; they make it anew at the beginning of every iteration, so
//! that nothing depends on how long they have been at it.

mod pass;

use std::sync::Arc;

use super::{Algorithm, Machines, Order, Server, Step, Support, Task, Work, Worker, factors};
use crate::Result;
use crate::data::Shard;
use crate::problem::{Evaluation, Factors, Loss, Outline};
use crate::simd::widest;
use pass::Pass;

/// Entries of sparse rows that take as long as one rating in a visit of a component: two reads, two additions elsewhere.
const VISIT: u64 = 3;

/// CCD++.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Ccd {
    recuts: bool,
}

impl Algorithm for Ccd {
    fn name(&self) -> &str {
        if self.recuts { "ccd++:cuts=measured" } else { "ccd++" }
    }

    fn tuned(&self, settings: &str) -> std::result::Result<Arc<dyn Algorithm>, String> {
        match settings {
            factors::RECUT => Ok(Arc::new(Self { recuts: true })),
            _ => Err(format!("ccd++ takes {}, and no `{settings}`", factors::RECUT)),
        }
    }

    fn recuts(&self) -> bool {
        self.recuts
    }

    /// Convex problems are none of its business.
    fn support(&self, _loss: Loss) -> Support {
        Support::No
    }

    fn factorizes(&self) -> bool {
        true
    }

    fn same_on_any(&self) -> bool {
        true
    }

    fn passes(&self, _entries: f64) -> f64 {
        2.0
    }

    fn shared(&self, outline: &Outline) -> Vec<f64> {
        factors::first(outline)
    }

    fn worker(&self, outline: &Outline, shard: Shard) -> Box<dyn Worker> {
        Box::new(Visitor { outline: *outline, pass: Pass::new(outline, &shard), shard })
    }

    fn server(&self, outline: &Outline) -> Box<dyn Server> {
        Box::new(Cyclic { outline: *outline, sum: Vec::new() })
    }
}

/// What is visited, as orders number it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Visit {
    /// Everything is made anew; biases, if there are any, are set.
    First,
    /// This component is set.
    Component(usize),
}

impl Visit {
    fn of(order: &Order) -> Self {
        if order.args[0] < 0.0 { Self::First } else { Self::Component(order.args[0] as usize) }
    }

    fn order(self, on: &dyn Machines) -> Order {
        let number = match self {
            Self::First => -1.0,
            Self::Component(t) => t as f64,
        };
        Order::train(on, Task::Step, vec![number])
    }
}

struct Visitor {
    outline: Outline,
    shard: Shard,
    pass: Pass,
}

impl Worker for Visitor {
    fn push(&mut self, order: &Order, shared: &[f64], _items: &mut [f64], push: &mut [f64]) -> Work {
        let Self { outline, shard, pass } = self;
        let (rows, stored) = (shard.len() as u64, shard.stored());
        if order.task == Task::Evaluate {
            return factors::push_evaluation(outline, shard, shared, push);
        }
        match Visit::of(order) {
            Visit::First => {
                widest(
                    #[inline(always)]
                    || pass.begin(shard, shared, push),
                );
                Work { rows, entries: stored * (VISIT + factors::work_of(factors::of(outline).width())) }
            }
            Visit::Component(t) => {
                pass.visit(shard, t, shared, push);
                Work { rows, entries: stored * VISIT }
            }
        }
    }
}

struct Cyclic {
    outline: Outline,
    sum: Vec<f64>,
}

/// Where a push holds what: two numbers an item, one a user, and the products of the users' component with all components.
struct Layout {
    items: usize,
    users: usize,
}

impl Layout {
    fn of(outline: &Outline) -> Self {
        Self { items: outline.columns, users: outline.rows }
    }

    fn users(&self) -> usize {
        2 * self.items
    }

    fn products(&self) -> usize {
        2 * self.items + self.users
    }
}

impl Cyclic {
    /// Everything anew, and the biases; how far the items' have moved.
    fn begin(&mut self, on: &mut dyn Machines, shared: &mut [f64]) -> Result<Vec<f64>> {
        let factors = factors::of(&self.outline);
        let layout = Layout::of(&self.outline);
        let order = Visit::First.order(on);
        let mut moved = vec![0.0; layout.items];
        if !factors.biased() {
            on.round(&order, shared, &mut [])?;
            return Ok(moved);
        }
        self.sum.resize(layout.products(), 0.0);
        on.round(&order, shared, &mut self.sum)?;
        let (width, rank) = (factors.width(), factors.rank);
        let (items, users) = shared.split_at_mut(layout.items * width);
        for (i, item) in items.chunks_exact_mut(width).enumerate() {
            let new = quotient(self.sum[2 * i], self.sum[2 * i + 1]);
            moved[i] = new - item[rank];
            item[rank] = new;
        }
        for (user, bias) in users.chunks_exact_mut(width).zip(&self.sum[layout.users()..]) {
            user[rank] = *bias;
        }
        Ok(moved)
    }

    /// One component; `closing` is what the items' numbers of the one before came to, and is left holding this one's.
    fn visit(&mut self, t: usize, closing: &mut [f64], on: &mut dyn Machines, shared: &mut [f64]) -> Result<()> {
        let factors = factors::of(&self.outline);
        let (layout, l2) = (Layout::of(&self.outline), self.outline.penalty.l2);
        let width = factors.width();
        let (items, users) = shared.split_at_mut(layout.items * width);
        let mut sent: Vec<f64> =
            items.chunks_exact(width).zip(&*closing).flat_map(|(item, closing)| [*closing, item[t]]).collect();
        let products = if factors.biased() { 0 } else { width };
        sent.extend(column_of_gram(items, t, factors).into_iter().take(products));
        self.sum.resize(layout.products() + products, 0.0);
        on.round(&Visit::Component(t).order(on), &sent, &mut self.sum)?;

        let gram = &self.sum[layout.products()..];
        for (i, item) in items.chunks_exact_mut(width).enumerate() {
            let (mut numerator, mut denominator) = (self.sum[2 * i], self.sum[2 * i + 1]);
            if !factors.biased() {
                let others: f64 = item.iter().zip(gram).map(|(q, g)| q * g).sum();
                numerator -= others - item[t] * gram[t];
                denominator += gram[t] + l2;
            }
            item[t] = quotient(numerator, denominator);
            closing[i] = item[t];
        }
        for (user, p) in users.chunks_exact_mut(width).zip(&self.sum[layout.users()..]) {
            user[t] = *p;
        }
        Ok(())
    }
}

/// Column t of QᵀQ, which only absent entries ask for.
fn column_of_gram(items: &[f64], t: usize, factors: Factors) -> Vec<f64> {
    let width = factors.width();
    if factors.biased() {
        return Vec::new();
    }
    let mut column = vec![0.0; width];
    for item in items.chunks_exact(width) {
        crate::data::matrix::axpy(item[t], item, &mut column);
    }
    column
}

/// Items without ratings have nothing to say: 0.
fn quotient(numerator: f64, denominator: f64) -> f64 {
    if denominator > 0.0 { numerator / denominator } else { 0.0 }
}

impl Server for Cyclic {
    fn iterate(&mut self, on: &mut dyn Machines, shared: &mut [f64]) -> Result<Step> {
        let before = shared.to_vec();
        let mut closing = self.begin(on, shared)?;
        for t in 0..factors::of(&self.outline).rank {
            self.visit(t, &mut closing, on, shared)?;
        }
        Ok(if *shared == before[..] { Step::Stalled } else { Step::Moved })
    }

    fn evaluate(&mut self, on: &mut dyn Machines, shared: &[f64]) -> Result<Evaluation> {
        factors::evaluate(&self.outline, on, shared)
    }
}
