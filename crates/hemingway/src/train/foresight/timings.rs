//! What rounds took, by algorithm and machines.

use std::collections::{BTreeMap, HashMap};

use crate::model::Timing;
use crate::record::Record;

/// Means over all rounds of each configuration.
pub(super) fn timings(records: &[Record]) -> Vec<Timing> {
    let mut last: HashMap<&str, &Record> = HashMap::new();
    let mut sums: BTreeMap<(&str, usize), Timing> = BTreeMap::new();
    for record in records {
        if let Some(before) = last.insert(&record.run, record).filter(|before| before.round < record.round) {
            let sum = sums.entry((&record.algorithm, record.machines)).or_insert_with(|| nothing(record));
            add(sum, before, record);
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
