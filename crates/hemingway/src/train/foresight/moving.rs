//! What it takes to deal the rows to other machines.

use super::super::History;
use crate::data::matrix::BYTES_PER_ENTRY;
use crate::model::{Pace, Timing, Traits};
use crate::placement::Placement;

/// Seconds to move a byte before any was moved: where rounds are light, networks are quick. Between 8 ns on 1 Gbit where a
/// round costs 125 ms beside its work, and 0.04 ns on 200 Gbit where it costs 20 µs.
const SLOW: (f64, f64) = (0.125, 8e-9);
const QUICK: (f64, f64) = (2e-5, 4e-11);
/// Bytes that the busiest machine sends or receives.
pub(super) fn bytes(traits: &Traits, from: usize, to: usize) -> f64 {
    busiest(from, to) * traits.entries as f64 * BYTES_PER_ENTRY
}

/// As seen when rows were moved; before that, between what is usual and what sums have taken.
pub(super) fn seconds_per_byte(history: &History, pace: &Pace, timings: &[Timing]) -> f64 {
    by_moves(history).unwrap_or_else(|| {
        let usual = usual(pace);
        by_sums(&history.facts.lore.traits, timings).map_or(usual, |by_sums| (by_sums * usual).sqrt())
    })
}

fn by_moves(history: &History) -> Option<f64> {
    let traits = &history.facts.lore.traits;
    let (mut seconds, mut moved) = (0.0, 0.0);
    for pair in history.past.windows(2) {
        let (before, after) = (&pair[0].frame.config, &pair[1].frame);
        let loaded = history.loaded(&after.run, after.from_round);
        if before.machines != after.config.machines && loaded > 0.0 {
            seconds += loaded;
            moved += bytes(traits, before.machines, after.config.machines);
        }
    }
    (moved > 0.0).then(|| seconds / moved)
}

/// A sum sends d numbers up and down a tree.
fn by_sums(traits: &Traits, timings: &[Timing]) -> Option<f64> {
    let sum = timings.iter().rev().find(|timing| timing.machines > 1 && timing.sync > 0.0 && timing.of.is_none())?;
    let hops = 2.0 * (sum.machines as f64).log2().max(1.0);
    Some(sum.sync / (8.0 * hops * traits.columns as f64))
}

fn usual(pace: &Pace) -> f64 {
    let power = (SLOW.1 / QUICK.1).ln() / (SLOW.0 / QUICK.0).ln();
    let other = pace.least_other().unwrap_or(SLOW.0);
    SLOW.1 * (other / SLOW.0).powf(power)
}

/// The share of all rows that the busiest machine sends or receives.
fn busiest(from: usize, to: usize) -> f64 {
    const ROWS: usize = 1 << 20;
    let (before, after) = (Placement::even(ROWS, from), Placement::even(ROWS, to));
    let part = |k: usize| {
        let range = |placement: &Placement| if k < placement.machines() { placement.range(k) } else { 0..0 };
        let (had, gets) = (range(&before), range(&after));
        let kept = had.end.min(gets.end).saturating_sub(had.start.max(gets.start));
        (had.len() - kept).max(gets.len() - kept)
    };
    (0..from.max(to)).map(part).max().unwrap_or(0) as f64 / ROWS as f64
}

#[cfg(test)]
mod tests;
