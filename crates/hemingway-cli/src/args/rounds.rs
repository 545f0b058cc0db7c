//! The flags of `train`, `plan` and `run` that say how rounds are exchanged.

use std::path::Path;

use anyhow::Result;
use clap::Args;
use hemingway::Error;
use hemingway::sync::Strategy;
use hemingway::sync::rounds::{RoundSpec, Way};

use crate::clusters;
use crate::commands::exit::Usage;

/// How rounds are exchanged.
#[derive(Debug, Args)]
#[command(next_help_heading = "Machines")]
pub(crate) struct RoundArgs {
    /// How the numbers of a round are exchanged: `plain` (dense all-reduce of all of them), `search` (whatever is found to take
    /// the least time, without any loss), or the file of a strategy by trees and servers, without loss [default: simulated, plain; on
    /// ranks, a tree that leaves zeros out]
    #[arg(long, value_name = "plain|search|FILE")]
    pub(crate) sync: Option<String>,
    /// On ranks: the cluster whose links lie between them, such as `doctor --engine mpi` writes it
    #[arg(long, value_name = "FILE|NAME", requires = "sync")]
    pub(crate) links: Option<String>,
}

impl RoundArgs {
    /// What is asked of rounds.
    pub(crate) fn spec(&self) -> Result<Option<RoundSpec>> {
        let Some(name) = &self.sync else { return Ok(None) };
        let way = match name.as_str() {
            "plain" => Way::Plain,
            "search" => Way::Search,
            file if Path::new(file).is_file() => Way::Given(Strategy::read(Path::new(file))?),
            other => {
                let what = format!("--sync: `{other}` is neither plain nor search, nor a strategy's file");
                return Err(Usage::error(what));
            }
        };
        let links = self.links.as_deref().map(|name| {
            let wrong = || Error::setting("--links", format!("`{name}` is neither a cluster's file nor a shipped one"));
            clusters::described(name)?.ok_or_else(wrong)
        });
        Ok(Some(RoundSpec { way, links: links.transpose()? }))
    }

    /// An error with the strategy's file in it, where that is what does not suit: a job knows only what the file says.
    pub(crate) fn naming(&self, error: anyhow::Error) -> anyhow::Error {
        match (error.downcast_ref(), self.sync.as_deref().filter(|file| Path::new(file).is_file())) {
            (Some(Error::Setting { field, what }), Some(file)) if field == "--sync" => {
                Error::setting(format!("--sync {file}"), what).into()
            }
            _ => error,
        }
    }

    /// Refuses them where machines are threads, which exchange nothing.
    pub(crate) fn check_place(&self, clusters: &[String]) -> Result<()> {
        let threads = clusters.iter().any(|name| name == super::LOCAL) && !crate::place::is_elsewhere();
        match self.sync {
            Some(_) if threads => Err(Usage::error(
                "--sync: threads of one machine share its memory and exchange nothing: name a --cluster, or use ranks (--engine mpi)",
            )),
            _ => Ok(()),
        }
    }
}
