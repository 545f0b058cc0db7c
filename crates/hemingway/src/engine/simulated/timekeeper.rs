//! The virtual clock: how long a cluster file says that counted work takes.

use rand_distr::{Distribution, StandardNormal};

use super::super::RoundTime;
use crate::algorithm::Work;
use crate::cluster::{Cluster, Collective, Network, Pace, Straggler, Timed};
use crate::placement::Placement;
use crate::rng::{Purpose, keyed};

const BYTES_PER_NUMBER: f64 = 8.0;

/// The seconds of one cluster with its rows dealt in one way.
#[derive(Debug, Clone)]
pub struct Timekeeper {
    cluster: Cluster,
    seed: u64,
    /// How much slower each machine is for not fitting in memory.
    spill: Vec<f64>,
    hops: Vec<Hop>,
    /// How many machines take part.
    machines: usize,
}

/// What one machine did in a round: the work counted, and the seconds it took here.
pub type Done = (Work, f64);

/// One step of a collective: all its transfers go at once, at the pace of the slowest link.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Hop {
    latency: f64,
    seconds_per_byte: f64,
    /// The part of the broadcast vector that this step moves, and of the sum.
    down: f64,
    up: f64,
}

impl Timekeeper {
    /// Machines that hold so many bytes each; the seed draws the stragglers.
    pub fn new(cluster: &Cluster, seed: u64, held: &[f64]) -> Self {
        let memory = cluster.memory_gb * 1e9;
        let spill = |bytes: &f64| if *bytes > memory { cluster.compute.spill_factor } else { 1.0 };
        let spill = held.iter().map(spill).collect();
        let machines = held.len();
        Self { cluster: cluster.clone(), seed, spill, hops: hops(&cluster.network, machines), machines }
    }

    /// Where the time goes in a round that broadcasts and sums so many numbers.
    pub fn round(&self, round: u64, done: &[Done], down: usize, up: usize) -> RoundTime {
        let seconds = self.seconds(round, done).into_iter();
        let (total, slowest) = seconds.fold((0.0, 0.0_f64), |(total, slowest), s| (total + s, slowest.max(s)));
        let compute = total / done.len() as f64;
        let overhead = self.cluster.overhead;
        RoundTime {
            compute,
            // The mean of equal numbers may round above them.
            wait: (slowest - compute).max(0.0),
            sync: self.sync_seconds(down, up),
            other: 1e-3 * (overhead.per_round_ms + overhead.per_machine_ms * done.len() as f64),
            plain_sync: 0.0,
        }
    }

    /// Seconds that every machine computes in this round.
    pub(super) fn seconds(&self, round: u64, done: &[Done]) -> Vec<f64> {
        done.iter().enumerate().map(|(k, done)| self.compute_seconds(k, round, *done)).collect()
    }

    /// Seconds machine k takes for its work in this round.
    fn compute_seconds(&self, k: usize, round: u64, done: Done) -> f64 {
        self.even_seconds(done) * self.spill[k] * self.straggle(k, round)
    }

    /// Seconds for work where nothing straggles or spills.
    pub(super) fn even_seconds(&self, (work, took): Done) -> f64 {
        match self.cluster.compute.ns_per_nonzero {
            Pace::Counted(ns) => ns * 1e-9 * work.entries as f64,
            Pace::Measured(_) => took,
        }
    }

    fn straggle(&self, k: usize, round: u64) -> f64 {
        match self.cluster.compute.straggler {
            Straggler::None => 1.0,
            Straggler::Lognormal { sigma } => {
                let drawn: f64 = StandardNormal.sample(&mut keyed(self.seed, Purpose::Straggle, k, round));
                (sigma * drawn).exp()
            }
        }
    }

    /// Seconds in which so many numbers are broadcast and so many summed.
    pub fn sync_seconds(&self, down: usize, up: usize) -> f64 {
        let (down, up) = (down as f64, up as f64);
        let timed = &self.cluster.network.timed;
        match timed.last() {
            None => by_formula(&self.hops, down, up),
            Some(most) if most.machines < self.machines => {
                // Beyond what was timed the formula says how it goes on from there.
                let from = by_formula(&hops(&self.cluster.network, most.machines.max(2)), down, up);
                most.seconds(down, up) * by_formula(&self.hops, down, up) / from.max(f64::MIN_POSITIVE)
            }
            Some(_) => Timed::between(timed, self.machines, down, up),
        }
    }
}

/// What the steps of a collective take by latency and bandwidth.
fn by_formula(hops: &[Hop], down: f64, up: f64) -> f64 {
    let bytes = |hop: &Hop| BYTES_PER_NUMBER * (hop.down * down + hop.up * up);
    hops.iter().map(|hop| hop.latency + hop.seconds_per_byte * bytes(hop)).sum()
}

/// Seconds it takes to deal rows anew: every machine sends and receives its part at the same time, and the last one done
/// ends it.
pub fn moving_seconds(network: &Network, from: &Placement, to: &Placement, bytes_per_row: f64) -> f64 {
    let (mut sent, mut received) = (vec![0.0; from.machines()], vec![0.0; to.machines()]);
    let mut first = 0.0_f64;
    for (a, had) in from.ranges().enumerate() {
        for (b, gets) in to.ranges().enumerate() {
            let rows = had.end.min(gets.end).saturating_sub(had.start.max(gets.start));
            if a == b || rows == 0 {
                continue;
            }
            let (latency, seconds_per_byte) = network.link(a, b);
            let seconds = rows as f64 * bytes_per_row * seconds_per_byte;
            sent[a] += seconds;
            received[b] += seconds;
            first = first.max(latency);
        }
    }
    first + sent.into_iter().chain(received).fold(0.0, f64::max)
}

/// The steps of broadcasting one vector and summing another over m machines.
fn hops(network: &Network, m: usize) -> Vec<Hop> {
    let levels = m.next_power_of_two().ilog2();
    // Of a tree over 0, 1, 2 … only every so many machines still take part in a step, each with the next of them.
    let branches = |k: u32| (0..m).step_by(2 << k).map(move |i| (i, i + (1 << k)));
    match network.collective {
        _ if m == 1 => Vec::new(),
        Collective::Tree => {
            let step = |k| slowest(network, m, branches(k), 1.0, 0.0);
            let back = |k| slowest(network, m, branches(k), 0.0, 1.0);
            (0..levels).map(step).chain((0..levels).map(back)).collect()
        }
        Collective::Ring => {
            let hop = slowest(network, m, (0..m).map(|i| (i, (i + 1) % m)), 0.5 / m as f64, 0.5 / m as f64);
            vec![hop; 2 * (m - 1)]
        }
        Collective::HalvingDoubling => (0..levels)
            .flat_map(|k| {
                let share = 0.25 / f64::from(1 << k);
                [slowest(network, m, (0..m).map(|i| (i, i ^ (1 << k))), share, share); 2]
            })
            .collect(),
        Collective::Star => (1..m)
            .flat_map(|k| {
                let (_, seconds_per_byte) = network.link(0, k);
                // Messages follow each other on machine 0's link: all wait for the wire at once, as long as the slowest.
                let farthest = || (1..m).map(|k| network.link(0, k).0).fold(0.0, f64::max);
                let latency = if k == 1 { farthest() } else { 0.0 };
                let hop = Hop { latency, seconds_per_byte, down: 1.0, up: 0.0 };
                [hop, Hop { down: 0.0, up: 1.0, ..hop }]
            })
            .collect(),
    }
}

/// A step in which these pairs of machines exchange, as far as there are both.
fn slowest(network: &Network, m: usize, pairs: impl Iterator<Item = (usize, usize)>, down: f64, up: f64) -> Hop {
    let links = pairs.filter(|(_, j)| *j < m).map(|(i, j)| network.link(i, j));
    let (latency, seconds_per_byte) = links.fold((0.0, 0.0), |(l, s): (f64, f64), (a, b)| (l.max(a), s.max(b)));
    Hop { latency, seconds_per_byte, down, up }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{End, Link, Network};

    fn network() -> Network {
        Network {
            latency_us: 1000.0,
            bandwidth_gbit: 8.0,
            collective: Collective::Tree,
            link: Vec::new(),
            timed: Vec::new(),
        }
    }

    #[test]
    fn rows_move_at_the_pace_of_the_busiest_machine() {
        // 1 GB/s: machine 0 sends three quarters of 4 GB, the others receive a quarter each.
        let seconds =
            |from, to| moving_seconds(&network(), &Placement::even(400, from), &Placement::even(400, to), 1e7);
        assert!((seconds(1, 4) - 3.001).abs() < 1e-9);
        assert!((seconds(4, 1) - 3.001).abs() < 1e-9);
        assert_eq!(seconds(4, 4), 0.0);
        assert!(seconds(8, 16) < seconds(1, 16));
    }

    /// One link that is slow holds up only collectives that cross it.
    #[test]
    fn collectives_wait_for_the_links_they_cross() {
        let seconds = |collective, (a, b)| {
            let mut cluster = crate::conformance::cluster();
            let slow = Link { from: End::Machine(a), to: End::Machine(b), latency_us: Some(1e6), bandwidth_gbit: None };
            cluster.network = Network { collective, link: vec![slow], ..network() };
            Timekeeper::new(&cluster, 0, &[1.0; 8]).sync_seconds(0, 0)
        };
        for pair in [(0, 1), (2, 3), (0, 2), (4, 6), (0, 4)] {
            assert!(seconds(Collective::Tree, pair) > 2.0, "{pair:?}");
        }
        for pair in [(1, 3), (3, 7), (5, 7), (2, 6)] {
            assert!(seconds(Collective::Tree, pair) < 0.1, "{pair:?}");
        }
        assert!(seconds(Collective::Star, (0, 7)) >= 2.0 && seconds(Collective::Star, (1, 7)) < 0.1);
        assert!(seconds(Collective::Ring, (6, 7)) > 2.0 && seconds(Collective::Ring, (0, 4)) < 0.1);
    }

    #[test]
    fn what_was_timed_stands_in_place_of_the_formula_and_the_formula_goes_on_from_there() {
        let timed = |machines, seconds| Timed { machines, broadcast: vec![(0, seconds)], sum: vec![(0, seconds)] };
        let mut cluster = crate::conformance::cluster();
        cluster.network = Network { timed: vec![timed(1, 1e-5), timed(4, 0.01)], ..network() };
        let seconds = |machines: usize| Timekeeper::new(&cluster, 0, &vec![1.0; machines]).sync_seconds(0, 0);
        assert_eq!((seconds(1), seconds(4)), (2e-5, 0.02));
        assert!((seconds(2) - 0.01001).abs() < 1e-12);
        assert!((seconds(16) / 0.04 - 1.0).abs() < 1e-9);
    }
}
