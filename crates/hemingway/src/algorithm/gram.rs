//! Normal equations: one round sums XᵀX and Xᵀy, and the rest is a problem of d numbers that the server solves by itself
//! (`quadratic`). For the squared loss, whose P is a parabola, and few columns: the round does the work of many passes and sends
//! d²/2 numbers, but there is only one, whatever the error, the penalty or the condition of X.

mod quadratic;

use quadratic::{Factor, Quadratic};

use super::{Algorithm, Machines, Order, Server, Step, Support, Task, Work, Worker, primal, strange_state};
use crate::Result;
use crate::data::matrix::either;
use crate::data::{Numbers, Row, Shard, Value};
use crate::problem::{Evaluation, Loss, Outline};
use crate::simd::widest;

/// The most columns: the server's part, d³/3, is still far less than a second.
const MOST: usize = 1024;
/// Dense rows that are added at a time: each number of the triangle is then read and written once for all of them.
const ROWS: usize = 8;

/// Normal equations.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gram;

impl Algorithm for Gram {
    fn name(&self) -> &str {
        "gram"
    }

    fn support(&self, loss: Loss) -> Support {
        if loss.is_parabola() { Support::Exact } else { Support::No }
    }

    fn takes_l1(&self) -> bool {
        true
    }

    fn same_on_any(&self) -> bool {
        true
    }

    fn paced_by_rows(&self) -> bool {
        false
    }

    /// An entry meets those before it in its row, and itself.
    fn passes(&self, entries: f64) -> f64 {
        0.5 * (entries + 1.0)
    }

    fn push_len(&self, _rows: usize, columns: usize) -> usize {
        triangle(columns) + columns
    }

    fn rounds_in_all(&self) -> Option<u64> {
        Some(1)
    }

    fn fits(&self, outline: &Outline) -> std::result::Result<(), String> {
        let d = outline.columns;
        if d <= MOST {
            return Ok(());
        }
        Err(format!("gram makes a table of all pairs of columns, at most {MOST} of them; there are {d}"))
    }

    fn worker(&self, outline: &Outline, shard: Shard) -> Box<dyn Worker> {
        let met = |i: usize| shard.row(i).stored() as u64 * (shard.row(i).stored() as u64 + 1) / 2;
        let work = Work { rows: shard.len() as u64, entries: (0..shard.len()).map(met).sum() };
        Box::new(GramWorker { outline: *outline, shard, work })
    }

    fn server(&self, outline: &Outline) -> Box<dyn Server> {
        Box::new(GramServer { outline: *outline, is_solved: false, factor: None })
    }
}

/// Numbers on and below the diagonal of a table of d × d.
fn triangle(d: usize) -> usize {
    d * (d + 1) / 2
}

struct GramWorker {
    outline: Outline,
    shard: Shard,
    work: Work,
}

impl Worker for GramWorker {
    fn push(&mut self, order: &Order, shared: &[f64], _items: &mut [f64], push: &mut [f64]) -> Work {
        if order.task == Task::Evaluate {
            primal::push_evaluation(order, &self.outline, &self.shard, shared, push);
            return primal::pass(&self.outline, &self.shard);
        }
        let (products, moments) = push.split_at_mut(triangle(self.outline.columns));
        widest(
            #[inline(always)]
            || add_products(&self.shard, products),
        );
        for i in 0..self.shard.len() {
            self.shard.row(i).axpy(self.shard.weight(i) * self.shard.label(i), moments);
        }
        self.work
    }
}

/// Adds Σ sᵢxᵢxᵢᵀ, on and below the diagonal, row after row.
#[inline(always)]
fn add_products(shard: &Shard, products: &mut [f64]) {
    let (mut wide, mut narrow) = (Held::<f64>::default(), Held::<f32>::default());
    for i in 0..shard.len() {
        let s = shard.weight(i);
        match shard.row(i) {
            Row::Sparse(indices, values) => {
                either!(Numbers, values, values => add_sparse(s, indices, values, products));
            }
            Row::Dense(Numbers::F64(values)) => wide.take((s, values), products),
            Row::Dense(Numbers::F32(values)) => narrow.take((s, values), products),
        }
    }
    wide.finish(products);
    narrow.finish(products);
}

/// Dense rows that wait for others.
struct Held<'a, V> {
    rows: [(f64, &'a [V]); ROWS],
    count: usize,
}

impl<V> Default for Held<'_, V> {
    fn default() -> Self {
        Self { rows: [(0.0, &[]); ROWS], count: 0 }
    }
}

impl<'a, V: Value> Held<'a, V> {
    #[inline(always)]
    fn take(&mut self, row: (f64, &'a [V]), products: &mut [f64]) {
        self.rows[self.count] = row;
        self.count += 1;
        if self.count == ROWS {
            add_dense(&self.rows, products);
            self.count = 0;
        }
    }

    #[inline(always)]
    fn finish(self, products: &mut [f64]) {
        for one in &self.rows[..self.count] {
            add_dense(std::array::from_ref(one), products);
        }
    }
}

#[inline(always)]
fn add_sparse<V: Value>(s: f64, indices: &[u32], values: &[V], products: &mut [f64]) {
    for (k, (&j, x)) in indices.iter().zip(values).enumerate() {
        let line = &mut products[triangle(j as usize)..triangle(j as usize + 1)];
        for (&i, y) in indices[..=k].iter().zip(values) {
            line[i as usize] += s * x.wide() * y.wide();
        }
    }
}

#[inline(always)]
fn add_dense<V: Value, const N: usize>(rows: &[(f64, &[V]); N], products: &mut [f64]) {
    let d = rows[0].1.len();
    for j in 0..d {
        let line = &mut products[triangle(j)..triangle(j + 1)];
        let by = rows.map(|(s, x)| s * x[j].wide());
        if by.iter().all(|by| *by == 0.0) {
            continue;
        }
        let before = rows.map(|(_, x)| &x[..line.len()]);
        for (i, sum) in line.iter_mut().enumerate() {
            for r in 0..N {
                *sum += by[r] * before[r][i].wide();
            }
        }
    }
}

struct GramServer {
    outline: Outline,
    is_solved: bool,
    /// Of ∇²P, until a checkpoint.
    factor: Option<Factor>,
}

impl Server for GramServer {
    fn iterate(&mut self, on: &mut dyn Machines, shared: &mut [f64]) -> Result<Step> {
        if self.is_solved {
            return Ok(Step::Stalled);
        }
        let d = self.outline.columns;
        let mut sum = vec![0.0; triangle(d) + d];
        on.round(&Order::train(on, Task::Step, Vec::new()), shared, &mut sum)?;
        let n = self.outline.rows as f64;
        sum.iter_mut().for_each(|sum| *sum /= n);
        let (products, moments) = sum.split_at(triangle(d));
        self.factor = widest(
            #[inline(always)]
            || Quadratic::new(products, moments, self.outline.penalty).minimize(shared),
        );
        self.is_solved = true;
        Ok(Step::Moved)
    }

    fn adopt(&mut self, _on: &mut dyn Machines, model: &[f64], shared: &mut [f64]) -> Result<()> {
        shared.copy_from_slice(model);
        self.is_solved = false;
        Ok(())
    }

    /// Without a penalty there is no dual to bound P* by, but P is a parabola whose bends are known: P* = P − ½gᵀA⁻¹g. Twice as much
    /// is taken off, so that rounding cannot lift the bound above P*.
    fn evaluate(&mut self, on: &mut dyn Machines, shared: &[f64]) -> Result<Evaluation> {
        let (seen, slopes) = primal::evaluate_showing(&self.outline, on, shared, shared)?;
        let n = self.outline.rows as f64;
        let below = || self.factor.as_ref()?.inverse_norm_sq(slopes.iter().map(|slope| slope / n).collect());
        let dual = if self.outline.penalty.is_none() { below().map(|below| seen.objective - below) } else { seen.dual };
        Ok(Evaluation { dual, ..seen })
    }

    /// [1] when it is done.
    fn state(&self) -> Vec<f64> {
        if self.is_solved { vec![1.0] } else { Vec::new() }
    }

    fn restore(&mut self, state: &[f64]) -> Result<()> {
        self.is_solved = match state {
            [] => false,
            [1.0] => true,
            _ => return Err(strange_state()),
        };
        Ok(())
    }
}
