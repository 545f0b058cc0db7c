//! Who holds what: the cuts, as data.

pub(crate) mod drift;

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// How rows are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cuts {
    /// Into equal numbers of rows.
    Even,
    /// Into equal amounts of work.
    ByWork,
    /// Into equal amounts of work at first, and again when machines turn out to take longer than others.
    Measured,
}

/// Rows cut into one contiguous shard a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placement {
    cuts: Vec<usize>,
}

impl Placement {
    /// Shards whose lengths differ by at most one; with more machines than rows some are empty.
    pub fn even(rows: usize, machines: usize) -> Self {
        Self { cuts: (0..=machines).map(|k| k * rows / machines).collect() }
    }

    /// Shards of about equal work, `work(i)` being that of all rows before row i: none has more than an equal share and its
    /// heaviest row.
    pub fn by_work(rows: usize, machines: usize, work: impl Fn(usize) -> f64) -> Self {
        let whole = work(rows);
        let cut = |k: usize| {
            let share = whole * k as f64 / machines as f64;
            let (mut low, mut high) = (0, rows);
            while low < high {
                let middle = (low + high) / 2;
                if work(middle) < share { low = middle + 1 } else { high = middle }
            }
            low
        };
        let inner = (1..machines).map(cut);
        Self { cuts: std::iter::once(0).chain(inner).chain([rows]).collect() }
    }

    /// Number of machines.
    pub fn machines(&self) -> usize {
        self.cuts.len() - 1
    }

    /// What is dealt: rows, or columns.
    pub fn items(&self) -> usize {
        self.cuts[self.cuts.len() - 1]
    }

    /// The machine that holds an item, or the last for the place behind all.
    fn holder(&self, item: usize) -> usize {
        if item < self.items() { self.owner(item) } else { self.machines() - 1 }
    }

    /// Half of the way from another placement on as many machines to this.
    fn half_way_from(&self, other: &Self) -> Self {
        // Rounded towards this one, so that a step of one item is one.
        let half = |(to, from): (&usize, &usize)| if from > to { (from + to) / 2 } else { (from + to).div_ceil(2) };
        Self { cuts: self.cuts.iter().zip(&other.cuts).map(half).collect() }
    }

    /// [machines], and the cuts.
    pub(crate) fn state(&self) -> impl Iterator<Item = f64> + '_ {
        std::iter::once(self.machines() as f64).chain(self.cuts.iter().map(|cut| *cut as f64))
    }

    /// What [`Placement::state`] gave of so many items, and what follows it.
    pub(crate) fn restored(state: &[f64], items: usize) -> Option<(Self, &[f64])> {
        let (machines, rest) = state.split_first()?;
        let (cuts, rest) = rest.split_at_checked(*machines as usize + 1)?;
        let cuts: Vec<usize> = cuts.iter().map(|cut| *cut as usize).collect();
        let sound = cuts.first() == Some(&0) && cuts.last() == Some(&items) && cuts.is_sorted();
        (sound && cuts.len() > 1).then_some((Self { cuts }, rest))
    }

    /// The machine that holds an item.
    pub fn owner(&self, item: usize) -> usize {
        self.cuts.partition_point(|cut| *cut <= item) - 1
    }

    /// The rows of machine k.
    pub fn range(&self, k: usize) -> Range<usize> {
        self.cuts[k]..self.cuts[k + 1]
    }

    /// All shards, in order of machine.
    pub fn ranges(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.cuts.windows(2).map(|cut| cut[0]..cut[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_shard_has_more_than_an_equal_share_and_its_heaviest_row(
            work in prop::collection::vec(0..1000u32, 0..300), machines in 1..70usize,
        ) {
            let before: Vec<f64> = std::iter::once(0.0)
                .chain(work.iter().scan(0.0, |sum, w| { *sum += f64::from(*w); Some(*sum) }))
                .collect();
            let placement = Placement::by_work(work.len(), machines, |i| before[i]);
            prop_assert_eq!((placement.machines(), placement.items()), (machines, work.len()));
            let heaviest = work.iter().copied().max().map_or(0.0, f64::from);
            let equal = before[work.len()] / machines as f64;
            for range in placement.ranges() {
                prop_assert!(range.start <= range.end);
                prop_assert!(before[range.end] - before[range.start] <= equal + heaviest + 1e-9);
            }
        }

        #[test]
        fn shards_are_even_and_cover_all_rows(rows in 0..500usize, machines in 1..70usize) {
            let placement = Placement::even(rows, machines);
            let ranges: Vec<_> = placement.ranges().collect();
            prop_assert_eq!(placement.machines(), machines);
            prop_assert_eq!(ranges.iter().map(|r| r.len()).sum::<usize>(), rows);
            prop_assert!((0..rows).all(|row| ranges[placement.owner(row)].contains(&row)));
            prop_assert!(ranges.iter().all(|r| r.len() == rows / machines || r.len() == rows / machines + 1));
        }
    }
}
