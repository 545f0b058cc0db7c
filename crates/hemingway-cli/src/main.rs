//! The program `hemingway`: choose how to train, train, and explain the choice.

mod args;
mod cache;
mod clusters;
mod commands;
mod interrupt;
mod jobs;
mod output;
mod show;
mod story;

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;

use args::Cli;
use commands::exit;

fn main() -> ExitCode {
    let began = Instant::now();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return output::usage(&error),
    };
    let mut output = output::of(cli.output);
    let code = match commands::run(cli.command, output.as_mut(), began) {
        Ok(code) => code,
        Err(error) => {
            output.fail(&error);
            exit::of_error(&error)
        }
    };
    ExitCode::from(code)
}
