//! `model`: model files as other programs have them.

use anyhow::Result;
use hemingway::trained::ModelFormat;
use serde_json::{Value, json};

use super::exit;
use super::predict::{load_model, say_all};
use crate::args::{ModelCommand, ModelTo};
use crate::output::{Answer, Output};
use crate::show::{Paint, number};

/// Converts.
pub(super) fn model(command: &ModelCommand, out: &mut dyn Output) -> Result<u8> {
    let ModelCommand::Convert { from, to, format, store } = command;
    let format = ModelTo::or_of(*format, to)?;
    let model = load_model(from, &store.store)?;
    let notes = model.save_as(to, format)?;
    say_all(&notes, out);
    out.answer(&Written { file: to.display().to_string(), format, columns: model.rules.columns, notes })?;
    Ok(exit::MET)
}

struct Written {
    file: String,
    format: ModelFormat,
    columns: usize,
    notes: Vec<String>,
}

impl Answer for Written {
    fn json(&self) -> Value {
        json!({ "file": self.file, "format": self.format.name(), "columns": self.columns, "notes": self.notes })
    }

    fn human(&self, _paint: Paint) -> String {
        format!("a model of {} is in {}", number::counted(self.columns, "column"), self.file)
    }

    fn quiet(&self) -> String {
        self.file.clone()
    }
}
