//! The probes that could be made, what each costs and what it would reveal.

use super::super::{ContextModel, Reach, RunModel};
use super::belief::Belief;
use super::decision::{Options, Trial};
use super::outlook::Lesson;
use super::worlds::fading;
use crate::goal::Goal;
use crate::plan::{Question, plan};
use crate::record::Trace;

/// Rounds of the shortest probe, and how many times longer each further one is.
const SHORTEST: u64 = 10;
const LONGER: u64 = 3;
/// Shares of the data closer than this are the same.
const SAME_SIZE: f64 = 1e-3;

/// Probes of every candidate.
pub(super) struct Trials<'a> {
    pub(super) model: &'a RunModel,
    pub(super) question: &'a Question<'a>,
    pub(super) options: &'a Options<'a>,
    pub(super) beliefs: &'a [Belief],
    /// The choice as things stand.
    pub(super) now: &'a Belief,
}

impl Trials<'_> {
    /// The probes of one candidate that would reveal anything: of all data, ever longer up to the goal itself; and a
    /// short one of the smallest sample where there are samples, which tells of f alone.
    pub(super) fn at(&self, place: usize, belief: &Belief) -> Vec<(Trial, Lesson)> {
        let Some(context) = self.model.contexts.get(&belief.config.algorithm) else { return Vec::new() };
        let sample = context.system.as_ref().map_or(1.0, |system| system.fractions.0);
        let whole = self.lengths(context, belief).into_iter().map(|rounds| (rounds, 1.0));
        let sampled = Some((SHORTEST, sample)).filter(|_| sample < 1.0 - SAME_SIZE);
        let probe = |(rounds, fraction)| self.probe(context, place, belief, rounds, fraction);
        whole.chain(sampled).filter_map(probe).collect()
    }

    /// 10, 30, 90 … rounds, as long as that is short of the goal.
    fn lengths(&self, context: &ContextModel, belief: &Belief) -> Vec<u64> {
        let goal = context.rounds_to(self.target(belief), belief.config.machines).and_then(Reach::estimate);
        let most = goal.map_or(0.0, |rounds| rounds.mid) as u64;
        let rungs = std::iter::successors(Some(SHORTEST), |rounds| rounds.checked_mul(LONGER));
        rungs.take_while(|&rounds| rounds == SHORTEST || rounds < most).collect()
    }

    /// The error up to which g matters.
    fn target(&self, belief: &Belief) -> f64 {
        match self.question.goal {
            Goal::Within { .. } | Goal::Spend { .. } => belief.mid,
            goal => goal.planning_error(),
        }
    }

    fn probe(
        &self,
        context: &ContextModel,
        place: usize,
        belief: &Belief,
        rounds: u64,
        fraction: f64,
    ) -> Option<(Trial, Lesson)> {
        let machines = belief.config.machines;
        let whole = fraction > 1.0 - SAME_SIZE;
        let of_g = if whole { self.share_of_levels(context, belief, rounds) } else { 0.0 };
        let of_f = if self.is_timed(belief, fraction) { 0.0 } else { fading(fraction).powi(2) };
        if of_f + of_g <= 0.0 {
            return None;
        }
        let seconds = rounds as f64 * context.system.as_ref()?.seconds(machines, fraction).mid;
        let cost = self.price(seconds, machines);
        let trial = Trial { config: belief.config.clone(), fraction, rounds, seconds, cost, saves: 0.0 };
        let usable = self.usable_after(context, belief, whole);
        Some((trial, Lesson { place, teaches: [of_f, of_g], usable }))
    }

    /// Whether f is known there already: at this size, or at the full size that is asked about.
    fn is_timed(&self, belief: &Belief, fraction: f64) -> bool {
        self.options.traces.iter().any(|trace| {
            let same = |size: f64| (trace.fraction - size).abs() < SAME_SIZE;
            belongs(trace, belief) && (same(fraction) || same(1.0)) && !trace.round_seconds().is_empty()
        })
    }

    /// The share of the levels of ln error still ahead on this m that so many rounds pass.
    fn share_of_levels(&self, context: &ContextModel, belief: &Belief, rounds: u64) -> f64 {
        let seen = self.options.traces.iter().filter(|trace| trace.fresh && belongs(trace, belief));
        let seen = seen.filter(|trace| trace.fraction > 1.0 - SAME_SIZE).map(|trace| trace.last_round()).max();
        let level = |rounds: u64| {
            let error = context.error_after(rounds.max(1) as f64, belief.config.machines)?.mid;
            Some(error.max(f64::MIN_POSITIVE).ln())
        };
        let (Some(from), Some(to)) = (level(seen.unwrap_or(1)), level(rounds)) else { return 0.0 };
        let share = (from - to) / (from - self.target(belief).ln());
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Those usable now, and those between the probe and the m already timed.
    fn usable_after(&self, context: &ContextModel, probed: &Belief, whole: bool) -> Vec<usize> {
        let system = context.system.as_ref();
        let sized = whole || system.is_some_and(|system| system.fractions.1 > 1.0 - SAME_SIZE);
        let timed = || system.into_iter().flat_map(|system| system.machines.iter().copied());
        let own = probed.config.machines;
        let span = timed().fold(own, usize::min)..=timed().fold(own, usize::max);
        let opened = |belief: &Belief| sized && belief.same_context(probed) && span.contains(&belief.config.machines);
        let usable = self.beliefs.iter().enumerate().filter(|(_, belief)| belief.usable || opened(belief));
        usable.map(|(place, _)| place).collect()
    }

    /// What a probe costs in the unit of losses. From a budget it takes what the current choice would have made of it.
    fn price(&self, seconds: f64, machines: usize) -> f64 {
        let goal = self.question.goal;
        if !matches!(goal, Goal::Within { .. } | Goal::Spend { .. }) {
            return self.options.cost.of(machines, seconds);
        }
        let dollars = self.question.price_per_hour.map_or(0.0, |price| price * machines as f64 * seconds / 3600.0);
        let seconds_left = self.question.seconds_left.map(|left| left - seconds);
        let dollars_left = self.question.dollars_left.map(|left| left - dollars);
        if [seconds_left, dollars_left].into_iter().flatten().any(|left| left <= 0.0) {
            return f64::INFINITY;
        }
        let now = &self.now.config;
        let rest = Question {
            algorithms: vec![&now.algorithm],
            machines: &[now.machines],
            seconds_left,
            dollars_left,
            ..self.question.clone()
        };
        let promise = plan(self.model, &rest).candidates.first().and_then(|c| Belief::of(c, goal, self.options.cost));
        promise.map_or(f64::INFINITY, |promise| (promise.mid - self.now.mid).max(0.0))
    }
}

fn belongs(trace: &Trace, belief: &Belief) -> bool {
    trace.context == belief.config.algorithm && trace.machines == belief.config.machines
}
