//! What earlier runs in a store tell a new job: seconds of any problem on its cluster, rounds of its problem on any cluster.

mod recall;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::History;
use super::foresight::timings::timings;
use crate::backend::Ending;
use crate::cluster::Cluster;
use crate::job::{Facts, JobSpec};
use crate::model::{Timing, Traits};
use crate::record::store::{RunDir, replace};
use crate::record::{Point, Trace, traces};
use crate::sync::rounds::RoundSpec;
pub use recall::{Recalled, recall};

/// Ratio between the rounds that are kept of a trace: four an octave, so that halves and quarters are among them.
const STRIDE: f64 = 1.189_207_115;

/// What one run teaches, kept beside its journal so that the journal need not be read again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Memory {
    /// Bytes of the journal it was made of: journals only grow, so another length means that it is out of date.
    journal: u64,
    /// The fingerprint of its problem.
    problem: String,
    /// What that looks like.
    traits: Traits,
    /// Where it ran; on threads of a machine if none.
    cluster: Option<Cluster>,
    /// How its rounds were exchanged, if not as the engine has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sync: Option<RoundSpec>,
    /// Cores of that machine.
    cores: usize,
    /// What its rounds took.
    timings: Vec<Timing>,
    /// How its objective fell.
    traces: Vec<Trace>,
    /// The least estimated error of each algorithm.
    errors: BTreeMap<String, f64>,
}

impl Memory {
    /// Of a run whose journal is up to date or can be read, as far as it is intact.
    pub(super) fn of(dir: &RunDir) -> Option<Self> {
        // Before the journal is read: what is appended meanwhile makes this out of date, not wrong.
        let journal = dir.journal_bytes()?;
        let kept = std::fs::read(dir.memory_path()).ok();
        let kept = kept.and_then(|bytes| serde_json::from_slice::<Self>(&bytes).ok());
        if let Some(memory) = kept.filter(|memory| memory.journal == journal) {
            return Some(memory);
        }
        let events = dir.intact_events()?;
        let mut history = History::of(&events).ok()?;
        history.replay(&events);
        let memory = Self::of_history(&history, journal)?;
        memory.save(dir);
        Some(memory)
    }

    /// Keeps what a run that has just ended teaches.
    pub(super) fn keep(dir: &RunDir, history: &History) {
        let memory = dir.journal_bytes().and_then(|journal| Self::of_history(history, journal));
        if let Some(memory) = memory {
            memory.save(dir);
        }
    }

    fn of_history(history: &History, journal: u64) -> Option<Self> {
        let History { spec, facts, records, .. } = history;
        // Journals from before there was any lore do not say what their problem looks like.
        let traits = Some(facts.lore.traits).filter(|traits| traits.rows == facts.data.rows)?;
        // More workers than cores time each other, not machines.
        let shared = |timing: &Timing| spec.cluster.is_none() && timing.machines > facts.cores;
        let traces = most_telling(sound(history).map(thin));
        Some(Self {
            journal,
            problem: facts.problem.clone(),
            traits,
            cluster: spec.cluster.clone(),
            sync: spec.sync.clone(),
            cores: facts.cores,
            timings: timings(records, |_| 0.0).into_iter().filter(|timing| !shared(timing)).collect(),
            errors: errors(&traces, history.standing.optimum_low()),
            traces,
        })
    }

    /// Without it the journal is read again: nothing is lost if it cannot be written, or is torn by another writer.
    fn save(&self, dir: &RunDir) {
        if let Ok(bytes) = serde_json::to_vec(self) {
            let _ = replace(&dir.memory_path(), &bytes);
        }
    }

    /// Whether its seconds are those of the place where a job runs.
    fn is_at(&self, spec: &JobSpec, facts: &Facts) -> bool {
        self.cluster == spec.cluster && self.sync == spec.sync && (spec.cluster.is_some() || self.cores == facts.cores)
    }
}

/// Traces of runs that did not run away: of those the best value says nothing of what followed.
fn sound(history: &History) -> impl Iterator<Item = Trace> {
    let diverged = |run: &str| {
        let mut own = history.past.iter().filter(|past| past.frame.run == run);
        own.any(|past| past.ending == Ending::Diverged)
    };
    traces(&history.records).into_iter().filter(move |trace| !diverged(&trace.run))
}

/// A trace without its seconds, which are another matter, and with no more rounds than tell how it fell: its ends, and the
/// best value up to each of some rounds.
fn thin(trace: Trace) -> Trace {
    let mut best: Vec<Point> = Vec::new();
    for point in &trace.points {
        let falls = |objective: f64| best.last().is_none_or(|last| last.objective > Some(objective));
        if point.objective.is_some_and(falls) {
            best.push(*point);
        }
    }
    let (first, last) = (best.first().map_or(0, |point| point.round), trace.last_round());
    let rounds =
        std::iter::successors(Some(last.saturating_sub(first) as f64), |ahead| (*ahead >= 1.0).then(|| ahead / STRIDE));
    let places =
        rounds.map(|ahead| best.partition_point(|point| point.round.saturating_sub(first) as f64 <= ahead + 1e-6));
    let mut points: Vec<Point> = places.filter_map(|place| best.get(place.checked_sub(1)?).copied()).collect();
    points.extend(best.first());
    // The newest value may not be the best, but its bound is.
    points.extend(trace.points.last());
    points.sort_by_key(|point| point.round);
    points.dedup_by_key(|point| point.round);
    points.iter_mut().for_each(|point| point.seconds = None);
    Trace { phases: None, points, ..trace }
}

/// How near each algorithm came to P̂.
fn errors(traces: &[Trace], optimum: f64) -> BTreeMap<String, f64> {
    let mut errors = BTreeMap::new();
    for trace in traces {
        let Some(best) = trace.best().filter(|_| optimum > 0.0) else { continue };
        // JSON knows no infinity, and the logarithm no zero.
        let error = ((best - optimum) / optimum).clamp(f64::MIN_POSITIVE, f64::MAX);
        lower(&mut errors, &trace.context, error);
    }
    errors
}

fn lower(errors: &mut BTreeMap<String, f64>, algorithm: &str, error: f64) {
    let least = errors.entry(algorithm.into()).or_insert(error);
    *least = least.min(error);
}

/// Of each configuration and kind of start the trace that has got furthest, those before others.
fn most_telling(traces: impl IntoIterator<Item = Trace>) -> Vec<Trace> {
    let depth = |trace: &Trace| trace.best().unwrap_or(f64::INFINITY);
    let mut all: Vec<Trace> = traces.into_iter().filter(|trace| trace.best().is_some()).collect();
    all.sort_by(|a, b| depth(a).total_cmp(&depth(b)));
    let mut kept: Vec<Trace> = Vec::new();
    for trace in all {
        let same = |other: &Trace| {
            (&other.context, other.machines, other.fresh) == (&trace.context, trace.machines, trace.fresh)
        };
        if !kept.iter().any(same) {
            kept.push(trace);
        }
    }
    kept
}

#[cfg(test)]
mod tests;
