//! `--engine mpi`: the same command under mpirun, again and again if ranks die and that is allowed.

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use anyhow::{Context, Result, bail};
use hemingway::engine::cores;

use crate::args::{Command, RankArgs};
use crate::commands::exit;
use crate::output::{self, Mode};

/// The program that ranks run.
const PROGRAM: &str = "hemingway-mpi";
/// Names another way to start ranks than mpirun, such as `srun` or `mpirun --mca …`.
const MPIRUN: &str = "HEMINGWAY_MPIRUN";
/// Names the file in which a job tells where its run is kept.
const TELL: &str = "HEMINGWAY_TELL_RUN";

/// Runs this very command on ranks, which answer in that manner; its exit code.
pub(crate) fn launch(ranks: &RankArgs, command: &Command, mode: Mode) -> Result<u8> {
    if let Some(hosts) = &ranks.hosts {
        File::open(hosts).with_context(|| format!("--hosts: cannot read {}", hosts.display()))?;
    }
    let program = program()?;
    let starter = Starter::find()?;
    // Ctrl-C reaches mpirun and the ranks by itself; this process has only to wait for how they end.
    _ = ctrlc::set_handler(|| {});
    let told = Told::new();
    let mut words: Vec<OsString> = env::args_os().skip(1).collect();
    let restarts = ranks.restarts.unwrap_or(0);
    for restart in 0.. {
        let mut process = starter.process(ranks);
        process.arg(&program).args(&words).env(TELL, &told.0);
        let status = process.status().with_context(|| format!("{} cannot be started", starter.name()))?;
        let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(exit::ERROR);
        if [exit::MET, exit::USAGE, exit::SPENT, exit::INTERRUPTED].contains(&code) {
            return Ok(code);
        }
        let Some(run) = told.run() else {
            if restarts > 0 {
                output::talk(
                    "the ranks ended early, and told this host of no run to go on with; `hemingway runs` lists what a store has",
                );
            }
            return Ok(exit::ERROR);
        };
        if restart == restarts {
            output::talk(&format!(
                "the ranks ended early; go on with: hemingway {} --engine mpi --resume {run}",
                command.verb()
            ));
            return Ok(exit::ERROR);
        }
        output::talk(&format!("the ranks ended early; restart {} of {restarts}, going on with {run}", restart + 1));
        words = command.resumed(&run, mode)?;
    }
    unreachable!("restarts end")
}

/// The program beside this one, or on the path.
fn program() -> Result<PathBuf> {
    let beside = env::current_exe().ok().and_then(|own| Some(own.parent()?.join(PROGRAM)));
    let found = beside.filter(|path| path.is_file()).or_else(|| on_path(PROGRAM));
    found.with_context(|| {
        format!(
            "--engine mpi: {PROGRAM} is neither beside this program nor on the path; with an MPI library on the machine, \
             build it: cargo install --path crates/hemingway-mpi"
        )
    })
}

fn on_path(name: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// What starts ranks.
struct Starter {
    words: Vec<String>,
    /// Open MPI refuses more ranks than cores unless told.
    open_mpi: bool,
}

impl Starter {
    fn find() -> Result<Self> {
        if let Ok(own) = env::var(MPIRUN) {
            let words: Vec<String> = own.split_whitespace().map(str::to_owned).collect();
            if words.is_empty() {
                bail!("{MPIRUN} is set to nothing: unset it, or name what starts ranks");
            }
            return Ok(Self { words, open_mpi: false });
        }
        let Some(path) = on_path("mpirun").or_else(|| on_path("mpiexec")) else {
            bail!(
                "--engine mpi: neither mpirun nor mpiexec is on the path; install an MPI library (Debian: apt install \
                 openmpi-bin), or name what starts ranks in {MPIRUN}"
            );
        };
        let version = Process::new(&path).arg("--version").output().map(|said| said.stdout).unwrap_or_default();
        let open_mpi = String::from_utf8_lossy(&version).contains("Open MPI");
        Ok(Self { words: vec![path.display().to_string()], open_mpi })
    }

    fn name(&self) -> &str {
        &self.words[0]
    }

    fn process(&self, ranks: &RankArgs) -> Process {
        let mut process = Process::new(&self.words[0]);
        process.args(&self.words[1..]);
        let count = ranks.ranks.map(|count| count as usize);
        let count = count.or_else(|| ranks.hosts.is_none().then(cores));
        if let Some(count) = count {
            process.args(["-n", &count.to_string()]);
        }
        if let Some(hosts) = &ranks.hosts {
            process.arg(if self.open_mpi { "--hostfile" } else { "-f" }).arg(hosts);
        }
        if self.open_mpi && count.is_some_and(|count| count > cores()) {
            process.arg("--oversubscribe");
        }
        process
    }
}

/// The file in which the leader tells its run.
struct Told(PathBuf);

impl Told {
    fn new() -> Self {
        let file = env::temp_dir().join(format!("hemingway-run-{}", std::process::id()));
        // One that an earlier process of this number has left would be believed.
        _ = std::fs::remove_file(&file);
        Self(file)
    }

    fn run(&self) -> Option<String> {
        std::fs::read_to_string(&self.0).ok().filter(|run| !run.is_empty())
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        // It may never have been written.
        _ = std::fs::remove_file(&self.0);
    }
}

/// Tells a launcher, if there is one, where the run is kept.
pub(crate) fn tell(run: &Path) {
    if let Some(file) = env::var_os(TELL) {
        // A launcher that cannot be told starts nothing again, and says so.
        _ = std::fs::write(file, run.display().to_string());
    }
}
