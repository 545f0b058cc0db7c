//! The store: a directory with one sub-directory a run, `journal.jsonl` in each, and beside it what can be rebuilt
//! from the journal (checkpoints, the model file, what it teaches).

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::journal::{Event, Journal};
use crate::backend::{Checkpoint, Ending};
use crate::{Error, Result};

const JOURNAL: &str = "journal.jsonl";
/// Where runs are unless `--store` says otherwise.
const USUAL: &str = "runs";

/// A directory of runs.
#[derive(Debug, Clone)]
pub struct Store {
    root: PathBuf,
}

/// The directory of one run.
#[derive(Debug, Clone)]
pub struct RunDir {
    /// Its name, by which commands refer to the run.
    pub id: String,
    path: PathBuf,
}

impl Store {
    /// A store at this directory; it is made when the first run is.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Runs cannot be kept here.
    fn refused(&self, cause: io::Error) -> Error {
        let what = format!("{cause}: runs cannot be kept here; name another folder (--store)");
        Error::Io { path: self.root.clone(), cause: io::Error::new(cause.kind(), what) }
    }

    /// A new run named `stem`-1, `stem`-2, …: the first name that is free.
    pub fn create(&self, stem: &str) -> Result<(RunDir, Journal)> {
        std::fs::create_dir_all(&self.root).map_err(|cause| self.refused(cause))?;
        for k in 1.. {
            let id = format!("{stem}-{k}");
            let path = self.root.join(&id);
            match std::fs::create_dir(&path) {
                Ok(()) => {
                    let journal = Journal::create(&path.join(JOURNAL))?;
                    return Ok((RunDir { id, path }, journal));
                }
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(Error::io(&path)(e)),
            }
        }
        unreachable!("numbers do not end")
    }

    /// An existing run, by name, by `last`, or by the path of its directory.
    pub fn find(&self, name: &str) -> Result<RunDir> {
        let path = if name == "last" {
            self.runs()?.pop().map(|run| run.path).ok_or_else(|| {
                Error::file(&self.root, "holds no runs yet; `hemingway train` and `hemingway run` make them")
            })?
        } else {
            let direct = PathBuf::from(name);
            if direct.join(JOURNAL).is_file() { direct } else { self.root.join(name) }
        };
        if !path.join(JOURNAL).is_file() {
            let usual = self.root == Path::new(USUAL);
            let flag = if usual { String::new() } else { format!(" --store {}", self.root.display()) };
            return Err(Error::file(path, format!("is no run; `hemingway runs{flag}` lists those there are")));
        }
        Ok(RunDir::at(path))
    }

    /// All runs, oldest first.
    pub fn runs(&self) -> Result<Vec<RunDir>> {
        let entries = match std::fs::read_dir(&self.root) {
            Ok(entries) => entries,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) if e.kind() == std::io::ErrorKind::NotADirectory => {
                return Err(Error::file(&self.root, "is no folder; --store names the one that holds the runs"));
            }
            Err(e) => return Err(Error::io(&self.root)(e)),
        };
        let mut runs: Vec<_> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter_map(|path| Some((path.join(JOURNAL).metadata().ok()?.modified().ok()?, path)))
            .collect();
        runs.sort();
        Ok(runs.into_iter().map(|(_, path)| RunDir::at(path)).collect())
    }
}

impl RunDir {
    fn at(path: PathBuf) -> Self {
        let id =
            path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
        Self { id, path }
    }

    /// Its directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where its journal is.
    pub fn journal_path(&self) -> PathBuf {
        self.path.join(JOURNAL)
    }

    /// Its events.
    pub fn events(&self) -> Result<Vec<Event>> {
        Journal::read(&self.journal_path())
    }

    /// Its events up to the first that cannot be read; none where there is no journal.
    pub(crate) fn intact_events(&self) -> Option<Vec<Event>> {
        Journal::intact(&self.journal_path()).ok()
    }

    /// The length of its journal.
    pub(crate) fn journal_bytes(&self) -> Option<u64> {
        Some(self.path.join(JOURNAL).metadata().ok()?.len())
    }

    /// Where what it teaches is kept.
    pub(crate) fn memory_path(&self) -> PathBuf {
        self.path.join("memory.json")
    }

    /// Whether a process is writing its journal.
    pub fn is_running(&self) -> Result<bool> {
        Journal::is_open(&self.journal_path())
    }

    /// Its journal, to go on with.
    pub fn reopen(&self) -> Result<(Journal, Vec<Event>)> {
        Journal::reopen(&self.journal_path())
    }

    /// Where its model is kept.
    pub fn model_path(&self) -> PathBuf {
        self.path.join("model.json")
    }

    /// Keeps a checkpoint of one of its runs, with the ending it has come to if it has, replacing the one before it whole
    /// or not at all.
    pub fn save_checkpoint(&self, run: &str, checkpoint: &Checkpoint, ending: Option<Ending>) -> Result<()> {
        let path = self.checkpoint_path(run);
        let bytes = postcard::to_allocvec(&(checkpoint, ending)).map_err(|e| Error::file(&path, e.to_string()))?;
        // What took no time to make costs none to make again after a power cut.
        replace_on(&path, &bytes, checkpoint.clock.train_seconds() > WORTH_THE_WAIT)
    }

    /// The newest checkpoint of one of its runs, as kept. Without one the run starts over, which only costs time.
    pub fn load_checkpoint(&self, run: &str) -> Option<(Checkpoint, Option<Ending>)> {
        let bytes = std::fs::read(self.checkpoint_path(run)).ok()?;
        postcard::from_bytes(&bytes).ok()
    }

    /// Keeps the best model so far.
    pub(crate) fn save_best(&self, best: &impl Serialize) -> Result<()> {
        let path = self.path.join("best");
        let bytes = postcard::to_allocvec(best).map_err(|e| Error::file(&path, e.to_string()))?;
        replace(&path, &bytes)
    }

    /// The best model kept.
    pub(crate) fn load_best<T: DeserializeOwned>(&self) -> Option<T> {
        postcard::from_bytes(&std::fs::read(self.path.join("best")).ok()?).ok()
    }

    fn checkpoint_path(&self, run: &str) -> PathBuf {
        self.path.join(format!("{run}.checkpoint"))
    }
}

/// Seconds of training that are worth waiting for the disk.
const WORTH_THE_WAIT: f64 = 1.0;

/// Replaces a file whole or not at all.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    replace_on(path, bytes, false)
}

/// The same; a lasting one is on the disk before the old one goes.
fn replace_on(path: &Path, bytes: &[u8], lasting: bool) -> Result<()> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    let write = || {
        let mut file = File::create(&partial)?;
        file.write_all(bytes)?;
        if lasting { file.sync_all() } else { Ok(()) }
    };
    write().map_err(Error::io(&partial))?;
    std::fs::rename(&partial, path).map_err(Error::io(path))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::engine::Clock;

    /// A disk that is full takes no byte, as /dev/full does.
    #[test]
    fn a_full_disk_loses_nothing_older() {
        let dir = tempfile::tempdir().unwrap();
        let (run, _journal) = Store::at(dir.path()).create("some").unwrap();
        for seconds in [0.0, 9.0] {
            let checkpoint = |model: f64| Checkpoint {
                algorithm: "gd".into(),
                machines: 1,
                shared: vec![model],
                items: Vec::new(),
                server: Vec::new(),
                balance: Vec::new(),
                model: vec![model],
                iteration: 1,
                clock: Clock { compute: seconds, ..Clock::default() },
                lower_bound: None,
                first: None,
            };
            run.save_checkpoint("r", &checkpoint(1.0), None).unwrap();
            let partial = run.path().join("r.checkpoint.partial");
            std::os::unix::fs::symlink("/dev/full", &partial).unwrap();
            let error = run.save_checkpoint("r", &checkpoint(2.0), None).unwrap_err().to_string();
            assert!(error.contains("r.checkpoint.partial") && error.contains("space"), "{error}");
            assert_eq!(run.load_checkpoint("r").unwrap().0, checkpoint(1.0));
            std::fs::remove_file(&partial).unwrap();
        }
    }
}
