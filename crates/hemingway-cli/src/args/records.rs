//! The flags of `fit` and `advise`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use hemingway::model::Method;
use hemingway::record::Metric;

use super::{GoalArgs, StoreArg, value};

/// `fit`.
#[derive(Debug, Args)]
pub(crate) struct FitArgs {
    #[command(flatten)]
    pub(crate) records: RecordArgs,
    /// Leave each number of machines out in turn and predict it from the others [default: off]
    #[arg(long)]
    pub(crate) cross_validate: bool,
    /// Relative errors to count rounds to
    #[arg(long, value_name = "ε,ε", value_delimiter = ',', value_parser = value::error, default_value = "1e-2,1e-3")]
    pub(crate) targets: Vec<f64>,
    /// Keep the models in this file, for `advise` [default: only print]
    #[arg(short, value_name = "FILE", conflicts_with = "cross_validate")]
    pub(crate) out: Option<PathBuf>,
    /// Draw fit against data: into one file if PATH ends in .svg, else into a folder, one file for each context
    /// [default: draw nothing]
    #[arg(long, value_name = "PATH", value_parser = value::svg_or_folder, conflicts_with = "cross_validate")]
    pub(crate) plot: Option<PathBuf>,
}

/// `advise`.
#[derive(Debug, Args)]
pub(crate) struct AdviseArgs {
    #[command(flatten)]
    pub(crate) records: RecordArgs,
    #[command(flatten)]
    pub(crate) goal: GoalArgs,
    /// Fewest and most machines [default: those seen, up to 4 times the largest]
    #[arg(long, value_name = "A..B", value_parser = value::machines)]
    pub(crate) machines: Option<(usize, usize)>,
    /// Every candidate of the plan table, not the best 12 [default: off]
    #[arg(long)]
    pub(crate) all: bool,
    /// Draw what each algorithm promises by number of machines, as SVG [default: draw nothing]
    #[arg(long, value_name = "FILE.svg", value_parser = value::svg)]
    pub(crate) plot: Option<PathBuf>,
}

/// Which records, and how they are read.
#[derive(Debug, Args)]
pub(crate) struct RecordArgs {
    /// CSV, JSON-lines or Parquet files with the columns algorithm, machines, seconds | elapsed, round, objective …, or
    /// runs of the store; for `advise` also what `fit -o` wrote
    #[arg(value_name = "RECORDS", required = true)]
    pub(crate) records: Vec<String>,
    /// The mathematics behind f and g
    #[arg(long, value_name = "METHOD", value_enum, default_value_t = MethodArg::Ours)]
    pub(crate) method: MethodArg,
    /// Take this column as the objective; `:max` if more is better [default: objective]
    #[arg(long, value_name = "NAME[:max]", value_parser = value::named::<Metric>)]
    pub(crate) metric: Option<Metric>,
    /// The cluster whose times count, where records hold several; for `advise` also a file or shipped name that
    /// gives the price [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub(crate) cluster: Option<String>,
    /// Records of an earlier problem: how its rounds grew with m fills in where RECORDS hold a single m; repeat for
    /// several [default: none]
    #[arg(long, value_name = "FILE")]
    pub(crate) prior: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) store: StoreArg,
}

/// The methods by name.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum MethodArg {
    /// f by relative residuals, g by level sets
    Ours,
    /// f exactly as Ernest; g as ours
    Ernest,
    /// f as Ernest, g by a Lasso on ln(P − P*)
    Lasso,
}

impl From<MethodArg> for Method {
    fn from(method: MethodArg) -> Self {
        match method {
            MethodArg::Ours => Self::Ours,
            MethodArg::Ernest => Self::Ernest,
            MethodArg::Lasso => Self::Lasso,
        }
    }
}
