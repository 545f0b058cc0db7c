//! Max–min fair paces of flows.
//!
//! Links that all methods of a strategy treat alike are one kind. What a group asks of every kind is one row of a table, so
//! that adding flows up is adding rows. Of a host's links and its time for messages, one that every group asks for no more
//! than for another is never full before that one, and paces are found without it.

use std::collections::HashMap;

use super::load::{Alone, IDLE, alone};
use crate::sync::stage::{Play, Stage};
use crate::sync::strategy::Method;

/// What each group asks of every kind of link, as shares of it at the group's own pace.
#[derive(Debug)]
pub(super) struct Shares {
    /// A row of kinds for each group.
    asks: Vec<f64>,
    /// The kind of each link.
    kind: Vec<usize>,
    kinds: usize,
    /// What may be full.
    narrow: Narrow,
    scratch: Scratch,
}

/// The kinds that may be full first.
#[derive(Debug)]
struct Narrow {
    kinds: usize,
    /// A row of them for each group.
    asks: Vec<f64>,
    /// Which of them it asks anything of: a bit each.
    touched: Vec<u64>,
}

/// What is worked on again and again.
#[derive(Debug, Default)]
struct Scratch {
    /// A number for each kind.
    full: Vec<f64>,
    asked: Vec<f64>,
    level: Vec<f64>,
    /// Kinds that bear no more: a bit each.
    tight: Vec<u64>,
    /// Flows that still quicken.
    open: Vec<usize>,
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
        let bits = |row: &[f64]| (0..).zip(row).fold(0, |bits, (place, share)| bits | u64::from(*share > 0.0) << place);
        let rows = narrow.chunks_exact(places.len().max(1));
        let touched = rows.flat_map(|row| row.chunks(WORD).map(bits)).collect();
        Self { kinds: places.len(), asks: narrow, touched }
    }

    fn row(&self, group: usize) -> &[f64] {
        &self.asks[group * self.kinds..][..self.kinds]
    }

    fn touches(&self, group: usize, tight: &[u64]) -> bool {
        let words = self.kinds.div_ceil(WORD);
        self.touched[group * words..][..words].iter().zip(tight).any(|(own, tight)| own & tight != 0)
    }
}

/// Bits of a word.
const WORD: usize = 64;

impl Shares {
    /// With what each group takes alone.
    pub(super) fn of(stage: &Stage, play: &Play) -> (Self, Vec<Alone>) {
        let (methods, kind, members) = kinds(stage, play);
        let kinds = kind.iter().max().map_or(0, |most| most + 1);
        let groups = play.layout.groups.len();
        let (mut asks, mut times) = (vec![0.0; groups * kinds], Vec::with_capacity(groups));
        let (mut sizes, mut classes) = (Vec::new(), Vec::new());
        for (place, group) in play.layout.groups.iter().enumerate() {
            let time = alone(play, place, &mut sizes);
            let load = &play.scores[place].load;
            let whole = time.moving.max(1e-15);
            classes.clear();
            classes.extend(load.links.iter().zip(&load.messages).map(|(links, messages)| {
                let moving: f64 = links.iter().zip(&sizes).map(|(seconds, bytes)| seconds * bytes).sum();
                ((moving + messages) / whole).min(1.0)
            }));
            let row = &mut asks[place * kinds..][..kinds];
            members[methods[&group.by]].iter().for_each(|(kind, class)| row[*kind] = classes[*class as usize]);
            times.push(time);
        }
        let narrow = Narrow::of(stage, &asks, &kind, kinds);
        (Self { asks, kind, kinds, narrow, scratch: Scratch::default() }, times)
    }

    /// The pace of each of these groups, 1 being its own: all quicken alike until a link is full, those on it stay, the others
    /// go on.
    pub(super) fn paces(&mut self, groups: &[usize], paces: &mut Vec<f64>) {
        paces.clear();
        paces.resize(groups.len(), 1.0);
        let Self { narrow, scratch: Scratch { full, asked, level, tight, open }, .. } = self;
        let add = |sum: &mut [f64], pace: f64, row: &[f64]| sum.iter_mut().zip(row).for_each(|(a, b)| *a += pace * b);
        zeros(full, narrow.kinds);
        open.clear();
        open.extend(0..groups.len());
        while !open.is_empty() {
            zeros(asked, narrow.kinds);
            open.iter().for_each(|flow| add(asked, 1.0, narrow.row(groups[*flow])));
            level.clear();
            level.extend(
                full.iter().zip(&*asked).map(
                    |(full, asked)| {
                        if *asked > 0.0 { (1.0 - full).max(0.0) / asked } else { f64::INFINITY }
                    },
                ),
            );
            let lowest = level.iter().copied().fold(1.0, f64::min);
            // Nothing stands still, whatever rounding says.
            let pace = lowest.max(1e-6);
            let limit = lowest * (1.0 + 1e-9);
            let bits =
                |levels: &[f64]| (0..).zip(levels).fold(0, |bits, (i, level)| bits | u64::from(*level <= limit) << i);
            tight.clear();
            tight.extend(level.chunks(WORD).map(bits));
            open.retain(|flow| {
                let group = groups[*flow];
                let stays = lowest >= 1.0 || narrow.touches(group, tight);
                if stays {
                    paces[*flow] = pace;
                    add(full, pace, narrow.row(group));
                }
                !stays
            });
        }
    }

    /// Seconds that each link is busy with all groups.
    pub(super) fn busy(&self, links: usize, alone: &[Alone]) -> Vec<f64> {
        let mut busy = vec![0.0; self.kinds];
        for (group, alone) in alone.iter().enumerate() {
            let row = &self.asks[group * self.kinds..][..self.kinds];
            busy.iter_mut().zip(row).for_each(|(busy, share)| *busy += share * alone.moving);
        }
        (0..links).map(|link| busy[self.kind[link]]).collect()
    }
}

fn zeros(values: &mut Vec<f64>, count: usize) {
    values.clear();
    values.resize(count, 0.0);
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
