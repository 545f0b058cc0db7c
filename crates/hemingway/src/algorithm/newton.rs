//! Truncated Newton within a trust region, as distributed LIBLINEAR (Lin, Weng & Keerthi 2008; Zhuang et al. 2015). An
//! iteration is one step of conjugate gradients, which takes a round for its product with the Hessian; where they have
//! gone far enough, one more round looks at P and ∇P there and they begin anew. w moves with every step, not only at the
//! end of a descent: P falls all along, and whoever wants no more can leave. The iterates do not depend on m.
//!
//! Where P is unlike a parabola, exact products with a Hessian that is soon another are wasted: there it leaps, a round
//! each, by what is remembered of the Hessian, as L-BFGS does (Nocedal 1980), and then tries a descent again.
//!
//! Row i's number is sᵢφ″(xᵢ·w), so that a product needs one look at the row's entries and none at w. Where rows have several
//! margins, each has a number: φ″, or with softmax the probability of the class.

mod descent;

use descent::{Descent, Look, MEMORY, Region};

use super::pairs::Pairs;
use super::{
    Algorithm, Costs, Machines, Order, Server, Step, Support, Task, Work, Worker, many, primal, strange_state,
};
use crate::Result;
use crate::data::Shard;
use crate::problem::{Classes, Evaluation, Loss, Outline, Scheme};

/// The least curvature believed in at first, as a share of the largest.
const FLATTEST: f64 = 1e-4;
/// After so many descents refused in a row nothing moves at working precision.
const REFUSALS: u32 = 30;
/// Leaps in a row: at first, and at most.
const LEAPS: (u32, u32) = (4, 32);

/// Truncated Newton.
#[derive(Debug, Clone, Copy)]
pub(super) struct Newton;

impl Algorithm for Newton {
    fn name(&self) -> &str {
        "newton"
    }

    fn paced_by_rows(&self) -> bool {
        false
    }

    fn same_on_any(&self) -> bool {
        true
    }

    /// Conjugate gradients do, between clusters of eigenvalues; a new start now and then smooths that out.
    fn falls_in_steps(&self, loss: Loss) -> bool {
        loss.is_parabola()
    }

    fn support(&self, loss: Loss) -> Support {
        if loss.is_smooth() { Support::Exact } else { Support::No }
    }

    /// Products cost what ∇P does, looks with the diagonal of the Hessian twice as much.
    fn costs(&self, _loss: Loss) -> Costs {
        Costs { entry: 1.25, ..Costs::IN_BLOCKS }
    }

    fn width(&self) -> usize {
        1
    }

    fn needs_only_a_model(&self) -> bool {
        true
    }

    fn takes_classes(&self, _scheme: Scheme) -> bool {
        true
    }

    fn worker(&self, outline: &Outline, shard: Shard) -> Box<dyn Worker> {
        let work = primal::pass(outline, &shard);
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
        match (order.task, self.outline.classes) {
            (Task::Evaluate, _) => primal::push_evaluation(order, &self.outline, &self.shard, shared, push),
            (Task::Step, None) => self.push_product(shared, bends, push),
            (Task::Step, Some(classes)) => self.push_joint_product(classes, shared, bends, push),
            (Task::Probe | Task::Adopt, None) => self.push_look(shared, bends, push),
            (Task::Probe | Task::Adopt, Some(classes)) => self.push_joint_look(classes, shared, bends, push),
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

    /// The same look where rows have several margins.
    fn push_joint_look(&self, classes: Classes, w: &[f64], bends: &mut [f64], push: &mut [f64]) {
        let (gradient_and_value, diagonal) = push.split_at_mut(self.outline.coefficients() + 1);
        let note = |i: usize, seen: &[f64]| {
            let (row, s) = (self.shard.row(i), self.shard.weight(i));
            bends[i * classes.count..(i + 1) * classes.count].copy_from_slice(seen);
            for (bend, diagonal) in seen.iter().zip(diagonal.chunks_exact_mut(self.outline.columns)) {
                row.axpy_squares(s * classes.diagonal(*bend), diagonal);
            }
        };
        many::push_gradient_noting(&self.outline, classes, &self.shard, w, gradient_and_value, note);
    }

    /// Σ sᵢ(∇²φᵢ uᵢ) xᵢᵀ, uᵢ being the xᵢ·pₖ.
    fn push_joint_product(&self, classes: Classes, p: &[f64], bends: &[f64], push: &mut [f64]) {
        let mut u = vec![0.0; classes.count];
        for (i, bends) in bends.chunks_exact(classes.count).enumerate() {
            let (row, s) = (self.shard.row(i), self.shard.weight(i));
            many::predict(&self.outline, row, p, &mut u);
            classes.product(bends, &mut u);
            many::spread(&self.outline, row, u.iter().map(|u| s * u), push);
        }
    }
}

struct NewtonServer {
    outline: Outline,
    /// Where the present w comes from; none before the first look, and after a descent was refused.
    descent: Option<Descent>,
    /// What descents and leaps have learned of ∇²P.
    memory: Pairs,
    region: Region,
    refusals: u32,
    /// Leaps still to come, and how many come next time.
    leaps: u32,
    next_leaps: u32,
    sum: Vec<f64>,
}

impl NewtonServer {
    fn new(outline: &Outline) -> Self {
        Self {
            outline: *outline,
            descent: None,
            memory: Pairs::at_most(MEMORY),
            region: Region::unknown(),
            refusals: 0,
            leaps: 0,
            next_leaps: LEAPS.0,
            sum: Vec::new(),
        }
    }

    /// What P bends by at least, as far as one knows; not so little that the first region is without end, unless P is a
    /// parabola, which may be believed everywhere.
    fn least_bend(&self) -> f64 {
        if self.outline.loss.is_parabola() {
            return 0.0;
        }
        let most = self.outline.curvature() * self.outline.mean_norm_sq + self.outline.penalty.l2;
        self.outline.penalty.l2.max(FLATTEST * most).max(f64::MIN_POSITIVE)
    }

    /// P, ∇P and the diagonal of ∇²P in one round.
    fn look(&mut self, on: &mut dyn Machines, w: &[f64]) -> Result<Look> {
        let d = self.outline.coefficients();
        self.sum.resize(2 * d + 1, 0.0);
        on.round(&Order::train(on, Task::Probe, Vec::new()), w, &mut self.sum)?;
        let value = primal::fold_gradient(&self.outline, w, &mut self.sum[..=d]);
        let (n, l2, least) = (self.outline.rows as f64, self.outline.penalty.l2, self.least_bend());
        let (gradient, bends) = (&self.sum[..d], &self.sum[d + 1..]);
        // All rows of a column may lie where the loss is straight.
        let diagonal = |(h, g): (&f64, &f64)| if *h > 0.0 || *g == 0.0 { h / n + l2 } else { least };
        let diagonal = bends.iter().zip(gradient).map(diagonal).collect();
        Ok(Look { value, gradient: gradient.to_vec(), diagonal })
    }

    fn begin(&mut self, w: &[f64], look: Look) {
        self.descent = Some(Descent::from(w, look, &self.memory, &self.region, self.outline.loss.is_parabola()));
    }

    /// Whether to leap on from where a descent has led, and how often.
    fn count_leaps(&mut self) {
        (self.leaps, self.next_leaps) = match self.region.is_plain() {
            true => (0, LEAPS.0),
            false => (self.next_leaps, (2 * self.next_leaps).min(LEAPS.1)),
        };
    }

    /// ∇²P·p into `self.sum`.
    fn product(&mut self, on: &mut dyn Machines, p: &[f64]) -> Result<()> {
        self.sum.resize(self.outline.coefficients(), 0.0);
        on.round(&Order::train(on, Task::Step, Vec::new()), p, &mut self.sum)?;
        let n = self.outline.rows as f64;
        for (h, p) in self.sum.iter_mut().zip(p) {
            *h = *h / n + self.outline.penalty.l2 * p;
        }
        Ok(())
    }

    /// Moves along the product just made, or leaps.
    fn step(&mut self, shared: &mut [f64]) {
        let least_bend = self.least_bend();
        let Some(descent) = &mut self.descent else { return };
        if self.leaps > 0 {
            self.leaps -= 1;
            descent.leap(&self.memory);
        } else {
            self.region.begin(descent, least_bend);
            descent.advance(&self.sum, &self.memory, &self.region);
        }
        descent.write(shared);
    }

    /// Looks where a descent has led. The next starts there, or, if P did not fall as promised, where this one did.
    fn arrive(&mut self, on: &mut dyn Machines, shared: &mut [f64]) -> Result<Step> {
        let look = self.look(on, shared)?;
        // The rows' φ″ are now of the end, and this descent cannot go on.
        let Some(descent) = self.descent.take() else { return Ok(Step::Moved) };
        let leaped = descent.is_leap;
        let taken = if leaped { descent.fell_to(look.value) } else { self.region.judge(&descent, look.value) };
        if taken {
            self.refusals = 0;
            descent.teach(&mut self.memory, &look);
            if !leaped {
                self.count_leaps();
            }
            self.begin(shared, look);
            return Ok(Step::Moved);
        }
        shared.copy_from_slice(&descent.start);
        self.leaps = 0;
        self.refusals += 1;
        // A promise that is no number or none at all cannot be kept.
        Ok(if descent.promised() > 0.0 && self.refusals < REFUSALS { Step::Moved } else { Step::Stalled })
    }
}

impl Server for NewtonServer {
    /// A round may be refused before it begins: until it is over, everything is as it was.
    fn iterate(&mut self, on: &mut dyn Machines, shared: &mut [f64]) -> Result<Step> {
        if self.descent.as_ref().is_some_and(|descent| descent.is_over) && self.arrive(on, shared)? == Step::Stalled {
            return Ok(Step::Stalled);
        }
        if self.descent.is_none() {
            let look = self.look(on, shared)?;
            self.begin(shared, look);
        }
        let Some(descent) = self.descent.as_ref().filter(|descent| !descent.is_at_rest()) else {
            return Ok(Step::Stalled);
        };
        if self.leaps == 0 {
            let direction = descent.direction.clone();
            self.product(on, &direction)?;
        }
        self.step(shared);
        Ok(Step::Moved)
    }

    fn adopt(&mut self, _on: &mut dyn Machines, model: &[f64], shared: &mut [f64]) -> Result<()> {
        shared.copy_from_slice(model);
        *self = Self::new(&self.outline);
        Ok(())
    }

    fn may_go_back(&self) -> bool {
        self.descent.is_some() && self.refusals < REFUSALS
    }

    fn evaluate(&mut self, on: &mut dyn Machines, shared: &[f64]) -> Result<Evaluation> {
        primal::evaluate(&self.outline, on, shared)
    }

    /// [radius, surprise, refusals, leaps, next leaps, pairs], the pairs, and the descent if there is one.
    fn state(&self) -> Vec<f64> {
        let counts = [self.refusals, self.leaps, self.next_leaps, self.memory.len() as u32].map(f64::from);
        let numbers = [self.region.radius, self.region.surprise].into_iter().chain(counts);
        let descent = self.descent.iter().flat_map(Descent::state);
        numbers.chain(self.memory.state()).chain(descent).collect()
    }

    fn restore(&mut self, state: &[f64]) -> Result<()> {
        let d = self.outline.coefficients();
        let [radius, surprise, refusals, leaps, next_leaps, pairs, rest @ ..] = state else {
            return Err(strange_state());
        };
        let (pairs, descent) = rest.split_at_checked(2 * d * *pairs as usize).ok_or_else(strange_state)?;
        self.memory = Pairs::restored(pairs, d, MEMORY).ok_or_else(strange_state)?;
        self.descent = match descent {
            [] => None,
            descent => Some(Descent::restored(descent, d).ok_or_else(strange_state)?),
        };
        self.region = Region { radius: *radius, surprise: *surprise };
        [self.refusals, self.leaps, self.next_leaps] = [*refusals, *leaps, *next_leaps].map(|count| count as u32);
        Ok(())
    }
}
