//! Physical laws: sums of terms that each stand for something a round does, with θ ≥ 0.

use serde::{Deserialize, Serialize};

use super::super::linalg::{median, norm};
use super::super::nnls::nnls;
use super::cell::{Cell, Place};

/// f^γ = Σ θⱼ·tⱼ(m, size)^γ. γ = 1 adds the phases up; γ > 1 lets them overlap, so that the longest rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Law {
    kind: Kind,
    pub(super) theta: Vec<f64>,
}

/// Which terms, and what counts as a miss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Kind {
    /// 1, size/m, ln m, m by absolute residuals: Ernest exactly.
    Ernest,
    /// The same terms by relative residuals, outliers held back.
    Relative,
    /// With (size/m)² and √(size/m) beside them: more than linear once a shard outgrows its memory, less while
    /// fixed parts hide it; and size alone, for work that no machine shares.
    Cliff,
    /// Ernest's terms under γ = 2: computing and communication overlap.
    Overlap,
    /// A tree of messages grows by whole levels: ⌊log₂ m⌋ in place of ln m.
    Steps,
}

type Term = fn(&Place) -> f64;

const STEPS: [Term; 4] = [|_| 1.0, |at| at.size / at.m, |at| at.m.log2().floor(), |at| at.m];

const TERMS: [Term; 7] = [
    |_| 1.0,
    |at| at.size / at.m,
    |at| at.x,
    |at| at.m,
    |at| (at.size / at.m).powi(2),
    |at| (at.size / at.m).sqrt(),
    |at| at.size,
];

/// Huber's constant: misses beyond this many standard deviations count less.
const HUBER: f64 = 1.345;
const ROBUST_STEPS: usize = 5;

impl Kind {
    fn terms(self) -> &'static [Term] {
        match self {
            Self::Cliff => &TERMS,
            Self::Steps => &STEPS,
            _ => &TERMS[..4],
        }
    }

    fn gamma(self) -> i32 {
        if self == Self::Overlap { 2 } else { 1 }
    }

    /// A whisper of ridge: with fewer m than terms many θ fit equally, and of those the evenly mixed one is the
    /// least reckless to extrapolate.
    fn ridge(self) -> f64 {
        match self {
            Self::Ernest => 0.0,
            Self::Cliff | Self::Steps => 1e-3,
            Self::Relative | Self::Overlap => 1e-2,
        }
    }
}

impl Law {
    pub(super) fn fit(kind: Kind, cells: &[Cell]) -> Self {
        let gamma = kind.gamma();
        if kind == Kind::Ernest {
            return Self { kind, theta: solve(kind, cells, |_| 1.0) };
        }
        // Relative residuals: 1 s too much at 2 s is worse than at 100 s, and cliffs at small m must not rule.
        let relative = |cell: &Cell| cell.seconds.powi(-gamma);
        let mut law = Self { kind, theta: solve(kind, cells, |place| relative(&cells[place])) };
        if kind == Kind::Relative {
            for _ in 0..ROBUST_STEPS {
                let trust = law.trust(cells);
                if trust.iter().all(|trust| *trust == 1.0) {
                    break;
                }
                law.theta = solve(kind, cells, |place| relative(&cells[place]) * trust[place]);
            }
        }
        law
    }

    /// Square roots of Huber's weights at the current misses.
    fn trust(&self, cells: &[Cell]) -> Vec<f64> {
        let misses = cells.iter().map(|cell| (self.seconds(&cell.place) / cell.seconds - 1.0).abs());
        let misses: Vec<f64> = misses.collect();
        let usual = HUBER * (1.4826 * median(misses.clone()).unwrap_or(0.0) + 1e-3);
        misses.iter().map(|miss| (usual / miss.max(usual)).sqrt()).collect()
    }

    pub(super) fn seconds(&self, at: &Place) -> f64 {
        let gamma = self.kind.gamma();
        let terms = self.kind.terms().iter().zip(&self.theta);
        let sum: f64 = terms.map(|(term, theta)| theta * term(at).powi(gamma)).sum();
        if gamma == 1 { sum } else { sum.sqrt() }
    }
}

fn solve(kind: Kind, cells: &[Cell], weight: impl Fn(usize) -> f64) -> Vec<f64> {
    let gamma = kind.gamma();
    let weights: Vec<f64> = (0..cells.len()).map(weight).collect();
    let column = |term: &Term| {
        let weighted = |(cell, weight): (&Cell, &f64)| term(&cell.place).powi(gamma) * weight;
        cells.iter().zip(&weights).map(weighted).collect::<Vec<f64>>()
    };
    let mut columns: Vec<Vec<f64>> = kind.terms().iter().map(column).collect();
    let mut y: Vec<f64> = cells.iter().zip(&weights).map(|(cell, weight)| cell.seconds.powi(gamma) * weight).collect();
    if kind.ridge() > 0.0 {
        let count = columns.len();
        for (j, column) in columns.iter_mut().enumerate() {
            let size = norm(column) * kind.ridge();
            column.extend((0..count).map(|row| if row == j { size } else { 0.0 }));
        }
        y.extend(std::iter::repeat_n(0.0, count));
    }
    nnls(&columns, &y)
}
