//! A bed that stands, who keeps it, and how it goes away.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::layout::Layout;
use crate::{ip, sys};

/// Where beds are written down while they stand.
const NOTES: &str = "/run/hemingway-testbed";
/// How long a keeper may take to clear up.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is written down of a bed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// What it looks like.
    pub layout: Layout,
    /// The process that takes it down when it is asked to, or when the switch ends.
    pub keeper: u32,
}

/// A file about the bed of this name.
pub(crate) fn note(name: &str, ending: &str) -> PathBuf {
    Path::new(NOTES).join(format!("{name}.{ending}"))
}

/// Writes down that a bed stands.
pub(crate) fn stands(layout: &Layout) -> Result<()> {
    let standing = Standing { layout: layout.clone(), keeper: std::process::id() };
    fs::create_dir_all(NOTES).with_context(|| format!("cannot make {NOTES}"))?;
    let path = note(&layout.name, "json");
    fs::write(&path, serde_json::to_vec(&standing)?).with_context(|| format!("cannot write {}", path.display()))
}

/// The bed of this name, if it stands.
pub fn standing(name: &str) -> Result<Option<Standing>> {
    let Ok(text) = fs::read(note(name, "json")) else { return Ok(None) };
    let standing: Standing = serde_json::from_slice(&text)
        .with_context(|| format!("{} is damaged: `testbed down` removes it", note(name, "json").display()))?;
    Ok(lives(standing.keeper).then_some(standing))
}

/// Whether this process is a keeper: after a crash its number may belong to another.
fn lives(keeper: u32) -> bool {
    let words = fs::read(format!("/proc/{keeper}/cmdline")).unwrap_or_default();
    words.split(|byte| *byte == 0).nth(1) == Some(b"keep".as_slice())
}

/// Removes everything of a bed but its keeper.
pub(crate) fn clear(name: &str) -> Result<usize> {
    let removed = ip::remove(name)?;
    for ending in ["json", "hosts"] {
        // Not there is as good as removed.
        let _ = fs::remove_file(note(name, ending));
    }
    Ok(removed)
}

/// Takes a bed down, or what a killed one has left; says how many namespaces there were.
pub fn down(name: &str) -> Result<usize> {
    ip::check_rights()?;
    let there = ip::namespaces(name).len();
    if let Ok(Some(Standing { keeper, .. })) = standing(name) {
        // It may end by itself at this moment.
        let _ = sys::signal(keeper, libc::SIGTERM);
        let asked = Instant::now();
        while lives(keeper) && asked.elapsed() < PATIENCE {
            sleep(Duration::from_millis(10));
        }
    }
    clear(name)?;
    Ok(there)
}

/// A bed that stands as long as this value, or the process that holds it.
#[derive(Debug)]
pub struct Bed {
    /// What it looks like.
    pub layout: Layout,
    /// The program `testbed`.
    pub program: PathBuf,
    keeper: Child,
}

impl Bed {
    /// Brings a bed up, by the program `testbed` at this path.
    pub fn up(program: &Path, layout: &Layout) -> Result<Self> {
        let keeper = start_keeper(program, layout, true)?;
        Ok(Self { layout: layout.clone(), program: program.into(), keeper })
    }
}

impl Drop for Bed {
    fn drop(&mut self) {
        // The end of its standard input is the keeper's sign.
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

/// Brings a bed up that stands until `testbed down`.
pub fn up(program: &Path, layout: &Layout) -> Result<()> {
    start_keeper(program, layout, false).map(drop)
}

fn start_keeper(program: &Path, layout: &Layout, attached: bool) -> Result<Child> {
    use std::os::unix::process::CommandExt;

    layout.check()?;
    ip::check_rights()?;
    if standing(&layout.name).is_ok_and(|standing| standing.is_some()) {
        bail!("a testbed named {0} stands already: testbed down --name {0}", layout.name);
    }
    let mut command = Command::new(program);
    command.arg("keep").arg(serde_json::to_string(layout)?);
    // A group of its own: Ctrl-C in a terminal is not meant for it.
    command.stdout(Stdio::piped()).process_group(0);
    match attached {
        true => command.arg("--attached").stdin(Stdio::piped()),
        false => command.stdin(Stdio::null()),
    };
    let mut keeper = command.spawn().with_context(|| format!("cannot start {}", program.display()))?;
    let mut said = String::new();
    if let Some(output) = keeper.stdout.take() {
        BufReader::new(output).read_line(&mut said)?;
    }
    match said.trim() {
        "ready" => Ok(keeper),
        _ => {
            let _ = keeper.wait();
            bail!("the testbed could not be brought up")
        }
    }
}
