//! Hemingway chooses how to train convex models on a cluster, and trains them.

pub mod data;
pub mod error;
pub mod model;
pub mod record;
pub mod rng;

pub use error::{Error, Result};
