//! How pushes become one sum, and how the variables of a model are exchanged.
//!
//! A [`Model`] lists the variables that machines exchange. `docs/sync.md` tells the whole.

pub mod analytic;
pub mod builders;
pub mod codec;
pub mod execute;
pub mod links;
pub mod model;
pub mod network;
pub mod program;
pub mod ranker;
pub mod replay;
pub mod search;
pub mod sketch;
pub mod stage;
pub mod strategy;
mod tree;

use serde::{Deserialize, Serialize};

pub use links::Links;
pub use model::{Dtype, Model, Variable};
pub use program::{Message, Program};
pub use stage::{Play, Stage};
pub use strategy::{Layout, Strategy};
pub use tree::TreeSum;

/// The way machines synchronize, as data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SyncStrategy {
    /// Bulk-synchronous: all pushes, summed in one pairwise tree.
    #[default]
    Tree,
}
