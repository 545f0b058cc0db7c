//! The schedules that the dynamic one is compared with: they take every column in, and ask nobody how it moved.

use rand::seq::index::sample;

use super::Schedule;
use super::dependence::Dependence;
use crate::placement::Placement;
use crate::rng::{Purpose, keyed};

/// A schedule that does not learn.
#[derive(Debug, Clone)]
pub(crate) enum Rival {
    /// Every machine's columns one after the other.
    Cyclic { block: usize },
    /// Any columns.
    Random { block: usize },
    /// Blocks made once; empty until all columns are described.
    Static { block: usize, dependence: Dependence, blocks: Vec<Vec<u32>> },
}

impl Rival {
    /// The rival that a schedule names, if it does.
    pub(crate) fn of(schedule: Schedule) -> Option<Self> {
        match schedule {
            Schedule::All | Schedule::Dynamic { .. } => None,
            Schedule::Cyclic { block } => Some(Self::Cyclic { block }),
            Schedule::Random { block } => Some(Self::Random { block }),
            Schedule::Static { block, rho } => {
                Some(Self::Static { block, dependence: Dependence::above(rho), blocks: Vec::new() })
            }
        }
    }

    /// Columns to be described before it can begin, so many at most.
    pub(crate) fn strangers(&self, columns: usize, most: usize) -> Vec<u32> {
        match self {
            Self::Static { dependence, blocks, .. } if blocks.is_empty() => {
                (0..columns as u32).filter(|column| !dependence.is_described(*column)).take(most).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Learns signatures; with the last of them the blocks are made.
    pub(crate) fn describe(&mut self, described: &[u32], signatures: &[f64], columns: usize) {
        let Self::Static { block, dependence, blocks } = self else { return };
        let length = signatures.len() / described.len().max(1);
        for (column, signature) in described.iter().zip(signatures.chunks_exact(length.max(1))) {
            dependence.describe(*column, signature);
        }
        if (0..columns as u32).all(|column| dependence.is_described(column)) {
            *blocks = colour(dependence, columns as u32, *block);
            *dependence = Dependence::default();
        }
    }

    /// The columns of a round, ascending.
    pub(crate) fn block(&self, placement: &Placement, seed: u64, round: u64) -> Vec<u32> {
        let columns = placement.items();
        let mut block: Vec<u32> = match self {
            Self::Cyclic { block } => cyclic(placement, *block, round),
            Self::Random { block } => {
                let mut rng = keyed(seed, Purpose::Schedule, 0, round);
                sample(&mut rng, columns, columns.min(*block)).into_iter().map(|column| column as u32).collect()
            }
            Self::Static { blocks, .. } => blocks[round as usize % blocks.len()].clone(),
        };
        block.sort_unstable();
        // Machines that hold fewer columns come round sooner.
        block.dedup();
        block
    }
}

impl Rival {
    /// What it has learned: signatures, or of every block its length and columns.
    pub(crate) fn state(&self) -> Vec<f64> {
        match self {
            Self::Static { dependence, blocks, .. } if blocks.is_empty() => {
                [0.0].into_iter().chain(dependence.state()).collect()
            }
            Self::Static { blocks, .. } => {
                let columns = |block: &Vec<u32>| {
                    [block.len() as f64].into_iter().chain(block.iter().map(|k| f64::from(*k))).collect::<Vec<_>>()
                };
                [1.0].into_iter().chain(blocks.iter().flat_map(columns)).collect()
            }
            Self::Cyclic { .. } | Self::Random { .. } => Vec::new(),
        }
    }

    /// Takes up what [`Rival::state`] gave.
    pub(crate) fn restore(&mut self, state: &[f64]) -> Option<()> {
        let Self::Static { dependence, blocks, .. } = self else {
            return state.is_empty().then_some(());
        };
        let (made, mut rest) = state.split_first()?;
        blocks.clear();
        if *made == 0.0 {
            return dependence.restore(rest);
        }
        while let [length, columns @ ..] = rest {
            let (block, after) = columns.split_at_checked(*length as usize)?;
            blocks.push(block.iter().map(|k| *k as u32).collect());
            rest = after;
        }
        Some(())
    }
}

/// One machine after the other, each the next of its own.
fn cyclic(placement: &Placement, block: usize, round: u64) -> Vec<u32> {
    let shards: Vec<_> = placement.ranges().filter(|range| !range.is_empty()).collect();
    let first = (round as usize).wrapping_mul(block);
    let turn = |turn: usize| {
        let shard = &shards[turn % shards.len()];
        (shard.start + turn / shards.len() % shard.len()) as u32
    };
    (0..block.min(placement.items())).map(|k| turn(first.wrapping_add(k))).collect()
}

/// Each column into the first block that has room and nothing that it conflicts with.
fn colour(dependence: &Dependence, columns: u32, most: usize) -> Vec<Vec<u32>> {
    let mut blocks: Vec<Vec<u32>> = Vec::new();
    let mut block_of = vec![usize::MAX; columns as usize];
    for column in 0..columns {
        let taken: std::collections::BTreeSet<usize> =
            dependence.conflicts(column).map(|other| block_of[other as usize]).collect();
        let free = |k: &usize| blocks[*k].len() < most && !taken.contains(k);
        let k = (0..blocks.len()).find(free).unwrap_or_else(|| {
            blocks.push(Vec::new());
            blocks.len() - 1
        });
        blocks[k].push(column);
        block_of[column as usize] = k;
    }
    blocks
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn everybody_has_a_turn() {
        let placement = Placement::even(10, 3);
        for schedule in
            ["cyclic:block=1", "cyclic:block=3", "cyclic:block=8", "random:block=4", "static:block=2,rho=0.5"]
        {
            let mut rival = Rival::of(schedule.parse().unwrap()).unwrap();
            while let strangers @ [_, ..] = &rival.strangers(10, 4)[..] {
                let signatures: Vec<f64> =
                    strangers.iter().flat_map(|k| [f64::from(*k).cos(), f64::from(*k).sin()]).collect();
                rival.describe(strangers, &signatures, 10);
            }
            let mut again = Rival::of(schedule.parse().unwrap()).unwrap();
            assert!(again.restore(&rival.state()).is_some() && again.state() == rival.state(), "{schedule}");
            let moved: BTreeSet<u32> = (0..40).flat_map(|round| rival.block(&placement, 1, round)).collect();
            assert_eq!(moved.len(), 10, "{schedule}");
        }
    }

    #[test]
    fn static_blocks_hold_nothing_that_conflicts() {
        let mut dependence = Dependence::above(0.5);
        for k in 0..12 {
            dependence.describe(k, &[f64::from(k).cos(), f64::from(k).sin()]);
        }
        for block in colour(&dependence, 12, 3) {
            assert!(block.len() <= 3);
            assert!(block.iter().all(|a| dependence.conflicts(*a).all(|b| !block.contains(&b))), "{block:?}");
        }
    }
}
