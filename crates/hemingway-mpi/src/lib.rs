//! Hemingway on the ranks of an MPI job.
//!
//! The first rank leads: it runs the whole program (commands, decisions, journal, the algorithm's server) and sees the
//! others as one engine. They hold their shares of the rows and the workers beside them, and do as they are told. No decision
//! is taken twice, so that no two ranks can wait for each other in vain.

mod company;
mod engine;
mod lanes;
mod letters;
mod library;
mod moving;
mod numbers;
mod parcel;
mod pieces;
mod rank;
mod stream;
mod team;
mod tree;
mod wire;

pub use engine::{Mpi, Ranks, Settings, Traffic, serve};
pub use rank::Find;
pub use team::Collectives;
pub use wire::{abort, complain, on_last_words};
