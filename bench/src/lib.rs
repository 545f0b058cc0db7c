//! Shared by the bench programs: the data, a cluster to simulate, and one run as a list of numbers.

pub mod curves;
pub mod deep;
pub mod figures;
pub mod folds;
pub mod kernels;
pub mod npy;
pub mod paths;
pub mod peers;
pub mod regret;
pub mod schedules;
pub mod subset;
pub mod switches;
pub mod sync;
pub mod truth;
pub mod watched;

use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::{Context, bail};
use hemingway::backend::{Backend, Config, Ending, EngineBackend, Frame};
use hemingway::cluster::{Cluster, Collective, Compute, Fabric, Network, Overhead, Pace, Straggler};
use hemingway::data::{Dataset, Preparation, Source, prepare};
use hemingway::problem::Problem;

/// As in the program.
#[global_allocator]
static ALLOCATOR: hemingway_pages::LargePages = hemingway_pages::LargePages;

/// The folder of real data sets, or a sentence that says it is missing and how to name it.
pub fn data_dir() -> anyhow::Result<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let dir = std::env::var_os("HEMINGWAY_DATA").map_or_else(beside, PathBuf::from);
    if !dir.is_dir() {
        bail!("DATA MISSING: {} is no folder; set HEMINGWAY_DATA to the folder with a9a/, mnist/, …", dir.display());
    }
    Ok(dir)
}

/// Where plots and tables go.
pub fn out_dir() -> anyhow::Result<PathBuf> {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("out");
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
    Ok(dir)
}

/// A data set of the collection, prepared.
pub fn load(name: &str, preparation: &Preparation, binary: bool) -> anyhow::Result<Dataset> {
    Ok(prepare(raw(name)?, preparation, binary)?.dataset)
}

/// A data set of the collection as it is; an absent one is an error that says what to do.
pub fn raw(name: &str) -> anyhow::Result<Dataset> {
    let source = if name.starts_with("synth:") {
        Source::parse(name)?
    } else {
        let path = data_dir()?.join(name);
        if !path.exists() {
            bail!(
                "DATA MISSING: {} is not there; set HEMINGWAY_DATA to the directory of the data sets",
                path.display()
            );
        }
        Source::File(path)
    };
    Ok(source.load()?.dataset)
}

/// What an entry takes a simulated machine.
pub const NS_PER_ENTRY: f64 = 1.2;

/// A plain cluster of so many machines whose clock repeats, straggler noise on.
pub fn cluster(machines: usize) -> Cluster {
    Cluster {
        name: "bench".into(),
        machines,
        cores_per_machine: 1,
        memory_gb: 16.0,
        price_per_hour: 0.0,
        compute: Compute {
            ns_per_nonzero: Pace::Counted(NS_PER_ENTRY),
            straggler: Straggler::Lognormal { sigma: 0.08 },
            ns_by_algorithm: Default::default(),
            spill_factor: 1.0,
        },
        network: Network {
            latency_us: 50.0,
            bandwidth_gbit: 10.0,
            collective: Collective::Tree,
            link: Vec::new(),
            timed: Vec::new(),
        },
        fabric: Fabric::default(),
        overhead: Overhead::default(),
    }
}

/// P after every round, and why the run ended.
pub struct Trace {
    /// (round, P), round 0 first.
    pub points: Vec<(u64, f64)>,
    /// Why it ended.
    pub ending: Ending,
}

/// Runs simulated machines until P is at most `target` or the rounds are used up.
pub fn trace(problem: &Problem, algorithm: &str, machines: usize, rounds: u64, target: f64) -> anyhow::Result<Trace> {
    let mut backend = EngineBackend::new(problem.clone(), "bench", Some(cluster(machines)));
    let config = Config::new(algorithm, machines);
    let frame = Frame::new("bench", config, rounds);
    let mut points = Vec::new();
    let (_, ending) = backend.run(&frame, None, &mut |record, _| {
        points.push((record.round, record.objective));
        Ok(if record.objective <= target { ControlFlow::Break(Ending::GoalMet) } else { ControlFlow::Continue(()) })
    })?;
    Ok(Trace { points, ending })
}
