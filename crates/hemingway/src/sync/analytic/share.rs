//! Paces of flows: whoever came first is served first, and the others have what is left.
//!
//! Links that all methods of a strategy treat alike are one kind. What a phase of a group asks of every kind is one row of a
//! table, so that adding flows up is adding rows. Of a host's links and its time for messages, one that every group asks for no more
//! than for another is never full before that one, and paces are found without it.

use std::collections::HashMap;

use super::load::{Alone, IDLE, PHASES, alone};
use crate::simd::widest;
use crate::sync::stage::{Play, Stage};
use crate::sync::strategy::Method;

/// A full link holds an exchange up that needs it so much, over the one it needs most. Of others a few machines' messages
/// wait there, and the rest go on: in time those catch up.
const MUCH: f64 = 0.5;

/// What each phase of each group asks of every kind of link, as shares of it at its own pace.
#[derive(Debug)]
pub(super) struct Shares {
    /// A row of kinds for each phase of each group.
    asks: Vec<f64>,
    /// The kind of each link.
    kind: Vec<usize>,
    kinds: usize,
    /// What may be full.
    narrow: Narrow,
    /// Whom it was last shared out to.
    served: Served,
}

/// Flows in the order in which they are served, and what each leaves. Those before the first that has changed since the last
/// time have what they had.
#[derive(Debug, Default)]
struct Served {
    flows: Vec<(usize, usize)>,
    /// Rows of what is left of each kind, the first of them all of it.
    left: Vec<f64>,
    /// Which of them each flow leaves: whoever has nothing leaves what it found.
    after: Vec<usize>,
}

/// The kinds that may be full first.
#[derive(Debug)]
struct Narrow {
    kinds: usize,
    /// A row of them for each phase of each group.
    asks: Vec<f64>,
    /// Those that hold each row up, and where they end.
    much: Vec<usize>,
    ends: Vec<usize>,
}

impl Narrow {
    fn of(stage: &Stage, asks: &[f64], kind: &[usize], kinds: usize) -> Self {
        let links = &stage.links;
        let mut kept = vec![true; kinds];
        for machine in 0..links.machines() {
            let [up, down, own] = [links.host(machine, true), links.host(machine, false), links.processor(machine)]
                .map(|link| kind[link]);
            for (a, b) in [(up, down), (own, up), (own, down)] {
                let below = |a: usize, b: usize| asks.chunks_exact(kinds).all(|row| row[a] <= row[b]);
                if a != b && kept[a] && kept[b] {
                    kept[a] = !below(a, b);
                    kept[b] = !kept[a] || !below(b, a);
                }
            }
        }
        let places: Vec<usize> = (0..kinds).filter(|kind| kept[*kind]).collect();
        let rows = asks.chunks_exact(kinds.max(1));
        let narrow: Vec<f64> = rows.flat_map(|row| places.iter().map(|kind| row[*kind])).collect();
        let (mut much, mut ends) = (Vec::new(), Vec::new());
        for row in narrow.chunks_exact(places.len().max(1)) {
            let least = MUCH * row.iter().copied().fold(0.0, f64::max);
            much.extend((0..row.len()).filter(|kind| row[*kind] > 0.0 && row[*kind] >= least));
            ends.push(much.len());
        }
        Self { kinds: places.len(), asks: narrow, much, ends }
    }

    /// The kinds that hold a row up.
    fn much(&self, row: usize) -> &[usize] {
        let begin = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.much[begin..self.ends[row]]
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.asks[row * self.kinds..][..self.kinds]
    }
}

impl Served {
    /// Takes other flows; how many of the first are the same.
    fn replace(&mut self, flows: impl Iterator<Item = (usize, usize)>) -> usize {
        let (mut known, mut count) = (0, 0);
        for flow in flows {
            if count == known && self.flows.get(count) == Some(&flow) {
                known += 1;
            } else {
                self.flows.truncate(count);
                self.flows.push(flow);
            }
            count += 1;
        }
        self.flows.truncate(count);
        known
    }

    /// Adds the paces of those that have none yet.
    #[inline(always)]
    fn share_out(&mut self, narrow: &Narrow, paces: &mut Vec<f64>) {
        let Self { flows, left, after } = self;
        let known = paces.len();
        after.truncate(known);
        let mut last = after.last().copied().unwrap_or(0);
        left.truncate((last + 1) * narrow.kinds);
        left.resize((last + 1) * narrow.kinds, 1.0);
        for (group, phase) in &flows[known..] {
            let row = group * PHASES + phase;
            let (asks, before) = (narrow.row(row), last * narrow.kinds);
            let mut pace = 1.0_f64;
            for kind in narrow.much(row) {
                pace = pace.min(left[before + kind] / asks[*kind]);
                if pace == 0.0 {
                    break;
                }
            }
            if pace > 0.0 {
                left.resize(before + 2 * narrow.kinds, 0.0);
                let (found, leaves) = left[before..].split_at_mut(narrow.kinds);
                for ((leaves, found), ask) in leaves.iter_mut().zip(found).zip(asks) {
                    *leaves = (*found - pace * ask).max(0.0);
                }
                last += 1;
            }
            paces.push(pace);
            after.push(last);
        }
    }
}

impl Shares {
    /// With what the phases of each group take alone.
    pub(super) fn of(stage: &Stage, play: &Play) -> (Self, Vec<[Alone; PHASES]>) {
        let (methods, kind, members) = kinds(stage, play);
        let kinds = kind.iter().max().map_or(0, |most| most + 1);
        let groups = play.layout.groups.len();
        let (mut asks, mut times) = (vec![0.0; groups * PHASES * kinds], Vec::with_capacity(groups));
        let (mut sizes, mut classes) = (Vec::new(), Vec::new());
        for (place, group) in play.layout.groups.iter().enumerate() {
            let time = alone(play, place, &mut sizes);
            let load = &play.scores[place].load;
            for (phase, alone) in time.iter().enumerate() {
                let whole = alone.moving.max(1e-15);
                classes.clear();
                classes.extend(load.busy(phase, &sizes).map(|busy| (busy / whole).min(1.0)));
                let row = &mut asks[(place * PHASES + phase) * kinds..][..kinds];
                members[methods[&group.by]].iter().for_each(|(kind, class)| row[*kind] = classes[*class as usize]);
            }
            times.push(time);
        }
        let narrow = Narrow::of(stage, &asks, &kind, kinds);
        (Self { asks, kind, kinds, narrow, served: Served::default() }, times)
    }

    /// The pace of each of these phases of groups, 1 being its own, in the order in which they are served; `paces` holds those of
    /// the last time.
    pub(super) fn paces(&mut self, flows: impl Iterator<Item = (usize, usize)>, paces: &mut Vec<f64>) {
        let Self { narrow, served, .. } = self;
        let known = served.replace(flows);
        if known < served.flows.len() || known < paces.len() {
            paces.truncate(known);
            widest(
                #[inline(always)]
                || served.share_out(narrow, paces),
            );
        }
    }

    /// Seconds that each link is busy with all groups.
    pub(super) fn busy(&self, links: usize, alone: &[[Alone; PHASES]]) -> Vec<f64> {
        let mut busy = vec![0.0; self.kinds];
        for (row, alone) in alone.iter().flatten().enumerate() {
            let row = &self.asks[row * self.kinds..][..self.kinds];
            busy.iter_mut().zip(row).for_each(|(busy, share)| *busy += share * alone.moving);
        }
        (0..links).map(|link| busy[self.kind[link]]).collect()
    }
}

/// The place of each method, the kind of each link, and for each method the kinds it asks something of, with the class that
/// they are to it.
type Kinds = (HashMap<Method, usize>, Vec<usize>, Vec<Vec<(usize, u32)>>);

fn kinds(stage: &Stage, play: &Play) -> Kinds {
    let (mut methods, mut examples) = (HashMap::new(), Vec::new());
    for (group, score) in play.layout.groups.iter().zip(&play.scores) {
        methods.entry(group.by).or_insert_with(|| {
            examples.push(score);
            examples.len() - 1
        });
    }
    let mut found: HashMap<Vec<u32>, usize> = HashMap::new();
    let mut members: Vec<Vec<(usize, u32)>> = vec![Vec::new(); examples.len()];
    let mut kind_of = |link: usize| {
        let signature: Vec<u32> = examples.iter().map(|score| score.load.class[link]).collect();
        let next = found.len();
        *found.entry(signature).or_insert_with_key(|signature| {
            let classes = signature.iter().enumerate().filter(|(_, class)| **class != IDLE);
            classes.for_each(|(method, class)| members[method].push((next, *class)));
            next
        })
    };
    let kind = (0..stage.links.count()).map(&mut kind_of).collect();
    (methods, kind, members)
}
