//! Why samples are not trusted.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A reason to abstain: what was seen, and what would help.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Doubt {
    /// Nothing tells how rounds change with the rows.
    OneSize {
        /// The only share of the rows.
        fraction: f64,
    },
    /// Nothing tells how rounds change with the machines.
    OneMachineCount {
        /// The only m.
        machines: usize,
    },
    /// The samples share no level that all of them reached.
    NothingShared,
    /// The largest sample took other rounds than the smaller ones foretold.
    Disagreement {
        /// The typical factor between foretold and measured.
        factor: f64,
    },
    /// From the largest sample to all rows, rounds would change by more than samples can tell.
    Drift {
        /// The factor.
        factor: f64,
    },
    /// The samples' optima are so far apart that they are different problems.
    Optimum {
        /// The factor between those of the two largest sizes.
        factor: f64,
    },
    /// Curves rise and fall: when a level is first met is luck.
    Oscillation,
    /// No sample on so many machines, or none of the largest size, got down to this error.
    TooDeep {
        /// The error asked for.
        error: f64,
    },
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OneSize { fraction } => {
                let (only, other) = (100.0 * fraction, 0.5 * fraction);
                write!(f, "samples of {only} % alone cannot be checked: add --fraction {other}")
            }
            Self::OneMachineCount { machines } => {
                write!(f, "samples on m = {machines} alone: add another number of machines")
            }
            Self::NothingShared => write!(f, "no error that all samples reached: run them longer"),
            Self::Disagreement { factor } => {
                write!(f, "the smaller samples foretell the largest wrong by a factor of {factor:.2}: add a larger one")
            }
            Self::Drift { factor } => {
                write!(f, "rounds change by a factor of {factor:.2} from the samples to all rows: add a larger one")
            }
            Self::Optimum { factor } => {
                write!(f, "the samples' optima differ by a factor of {factor:.2}: add a larger sample")
            }
            Self::Oscillation => write!(f, "its curves rise and fall: a sample tells little"),
            Self::TooDeep { error } => write!(f, "no sample was run down to {error:e}: run it longer"),
        }
    }
}
