//! Real rounds: ranks across a testbed, calibrated first and played on afterwards.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, ensure};
use hemingway::calibrate::Tape;
use hemingway::cluster::Timed;
use hemingway_testbed::{Bed, Job, Layout, Rate};

use super::{CALIBRATED, RANKS};

/// The longest message of the grid and some more.
const NUMBERS: &str = "16384";
/// Seconds for one number of ranks.
const BUDGET: &str = "5";

/// A testbed with its programs.
pub struct Field {
    bed: Bed,
    ranks: PathBuf,
}

impl Field {
    /// Brings up as many hosts as there are ranks; both programs lie beside this one.
    pub fn up(latency_us: u64, megabits: f64) -> anyhow::Result<Self> {
        let own = std::env::current_exe()?;
        let beside = |name: &str| own.with_file_name(name);
        let (testbed, ranks) = (beside("testbed"), beside("testbed-ranks"));
        for (program, package) in [(&testbed, "hemingway-testbed"), (&ranks, "hemingway-testbed-ranks")] {
            ensure!(program.exists(), "{} is missing: cargo build --release -p {package}", program.display());
        }
        let hosts = RANKS[RANKS.len() - 1];
        let layout = Layout::even("truth", hosts, Duration::from_micros(latency_us), Rate(1e6 * megabits));
        Ok(Self { bed: Bed::up(&testbed, &layout)?, ranks })
    }

    fn run(&self, ranks: usize, words: &[&str]) -> anyhow::Result<Vec<u8>> {
        let words =
            [self.ranks.clone().into(), "engine".into()].into_iter().chain(words.iter().map(Into::into)).collect();
        let job = Job { ranks, mca: Vec::new(), words };
        let run = job.command(&self.bed.program, &self.bed.layout)?.output().context("mpirun does not start")?;
        ensure!(run.status.success(), "{ranks} ranks failed: {}", String::from_utf8_lossy(&run.stderr));
        Ok(run.stdout)
    }

    /// What rounds without work take here.
    pub fn calibrate(&self) -> anyhow::Result<Vec<Timed>> {
        let on = |ranks: &usize| {
            let said = self.run(*ranks, &["calibrate", NUMBERS, BUDGET])?;
            let found: Vec<Timed> = serde_json::from_slice(&said).context("a calibration cannot be read")?;
            found.into_iter().next().context("a calibration is empty")
        };
        CALIBRATED.iter().map(on).collect()
    }

    /// What the rounds of these tapes take on so many ranks.
    pub fn play(&self, ranks: usize, tapes: &[&Tape], folder: &Path) -> anyhow::Result<Vec<Vec<f64>>> {
        let file = folder.join("tapes.json");
        std::fs::write(&file, serde_json::to_vec(tapes)?)?;
        let said = self.run(ranks, &["play", &file.display().to_string()])?;
        serde_json::from_slice(&said).context("what was played cannot be read")
    }
}
