//! Random numbers that do not depend on who asks first.
//!
//! Every generator is keyed by (seed, purpose, worker, round), so that the same worker draws the same numbers in
//! the same round on every engine, after every resize and after every resume.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// What the numbers are for: two purposes never share a stream.
#[derive(Debug, Clone, Copy)]
#[repr(u64)]
pub enum Purpose {
    /// The one shuffle of the rows before they are dealt.
    Deal = 1,
    /// The order in which a worker visits its rows.
    Visit = 2,
    /// The slowness of a simulated machine in a round.
    Straggle = 3,
    /// Synthetic data.
    Synthesize = 4,
    /// What h could be, when the next probe is weighed.
    Foresee = 5,
    /// Which columns move next.
    Schedule = 6,
    /// Where a problem of several optima begins.
    Begin = 7,
    /// Which strategies of exchange are tried.
    Propose = 8,
    /// Which questions a tree of a ranker may ask.
    Grow = 9,
}

/// The generator of one worker in one round.
pub fn keyed(seed: u64, purpose: Purpose, worker: usize, round: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    let words = [seed, purpose as u64, worker as u64, round];
    for (bytes, word) in key.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    ChaCha8Rng::from_seed(key)
}
