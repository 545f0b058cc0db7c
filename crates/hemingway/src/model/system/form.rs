//! The forms f may take, and the pool each method fits.

use serde::{Deserialize, Serialize};

use super::super::Method;
use super::cell::{Cell, Place};
use super::curve::{Curve, Neighbours};
use super::law::{Kind, Law};
use super::process::Process;

/// One fitted form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Form {
    Law(Law),
    Curve(Curve),
    Neighbours(Neighbours),
    CorrectedCurve(Curve, Process),
    CorrectedLaw(Law, Process),
}

/// Length and noise of the correction to the physical law: local, so that the law rules between the data.
const LOCAL: (f64, f64) = (0.3, 0.1);

impl Form {
    /// Every form of the method, fitted to the same cells; always in the same order, Ernest's first. A single m
    /// cannot tell the laws apart: there f is constant in m, the middle of what is possible. Steps are told from a slope
    /// by an m between them only, so that those who see parts of the data say whether the whole has one.
    pub(super) fn pool(cells: &[Cell], method: Method, stepped: bool) -> Vec<Self> {
        if method == Method::Ours && cells.iter().all(|cell| cell.place.x == cells[0].place.x) {
            return vec![Self::Curve(Curve::fit(1, cells))];
        }
        let ernest = Self::Law(Law::fit(Kind::Ernest, cells));
        if method != Method::Ours {
            return vec![ernest];
        }
        let relative = Law::fit(Kind::Relative, cells);
        let power = Curve::fit(1, cells);
        let misses: Vec<f64> = cells.iter().map(|cell| cell.log - power.log(&cell.place)).collect();
        let smooth = Process::likeliest(cells, &misses);
        let misses: Vec<f64> = cells.iter().map(|cell| cell.log - log(relative.seconds(&cell.place))).collect();
        let local = Process::fixed(cells, &misses, LOCAL.0, LOCAL.1);
        let steps = stepped.then(|| Self::Law(Law::fit(Kind::Steps, cells)));
        let others = [
            ernest,
            Self::Law(relative.clone()),
            Self::Law(Law::fit(Kind::Cliff, cells)),
            Self::Law(Law::fit(Kind::Overlap, cells)),
            Self::Neighbours(Neighbours::fit(&power, cells)),
            Self::Curve(Curve::fit(2, cells)),
            Self::Curve(power.clone()),
            Self::CorrectedCurve(power, smooth),
            Self::CorrectedLaw(relative, local),
        ];
        others.into_iter().chain(steps).collect()
    }

    /// Whether an m lies between the steps of a tree.
    pub(super) fn is_stepped(cells: &[Cell]) -> bool {
        cells.iter().any(|cell| !(cell.place.m as usize).is_power_of_two())
    }

    /// ln f.
    pub(super) fn log(&self, at: &Place) -> f64 {
        match self {
            Self::Law(law) => log(law.seconds(at)),
            Self::Curve(curve) => curve.log(at),
            Self::Neighbours(neighbours) => neighbours.log(at),
            Self::CorrectedCurve(curve, process) => curve.log(at) + process.log(at),
            Self::CorrectedLaw(law, process) => log(law.seconds(at)) + process.log(at),
        }
    }

    /// Whether its terms say how time grows with the data even if one size was seen.
    pub(super) fn is_law(&self) -> bool {
        matches!(self, Self::Law(_) | Self::CorrectedLaw(..))
    }
}

/// Finite where nothing was explained.
fn log(seconds: f64) -> f64 {
    seconds.max(1e-300).ln()
}
