//! CoCoA and CoCoA+: every machine improves its own rows' dual variables for a local epoch, the changes of w are
//! averaged (CoCoA; Jaggi et al. 2014, Algorithm 1) or added (CoCoA+; Ma et al. 2015, Algorithm 1, γ = 1, σ′ = m). Epochs, γ and
//! σ′ can be set: `cocoa+:epochs=4`.
//!
//! An epoch is as much work as one pass over the rows. A row whose αᵢ rests at a bound is looked at ever more seldom, and
//! the work saved goes to those that still move (in the spirit of Hsieh et al. 2008, §3.2, but no row is ever set aside).
//!
//! Row i's numbers, for each of its margins, are αᵢ and for how many rounds it has rested, the shared vector is v(α) =
//! Σ sᵢαᵢxᵢ / (λ₂n), and w(α) is v shrunk by λ₁/λ₂ (Shalev-Shwartz & Zhang 2014, Prox-SDCA; without λ₁ it is v itself);
//! both P(w) and D(α) are known exactly.

mod epoch;
mod tuning;
mod visits;

use std::borrow::Cow;
use std::sync::Arc;

use epoch::{Beside, Epoch};
use tuning::Tuning;
use visits::{Visits, WIDTH};

use super::{Algorithm, Costs, Machines, Order, Server, Step, Support, Task, Work, Worker, dual, primal};
use crate::Result;
use crate::data::Shard;
use crate::problem::{Evaluation, Loss, Outline, Scheme};
use crate::rng::{Purpose, keyed};

/// CoCoA in its two forms.
#[derive(Debug, Clone)]
pub(super) struct Cocoa {
    adding: bool,
    tuning: Tuning,
    name: String,
    /// What it is on one machine, where adding is averaging.
    alone: String,
}

impl Cocoa {
    pub(super) fn averaging() -> Self {
        Self::new(false, Tuning::default())
    }

    pub(super) fn adding() -> Self {
        Self::new(true, Tuning::default())
    }

    fn new(adding: bool, tuning: Tuning) -> Self {
        let name = format!("{}{tuning}", if adding { "cocoa+" } else { "cocoa" });
        let alone = if tuning.aggregates_as_usual() { format!("cocoa{tuning}") } else { name.clone() };
        Self { adding, tuning, name, alone }
    }

    /// (γ, σ′): how much of every machine's change is taken, and how careful the local problem must be about the
    /// others' (Ma et al. 2015, Lemma 4: σ′ = γm is safe).
    fn aggregation(&self, machines: usize) -> (f64, f64) {
        let m = machines as f64;
        let (gamma, safe) = match self.tuning.gamma {
            Some(gamma) => (gamma, gamma * m),
            None if self.adding => (1.0, m),
            None => (1.0 / m, 1.0),
        };
        (gamma, self.tuning.sigma.unwrap_or(safe))
    }
}

impl Algorithm for Cocoa {
    fn name(&self) -> &str {
        &self.name
    }

    fn tuned(&self, settings: &str) -> std::result::Result<Arc<dyn Algorithm>, String> {
        let tuning = Tuning::parse(settings).map_err(|what| format!("{what} of {}", self.name))?;
        Ok(Arc::new(Self::new(self.adding, tuning)))
    }

    fn passes(&self, _entries: f64) -> f64 {
        self.tuning.epochs
    }

    /// One machine's change is added whole either way.
    fn alone(&self) -> &str {
        &self.alone
    }

    fn is_dual(&self) -> bool {
        true
    }

    fn takes_l1(&self) -> bool {
        true
    }

    fn support(&self, _loss: Loss) -> Support {
        Support::Exact
    }

    fn costs(&self, loss: Loss) -> Costs {
        Costs::one_by_one(loss)
    }

    /// Of softmax the α of a row move only together.
    fn takes_classes(&self, scheme: Scheme) -> bool {
        scheme == Scheme::OneVsRest
    }

    fn width(&self) -> usize {
        WIDTH
    }

    fn worker(&self, outline: &Outline, shard: Shard) -> Box<dyn Worker> {
        let beside = Beside::rows(&shard);
        Box::new(CocoaWorker { outline: *outline, shard, beside, visits: Visits::default(), before: Vec::new() })
    }

    fn model<'a>(&self, outline: &Outline, shared: &'a [f64]) -> Cow<'a, [f64]> {
        dual::model(outline, shared)
    }

    fn server(&self, outline: &Outline) -> Box<dyn Server> {
        Box::new(CocoaServer { outline: *outline, variant: self.clone(), sum: vec![0.0; outline.coefficients()] })
    }
}

struct CocoaWorker {
    outline: Outline,
    shard: Shard,
    beside: Vec<Beside>,
    visits: Visits,
    before: Vec<f64>,
}

impl Worker for CocoaWorker {
    fn push(&mut self, order: &Order, shared: &[f64], items: &mut [f64], push: &mut [f64]) -> Work {
        let (rows, _) = items.as_chunks_mut::<WIDTH>();
        match order.task {
            Task::Evaluate => {
                let alpha = rows.iter().map(|[alpha, _]| *alpha);
                dual::push_evaluation(&self.outline, &self.shard, shared, alpha, push);
            }
            Task::Adopt => {
                let alpha = rows.iter_mut().map(|[alpha, rested]| {
                    *rested = 0.0;
                    alpha
                });
                dual::push_adopted(order, &self.outline, &self.shard, shared, alpha, push);
            }
            Task::Step | Task::Probe => return self.local_epoch(order, shared, rows, push),
        }
        primal::pass(&self.outline, &self.shard)
    }
}

impl CocoaWorker {
    /// Exact dual coordinate steps, as many as so many passes over all rows would cost. The push doubles as the moving copy
    /// v = w + σ′Δw, so that a worker keeps nothing of the model's length.
    fn local_epoch(&mut self, order: &Order, w: &[f64], rows: &mut [[f64; WIDTH]], v: &mut [f64]) -> Work {
        let [gamma, sigma, epochs] = order.args[..] else { unreachable!("the server sends γ, σ′ and its epochs") };
        self.before.clear();
        if gamma != 1.0 {
            self.before.extend(rows.iter().map(|[alpha, _]| *alpha));
        }
        self.visits.begin(rows);
        v.copy_from_slice(w);
        let rng = keyed(self.shard.seed, Purpose::Visit, self.shard.worker, order.round);
        let Self { outline, shard, beside, visits, before } = self;
        let work = Epoch::new(outline, shard, beside, sigma, rows).times(epochs).run(visits, rng, v);

        for ([alpha, _], before) in rows.iter_mut().zip(before) {
            *alpha = *before + gamma * (*alpha - *before);
        }
        for (v, w) in v.iter_mut().zip(w) {
            *v = gamma / sigma * (*v - w);
        }
        // A row has been looked at once all of its margins have.
        Work { rows: work.rows / self.outline.outputs() as u64, ..work }
    }
}

struct CocoaServer {
    outline: Outline,
    variant: Cocoa,
    sum: Vec<f64>,
}

impl Server for CocoaServer {
    fn iterate(&mut self, on: &mut dyn Machines, shared: &mut [f64]) -> Result<Step> {
        let (gamma, sigma) = self.variant.aggregation(on.count());
        on.round(&Order::train(on, Task::Step, vec![gamma, sigma, self.variant.tuning.epochs]), shared, &mut self.sum)?;
        primal::add(&self.sum, shared);
        Ok(if self.sum.iter().all(|v| *v == 0.0) { Step::Stalled } else { Step::Moved })
    }

    fn adopt(&mut self, on: &mut dyn Machines, model: &[f64], shared: &mut [f64]) -> Result<()> {
        dual::adopt(&self.outline, on, model, &mut self.sum, shared)
    }

    fn evaluate(&mut self, on: &mut dyn Machines, shared: &[f64]) -> Result<Evaluation> {
        dual::evaluate(&self.outline, on, shared)
    }
}
