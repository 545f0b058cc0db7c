//! Runs as the models see them: one context on one number of machines, round by round.

use serde::{Deserialize, Serialize};

use super::{Phases, Record};

/// One stretch of one run in which nothing changed but the model being trained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// What distinguishes one f and g from another: usually the algorithm.
    pub context: String,
    /// The problem whose objective it holds; traces of one problem share P*.
    pub problem: String,
    /// The run it is part of.
    pub run: String,
    /// The cluster its times belong to.
    pub cluster: String,
    /// Number of machines, m.
    pub machines: usize,
    /// Rows of data used, where known.
    pub rows: Option<usize>,
    /// Their share of the full data.
    pub fraction: f64,
    /// Whether it starts from scratch. Only then do its round numbers mean anything to g; f takes any trace.
    pub fresh: bool,
    /// Where the seconds of its rounds went, where the records say.
    #[serde(default)]
    pub phases: Option<Phases>,
    /// What was seen, by increasing round.
    pub points: Vec<Point>,
}

/// What was seen after one round. A trace may lack times, objectives, or some of either.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Point {
    /// Rounds so far.
    pub round: u64,
    /// Training seconds so far.
    pub seconds: Option<f64>,
    /// P(w), or whatever is to become small.
    pub objective: Option<f64>,
    /// A proved bound below P*.
    pub lower_bound: Option<f64>,
}

impl Trace {
    /// Whether it is of all rows, not of a sample.
    pub fn is_whole(&self) -> bool {
        self.fraction >= 1.0
    }

    /// Seconds of each round, as means between neighbouring points that carry a time. A trace from scratch also
    /// counts from (round 0, 0 s).
    pub fn round_seconds(&self) -> Vec<f64> {
        self.paces().into_iter().map(|(_, seconds)| seconds).collect()
    }

    /// Seconds of those rounds that were timed one by one.
    pub fn single_round_seconds(&self) -> Vec<f64> {
        self.paces().into_iter().filter(|(rounds, _)| *rounds == 1).map(|(_, seconds)| seconds).collect()
    }

    /// Between neighbouring points that carry a time: rounds, and seconds of each in the mean.
    fn paces(&self) -> Vec<(u64, f64)> {
        let start = self.fresh.then_some((0, 0.0));
        let timed = self.points.iter().filter_map(|point| Some((point.round, point.seconds?)));
        let stops: Vec<(u64, f64)> = start.into_iter().chain(timed).collect();
        let pace = |pair: &[(u64, f64)]| {
            let rounds = pair[1].0.checked_sub(pair[0].0).filter(|&rounds| rounds > 0)?;
            Some((rounds, (pair[1].1 - pair[0].1) / rounds as f64))
        };
        stops.windows(2).filter_map(pace).filter(|(_, seconds)| seconds.is_finite() && *seconds > 0.0).collect()
    }

    /// (round, objective) wherever the objective is known and finite.
    pub fn objectives(&self) -> impl Iterator<Item = (u64, f64)> + '_ {
        let known = |point: &Point| Some((point.round, point.objective.filter(|value| value.is_finite())?));
        self.points.iter().filter_map(known)
    }

    /// The smallest objective seen.
    pub fn best(&self) -> Option<f64> {
        self.objectives().map(|(_, objective)| objective).min_by(f64::total_cmp)
    }

    /// The largest bound below P* it proves.
    pub fn lower_bound(&self) -> Option<f64> {
        let bounds = self.points.iter().filter_map(|point| point.lower_bound);
        bounds.filter(|bound| bound.is_finite()).max_by(f64::total_cmp)
    }

    /// The last round it saw.
    pub fn last_round(&self) -> u64 {
        self.points.last().map_or(0, |point| point.round)
    }
}

/// Whether a stretch that begins with these rounds begins at the beginning: within a stride and a half of round 0, as
/// strides need not be even. A warm start goes on counting where another run stopped.
pub(crate) fn starts_fresh(first: u64, second: Option<u64>) -> bool {
    first <= 1 || second.is_some_and(|second| 2 * first < 3 * second.saturating_sub(first))
}

/// Cuts records into traces: by run, in order of appearance, and wherever algorithm, machines, problem, cluster or
/// amount of data change or the rounds start over. Only the first stretch of a run can be fresh.
pub fn traces(records: &[Record]) -> Vec<Trace> {
    let mut runs: Vec<(&str, Vec<&Record>)> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for record in records {
        let place = *places.entry(record.run.as_str()).or_insert(runs.len());
        if place == runs.len() {
            runs.push((&record.run, Vec::new()));
        }
        runs[place].1.push(record);
    }
    runs.iter().flat_map(|(_, records)| stretches(records)).collect()
}

fn stretches(records: &[&Record]) -> Vec<Trace> {
    let pieces = records.chunk_by(|a, b| continues(a, b));
    pieces.enumerate().map(|(place, piece)| stretch(piece, place == 0)).collect()
}

fn continues(before: &Record, after: &Record) -> bool {
    let fixed = |record: &Record| (record.machines, record.rows, record.fraction.to_bits());
    let names = |record: &Record| [record.algorithm.clone(), record.problem.clone(), record.cluster.clone()];
    after.round > before.round && fixed(before) == fixed(after) && names(before) == names(after)
}

fn stretch(records: &[&Record], first: bool) -> Trace {
    let head = records[0];
    let point = |record: &&Record| Point {
        round: record.round,
        seconds: Some(record.train_seconds).filter(|seconds| seconds.is_finite()),
        objective: Some(record.objective).filter(|objective| objective.is_finite()),
        lower_bound: record.lower_bound.filter(|bound| bound.is_finite()),
    };
    let fresh = first && starts_fresh(head.round, records.get(1).map(|record| record.round));
    Trace {
        context: head.algorithm.clone(),
        problem: head.problem.clone(),
        run: head.run.clone(),
        cluster: head.cluster.clone(),
        machines: head.machines.max(1),
        rows: Some(head.rows).filter(|&rows| rows > 0),
        fraction: if head.fraction > 0.0 { head.fraction } else { 1.0 },
        fresh,
        phases: phases(records, fresh),
        points: records.iter().map(point).collect(),
    }
}

fn phases(records: &[&Record], fresh: bool) -> Option<Phases> {
    let spent = |record: &Record| [record.train_seconds, record.compute, record.wait, record.sync];
    let (first, last) = (records.first()?, records.last()?);
    let before = if fresh { (0, [0.0; 4]) } else { (first.round, spent(first)) };
    Phases::between(before, (last.round, spent(last)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(run: &str, machines: usize, round: u64, seconds: f64) -> Record {
        Record {
            run: run.into(),
            algorithm: "gd".into(),
            machines,
            round,
            train_seconds: seconds,
            objective: 1.0 / (round + 1) as f64,
            ..Record::default()
        }
    }

    #[test]
    fn a_switch_of_machines_cuts_a_run_and_only_its_head_is_fresh() {
        let records = [
            record("a", 4, 1, 0.5),
            record("b", 2, 1, 1.0),
            record("a", 4, 2, 1.0),
            record("a", 8, 3, 1.3),
            record("a", 8, 4, 1.6),
        ];
        let traces = traces(&records);
        let shape: Vec<_> = traces.iter().map(|t| (t.run.as_str(), t.machines, t.fresh, t.points.len())).collect();
        assert_eq!(shape, [("a", 4, true, 2), ("a", 8, false, 2), ("b", 2, true, 1)]);
        assert_eq!(traces[0].round_seconds(), [0.5, 0.5]);
        assert!((traces[1].round_seconds()[0] - 0.3).abs() < 1e-12);
    }

    #[test]
    fn a_warm_start_goes_on_counting_but_sparse_evaluation_is_fresh() {
        let warm = traces(&[record("a", 4, 58, 0.5), record("a", 4, 59, 1.0)]);
        assert!(!warm[0].fresh);
        let sparse = traces(&[record("a", 4, 10, 5.0), record("a", 4, 20, 10.0)]);
        assert!(sparse[0].fresh);
        assert_eq!(sparse[0].round_seconds(), [0.5, 0.5]);
        // Evaluated once a pass, while the passes get shorter.
        let uneven = traces(&[record("a", 4, 171, 5.0), record("a", 4, 325, 10.0)]);
        assert!(uneven[0].fresh);
        let late = traces(&[record("a", 4, 15, 5.0), record("a", 4, 25, 10.0)]);
        assert!(!late[0].fresh);
    }

    #[test]
    fn phases_are_means_over_the_rounds_a_trace_has_seen() {
        let spent = |round: u64, machines: usize| Record {
            compute: 0.6 * round as f64,
            wait: 0.1 * round as f64,
            sync: 0.2 * round as f64,
            ..record("a", machines, round, round as f64)
        };
        let traces = traces(&[spent(1, 4), spent(2, 4), spent(3, 8), spent(5, 8)]);
        for trace in &traces {
            let phases = trace.phases.unwrap();
            let near = [(phases.compute, 0.6), (phases.wait, 0.1), (phases.sync, 0.2), (phases.other, 0.1)];
            assert!(near.iter().all(|(phase, expected)| (phase - expected).abs() < 1e-12), "{phases:?}");
        }
        assert_eq!(super::traces(&[record("a", 4, 1, 0.5)])[0].phases, None);
    }

    #[test]
    fn nonsense_in_a_record_is_left_out() {
        let mut bad = record("a", 4, 2, f64::NAN);
        bad.objective = f64::INFINITY;
        let traces = traces(&[record("a", 4, 1, 0.5), bad]);
        assert_eq!(traces[0].round_seconds(), [0.5]);
        assert_eq!(traces[0].objectives().count(), 1);
    }
}
