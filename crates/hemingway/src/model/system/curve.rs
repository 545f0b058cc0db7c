//! Curves through the logarithms, for what no physical law explains.

use serde::{Deserialize, Serialize};

use super::super::linalg::{least_squares, median};
use super::cell::{Cell, Place, distinct};

/// ln f = a + b·(ln m − x̄) + c·(ln m − x̄)² + e·(ln size − z̄).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Curve {
    centre: (f64, f64),
    coefficients: Vec<f64>,
}

impl Curve {
    /// A power law (degree 1) or a parabola (degree 2) in ln m. Where one size was seen, e = ½: between a time that
    /// does not depend on the data and one that is proportional to it.
    pub(super) fn fit(degree: i32, cells: &[Cell]) -> Self {
        let count = cells.len() as f64;
        let mean = |of: fn(&Place) -> f64| cells.iter().map(|cell| of(&cell.place)).sum::<f64>() / count;
        let centre = (mean(|at| at.x), mean(|at| at.z));
        let powers = (0..=degree).map(|power| cells.iter().map(|cell| (cell.place.x - centre.0).powi(power)).collect());
        let sizes: Vec<f64> = cells.iter().map(|cell| cell.place.z - centre.1).collect();
        let columns: Vec<Vec<f64>> = std::iter::once(sizes).chain(powers).collect();
        let logs: Vec<f64> = cells.iter().map(|cell| cell.log).collect();
        let mut coefficients = least_squares(&columns.iter().map(Vec::as_slice).collect::<Vec<_>>(), &logs);
        if cells.iter().all(|cell| cell.place.z == cells[0].place.z) {
            coefficients[0] = 0.5;
        }
        Self { centre, coefficients }
    }

    pub(super) fn log(&self, at: &Place) -> f64 {
        let (x, z) = (at.x - self.centre.0, at.z - self.centre.1);
        let powers = self.coefficients[1..].iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient);
        powers + self.coefficients[0] * z
    }

    fn by_size(&self) -> f64 {
        self.coefficients[0]
    }
}

/// Straight lines in ln m between the medians of neighbouring m, all brought to size 1 by the power law's e.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Neighbours {
    by_size: f64,
    /// (ln m, ln f), ascending.
    stops: Vec<(f64, f64)>,
}

impl Neighbours {
    pub(super) fn fit(power: &Curve, cells: &[Cell]) -> Self {
        let by_size = power.by_size();
        let stop = |x: f64| {
            let own = cells.iter().filter(|cell| cell.place.x == x);
            Some((x, median(own.map(|cell| cell.log - by_size * cell.place.z).collect())?))
        };
        Self { by_size, stops: distinct(cells, |at| at.x).into_iter().filter_map(stop).collect() }
    }

    /// Beyond the ends the last line goes on.
    pub(super) fn log(&self, at: &Place) -> f64 {
        let after = self.stops.partition_point(|stop| stop.0 < at.x).clamp(1, self.stops.len().max(2) - 1);
        let level = match (self.stops.get(after - 1), self.stops.get(after)) {
            (Some(a), Some(b)) => a.1 + (b.1 - a.1) * (at.x - a.0) / (b.0 - a.0),
            (Some(only), None) => only.1,
            _ => 0.0,
        };
        level + self.by_size * at.z
    }
}
