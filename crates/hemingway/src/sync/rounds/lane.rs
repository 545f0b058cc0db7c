//! A strategy as those see it who carry rounds out: which numbers go which way.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::Result;
use crate::sync::strategy::Method;
use crate::sync::{Stage, Strategy};

/// Numbers that travel together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lane {
    /// The machine that sums them; none where a tree does.
    pub server: Option<usize>,
    /// Only those that are not zero, or have changed, are sent.
    pub sparing: bool,
    /// Where they are in the vector, ascending.
    pub ranges: Vec<Range<usize>>,
}

impl Lane {
    /// How many they are.
    pub fn numbers(&self) -> usize {
        self.ranges.iter().map(ExactSizeIterator::len).sum()
    }

    /// The same numbers of coefficients that begin here.
    pub fn from(&self, start: usize) -> Self {
        let ranges = self.ranges.iter().map(|range| start + range.start..start + range.end).collect();
        Self { ranges, ..self.clone() }
    }
}

/// Where a vector of this length has a number for each of so many coefficients: at its front, and where it has two for each, at its end
/// too. A gradient with a diagonal has, and few numbers of another kind between them.
pub fn copies(coefficients: usize, length: usize) -> impl Iterator<Item = usize> + Clone {
    let first = (length >= coefficients).then_some(0);
    let second = (coefficients > 0 && length >= 2 * coefficients).then(|| length - coefficients);
    first.into_iter().chain(second)
}

/// The lanes of a strategy, which together hold every number once.
pub fn lanes(strategy: &Strategy, stage: &Stage) -> Result<Vec<Lane>> {
    let starts: Vec<usize> = stage
        .model
        .variables
        .iter()
        .scan(0, |next, variable| Some(std::mem::replace(next, *next + variable.elements())))
        .collect();
    let layout = stage.play(strategy)?.layout;
    let lane = |group: &crate::sync::strategy::Group| {
        let server = if let Method::Server(machine) = group.by { Some(machine) } else { None };
        let blocks = group.pieces.iter().flat_map(|piece| piece.blocks().map(|block| (piece.variable, block)));
        let mut ranges: Vec<Range<usize>> =
            blocks.map(|(variable, block)| starts[variable] + block.start..starts[variable] + block.end).collect();
        ranges.sort_by_key(|range| range.start);
        Lane { server, sparing: group.compression.leaves_out_zeros(), ranges: joined(ranges) }
    };
    Ok(layout.groups.iter().map(lane).collect())
}

/// Ranges that follow each other as one.
fn joined(ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match all.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => all.push(range),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_are_at_the_front_and_at_the_end() {
        let starts = |length| copies(10, length).collect::<Vec<_>>();
        assert_eq!(
            [9, 10, 11, 19, 20, 21, 45].map(starts),
            [vec![], vec![0], vec![0], vec![0], vec![0, 10], vec![0, 11], vec![0, 35]]
        );
        let lane = Lane { server: None, sparing: true, ranges: vec![0..2, 5..6] };
        assert_eq!((lane.from(11).ranges, lane.numbers()), (vec![11..13, 16..17], 3));
    }
}
