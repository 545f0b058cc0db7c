//! Several hosts with shaped links on one Linux machine.
//!
//! A host is a network namespace with two interfaces: a plain one by which programs are started, and one whose far end is
//! read by a [`switch`] in user space, which gives every link its latency and rate. A [`Bed`] is all of them together; it
//! goes away with whoever holds it, killed or not.

mod bed;
pub mod check;
mod frame;
mod ip;
pub mod keeper;
mod layout;
pub mod mpirun;
pub mod shape;
pub mod switch;
mod sys;

pub use bed::{Bed, Standing, down, standing, up};
pub use layout::{Layout, Line, Part, Rate, link, loss, slow};
pub use mpirun::Job;
