//! Traces with a known truth, for the tests of this folder.

use crate::record::{Point, Trace};

/// A fresh trace of rounds 1..=n, 0.1 s each, whose objective is a function of the round.
pub(super) fn trace(context: &str, machines: usize, rounds: u64, objective: impl Fn(f64) -> f64) -> Trace {
    let point = |round: u64| Point {
        round,
        seconds: Some(0.1 * round as f64),
        objective: Some(objective(round as f64)),
        lower_bound: None,
    };
    Trace {
        context: context.into(),
        problem: String::new(),
        run: format!("{context}-{machines}"),
        cluster: String::new(),
        machines,
        rows: None,
        fraction: 1.0,
        fresh: true,
        phases: None,
        points: (1..=rounds).map(point).collect(),
    }
}
