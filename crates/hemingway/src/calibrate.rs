//! What machines are like, found by measuring: how fast they compute, how far they stray, and what rounds cost by length and
//! number of machines. What comes out is a [`Cluster`] on which a simulation takes the time that the machines would.
//!
//! Rounds are measured through [`Machines::round`](crate::algorithm::Machines::round) alone, so that every engine can be looked at in the same way.

mod pace;
mod rounds;
mod tape;

use std::time::Duration;

use crate::Result;
use crate::cluster::{Cluster, Collective, Compute, Fabric, Network, Overhead, Pace, Straggler, Timed};
use crate::engine::{Engine, Setting};
pub use pace::{AlgorithmPace, paces};
pub use rounds::{NUMBERS, timed};
pub use tape::{Beat, Tape};

/// Makes the engine to be looked at.
pub type Build<'a> = dyn Fn(Setting, usize) -> Result<Box<dyn Engine>> + 'a;

/// Where to measure, and for how long.
pub struct Site<'a> {
    /// The engine there.
    pub build: &'a Build<'a>,
    /// The numbers of machines to look at, ascending.
    pub machines: Vec<usize>,
    /// The longest messages worth knowing about.
    pub numbers: u64,
    /// About how long rounds may be measured.
    pub budget: Duration,
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// How fast each algorithm computes.
    pub paces: Vec<AlgorithmPace>,
    /// Rounds without work, by machines.
    pub rounds: Vec<Timed>,
}

impl Calibration {
    /// The middle of the algorithms' paces, for one whose own is not known.
    pub fn ns_per_nonzero(&self) -> f64 {
        let logs: Vec<f64> = self.paces.iter().map(|pace| pace.ns_per_nonzero.ln()).collect();
        (logs.iter().sum::<f64>() / logs.len().max(1) as f64).exp()
    }

    /// σ of a lognormal straggler: how far equal work strays, of the algorithm that strays in the middle.
    pub fn sigma(&self) -> f64 {
        middle(self.paces.iter().map(|pace| pace.sigma).collect())
    }

    /// Seconds of one way between two machines, as far as an empty round of two takes longer than one of one.
    pub fn latency(&self) -> f64 {
        let empty =
            |machines| self.rounds.iter().find(|timed| timed.machines == machines).map(|timed| timed.seconds(0.0, 0.0));
        (empty(2).unwrap_or(0.0) - empty(1).unwrap_or(0.0)).max(0.0) / 2.0
    }

    /// Bits in a second from one machine to another, by the longest messages; `None` if longer ones took no longer.
    pub fn bandwidth(&self) -> Option<f64> {
        let two = self.rounds.iter().find(|timed| timed.machines == 2)?;
        let slope = |curve: &[(u64, f64)]| {
            let ((n0, s0), (n1, s1)) = (*curve.first()?, *curve.last()?);
            Some((s1 - s0) / (n1 - n0) as f64).filter(|slope| *slope > 0.0)
        };
        let seconds = 0.5 * (slope(&two.broadcast)? + slope(&two.sum)?);
        Some(64.0 / seconds)
    }

    /// The cluster file's content. Of the paces one for all algorithms is left where work is timed instead of counted.
    pub fn cluster(&self, name: &str, machines: usize, cores: usize, memory_gb: f64) -> Cluster {
        let by_name = |pace: &AlgorithmPace| (pace.algorithm.clone(), digits(pace.ns_per_nonzero));
        Cluster {
            name: name.into(),
            machines,
            cores_per_machine: cores,
            memory_gb: digits(memory_gb),
            price_per_hour: 0.0,
            compute: Compute {
                ns_per_nonzero: Pace::Counted(digits(self.ns_per_nonzero())),
                ns_by_algorithm: self.paces.iter().map(by_name).collect(),
                straggler: Straggler::Lognormal { sigma: digits(self.sigma()) },
                spill_factor: 1.0,
            },
            network: Network {
                latency_us: digits(1e6 * self.latency()),
                // Where longer messages take no longer, a terabit says so.
                bandwidth_gbit: digits(1e-9 * self.bandwidth().unwrap_or(1e12)),
                collective: Collective::Tree,
                link: Vec::new(),
                timed: self.rounds.iter().map(rounded).collect(),
            },
            fabric: Fabric::default(),
            overhead: Overhead::default(),
        }
    }
}

/// Nobody has measured more than four digits.
fn digits(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

fn rounded(timed: &Timed) -> Timed {
    let curve = |curve: &[(u64, f64)]| curve.iter().map(|(numbers, seconds)| (*numbers, digits(*seconds))).collect();
    Timed { machines: timed.machines, broadcast: curve(&timed.broadcast), sum: curve(&timed.sum) }
}

/// The median; 0 of nothing.
fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance;
    use crate::data::Source;
    use crate::engine::Simulated;
    use crate::problem::{Loss, Problem};

    fn simulated(machines: Vec<usize>) -> (Vec<Timed>, Cluster) {
        let mut cluster = conformance::cluster();
        cluster.overhead.per_machine_ms = 0.0;
        let on = cluster.clone();
        let build =
            move |setting, machines| Ok(Box::new(Simulated::new(setting, on.clone(), machines)?) as Box<dyn Engine>);
        let site = Site { build: &build, machines, numbers: 100_000, budget: Duration::from_secs(1) };
        (timed(&site, &mut |_| ()).unwrap(), cluster)
    }

    /// The simulated engine looked at as if it were real: what is found must be what its file says.
    #[test]
    fn a_cluster_is_found_as_it_is() {
        let (rounds, file) = simulated(vec![1, 2, 4, 8]);
        let found = Calibration { paces: Vec::new(), rounds };
        assert!((1e6 * found.latency() / file.network.latency_us - 1.0).abs() < 1e-6, "{}", found.latency());
        let gbit = 1e-9 * found.bandwidth().unwrap();
        assert!((gbit / file.network.bandwidth_gbit - 1.0).abs() < 1e-6, "{gbit}");
        let again = found.cluster("again", 8, 1, 1.0);
        assert_eq!(Cluster::parse(&again.toml().unwrap()).unwrap(), again);
    }

    /// A simulation on what was found takes the time of the simulation that it was found from.
    #[test]
    fn what_is_found_simulates_the_same() {
        let (rounds, file) = simulated(vec![1, 2, 4, 8]);
        let data = Source::parse("synth:logistic,rows=400,columns=30").unwrap().load().unwrap().dataset;
        let problem = Problem::new(&data, Loss::Logistic, None, 0).unwrap();
        let paces = vec![AlgorithmPace { algorithm: "gd".into(), ns_per_nonzero: 1.2, sigma: 0.1 }];
        let again = Calibration { paces, rounds }.cluster("again", 8, 1, 1.0);
        for machines in [1, 2, 3, 4, 8] {
            let seconds = |cluster: &Cluster| {
                let setting = Setting::new(&problem, crate::algorithm::by_name("gd").unwrap());
                let mut server = setting.algorithm.server(&setting.outline);
                let mut shared = setting.algorithm.shared(&setting.outline);
                let mut engine = Simulated::new(setting, cluster.clone(), machines).unwrap();
                for _ in 0..5 {
                    server.iterate(&mut engine, &mut shared).unwrap();
                }
                engine.clock().train_seconds()
            };
            let off = seconds(&again) / seconds(&file) - 1.0;
            // Three machines need as many steps as four; in between, the timed ones are joined by a straight line.
            assert!(off.abs() < if machines == 3 { 0.02 } else { 2e-3 }, "m = {machines}: off by {off}");
        }
    }
}
