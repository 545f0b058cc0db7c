//! The flags of a regularization path.

use std::path::PathBuf;

use clap::Args;

use super::value;

/// Many λ₁ instead of one.
#[derive(Debug, Args)]
#[command(next_help_heading = "Path")]
pub(crate) struct PathArgs {
    /// Solve for N values of λ₁, from the smallest that leaves every coefficient at 0 down to --l1 or --path-ratio, each from where the
    /// last ended and each to --reach ε, proved; with --l2 0 a lasso path [default: one λ₁]
    #[arg(long, value_name = "N", value_parser = value::whole::<usize>, conflicts_with = "resume")]
    pub(crate) path: Option<usize>,
    /// Where the path ends, as a share of where it begins [default: 1e-3, or --l1]
    #[arg(long, value_name = "R", requires = "path", conflicts_with = "l1", value_parser = value::number)]
    pub(crate) path_ratio: Option<f64>,
    /// Choose λ₁ by K folds: each is left out once, and the loss on it counts [default: choose none]
    #[arg(long, value_name = "K", value_parser = value::whole::<usize>, requires = "path")]
    pub(crate) cross_validate: Option<usize>,
    /// With --cross-validate: the largest λ₁ within one standard error of the least loss [default: the least loss]
    #[arg(long, requires = "cross_validate")]
    pub(crate) one_standard_error: bool,
    /// Write the model of every λ₁ into this folder, 001.json first [default: write none]
    #[arg(long, value_name = "DIR", requires = "path")]
    pub(crate) path_models: Option<PathBuf>,
}
