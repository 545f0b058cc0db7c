//! Algorithms: mathematics only. An algorithm never sees a thread, a socket or a clock.
//!
//! It has two halves. A [`Worker`] sits beside one shard: given an [`Order`], the shared vector and its rows' numbers
//! it writes one flat push. A [`Server`], replicated and deterministic, is straight-line code: it calls
//! [`Machines::round`] as often as it needs and folds the sums into the shared vector. What belongs to a row (a dual
//! variable, say) is kept by the engine and travels with the row, so that machines may come and go.

mod admm;
mod als;
mod catalogue;
mod ccd;
mod cocoa;
mod columns;
mod dual;
mod factors;
mod gd;
mod gram;
mod lbfgs;
mod local_sgd;
mod many;
mod minibatch_sdca;
mod minibatch_sgd;
mod newton;
mod noop;
mod pairs;
mod primal;
mod proxcocoa;
mod splash;
pub(crate) mod strads;
mod svrg;

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::data::Shard;
use crate::problem::{Evaluation, Loss, Outline, Penalty, Scheme};
use crate::schedule::Schedule;
use crate::{Error, Result};
pub use catalogue::{
    all, alone, by_name, candidates, check, check_problem, factorizers, factorizing_candidates, family, of,
    rounds_in_all, schedule,
};
pub(crate) use catalogue::{none_applies, written};

/// One way of solving the problem.
pub trait Algorithm: Send + Sync {
    /// Its name on the command line and in records, settings included: `cocoa+:epochs=4`.
    fn name(&self) -> &str;

    /// Itself with settings, written `key=value` and parted by colons.
    ///
    /// # Errors
    /// The sentence to show if it has no such settings.
    fn tuned(&self, settings: &str) -> std::result::Result<Arc<dyn Algorithm>, String> {
        Err(format!("{} has no settings; leave out `:{settings}`", self.name()))
    }

    /// Passes over the rows in a round, where a row has so many entries.
    fn passes(&self, _entries: f64) -> f64 {
        1.0
    }

    /// Numbers that a machine sends in a round of a problem with so many rows and columns.
    fn push_len(&self, _rows: usize, columns: usize) -> usize {
        columns
    }

    /// The rounds after which it is at P*, where that is known beforehand.
    fn rounds_in_all(&self) -> Option<u64> {
        None
    }

    /// Whether a problem is not too large for it.
    ///
    /// # Errors
    /// The sentence to show if it is.
    fn fits(&self, _outline: &Outline) -> std::result::Result<(), String> {
        Ok(())
    }

    /// How far it can get with this loss.
    fn support(&self, loss: Loss) -> Support;

    /// Whether it works on the dual of the rows, which needs λ₂ > 0; the first of the numbers of a row's margin is then its
    /// αᵢ for each unit of weight.
    fn is_dual(&self) -> bool {
        false
    }

    /// Whether it solves problems with λ₁ > 0.
    fn takes_l1(&self) -> bool {
        false
    }

    /// Whether its pace depends on λn, what a row weighs, so that a sample keeps to that; else on λ, the shape of P.
    /// Settled by measurement (`bench/src/bin/eval_subset.rs`).
    fn paced_by_rows(&self) -> bool {
        true
    }

    /// The λ under which a share of the rows is paced as all of them are under this one.
    fn sample_l2(&self, l2: f64, share: f64) -> f64 {
        if self.paced_by_rows() { l2 / share } else { l2 }
    }

    /// The algorithm that it is the same as on one machine.
    fn alone(&self) -> &str {
        self.name()
    }

    /// Whether its iterates are the same on any number of machines, but for rounding.
    fn same_on_any(&self) -> bool {
        false
    }

    /// Machines beyond which it is hardly ever the best, so that `train` leaves them to others where it may choose. Settled by
    /// measurement (`regret tapes`).
    fn most_machines(&self) -> usize {
        usize::MAX
    }

    /// An algorithm that does the same work a round and needs fewer rounds, nearly always: where that applies, this one is
    /// only for those who ask for it. Settled by measurement (`bench/src/bin/algorithms.rs`).
    fn outdone_by(&self, _loss: Loss, _penalty: &Penalty) -> Option<&'static str> {
        None
    }

    /// What the rows of a pass cost where loops run as this program's do.
    fn costs(&self, _loss: Loss) -> Costs {
        Costs::IN_BLOCKS
    }

    /// Whether P may lie still for a while, as if it were at its end, and then fall again.
    fn falls_in_steps(&self, _loss: Loss) -> bool {
        false
    }

    /// Whether machines hold columns instead of rows. The numbers it keeps are then the columns'.
    fn deals_columns(&self) -> bool {
        false
    }

    /// Whether machines hold columns beside their rows.
    fn holds_columns(&self) -> bool {
        false
    }

    /// Whether it factorizes ratings. Such algorithms do nothing else, and no other does that.
    fn factorizes(&self) -> bool {
        false
    }

    /// What a row costs besides its entries, in entries, where shards are cut by work.
    fn row_work(&self, _outline: &Outline) -> f64 {
        1.0
    }

    /// Whether a round is about the columns that machines hold beside their rows.
    fn is_beside(&self, _order: &Order) -> bool {
        false
    }

    /// Whether shards are cut again when machines take longer than others. Where cuts rest on a clock, bits may differ from run to run.
    fn recuts(&self) -> bool {
        false
    }

    /// What moves in a round, unless the user asks for another schedule.
    fn schedule(&self) -> Schedule {
        Schedule::All
    }

    /// Itself by another schedule, if it can have one.
    fn scheduled(&self, _schedule: Schedule) -> Option<Arc<dyn Algorithm>> {
        None
    }

    /// Whether it solves problems of several classes, told apart in this way.
    fn takes_classes(&self, _scheme: Scheme) -> bool {
        false
    }

    /// Numbers kept for every margin of every row; they travel with it.
    fn width(&self) -> usize {
        0
    }

    /// Whether it goes on from any model as from its own: whatever it keeps for rows follows from w.
    fn needs_only_a_model(&self) -> bool {
        self.width() == 0
    }

    /// The first shared vector.
    fn shared(&self, outline: &Outline) -> Vec<f64> {
        vec![0.0; outline.coefficients()]
    }

    /// The half that sits beside a shard. It must not keep anything of the length of the model: there may be
    /// thousands of workers on one machine.
    fn worker(&self, outline: &Outline, shard: Shard) -> Box<dyn Worker>;

    /// The half that owns the shared vector.
    fn server(&self, outline: &Outline) -> Box<dyn Server>;

    /// The coefficients w within the shared vector.
    fn model<'a>(&self, outline: &Outline, shared: &'a [f64]) -> Cow<'a, [f64]> {
        Cow::Borrowed(&shared[..outline.coefficients()])
    }
}

/// The half of an algorithm beside one shard.
pub trait Worker: Send {
    /// Does its part of a round: reads `shared`, may change its rows' numbers `items`, adds to the zeroed `push`.
    fn push(&mut self, order: &Order, shared: &[f64], items: &mut [f64], push: &mut [f64]) -> Work;
}

/// The half of an algorithm that owns the shared vector.
pub trait Server: Send {
    /// One iteration, in as many rounds as it needs.
    fn iterate(&mut self, on: &mut dyn Machines, shared: &mut [f64]) -> Result<Step>;

    /// Begins from a model that another algorithm made. Where the shared vector is the model, that is all.
    fn adopt(&mut self, _on: &mut dyn Machines, model: &[f64], shared: &mut [f64]) -> Result<()> {
        shared.copy_from_slice(model);
        Ok(())
    }

    /// The objective and, where there is one, a bound below P*; off the training clock.
    fn evaluate(&mut self, on: &mut dyn Machines, shared: &[f64]) -> Result<Evaluation>;

    /// Whether the shared vector is only a trial, which it takes back where P has risen.
    fn may_go_back(&self) -> bool {
        false
    }

    /// What it remembers between iterations, for a checkpoint.
    fn state(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Takes up what [`Server::state`] gave; refuses what it cannot have given.
    fn restore(&mut self, state: &[f64]) -> Result<()> {
        if state.is_empty() { Ok(()) } else { Err(strange_state()) }
    }
}

/// What a server does to choose what moves: how much work it was.
pub type Choose<'a> = dyn FnMut() -> Work + 'a;

/// The machines, as a server sees them.
pub trait Machines {
    /// How many there are.
    fn count(&self) -> usize;

    /// The number of the next round on the training clock; it keys the workers' random numbers.
    fn next_round(&self) -> u64;

    /// One round: every worker pushes, the pushes are summed into `sum` in an order fixed by worker index. Returns
    /// how many pushes the sum holds.
    fn round(&mut self, order: &Order, shared: &[f64], sum: &mut [f64]) -> Result<usize>;

    /// The server chooses what moves next, and the machines wait for it.
    fn schedule(&mut self, choose: &mut Choose<'_>) {
        choose();
    }

    /// One round, and while the machines compute the server chooses what moves in the one after it. What `choose` comes to must not
    /// depend on the round: it may be done before, beside or after it, but not if the round is refused.
    fn round_and_schedule(
        &mut self,
        order: &Order,
        shared: &[f64],
        sum: &mut [f64],
        choose: &mut Choose<'_>,
    ) -> Result<usize> {
        let held = self.round(order, shared, sum)?;
        self.schedule(choose);
        Ok(held)
    }
}

/// What a server asks of every worker in a round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// The number of the round; equal numbers draw equal random numbers.
    pub round: u64,
    /// What to do.
    pub task: Task,
    /// The columns that it is about, ascending, where it is not about all.
    pub block: Vec<u32>,
    /// Numbers that go with it.
    pub args: Vec<f64>,
    /// Not part of training: evaluation.
    pub off_clock: bool,
}

/// The kinds of work a worker may be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    /// The algorithm's own step.
    Step,
    /// A value along a line search.
    Probe,
    /// The terms of P and D.
    Evaluate,
    /// Make the rows' numbers fit the model in the shared vector.
    Adopt,
}

impl Order {
    /// A step of training.
    pub fn train(on: &dyn Machines, task: Task, args: Vec<f64>) -> Self {
        Self { round: on.next_round(), task, block: Vec::new(), args, off_clock: false }
    }

    /// Work that training time does not count.
    pub fn aside(on: &dyn Machines, task: Task) -> Self {
        Self { round: on.next_round(), task, block: Vec::new(), args: Vec::new(), off_clock: true }
    }
}

/// A checkpoint holds a server's state that the server cannot have written.
pub(crate) fn strange_state() -> Error {
    Error::Evidence("the checkpoint is damaged: delete it to start the run over from its journal".into())
}

/// What a push cost, in the units in which work is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// Rows touched.
    pub rows: u64,
    /// Stored entries of rows touched, once for every time.
    pub entries: u64,
}

impl Work {
    /// Whether it costs less, a row being about as much as an entry more.
    #[inline(always)]
    fn is_less_than(self, other: Self) -> bool {
        self.rows + self.entries < other.rows + other.entries
    }
}

/// What an iteration achieved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The shared vector moved.
    Moved,
    /// It cannot move any more at working precision.
    Stalled,
}

/// How far an algorithm gets with a loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// Converges to P*.
    Exact,
    /// Gets near P*: step sizes or averaging leave a floor, or the rate is sublinear.
    Approximate,
    /// Solves nothing: it only measures what a round costs.
    Idle,
    /// Does not apply.
    No,
}

/// What the rows of a pass cost where loops run as this program's do, in entries of a pass for ∇P over rows taken many at once.
/// Settled by measurement (`bench/src/bin/paces.rs`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    /// An entry.
    pub entry: f64,
    /// A row besides its entries.
    pub row: f64,
}

impl Costs {
    /// Entries alone, as simulated machines count them.
    pub const COUNTED: Self = Self { entry: 1.0, row: 0.0 };
    /// Rows taken many at once.
    pub const IN_BLOCKS: Self = Self { entry: 1.0, row: 0.5 };

    /// Rows taken one by one in a shuffled order, each of which waits for the one before it: for a dot, then for a division, or for an
    /// exponential and two logarithms, and for a sum.
    pub(crate) fn one_by_one(loss: Loss) -> Self {
        if loss == Loss::Logistic { Self { entry: 1.4, row: 45.0 } } else { Self { entry: 1.0, row: 14.0 } }
    }

    /// What a row of so many entries comes to.
    pub fn of_row(self, entries: f64) -> f64 {
        self.entry * entries + self.row
    }
}
