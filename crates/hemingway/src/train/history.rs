//! What a job has done so far, folded from its journal: all that a decision may look at.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Compared, Decision, Purpose, Start};
use crate::backend::{Config, Ending, Frame, Rehearsal, Script};
use crate::goal::Caps;
use crate::job::{Facts, JobSpec};
use crate::plan::Plan;
use crate::record::Record;
use crate::record::journal::Event;
use crate::standing::Standing;

/// Rounds before a run can be said to creep, and to be stuck.
const LONG: u64 = 64;
const STUCK: u64 = 12;

/// Time and money used, probing included.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Spent {
    /// Everything since the job began; virtual on a simulated cluster.
    pub wall_seconds: f64,
    /// Its part spent in probes.
    pub probe_seconds: f64,
    /// Machines × time × price, where there is a price.
    pub dollars: Option<f64>,
}

/// One frame that has ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Past {
    /// The frame.
    pub frame: Frame,
    /// What it was for.
    pub purpose: Purpose,
    /// Why it ended.
    pub ending: Ending,
}

/// The state of a job.
#[derive(Debug, Clone)]
pub struct History {
    /// The name of the run directory; runs within it are numbered.
    pub id: String,
    /// What was asked.
    pub spec: JobSpec,
    /// What is known about the job.
    pub facts: Facts,
    /// Every round seen.
    pub records: Vec<Record>,
    /// Where training stands.
    pub standing: Standing,
    /// What has been used.
    pub spent: Spent,
    /// Frames that have ended.
    pub past: Vec<Past>,
    /// The frame decided on and not yet ended.
    pub open: Option<(Frame, Purpose, Start)>,
    /// How algorithms did on a few rows.
    pub rehearsals: Vec<Rehearsal>,
    /// What is to be rehearsed and was not yet.
    pub script: Option<Script>,
    /// Every decision so far.
    pub decisions: Vec<Decision>,
    /// The clusters that this one was chosen among.
    pub compared: Vec<Compared>,
}

impl History {
    /// A job that has done nothing yet.
    pub fn new(id: impl Into<String>, spec: JobSpec, facts: Facts) -> Self {
        Self {
            id: id.into(),
            standing: Standing::new(facts.loss, facts.l1, facts.lore.traits.l2).of_convex(facts.factors.is_none()),
            spec,
            facts,
            records: Vec::new(),
            spent: Spent::default(),
            past: Vec::new(),
            open: None,
            rehearsals: Vec::new(),
            script: None,
            decisions: Vec::new(),
            compared: Vec::new(),
        }
    }

    /// Takes one more event into account.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::Started { .. } | Event::Finished { .. } => {}
            Event::Resumed { caps, .. } => self.reopen(*caps),
            Event::Compared { clusters, caps, .. } => self.carry_out(clusters, *caps),
            Event::Decided { decision, spent } => self.decide(decision, *spent),
            Event::Round { record } => self.see(record),
            Event::FrameEnded { ending, spent, .. } => self.end_frame(*ending, *spent),
            Event::Rehearsed { rehearsals, spent } => self.rehearse(rehearsals, *spent),
        }
    }

    fn decide(&mut self, decision: &Decision, spent: Spent) {
        self.spent = spent;
        self.decisions.push(decision.clone());
        match decision {
            Decision::Run { frame, purpose, start, .. } => {
                self.open = Some((frame.clone(), *purpose, start.clone()));
            }
            Decision::Rehearse { script, .. } => self.script = Some(script.clone()),
            Decision::Stop { .. } => {}
        }
    }

    fn rehearse(&mut self, rehearsals: &[Rehearsal], spent: Spent) {
        self.spent = spent;
        self.script = None;
        self.rehearsals.extend_from_slice(rehearsals);
    }

    fn see(&mut self, record: &Record) {
        self.standing.see(record);
        self.records.push(record.clone());
    }

    fn end_frame(&mut self, ending: Ending, spent: Spent) {
        self.spent = spent;
        if let Some((frame, purpose, _)) = self.open.take() {
            self.past.push(Past { frame, purpose, ending });
        }
    }

    /// A frame that the user interrupted goes on; under other caps also one that they ended.
    fn reopen(&mut self, caps: Option<Caps>) {
        self.spec.caps = caps.unwrap_or(self.spec.caps);
        let Some(past) = self.past.pop_if(|past| past.ending.can_go_on(caps.is_some())) else { return };
        let start = self.decisions.iter().rev().find_map(|decision| match decision {
            Decision::Run { start, .. } => Some(start.clone()),
            Decision::Rehearse { .. } | Decision::Stop { .. } => None,
        });
        self.open = Some((past.frame, past.purpose, start.unwrap_or(Start::Fresh)));
    }

    /// The plan that the job ends with, if that is how it ends.
    pub fn proposal(&self) -> Option<&Plan> {
        match self.decisions.last()? {
            Decision::Stop { plan, .. } => plan.as_ref(),
            Decision::Run { .. } | Decision::Rehearse { .. } => None,
        }
    }

    /// The newest record of a run.
    pub fn last_of(&self, run: &str) -> Option<&Record> {
        self.records.iter().rev().find(|record| record.run == run)
    }

    /// Rounds that a run has made itself, without those of one whose model it took up.
    pub fn rounds_of(&self, run: &str) -> u64 {
        let first = self.records.iter().find(|record| record.run == run);
        first.zip(self.last_of(run)).map_or(0, |(first, last)| last.round.saturating_sub(first.round))
    }

    /// The run of this algorithm that has got furthest, with its objective. A run that another algorithm has taken over
    /// is no longer its own.
    pub fn furthest(&self, algorithm: &str) -> Option<(&str, f64)> {
        let mut runs: Vec<(&str, bool, f64)> = Vec::new();
        for record in &self.records {
            let own = record.algorithm == algorithm;
            let objective = if own && record.objective.is_finite() { record.objective } else { f64::INFINITY };
            match runs.iter_mut().find(|run| run.0 == record.run) {
                Some(run) => (run.1, run.2) = (own, run.2.min(objective)),
                None => runs.push((&record.run, own, objective)),
            }
        }
        let usable = runs.into_iter().filter(|run| run.1 && run.2.is_finite());
        usable.map(|run| (run.0, run.2)).min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Rounds of the longest probe of a configuration.
    pub fn probed(&self, config: &Config) -> u64 {
        let probes = self.past.iter().filter(|past| past.purpose == Purpose::Probe && past.frame.config == *config);
        probes.map(|past| past.frame.until_round.saturating_sub(past.frame.from_round)).max().unwrap_or(0)
    }

    /// The run that holds the best model.
    pub fn best_run(&self) -> Option<&str> {
        let finite = self.records.iter().filter(|r| r.objective.is_finite());
        finite.min_by(|a, b| a.objective.total_cmp(&b.objective)).map(|r| r.run.as_str())
    }

    /// The lowest objective of a run.
    pub fn lowest(&self, run: &str) -> Option<f64> {
        let own = self.records.iter().filter(|record| record.run == run && record.objective.is_finite());
        own.map(|record| record.objective).min_by(f64::total_cmp)
    }

    /// Seconds it took to deal the rows when a run went on from a round.
    pub fn loaded(&self, run: &str, from_round: u64) -> f64 {
        let own = || self.records.iter().filter(|record| record.run == run);
        // A run that begins, or takes up another's model, has paid by its first record.
        let before = own().skip(1).take_while(|record| record.round <= from_round).last();
        let after = own().find(|record| record.round > from_round);
        let seconds = |record: Option<&Record>| record.map_or(0.0, |record| record.load_seconds);
        (seconds(after) - seconds(before)).max(0.0)
    }

    /// A name for the next run that starts from nothing or adopts a model.
    pub fn next_run(&self) -> String {
        let begun = self
            .decisions
            .iter()
            .filter(|d| matches!(d, Decision::Run { start: Start::Fresh | Start::Adopt { .. }, .. }));
        format!("{}.{}", self.id, begun.count() + 1)
    }

    /// Whether this algorithm is no use any more: it ran away, stands still, or creeps.
    pub fn is_dead(&self, algorithm: &str) -> bool {
        let dead = |past: &Past| matches!(past.ending, Ending::Diverged | Ending::Stalled);
        self.past.iter().any(|past| past.frame.config.algorithm == algorithm && dead(past))
            || self.furthest(algorithm).is_some_and(|(run, _)| self.creeps(run))
    }

    /// Whether an algorithm's run has found nothing better in the last three quarters of its rounds.
    pub fn is_stuck(&self, algorithm: &str) -> bool {
        let Some((run, lowest)) = self.furthest(algorithm) else { return false };
        let own = || self.records.iter().filter(|record| record.run == run);
        let fell = own().find(|record| record.objective == lowest).map_or(0, |record| record.round);
        own().next_back().is_some_and(|last| last.round >= STUCK && fell <= last.round / 4)
    }

    /// The smallest P − L of a run up to a quarter of its rounds, up to half of them, and up to now.
    fn gaps(&self, run: &str, rounds: u64) -> [f64; 3] {
        let mut best = f64::INFINITY;
        let mut gaps = [f64::INFINITY; 3];
        for record in self.records.iter().filter(|record| record.run == run) {
            best = best.min(record.objective);
            let gap = best - record.lower_bound.unwrap_or(0.0);
            let until = [rounds / 4, rounds / 2, rounds];
            gaps.iter_mut().zip(until).filter(|(_, until)| record.round <= *until).for_each(|(g, _)| *g = g.min(gap));
        }
        gaps
    }

    /// Whether the second half of a run has brought objective and bound together by less than a tenth of the error that
    /// is asked for, and by no more than the quarter before it. Even a rate of 1/√i gains four tenths of the error it has
    /// left: such a run is at its floor, or where no claim can be made of it. One whose gains still grow has only begun: a
    /// dual bound rises from nothing, and rises slowly where λ₂ is small.
    pub fn creeps(&self, run: &str) -> bool {
        let Some(last) = self.last_of(run).filter(|last| last.round >= LONG) else { return false };
        if self.spec.goal.is_budget() {
            return false;
        }
        let [quarter, half, now] = self.gaps(run, last.round);
        let (earlier, later) = (quarter - half, half - now);
        let enough = 0.1 * self.spec.goal.planning_error() * self.lowest(run).unwrap_or(f64::INFINITY).abs();
        later < enough && later <= earlier
    }

    /// Caps and goal together.
    pub fn caps(&self) -> Caps {
        self.spec.caps.with_goal(&self.spec.goal)
    }

    /// Seconds that remain, where limited.
    pub fn seconds_left(&self) -> Option<f64> {
        self.caps().seconds.map(|cap| (cap - self.spent.wall_seconds).max(0.0))
    }

    /// Dollars that remain, where limited.
    pub fn dollars_left(&self) -> Option<f64> {
        self.caps().dollars.map(|cap| (cap - self.spent.dollars.unwrap_or(0.0)).max(0.0))
    }

    /// Seconds of the evaluation that was seen last.
    pub fn evaluation_seconds(&self) -> f64 {
        self.last_evaluation().map_or(0.0, |(seconds, _)| seconds)
    }

    /// What evaluating adds to every round, where not all are evaluated too.
    pub fn evaluation_per_round(&self) -> f64 {
        self.last_evaluation().map_or(0.0, |(seconds, rounds)| seconds / rounds.max(1) as f64)
    }

    /// Seconds of the evaluation that was seen last, and rounds since the one before.
    fn last_evaluation(&self) -> Option<(f64, u64)> {
        let (last, before) = self.records.split_last()?;
        let before = before.iter().rev().find(|record| record.run == last.run);
        let (seconds, round) = before.map_or((0.0, 0), |before| (before.eval_seconds, before.round));
        Some(((last.eval_seconds - seconds).max(0.0), last.round.saturating_sub(round)))
    }

    /// Seconds of all evaluations together, those of rehearsals among them.
    pub fn evaluating_seconds(&self) -> f64 {
        let mut runs: BTreeMap<&str, f64> = BTreeMap::new();
        for record in &self.records {
            runs.insert(&record.run, record.eval_seconds);
        }
        runs.values().sum::<f64>() + self.rehearsals.iter().map(|one| one.eval_seconds).sum::<f64>()
    }

    /// Seconds for which so many machines can go on, by time or by money, where either is limited.
    pub fn seconds_left_on(&self, machines: usize) -> Option<f64> {
        let price = self.facts.price_per_hour.map(|price| price * machines as f64 / 3600.0);
        let by_money = self.dollars_left().zip(price).map(|(left, price)| left / price);
        [self.seconds_left(), by_money].into_iter().flatten().reduce(f64::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::policy;

    #[test]
    fn rows_that_moved_are_paid_for_by_who_moved_them() {
        let mut history = policy::tests::made_up();
        // A run that goes on elsewhere after its third round, and one that takes up its model there.
        let records = [("a", 0, 1.0), ("a", 3, 1.0), ("a", 4, 3.0), ("b", 4, 0.5), ("b", 5, 0.5)];
        history.records = records
            .map(|(run, round, load_seconds)| Record { run: run.into(), round, load_seconds, ..Record::default() })
            .into();
        assert_eq!([history.loaded("a", 0), history.loaded("a", 3), history.loaded("b", 4)], [1.0, 2.0, 0.5]);
        assert_eq!([history.rounds_of("a"), history.rounds_of("b"), history.rounds_of("c")], [4, 1, 0]);
    }
}
