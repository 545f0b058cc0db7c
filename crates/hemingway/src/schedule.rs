//! Which part of the model moves in a round.

use serde::{Deserialize, Serialize};

/// The way updates are scheduled, as data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// Everything, every round.
    #[default]
    All,
}
