//! Shared by the bench programs.

pub mod folds;

use std::path::PathBuf;

/// The folder of real data sets, or a sentence that says it is missing and how to name it.
pub fn data_dir() -> anyhow::Result<PathBuf> {
    let default = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data"));
    let dir = std::env::var_os("HEMINGWAY_DATA").map_or_else(default, PathBuf::from);
    anyhow::ensure!(
        dir.is_dir(),
        "REAL DATA MISSING: {} is no folder; set HEMINGWAY_DATA to the folder with a9a/, mnist/, …",
        dir.display()
    );
    Ok(dir)
}
