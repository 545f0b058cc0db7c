//! A quantity as it is believed, and moved by what is seen of it.

use serde::{Deserialize, Serialize};

/// So many observations weigh as much as what was believed before.
const STRENGTH: f64 = 2.0;

/// A normal distribution of what the next observation may be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Belief {
    /// Its mean.
    pub mean: f64,
    /// Its standard deviation.
    pub deviation: f64,
}

impl Belief {
    /// Of this mean and standard deviation.
    pub const fn new(mean: f64, deviation: f64) -> Self {
        Self { mean, deviation }
    }

    /// Moved towards what was seen, as (value, weight); as it was if nothing was.
    pub(super) fn shrunk(self, seen: impl Iterator<Item = (f64, f64)>) -> Self {
        let seen: Vec<(f64, f64)> = seen.collect();
        let whole = STRENGTH + seen.iter().map(|(_, weight)| weight).sum::<f64>();
        let mean = (STRENGTH * self.mean + seen.iter().map(|(value, weight)| weight * value).sum::<f64>()) / whole;
        let squares: f64 = seen.iter().map(|(value, weight)| weight * (value - mean).powi(2)).sum();
        Self { mean, deviation: ((STRENGTH * self.deviation.powi(2) + squares) / whole).sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_belief_moves_and_narrows_with_what_is_seen() {
        let prior = Belief::new(0.0, 1.0);
        assert_eq!(prior.shrunk(std::iter::empty()), prior);
        let (few, many) = (prior.shrunk([(1.0, 1.0); 2].into_iter()), prior.shrunk([(1.0, 1.0); 40].into_iter()));
        assert_eq!(few.mean, 0.5);
        assert!(many.mean > 0.95 && many.deviation < few.deviation && few.deviation < prior.deviation);
        let scattered = prior.shrunk([(-3.0, 1.0), (3.0, 1.0)].into_iter());
        assert!(scattered.deviation > prior.deviation);
    }
}
