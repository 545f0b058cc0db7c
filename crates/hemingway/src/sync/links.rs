//! The network of a cluster as a list of links, each with what it bears, and the links that a message crosses.

use crate::cluster::{Cluster, End, Network};

/// Links of the first m machines: of every host up and down, of every rack up and down, of pairs that have their own, and
/// beside them the time of hosts, and of a switch between them, for messages.
#[derive(Debug, Clone)]
pub struct Links {
    machines: usize,
    network: Network,
    /// Bytes a second; of the time for messages seconds a second, which is 1.
    capacity: Vec<f64>,
    names: Vec<String>,
    rack: Vec<Option<usize>>,
    pairs: Vec<(usize, usize)>,
    racks: usize,
    paces: Vec<f64>,
    message: f64,
    switch: f64,
}

const BYTES_PER_GBIT: f64 = 1e9 / 8.0;

impl Links {
    /// Those of the first m machines of a cluster.
    pub fn of(cluster: &Cluster, machines: usize) -> Self {
        let fabric = &cluster.fabric;
        let mut gbit = vec![cluster.network.bandwidth_gbit; machines];
        let mut paces = vec![1.0; machines];
        let mut pairs = Vec::new();
        for link in &cluster.network.link {
            match (&link.from, &link.to) {
                (End::Machine(a), End::Machine(b)) => {
                    let known = link.bandwidth_gbit.filter(|_| *a < machines && *b < machines);
                    pairs.extend(known.map(|gbit| (*a, *b, gbit)));
                }
                (End::Machine(k), End::Any(_)) | (End::Any(_), End::Machine(k)) => {
                    if let Some(host) = gbit.get_mut(*k) {
                        *host = link.bandwidth_gbit.unwrap_or(*host);
                    }
                }
                (End::Any(_), End::Any(_)) => {
                    if let Some(all) = link.bandwidth_gbit {
                        gbit.fill(all);
                    }
                }
            }
        }
        for host in fabric.host.iter().filter(|host| host.machine < machines) {
            gbit[host.machine] = host.bandwidth_gbit.unwrap_or(gbit[host.machine]);
            paces[host.machine] = host.pace;
        }
        let mut rack = vec![None; machines];
        for (r, its) in fabric.rack.iter().enumerate() {
            its.machines.iter().filter(|k| **k < machines).for_each(|k| rack[*k] = Some(r));
        }
        let mut links = Self {
            machines,
            network: cluster.network.clone(),
            capacity: Vec::new(),
            names: Vec::new(),
            rack,
            pairs: pairs.iter().map(|(a, b, _)| (*a, *b)).collect(),
            racks: fabric.rack.len(),
            paces,
            message: fabric.message_us / 1e6,
            switch: fabric.switch_us / 1e6,
        };
        for way in ["up", "down"] {
            gbit.iter().enumerate().for_each(|(k, gbit)| links.push(format!("host {k} {way}"), gbit * BYTES_PER_GBIT));
        }
        for (r, rack) in fabric.rack.iter().enumerate() {
            for way in ["up", "down"] {
                links.push(format!("rack {r} {way}"), rack.uplink_gbit * BYTES_PER_GBIT);
            }
        }
        for (a, b, gbit) in pairs {
            for (from, to) in [(a, b), (b, a)] {
                links.push(format!("link {from} to {to}"), gbit * BYTES_PER_GBIT);
            }
        }
        if links.switch > 0.0 {
            links.push("messages of the switch".into(), 1.0);
        }
        for k in 0..machines {
            links.push(format!("messages of host {k}"), 1.0);
        }
        links
    }

    fn push(&mut self, name: String, capacity: f64) {
        self.names.push(name);
        self.capacity.push(capacity);
    }

    /// How many machines they join.
    pub fn machines(&self) -> usize {
        self.machines
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.capacity.len()
    }

    /// What one bears.
    pub fn capacity(&self, link: usize) -> f64 {
        self.capacity[link]
    }

    /// Its name in tables.
    pub fn name(&self, link: usize) -> &str {
        &self.names[link]
    }

    /// Which link is the upward, or downward, one of a machine.
    pub fn host(&self, machine: usize, up: bool) -> usize {
        if up { machine } else { self.machines + machine }
    }

    /// Which stands for a machine's time for messages.
    pub fn processor(&self, machine: usize) -> usize {
        self.count() - self.machines + machine
    }

    /// Seconds that a message costs each of its ends.
    pub fn message(&self) -> f64 {
        self.message
    }

    /// Which stands for the time of a switch that all messages pass one after the other, if there is one, and its seconds for
    /// each.
    pub fn switch(&self) -> Option<(usize, f64)> {
        (self.switch > 0.0).then(|| (self.count() - self.machines - 1, self.switch))
    }

    /// How fast a machine computes, 1 being usual.
    pub fn pace(&self, machine: usize) -> f64 {
        self.paces[machine]
    }

    /// Seconds until the first byte arrives.
    pub fn latency(&self, from: usize, to: usize) -> f64 {
        self.network.link(from, to).0
    }

    /// The links that a message crosses, in order.
    pub fn path(&self, from: usize, to: usize) -> impl Iterator<Item = usize> {
        let uplink = |machine: usize, way: usize| self.rack[machine].map(|rack| 2 * self.machines + 2 * rack + way);
        let leaves = self.rack[from] != self.rack[to];
        let (up, down) = if leaves { (uplink(from, 0), uplink(to, 1)) } else { (None, None) };
        let first = 2 * (self.machines + self.racks);
        let own = self.pairs.iter().enumerate().rev().find_map(|(i, (a, b))| match (from, to) {
            pair if pair == (*a, *b) => Some(first + 2 * i),
            pair if pair == (*b, *a) => Some(first + 2 * i + 1),
            _ => None,
        });
        [Some(self.host(from, true)), up, own, down, Some(self.host(to, false))].into_iter().flatten()
    }

    /// Machines by rack; one without a rack stands alone.
    pub fn racks(&self) -> Vec<Vec<usize>> {
        let mut racks: Vec<Vec<usize>> = vec![Vec::new(); self.racks];
        let mut alone = Vec::new();
        for (machine, rack) in self.rack.iter().enumerate() {
            match rack {
                Some(rack) => racks[*rack].push(machine),
                None => alone.push(vec![machine]),
            }
        }
        racks.retain(|members| !members.is_empty());
        racks.extend(alone);
        racks
    }

    /// Whether racks tell machines apart: there are several, and not all of them hold one machine.
    pub fn has_racks(&self) -> bool {
        let racks = self.racks();
        racks.len() > 1 && racks.iter().any(|members| members.len() > 1)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Machines in racks of four at 8 Gbit, whose uplinks bear twice a host's.
    pub(in crate::sync) fn cluster(machines: usize, racks: bool) -> Cluster {
        let mut text = format!(
            "name = 'test'\nmachines = {machines}\ncores_per_machine = 1\nmemory_gb = 1\nprice_per_hour = 0\n\
             [compute]\nns_per_nonzero = 1\n[network]\nlatency_us = 100\nbandwidth_gbit = 8\ncollective = 'ring'\n\
             [fabric]\nmessage_us = 10\n"
        );
        for rack in (0..machines.div_ceil(4)).filter(|_| racks) {
            let members: Vec<usize> = (4 * rack..machines.min(4 * rack + 4)).collect();
            text.push_str(&format!("[[fabric.rack]]\nmachines = {members:?}\nuplink_gbit = 16\n"));
        }
        Cluster::parse(&text).unwrap()
    }

    #[test]
    fn messages_cross_uplinks_only_between_racks() {
        let links = Links::of(&cluster(6, true), 6);
        let names = |a, b| links.path(a, b).map(|link| links.name(link).to_string()).collect::<Vec<_>>();
        assert_eq!(names(0, 3), ["host 0 up", "host 3 down"]);
        assert_eq!(names(0, 5), ["host 0 up", "rack 0 up", "rack 1 down", "host 5 down"]);
        assert_eq!(links.racks(), [vec![0, 1, 2, 3], vec![4, 5]]);
        assert_eq!((links.capacity(0), links.latency(0, 1)), (1e9, 1e-4));
        assert_eq!(links.name(links.processor(5)), "messages of host 5");
        assert!(!Links::of(&cluster(6, true), 4).has_racks() && links.has_racks());
    }

    #[test]
    fn pairs_and_hosts_may_differ() {
        let mut cluster = cluster(4, false);
        let link = |from, to, gbit| crate::cluster::Link { from, to, latency_us: None, bandwidth_gbit: Some(gbit) };
        let any = || End::Any(crate::cluster::Star::Star);
        let later = crate::cluster::Link { from: any(), to: any(), latency_us: Some(7.0), bandwidth_gbit: None };
        cluster.network.link = vec![
            link(End::Machine(1), End::Machine(2), 0.4),
            link(End::Machine(1), End::Machine(2), 0.8),
            link(End::Machine(3), any(), 4.0),
            later,
        ];
        let links = Links::of(&cluster, 4);
        let slowest = |a, b| links.path(a, b).map(|link| links.capacity(link)).fold(f64::INFINITY, f64::min);
        assert_eq!([slowest(0, 1), slowest(2, 1), slowest(0, 3)], [1e9, 1e8, 5e8]);
    }
}
