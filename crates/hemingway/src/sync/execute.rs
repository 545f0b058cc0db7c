//! Strategies carried out: machines that exchange real bytes, as threads here or wherever there is a [`Wire`].

mod conductor;
mod hands;
mod machine;
mod team;
mod wire;

#[cfg(test)]
mod tests;

pub use conductor::{Conductor, Hands};
pub use machine::{Machine, Outcome, Source, Tensors};
pub use team::{Team, Timing};
pub use wire::{Channels, Parcel, Tag, Wire};
