//! What promises that ran out say of the next.

use super::super::{Decision, Purpose};
use crate::record::Record;

/// One promise that ran out may be chance.
const CHANCE: f64 = 1.0;

/// By how much ln rounds to go of a run are foreseen too low: the mean over its promises that ran out before the goal was
/// reached, held back towards nothing.
pub(super) fn outlived(decisions: &[Decision], records: &[Record], run: &str) -> f64 {
    let own = || records.iter().filter(|record| record.run == run);
    let by = |round: u64| own().rev().find(|record| record.round <= round).map_or(0.0, |record| record.train_seconds);
    let now = by(u64::MAX);
    let late = decisions.iter().filter_map(|decision| match decision {
        Decision::Run { frame, purpose: Purpose::Train, predicted: Some(promised), .. } if frame.run == run => {
            let begun = by(frame.from_round);
            Some(((now - begun) / (promised.mid - begun)).ln()).filter(|late| *late > 0.0)
        }
        _ => None,
    });
    let (count, sum) = late.fold((0.0, 0.0), |(count, sum), late| (count + 1.0, sum + late));
    sum / (count + CHANCE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Config, Frame};
    use crate::model::Estimate;
    use crate::train::Start;

    /// Of a run of a second a round, at round 40, whose promises were made at these rounds for so many seconds more.
    fn of(promises: &[(u64, f64)], run: &str) -> f64 {
        let record = |round| Record { run: "a".into(), round, train_seconds: round as f64, ..Record::default() };
        let decision = |&(from_round, seconds): &(u64, f64)| {
            let mid = from_round as f64 + seconds;
            Decision::Run {
                frame: Frame { from_round, ..Frame::new("a", Config::new("lbfgs", 1), 40) },
                start: Start::Fresh,
                purpose: Purpose::Train,
                why: String::new(),
                plan: None,
                predicted: Some(Estimate { low: mid, mid, high: mid, extrapolated: false }),
            }
        };
        let decisions: Vec<Decision> = promises.iter().map(decision).collect();
        outlived(&decisions, &(1..=40).map(record).collect::<Vec<_>>(), run)
    }

    #[test]
    fn only_promises_that_ran_out_count_and_the_more_the_surer() {
        assert_eq!(of(&[], "a"), 0.0);
        assert_eq!(of(&[(20, 100.0)], "a"), 0.0);
        let (once, often) = (of(&[(20, 2.0)], "a"), of(&[(10, 3.0), (20, 2.0), (30, 1.0)], "a"));
        assert!(once > 0.0 && often > once && often < 10f64.ln(), "{once} {often}");
        assert_eq!(of(&[(20, 2.0)], "b"), 0.0);
    }
}
