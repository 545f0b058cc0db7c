//! The flags of problems of ratings, and of `recommend`.

use clap::{Args, ValueEnum};
use hemingway::job::FactorSpec;

use super::{StoreArg, value};
use crate::commands::exit::Usage;

/// `--rank` where none is given.
const RANK: usize = 32;
/// α where none is given.
const ALPHA: f64 = 1.0;

/// What rows are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProblemName {
    /// Rows with labels: P(w) is a loss and a penalty
    Linear,
    /// Ratings, lines of user, item and rating, as a product of factors (matrix factorization)
    Mf,
}

/// Ratings into factors.
#[derive(Debug, Args)]
#[command(next_help_heading = "Problem")]
pub(crate) struct FactorArgs {
    /// What DATA holds: rows with labels (linear), or ratings to factorize (mf)
    #[arg(long, value_name = "KIND", default_value = "linear")]
    pub(crate) problem: ProblemName,
    /// With --problem mf: numbers in a factor [default: 32]
    #[arg(long, value_name = "K", value_parser = value::whole::<usize>)]
    pub(crate) rank: Option<usize>,
    /// With --problem mf: entries say how often, not how well; what is absent counts a little [default: off]
    #[arg(long)]
    pub(crate) implicit: bool,
    /// With --implicit: an entry r counts 1 + αr times as much as an absent one [default: 1]
    #[arg(long, value_name = "α", value_parser = value::number, allow_negative_numbers = true)]
    pub(crate) alpha: Option<f64>,
}

impl FactorArgs {
    /// What they ask for, if for factors.
    pub(crate) fn spec(&self) -> anyhow::Result<Option<FactorSpec>> {
        let stray = [("--rank", self.rank.is_some()), ("--implicit", self.implicit), ("--alpha", self.alpha.is_some())];
        let given = |(flag, given): &(&'static str, bool)| given.then_some(*flag);
        match (self.problem, stray.iter().find_map(given)) {
            (ProblemName::Linear, Some(flag)) => Err(Usage::error(format!("{flag} goes with --problem mf"))),
            (ProblemName::Linear, None) => Ok(None),
            (ProblemName::Mf, _) if self.alpha.is_some() && !self.implicit => {
                Err(Usage::error("--alpha goes with --implicit"))
            }
            (ProblemName::Mf, _) => {
                let alpha = self.implicit.then(|| self.alpha.unwrap_or(ALPHA));
                Ok(Some(FactorSpec { rank: self.rank.unwrap_or(RANK), alpha }))
            }
        }
    }
}

/// `recommend`.
#[derive(Debug, Args)]
pub(crate) struct RecommendArgs {
    /// A model of ratings (our JSON), or the run that made it
    pub(crate) model: String,
    /// For this user
    #[arg(long, value_name = "ID")]
    pub(crate) user: String,
    /// So many items
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = value::whole::<usize>)]
    pub(crate) top: usize,
    /// Also what the user has rated [default: left out]
    #[arg(long)]
    pub(crate) seen: bool,
    #[command(flatten)]
    pub(crate) store: StoreArg,
}
