//! The flags of `report`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::StoreArg;

/// `report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The run: its name, `last`, or the path of its directory; running, stopped or ended
    pub(crate) run: String,
    /// Where to write [default: stdout]
    #[arg(short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// The kind of document [default: by the ending of FILE, else md]
    #[arg(long, value_enum, value_name = "KIND")]
    pub(crate) format: Option<Format>,
    /// Every candidate of the plan table, not the best 12 [default: off]
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) store: StoreArg,
}

/// Kinds of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Markdown; its pictures stand beside FILE
    #[value(alias = "markdown")]
    Md,
    /// One page with its pictures in it, without scripts
    Html,
    /// Everything as one JSON value
    Json,
}
