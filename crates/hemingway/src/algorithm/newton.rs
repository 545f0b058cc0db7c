//! Truncated Newton within a trust region, as distributed LIBLINEAR (Lin, Weng & Keerthi 2008; Zhuang et al. 2015). An
//! iteration is one step of conjugate gradients, which takes a round for its product with the Hessian; where they have
//! gone far enough, one more round looks at P and ∇P there and they begin anew. w moves with every step, not only at the
//! end of a descent: P falls all along, and whoever wants no more can leave. The iterates do not depend on m.
//!
//! Row i's number is sᵢφ″(xᵢ·w), so that a product needs one look at the row's entries and none at w.

mod descent;

use descent::{Descent, Look, Region};

use super::{Algorithm, Machines, Order, Server, Step, Support, Task, Work, Worker, primal, strange_state};
use crate::Result;
use crate::data::Shard;
use crate::problem::{Evaluation, Loss, Outline};

/// The least curvature believed in at first, as a share of the largest.
const FLATTEST: f64 = 1e-4;
/// After so many descents refused in a row nothing moves at working precision.
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

    /// Conjugate gradients do, between clusters of eigenvalues; a new start now and then smooths that out.
    fn falls_in_steps(&self, loss: Loss) -> bool {
        loss.is_parabola()
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
            Task::Probe | Task::Adopt => self.push_look(shared, bends, push),
        }
        self.work
    }
}

impl NewtonWorker {
    /// Σ sᵢφ′ᵢ xᵢ, Σ sᵢφᵢ, and the diagonal of Σ sᵢφ″ᵢ xᵢxᵢᵀ; notes the sᵢφ″.
    fn push_look(&self, w: &[f64], bends: &mut [f64], push: &mut [f64]) {
        let (gradient_and_value, diagonal) = push.split_at_mut(self.outline.columns + 1);
        primal::push_gradient_noting(
            &self.outline,
            &self.shard,
            w,
            gradient_and_value,
            #[inline(always)]
            |block| {
                bends[block.rows.clone()].copy_from_slice(block.bends);
                self.shard.add_squares(block.rows, block.bends, diagonal);
            },
        );
    }

    /// Σ sᵢφ″ᵢ (xᵢ·p) xᵢ.
    fn push_product(&self, p: &[f64], bends: &[f64], push: &mut [f64]) {
        primal::push_product(&self.shard, p, bends, push);
    }
}

struct NewtonServer {
    outline: Outline,
    /// Where the present w comes from; none before the first look, and after a descent was refused.
    descent: Option<Descent>,
    region: Region,
    refusals: u32,
    sum: Vec<f64>,
}

impl NewtonServer {
    fn new(outline: &Outline) -> Self {
        Self { outline: *outline, descent: None, region: Region::unknown(), refusals: 0, sum: Vec::new() }
    }

    /// What P bends by at least, as far as one knows; not so little that the first region is without end, unless P is a
    /// parabola, which may be believed everywhere.
    fn least_bend(&self) -> f64 {
        if self.outline.loss.is_parabola() {
            return 0.0;
        }
        let most = self.outline.loss.curvature() * self.outline.mean_norm_sq + self.outline.penalty.l2;
        self.outline.penalty.l2.max(FLATTEST * most).max(f64::MIN_POSITIVE)
    }

    /// P, ∇P and the diagonal of ∇²P in one round.
    fn look(&mut self, on: &mut dyn Machines, w: &[f64]) -> Result<Look> {
        let d = self.outline.columns;
        self.sum.resize(2 * d + 1, 0.0);
        on.round(&Order::train(on, Task::Probe, Vec::new()), w, &mut self.sum)?;
        let value = primal::fold_gradient(&self.outline, w, &mut self.sum[..=d]);
        let (n, l2) = (self.outline.rows as f64, self.outline.penalty.l2);
        let diagonal = self.sum[d + 1..].iter().map(|h| h / n + l2).collect();
        Ok(Look { value, gradient: self.sum[..d].to_vec(), diagonal })
    }

    fn begin(&mut self, w: &[f64], look: Look, last: Option<Descent>) {
        self.descent = Some(Descent::from(w, look, last, &self.region, self.outline.loss.is_parabola()));
    }

    /// ∇²P·p into `self.sum`.
    fn product(&mut self, on: &mut dyn Machines, p: &[f64]) -> Result<()> {
        self.sum.resize(self.outline.columns, 0.0);
        on.round(&Order::train(on, Task::Step, Vec::new()), p, &mut self.sum)?;
        let n = self.outline.rows as f64;
        for (h, p) in self.sum.iter_mut().zip(p) {
            *h = *h / n + self.outline.penalty.l2 * p;
        }
        Ok(())
    }

    /// Looks where a descent has led. The next starts there, or, if P did not fall as promised, where this one did.
    fn arrive(&mut self, on: &mut dyn Machines, descent: Descent, shared: &mut [f64]) -> Result<Step> {
        // From here on the rows' φ″ are of the end, and this descent cannot go on.
        let look = self.look(on, shared)?;
        if self.region.judge(&descent, look.value) {
            self.refusals = 0;
            self.begin(shared, look, Some(descent));
            return Ok(Step::Moved);
        }
        shared.copy_from_slice(&descent.start);
        self.refusals += 1;
        // A promise that is no number or none at all cannot be kept.
        Ok(if descent.promised() > 0.0 && self.refusals < REFUSALS { Step::Moved } else { Step::Stalled })
    }
}

impl Server for NewtonServer {
    fn iterate(&mut self, on: &mut dyn Machines, shared: &mut [f64]) -> Result<Step> {
        if let Some(descent) = self.descent.take_if(|descent| descent.is_over)
            && self.arrive(on, descent, shared)? == Step::Stalled
        {
            return Ok(Step::Stalled);
        }
        if self.descent.is_none() {
            let look = self.look(on, shared)?;
            self.begin(shared, look, None);
        }
        let Some(mut descent) = self.descent.take_if(|descent| !descent.is_at_rest()) else { return Ok(Step::Stalled) };
        self.region.begin(&descent, self.least_bend());
        self.product(on, &descent.direction)?;
        descent.advance(&self.sum, &self.region);
        descent.write(shared);
        self.descent = Some(descent);
        Ok(Step::Moved)
    }

    fn adopt(&mut self, _on: &mut dyn Machines, model: &[f64], shared: &mut [f64]) -> Result<()> {
        shared.copy_from_slice(model);
        *self = Self::new(&self.outline);
        Ok(())
    }

    fn evaluate(&mut self, on: &mut dyn Machines, shared: &[f64]) -> Result<Evaluation> {
        primal::evaluate(&self.outline, on, shared)
    }

    /// [radius, surprise, refusals], and the descent if there is one.
    fn state(&self) -> Vec<f64> {
        let descent = self.descent.iter().flat_map(Descent::state);
        [self.region.radius, self.region.surprise, f64::from(self.refusals)].into_iter().chain(descent).collect()
    }

    fn restore(&mut self, state: &[f64]) -> Result<()> {
        let [radius, surprise, refusals, descent @ ..] = state else { return Err(strange_state()) };
        self.descent = match descent {
            [] => None,
            descent => Some(Descent::restored(descent, self.outline.columns).ok_or_else(strange_state)?),
        };
        self.region = Region { radius: *radius, surprise: *surprise };
        self.refusals = *refusals as u32;
        Ok(())
    }
}
