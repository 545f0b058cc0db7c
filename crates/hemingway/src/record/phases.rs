//! Where the seconds of a round go.

use serde::{Deserialize, Serialize};

/// Seconds of one round by what they were spent on.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Phases {
    /// Computing, in the mean over machines.
    pub compute: f64,
    /// Waiting for the slowest machine.
    pub wait: f64,
    /// Exchanging.
    pub sync: f64,
    /// Anything else.
    pub other: f64,
}

impl Phases {
    /// Means over the rounds between two moments, each a round and the (training, compute, wait, sync) seconds until
    /// then. `None` where they say nothing.
    pub(crate) fn between(before: (u64, [f64; 4]), after: (u64, [f64; 4])) -> Option<Self> {
        let rounds = after.0.checked_sub(before.0).filter(|&rounds| rounds > 0)? as f64;
        let [train, compute, wait, sync] = [0, 1, 2, 3].map(|part| (after.1[part] - before.1[part]) / rounds);
        let known = compute + wait + sync;
        let usable = [compute, wait, sync].iter().all(|part| part.is_finite() && *part >= 0.0) && known > 0.0;
        usable.then(|| Self { compute, wait, sync, other: (train - known).max(0.0) })
    }

    /// (compute, wait, sync, other).
    pub fn parts(&self) -> [f64; 4] {
        [self.compute, self.wait, self.sync, self.other]
    }

    /// Each part's share of the whole.
    pub fn shares(&self) -> Self {
        let whole = self.parts().iter().sum::<f64>();
        let [compute, wait, sync, other] = self.parts().map(|part| if whole > 0.0 { part / whole } else { 0.0 });
        Self { compute, wait, sync, other }
    }
}
