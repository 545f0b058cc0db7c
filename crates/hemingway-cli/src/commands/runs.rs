//! `runs`: what the store holds.

mod entry;

use std::path::Path;

use anyhow::Result;
use hemingway::record::csv;
use hemingway::record::store::{RunDir, Store};
use serde_json::{Value, json};

use super::exit;
use super::outcome::store_flag;
use crate::args::{RunsArgs, RunsCommand};
use crate::jobs;
use crate::output::{Answer, Output};
use crate::show::{Align, Paint, Table, number};
use entry::Entry;

/// Lists, shows or exports.
pub(super) fn runs(args: &RunsArgs, out: &mut dyn Output) -> Result<u8> {
    let store = Store::at(&args.store.store);
    match &args.command {
        None => list(&store, &args.store.store, out)?,
        Some(RunsCommand::Show { run }) => out.answer(&Entry::read(&store.find(run)?)?)?,
        Some(RunsCommand::Export { run, out: to }) => export(&store.find(run)?, to.as_deref(), out)?,
    }
    Ok(exit::MET)
}

fn list(store: &Store, root: &Path, out: &mut dyn Output) -> Result<()> {
    let waiting = out.wait("reading the journals");
    let mut entries = Vec::new();
    let mut broken = Vec::new();
    for dir in store.runs()? {
        match Entry::read(&dir) {
            Ok(entry) => entries.push(entry),
            Err(error) => broken.push(format!("{error:#}")),
        }
    }
    entries.sort_by(|a, b| a.began.total_cmp(&b.began));
    drop(waiting);
    for words in broken {
        out.note(&format!("not listed: {words}"));
    }
    out.answer(&Listing { entries, root: root.display().to_string(), flag: store_flag(root) })?;
    Ok(())
}

fn export(dir: &RunDir, to: Option<&Path>, out: &mut dyn Output) -> Result<()> {
    let records = jobs::history(dir)?.records;
    let mut text = Vec::new();
    csv::write(&mut text, &records)?;
    let exported = Exported {
        run: dir.id.clone(),
        rows: records.len(),
        file: to.map(|path| path.display().to_string()),
        text: if to.is_some() { String::new() } else { String::from_utf8_lossy(&text).into_owned() },
        records: if to.is_some() { Value::Null } else { serde_json::to_value(&records)? },
    };
    if let Some(path) = to {
        std::fs::write(path, text).map_err(hemingway::Error::io(path))?;
    }
    out.answer(&exported)?;
    Ok(())
}

struct Listing {
    entries: Vec<Entry>,
    root: String,
    flag: String,
}

impl Answer for Listing {
    fn json(&self) -> Value {
        self.entries.iter().map(Answer::json).collect()
    }

    fn human(&self, paint: Paint) -> String {
        if self.entries.is_empty() {
            return format!(
                "No runs in {}. Begin with: hemingway train synth:logistic --reach 1e-3{}",
                self.root, self.flag
            );
        }
        let mut table = Table::new([
            ("run", Align::Left),
            ("data", Align::Left),
            ("on", Align::Left),
            ("goal", Align::Left),
            ("choice", Align::Left),
            ("objective", Align::Right),
            ("est. error", Align::Right),
            ("certified", Align::Right),
            ("predicted", Align::Right),
            ("real", Align::Right),
            ("status", Align::Left),
        ]);
        for entry in &self.entries {
            table.row(entry.cells());
        }
        let virtual_words = paint.dim("seconds on simulated clusters are virtual");
        let any_virtual = self.entries.iter().any(Entry::is_virtual);
        format!("{}{}", table.text("", paint), if any_virtual { virtual_words } else { String::new() })
    }

    fn quiet(&self) -> String {
        self.entries.iter().map(|entry| entry.run.clone()).collect::<Vec<_>>().join("\n")
    }
}

struct Exported {
    run: String,
    rows: usize,
    file: Option<String>,
    text: String,
    records: Value,
}

impl Answer for Exported {
    fn json(&self) -> Value {
        match &self.file {
            Some(file) => json!({ "run": self.run, "records": self.rows, "file": file }),
            None => json!({ "run": self.run, "records": self.records }),
        }
    }

    fn human(&self, _paint: Paint) -> String {
        match &self.file {
            Some(file) => format!("{} of {} are in {file}", number::counted(self.rows, "record"), self.run),
            None => self.text.clone(),
        }
    }

    fn quiet(&self) -> String {
        self.text.clone()
    }
}
