//! What was foretold of the time it takes, and what it took.

use hemingway::model::Estimate;

use super::super::judge::Pair;
use crate::folds::quantile;

/// Shares of all seconds at which the promise then standing is held against what it took.
const SHARES: [(f64, &str); 4] =
    [(0.0, "when training begins"), (0.1, "after a tenth"), (0.25, "after a quarter"), (0.5, "half-way")];

/// The promises of `train`, at its beginning and on the way.
pub fn print(pairs: &[Pair]) {
    println!("\nSeconds promised in all, over what it took to the stop:\n");
    println!("| promised | median | off by, in the median | within 20 % | 90 % intervals that hold |");
    println!("|---|---:|---:|---:|---:|");
    for (share, when) in SHARES {
        let promised: Vec<(Estimate, f64)> = pairs.iter().filter_map(|pair| standing(pair, share)).collect();
        let off: Vec<f64> = promised.iter().map(|(promise, real)| (promise.mid / real).ln().abs().exp()).collect();
        let near = off.iter().filter(|off| **off <= 1.2).count();
        let hold = promised.iter().filter(|(promise, real)| (promise.low..=promise.high).contains(real)).count();
        let all = promised.len();
        println!(
            "| {when} | {:.2} | × {:.2} | {:.0} % | {hold} of {all} ({:.0} %) |",
            quantile(promised.iter().map(|(promise, real)| promise.mid / real).collect(), 0.5),
            quantile(off, 0.5),
            100.0 * near as f64 / all.max(1) as f64,
            100.0 * hold as f64 / all.max(1) as f64,
        );
    }
}

/// The last promise of a job up to a share of its seconds, or its first, and what it took.
fn standing(pair: &Pair, share: f64) -> Option<(Estimate, f64)> {
    let ours = &pair.adaptive;
    let by_then = ours.promises.iter().rfind(|(when, _)| *when <= share * ours.stopped);
    let (_, promise) = by_then.or(ours.promises.first())?;
    Some((*promise, ours.stopped))
}
