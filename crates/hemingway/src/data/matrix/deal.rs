//! Rows put in another order where they stand: a copy beside the original would double what a job needs.
//!
//! The new order is cut into groups. Entries go to buffers, one a group, and from there in pieces back to the front of their own
//! array, of which at least as much has been read. Then pieces change places until those of a group are neighbours, and
//! each group, small by now, is put in order through one more buffer. All of it is read and written in runs.

use std::ops::Range;
use std::thread;

use super::{Matrix, Values, either};

/// Entries that move together.
const PIECE: usize = 2048;
/// At most so many groups: their buffers should stay in a cache.
const GROUPS: usize = 64;
/// Pieces of a group, at least.
const PIECES: usize = 32;

impl Matrix {
    /// The rows in another order.
    ///
    /// # Panics
    /// If `order` does not name every row once.
    pub fn dealt(self, order: &[u32]) -> Self {
        assert_eq!(order.len(), self.rows(), "every row has one place");
        match self {
            Self::Sparse { columns, starts, mut indices, mut values } => {
                let row = |i: u32| starts[i as usize]..starts[i as usize + 1];
                thread::scope(|scope| {
                    scope.spawn(|| deal(&mut indices, order, row));
                    either!(Values, &mut values, values => deal(values, order, row));
                });
                let mut end = 0;
                let ends = order.iter().map(|&i| {
                    end += row(i).len();
                    end
                });
                Self::Sparse { columns, starts: std::iter::once(0).chain(ends).collect(), indices, values }
            }
            Self::Dense { rows, columns, mut values } => {
                let row = |i: u32| i as usize * columns..(i as usize + 1) * columns;
                either!(Values, &mut values, values => deal(values, order, row));
                Self::Dense { rows, columns, values }
            }
        }
    }
}

/// Puts rows, of which `row` tells the place, in another order.
fn deal<T: Copy + Default>(entries: &mut Vec<T>, order: &[u32], row: impl Fn(u32) -> Range<usize>) {
    let total = entries.len();
    let groups = groups(order, (total / (PIECES * PIECE)).clamp(1, GROUPS), total, &row);
    let mut whose = vec![0_u8; order.len()];
    for (group, rows) in groups.iter().enumerate() {
        order[rows.clone()].iter().for_each(|&i| whose[i as usize] = group as u8);
    }
    let owners = gather(entries, groups.len(), (0..order.len() as u32).map(|i| (whose[i as usize], row(i))));
    drop(whose);
    let firsts = settle(entries, &owners, groups.len());
    let mut buffer = Vec::new();
    let mut end = 0;
    for (rows, first) in groups.into_iter().zip(firsts) {
        end = arrange(entries, &mut buffer, first * PIECE, end, &order[rows], &row);
    }
    entries.truncate(total);
}

/// The new order in ranges of about as many entries each.
fn groups(order: &[u32], count: usize, total: usize, row: impl Fn(u32) -> Range<usize>) -> Vec<Range<usize>> {
    let (mut groups, mut first, mut seen) = (Vec::with_capacity(count), 0, 0);
    for (at, &i) in order.iter().enumerate() {
        seen += row(i).len();
        if seen * count >= total * (groups.len() + 1) && groups.len() + 1 < count {
            groups.push(first..at + 1);
            first = at + 1;
        }
    }
    groups.push(first..order.len());
    groups
}

/// Gathers the entries of every group in pieces, the last of which may be filled up, and tells whose each is.
fn gather<T: Copy + Default>(
    entries: &mut Vec<T>,
    groups: usize,
    rows: impl Iterator<Item = (u8, Range<usize>)>,
) -> Vec<u8> {
    let mut buffers = vec![Vec::with_capacity(PIECE); groups];
    let mut owners = Vec::with_capacity(entries.len() / PIECE + groups);
    for (group, mut row) in rows {
        let buffer = &mut buffers[group as usize];
        while !row.is_empty() {
            let next = row.start + row.len().min(PIECE - buffer.len());
            buffer.extend_from_slice(&entries[row.start..next]);
            row.start = next;
            if buffer.len() == PIECE {
                entries[owners.len() * PIECE..][..PIECE].copy_from_slice(buffer);
                owners.push(group);
                buffer.clear();
            }
        }
    }
    entries.truncate(owners.len() * PIECE);
    for (group, buffer) in (0..).zip(&mut buffers).filter(|(_, buffer)| !buffer.is_empty()) {
        buffer.resize(PIECE, T::default());
        entries.append(buffer);
        owners.push(group);
    }
    owners
}

/// Makes neighbours of the pieces of a group, in the order in which they stand; tells the first piece of each.
fn settle<T: Copy>(entries: &mut [T], owners: &[u8], groups: usize) -> Vec<usize> {
    let mut firsts = vec![0; groups + 1];
    owners.iter().for_each(|&group| firsts[group as usize + 1] += 1);
    (0..groups).for_each(|group| firsts[group + 1] += firsts[group]);
    let mut next = firsts.clone();
    let place = |&group: &u8| {
        next[group as usize] += 1;
        next[group as usize] - 1
    };
    let mut places: Vec<usize> = owners.iter().map(place).collect();
    for at in 0..places.len() {
        while places[at] != at {
            let to = places[at];
            // The smaller places are settled, so that `to` lies behind.
            let (front, back) = entries.split_at_mut(to * PIECE);
            front[at * PIECE..][..PIECE].swap_with_slice(&mut back[..PIECE]);
            places.swap(at, to);
        }
    }
    firsts.truncate(groups);
    firsts
}

/// Puts a group, which begins at `from` with its rows in their old order, in its new order at `to`; tells where it ends.
fn arrange<T: Copy>(
    entries: &mut [T],
    buffer: &mut Vec<T>,
    from: usize,
    mut to: usize,
    order: &[u32],
    row: impl Fn(u32) -> Range<usize>,
) -> usize {
    let mut by_old: Vec<(u32, u32)> = order.iter().copied().zip(0..).collect();
    by_old.sort_unstable();
    let (mut starts, mut length) = (vec![0; order.len()], 0);
    for (i, new) in by_old {
        starts[new as usize] = length;
        length += row(i).len();
    }
    buffer.clear();
    buffer.extend_from_slice(&entries[from..from + length]);
    for (&i, start) in order.iter().zip(starts) {
        let count = row(i).len();
        entries[to..to + count].copy_from_slice(&buffer[start..start + count]);
        to += count;
    }
    to
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::seq::SliceRandom;

    use super::*;
    use crate::rng::{Purpose, keyed};

    fn order(rows: usize, seed: u64) -> Vec<u32> {
        let mut order: Vec<u32> = (0..rows as u32).collect();
        order.shuffle(&mut keyed(seed, Purpose::Deal, 0, 0));
        order
    }

    fn is_as_selected(matrix: Matrix, seed: u64) -> bool {
        let order = order(matrix.rows(), seed);
        let selected = matrix.select(order.iter().map(|&i| i as usize));
        matrix.dealt(&order) == selected
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// From a few entries to several groups, with rows of none and rows longer than a piece.
        #[test]
        fn rows_are_those_of_a_copy(lengths in prop::collection::vec(0_u32..6000, 1..120), dense: bool, seed: u64) {
            let mut matrix = Matrix::sparse(6000);
            for (i, length) in lengths.iter().enumerate() {
                matrix.push_row((0..*length).map(|j| (j, f64::from(j) + i as f64)));
            }
            prop_assert!(is_as_selected(matrix, seed));
            if dense {
                let values = (0..lengths.len() * 1500).map(|k| k as f64).collect();
                prop_assert!(is_as_selected(Matrix::dense(1500, values), seed));
            }
        }
    }

    #[test]
    fn short_rows_of_many_groups() {
        let values = (0..1_000_000 * 3).map(f64::from).collect();
        assert!(is_as_selected(Matrix::dense(3, values), 1));
        let mut matrix = Matrix::sparse(9);
        (0..700_000_u32).for_each(|i| matrix.push_row((0..i % 7).map(|j| (j, f64::from(i)))));
        assert!(is_as_selected(matrix, 2));
    }
}
