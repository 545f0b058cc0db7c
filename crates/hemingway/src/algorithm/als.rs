//! Alternating least squares: every user's factor is set to the best for the items' as they are, then every item's to the
//! best for the users' (Zhou et al. 2008; Hu, Koren, Volinsky 2008 for implicit feedback). Each is a ridge regression of its own, so
//! machines hold users and items both, and what is sent is the factors of the other side.
//!
//! An iteration is two rounds. With `als:cg=3` each regression takes three steps of conjugate gradients from where it was
//! instead (Takács, Pilászy, Tikk 2011): far fewer multiplications, nearly the same gain. With `cuts=measured` users and items are dealt
//! anew when machines drift apart.

mod conjugate;
mod lanes;
mod regression;

use std::sync::Arc;

use super::{Algorithm, Machines, Order, Server, Step, Support, Task, Work, Worker, factors};
use crate::Result;
use crate::data::Shard;
use crate::problem::{Evaluation, Factors, Loss, Outline, gram};
use crate::simd::widest;
use conjugate::Conjugate;
use regression::Regression;

/// The most steps that make sense: beyond them the exact way is cheaper.
const MOST_STEPS: usize = 100;

/// Alternating least squares.
#[derive(Debug, Clone)]
pub(super) struct Als {
    name: String,
    steps: Option<usize>,
    recuts: bool,
}

impl Default for Als {
    fn default() -> Self {
        Self { name: "als".into(), steps: None, recuts: false }
    }
}

impl Algorithm for Als {
    fn name(&self) -> &str {
        &self.name
    }

    fn tuned(&self, settings: &str) -> std::result::Result<Arc<dyn Algorithm>, String> {
        let mut tuned = Self::default();
        for setting in settings.split(':') {
            let steps = setting.strip_prefix("cg=").and_then(|steps| steps.parse().ok());
            match steps.filter(|steps| (1..=MOST_STEPS).contains(steps)) {
                Some(_) if tuned.steps.is_some() => return Err("als: cg is given twice".into()),
                Some(steps) => tuned.steps = Some(steps),
                None if setting == factors::RECUT && tuned.recuts => {
                    return Err(format!("als: {setting} is given twice"));
                }
                None if setting == factors::RECUT => tuned.recuts = true,
                None => {
                    let recut = factors::RECUT;
                    return Err(format!("als takes cg=STEPS, from 1 to {MOST_STEPS}, and {recut}, and no `{setting}`"));
                }
            }
        }
        let steps = tuned.steps.map(|steps| format!(":cg={steps}")).unwrap_or_default();
        let recut = if tuned.recuts { format!(":{}", factors::RECUT) } else { String::new() };
        tuned.name = format!("als{steps}{recut}");
        Ok(Arc::new(tuned))
    }

    fn is_beside(&self, order: &Order) -> bool {
        order.args.first() == Some(&ITEMS)
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

    fn holds_columns(&self) -> bool {
        true
    }

    /// Users and items on different machines differ in nothing but rounding.
    fn same_on_any(&self) -> bool {
        true
    }

    /// Rounds differ much from those of other algorithms: nothing is learnt of one from the others.
    fn passes(&self, _entries: f64) -> f64 {
        8.0
    }

    /// A factorization of K³/6 multiplications where an entry takes K²/2; of conjugate gradients K² where it takes 2K.
    fn row_work(&self, outline: &Outline) -> f64 {
        let width = factors::of(outline).width() as f64;
        if self.steps.is_some() { width / 2.0 } else { width / 3.0 }
    }

    fn shared(&self, outline: &Outline) -> Vec<f64> {
        factors::first(outline)
    }

    fn worker(&self, outline: &Outline, shard: Shard) -> Box<dyn Worker> {
        Box::new(Half { outline: *outline, shard, steps: self.steps, desk: None })
    }

    fn server(&self, outline: &Outline) -> Box<dyn Server> {
        Box::new(Alternating { outline: *outline, warm: self.steps.is_some(), sent: Vec::new(), sum: Vec::new() })
    }
}

/// How orders number the side of the items.
const ITEMS: f64 = 1.0;

/// Whose factors a round sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Users,
    Items,
}

impl Side {
    fn of(order: &Order) -> Self {
        if order.args[0] == ITEMS { Self::Items } else { Self::Users }
    }

    fn order(self, on: &dyn Machines) -> Order {
        let number = match self {
            Self::Users => 0.0,
            Self::Items => ITEMS,
        };
        Order::train(on, Task::Step, vec![number])
    }
}

/// What a round sends: the Gram matrix of the other side where absent entries count, the other side's factors, and this side's
/// own where they are where steps begin.
struct Sent<'a> {
    gram: &'a [f64],
    others: &'a [f64],
    own: &'a [f64],
}

impl<'a> Sent<'a> {
    fn of(factors: Factors, others: usize, shared: &'a [f64]) -> Self {
        let width = factors.width();
        let (gram, rest) = shared.split_at(if factors.biased() { 0 } else { width * width });
        let (others, own) = rest.split_at(others * width);
        Self { gram, others, own }
    }
}

/// One user's, or item's, least squares.
enum Desk {
    Exact(Regression),
    Steps(Conjugate, usize),
}

struct Half {
    outline: Outline,
    shard: Shard,
    steps: Option<usize>,
    desk: Option<Desk>,
}

impl Worker for Half {
    fn push(&mut self, order: &Order, shared: &[f64], _items: &mut [f64], push: &mut [f64]) -> Work {
        match order.task {
            Task::Evaluate => factors::push_evaluation(&self.outline, &self.shard, shared, push),
            Task::Step | Task::Probe | Task::Adopt => self.solve(Side::of(order), shared, push),
        }
    }
}

impl Half {
    fn solve(&mut self, side: Side, shared: &[f64], push: &mut [f64]) -> Work {
        let Self { outline, shard, steps, desk } = self;
        let factors = factors::of(outline);
        let (held, others) = match side {
            Side::Users => (&*shard, outline.columns),
            Side::Items => (shard.across().unwrap_or(shard), outline.rows),
        };
        let (width, l2) = (factors.width(), outline.penalty.l2);
        let desk = desk.get_or_insert_with(|| match steps {
            None => Desk::Exact(Regression::new(factors, l2)),
            Some(steps) => Desk::Steps(Conjugate::new(factors, l2), *steps),
        });
        let sent = Sent::of(factors, others, shared);
        let start = held.start();
        let push = &mut push[start * width..(start + held.len()) * width];
        widest(
            #[inline(always)]
            || match desk {
                Desk::Exact(regression) => {
                    for (k, x) in push.chunks_exact_mut(width).enumerate() {
                        regression.solve(held.row(k), &sent, x);
                    }
                }
                Desk::Steps(conjugate, steps) => {
                    conjugate.begin(sent.gram);
                    for (k, x) in push.chunks_exact_mut(width).enumerate() {
                        x.copy_from_slice(&sent.own[(start + k) * width..][..width]);
                        conjugate.improve(held.row(k), &sent, *steps, x);
                    }
                }
            },
        );
        let (entry, row) = match steps {
            None => (width * width / 2, width * width * width / 6),
            Some(steps) => (2 * width * (*steps + 1), width * width * (*steps + 1)),
        };
        let rows = held.len() as u64;
        Work { rows, entries: held.stored() * factors::work_of(entry) + rows * factors::work_of(row) }
    }
}

struct Alternating {
    outline: Outline,
    /// Regressions begin where they ended.
    warm: bool,
    sent: Vec<f64>,
    sum: Vec<f64>,
}

impl Alternating {
    /// Sets the factors of one side; whether any moved.
    fn set(&mut self, side: Side, on: &mut dyn Machines, shared: &mut [f64]) -> Result<bool> {
        let factors = factors::of(&self.outline);
        let (items, users) = shared.split_at_mut(self.outline.columns * factors.width());
        let (own, others) = if side == Side::Users { (users, items) } else { (items, users) };
        self.sent.clear();
        if !factors.biased() {
            self.sent.extend(gram(others, factors.width()));
        }
        self.sent.extend_from_slice(others);
        if self.warm {
            self.sent.extend_from_slice(own);
        }
        self.sum.resize(own.len(), 0.0);
        on.round(&side.order(on), &self.sent, &mut self.sum)?;
        let moved = *own != self.sum[..];
        own.copy_from_slice(&self.sum);
        Ok(moved)
    }
}

impl Server for Alternating {
    fn iterate(&mut self, on: &mut dyn Machines, shared: &mut [f64]) -> Result<Step> {
        let users = self.set(Side::Users, on, shared)?;
        let items = self.set(Side::Items, on, shared)?;
        Ok(if users || items { Step::Moved } else { Step::Stalled })
    }

    fn evaluate(&mut self, on: &mut dyn Machines, shared: &[f64]) -> Result<Evaluation> {
        factors::evaluate(&self.outline, on, shared)
    }
}
