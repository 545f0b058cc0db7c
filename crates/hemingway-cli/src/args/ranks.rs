//! The flags by which a job runs on the ranks of an MPI job.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::value;

/// Where workers run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineName {
    /// Threads of this process, or a simulated cluster
    Local,
    /// The ranks of an MPI job, which mpirun starts
    Mpi,
}

/// How sums of ranks are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CollectivesName {
    /// Our tree: the same bits as on threads
    Tree,
    /// The MPI library's own, in whatever order it adds
    Library,
}

/// Ranks.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Ranks (MPI)")]
pub(crate) struct RankArgs {
    /// Where workers run; `mpi` starts mpirun with the program hemingway-mpi [default: local]
    #[arg(long, value_name = "ENGINE")]
    pub(crate) engine: Option<EngineName>,
    /// Hosts for mpirun, one a line [default: this one, or those of the batch system]
    #[arg(long, value_name = "FILE")]
    pub(crate) hosts: Option<PathBuf>,
    /// Ranks to start [default: one a core of this machine, or all that --hosts has room for]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) ranks: Option<u32>,
    /// Go on by itself after a rank died or hung, at most so often [default: 0]
    #[arg(long, value_name = "N")]
    pub(crate) restarts: Option<u32>,
    /// End the job when a rank is silent for this long where it is to answer; rounds that take longer are allowed for
    /// [default: 60s]
    #[arg(long, value_name = "T", value_parser = value::seconds)]
    pub(crate) rank_timeout: Option<f64>,
    /// Threads on which each rank runs its workers [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) threads_per_rank: Option<u32>,
    /// How sums of ranks are made [default: tree]
    #[arg(long, value_name = "WAY")]
    pub(crate) collectives: Option<CollectivesName>,
}

impl RankArgs {
    /// The first flag that only means something on ranks.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let flags = [
            ("--hosts", self.hosts.is_some()),
            ("--ranks", self.ranks.is_some()),
            ("--restarts", self.restarts.is_some()),
            ("--rank-timeout", self.rank_timeout.is_some()),
            ("--threads-per-rank", self.threads_per_rank.is_some()),
            ("--collectives", self.collectives.is_some()),
        ];
        flags.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag)
    }
}
