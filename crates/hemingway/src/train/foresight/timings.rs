//! What rounds took, by algorithm and machines.

use std::collections::{BTreeMap, HashMap};

use crate::model::Timing;
use crate::record::Record;

/// Means over all rounds of each configuration, as later rounds will take them: the first of a run from nothing has nothing to tell,
/// which takes `telling` on so many machines in all others.
pub(in crate::train) fn timings(records: &[Record], telling: impl Fn(usize) -> f64) -> Vec<Timing> {
    let mut last: HashMap<&str, &Record> = HashMap::new();
    let mut sums: BTreeMap<(&str, usize), Timing> = BTreeMap::new();
    for record in records {
        if let Some(before) = last.insert(&record.run, record).filter(|before| before.round < record.round) {
            let sum = sums.entry((&record.algorithm, record.machines)).or_insert_with(|| nothing(record));
            add(sum, before, record);
            sum.sync += if before.round == 0 { telling(record.machines) } else { 0.0 };
        }
    }
    sums.into_values().map(mean).collect()
}

fn nothing(record: &Record) -> Timing {
    let (algorithm, machines) = (record.algorithm.clone(), record.machines);
    Timing { algorithm, machines, rounds: 0.0, compute: 0.0, wait: 0.0, sync: 0.0, other: 0.0, of: None }
}

fn add(sum: &mut Timing, before: &Record, after: &Record) {
    let other = |record: &Record| record.train_seconds - record.compute - record.wait - record.sync;
    sum.rounds += (after.round - before.round) as f64;
    sum.compute += after.compute - before.compute;
    sum.wait += after.wait - before.wait;
    sum.sync += after.sync - before.sync;
    sum.other += other(after) - other(before);
}

fn mean(sum: Timing) -> Timing {
    let each = |seconds: f64| seconds / sum.rounds;
    Timing { compute: each(sum.compute), wait: each(sum.wait), sync: each(sum.sync), other: each(sum.other), ..sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The clock of a run after a round.
    fn record(run: &str, machines: usize, round: u64, [compute, wait, sync, other]: [f64; 4]) -> Record {
        Record {
            run: run.into(),
            algorithm: "gd".into(),
            machines,
            round,
            train_seconds: compute + wait + sync + other,
            compute,
            wait,
            sync,
            ..Record::default()
        }
    }

    fn shape(timing: &Timing) -> (usize, f64, [f64; 4]) {
        (timing.machines, timing.rounds, [timing.compute, timing.wait, timing.sync, timing.other])
    }

    #[test]
    fn a_round_after_a_change_is_the_new_machines() {
        let records = [
            record("a", 2, 0, [0.0; 4]),
            record("a", 2, 1, [8.0, 1.0, 0.5, 0.25]),
            record("a", 4, 2, [12.0, 1.5, 1.5, 0.75]),
            record("a", 4, 4, [20.0, 2.5, 3.5, 1.75]),
        ];
        let timings = timings(&records, |_| 0.0);
        let expected = [(2, 1.0, [8.0, 1.0, 0.5, 0.25]), (4, 3.0, [4.0, 0.5, 1.0, 0.5])];
        assert_eq!(timings.iter().map(shape).collect::<Vec<_>>(), expected);
        assert!(timings.iter().all(|timing| timing.algorithm == "gd" && timing.of.is_none()));
    }

    #[test]
    fn runs_that_alternate_are_kept_apart() {
        let records = [
            record("a", 2, 0, [0.0; 4]),
            record("b", 2, 0, [0.0; 4]),
            record("a", 2, 1, [1.0; 4]),
            record("b", 2, 1, [3.0; 4]),
            record("a", 2, 2, [2.0; 4]),
            record("b", 2, 2, [6.0; 4]),
        ];
        assert_eq!(timings(&records, |_| 0.0).iter().map(shape).collect::<Vec<_>>(), [(2, 4.0, [2.0; 4])]);
    }

    #[test]
    fn what_a_first_round_need_not_tell_is_added() {
        let records = [
            record("a", 2, 0, [0.0; 4]),
            record("a", 2, 2, [0.0, 0.0, 1.0, 0.0]),
            record("a", 2, 4, [0.0, 0.0, 3.0, 0.0]),
            // A run that has taken a model up tells it.
            record("b", 4, 4, [0.0; 4]),
            record("b", 4, 5, [0.0, 0.0, 1.0, 0.0]),
        ];
        let timings = timings(&records, |machines| if machines == 2 { 1.0 } else { 8.0 });
        assert_eq!(timings.iter().map(|timing| timing.sync).collect::<Vec<_>>(), [1.0, 1.0]);
    }

    #[test]
    fn one_record_of_a_run_or_the_same_round_again_times_nothing() {
        assert_eq!(timings(&[record("a", 2, 5, [1.0; 4]), record("a", 2, 5, [2.0; 4])], |_| 0.0), []);
    }
}
