//! What follows a switch of algorithm or machines: convergence has memory, so that a run does not simply go on along the
//! new configuration's curve from the error it had.
//!
//! A switch at error e first moves the error to e′ = e·(e₀/e)^s, with e₀ the error at the start and s the share of the
//! progress that is lost: 0 if the model is all there is to take over, 1 if it is as good as a new start. From e′ on the
//! new curve is followed at a pace of its own: i = p·(1 + i_ε(m′) − i_e′(m′)). With s = 0 and p = 1 this is the
//! level-set shift.

mod observe;
mod shrink;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::estimate::HALF_WIDTH;
use super::{ConvergenceModel, Estimate, Reach, RunModel};
use crate::Result;
use crate::record::Trace;
use observe::{Seen, observe};
pub use shrink::Belief;

/// A change of configuration in the middle of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Switch<'a> {
    /// The context before.
    pub from: &'a str,
    /// The context after.
    pub to: &'a str,
    /// The machines before.
    pub machines: usize,
    /// The relative error at which it happens.
    pub error: f64,
}

/// What a switch does to a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// s: the share of the progress, in ln error since the start, that is lost; below 0 if the first round gains.
    pub lost: Belief,
    /// ln p: by how much the rounds to go differ from those of the new configuration's own curve.
    pub pace: Belief,
}

/// The constants were settled on the switches of `eval_switch`.
impl Effect {
    /// The same algorithm on other machines, with everything it remembers.
    pub const RESIZE: Self = Self { lost: Belief::new(0.0, 0.15), pace: Belief::new(0.0, 0.3) };
    /// Adopting a model where nothing is known of the algorithm that does.
    pub const ADOPT: Self = Self { lost: Belief::new(0.4, 0.5), pace: Belief::new(0.0, 0.8) };
    /// Adopting a model that is all the algorithm needs.
    pub const KEEP: Self = Self { lost: Belief::new(-0.05, 0.25), pace: Belief::new(0.1, 0.5) };
    /// Adopting a model by an algorithm that has to build up state of its own, such as duals.
    pub const REBUILD: Self = Self { lost: Belief::new(0.9, 0.25), pace: Belief::new(0.0, 0.35) };
    /// Adopting a model by an algorithm whose steps start over, too long at first but also unworn.
    pub const RESTART: Self = Self { lost: Belief::new(0.45, 0.3), pace: Belief::new(-2.3, 0.8) };

    /// Moved by what was seen. The switches of another problem are alike: together they count as one.
    fn shrunk(self, seen: &[&Seen], problem: &str) -> Self {
        let weight = |one: &Seen| {
            let alike = seen.iter().filter(|other| other.problem == one.problem).count();
            if one.problem == problem { 1.0 } else { 1.0 / alike as f64 }
        };
        let lost = seen.iter().map(|seen| (seen.lost, weight(seen)));
        let pace = seen.iter().filter_map(|seen| Some((seen.pace?, weight(seen))));
        Self { lost: self.lost.shrunk(lost), pace: self.pace.shrunk(pace) }
    }
}

/// What is believed of switches before any is seen. Only a caller knows what its algorithms remember.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Priors {
    /// Other machines.
    pub resize: Effect,
    /// Another algorithm of which nothing is told.
    pub adopt: Effect,
    /// Another algorithm, by its context.
    pub into: BTreeMap<String, Effect>,
}

impl Default for Priors {
    fn default() -> Self {
        Self { resize: Effect::RESIZE, adopt: Effect::ADOPT, into: BTreeMap::new() }
    }
}

/// What the switches on record teach about the next.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SwitchModel {
    problem: String,
    priors: Priors,
    seen: Vec<Seen>,
}

impl SwitchModel {
    /// Learns from every stretch that follows another of its run, against the curves of a model of the same problem.
    pub fn fit(traces: &[Trace], model: &RunModel) -> Self {
        Self { problem: model.problem.clone(), priors: Priors::default(), seen: observe(traces, model) }
    }

    /// The same with what the caller knows of its algorithms.
    pub fn with_priors(self, priors: Priors) -> Self {
        Self { priors, ..self }
    }

    /// Adds what another problem taught: shares and paces have no unit.
    pub fn join(&mut self, other: &Self) {
        self.seen.extend_from_slice(&other.seen);
    }

    /// How many switches it has seen.
    pub fn count(&self) -> usize {
        self.seen.len()
    }

    /// What such a switch is expected to do: what was seen of the very same, shrunk towards what was seen of all switches
    /// into that context, shrunk towards what was believed before.
    pub fn effect(&self, after: &Switch<'_>, machines: usize) -> Effect {
        let resizes = after.from == after.to;
        let prior = self.priors.into.get(after.to).unwrap_or(&self.priors.adopt);
        let prior = if resizes { self.priors.resize } else { *prior };
        let into = |seen: &&Seen| seen.to == after.to && (seen.from == seen.to) == resizes;
        let mut seen: Vec<&Seen> = self.seen.iter().filter(into).collect();
        let alike = prior.shrunk(&seen, &self.problem);
        let grows = machines > after.machines;
        seen.retain(|seen| seen.from == after.from && (!resizes || seen.grows == grows));
        alike.shrunk(&seen, &self.problem)
    }

    /// Rounds from the switch to ε on so many machines after it; `None` without objectives.
    pub fn rounds_to(
        &self,
        model: &RunModel,
        error: f64,
        machines: usize,
        after: &Switch<'_>,
    ) -> Result<Option<Reach>> {
        let curve = model.context(after.to)?.convergence.as_ref();
        let start = model.bracket.and_then(|bracket| bracket.error(bracket.start));
        let Some((curve, start)) = curve.zip(start) else { return Ok(None) };
        let Reach::At(whole) = curve.rounds_to(error, machines) else { return Ok(Some(Reach::Never)) };
        let Effect { lost, pace } = self.effect(after, machines);
        let rounds = |sides: f64| {
            let from = jumped(after.error, start, lost.mean + sides * HALF_WIDTH * lost.deviation);
            along(curve, machines, from, whole.mid)
        };
        let path =
            Estimate { low: rounds(-1.0), mid: rounds(0.0), high: rounds(1.0), extrapolated: whole.extrapolated };
        let paced = path.times(Estimate::log_normal(pace.mean.exp(), pace.deviation, false));
        Ok(Some(Reach::At(at_least_one(paced.times(relative(whole))))))
    }
}

/// e′ = e·(e₀/e)^s.
fn jumped(error: f64, start: f64, lost: f64) -> f64 {
    error * (start / error).max(1.0).powf(lost)
}

/// 1 + i_ε − i_e′ of a curve, given i_ε: one round has passed when the error is e′.
fn along(curve: &ConvergenceModel, machines: usize, from: f64, rounds: f64) -> f64 {
    let before = curve.rounds_to(from, machines).estimate().map_or(0.0, |estimate| estimate.mid);
    1.0 + (rounds - before).max(0.0)
}

/// How sure an estimate is, as a factor around 1.
fn relative(estimate: Estimate) -> Estimate {
    let mid = estimate.mid.max(1.0);
    Estimate { low: estimate.low.max(1e-9) / mid, mid: 1.0, high: estimate.high.max(mid) / mid, ..estimate }
}

fn at_least_one(estimate: Estimate) -> Estimate {
    let [low, mid, high] = [estimate.low, estimate.mid.round(), estimate.high.ceil()].map(|rounds| rounds.max(1.0));
    Estimate { low, mid, high, ..estimate }
}

#[cfg(test)]
mod tests;
