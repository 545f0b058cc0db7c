//! `run`: the algorithm and machines the user names.

use std::time::Instant;

use anyhow::Result;
use hemingway::backend::Config;
use hemingway::goal::Goal;
use hemingway::job::{JobSpec, Mode};

use super::exit::{self, Usage};
use crate::args::RunArgs;
use crate::output::{Manners, Output};
use crate::{clusters, jobs};

/// Where training ends if the user does not say.
const DEFAULT_GOAL: Goal = Goal::Reach { error: 1e-3, certified: false };

/// Runs one configuration, or goes on with it.
pub(super) fn run(args: &RunArgs, out: &mut dyn Output, began: Instant) -> Result<u8> {
    let manners = Manners { ask: false, all: false, table: true };
    let outcome = match &args.keep.resume {
        Some(run) => jobs::resume(run, &args.keep, &args.limits, manners, out, began)?,
        None => {
            let (Some(algorithm), Some(machines)) = (&args.algorithm, args.machines) else {
                return Err(Usage::error("--algorithm and --machines are needed"));
            };
            let mut config = Config::new(algorithm, machines);
            config.schedule = args.schedule.unwrap_or(config.schedule);
            let mode = Mode::Fixed(config);
            let rounds = args.rounds.map(|rounds| Goal::Rounds { rounds });
            let goal = args.goal.goal()?.or(rounds).unwrap_or(DEFAULT_GOAL);
            let data = jobs::the_data(&args.data)?;
            let cluster = clusters::find(&args.place.cluster)?;
            let spec = jobs::spec(data, goal, mode, &args.problem, cluster, &args.limits, &args.keep)?;
            args.exchange.check_place(std::slice::from_ref(&args.place.cluster))?;
            let spec = JobSpec { fraction: args.fraction, sync: args.exchange.spec()?, ..spec };
            jobs::start(spec, &args.keep, manners, out, began)?.on(&args.place.cluster)
        }
    };
    out.answer(&outcome)?;
    Ok(exit::of_ending(outcome.summary.ending))
}
