//! Whether samples foretell one another, and when they are not to be trusted.

use super::drift::{Cell, Drift};
use super::sample::Sample;
use super::{Doubt, KEPT};

/// Beyond these it abstains; settled on the problems that `eval_subset` names.
const MOST_MISSED: f64 = 0.3;
const MOST_DRIFT: f64 = 0.7;
const MOST_OPTIMUM: f64 = 0.25;
const MOST_NOISE: f64 = 0.5;

/// The largest samples, held back to see whether the smaller ones foretell them.
pub(super) struct Test {
    smaller: Vec<Cell>,
    /// (ln fraction, mean ln rounds) of the largest, cell by cell.
    largest: Vec<(f64, f64)>,
    pub(super) drift: Drift,
}

impl Test {
    pub(super) fn of(cells: &[Cell]) -> Self {
        let (smaller, largest): (Vec<Cell>, Vec<(f64, f64)>) = cells.iter().filter_map(split).unzip();
        Self { drift: Drift::fit(&smaller), smaller, largest }
    }

    /// Root mean square of ln(measured / foretold rounds); needs two sizes.
    pub(super) fn missed(&self) -> Option<f64> {
        let miss = |(cell, (at, real)): (&Cell, &(f64, f64))| {
            let (from, rounds) = *cell.seen.last()?;
            let foretold = rounds + KEPT * self.drift.slope(cell.machines, cell.error) * (at - from);
            Some((real - foretold).powi(2))
        };
        let squares: Vec<f64> = self.smaller.iter().zip(&self.largest).filter_map(miss).collect();
        (!squares.is_empty()).then(|| (squares.iter().sum::<f64>() / squares.len() as f64).sqrt())
    }
}

/// A cell without the largest samples, and what those took.
fn split(cell: &Cell) -> Option<(Cell, (f64, f64))> {
    let largest = cell.seen.last()?.0;
    let (seen, held): (Vec<_>, Vec<_>) = cell.seen.iter().copied().partition(|(fraction, _)| *fraction < largest);
    let mean = held.iter().map(|(_, rounds)| rounds).sum::<f64>() / held.len() as f64;
    (!seen.is_empty()).then_some((Cell { seen, ..*cell }, (largest, mean)))
}

/// The first reason not to trust these samples.
pub(super) fn doubt(
    samples: &[Sample],
    cells: &[Cell],
    drift: &Drift,
    missed: Option<f64>,
    machines: (usize, usize),
) -> Option<Doubt> {
    let last = samples.last()?;
    let Some(before) = samples.iter().rev().find(|sample| sample.fraction < last.fraction) else {
        return Some(Doubt::OneSize { fraction: last.fraction });
    };
    if machines.0 == machines.1 {
        return Some(Doubt::OneMachineCount { machines: machines.0 });
    }
    if cells.is_empty() {
        return Some(Doubt::NothingShared);
    }
    if last.noise > MOST_NOISE {
        return Some(Doubt::Oscillation);
    }
    let optimum = (before.optimum / last.optimum).ln().abs();
    if optimum.is_nan() || optimum > MOST_OPTIMUM {
        return Some(Doubt::Optimum { factor: optimum.exp() });
    }
    if let Some(missed) = missed.filter(|missed| *missed > MOST_MISSED) {
        return Some(Doubt::Disagreement { factor: missed.exp() });
    }
    let change = |cell: &Cell| (KEPT * drift.slope(cell.machines, cell.error) * last.fraction.ln()).abs();
    let change = cells.iter().map(change).fold(0.0, f64::max);
    (change > MOST_DRIFT).then(|| Doubt::Drift { factor: change.exp() })
}
