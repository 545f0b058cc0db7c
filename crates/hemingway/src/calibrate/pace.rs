//! How fast this machine computes: seconds for each stored entry, by algorithm.

use std::time::{Duration, Instant};

use super::middle;
use super::tape::Tape;
use crate::Result;
use crate::cluster::{Cluster, Collective, Compute, Fabric, Measured, Network, Overhead, Pace, Straggler};
use crate::model::steady_mean;
use crate::problem::Problem;

/// Rounds that are not counted: caches fill in them.
const WARM: usize = 2;
/// Rounds whose mean pace is steady.
const ENOUGH: usize = 60;

/// How fast one algorithm computes.
#[derive(Debug, Clone, PartialEq)]
pub struct AlgorithmPace {
    /// Its name.
    pub algorithm: String,
    /// Nanoseconds for every stored entry that a round touches.
    pub ns_per_nonzero: f64,
    /// How far rounds stray from that: σ of a lognormal with their quartiles.
    pub sigma: f64,
}

/// Runs each of these algorithms on one core for its part of the budget; one that touches no entries is left out.
pub fn paces(
    problem: &Problem,
    algorithms: &[&str],
    budget: Duration,
    seen: &mut dyn FnMut(&str),
) -> Result<Vec<AlgorithmPace>> {
    let mut paces = Vec::new();
    for name in algorithms {
        seen(&format!("the pace of {name}"));
        let began = Instant::now();
        let patience = budget / algorithms.len() as u32;
        let mut more = |tape: &Tape| {
            let beats = tape.beats.len();
            beats <= WARM || (beats < WARM + ENOUGH && began.elapsed() < patience)
        };
        let tape = Tape::record(problem, name, 1, &mut more)?;
        paces.extend(AlgorithmPace::of(name, &tape));
    }
    Ok(paces)
}

impl AlgorithmPace {
    /// The pace on a tape of one machine.
    fn of(name: &str, tape: &Tape) -> Option<Self> {
        let touched = tape.beats.iter().skip(WARM).filter(|beat| beat.entries > 0);
        let ns: Vec<f64> = touched.map(|beat| 1e9 * beat.seconds[0] / beat.entries as f64).collect();
        let logs: Vec<f64> = ns.iter().filter(|ns| **ns > 0.0).map(|ns| ns.ln()).collect();
        let middling = middle(logs.clone());
        let sigma = 1.4826 * middle(logs.iter().map(|log| (log - middling).abs()).collect());
        let mean = steady_mean(ns).filter(|mean| *mean > 0.0)?;
        Some(Self { algorithm: name.into(), ns_per_nonzero: mean, sigma })
    }
}

/// Machines on whose clock a round takes what it took here.
pub(super) fn one_core(machines: usize) -> Cluster {
    Cluster {
        name: "one-core".into(),
        machines,
        cores_per_machine: 1,
        memory_gb: 1e9,
        price_per_hour: 0.0,
        compute: Compute {
            ns_per_nonzero: Pace::Measured(Measured::Measured),
            ns_by_algorithm: Default::default(),
            straggler: Straggler::None,
            spill_factor: 1.0,
        },
        network: Network {
            latency_us: 0.0,
            bandwidth_gbit: 1.0,
            collective: Collective::Tree,
            link: Vec::new(),
            timed: Vec::new(),
        },
        fabric: Fabric::default(),
        overhead: Overhead::default(),
    }
}
