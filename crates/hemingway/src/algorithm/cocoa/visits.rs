//! Which rows a local epoch looks at, and how often. A row with several margins is so many rows here.

use rand::Rng;
use rand::seq::SliceRandom;

/// Numbers of every row: αᵢ, and for how many rounds it has rested.
pub(super) const WIDTH: usize = 2;
/// A row is never left alone for longer than this many rounds.
const LONGEST_REST: u64 = 8;

/// The rows of one epoch, pass by pass: first those that are due, then those that keep moving, and once none does, those
/// that were left alone. When all of these rest, the local problem is solved.
#[derive(Debug, Default)]
pub(super) struct Visits {
    /// The rows of this pass.
    next: Vec<u32>,
    /// Those of them that have moved.
    moved: Vec<u32>,
    left_alone: Vec<u32>,
    has_begun: bool,
}

impl Visits {
    /// Sorts out who is due, and counts a round of rest for everyone; a row that moves starts over from 0.
    pub(super) fn begin(&mut self, rows: &mut [[f64; WIDTH]]) {
        self.next.clear();
        self.moved.clear();
        self.left_alone.clear();
        self.has_begun = false;
        for (i, [_, rested]) in (0..).zip(rows) {
            if is_due(*rested as u64) {
                self.next.push(i)
            } else {
                self.left_alone.push(i)
            }
            *rested += 1.0;
        }
    }

    /// Begins the next pass, in a fresh order; false once there are no rows for it.
    pub(super) fn shuffle(&mut self, rng: &mut impl Rng) -> bool {
        if self.has_begun {
            std::mem::swap(&mut self.next, &mut self.moved);
            self.moved.clear();
        }
        self.has_begun = true;
        if self.next.is_empty() {
            std::mem::swap(&mut self.next, &mut self.left_alone);
        }
        // One by one: to keep neighbours together is kinder to memory, but takes up to three times the rounds.
        self.next.shuffle(rng);
        !self.next.is_empty()
    }

    /// Looks at the rows of this pass, each the k-th of all, until it is enough.
    #[inline(always)]
    pub(super) fn pass(&mut self, mut look: impl FnMut(&[u32], usize) -> Looked) {
        for (k, &i) in self.next.iter().enumerate() {
            match look(&self.next, k) {
                Looked::Moved => self.moved.push(i),
                Looked::Rested => (),
                Looked::Enough => return,
            }
        }
    }
}

/// What came of looking at a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Looked {
    /// Its αᵢ moved.
    Moved,
    /// It did not.
    Rested,
    /// Nothing: the epoch has done its work.
    Enough,
}

/// Whether a row that has rested for so many rounds is looked at again: after 0, 1, 2, 4, 8, 16, 24, …
fn is_due(rested: u64) -> bool {
    rested.is_power_of_two() || rested.is_multiple_of(LONGEST_REST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, keyed};

    #[test]
    fn rows_that_rest_are_looked_at_ever_more_seldom_but_never_forgotten() {
        let looks: Vec<u64> = (0..=40).filter(|rested| is_due(*rested)).collect();
        assert_eq!(looks, [0, 1, 2, 4, 8, 16, 24, 32, 40]);
    }

    #[test]
    fn passes_narrow_to_what_moves_and_end_with_what_was_left_alone() {
        let mut rows = [[0.0, 0.0], [0.0, 3.0], [0.0, 1.0]];
        let mut rng = keyed(1, Purpose::Visit, 0, 1);
        let mut visits = Visits::default();
        visits.begin(&mut rows);
        assert_eq!(rows.map(|[_, rested]| rested), [1.0, 4.0, 2.0]);
        let mut pass = |moved: &[usize]| {
            let any = visits.shuffle(&mut rng);
            let mut rows = Vec::new();
            visits.pass(|order, k| {
                let i = order[k] as usize;
                rows.push(i);
                if moved.contains(&i) { Looked::Moved } else { Looked::Rested }
            });
            rows.sort_unstable();
            (any, rows)
        };
        assert_eq!(pass(&[2]), (true, vec![0, 2]));
        assert_eq!(pass(&[]), (true, vec![2]));
        assert_eq!(pass(&[]), (true, vec![1]));
        assert_eq!(pass(&[]), (false, vec![]));
    }
}
