//! Our solvers beside those of other programs, in one run: seconds of an in-memory fit to true relative errors.
//!
//! The problems are in `bench/peers/suite.toml`; `bench/peers/peers.py` drives the peers in a process of its own and finds
//! P*. A peer is asked for ever more iterations until each error is reached, and only the fit that first reaches it counts;
//! ours are timed round by round. All are repeated in turn, and medians compared.

mod ours;
mod pick;
mod suite;
mod table;
mod theirs;

use hemingway::backend::Config;

pub use ours::Ours;
pub use pick::Pick;
pub use suite::{Case, Suite};
pub use table::{Cell, summary, table};
pub use theirs::{Peers, Settings};

/// The true relative errors asked for.
pub const ERRORS: [f64; 4] = [1e-2, 1e-3, 1e-4, 1e-6];
/// Times everything is measured, in turn.
pub const REPEATS: usize = 5;

/// Seconds to each of [`ERRORS`], where it is reached.
pub type Times = [Option<f64>; ERRORS.len()];

/// One of ours in tables: with several threads, on how many of them.
pub fn label(config: &Config, threads: usize) -> String {
    if threads == 1 { config.algorithm.clone() } else { config.to_string() }
}

/// The middle of each, over repeats.
pub fn medians(repeats: &[Times]) -> Times {
    std::array::from_fn(|k| {
        let mut seconds = repeats.iter().map(|times| times[k]).collect::<Option<Vec<f64>>>()?;
        seconds.sort_by(f64::total_cmp);
        seconds.get(seconds.len() / 2).copied()
    })
}
