//! The regret bench: what `train` takes, probing included, against the best configuration by hindsight.
//!
//! The problems are in `bench/regret/suite.toml`, their P* by other programs in `optima.toml` beside it, and six clusters
//! in `clusters/` here and there. Every (problem, algorithm, m) is computed once, as a [`tape::Tape`] that any cluster
//! can be timed on.

pub mod judge;
pub mod oracle;
pub mod ours;
pub mod recall;
pub mod suite;
pub mod table;
pub mod tape;

pub use oracle::Oracle;
pub use ours::{Outcome, Trainer};
pub use suite::{Case, Suite};
pub use tape::{Shelf, Tape};
