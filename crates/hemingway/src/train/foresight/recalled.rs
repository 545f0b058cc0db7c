//! What remembered runs leave to be found out.

use std::collections::BTreeMap;

use super::{Foresight, Prospect, World};
use crate::goal::Goal;

/// A remembered run that came so near the goal in ln error came to it: its error is only estimated.
const NEARLY: f64 = 0.7;

impl Foresight<'_> {
    /// The least among algorithms that are known to come to the goal.
    pub(in crate::train) fn best_proven(&self) -> Option<&Prospect> {
        let proven = self.prospects.iter().filter(|prospect| self.is_proven(prospect));
        proven.min_by(|a, b| a.cost().total_cmp(&b.cost()))
    }

    /// Whether its algorithm has run on this problem: in this job, or in one that is remembered, where those that came to
    /// the goal stand before those that were left.
    pub(in crate::train) fn has_seen(&self, prospect: &Prospect) -> bool {
        let recalled = |name: &str| self.history.facts.lore.traces.iter().any(|trace| trace.context == name);
        let name = &prospect.config.algorithm;
        !prospect.is_unseen() || if self.proven.is_empty() { recalled(name) } else { self.is_proven(prospect) }
    }

    /// Whether a remembered run of its algorithm came to the goal.
    pub(in crate::train) fn is_proven(&self, prospect: &Prospect) -> bool {
        self.proven.contains(&prospect.config.algorithm)
    }

    /// Whether remembered runs came to the goal, but not with its algorithm.
    pub(in crate::train) fn was_left(&self, prospect: &Prospect) -> bool {
        !self.proven.is_empty() && !self.has_seen(prospect)
    }

    /// Whether there is anything to find out about it that could matter. Once a run is remembered that came to the goal,
    /// only what its rounds take on this cluster is.
    pub(in crate::train) fn is_open(&self, prospect: &Prospect) -> bool {
        let here = || !self.arrived(&self.history.facts.lore.errors_here).is_empty();
        self.proven.is_empty() || (self.is_proven(prospect) && !self.covers(prospect.config.machines) && !here())
    }

    /// Algorithms that may be chosen and came to the goal in remembered runs, wherever.
    pub(super) fn proven(&self) -> Vec<String> {
        self.arrived(&self.history.facts.lore.errors)
    }

    /// What is remembered is estimated: it proves nothing to who asks for a proof.
    fn arrived(&self, errors: &BTreeMap<String, f64>) -> Vec<String> {
        let history = self.history;
        let asks_proof = matches!(history.spec.goal, Goal::Reach { certified: true, .. });
        let is_there = |world: &World, error: f64| world.start().0 - error.ln() > self.asked(world) - NEARLY;
        let near = |error: f64| !asks_proof && self.likeliest().is_some_and(|world| is_there(world, error));
        let usable = |name: &&String| history.facts.algorithms.contains(name) && !history.is_dead(name);
        let near = errors.iter().filter(|(_, error)| near(**error));
        near.map(|(name, _)| name).filter(usable).cloned().collect()
    }

    /// Whether its algorithm has run, and rounds on its machines were timed.
    pub(in crate::train) fn has_tried(&self, prospect: &Prospect) -> bool {
        self.has_seen(prospect) && self.covers(prospect.config.machines)
    }

    /// X that a remembered run of this very configuration came to.
    pub(super) fn recalled_depth(&self, world: &World, name: &str, machines: usize) -> Option<f64> {
        let recalled = self.history.facts.lore.traces.iter();
        let mut same = recalled.filter(|trace| trace.fresh && trace.context == name && trace.machines == machines);
        world.depth(same.next()?.best()?)
    }
}
