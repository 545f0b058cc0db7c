//! Who holds what: the cuts, as data.

use std::ops::Range;

/// Rows cut into one contiguous shard a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    cuts: Vec<usize>,
}

impl Placement {
    /// Shards whose lengths differ by at most one; with more machines than rows some are empty.
    pub fn even(rows: usize, machines: usize) -> Self {
        Self { cuts: (0..=machines).map(|k| k * rows / machines).collect() }
    }

    /// Number of machines.
    pub fn machines(&self) -> usize {
        self.cuts.len() - 1
    }

    /// What is dealt: rows, or columns.
    pub fn items(&self) -> usize {
        self.cuts[self.cuts.len() - 1]
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
