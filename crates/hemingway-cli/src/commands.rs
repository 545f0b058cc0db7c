//! One file a verb: from flags to an answer and an exit code.

mod advise;
mod data;
mod design;
mod doctor;
pub(crate) mod exit;
mod explain;
mod files;
mod fit;
mod model;
pub(crate) mod outcome;
mod path;
mod plan;
mod predict;
mod recommend;
mod records;
mod report;
mod run;
mod runs;
mod sync;
mod train;

use std::time::Instant;

use anyhow::Result;

use crate::args::Command;
use crate::output::Output;
pub(crate) use outcome::store_flag;

/// Refuses a command that would write over what it reads.
pub(crate) fn check_files(command: &Command) -> hemingway::Result<()> {
    files::of(command).check()
}

/// Carries a command out. `began` is when the program did.
pub(crate) fn run(command: Command, out: &mut dyn Output, began: Instant) -> Result<u8> {
    match command {
        Command::Train(args) => train::train(&args, out, began).map_err(|error| args.rounds.naming(error)),
        Command::Plan(args) => plan::plan(&args, out, began).map_err(|error| args.rounds.naming(error)),
        Command::Run(args) => run::run(&args, out, began).map_err(|error| args.exchange.naming(error)),
        Command::Fit(args) => fit::fit(&args, out),
        Command::Advise(args) => advise::advise(&args, out),
        Command::Design(args) => design::design(&args, out),
        Command::Explain(args) => explain::explain(&args, out),
        Command::Report(args) => report::report(&args, out),
        Command::Runs(args) => runs::runs(&args, out),
        Command::Predict(args) => predict::predict(&args, out),
        Command::Score(args) => predict::score(&args, out),
        Command::Recommend(args) => recommend::recommend(&args, out),
        Command::Data(command) => data::data(&command, out),
        Command::Model(command) => model::model(&command, out),
        Command::Sync(command) => sync::sync(&command, out),
        Command::Doctor(args) => doctor::doctor(&args, out),
    }
}
