//! Other ways to choose while training, played on tapes: what they would have taken, probing included.

pub mod bayes;
mod process;
pub mod splash;

use serde::{Deserialize, Serialize};

use super::oracle::Seconds;

/// What a rival took.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Attempt {
    /// Until the true error was ε, all that it tried and left included.
    pub took: Seconds,
    /// The seconds spent on what it left again, and on moving rows.
    pub probing: f64,
}
