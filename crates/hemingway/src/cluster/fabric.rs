//! What lies between machines beyond one latency and one bandwidth: racks with uplinks, and hosts unlike the others. Only
//! exchanges (`sync`, and rounds of `train --sync`) look at it.

use serde::{Deserialize, Serialize};

/// Racks, uneven hosts, and what a message costs its ends.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fabric {
    /// Time a host spends on every message that it sends or takes.
    #[serde(default)]
    pub message_us: f64,
    /// Time of one switch between all hosts, or of cores that all of them share, for every message.
    #[serde(default, skip_serializing_if = "is_none")]
    pub switch_us: f64,
    /// Machines behind one switch, whose link to the others all of them share.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rack: Vec<Rack>,
    /// Machines unlike the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub host: Vec<Host>,
}

/// Machines behind one switch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rack {
    /// Their indices, from 0.
    pub machines: Vec<usize>,
    /// What the switch's link to the others bears, in each direction.
    pub uplink_gbit: f64,
}

/// A machine unlike the others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// Its index, from 0.
    pub machine: usize,
    /// What its link bears, in each direction, if other than the network's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth_gbit: Option<f64>,
    /// How fast it computes: 0.5 takes twice as long as the others.
    #[serde(default = "usual")]
    pub pace: f64,
}

fn usual() -> f64 {
    1.0
}

fn is_none(us: &f64) -> bool {
    *us == 0.0
}

impl Fabric {
    /// Whether nothing is said.
    pub(super) fn is_plain(&self) -> bool {
        *self == Self::default()
    }

    /// The field that cannot be, and why.
    pub(super) fn check(&self, machines: usize) -> Result<(), (String, String)> {
        let positive = |value: f64| value.is_finite() && value > 0.0;
        for (name, us) in [("message_us", self.message_us), ("switch_us", self.switch_us)] {
            if !(us.is_finite() && us >= 0.0) {
                return Err((format!("fabric.{name}"), format!("{us} must be a number of 0 or more")));
            }
        }
        let mut owner = vec![None; machines];
        for (i, rack) in self.rack.iter().enumerate() {
            let wrong = |what: String| Err((format!("fabric.rack[{i}]"), what));
            if !positive(rack.uplink_gbit) {
                return wrong("uplink_gbit must be above 0".into());
            }
            if rack.machines.is_empty() {
                return wrong("lists no machines".into());
            }
            for machine in &rack.machines {
                match owner.get_mut(*machine) {
                    None => {
                        return wrong(format!("there is no machine {machine}; they count from 0 to {}", machines - 1));
                    }
                    Some(Some(other)) => return wrong(format!("machine {machine} stands in rack {other} already")),
                    Some(free) => *free = Some(i),
                }
            }
        }
        for (i, host) in self.host.iter().enumerate() {
            let wrong = |what: String| Err((format!("fabric.host[{i}]"), what));
            if host.machine >= machines {
                return wrong(format!("there is no machine {}; they count from 0 to {}", host.machine, machines - 1));
            }
            if let Some(other) = self.host[..i].iter().position(|other| other.machine == host.machine) {
                return wrong(format!("machine {} is told of in fabric.host[{other}] already", host.machine));
            }
            if !positive(host.pace) || host.bandwidth_gbit.is_some_and(|gbit| !positive(gbit)) {
                return wrong("bandwidth_gbit and pace must be above 0".into());
            }
        }
        Ok(())
    }
}
