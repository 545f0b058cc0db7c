//! `predict` and `score`: a model applied to data.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;
use hemingway::data::ratings::{Listed, Meaning};
use hemingway::data::{Loaded, Reading, Source};
use hemingway::record::store::Store;
use hemingway::trained::TrainedModel;
use serde_json::{Value, json};

use super::exit;
use super::outcome::store_flag;
use crate::args::{PredictArgs, ScoreArgs};
use crate::output::{Answer, Output};
use crate::show::{Paint, number};

/// Predicts every row.
pub(super) fn predict(args: &PredictArgs, out: &mut dyn Output) -> Result<u8> {
    let model = load_model(&args.model, &args.store.store)?;
    if model.factors.is_some() {
        return predict_ratings(args, &model, out);
    }
    let reading = Reading { labels: args.labels.labels(), unlabelled: true, ..like(&model) };
    let Loaded { dataset, mut notes, .. } = load_data(&args.data, reading, out)?;
    let (margins, said) = model.margins(dataset.matrix)?;
    notes.extend(said);
    say_all(&notes, out);
    let rows = margins.chunks(model.outputs());
    let columns = if args.margins { model.outputs() } else { 1 };
    let values = if args.margins { margins } else { rows.map(|z| model.label(z)).collect() };
    give(Predicted { values, columns, file: args.out.clone(), margins: args.margins, notes }, out)
}

/// Predicts the rating of every line.
fn predict_ratings(args: &PredictArgs, model: &TrainedModel, out: &mut dyn Output) -> Result<u8> {
    // What the rating is does not matter, nor whether there is one.
    let values = model.predict_ratings(&Listed::load(&args.data, Meaning::Implicit)?)?;
    give(Predicted { values, columns: 1, file: args.out.clone(), margins: args.margins, notes: Vec::new() }, out)
}

fn give(predicted: Predicted, out: &mut dyn Output) -> Result<u8> {
    if let Some(path) = &predicted.file {
        std::fs::write(path, predicted.lines()).map_err(hemingway::Error::io(path))?;
    }
    out.answer(&predicted)?;
    Ok(exit::MET)
}

/// Measures on labelled data.
pub(super) fn score(args: &ScoreArgs, out: &mut dyn Output) -> Result<u8> {
    let model = load_model(&args.model, &args.store.store)?;
    if model.factors.is_some() {
        return score_ratings(args, &model, out);
    }
    let reading = Reading { labels: args.labels.labels(), weights: args.weights.weights(), ..like(&model) };
    let Loaded { dataset, mut notes, .. } = load_data(&args.data, reading, out)?;
    let rows = dataset.rows();
    let (metrics, said) = model.score(dataset)?;
    notes.extend(said);
    say_all(&notes, out);
    out.answer(&Scored { model: args.model.clone(), data: args.data.clone(), rows, metrics, notes })?;
    Ok(exit::MET)
}

/// Measures on ratings.
fn score_ratings(args: &ScoreArgs, model: &TrainedModel, out: &mut dyn Output) -> Result<u8> {
    let listed = Listed::load(&args.data, model.of_ratings()?.meaning())?;
    let (metrics, notes) = model.score_ratings(&listed)?;
    say_all(&notes, out);
    let rows = listed.iter().count();
    out.answer(&Scored { model: args.model.clone(), data: args.data.clone(), rows, metrics, notes })?;
    Ok(exit::MET)
}

/// A model file, or that of a run.
pub(super) fn load_model(name: &str, store: &Path) -> hemingway::Result<TrainedModel> {
    let path = PathBuf::from(name);
    if path.is_file() {
        return TrainedModel::load(&path);
    }
    let dir = Store::at(store).find(name).map_err(|_| {
        hemingway::Error::file(
            name,
            format!(
                "is neither a model file nor a run in {}; `hemingway runs{}` lists them",
                store.display(),
                store_flag(store)
            ),
        )
    })?;
    if !dir.model_path().is_file() {
        let what = format!(
            "has no model: no round was kept; `hemingway explain {0}{1}` says why, and a run that has not ended goes on with \
             `hemingway train --resume {0}{1}`",
            dir.id,
            store_flag(store)
        );
        return Err(hemingway::Error::file(dir.path(), what));
    }
    TrainedModel::load(&dir.model_path())
}

/// Data is read as the training data was.
fn like(model: &TrainedModel) -> Reading {
    Reading { like: Some(model.rules.like(model.base)), ..Reading::default() }
}

fn load_data(name: &str, reading: Reading, out: &mut dyn Output) -> hemingway::Result<Loaded> {
    let _waiting = out.wait(&format!("reading {name}"));
    crate::cache::load(&Source::parse(name)?, &reading)
}

/// Says what is worth knowing.
pub(super) fn say_all(notes: &[String], out: &mut dyn Output) {
    for note in notes {
        out.note(note);
    }
}

struct Predicted {
    values: Vec<f64>,
    /// Numbers a row: with --margins one for each of several classes.
    columns: usize,
    file: Option<PathBuf>,
    margins: bool,
    notes: Vec<String>,
}

impl Predicted {
    fn rows(&self) -> usize {
        self.values.len() / self.columns
    }

    fn lines(&self) -> String {
        let words = |row: &[f64]| row.iter().map(f64::to_string).collect::<Vec<_>>().join(" ") + "\n";
        self.values.chunks(self.columns).map(words).collect()
    }

    fn list(&self) -> Value {
        if self.columns == 1 { json!(self.values) } else { self.values.chunks(self.columns).collect() }
    }
}

impl Answer for Predicted {
    fn json(&self) -> Value {
        let what = if self.margins { "margins" } else { "predictions" };
        match &self.file {
            Some(file) => json!({ "rows": self.rows(), "file": file, "notes": self.notes }),
            None => json!({ "rows": self.rows(), what: self.list(), "notes": self.notes }),
        }
    }

    fn human(&self, _paint: Paint) -> String {
        match &self.file {
            Some(file) => format!("{} are in {}", number::counted(self.rows(), "prediction"), file.display()),
            None => self.lines(),
        }
    }

    fn quiet(&self) -> String {
        if self.file.is_some() { String::new() } else { self.lines() }
    }
}

struct Scored {
    model: String,
    data: String,
    rows: usize,
    metrics: BTreeMap<String, f64>,
    notes: Vec<String>,
}

impl Answer for Scored {
    fn json(&self) -> Value {
        let Self { model, data, rows, metrics, notes } = self;
        json!({ "model": model, "data": data, "rows": rows, "metrics": metrics, "notes": notes })
    }

    fn human(&self, paint: Paint) -> String {
        let mut text = format!("{} on {} ({})\n", self.model, self.data, number::counted(self.rows, "row"));
        for (name, value) in &self.metrics {
            text.push_str(&format!("  {}  {value:.5}\n", paint.dim(&format!("{name:<10}"))));
        }
        text
    }

    fn quiet(&self) -> String {
        self.metrics.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join("\n")
    }
}
