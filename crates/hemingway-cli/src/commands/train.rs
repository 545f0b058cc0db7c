//! `train`: probe, choose, train, adapt.

use std::time::Instant;

use anyhow::Result;
use hemingway::goal::Goal;
use hemingway::job::{JobSpec, Mode};

use super::exit::{self, Usage};
use crate::args::TrainArgs;
use crate::jobs;
use crate::output::{Manners, Output};

/// Chooses and trains, or goes on with it.
pub(super) fn train(args: &TrainArgs, out: &mut dyn Output, began: Instant) -> Result<u8> {
    let manners = Manners { ask: !args.choice.yes, all: args.choice.all };
    let outcome = match &args.keep.resume {
        Some(run) => jobs::resume(run, &args.keep, &args.limits, manners, out, began)?,
        None => {
            let spec = spec(args, false)?;
            // A clock that runs while the user thinks would eat the time asked for.
            let hurried = spec.cluster.is_none() && spec.caps.with_goal(&spec.goal).seconds.is_some();
            let manners = Manners { ask: manners.ask && !hurried, ..manners };
            jobs::start(spec, &args.keep, manners, out, began)?
        }
    };
    out.answer(&outcome)?;
    Ok(exit::of_ending(outcome.summary.ending))
}

/// The job that the flags of `train` and `plan` state.
pub(super) fn spec(args: &TrainArgs, plan_only: bool) -> Result<JobSpec> {
    let data = jobs::the_data(&args.data)?;
    let goal = goal(args.goal.goal()?)?;
    let mode = Mode::Choose { adapt: !args.choice.fixed, plan_only };
    let spec = jobs::spec(data, goal, mode, &args.problem, &args.place, &args.limits, &args.keep)?;
    let (machines, algorithms) = (args.choice.machines, args.choice.algorithms.clone());
    Ok(JobSpec { machines, algorithms, forget: args.choice.forget, ..spec })
}

/// The goal, which must be there.
pub(super) fn goal(goal: Option<Goal>) -> Result<Goal> {
    let words =
        "the goal is missing: exactly one of --reach ε [--certified], --within T, --spend $, --reach-metric M=V";
    goal.ok_or_else(|| Usage::error(words))
}
