//! f where it was measured: the stack and the measurement together, each by what it is worth.

use serde::{Deserialize, Serialize};

use super::super::estimate::Estimate;
use super::cell::{Cell, Place};
use super::form::Form;
use super::stack::{ALWAYS, Mix};

/// One measured (m, size) and what is believed of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Seen {
    x: f64,
    z: f64,
    log: f64,
    deviation: f64,
}

impl Seen {
    /// ln f = stack + k·(measured − stack) with k = v/(v + σ²): v the variance of the stack's misses beyond noise, σ
    /// the noise of the measurement. Without repeats half of what the stack misses is taken for noise.
    pub(super) fn of(cell: &Cell, inside: &Mix, forms: &[Form]) -> Self {
        let smooth = inside.log(forms, &cell.place);
        let missed = inside.deviation(0.0).powi(2);
        let noise = cell.noise.map_or(0.5 * missed, |noise| noise * noise);
        let misfit = (missed - noise).max(0.1 * missed);
        let trust = misfit / (misfit + noise);
        let deviation = ((1.0 + trust) * noise + ALWAYS * ALWAYS).sqrt();
        Self { x: cell.place.x, z: cell.place.z, log: smooth + trust * (cell.log - smooth), deviation }
    }

    pub(super) fn is_at(&self, at: &Place) -> bool {
        at.x == self.x && (at.z - self.z).abs() < 1e-3
    }

    pub(super) fn estimate(&self) -> Estimate {
        Estimate::log_normal(self.log.exp(), self.deviation, false)
    }
}
