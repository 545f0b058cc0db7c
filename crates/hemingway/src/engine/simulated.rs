//! A cluster on a virtual clock: the arithmetic is real, the seconds are those of the cluster file. One worker
//! computes after the other, so that any number of machines fits in the memory of one.

use std::time::Instant;

use rand::Rng;

use super::{Clock, Engine, RoundTime, Setting, check_machines};
use crate::algorithm::{Machines, Order, Work, Worker};
use crate::cluster::{Cluster, Collective, Network, Pace, Straggler};
use crate::data::matrix::BYTES_PER_ENTRY;
use crate::placement::Placement;
use crate::rng::{Purpose, keyed};
use crate::sync::TreeSum;
use crate::{Error, Result};

const BYTES_PER_NUMBER: f64 = 8.0;

/// The simulated engine.
pub struct Simulated {
    setting: Setting,
    cluster: Cluster,
    placement: Placement,
    workers: Vec<Box<dyn Worker>>,
    /// How much slower each machine is for not fitting in memory.
    spill: Vec<f64>,
    hops: Vec<Hop>,
    items: Vec<f64>,
    tree: TreeSum,
    clock: Clock,
}

/// One step of a collective: all its transfers go at once, at the pace of the slowest link.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Hop {
    latency: f64,
    seconds_per_byte: f64,
    /// The part of the broadcast vector that this step moves, and of the sum.
    down: f64,
    up: f64,
}

impl Simulated {
    /// Deals the rows to simulated machines.
    pub fn new(setting: Setting, cluster: Cluster, machines: usize) -> Result<Self> {
        let items = setting.first_items();
        let mut engine = Self {
            placement: setting.placement(1),
            setting,
            cluster,
            workers: Vec::new(),
            spill: Vec::new(),
            hops: Vec::new(),
            items,
            tree: TreeSum::default(),
            clock: Clock::default(),
        };
        engine.resize(machines)?;
        Ok(engine)
    }

    /// Seconds machine k takes for this work in this round.
    fn compute_seconds(&self, k: usize, order: &Order, work: Work, took: f64) -> f64 {
        let even = match self.cluster.compute.ns_per_nonzero {
            Pace::Counted(ns) => ns * 1e-9 * work.entries as f64,
            Pace::Measured(_) => took,
        };
        even * self.spill[k] * self.straggle(k, order)
    }

    fn straggle(&self, k: usize, order: &Order) -> f64 {
        match self.cluster.compute.straggler {
            Straggler::None => 1.0,
            Straggler::Lognormal { sigma } => {
                let mut rng = keyed(self.setting.problem.seed, Purpose::Straggle, k, order.round);
                (sigma * standard_normal(&mut rng)).exp()
            }
        }
    }

    fn sync_seconds(&self, down: usize, up: usize) -> f64 {
        let bytes = |hop: &Hop| BYTES_PER_NUMBER * (hop.down * down as f64 + hop.up * up as f64);
        self.hops.iter().map(|hop| hop.latency + hop.seconds_per_byte * bytes(hop)).sum()
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
        let width = self.setting.algorithm.width();
        let (mut slowest, mut total, mut rows) = (0.0_f64, 0.0, 0);
        for k in 0..self.workers.len() {
            let range = self.placement.range(k);
            let mut push = self.tree.buffer(sum.len());
            let items = &mut self.items[range.start * width..range.end * width];
            let began = Instant::now();
            let work = self.workers[k].push(order, shared, items, &mut push);
            let seconds = self.compute_seconds(k, order, work, began.elapsed().as_secs_f64());
            self.tree.add(push);
            slowest = slowest.max(seconds);
            total += seconds;
            rows += work.rows;
        }
        self.tree.finish(sum);
        let m = self.workers.len();
        let compute = total / m as f64;
        let overhead = self.cluster.overhead;
        let time = RoundTime {
            compute,
            // The mean of equal numbers may round above them.
            wait: (slowest - compute).max(0.0),
            sync: self.sync_seconds(shared.len(), sum.len()),
            other: 1e-3 * (overhead.per_round_ms + overhead.per_machine_ms * m as f64),
        };
        self.clock.book(order.off_clock, rows, time);
        Ok(m)
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
        check_machines(machines)?;
        if machines > self.cluster.machines {
            return Err(Error::setting(
                "--machines",
                format!("{machines} machines asked of {}, which has {}", self.cluster.name, self.cluster.machines),
            ));
        }
        self.placement = self.setting.placement(machines);
        let shards = self.setting.shards(&self.placement);
        let memory = self.cluster.memory_gb * 1e9;
        let spill = |entries: u64| {
            if entries as f64 * BYTES_PER_ENTRY > memory { self.cluster.compute.spill_factor } else { 1.0 }
        };
        self.spill = shards.iter().map(|shard| spill(shard.stored())).collect();
        let setting = &self.setting;
        self.workers = shards.into_iter().map(|shard| setting.algorithm.worker(&setting.outline, shard)).collect();
        self.hops = hops(&self.cluster.network, machines);
        Ok(())
    }
}

/// The steps of broadcasting one vector and summing another over m machines.
fn hops(network: &Network, m: usize) -> Vec<Hop> {
    let levels = m.next_power_of_two().ilog2();
    let partner = |k: u32| move |i: usize| i ^ (1 << k);
    match network.collective {
        _ if m == 1 => Vec::new(),
        Collective::Tree => {
            let step = |k| slowest(network, m, partner(k), 1.0, 0.0);
            let back = |k| slowest(network, m, partner(k), 0.0, 1.0);
            (0..levels).map(step).chain((0..levels).map(back)).collect()
        }
        Collective::Ring => {
            let hop = slowest(network, m, |i| (i + 1) % m, 0.5 / m as f64, 0.5 / m as f64);
            vec![hop; 2 * (m - 1)]
        }
        Collective::HalvingDoubling => (0..levels)
            .flat_map(|k| {
                let share = 0.25 / f64::from(1 << k);
                [slowest(network, m, partner(k), share, share); 2]
            })
            .collect(),
        Collective::Star => (1..m)
            .flat_map(|k| {
                let (latency, seconds_per_byte) = network.link(0, k);
                // Messages follow each other on machine 0's link: only the first waits for the wire.
                let latency = if k == 1 { latency } else { 0.0 };
                let hop = Hop { latency, seconds_per_byte, down: 1.0, up: 0.0 };
                [hop, Hop { down: 0.0, up: 1.0, ..hop }]
            })
            .collect(),
    }
}

/// A step in which every machine i < m exchanges with its partner.
fn slowest(network: &Network, m: usize, partner: impl Fn(usize) -> usize, down: f64, up: f64) -> Hop {
    let links = (0..m).map(|i| (i, partner(i))).filter(|(_, j)| *j < m).map(|(i, j)| network.link(i, j));
    let (latency, seconds_per_byte) = links.fold((0.0, 0.0), |(l, s): (f64, f64), (a, b)| (l.max(a), s.max(b)));
    Hop { latency, seconds_per_byte, down, up }
}

/// Box & Muller's transform; one pair a call keeps the stream simple.
fn standard_normal(rng: &mut impl Rng) -> f64 {
    let uniform = |bits: u64| ((bits >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
    let (u, v) = (uniform(rng.next_u64()), uniform(rng.next_u64()));
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}
