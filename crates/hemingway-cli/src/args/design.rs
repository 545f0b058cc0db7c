//! The flags of `design`.

use clap::{Args, ValueEnum};

use super::{GoalArgs, RecordArgs, value};

/// `design`.
#[derive(Debug, Args)]
#[command(mut_arg("records", |records| records.required(false)))]
pub(crate) struct DesignArgs {
    #[command(flatten)]
    pub(crate) records: RecordArgs,
    #[command(flatten)]
    pub(crate) goal: GoalArgs,
    /// Fewest and most machines [default: with records 1 to 4 times the most seen; else all of the cluster]
    #[arg(long, value_name = "A..B", value_parser = value::machines)]
    pub(crate) machines: Option<(usize, usize)>,
    /// What is to be spared [default: time]
    #[arg(long, value_name = "WHAT", value_enum)]
    pub(crate) cost: Option<CostArg>,
    /// Dollars an hour for a machine [default: the cluster's]
    #[arg(long, value_name = "$", value_parser = value::dollars)]
    pub(crate) price: Option<f64>,
    /// Every probe considered, not the best of each of 10 configurations [default: off]
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) runs: FirstRunArgs,
}

/// What to choose the first runs from.
#[derive(Debug, Args)]
#[command(next_help_heading = "Without records: the first runs")]
pub(crate) struct FirstRunArgs {
    /// Cores of a machine; each gets at least one part of the data [default: the cluster's, or 1]
    #[arg(long, value_name = "C", value_parser = value::whole::<usize>)]
    pub(crate) cores: Option<usize>,
    /// Fewest and most parts of a sample of the data [default: a part for every core of the fewest and most machines]
    #[arg(long, value_name = "A..B", value_parser = value::machines)]
    pub(crate) parts: Option<(usize, usize)>,
    /// Parts of all the data [default: 8 times the most of a sample]
    #[arg(long, value_name = "N", value_parser = value::whole::<usize>)]
    pub(crate) total_parts: Option<usize>,
    /// How many sizes of samples to try [default: 20]
    #[arg(long, value_name = "N", value_parser = value::whole::<usize>)]
    pub(crate) steps: Option<usize>,
    /// What all runs together may cost [default: 10 smallest runs]
    #[arg(long, value_name = "X", value_parser = value::number)]
    pub(crate) budget: Option<f64>,
    /// Time of the smallest sample on one machine, if known [default: 1, so that costs count in such runs]
    #[arg(long, value_name = "T", value_parser = value::seconds)]
    pub(crate) smallest_run: Option<f64>,
}

impl FirstRunArgs {
    /// The first flag given, if any.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let flags = [
            ("--cores", self.cores.is_some()),
            ("--parts", self.parts.is_some()),
            ("--total-parts", self.total_parts.is_some()),
            ("--steps", self.steps.is_some()),
            ("--budget", self.budget.is_some()),
            ("--smallest-run", self.smallest_run.is_some()),
        ];
        flags.into_iter().find_map(|(flag, given)| given.then_some(flag))
    }
}

/// What is to be spared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CostArg {
    /// Time: many machines cost no more than one
    Time,
    /// Time on every machine
    MachineSeconds,
    /// Money
    Dollars,
}
