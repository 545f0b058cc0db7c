//! The program `hemingway`.

use std::process::ExitCode;

fn main() -> ExitCode {
    hemingway_cli::run(None)
}
