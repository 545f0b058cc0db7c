//! Why a configuration was chosen, what came next, and what would have changed it: from the plan's own numbers.

mod change;
mod words;

use hemingway::backend::Config;
use hemingway::goal::Goal;
use hemingway::model::Estimate;
use hemingway::plan::{Candidate, Plan};

use super::{Chapter, Story};
pub(crate) use change::Change;

/// What was chosen, and against what.
pub(crate) struct Choice<'a> {
    /// What every candidate promised.
    pub(crate) plan: &'a Plan,
    /// What was taken.
    pub(crate) chosen: &'a Candidate,
    /// What would have made another choice better, the nearest first.
    pub(crate) changes: Vec<Change>,
    goal: &'a Goal,
}

impl<'a> Choice<'a> {
    pub(super) fn of(story: &'a Story, chapter: &'a Chapter) -> Option<Self> {
        let plan = chapter.plan()?;
        let chosen = match chapter.config() {
            Some(config) => plan.candidate(config)?,
            None => plan.choice()?,
        };
        let goal = &story.history.spec.goal;
        let changes = change::changes(story, plan, chosen);
        Some(Self { plan, chosen, changes, goal })
    }

    /// The best of the others that may be chosen and has the goal in sight.
    pub(crate) fn runner_up(&self) -> Option<&'a Candidate> {
        self.plan.best_but(&self.chosen.config).filter(|rival| rival.score(self.goal).is_finite())
    }

    /// How many times what the choice promises the runner-up does.
    pub(crate) fn lead(&self) -> Option<f64> {
        let ratio = self.runner_up()?.score(self.goal) / self.chosen.score(self.goal);
        Some(ratio).filter(|ratio| ratio.is_finite() && *ratio > 0.0)
    }
}

/// What a goal asks of a candidate: the error at the end of a budget, or the seconds to the goal.
fn promise(candidate: &Candidate, goal: &Goal) -> Option<Estimate> {
    match goal {
        Goal::Within { .. } | Goal::Spend { .. } => candidate.error_at_end,
        _ => candidate.seconds_to_go(),
    }
}

/// `8 machines`, `1 machine`.
fn machines(config: &Config) -> String {
    crate::show::number::counted(config.machines, "machine")
}
