//! Moves: which block, and how much of its changes is taken.

use super::{EPOCHS, LAST_SWEEP, Phase, SETTLED, SWEEPS, StradsServer, TOTALS, gathered};
use crate::Result;
use crate::algorithm::{Machines, Order, Step, Task};
use crate::data::matrix::{axpy, dot};
use crate::placement::Placement;
use crate::rng::{Purpose, keyed};
use crate::schedule::dynamic::{Choice, Dynamic};

impl StradsServer {
    fn placement(&self, on: &dyn Machines) -> Placement {
        Placement::even(self.columns(), on.count())
    }

    /// The columns of the next round.
    fn block(&mut self, on: &mut dyn Machines) -> Vec<u32> {
        if let Some(rival) = &self.rival {
            return rival.block(&self.placement(on), self.outline.seed, on.next_round());
        }
        if on.count() == 1 || self.all_at_once {
            return self.dynamic.pool().collect();
        }
        if self.dynamic.next(on.count()).is_none() {
            let (placement, round) = (self.placement(on), on.next_round());
            on.schedule(&mut || {
                let choice = choose(&self.dynamic, &[], &placement, (self.outline.seed, round));
                let work = choice.work;
                self.dynamic.follow(choice);
                work
            });
        }
        self.dynamic.next(on.count()).unwrap_or_default().to_vec()
    }

    /// The round of a block; and, if that is wanted, the choice of the one that moves after it.
    fn round_of(&mut self, on: &mut dyn Machines, order: &Order, sent: &[f64]) -> Result<Option<Choice>> {
        let chooses = self.pipeline && self.dynamic.next(on.count()).is_some();
        if !chooses {
            on.round(order, sent, &mut self.sum)?;
            return Ok(None);
        }
        let (placement, key) = (self.placement(on), (self.outline.seed, order.round + 1));
        let mut choice = None;
        on.round_and_schedule(order, sent, &mut self.sum, &mut || {
            choice.insert(choose(&self.dynamic, &order.block, &placement, key)).work
        })?;
        Ok(choice)
    }

    pub(super) fn move_block(&mut self, on: &mut dyn Machines, shared: &mut [f64]) -> Result<Step> {
        let n = self.outline.rows;
        let block = self.block(on);
        let sent = gathered(&shared[..n], &shared[n..], &block);
        let epochs = match self.rival {
            Some(_) => 1,
            None if on.count() == 1 => EPOCHS.0,
            None => EPOCHS.1,
        };
        self.sum.clear();
        self.sum.resize(n + block.len() + TOTALS, 0.0);
        let mut args = vec![f64::from(epochs), self.outline.penalty.l1];
        args.extend(self.settled_at(on.count()));
        let order = Order { block, ..Order::train(on, Task::Step, args) };
        let ahead = self.round_of(on, &order, &sent)?;
        self.weighted |= self.sum.last().is_some_and(|weights| *weights > 0.0);
        let (share, gain, lost) = self.share();
        let (moved, changes) = self.sum.split_at(n);
        let changes = &changes[..order.block.len()];
        axpy(share, moved, &mut shared[..n]);
        for (column, change) in order.block.iter().zip(changes) {
            shared[n + *column as usize] += share * change;
        }
        self.still = if changes.iter().all(|change| *change == 0.0) { self.still + 1 } else { 0 };
        if self.rival.is_none() {
            self.dynamic.observe(&order.block, changes);
            self.dynamic.learn(lost);
        }
        self.gained += gain;
        let step = self.end_of_round(on.count(), order.block.len());
        // After a look there is another pool.
        if let Some(choice) = ahead.filter(|_| self.phase == Phase::Move) {
            self.dynamic.follow(choice);
        }
        Ok(step)
    }

    /// The gap at which a machine may leave the pool, if nobody moves beside it.
    fn settled_at(&self, machines: usize) -> Option<f64> {
        let alone = machines == 1 && self.rival.is_none() && self.gap.is_finite();
        alone.then(|| match self.wanted {
            // A parabola is the problem itself; any other bends as it is followed.
            Some(wanted) if self.outline.loss.is_parabola() => SETTLED.sqrt() * wanted,
            Some(wanted) => SETTLED * wanted.max(self.gap),
            None => SETTLED * self.gap.max(0.0),
        })
    }

    /// The share of the changes that is taken, what it gains, and the part of the gain that is lost by columns that were in
    /// each other's way. Each machine's change alone gains Gₖ, and γ of it at least γGₖ; together they lose γ²I, I = (c/n) Σ_{k<l}
    /// uₖ·uₗ, exactly so where P is a parabola: γ = G/2I is best, or 1.
    fn share(&self) -> (f64, f64, f64) {
        let [.., gain, weighted, plain, movers, _] = self.sum[..] else { return (1.0, 0.0, 0.0) };
        if self.rival.is_some() || movers <= 1.0 {
            return (1.0, gain, 0.0);
        }
        let moved = &self.sum[..self.outline.rows];
        let lost = self.outline.loss.curvature() * (dot(moved, moved) - plain) / (2.0 * self.outline.rows as f64);
        // What rows count for is theirs to know: averaging is safe without.
        let share = match () {
            () if self.cautious || weighted != plain => 1.0 / movers,
            () if lost > 0.0 => (0.5 * gain / lost).min(1.0),
            () => 1.0,
        };
        (share, share * gain - share * share * lost.max(0.0), if gain > 0.0 { lost.max(0.0) / gain } else { 0.0 })
    }

    /// Whether to go on moving, to look again, or to stop.
    fn end_of_round(&mut self, machines: usize, block: usize) -> Step {
        if self.rival.is_some() {
            // Nobody has moved although everybody had a turn, a few times over.
            let turns = self.still * block as u64 / self.columns().max(1) as u64;
            return if turns > 20 { Step::Stalled } else { Step::Moved };
        }
        if machines == 1 {
            self.phase = Phase::Look;
        } else if self.all_at_once || self.dynamic.is_swept() {
            self.sweeps += 1;
            self.first = self.first.max(self.gained);
            if self.gained <= LAST_SWEEP * self.first && self.sweeps > 1 || self.sweeps == SWEEPS || self.gained <= 0.0
            {
                self.phase = Phase::Look;
            }
            self.gained = 0.0;
        }
        Step::Moved
    }
}

fn choose(dynamic: &Dynamic, moving: &[u32], placement: &Placement, (seed, round): (u64, u64)) -> Choice {
    dynamic.choose(moving, placement, || keyed(seed, Purpose::Schedule, 0, round))
}
