//! The one wish of a job.

use clap::Args;
use hemingway::goal::Goal;

use super::value;
use crate::commands::exit::Usage;

/// Exactly one of these.
#[derive(Debug, Args)]
#[command(next_help_heading = "Goal (exactly one)")]
pub(crate) struct GoalArgs {
    /// Relative error (P − P*)/P* at most ε, as fast as possible; 1e-3 is 0.1 % above the least objective P* there is
    #[arg(long, value_name = "ε", group = "goal", value_parser = value::number, allow_negative_numbers = true)]
    pub(crate) reach: Option<f64>,
    /// With --reach: stop on a proof, not on an estimate [default: off]
    #[arg(long)]
    pub(crate) certified: bool,
    /// The lowest objective within this time: 60, 60s, 5m, 1h30m
    #[arg(long, value_name = "T", group = "goal", value_parser = value::seconds, allow_negative_numbers = true)]
    pub(crate) within: Option<f64>,
    /// The lowest objective for this much money: 2 or '$2'; needs a cluster with a price
    #[arg(long, value_name = "$", group = "goal", value_parser = value::dollars, allow_negative_numbers = true)]
    pub(crate) spend: Option<f64>,
    /// A measure as fast as possible: accuracy=0.97, rmse=0.2; on the --test set, or as records hold it
    #[arg(long, value_name = "M=V", group = "goal", value_parser = value::metric_goal)]
    pub(crate) reach_metric: Option<Goal>,
}

impl GoalArgs {
    /// The wish, if one was given.
    pub(crate) fn goal(&self) -> anyhow::Result<Option<Goal>> {
        // The parser lets this pass where another goal makes --reach impossible.
        if self.certified && self.reach.is_none() {
            return Err(Usage::error("--certified says how to reach an error: it needs --reach ε"));
        }
        let reach = self.reach.map(|error| Goal::Reach { error, certified: self.certified });
        let within = self.within.map(|seconds| Goal::Within { seconds });
        let spend = self.spend.map(|dollars| Goal::Spend { dollars });
        Ok(reach.or(within).or(spend).or_else(|| self.reach_metric.clone()))
    }
}
