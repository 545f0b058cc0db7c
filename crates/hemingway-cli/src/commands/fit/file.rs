//! What `fit -o` writes and `advise` reads.

use std::path::Path;

use hemingway::model::{FitOptions, RunModel};
use hemingway::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::show::Basis;

const FORMAT: &str = "hemingway-fit-1";

/// Models, what they rest on, and how they were fitted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct FitFile {
    format: String,
    /// f and g.
    pub(crate) model: RunModel,
    /// What they rest on.
    pub(crate) basis: Basis,
    /// How they were fitted.
    pub(crate) options: FitOptions,
}

impl FitFile {
    /// Fitted so from this.
    pub(crate) fn new(model: RunModel, basis: Basis, options: FitOptions) -> Self {
        Self { format: FORMAT.into(), model, basis, options }
    }

    pub(super) fn save(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_vec_pretty(self).map_err(|e| Error::file(path, e.to_string()))?;
        std::fs::write(path, text).map_err(Error::io(path))
    }

    /// Reads such a file; `None` if it is anything else, such as records.
    pub(crate) fn load(path: &Path) -> Result<Option<Self>> {
        if !path.is_file() {
            return Ok(None);
        }
        // Records need not be text.
        let Ok(text) = String::from_utf8(std::fs::read(path).map_err(Error::io(path))?) else { return Ok(None) };
        if !text.trim_start().starts_with('{') || !text.contains(FORMAT) {
            return Ok(None);
        }
        let file =
            serde_json::from_str(&text).map_err(|e| Error::data(path, e.line(), format!("not a whole fit: {e}")))?;
        Ok(Some(file))
    }
}
