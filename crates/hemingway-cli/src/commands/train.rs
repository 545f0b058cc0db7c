//! `train`: probe, choose, train, adapt.

use std::time::Instant;

use anyhow::Result;
use hemingway::Error;
use hemingway::cluster::Cluster;
use hemingway::goal::Goal;
use hemingway::job::{JobSpec, Mode};

use super::exit::{self, Usage};
use crate::args::TrainArgs;
use crate::clusters;
use crate::jobs::{self, Field};
use crate::output::{Manners, Output};

/// Chooses and trains, or goes on with it.
pub(super) fn train(args: &TrainArgs, out: &mut dyn Output, began: Instant) -> Result<u8> {
    if let Some(points) = args.path.path {
        return super::path::path(args, points, out, began);
    }
    let manners = Manners { ask: !args.choice.yes, all: args.choice.all, table: true };
    let outcome = match (&args.keep.resume, &args.places.cluster[..]) {
        (Some(run), _) => jobs::resume(run, &args.keep, &args.limits, manners, out, began)?,
        (None, [cluster]) => {
            let spec = spec(args, clusters::find(cluster)?, false)?;
            // A clock that runs while the user thinks would eat the time asked for.
            let hurried = spec.cluster.is_none() && spec.caps.with_goal(&spec.goal).seconds.is_some();
            let manners = Manners { ask: manners.ask && !hurried, ..manners };
            jobs::start(spec, &args.keep, manners, out, began)?
        }
        (None, _) => field(args, manners, began)?.train(out)?,
    };
    out.answer(&outcome)?;
    Ok(exit::of_ending(outcome.summary.ending))
}

/// The plans that the flags of `train` and `plan` ask for on several clusters.
pub(super) fn field(args: &TrainArgs, manners: Manners, began: Instant) -> Result<Field<'_>> {
    let mut specs = Vec::new();
    for (file, cluster) in clusters::several(&args.places.cluster)? {
        suits(args, file, &cluster)?;
        specs.push(spec(args, Some(cluster), true)?);
    }
    Ok(Field { specs, keep: &args.keep, manners: Manners { table: false, ..manners }, began })
}

/// Refuses a cluster that has not what is asked of all, before anything runs on another.
fn suits(args: &TrainArgs, file: &str, cluster: &Cluster) -> Result<()> {
    let asks_price = args.goal.spend.is_some() || args.limits.max_cost.is_some();
    if asks_price && cluster.price_per_hour <= 0.0 {
        return Err(Error::setting("--cluster", format!("{file}: {}", clusters::unpriced(Some(cluster)))).into());
    }
    if let Some((_, most)) = args.choice.machines.filter(|(_, most)| *most > cluster.machines) {
        let what = format!("{most} machines asked of every cluster, but {file} has {}", cluster.machines);
        return Err(Error::setting("--machines", what).into());
    }
    Ok(())
}

/// The job that the flags of `train` and `plan` state for this cluster.
pub(super) fn spec(args: &TrainArgs, cluster: Option<Cluster>, plan_only: bool) -> Result<JobSpec> {
    let data = jobs::the_data(&args.data)?;
    let goal = goal(args.goal.goal()?)?;
    let mode = Mode::Choose { adapt: !args.choice.fixed, plan_only };
    let spec = jobs::spec(data, goal, mode, &args.problem, cluster, &args.limits, &args.keep)?;
    let (machines, algorithms) = (args.choice.machines, args.choice.algorithms.clone());
    args.rounds.check_place(&args.places.cluster)?;
    let sync = args.rounds.spec()?;
    Ok(JobSpec { machines, algorithms, sync, forget: args.choice.forget, ..spec })
}

/// The goal, which must be there.
pub(super) fn goal(goal: Option<Goal>) -> Result<Goal> {
    let words =
        "the goal is missing: exactly one of --reach ε [--certified], --within T, --spend $, --reach-metric M=V";
    goal.ok_or_else(|| Usage::error(words))
}
