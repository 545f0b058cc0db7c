//! A strategy as those see it who carry rounds out: which numbers go which way.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::is_sparing;
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
        Lane { server, sparing: is_sparing(group.compression), ranges: joined(ranges) }
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
