//! A cluster described in a TOML file: what the simulated engine runs on. The planner may read limits, memory and
//! price from it, never seconds.

mod autodist;
mod fabric;
mod timed;

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::algorithm;
use crate::engine::check_machines;
use crate::{Error, Result, kind};
pub use autodist::{FromAutodist, from_autodist};
pub use fabric::{Fabric, Host, Rack};
pub use timed::Timed;

/// Machines, network and price.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cluster {
    /// Its name in records.
    pub name: String,
    /// How many machines there are.
    pub machines: usize,
    /// Cores of each.
    pub cores_per_machine: usize,
    /// Memory of each.
    pub memory_gb: f64,
    /// Dollars an hour for each.
    pub price_per_hour: f64,
    /// How fast a machine computes.
    pub compute: Compute,
    /// How fast machines talk.
    pub network: Network,
    /// What a round costs beside that.
    #[serde(default)]
    pub overhead: Overhead,
    /// Racks and uneven hosts, for the exchange of variables.
    #[serde(default, skip_serializing_if = "Fabric::is_plain")]
    pub fabric: Fabric,
}

/// How fast a machine computes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Compute {
    /// Time for one stored entry of the data touched once.
    pub ns_per_nonzero: Pace,
    /// The same in nanoseconds for algorithms whose own pace is known, where work is counted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ns_by_algorithm: BTreeMap<String, f64>,
    /// How machines differ from round to round.
    #[serde(default)]
    pub straggler: Straggler,
    /// How much slower a machine is whose shard does not fit its memory.
    #[serde(default = "one")]
    pub spill_factor: f64,
}

/// Counted work at a stated pace, or the time this very machine took.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected nanoseconds, such as 1.2, or \"measured\"")]
pub enum Pace {
    /// Nanoseconds for each entry: the clock repeats exactly.
    Counted(f64),
    /// The time the work really took here.
    Measured(Measured),
}

/// The word `measured`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measured {
    /// Written `"measured"`.
    Measured,
}

/// How a machine's pace varies from round to round.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Straggler {
    /// Not at all.
    #[default]
    None,
    /// Times e^(σN), N standard normal, drawn for every machine and round.
    Lognormal {
        /// σ.
        sigma: f64,
    },
}

/// How fast machines talk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// Of every link.
    pub latency_us: f64,
    /// Of every link.
    pub bandwidth_gbit: f64,
    /// How sums are formed.
    pub collective: Collective,
    /// Links that differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub link: Vec<Link>,
    /// What rounds without work really took: where it is known, it stands in place of latency, bandwidth and collective.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub timed: Vec<Timed>,
}

/// How a sum over the machines is formed and handed back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Collective {
    /// Down and up a binary tree.
    Tree,
    /// Around a ring in m pieces, twice.
    Ring,
    /// Recursive halving, then doubling.
    HalvingDoubling,
    /// Every machine with machine 0, one after the other.
    Star,
}

/// A link that differs from the others, in both directions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// One end.
    pub from: End,
    /// The other.
    pub to: End,
    /// Its latency, if other than the network's.
    pub latency_us: Option<f64>,
    /// Its bandwidth, if other than the network's.
    pub bandwidth_gbit: Option<f64>,
}

/// A machine's index from 0, or `"*"` for any.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected the index of a machine, from 0, or \"*\"")]
pub enum End {
    /// This machine.
    Machine(usize),
    /// Written `"*"`.
    Any(Star),
}

/// The word `*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Star {
    /// Written `"*"`.
    #[serde(rename = "*")]
    Star,
}

/// What a round costs beside computing and talking.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overhead {
    /// For the round.
    #[serde(default)]
    pub per_round_ms: f64,
    /// For every machine in it.
    #[serde(default)]
    pub per_machine_ms: f64,
}

/// σ of stragglers that take hundreds of times as long as others now and then.
const MOST_SIGMA: f64 = 3.0;

/// What the parser says, without the names of Rust's types and with what to do.
fn in_words(message: &str) -> String {
    let message =
        message.replace("expected usize", "expected a whole number").replace("expected f64", "expected a number");
    match message.starts_with("missing field") {
        true => format!("{message}; add it, as docs/clusters.md shows"),
        false => message,
    }
}

fn one() -> f64 {
    1.0
}

impl Cluster {
    /// One task on one of its machines: what a round costs beside its work is paid once, by whoever gave the task.
    pub fn one_task(&self) -> Self {
        Self { overhead: Overhead::default(), ..self.clone() }
    }

    /// The cluster as one algorithm finds it: at the pace that is known of it, if any is.
    pub fn running(&self, algorithm: &str) -> Self {
        let mut cluster = self.clone();
        if let (Pace::Counted(_), Some(ns)) = (self.compute.ns_per_nonzero, self.compute.ns_by_algorithm.get(algorithm))
        {
            cluster.compute.ns_per_nonzero = Pace::Counted(*ns);
        }
        cluster
    }

    /// Reads and checks a cluster file.
    pub fn read(path: &Path) -> Result<Self> {
        let in_file = |error| match error {
            Error::Data { line, what, .. } => Error::data(path, line, what),
            Error::Setting { field, what } => Error::file(path, format!("{field}: {what}")),
            other => other,
        };
        kind::A_CLUSTER.read(path, |text| Self::parse(text).map_err(in_file))
    }

    /// Understands the text of a cluster file.
    pub fn parse(text: &str) -> Result<Self> {
        let cluster: Self = toml::from_str(text).map_err(|e| {
            let line = e.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
            Error::data("cluster", line, in_words(e.message()))
        })?;
        cluster.check()?;
        Ok(cluster)
    }

    /// The text of a file that describes it.
    pub fn toml(&self) -> Result<String> {
        toml::to_string(self).map_err(|e| Error::setting("--cluster", format!("cannot be written as TOML: {e}")))
    }

    fn check(&self) -> Result<()> {
        if self.name.trim().is_empty() {
            return Err(Error::setting("name", "is empty; records tell clusters apart by it"));
        }
        let positive = [("memory_gb", self.memory_gb), ("network.bandwidth_gbit", self.network.bandwidth_gbit)];
        let not_negative = [
            ("price_per_hour", self.price_per_hour),
            ("network.latency_us", self.network.latency_us),
            ("overhead.per_round_ms", self.overhead.per_round_ms),
            ("overhead.per_machine_ms", self.overhead.per_machine_ms),
        ];
        for (field, value) in positive {
            if !(value.is_finite() && value > 0.0) {
                return Err(Error::setting(field, format!("{value} must be a number above 0")));
            }
        }
        for (field, value) in not_negative {
            if !(value.is_finite() && value >= 0.0) {
                return Err(Error::setting(field, format!("{value} must be a number of 0 or more")));
            }
        }
        for (field, count) in [("machines", self.machines), ("cores_per_machine", self.cores_per_machine)] {
            if count == 0 {
                return Err(Error::setting(field, "a cluster has at least one machine with one core"));
            }
        }
        if !(self.compute.spill_factor.is_finite() && self.compute.spill_factor >= 1.0) {
            let what =
                format!("{} must be 1 or more: so many times slower are rows on disk", self.compute.spill_factor);
            return Err(Error::setting("compute.spill_factor", what));
        }
        check_machines(self.machines).map_err(|e| match e {
            Error::Setting { what, .. } => Error::setting("machines", what),
            other => other,
        })?;
        match (self.compute.ns_per_nonzero, self.compute.straggler) {
            (Pace::Counted(ns), _) if !(ns.is_finite() && ns > 0.0) => {
                Err(Error::setting("compute.ns_per_nonzero", format!("{ns} must be above 0")))
            }
            (_, Straggler::Lognormal { sigma }) if !(0.0..=MOST_SIGMA).contains(&sigma) => {
                let what = format!("{sigma} must be between 0 and {MOST_SIGMA}: computing takes e^(σN) times as long");
                Err(Error::setting("compute.straggler.sigma", what))
            }
            _ => self.check_optional(),
        }
    }

    fn check_optional(&self) -> Result<()> {
        for (name, ns) in &self.compute.ns_by_algorithm {
            let wrong = |what: String| Err(Error::setting(format!("compute.ns_by_algorithm.{name}"), what));
            if !(ns.is_finite() && *ns > 0.0) {
                return wrong(format!("{ns} must be above 0"));
            }
            if algorithm::by_name(name).is_err() {
                return wrong("there is no algorithm of this name; docs/algorithms.md lists them".into());
            }
        }
        for (i, timed) in self.network.timed.iter().enumerate() {
            timed.check(self.machines).map_err(|what| Error::setting(format!("network.timed[{i}]"), what))?;
        }
        let ascending = self.network.timed.windows(2).all(|pair| pair[0].machines < pair[1].machines);
        self.fabric.check(self.machines).map_err(|(field, what)| Error::setting(field, what))?;
        match ascending {
            true => self.check_links(),
            false => Err(Error::setting("network.timed", "must go from few machines to many, each number once")),
        }
    }

    fn check_links(&self) -> Result<()> {
        for (i, link) in self.network.link.iter().enumerate() {
            let field = format!("network.link[{i}]");
            for end in [&link.from, &link.to] {
                if let End::Machine(k) = end
                    && *k >= self.machines
                {
                    return Err(Error::setting(
                        field,
                        format!("there is no machine {k}; they count from 0 to {}", self.machines - 1),
                    ));
                }
            }
            if link.bandwidth_gbit.is_some_and(|b| !(b.is_finite() && b > 0.0)) {
                return Err(Error::setting(field, "bandwidth_gbit must be above 0"));
            }
            if link.latency_us.is_some_and(|l| !(l.is_finite() && l >= 0.0)) {
                return Err(Error::setting(field, "latency_us must not be negative"));
            }
        }
        Ok(())
    }
}

impl Network {
    /// (seconds of latency, seconds a byte) between two machines; the last override that matches wins.
    pub(crate) fn link(&self, a: usize, b: usize) -> (f64, f64) {
        let (mut latency_us, mut gbit) = (self.latency_us, self.bandwidth_gbit);
        let is = |end: &End, k: usize| matches!(end, End::Any(_)) || *end == End::Machine(k);
        for link in &self.link {
            if (is(&link.from, a) && is(&link.to, b)) || (is(&link.from, b) && is(&link.to, a)) {
                latency_us = link.latency_us.unwrap_or(latency_us);
                gbit = link.bandwidth_gbit.unwrap_or(gbit);
            }
        }
        (latency_us / 1e6, 8.0 / (gbit * 1e9))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &str = r#"
name = "two"
machines = 2
cores_per_machine = 1
memory_gb = 1
price_per_hour = 0.1
[compute]
ns_per_nonzero = 1.2
straggler = { kind = "lognormal", sigma = 0.08 }
[network]
latency_us = 10
bandwidth_gbit = 8
collective = "halving-doubling"
[[network.link]]
from = 1
to = "*"
bandwidth_gbit = 4
"#;

    #[test]
    fn what_is_written_reads_the_same() {
        let cluster = Cluster::parse(PLAIN).unwrap();
        assert_eq!(Cluster::parse(&cluster.toml().unwrap()).unwrap(), cluster);
    }

    #[test]
    fn racks_and_hosts_are_checked() {
        let fabric = "[fabric]\nmessage_us = 5\n[[fabric.rack]]\nmachines = [0, 1]\nuplink_gbit = 4\n[[fabric.host]]\nmachine = 1\npace = 0.5\n";
        let read = |fabric: &str| Cluster::parse(&format!("{PLAIN}{fabric}"));
        let cluster = read(fabric).unwrap();
        assert_eq!(Cluster::parse(&cluster.toml().unwrap()).unwrap(), cluster);
        let broken = |from: &str, to: &str| read(&fabric.replace(from, to)).unwrap_err().to_string();
        assert!(broken("[0, 1]", "[0, 7]").contains("fabric.rack[0]: there is no machine 7"));
        assert!(broken("[0, 1]", "[0, 0]").contains("machine 0 stands in rack 0 already"));
        assert!(broken("machine = 1", "machine = 2").contains("fabric.host[0]: there is no machine 2"));
        assert!(broken("pace = 0.5", "pace = 0").contains("must be above 0"));
    }

    #[test]
    fn a_link_override_holds_both_ways() {
        let network = Cluster::parse(PLAIN).unwrap().network;
        assert_eq!(network.link(0, 1), (1e-5, 2e-9));
        assert_eq!(network.link(1, 0), (1e-5, 2e-9));
        assert_eq!(network.link(0, 0), (1e-5, 1e-9));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let broken = |from: &str, to: &str| Cluster::parse(&PLAIN.replace(from, to)).unwrap_err().to_string();
        assert!(broken("memory_gb = 1", "memory_gb = -1").contains("memory_gb"));
        assert!(broken("machines = 2", "machines = 99999999999").contains("at most 1048576"));
        assert!(broken("from = 1", "from = 7").contains("no machine 7"));
        assert!(broken("sigma = 0.08", "sigma = -1").contains("sigma"));
        assert!(broken("sigma = 0.08", "sigma = 400").contains("between 0 and 3"));
        assert!(broken("cores_per_machine = 1", "cores_per_machine = 0").contains("cores_per_machine"));
        assert!(broken("collective", "colective").starts_with("cluster:13: unknown field `colective`"));
        assert!(broken("1.2", "\"fast\"").starts_with("cluster:8: expected nanoseconds, such as 1.2, or"));
        assert!(broken("machines = 2", "machines = 'two'").ends_with("string \"two\", expected a whole number"));
        assert!(broken("latency_us = 10", "").contains("missing field `latency_us`; add it"));
        assert!(Cluster::parse(&PLAIN.replace("1.2", "\"measured\"")).is_ok());
    }
}
