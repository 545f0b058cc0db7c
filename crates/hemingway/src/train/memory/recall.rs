//! From a store to what a job knows before it begins.

use std::collections::BTreeMap;

use super::{Memory, lower, most_telling};
use crate::job::{Job, Lore, Mode};
use crate::model::Timing;
use crate::record::store::Store;

/// The newest runs that are looked at, and what is kept of them: the first event of a journal stays small.
const RUNS: usize = 500;
const PROBLEMS: usize = 12;
const TRACES: usize = 16;
/// Rounds of a problem so many times smaller tell what a round costs at least, and nothing of what entries do.
const TINY: usize = 1000;

/// How much a job remembers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Recalled {
    /// Runs of its problem, wherever, whose rounds are known.
    pub of_problem: usize,
    /// Runs on its cluster, of whatever problem, whose seconds are known.
    pub on_cluster: usize,
}

/// Takes what runs of the store tell into the lore of a job that chooses, unless it is to forget. Once the job has begun,
/// its journal holds that, and later runs change nothing.
pub fn recall(job: &mut Job, store: &Store) -> Recalled {
    if job.spec.forget || matches!(job.spec.mode, Mode::Fixed(_)) {
        return Recalled::default();
    }
    let runs = store.runs().unwrap_or_default();
    let memories: Vec<Memory> = runs.iter().rev().take(RUNS).filter_map(Memory::of).collect();
    let same: Vec<&Memory> = memories.iter().filter(|memory| memory.problem == job.facts.problem).collect();
    let entries = job.facts.lore.traits.entries;
    let tells = |memory: &&Memory| memory.traits.entries.saturating_mul(TINY) >= entries;
    let here: Vec<&Memory> =
        memories.iter().filter(|memory| memory.is_at(&job.spec, &job.facts)).filter(tells).collect();
    let errors = least_errors(same.iter().copied());
    let errors_here = least_errors(here.iter().copied().filter(|memory| memory.problem == job.facts.problem));
    let mut traces = most_telling(same.iter().flat_map(|memory| memory.traces.iter().cloned()));
    traces.truncate(TRACES);
    let pool = if job.spec.cluster.is_some() { pooled } else { middle };
    let timings = seconds_of(&here, &job.facts.problem, pool);
    let recalled = Recalled {
        of_problem: same.iter().filter(|memory| !memory.traces.is_empty()).count(),
        on_cluster: here.iter().filter(|memory| !memory.timings.is_empty()).count(),
    };
    job.facts.lore = Lore { timings, traces, errors, errors_here, ..job.facts.lore.clone() };
    recalled
}

/// The least error of each algorithm.
fn least_errors<'a>(memories: impl Iterator<Item = &'a Memory>) -> BTreeMap<String, f64> {
    let mut least = BTreeMap::new();
    for (algorithm, error) in memories.flat_map(|memory| &memory.errors) {
        lower(&mut least, algorithm, *error);
    }
    least
}

/// What rounds took, for each problem: that at hand, whose own are not another's, then the newest.
fn seconds_of(here: &[&Memory], own: &str, pool: impl Fn(Vec<&Timing>) -> Vec<Timing>) -> Vec<Timing> {
    let mut problems: Vec<&str> = Vec::new();
    for memory in here {
        if !problems.contains(&memory.problem.as_str()) {
            problems.push(&memory.problem);
        }
    }
    problems.sort_by_key(|problem| *problem != own);
    let timings = |problem: &str| {
        let runs: Vec<&Memory> = here.iter().copied().filter(|memory| memory.problem == problem).collect();
        let of = runs.first().map(|memory| memory.traits).filter(|_| problem != own);
        let timings = pool(runs.iter().flat_map(|memory| &memory.timings).collect());
        timings.into_iter().map(move |timing| Timing { of, ..timing })
    };
    problems.into_iter().take(PROBLEMS).flat_map(timings).collect()
}

/// Of each configuration the run in the middle. On real machines rounds of one run share what else went on then: a run counts as one
/// round, and one that was disturbed moves nothing.
fn middle(timings: Vec<&Timing>) -> Vec<Timing> {
    let mut runs: BTreeMap<(&str, usize), Vec<&Timing>> = BTreeMap::new();
    for timing in timings {
        runs.entry((&timing.algorithm, timing.machines)).or_default().push(timing);
    }
    let middle_of = |mut runs: Vec<&Timing>| {
        runs.sort_by(|a, b| a.total().total_cmp(&b.total()));
        Timing { rounds: runs.len() as f64, ..runs[(runs.len() - 1) / 2].clone() }
    };
    runs.into_values().map(middle_of).collect()
}

/// Means over all runs of each configuration.
fn pooled(timings: Vec<&Timing>) -> Vec<Timing> {
    let mut pools: BTreeMap<(&str, usize), Timing> = BTreeMap::new();
    for timing in timings {
        let place = (timing.algorithm.as_str(), timing.machines);
        pools.entry(place).and_modify(|pool| *pool = mean(pool, timing)).or_insert_with(|| timing.clone());
    }
    pools.into_values().collect()
}

fn mean(a: &Timing, b: &Timing) -> Timing {
    let rounds = a.rounds + b.rounds;
    let of = |part: fn(&Timing) -> f64| (a.rounds * part(a) + b.rounds * part(b)) / rounds;
    Timing {
        rounds,
        compute: of(|timing| timing.compute),
        wait: of(|timing| timing.wait),
        sync: of(|timing| timing.sync),
        other: of(|timing| timing.other),
        ..a.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disturbed_run_moves_nothing_and_every_run_counts_once() {
        let timing = |machines, other| Timing {
            algorithm: "newton".into(),
            machines,
            rounds: 30.0,
            compute: 1.0,
            wait: 0.0,
            sync: 0.0,
            other,
            of: None,
        };
        let runs = [timing(2, 0.4), timing(2, 9.0), timing(1, 0.5), timing(2, 0.3)];
        let middle = middle(runs.iter().collect());
        let told: Vec<_> = middle.iter().map(|timing| (timing.machines, timing.rounds, timing.other)).collect();
        assert_eq!(told, [(1, 1.0, 0.5), (2, 3.0, 0.4)]);
    }
}
