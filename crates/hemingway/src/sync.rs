//! How pushes become one sum, and how the variables of a model are exchanged.
//!
//! A [`Model`] lists variables and a [`Strategy`] says for each how it is exchanged. On a [`Stage`], a model on the machines
//! of a cluster, it becomes a [`Program`] of messages for every group of variables: run by [`execute`], foretold by
//! [`analytic`], timed by the judges of [`replay`], and bettered by [`search`]. `docs/sync.md` tells the whole.
//!
//! ```
//! use hemingway::cluster::Cluster;
//! use hemingway::sync::{Model, Stage, analytic::forecast, builders};
//! # let cluster = Cluster::parse(include_str!("../../../clusters/cloud-25gbit.toml"))?;
//!
//! let stage = Stage::new(Model::find("vgg16")?, &cluster, 8)?;
//! let ring = builders::named("horovod", &stage).expect("a builder").remove(4);
//! let step = forecast(&stage, &stage.play(&ring)?);
//! assert!(step.seconds > stage.bound());
//! # Ok::<(), hemingway::Error>(())
//! ```

pub mod analytic;
pub mod builders;
pub mod codec;
pub mod execute;
pub mod links;
mod misread;
pub mod model;
pub mod network;
pub mod program;
pub mod ranker;
pub mod replay;
pub mod rounds;
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

/// The way machines synchronize, as data: which of them, and for strategies of exchange [`rounds::Way`] says the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SyncStrategy {
    /// Bulk-synchronous: all pushes, summed in one pairwise tree.
    #[default]
    Tree,
    /// The same, with all numbers in every message: `--sync plain`.
    Plain,
    /// As was found for the data and the cluster: `--sync search`.
    Search,
    /// By a strategy's file: `--sync FILE`.
    File,
}
