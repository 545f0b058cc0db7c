//! Hemingway chooses how to train convex models on a cluster, and trains them.

pub mod algorithm;
pub mod backend;
pub mod cluster;
pub mod conformance;
pub mod data;
pub mod engine;
pub mod error;
pub mod goal;
pub mod job;
pub mod metric;
pub mod model;
pub mod placement;
pub mod plan;
pub mod problem;
pub mod record;
pub mod rng;
pub mod schedule;
pub mod standing;
pub mod sync;
pub mod train;
pub mod trained;

pub use error::{Error, Result};
