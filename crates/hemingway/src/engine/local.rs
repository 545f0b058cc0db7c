//! Threads of this machine: m workers on min(m, cores) threads.

use std::time::Instant;

use super::crew::{Crew, Slot};
use super::dealt::Dealt;
use super::{Clock, Engine, RoundTime, Setting, check_machines};
use crate::Result;
use crate::algorithm::{Choose, Machines, Order, strange_state};
use crate::sync::TreeSum;

/// The local engine.
pub struct Local {
    setting: Setting,
    dealt: Dealt,
    crew: Crew,
    tree: TreeSum,
    clock: Clock,
    threads: usize,
}

/// How many threads can run at once here.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl Local {
    /// Deals the rows to workers on threads.
    pub fn new(setting: Setting, machines: usize) -> Result<Self> {
        Self::on_threads(setting, machines, cores())
    }

    /// The same on at most so many threads.
    pub fn on_threads(setting: Setting, machines: usize, threads: usize) -> Result<Self> {
        let first = setting.first_items();
        let mut engine = Self {
            dealt: Dealt::new(&setting, 1),
            setting,
            crew: Crew::default(),
            tree: TreeSum::default(),
            clock: Clock::default(),
            threads,
        };
        check_machines(machines)?;
        engine.deal(Dealt::new(&engine.setting, machines), &first);
        Ok(engine)
    }

    fn deal(&mut self, dealt: Dealt, items: &[f64]) {
        // The old workers go before the new ones come: both would be too many.
        self.crew = Crew::default();
        self.dealt = dealt;
        let shards = self.dealt.shards(&self.setting).into_iter();
        let workers = shards.map(|shard| self.setting.algorithm.worker(&self.setting.outline, shard));
        let slots = workers.zip(self.items_of_workers(items)).map(|(worker, items)| Slot { worker, items });
        self.crew = Crew::new(slots.collect(), self.threads);
    }

    /// The rows' numbers, cut as the rows are.
    fn items_of_workers<'a>(&'a self, items: &'a [f64]) -> impl Iterator<Item = Vec<f64>> + 'a {
        let width = self.setting.width();
        self.dealt.own.ranges().map(move |range| items[range.start * width..range.end * width].to_vec())
    }

    fn round_beside(
        &mut self,
        order: &Order,
        shared: &[f64],
        sum: &mut [f64],
        choose: Option<&mut Choose<'_>>,
    ) -> Result<usize> {
        let began = Instant::now();
        let m = self.count();
        let buffers: Vec<_> = (0..m).map(|_| self.tree.buffer(sum.len())).collect();
        let buffering = began.elapsed().as_secs_f64();
        let shift = self.crew.round(order, shared, buffers, choose)?;
        let arrived = began.elapsed().as_secs_f64();
        self.dealt.note(&self.setting, order, || shift.seconds.clone());
        for push in shift.pushes {
            self.tree.add(push);
        }
        self.tree.finish(sum);

        let whole = began.elapsed().as_secs_f64();
        let (compute, sync) = (shift.mean, buffering + shift.handing + (whole - arrived));
        // The mean of equal numbers may round above them.
        let wait = (shift.slowest - compute).max(0.0);
        let other = (whole - compute - wait - sync).max(0.0);
        self.clock.book(order.off_clock, shift.work.rows, RoundTime { compute, wait, sync, other, plain_sync: 0.0 });
        Ok(m)
    }
}

impl Machines for Local {
    fn count(&self) -> usize {
        self.dealt.own.machines()
    }

    fn next_round(&self) -> u64 {
        self.clock.rounds + 1
    }

    fn round(&mut self, order: &Order, shared: &[f64], sum: &mut [f64]) -> Result<usize> {
        self.round_beside(order, shared, sum, None)
    }

    fn schedule(&mut self, choose: &mut Choose<'_>) {
        let began = Instant::now();
        choose();
        self.clock.other += began.elapsed().as_secs_f64();
    }

    fn round_and_schedule(
        &mut self,
        order: &Order,
        shared: &[f64],
        sum: &mut [f64],
        choose: &mut Choose<'_>,
    ) -> Result<usize> {
        self.round_beside(order, shared, sum, Some(choose))
    }
}

impl Engine for Local {
    fn clock(&self) -> Clock {
        self.clock
    }

    fn set_clock(&mut self, clock: Clock) {
        self.clock = clock;
    }

    fn items(&mut self) -> Result<Vec<f64>> {
        self.crew.items()
    }

    fn set_items(&mut self, items: &[f64]) -> Result<()> {
        self.setting.check_items(items)?;
        let cut: Vec<_> = self.items_of_workers(items).collect();
        self.crew.set_items(cut.into_iter())
    }

    fn resize(&mut self, machines: usize) -> Result<()> {
        let began = Instant::now();
        check_machines(machines)?;
        let items = self.items()?;
        self.deal(Dealt::new(&self.setting, machines), &items);
        self.clock.loading += began.elapsed().as_secs_f64();
        Ok(())
    }

    /// Threads share one memory: nothing moves but the rows' numbers.
    fn rebalance(&mut self) -> Result<bool> {
        let began = Instant::now();
        let Some(again) = self.dealt.again(&self.setting, |_, _| 0.0) else { return Ok(false) };
        let items = self.items()?;
        self.deal(again, &items);
        self.clock.loading += began.elapsed().as_secs_f64();
        Ok(true)
    }

    fn balance(&self) -> Vec<f64> {
        self.dealt.state(&self.setting)
    }

    fn set_balance(&mut self, balance: &[f64]) -> Result<()> {
        if balance.is_empty() {
            return Ok(());
        }
        let dealt = self.dealt.restored(balance).ok_or_else(strange_state)?;
        let items = self.items()?;
        self.deal(dealt, &items);
        Ok(())
    }
}
