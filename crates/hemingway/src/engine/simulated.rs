//! A cluster on a virtual clock: the arithmetic is real, the seconds are those of the cluster file. One worker
//! computes after the other, so that any number of machines fits in the memory of one.

mod timekeeper;
mod toll;

use std::time::Instant;

use super::dealt::Dealt;
use super::{Clock, Engine, Setting, check_machines};
use crate::algorithm::{Choose, Machines, Order, Worker, strange_state};
use crate::cluster::Cluster;
use crate::data::matrix::BYTES_PER_ENTRY;
use crate::placement::Placement;
use crate::sync::TreeSum;
use crate::{Error, Result};
pub use timekeeper::{Done, Timekeeper, moving_seconds};
use toll::Toll;

/// The simulated engine.
pub struct Simulated {
    setting: Setting,
    cluster: Cluster,
    dealt: Dealt,
    workers: Vec<Box<dyn Worker>>,
    timekeeper: Timekeeper,
    /// Where rounds are exchanged otherwise than by the cluster's own collective.
    toll: Option<Toll>,
    /// What each machine did in the last round.
    done: Vec<Done>,
    items: Vec<f64>,
    tree: TreeSum,
    clock: Clock,
}

impl Simulated {
    /// Deals the rows to simulated machines.
    pub fn new(setting: Setting, cluster: Cluster, machines: usize) -> Result<Self> {
        let cluster = cluster.running(setting.algorithm.name());
        let mut engine = Self {
            items: setting.first_items(),
            dealt: Dealt::new(&setting, 1),
            timekeeper: Timekeeper::new(&cluster, setting.problem.seed, &[0.0]),
            toll: None,
            setting,
            cluster,
            workers: Vec::new(),
            done: Vec::new(),
            tree: TreeSum::default(),
            clock: Clock::default(),
        };
        engine.check(machines)?;
        engine.deal(Dealt::new(&engine.setting, machines))?;
        Ok(engine)
    }

    /// What each machine did in the last round: another cluster's [`Timekeeper`] can tell how long it would have taken.
    pub fn last_round(&self) -> &[Done] {
        &self.done
    }

    fn check(&self, machines: usize) -> Result<()> {
        check_machines(machines)?;
        if machines > self.cluster.machines {
            let what =
                format!("{machines} machines asked of {}, which has {}", self.cluster.name, self.cluster.machines);
            return Err(Error::setting("--machines", what));
        }
        Ok(())
    }

    fn deal(&mut self, dealt: Dealt) -> Result<()> {
        self.toll = Toll::new(self.setting.rounds.as_ref(), dealt.own.machines())?;
        self.dealt = dealt;
        let shards = self.dealt.shards(&self.setting);
        let each = self.setting.problem.data.matrix.entry_bytes();
        let held: Vec<f64> = shards.iter().map(|shard| shard.stored() as f64 * each).collect();
        self.timekeeper = Timekeeper::new(&self.cluster, self.setting.problem.seed, &held);
        let setting = &self.setting;
        self.workers = shards.into_iter().map(|shard| setting.algorithm.worker(&setting.outline, shard)).collect();
        Ok(())
    }

    /// Seconds it takes to cut rows, or columns, otherwise.
    fn moving(&self, from: &Placement, to: &Placement) -> f64 {
        let bytes = self.setting.problem.data.matrix.stored() as f64 * BYTES_PER_ENTRY / from.items() as f64;
        moving_seconds(&self.cluster.network, from, to, bytes)
    }

    /// Seconds that the server takes to choose what moves.
    fn scheduling(&self, choose: &mut Choose<'_>) -> f64 {
        let began = Instant::now();
        let work = choose();
        self.timekeeper.even_seconds((work, began.elapsed().as_secs_f64()))
    }

    /// A round while which the server schedules for so many seconds: it lasts as long as whoever computes longest.
    fn round_beside(&mut self, order: &Order, shared: &[f64], sum: &mut [f64], scheduling: f64) -> Result<usize> {
        let width = self.setting.width();
        self.done.clear();
        for k in 0..self.workers.len() {
            let range = self.dealt.own.range(k);
            let mut push = self.tree.buffer(sum.len());
            let items = &mut self.items[range.start * width..range.end * width];
            let began = Instant::now();
            let work = self.workers[k].push(order, shared, items, &mut push);
            self.done.push((work, began.elapsed().as_secs_f64()));
            self.toll.iter_mut().for_each(|toll| toll.note(&push));
            self.tree.add(push);
        }
        self.tree.finish(sum);
        let rows = self.done.iter().map(|(work, _)| work.rows).sum();
        let mut time = self.timekeeper.round(order.round, &self.done, shared.len(), sum.len());
        if let Some(toll) = &mut self.toll {
            time.plain_sync = time.sync;
            time.sync = toll.seconds(order.off_clock, shared, sum, &self.timekeeper)?;
        }
        time.other += (scheduling - time.compute - time.wait).max(0.0);
        self.dealt.note(&self.setting, order, || self.timekeeper.seconds(order.round, &self.done));
        self.clock.book(order.off_clock, rows, time);
        Ok(self.workers.len())
    }
}

impl Machines for Simulated {
    fn count(&self) -> usize {
        self.workers.len()
    }

    fn next_round(&self) -> u64 {
        self.clock.rounds + 1
    }

    fn round(&mut self, order: &Order, shared: &[f64], sum: &mut [f64]) -> Result<usize> {
        self.round_beside(order, shared, sum, 0.0)
    }

    fn schedule(&mut self, choose: &mut Choose<'_>) {
        self.clock.other += self.scheduling(choose);
    }

    fn round_and_schedule(
        &mut self,
        order: &Order,
        shared: &[f64],
        sum: &mut [f64],
        choose: &mut Choose<'_>,
    ) -> Result<usize> {
        let scheduling = self.scheduling(choose);
        self.round_beside(order, shared, sum, scheduling)
    }
}

impl Engine for Simulated {
    fn clock(&self) -> Clock {
        self.clock
    }

    fn set_clock(&mut self, clock: Clock) {
        self.clock = clock;
    }

    fn items(&mut self) -> Result<Vec<f64>> {
        Ok(self.items.clone())
    }

    fn set_items(&mut self, items: &[f64]) -> Result<()> {
        self.setting.check_items(items)?;
        self.items.copy_from_slice(items);
        Ok(())
    }

    fn resize(&mut self, machines: usize) -> Result<()> {
        self.check(machines)?;
        let before = self.dealt.own.clone();
        self.deal(Dealt::new(&self.setting, machines))?;
        self.clock.loading += self.moving(&before, &self.dealt.own);
        Ok(())
    }

    fn rebalance(&mut self) -> Result<bool> {
        let Some(again) = self.dealt.again(&self.setting, |from, to| self.moving(from, to)) else { return Ok(false) };
        let moved = self.moving(&self.dealt.own, &again.own);
        let beside = self.dealt.beside.as_ref().zip(again.beside.as_ref());
        self.clock.loading += moved + beside.map_or(0.0, |(from, to)| self.moving(from, to));
        self.deal(again)?;
        Ok(true)
    }

    fn balance(&self) -> Vec<f64> {
        self.dealt.state(&self.setting)
    }

    fn set_balance(&mut self, balance: &[f64]) -> Result<()> {
        if !balance.is_empty() {
            self.deal(self.dealt.restored(balance).ok_or_else(strange_state)?)?;
        }
        Ok(())
    }
}
