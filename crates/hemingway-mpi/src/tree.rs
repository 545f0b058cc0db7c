//! The two trees of a round: the order goes down one of ranks, and pushes come up the one of workers by which every engine
//! sums, whichever ranks they are on.

use std::time::Instant;

use hemingway::data::matrix::axpy;
use hemingway::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::numbers::Numbers;
use crate::wire::{Tag, Wire, packed, words};

/// From whom a rank gets what the first of `ranks` sends to all, and to whom it passes it on: a binomial tree.
pub(crate) fn children(ranks: &[usize], me: usize) -> Vec<usize> {
    let Some(place) = ranks.iter().position(|rank| *rank == me) else { return Vec::new() };
    let span = if place == 0 { ranks.len().next_power_of_two() } else { 1 << place.trailing_zeros() };
    let steps = (0..usize::BITS).map(|k| 1_usize << k).take_while(|step| *step < span);
    let mut places: Vec<usize> = steps.map(|step| place + step).filter(|place| *place < ranks.len()).collect();
    places.reverse();
    places.into_iter().map(|place| ranks[place]).collect()
}

/// What ranks tell of a round besides their sums.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Report {
    /// Rows touched.
    pub(crate) rows: u64,
    /// Seconds the slowest rank computed.
    pub(crate) slowest: f64,
    /// Seconds ranks computed, in all.
    pub(crate) seconds: f64,
    /// Bytes of sums that were sent.
    pub(crate) moved: u64,
    /// The first rank whose push was not finite though the shared vector was.
    pub(crate) strange: Option<usize>,
    /// What went wrong, and on which rank.
    pub(crate) failed: Option<String>,
}

impl Report {
    pub(crate) fn merge(&mut self, other: Self) {
        self.rows += other.rows;
        self.slowest = self.slowest.max(other.slowest);
        self.seconds += other.seconds;
        self.moved += other.moved;
        self.strange = self.strange.or(other.strange);
        self.failed = self.failed.take().or(other.failed);
    }
}

/// A partial sum on its way, with what its ranks have to tell.
#[derive(Serialize, Deserialize)]
struct Parcel<'a> {
    report: Report,
    #[serde(borrow)]
    numbers: Option<Numbers<'a>>,
}

/// Sums the pushes of all workers in the tree that their numbers fix: a node's sum is made by the rank that holds its first
/// worker; the right half comes to it as a message if it was made elsewhere. Every rank walks the tree in the same order,
/// and sends only to lower ones: nobody waits for someone who waits for him.
pub(crate) struct Summing<'a> {
    pub(crate) wire: &'a Wire,
    /// The rank of each worker, ascending.
    pub(crate) owners: &'a [usize],
    /// The length of the sum.
    pub(crate) len: usize,
    /// What this rank's own workers pushed, one after the other; nothing if they could not.
    pub(crate) pushes: Vec<Option<Vec<f64>>>,
    /// What is to be told with the next message.
    pub(crate) report: Report,
    /// Seconds that others may take longer than this rank's patience.
    pub(crate) longer: f64,
    /// Buffers to use again.
    pub(crate) spare: &'a mut Vec<Vec<f64>>,
}

impl Summing<'_> {
    /// The sum on the rank of the first worker, and all reports; on the others nothing.
    pub(crate) fn run(mut self) -> (Option<Vec<f64>>, Report) {
        let height = self.owners.len().next_power_of_two().ilog2();
        let sum = self.node(0, height);
        (sum, self.report)
    }

    /// The sum of workers `first..first + 2^height`, if it is this rank that makes it.
    fn node(&mut self, first: usize, height: u32) -> Option<Vec<f64>> {
        let owners = self.owners;
        let end = (first + (1 << height)).min(owners.len());
        let me = self.wire.rank;
        if !(owners[first]..=owners[end - 1]).contains(&me) {
            return None;
        }
        if height == 0 {
            let before = owners.partition_point(|owner| *owner < me);
            return Some(self.pushes[first - before].take().unwrap_or_default());
        }
        let middle = first + (1 << (height - 1));
        let left = self.node(first, height - 1);
        if middle >= owners.len() {
            return left;
        }
        let right = self.node(middle, height - 1);
        match (left, right) {
            (Some(left), Some(right)) => Some(self.add(left, right)),
            (Some(mut left), None) => {
                self.receive(owners[middle], height, &mut left);
                Some(left)
            }
            (None, Some(right)) => {
                self.send(owners[first], right);
                None
            }
            (None, None) => None,
        }
    }

    fn add(&mut self, mut left: Vec<f64>, right: Vec<f64>) -> Vec<f64> {
        axpy(1.0, &right, &mut left);
        self.spare.push(right);
        left
    }

    fn send(&mut self, to: usize, sum: Vec<f64>) {
        let mut report = std::mem::take(&mut self.report);
        if report.failed.is_some() {
            self.wire.send(to, Tag::Push, &packed(&Parcel { report, numbers: None }));
            return;
        }
        let numbers = Numbers::of(&sum);
        report.moved += numbers.bytes() as u64;
        let dense = numbers.is_dense();
        self.wire.send(to, Tag::Push, &packed(&Parcel { report, numbers: Some(numbers) }));
        if dense {
            self.wire.send_numbers(&[to], &sum);
        }
        self.spare.push(sum);
    }

    /// Adds the right half. Who waits higher up waits longer: the one nearest to a silent rank is to tell its name.
    fn receive(&mut self, from: usize, height: u32, sum: &mut [f64]) {
        // After one silent rank the round is lost: no use in waiting for others.
        if self.report.failed.is_some() {
            return;
        }
        let patience = self.wire.patience.as_secs_f64();
        let until = self.wire.deadline(self.longer + patience * f64::from(height) / 16.0);
        if let Err(error) = self.take(from, until, sum) {
            self.report.failed = Some(words(&error));
        }
    }

    fn take(&mut self, from: usize, until: Instant, sum: &mut [f64]) -> Result<()> {
        let (bytes, _) = self.wire.receive(Some(from), Tag::Push, Some(until))?;
        let Parcel { report, numbers } =
            postcard::from_bytes(&bytes).map_err(|e| Error::Engine(format!("rank {from} sent no sum: {e}")))?;
        self.report.merge(report);
        let Some(numbers) = numbers else { return Ok(()) };
        let mut right = self.spare.pop().unwrap_or_default();
        right.resize(self.len, 0.0);
        if numbers.is_dense() {
            self.wire.add_numbers(from, &mut right, sum);
        } else {
            right.fill(0.0);
            numbers.write(&mut right);
            axpy(1.0, &right, sum);
        }
        self.spare.push(right);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_is_reached_once() {
        for n in 1..40 {
            let ranks: Vec<usize> = (0..n).map(|k| 3 * k).collect();
            let mut reached = vec![0];
            let mut next = 0;
            while next < reached.len() {
                reached.extend(children(&ranks, reached[next]));
                next += 1;
            }
            reached.sort_unstable();
            assert_eq!(reached, ranks);
        }
    }
}
