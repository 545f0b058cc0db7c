//! Max–min fair paces of flows.

use std::collections::HashMap;

use super::load::{IDLE, alone, sizes};
use crate::sync::stage::{Play, Stage};
use crate::sync::strategy::Method;

/// What each group asks of links that some method tells apart, as shares of them at its own pace.
#[derive(Debug)]
pub(super) struct Shares {
    /// (kind of link, share) of each group.
    asks: Vec<Vec<(usize, f64)>>,
    /// The kind of each link.
    kind: Vec<usize>,
    kinds: usize,
}

impl Shares {
    pub(super) fn of(stage: &Stage, play: &Play) -> Self {
        let mut methods: Vec<Method> = Vec::new();
        let mut examples = Vec::new();
        for (group, score) in play.layout.groups.iter().zip(&play.scores) {
            if !methods.contains(&group.by) {
                methods.push(group.by);
                examples.push(score);
            }
        }
        // Links are of one kind if all methods treat them alike.
        let mut kinds: HashMap<Vec<u32>, usize> = HashMap::new();
        let signature = |link: usize| examples.iter().map(|score| score.load.class[link]).collect::<Vec<u32>>();
        let signatures: Vec<Vec<u32>> = (0..stage.links.count()).map(signature).collect();
        let mut kind_of = |signature: &Vec<u32>| {
            let next = kinds.len();
            *kinds.entry(signature.clone()).or_insert(next)
        };
        let kind: Vec<usize> = signatures.iter().map(&mut kind_of).collect();
        let mut members: Vec<Vec<(usize, u32)>> = vec![Vec::new(); methods.len()];
        for (signature, kind) in &kinds {
            let classes = signature.iter().enumerate().filter(|(_, class)| **class != IDLE);
            classes.for_each(|(method, class)| members[method].push((*kind, *class)));
        }
        members.iter_mut().for_each(|kinds| kinds.sort_unstable());
        let asks = |group: usize| {
            let method = methods.iter().position(|method| *method == play.layout.groups[group].by);
            asks(play, group, method.map_or(&[][..], |method| &members[method]))
        };
        Self { asks: (0..play.layout.groups.len()).map(asks).collect(), kind, kinds: kinds.len() }
    }

    /// The pace of each of these groups, 1 being its own.
    pub(super) fn paces(&self, groups: &[usize]) -> Vec<f64> {
        let mut paces: Vec<Option<f64>> = vec![None; groups.len()];
        let mut full = vec![0.0_f64; self.kinds];
        loop {
            let mut asked = vec![0.0_f64; self.kinds];
            for (group, _) in groups.iter().zip(&paces).filter(|(_, pace)| pace.is_none()) {
                self.asks[*group].iter().for_each(|(kind, share)| asked[*kind] += share);
            }
            let level = |kind: usize| if asked[kind] > 0.0 { (1.0 - full[kind]).max(0.0) / asked[kind] } else { 1.0 };
            let lowest = (0..self.kinds).map(level).fold(1.0, f64::min);
            // Nothing stands still, whatever rounding says.
            let pace = lowest.max(1e-6);
            let tight: Vec<bool> =
                (0..self.kinds).map(|kind| asked[kind] > 0.0 && level(kind) <= lowest * (1.0 + 1e-9)).collect();
            let mut left = false;
            for (group, own) in groups.iter().zip(&mut paces).filter(|(_, pace)| pace.is_none()) {
                if lowest >= 1.0 || self.asks[*group].iter().any(|(kind, share)| *share > 0.0 && tight[*kind]) {
                    *own = Some(pace);
                    self.asks[*group].iter().for_each(|(kind, share)| full[*kind] += pace * share);
                } else {
                    left = true;
                }
            }
            if !left {
                return paces.into_iter().map(|pace| pace.unwrap_or(1.0)).collect();
            }
        }
    }

    /// Seconds that each link is busy with all groups.
    pub(super) fn busy(&self, links: usize, alone: &[(f64, f64)]) -> Vec<f64> {
        let mut busy = vec![0.0; self.kinds];
        for (asks, (_, seconds)) in self.asks.iter().zip(alone) {
            asks.iter().for_each(|(kind, share)| busy[*kind] += share * seconds);
        }
        (0..links).map(|link| busy[self.kind[link]]).collect()
    }
}

fn asks(play: &Play, group: usize, members: &[(usize, u32)]) -> Vec<(usize, f64)> {
    let load = &play.scores[group].load;
    let sizes = sizes(play, group);
    let whole = alone(play, group).1.max(1e-15);
    let class = |class: usize| {
        let moving: f64 = load.links[class].iter().zip(&sizes).map(|(seconds, bytes)| seconds * bytes).sum();
        (moving + load.messages[class]) / whole
    };
    let classes: Vec<f64> = (0..load.links.len()).map(class).collect();
    members.iter().map(|(kind, class)| (*kind, classes[*class as usize].min(1.0))).collect()
}
