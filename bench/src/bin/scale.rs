//! A simulated thousand machines in the memory of one: CoCoA+ on a9a, m = 1,024, 100 rounds, every round evaluated.

use std::time::Instant;

use anyhow::{Context, bail};
use hemingway::data::Preparation;
use hemingway::problem::{Loss, Problem};
use hemingway_bench::{load, trace};

const MACHINES: usize = 1024;
const ROUNDS: u64 = 100;
const MOST_SECONDS: f64 = 5.0;
const MOST_MEGABYTES: f64 = 100.0;

fn main() -> anyhow::Result<()> {
    let data = load("a9a/a9a.libsvm.gz", &Preparation::default(), true)?;
    let problem = Problem::new(&data, Loss::Hinge, None, 0)?;
    drop(data);
    let began = Instant::now();
    let trace = trace(&problem, "cocoa+", MACHINES, ROUNDS, f64::NEG_INFINITY)?;
    let (seconds, megabytes) = (began.elapsed().as_secs_f64(), peak_megabytes()?);
    let last = trace.points.last().context("no round was recorded")?;
    println!("CoCoA+ on a9a, m = {MACHINES}, {} rounds: P = {:.6}", last.0, last.1);
    println!("| measure | value | bar |\n|---|---:|---:|");
    println!("| wall | {seconds:.2} s | {MOST_SECONDS} s |");
    println!("| peak memory, loading included | {megabytes:.0} MB | {MOST_MEGABYTES} MB |");
    if seconds > MOST_SECONDS || megabytes > MOST_MEGABYTES {
        bail!("over the bar");
    }
    Ok(())
}

/// The most memory this process has held.
fn peak_megabytes() -> anyhow::Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status").context("reading the process's own status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no VmHWM: not Linux?")?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kilobytes / 1024.0)
}
