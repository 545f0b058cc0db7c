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

/// A cluster out of AutoDist's words.
#[derive(Debug, Clone, PartialEq)]
pub struct FromAutodist {
    /// The cluster.
    pub cluster: Cluster,
    /// What was taken for granted, in sentences.
    pub notes: Vec<String>,
}

/// The cluster that such a text describes: a machine for each node, with its bandwidth. What the text does not tell
/// (latency, memory, price, pace) is that of an ordinary data centre and is to be looked over.
pub fn from_autodist(text: &str, name: &str) -> Result<FromAutodist> {
    let nodes = nodes(text)?;
    if nodes.is_empty() {
        return Err(wrong(1, "has no `nodes:`; list at least one with its address"));
    }
    let mut addresses: Vec<&str> = Vec::new();
    for node in &nodes {
        let address = node.address.as_deref().ok_or_else(|| wrong(node.line, "the node has no `address`"))?;
        if addresses.contains(&address) {
            return Err(wrong(node.line, format!("a node of address `{address}` is listed twice")));
        }
        addresses.push(address);
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
    let silent = nodes.iter().filter(|node| node.gbit.is_none()).count();
    let note = || match silent == nodes.len() {
        true => format!("no node gives its network_bandwidth: taken as {USUAL_GBIT} Gbit/s, as AutoDist does"),
        false => {
            let all = nodes.len();
            format!("{silent} of {all} nodes give no network_bandwidth: taken as {USUAL_GBIT} Gbit/s, as AutoDist does")
        }
    };
    Ok(FromAutodist { cluster, notes: (silent > 0).then(note).into_iter().collect() })
}

fn wrong(line: usize, what: impl Into<String>) -> Error {
    Error::data("resource spec", line, what)
}

/// What AutoDist knows of a node, and at the margin.
const KEYS: [&str; 6] = ["address", "cpus", "gpus", "chief", "ssh_config", "network_bandwidth"];
const TOP: [&str; 2] = ["nodes", "ssh"];

/// The entries of the list under `nodes:`. What stands under `ssh:` ends it and is not looked at.
fn nodes(text: &str) -> Result<Vec<Node>> {
    let (mut nodes, mut inside, mut margin) = (Vec::<Node>::new(), false, None);
    for (line, whole) in (1..).zip(text.lines()) {
        let content = whole.split(" #").next().unwrap_or("").trim_end();
        let words = content.trim_start();
        let depth = content.len() - words.len();
        if words.is_empty() || words.starts_with('#') || words == "---" {
            continue;
        }
        if content[..depth].contains('\t') {
            return Err(wrong(line, "is indented by a tab, which YAML does not allow: write spaces"));
        }
        if depth == 0 && !words.starts_with('-') {
            inside = top(words, line)?;
            continue;
        }
        if !inside {
            continue;
        }
        let begins = words.starts_with('-') && margin.is_none_or(|margin| depth == margin);
        if begins {
            margin = Some(depth);
            nodes.push(Node { line, ..Node::default() });
        }
        let node = nodes.last_mut().ok_or_else(|| wrong(line, "is no entry of a list: write `- address: …`"))?;
        if !begins && words.starts_with('-') {
            // An entry of a node's own list, such as the numbers of its devices.
            continue;
        }
        entry(node, if begins { words[1..].trim_start() } else { words }, line)?;
    }
    Ok(nodes)
}

/// Whether a key at the margin begins the list of nodes.
fn top(words: &str, line: usize) -> Result<bool> {
    let (key, value) = pair(words, line)?;
    if !TOP.contains(&key) {
        return Err(wrong(line, format!("unknown key `{key}`, expected one of {}", TOP.join(", "))));
    }
    if key == "nodes" && !value.is_empty() {
        return Err(wrong(line, "write the nodes one below the other, each as `- address: …`"));
    }
    Ok(key == "nodes")
}

/// `key: value`, whose quotes and brackets are closed.
fn pair(words: &str, line: usize) -> Result<(&str, &str)> {
    let (key, value) = words.split_once(':').ok_or_else(|| wrong(line, format!("`{words}` is no `key: value`")))?;
    let (key, value) = (key.trim(), value.trim());
    for (opening, closing) in [('[', ']'), ('{', '}'), ('"', '"'), ('\'', '\'')] {
        let open = value.strip_prefix(opening).is_some_and(|rest| !rest.ends_with(closing));
        if open {
            return Err(wrong(line, format!("the `{opening}` of `{value}` is not closed")));
        }
    }
    Ok((key, value))
}

fn entry(node: &mut Node, words: &str, line: usize) -> Result<()> {
    let (key, value) = pair(words, line)?;
    let plain = value.trim_matches(['"', '\'']);
    match key {
        "address" if plain.is_empty() => return Err(wrong(line, "the node's `address` is empty")),
        "address" => node.address = Some(plain.into()),
        "network_bandwidth" => {
            let gbit = plain.parse().ok().filter(|gbit: &f64| gbit.is_finite() && *gbit > 0.0);
            let what = || wrong(line, format!("network_bandwidth `{plain}` is no number of Gbit/s above 0"));
            node.gbit = Some(gbit.ok_or_else(what)?);
        }
        key if KEYS.contains(&key) => {}
        key => return Err(wrong(line, format!("unknown key `{key}`, expected one of {}", KEYS.join(", ")))),
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
        let FromAutodist { cluster, notes } = from_autodist(SPEC, "spec").unwrap();
        assert_eq!((cluster.machines, cluster.network.bandwidth_gbit), (3, 25.0));
        let slow: Vec<_> = cluster.fabric.host.iter().map(|host| (host.machine, host.bandwidth_gbit)).collect();
        assert_eq!(slow, [(1, Some(10.0)), (2, Some(1.0))]);
        assert_eq!(Cluster::parse(&cluster.toml().unwrap()).unwrap(), cluster);
        assert_eq!(notes, ["1 of 3 nodes give no network_bandwidth: taken as 1 Gbit/s, as AutoDist does"]);
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
        assert!(
            error("nodes:\n  - address: a\n  - address: a\n").contains(":3: a node of address `a` is listed twice")
        );
        assert!(error("nodes:\n  - address: a\n    bandwidth: 9\n").contains(":3: unknown key `bandwidth`, expected"));
        assert!(
            error("nodes:\n  - address: a\nhosts:\n").contains(":3: unknown key `hosts`, expected one of nodes, ssh")
        );
        assert!(error("nodes:\n  - address a\n").contains(":2: `address a` is no `key: value`"));
        assert!(error("nodes:\n  - address: 'a\n").contains(":2: the `'` of `'a` is not closed"));
        assert!(error("nodes:\n  - address: a\n\tgpus: [0]\n").contains(":3: is indented by a tab"));
        assert!(error("nodes: [{address: a}]\n").contains(":1: write the nodes one below the other"));
        assert!(error("nodes:\n  address: a\n").contains(":2: is no entry of a list"));
    }
}
