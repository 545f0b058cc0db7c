//! Where a job's workers are, if neither threads of this process nor simulated: the crate that runs them says.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hemingway::Result;
use hemingway::data::Cache;
use hemingway::engine::Engines;
use hemingway::job::{Job, JobSpec};
use hemingway::sync::execute::Timing;
use hemingway::sync::{Stage, Strategy};

use crate::args::{CollectivesName, RankArgs};

/// How the ranks of a job are to be used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankSettings {
    /// `--rank-timeout`.
    pub timeout: Duration,
    /// `--threads-per-rank`.
    pub threads: usize,
    /// `--collectives library`.
    pub library: bool,
}

/// Processes that run workers and may hold shares of the data.
pub trait Place: Send + Sync {
    /// Their engines.
    fn engines(&self, how: RankSettings) -> Arc<dyn Engines>;

    /// Reads the job's data, each process its own share where it can.
    fn load(&self, spec: JobSpec, cache: Option<&Cache>) -> Result<Job>;

    /// How many they are.
    fn ranks(&self) -> usize;

    /// Seconds of each step of a strategy of exchange, every machine of it one of them.
    fn exchange(&self, stage: &Stage, strategy: &Strategy, timing: Timing) -> Result<Vec<f64>>;
}

static PLACE: OnceLock<&'static dyn Place> = OnceLock::new();
static SETTINGS: OnceLock<RankSettings> = OnceLock::new();

/// From now on jobs run there.
pub(crate) fn is(place: &'static dyn Place) {
    _ = PLACE.set(place);
}

/// Jobs run elsewhere than on threads of this process.
pub(crate) fn is_elsewhere() -> bool {
    PLACE.get().is_some()
}

/// The place elsewhere, if jobs run there.
pub(crate) fn elsewhere() -> Option<&'static dyn Place> {
    PLACE.get().copied()
}

/// Takes note of how ranks are to be used.
pub(crate) fn use_ranks(args: &RankArgs) {
    _ = SETTINGS.set(RankSettings {
        timeout: Duration::from_secs_f64(args.rank_timeout.unwrap_or(60.0).clamp(1e-3, 1e9)),
        threads: args.threads_per_rank.map_or(1, |threads| threads as usize),
        library: args.collectives == Some(CollectivesName::Library),
    });
}

/// The engines there, if jobs run elsewhere.
pub(crate) fn engines() -> Option<Arc<dyn Engines>> {
    let usual = RankSettings { timeout: Duration::from_secs(60), threads: 1, library: false };
    PLACE.get().map(|place| place.engines(SETTINGS.get().copied().unwrap_or(usual)))
}

/// Loads the data of a job, to run where jobs run.
pub(crate) fn load(spec: JobSpec, cache: Option<&Cache>) -> Result<Job> {
    let (Some(place), None) = (PLACE.get(), &spec.cluster) else { return spec.check_through(cache) };
    let loaded = place.load(spec, cache)?;
    match engines() {
        Some(engines) => loaded.on(engines),
        None => Ok(loaded),
    }
}
