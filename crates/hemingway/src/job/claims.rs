//! Whether an error can be reached, and known to be.

use super::JobSpec;
use crate::algorithm::{self, Support};
use crate::goal::Goal;
use crate::problem::{Loss, Problem};
use crate::{Error, Result};

impl JobSpec {
    /// What may keep an error from being reached, or from being known.
    pub(super) fn doubts(&self, problem: &Problem, algorithms: &[String]) -> Vec<String> {
        if !matches!(self.goal, Goal::Reach { .. }) {
            return Vec::new();
        }
        let penalty = &problem.penalty;
        let bottomless = (penalty.l1 == 0.0 && penalty.l2 == 0.0)
            .then(|| "without a penalty hardly anything bounds the optimum from below: errors that are not certified are estimates only".to_string());
        let near = |name: &&String| {
            algorithm::by_name(name).is_ok_and(|algorithm| algorithm.support(problem.loss) == Support::Approximate)
        };
        let nears = algorithms.iter().filter(near);
        let short = nears.map(|name| format!("{name} only comes near the optimum: it may never reach this error"));
        bottomless.into_iter().chain(short).collect()
    }
}

/// Refuses an error that nothing could ever show to be reached.
pub(super) fn check_claimable(goal: &Goal, problem: &Problem) -> Result<()> {
    let penalty = &problem.penalty;
    let bottomless = problem.loss == Loss::Absolute && penalty.l1 == 0.0 && penalty.l2 == 0.0;
    if !bottomless || !matches!(goal, Goal::Reach { .. }) {
        return Ok(());
    }
    let what = "with the absolute loss only a proof tells how far the optimum is, and without a penalty there is none: give --l2 \
                above 0, or ask for --within TIME";
    Err(Error::setting("--reach", what))
}

/// A model of zeros is learned as fast as any, and tells nothing.
pub(super) fn nothing_left(problem: &Problem) -> Option<String> {
    let l1 = problem.penalty.l1;
    let told = l1 > 0.0 && problem.classes.is_none();
    let least = told.then(|| problem.steepest()).filter(|least| l1 >= *least)?;
    Some(format!("λ₁ = {l1} leaves every coefficient at 0, as every λ₁ from {least:.3e} on does; take a smaller --l1"))
}
