//! The journal of a run: one JSON value a line, appended and never changed. Everything else can be rebuilt from it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Record;
use crate::backend::{Ending, Rehearsal};
use crate::engine::{MOST_MACHINES, check_machines};
use crate::goal::{Caps, MOST_ROUNDS};
use crate::job::{Facts, JobSpec};
use crate::train::{Compared, Decision, Spent, Summary};
use crate::{Error, Result};

/// Everything that happens to a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// A job began.
    Started {
        /// The name of the run's directory.
        run: String,
        /// Seconds since 1970.
        at: f64,
        /// The version of this library.
        version: String,
        /// The job, as given.
        spec: Box<JobSpec>,
        /// What the data turned out to be.
        facts: Box<Facts>,
    },
    /// A killed or interrupted job goes on, or one that its caps had ended.
    Resumed {
        /// Seconds since 1970.
        at: f64,
        /// The caps that hold from here on, where they are others than before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        caps: Option<Caps>,
    },
    /// Of plans on several clusters this one is the best, and is carried out.
    Compared {
        /// Seconds since 1970.
        at: f64,
        /// What each came to.
        clusters: Vec<Compared>,
        /// The caps of it all: this plan was made under what the others had left of them.
        caps: Caps,
    },
    /// What to do next was decided, from the events before this one and what had been spent.
    Decided {
        /// What had been spent by then.
        spent: Spent,
        /// The decision, with its reason.
        decision: Box<Decision>,
    },
    /// A round was evaluated.
    Round {
        /// What was seen.
        #[serde(flatten)]
        record: Record,
    },
    /// A frame ended.
    FrameEnded {
        /// Its run.
        run: String,
        /// Why it ended.
        ending: Ending,
        /// What had been spent by then.
        spent: Spent,
    },
    /// Algorithms were tried out on a few rows.
    Rehearsed {
        /// How each did.
        rehearsals: Vec<Rehearsal>,
        /// What had been spent by then.
        spent: Spent,
    },
    /// The job ended.
    Finished {
        /// How.
        summary: Box<Summary>,
    },
}

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Begins a journal where there is none.
    pub fn create(path: &Path) -> Result<Self> {
        let file = OpenOptions::new().append(true).create_new(true).open(path).map_err(Error::io(path))?;
        lock(path, &file)?;
        Ok(Self { path: path.into(), file })
    }

    /// Opens a journal to go on with it. A last line that a kill cut short is dropped: it was never acknowledged.
    pub fn reopen(path: &Path) -> Result<(Self, Vec<Event>)> {
        let mut file = OpenOptions::new().read(true).append(true).open(path).map_err(Error::io(path))?;
        lock(path, &file)?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(Error::io(path))?;
        let whole = whole_lines(&text);
        let events = parse(path, whole)?;
        file.set_len(whole.len() as u64).map_err(Error::io(path))?;
        file.seek(SeekFrom::End(0)).map_err(Error::io(path))?;
        Ok((Self { path: path.into(), file }, events))
    }

    /// Reads a journal without touching it.
    pub fn read(path: &Path) -> Result<Vec<Event>> {
        let text = std::fs::read(path).map_err(Error::io(path))?;
        parse(path, whole_lines(&text))
    }

    /// What is intact of a journal that may be damaged or written by a newer version: events up to the first that is not.
    pub fn intact(path: &Path) -> Result<Vec<Event>> {
        let text = std::fs::read(path).map_err(Error::io(path))?;
        Ok(events(path, whole_lines(&text)).map_while(Result::ok).collect())
    }

    /// Whether a process holds it open to write.
    pub fn is_open(path: &Path) -> Result<bool> {
        let file = File::open(path).map_err(Error::io(path))?;
        match file.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            // A file system without locks cannot tell; nobody can be shown to write.
            Err(TryLockError::Error(_)) => Ok(false),
        }
    }

    /// Appends one event in one write, so that a kill leaves whole lines or a torn last one.
    pub fn append(&mut self, event: &Event) -> Result<()> {
        let mut line = serde_json::to_vec(event).map_err(|e| Error::file(&self.path, e.to_string()))?;
        line.push(b'\n');
        self.file.write_all(&line).map_err(Error::io(&self.path))
    }

    /// Makes sure that what was appended survives the machine.
    pub fn flush(&mut self) -> Result<()> {
        self.file.sync_data().map_err(Error::io(&self.path))
    }
}

/// One writer at a time; the lock ends with the process, however that ends.
fn lock(path: &Path, file: &File) -> Result<()> {
    file.try_lock().map_err(|_| Error::file(path, "is being written by another process: wait for it, or stop it"))
}

fn whole_lines(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|b| *b == b'\n').map_or(0, |last| last + 1);
    &text[..end]
}

fn parse(path: &Path, text: &[u8]) -> Result<Vec<Event>> {
    events(path, text).collect()
}

fn events(path: &Path, text: &[u8]) -> impl Iterator<Item = Result<Event>> {
    let lines = text.split(|b| *b == b'\n').enumerate().filter(|(_, line)| !line.is_empty());
    lines.map(move |(i, line)| {
        let event: Event = serde_json::from_slice(line).map_err(|e| Error::data(path, i + 1, damaged(&e, i)))?;
        event.check().map_err(|what| Error::data(path, i + 1, format!("not an event: {what}; {}", advice(i))))?;
        Ok(event)
    })
}

impl Event {
    /// Refuses counts that nothing here can have written: what is decided from them would take memory for each machine.
    fn check(&self) -> Result<(), String> {
        let (machines, rounds): (Vec<usize>, Vec<u64>) = match self {
            Self::Started { facts, .. } => (facts.machines.clone(), Vec::new()),
            Self::Decided { decision, .. } => match &**decision {
                Decision::Run { frame, .. } => (vec![frame.config.machines], vec![frame.until_round, frame.from_round]),
                Decision::Rehearse { script, .. } => (Vec::new(), vec![script.rounds]),
                Decision::Stop { .. } => Default::default(),
            },
            Self::Round { record } => (vec![record.machines], vec![record.round]),
            Self::Resumed { .. } | Self::Compared { .. } | Self::FrameEnded { .. } => Default::default(),
            Self::Rehearsed { .. } | Self::Finished { .. } => Default::default(),
        };
        if let Some(m) = machines.into_iter().find(|m| check_machines(*m).is_err()) {
            return Err(format!("{m} machines; there are 1 to {MOST_MACHINES}"));
        }
        rounds.into_iter().find(|round| *round > MOST_ROUNDS).map_or(Ok(()), |round| Err(format!("round {round}")))
    }
}

/// What to do about a line that cannot be read, with so many before it.
fn advice(before: usize) -> &'static str {
    match before {
        0 => {
            "the journal is damaged or of a newer version, and without its first line nothing tells of the job: start the \
             run anew"
        }
        _ => {
            "the journal is damaged or of a newer version: without this line and those after it, it goes on from the ones \
             before"
        }
    }
}

/// The parser sees one line only, and counts from it.
fn damaged(error: &serde_json::Error, before: usize) -> String {
    let said = error.to_string();
    let what = said.split(" at line ").next().unwrap_or(&said);
    format!("not an event: {what} at column {}; {}", error.column(), advice(before))
}
