//! The program `hemingway`: choose how to train, train, and explain the choice. A library only so that the same verbs can
//! run their workers elsewhere.

mod args;
mod cache;
mod clusters;
mod commands;
mod files;
mod interrupt;
mod jobs;
mod launch;
mod output;
mod place;
mod show;
mod story;

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;

use args::{Cli, Command, EngineName};
use commands::exit::{self, Usage};
pub use place::{Place, RankSettings};

#[global_allocator]
static ALLOCATOR: hemingway_pages::LargePages = hemingway_pages::LargePages;

/// Carries out what the command line asks for, with workers on threads or simulated, or at a place of one's own.
pub fn run(place: Option<&'static dyn Place>) -> ExitCode {
    let began = Instant::now();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return output::usage(&error),
    };
    place.into_iter().for_each(place::is);
    let mut output = output::of(cli.output);
    let code = match carry_out(cli.command, cli.output, output.as_mut(), began) {
        Ok(code) => code,
        Err(error) => {
            output.fail(&error);
            exit::of_error(&error)
        }
    };
    ExitCode::from(code)
}

/// Says what went wrong in the manner that the command line asks for, where it cannot be returned.
pub fn fail(error: &hemingway::Error) {
    let mode = Cli::try_parse().map_or(output::Mode::Human, |cli| cli.output);
    output::of(mode).fail(&anyhow::anyhow!("{error}"));
}

fn carry_out(
    command: Command,
    mode: output::Mode,
    output: &mut dyn output::Output,
    began: Instant,
) -> anyhow::Result<u8> {
    commands::check_files(&command)?;
    if let Some(ranks) = command.ranks() {
        if ranks.engine == Some(EngineName::Mpi) && !place::is_elsewhere() {
            if let Some(words) = command.keeps_off_ranks() {
                return Err(Usage::error(words));
            }
            return launch::launch(ranks, &command, mode);
        }
        match ranks.given().filter(|_| !place::is_elsewhere()) {
            Some(flag) => return Err(Usage::error(format!("{flag} is for ranks: add --engine mpi"))),
            None => place::use_ranks(ranks),
        }
    }
    commands::run(command, output, began)
}
