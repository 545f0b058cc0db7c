//! Strategies carried out: machines as threads that exchange real bytes.

mod conductor;
mod hands;
mod team;
mod wire;

#[cfg(test)]
mod tests;

pub use conductor::{Conductor, Hands};
pub use team::{Team, Timing};
pub use wire::{Channels, Parcel, Tag, Wire};
