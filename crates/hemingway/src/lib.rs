//! Hemingway chooses how to train convex models on a cluster, and trains them.

pub mod algorithm;
pub mod backend;
pub mod cluster;
pub mod conformance;
pub mod data;
pub mod engine;
pub mod error;
pub mod metric;
pub mod placement;
pub mod problem;
pub mod record;
pub mod rng;
pub mod schedule;
pub mod sync;

pub use error::{Error, Result};
