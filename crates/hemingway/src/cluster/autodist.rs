//! AutoDist's description of resources, in the part of YAML that it uses.

use super::fabric::{Fabric, Host};
use super::{Cluster, Collective, Compute, Network, Overhead, Pace, Straggler};
use crate::{Error, Result};

/// What AutoDist takes the bandwidth of a node to be that gives none.
const USUAL_GBIT: f64 = 1.0;

#[derive(Debug, Default)]
struct Node {
    line: usize,
    address: Option<String>,
    gbit: Option<f64>,
}

/// The cluster that such a text describes: a machine for each node, with its bandwidth. What the text does not tell
/// (latency, memory, price, pace) is that of an ordinary data centre and is to be looked over.
pub fn from_autodist(text: &str, name: &str) -> Result<Cluster> {
    let nodes = nodes(text)?;
    if nodes.is_empty() {
        return Err(Error::data("resource spec", 1, "has no `nodes:`; list at least one with its address"));
    }
    for node in &nodes {
        if node.address.is_none() {
            return Err(Error::data("resource spec", node.line, "the node has no `address`"));
        }
    }
    let gbits: Vec<f64> = nodes.iter().map(|node| node.gbit.unwrap_or(USUAL_GBIT)).collect();
    let most = gbits.iter().copied().fold(0.0, f64::max);
    let slow = gbits.iter().enumerate().filter(|(_, gbit)| **gbit < most);
    let host = slow.map(|(machine, gbit)| Host { machine, bandwidth_gbit: Some(*gbit), pace: 1.0 }).collect();
    let cluster = Cluster {
        name: name.into(),
        machines: nodes.len(),
        cores_per_machine: 1,
        memory_gb: 16.0,
        price_per_hour: 0.0,
        compute: Compute {
            ns_per_nonzero: Pace::Counted(1.5),
            ns_by_algorithm: Default::default(),
            straggler: Straggler::Lognormal { sigma: 0.1 },
            spill_factor: 1.0,
        },
        network: Network {
            latency_us: 50.0,
            bandwidth_gbit: most,
            collective: Collective::Ring,
            link: Vec::new(),
            timed: Vec::new(),
        },
        overhead: Overhead::default(),
        fabric: Fabric { host, ..Fabric::default() },
    };
    cluster.check()?;
    Ok(cluster)
}

/// The entries of the list under `nodes:`. Other keys at the margin (`ssh:`) end it and are not looked at.
fn nodes(text: &str) -> Result<Vec<Node>> {
    let (mut nodes, mut inside, mut margin) = (Vec::<Node>::new(), false, None);
    for (number, whole) in text.lines().enumerate() {
        let content = whole.split(" #").next().unwrap_or("").trim_end();
        let words = content.trim_start();
        let depth = content.len() - words.len();
        if words.is_empty() || words.starts_with('#') || words == "---" {
            continue;
        }
        if depth == 0 && !words.starts_with('-') {
            inside = words == "nodes:";
            continue;
        }
        if !inside {
            continue;
        }
        let begins = words.starts_with('-') && margin.is_none_or(|margin| depth == margin);
        if begins {
            margin = Some(depth);
            nodes.push(Node { line: number + 1, ..Node::default() });
        }
        let pair = if begins { words[1..].trim_start() } else { words };
        if let (Some(node), Some((key, value))) = (nodes.last_mut(), pair.split_once(':')) {
            entry(node, key.trim(), value.trim(), number + 1)?;
        }
    }
    Ok(nodes)
}

fn entry(node: &mut Node, key: &str, value: &str, line: usize) -> Result<()> {
    let plain = value.trim_matches(['"', '\'']);
    match key {
        "address" => node.address = Some(plain.into()),
        "network_bandwidth" => {
            let gbit = plain.parse().ok().filter(|gbit: &f64| gbit.is_finite() && *gbit > 0.0);
            let wrong =
                || Error::data("resource spec", line, format!("network_bandwidth `{plain}` is no number of Gbit/s"));
            node.gbit = Some(gbit.ok_or_else(wrong)?);
        }
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = "\
# two kinds of nodes
nodes:
  - address: 10.0.0.1
    gpus: [0, 1]
    chief: true
    network_bandwidth: 25  # Gbit/s
  - address: '10.0.0.2'
    gpus:
      - 0
    ssh_config: conf
    network_bandwidth: 10
  - address: 10.0.0.3
ssh:
  conf:
    username: me
    address: not-a-node
";

    #[test]
    fn nodes_become_machines_with_their_bandwidths() {
        let cluster = from_autodist(SPEC, "spec").unwrap();
        assert_eq!((cluster.machines, cluster.network.bandwidth_gbit), (3, 25.0));
        let slow: Vec<_> = cluster.fabric.host.iter().map(|host| (host.machine, host.bandwidth_gbit)).collect();
        assert_eq!(slow, [(1, Some(10.0)), (2, Some(1.0))]);
        assert_eq!(Cluster::parse(&cluster.toml().unwrap()).unwrap(), cluster);
    }

    #[test]
    fn what_is_wrong_is_named_by_line() {
        let error = |text: &str| from_autodist(text, "spec").unwrap_err().to_string();
        assert!(error("ssh:\n  a: b\n").contains("no `nodes:`"));
        assert!(
            error(&SPEC.replace("network_bandwidth: 10", "network_bandwidth: fast"))
                .contains(":11: network_bandwidth `fast`")
        );
        assert!(error("nodes:\n  - gpus: [0]\n").contains(":2: the node has no `address`"));
    }
}
