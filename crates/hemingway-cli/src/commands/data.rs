//! `data`: look at it, make it, convert it, split it.

mod written;

use anyhow::Result;
use hemingway::data::info::{LabelSummary, Storage};
use hemingway::data::synth::Recipe;
use hemingway::data::{Info, Loaded, Reading, Source};
use serde_json::{Value, json};

use super::exit;
use crate::args::DataCommand;
use crate::output::{Answer, Output};
use crate::show::{Paint, number};
pub(super) use written::parts;
use written::{Parts, Written, write};

/// Looks at, makes, converts or splits.
pub(super) fn data(command: &DataCommand, out: &mut dyn Output) -> Result<u8> {
    match command {
        DataCommand::Info { data, labels, weights } => {
            let reading = Reading::of(&labels.labels(), &weights.weights());
            let loaded = load(&Source::parse(data)?, &reading, out)?;
            out.answer(&Described { info: Info::of(&loaded.dataset), notes: loaded.notes })?;
        }
        DataCommand::Synth { spec, out: path, format } => {
            let (format, recipe) = (format.of(path)?, Recipe::parse(spec)?);
            let waiting = out.wait(&format!("making {spec}"));
            let dataset = recipe.make();
            drop(waiting);
            let part = write(&dataset, path, format, out)?;
            let notes: Vec<String> = format.misnamed(path).into_iter().collect();
            notes.iter().for_each(|note| out.note(note));
            out.answer(&Written { part, notes })?;
        }
        DataCommand::Convert { from, to, labels, weights, format } => {
            let (format, reading) = (format.of(to)?, Reading::of(&labels.labels(), &weights.weights()));
            let Loaded { dataset, mut notes, .. } = load_aloud(&Source::parse(from)?, &reading, out)?;
            let part = write(&dataset, to, format, out)?;
            let misnamed = format.misnamed(to);
            misnamed.iter().for_each(|note| out.note(note));
            notes.extend(misnamed);
            out.answer(&Written { part, notes })?;
        }
        DataCommand::Split { data, test, seed, out: path, labels, weights, to } => {
            let (source, format) = (Source::parse(data)?, (*to).into());
            let [to_train, to_test] = parts(data, path.as_deref(), format)?;
            let reading = Reading::of(&labels.labels(), &weights.weights());
            let Loaded { dataset, notes, .. } = load_aloud(&source, &reading, out)?;
            let (train, test) = dataset.split(*test, *seed)?;
            let train = write(&train, &to_train, format, out)?;
            let test = write(&test, &to_test, format, out)?;
            out.answer(&Parts { train, test, notes })?;
        }
    }
    Ok(exit::MET)
}

/// Loads, and says how the file was understood.
fn load_aloud(source: &Source, reading: &Reading, out: &mut dyn Output) -> hemingway::Result<Loaded> {
    let loaded = load(source, reading, out)?;
    for note in &loaded.notes {
        out.note(note);
    }
    Ok(loaded)
}

fn load(source: &Source, reading: &Reading, out: &mut dyn Output) -> hemingway::Result<Loaded> {
    let _waiting = out.wait(&format!("reading {source}"));
    crate::cache::load(source, reading)
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
        let width = if info.f32 { ", as f32" } else { "" };
        let mut lines = vec![
            ("rows", number::count(info.rows)),
            ("columns", number::count(info.columns)),
            (
                "nonzeros",
                format!(
                    "{} ({} % of all entries; kept {storage}{width})",
                    number::count(info.nonzeros),
                    number::digits(100.0 * info.density)
                ),
            ),
            ("labels", labels(&info.labels)),
        ];
        lines.extend(info.weights.map(|weights| ("weights", range(weights.min, weights.mean, weights.max))));
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
        LabelSummary::Range { min, mean, max } => range(*min, *mean, *max),
    }
}

fn range(min: f64, mean: f64, max: f64) -> String {
    format!("numbers from {} to {}, mean {}", number::digits(min), number::digits(max), number::digits(mean))
}
