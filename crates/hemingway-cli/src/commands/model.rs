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
    let mut notes = model.save_as(to, format)?;
    notes.extend(format.misnamed(to));
    say_all(&notes, out);
    let size = match &model.factors {
        Some(ratings) => {
            format!("factors of {} × {} are", number::count(ratings.users.len()), number::count(ratings.items.len()))
        }
        None => format!("a model of {} is", number::counted(model.rules.columns, "column")),
    };
    out.answer(&Written { file: to.display().to_string(), format, columns: model.rules.columns, size, notes })?;
    Ok(exit::MET)
}

struct Written {
    file: String,
    format: ModelFormat,
    columns: usize,
    /// The same in words, for factors their users and items.
    size: String,
    notes: Vec<String>,
}

impl Answer for Written {
    fn json(&self) -> Value {
        json!({ "file": self.file, "format": self.format.name(), "columns": self.columns, "notes": self.notes })
    }

    fn human(&self, _paint: Paint) -> String {
        format!("{} in {}", self.size, self.file)
    }

    fn quiet(&self) -> String {
        self.file.clone()
    }
}
