//! What was measured, in the coordinates the forms use.

use super::super::linalg::median;
use super::Observation;

/// One measured (m, size), with the logarithms every form needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cell {
    pub(super) place: Place,
    /// Seconds of one round.
    pub(super) seconds: f64,
    /// ln seconds.
    pub(super) log: f64,
    /// Standard deviation of ln seconds, where known.
    pub(super) noise: Option<f64>,
}

/// Where f is asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    /// Machines.
    pub(super) m: f64,
    /// Share of the data.
    pub(super) size: f64,
    /// ln m.
    pub(super) x: f64,
    /// ln size.
    pub(super) z: f64,
}

impl Place {
    pub(super) fn new(machines: usize, size: f64) -> Self {
        let m = machines.max(1) as f64;
        Self { m, size, x: m.ln(), z: size.ln() }
    }
}

/// Medians by (m, size), ascending; what is no time or no size is left out.
pub(super) fn cells(observations: &[Observation]) -> Vec<Cell> {
    let usable = |value: f64| value.is_finite() && value > 0.0;
    let usable = observations.iter().filter(|o| usable(o.seconds) && usable(o.fraction));
    let mut sorted: Vec<Observation> = usable.copied().collect();
    sorted.sort_by(|a, b| a.machines.cmp(&b.machines).then(a.fraction.total_cmp(&b.fraction)));
    let groups = sorted.chunk_by(|a, b| a.machines == b.machines && a.fraction == b.fraction);
    let cell = |group: &[Observation]| {
        let seconds = median(group.iter().map(|o| o.seconds).collect())?;
        let place = Place::new(group[0].machines, group[0].fraction);
        let noise = group[0].noise.map(|noise| noise / (group.len() as f64).sqrt());
        Some(Cell { place, seconds, log: seconds.ln(), noise })
    };
    groups.filter_map(cell).collect()
}

/// The distinct values of one coordinate, ascending.
pub(super) fn distinct(cells: &[Cell], coordinate: impl Fn(&Place) -> f64) -> Vec<f64> {
    let mut values: Vec<f64> = cells.iter().map(|cell| coordinate(&cell.place)).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}
