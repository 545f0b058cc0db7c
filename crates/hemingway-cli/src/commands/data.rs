//! `data`: look at it, make it, convert it.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::Result;
use hemingway::data::info::{LabelSummary, Storage};
use hemingway::data::synth::Recipe;
use hemingway::data::{Dataset, Info, Loaded, Reading, Source, libsvm};
use serde_json::{Value, json};

use super::exit;
use crate::args::{DataCommand, LabelArgs};
use crate::output::{Answer, Output};
use crate::show::{Paint, number};

/// Looks at, makes or converts.
pub(super) fn data(command: &DataCommand, out: &mut dyn Output) -> Result<u8> {
    match command {
        DataCommand::Info { data, labels } => {
            let loaded = load(&Source::parse(data)?, labels, out)?;
            out.answer(&Described { info: Info::of(&loaded.dataset), notes: loaded.notes })?;
        }
        DataCommand::Synth { spec, out: path } => {
            let waiting = out.wait(&format!("making {spec}"));
            let dataset = Recipe::parse(spec)?.make();
            drop(waiting);
            write(&dataset, path, out)?;
        }
        DataCommand::Convert { from, to, labels } => {
            let loaded = load(&Source::parse(from)?, labels, out)?;
            for note in &loaded.notes {
                out.say(&format!("note: {note}"));
            }
            write(&loaded.dataset, to, out)?;
        }
    }
    Ok(exit::MET)
}

fn load(source: &Source, labels: &LabelArgs, out: &mut dyn Output) -> hemingway::Result<Loaded> {
    let _waiting = out.wait(&format!("reading {source}"));
    source.load_as(&Reading::with_labels(&labels.labels()))
}

fn write(dataset: &Dataset, path: &Path, out: &mut dyn Output) -> Result<()> {
    let waiting = out.wait(&format!("writing {}", path.display()));
    let mut file = BufWriter::new(File::create(path).map_err(hemingway::Error::io(path))?);
    libsvm::write(dataset, &mut file).and_then(|()| file.flush()).map_err(hemingway::Error::io(path))?;
    drop(waiting);
    out.answer(&Written { info: Info::of(dataset), file: path.display().to_string() })?;
    Ok(())
}

struct Described {
    info: Info,
    notes: Vec<String>,
}

impl Answer for Described {
    fn json(&self) -> Value {
        let mut value = serde_json::to_value(&self.info).unwrap_or_default();
        value["notes"] = json!(self.notes);
        value
    }

    fn human(&self, paint: Paint) -> String {
        let info = &self.info;
        let storage = if info.storage == Storage::Sparse { "sparse" } else { "dense" };
        let mut lines = vec![
            ("rows", number::count(info.rows)),
            ("columns", number::count(info.columns)),
            (
                "nonzeros",
                format!(
                    "{} ({} % of all entries; kept {storage})",
                    number::count(info.nonzeros),
                    number::digits(100.0 * info.density)
                ),
            ),
            ("labels", labels(&info.labels)),
        ];
        lines.extend(self.notes.iter().map(|note| ("note", note.clone())));
        let mut text = format!("{}\n", paint.bold(&info.name));
        for (head, body) in lines {
            text.push_str(&format!("  {}  {body}\n", paint.dim(&format!("{head:<8}"))));
        }
        text
    }

    fn quiet(&self) -> String {
        format!("{} {} {}", self.info.rows, self.info.columns, self.info.nonzeros)
    }
}

fn labels(labels: &LabelSummary) -> String {
    match labels {
        LabelSummary::Counts(counts) => {
            let told = counts.iter().map(|count| format!("{} ({})", count.label, number::counted(count.rows, "row")));
            told.collect::<Vec<_>>().join(", ")
        }
        LabelSummary::Range { min, mean, max } => {
            format!("numbers from {} to {}, mean {}", number::digits(*min), number::digits(*max), number::digits(*mean))
        }
    }
}

struct Written {
    info: Info,
    file: String,
}

impl Answer for Written {
    fn json(&self) -> Value {
        json!({ "file": self.file, "rows": self.info.rows, "columns": self.info.columns, "nonzeros": self.info.nonzeros })
    }

    fn human(&self, _paint: Paint) -> String {
        let size = format!("{} × {}", number::count(self.info.rows), number::count(self.info.columns));
        format!("{size}, {}, are in {}", number::counted(self.info.nonzeros, "nonzero"), self.file)
    }

    fn quiet(&self) -> String {
        self.file.clone()
    }
}
