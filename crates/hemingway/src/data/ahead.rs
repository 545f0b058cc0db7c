//! Rows asked for from memory before they are needed.

use std::ops::Range;

use prefetch_index::prefetch_index;

use super::matrix::{Matrix, Numbers, Row, either};

/// Rows between the one that is looked at and the one whose entries are asked for; twice as far lies the one of which only
/// the place is.
const ROWS: usize = 4;
/// Bytes of a line of the cache.
const LINE: usize = 64;
/// Lines asked for of one row, but for its last: what follows is found by the machine itself, which sees them go by in order.
const LINES: usize = 16;
/// Entries that stay near the processor anyway.
const NEAR: usize = 1 << 16;
/// Entries between the row at hand and those asked for in a pass from the first row to the last.
const ON: usize = 2048;
/// Entries that such a pass finds soon enough without asking.
const WITHIN_REACH: usize = 1 << 20;

/// Looks ahead in an order of rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ahead<'a> {
    /// None where the whole is small enough.
    matrix: Option<&'a Matrix>,
    first: usize,
}

impl<'a> Ahead<'a> {
    /// For rows counted from `first`.
    pub(crate) fn of(matrix: &'a Matrix, first: usize) -> Self {
        Self { matrix: Some(matrix).filter(|matrix| matrix.stored() > NEAR), first }
    }

    /// Never asks for anything.
    pub(crate) fn none() -> Self {
        Self { matrix: None, first: 0 }
    }

    /// The row that will be needed soon after the k-th of these, for [`ask_for`] or [`Row::dot_asking`]; where another's entries lie that
    /// come later yet is asked for.
    #[inline(always)]
    pub(crate) fn soon(self, order: &[u32], k: usize) -> Option<usize> {
        let matrix = self.matrix?;
        if let Matrix::Sparse { starts, .. } = matrix {
            self.ask_of(&starts[self.first..], order, k);
        }
        order.get(k + ROWS).map(|i| *i as usize)
    }

    /// The same of what is kept beside the rows, one for each.
    #[inline(always)]
    pub(crate) fn ask_of<T>(self, beside: &[T], order: &[u32], k: usize) {
        if let (Some(_), Some(i)) = (self.matrix, order.get(k + 2 * ROWS)) {
            prefetch_index(beside, *i as usize);
        }
    }
}

/// Asks for the entries of a row.
#[inline(always)]
pub(crate) fn ask_for(row: Row<'_>) {
    match row {
        Row::Sparse(indices, values) => {
            either!(Numbers, values, values => ask_for_lines(values));
            ask_for_lines(indices);
        }
        Row::Dense(values) => either!(Numbers, values, values => ask_for_lines(values)),
    }
}

#[inline(always)]
fn ask_for_lines<T>(entries: &[T]) {
    let last = entries.len().saturating_sub(1);
    (0..entries.len()).step_by(LINE / size_of::<T>()).take(LINES).for_each(|at| prefetch_index(entries, at));
    // Rows begin anywhere in a line, and may end in one more than they are long.
    prefetch_index(entries, last);
}

/// Asks for the entries that come a while after those of a row, where rows are passed in order. The machine sees that order too, but
/// of two arrays at once it fetches less far ahead than memory is away.
#[inline(always)]
pub(crate) fn ask_on<T>(entries: &[T], row: Range<usize>) {
    if entries.len() > WITHIN_REACH {
        (row.start + ON..row.end + ON).step_by(LINE / size_of::<T>()).for_each(|at| prefetch_index(entries, at));
    }
}
