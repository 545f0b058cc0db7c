//! The regret bench: what `train` takes, probing included, against the best configuration by hindsight.
//!
//! ```text
//! regret tapes       compute what is missing, once, and print everyone's rounds to ε
//! regret judge       train on every pair; print every cell, all contenders, what adapting brings; replay every
//!                    journal; goes on where the same program was interrupted
//! regret table       print the tables of the last judge again
//! regret claims      how often a claim is false, with other seeds and errors, by estimate and by proof
//! regret budgets     how low it gets within a time or for a price
//! regret rehearsals  what rounds on a few rows tell of rounds on all
//! regret memory      what it takes once something is remembered
//! regret learn       what the program ships with as precedents
//! regret learn-l1    the same for problems with λ₁
//! ```
//!
//! The problems are in `bench/regret/suite.toml`, their P* by other programs in `optima.toml` beside it, and six clusters
//! in `clusters/` here and there. Every (problem, algorithm, m) is computed once, as a [`tape::Tape`] that any cluster
//! can be timed on.

pub mod budgets;
pub mod cells;
pub mod claims;
pub mod field;
pub mod judge;
pub mod oracle;
pub mod ours;
pub mod recall;
pub mod rehearsals;
pub mod rivals;
pub mod shipped;
pub mod suite;
pub mod table;
pub mod tape;

pub use field::Field;
pub use oracle::{Oracle, Regret};
pub use ours::{Outcome, Trainer, Wish};
pub use suite::{Case, Suite};
pub use tape::{Shelf, Tape};
