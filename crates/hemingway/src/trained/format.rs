//! Which formats there are, what each cannot say, and which one a file has.

use std::path::Path;

use super::{TrainedModel, liblinear, onnx, ratings, safetensors};
use crate::data::Rules;
use crate::data::libsvm::Base;
use crate::problem::Loss;
use crate::{Error, Result};

/// A format of model files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelFormat {
    /// Ours: everything.
    Json,
    /// The text of liblinear's own `train` and `predict`.
    Liblinear,
    /// A graph for any ONNX runtime; written, not read.
    Onnx,
    /// Weights and intercept as arrays.
    Safetensors,
    /// Factors of ratings as NumPy's arrays; written, not read.
    Npz,
}

impl ModelFormat {
    /// What the ending of a name asks for; without one, JSON.
    pub fn of(path: &Path) -> Result<Self> {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match ending.as_str() {
            "" | "json" => Ok(Self::Json),
            "model" => Ok(Self::Liblinear),
            "onnx" => Ok(Self::Onnx),
            "safetensors" => Ok(Self::Safetensors),
            "npz" => Ok(Self::Npz),
            other => {
                let what = format!(
                    "models cannot be written as {other}; end the name in .json, .model (liblinear), .onnx, .safetensors or, \
                     for factors, .npz"
                );
                Err(Error::setting(path.display().to_string(), what))
            }
        }
    }

    /// What to say of a name that promises another format than the one written under it.
    pub fn misnamed(self, path: &Path) -> Option<String> {
        let ending = path.extension()?.to_string_lossy();
        let other = Self::of(path).ok().filter(|promised| *promised != self);
        other.map(|_| format!("{}: its name ends in .{ending}, but the file is {}", path.display(), self.name()))
    }

    /// Its name, for people and flags.
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Liblinear => "liblinear",
            Self::Onnx => "onnx",
            Self::Safetensors => "safetensors",
            Self::Npz => "npz",
        }
    }

    /// Refuses a model that the format cannot express; all that matters is known before training.
    pub fn check(self, loss: Loss, rules: &Rules) -> Result<()> {
        match self {
            Self::Liblinear => liblinear::check(loss, rules).map_err(|what| Error::setting("liblinear text", what)),
            Self::Json | Self::Onnx | Self::Safetensors | Self::Npz => Ok(()),
        }
    }

    /// Refuses a format that holds no factors of ratings, or nothing else.
    pub fn check_factors(self, are_factors: bool) -> Result<()> {
        match (self, are_factors) {
            (Self::Json, _) | (Self::Npz, true) => Ok(()),
            (Self::Npz, false) => {
                Err(Error::setting("npz", "only factors of ratings are written so; take .safetensors"))
            }
            (_, false) => Ok(()),
            (_, true) => Err(Error::setting(self.name(), "holds no factors of ratings; take .json or .npz")),
        }
    }

    /// The file.
    ///
    /// # Errors
    /// The sentence to show, if the format cannot hold the model.
    pub(super) fn bytes(self, model: &TrainedModel) -> Result<Vec<u8>, String> {
        match self {
            Self::Json => serde_json::to_vec_pretty(model).map_err(|e| e.to_string()),
            Self::Liblinear => liblinear::write(model).map(String::into_bytes),
            Self::Onnx => onnx::write(model),
            Self::Safetensors => safetensors::write(model),
            Self::Npz => ratings::write(model),
        }
    }

    /// What the format leaves to whoever applies the model, in sentences.
    pub(super) fn notes(self, model: &TrainedModel) -> Vec<String> {
        let rules = &model.rules;
        let said = [
            (
                matches!(self, Self::Liblinear | Self::Onnx) && rules.names.is_some(),
                "columns go by number: give rows theirs in the order of the training data",
            ),
            (
                self == Self::Liblinear && model.base == Some(Base::Zero),
                "liblinear counts columns from 1, the training data from 0: `hemingway data convert` writes rows from 1",
            ),
            (
                self == Self::Liblinear && rules.unit_rows,
                "liblinear does not scale rows to length 1: labels stay the same, scores are longer by the length of the row",
            ),
            (
                self == Self::Safetensors && rules.unit_rows,
                "divide rows by their length before the weights apply, as `predict` does",
            ),
        ];
        said.into_iter().filter(|(applies, _)| *applies).map(|(_, words)| words.into()).collect()
    }
}

/// Reads a model; `path` is for messages.
pub(super) fn read(bytes: &[u8], path: &Path) -> Result<TrainedModel> {
    if bytes.trim_ascii_start().starts_with(b"{") {
        return serde_json::from_slice(bytes)
            .map_err(|e| Error::data(path, e.line(), format!("not a model file of ours: {e}; write it again")));
    }
    if liblinear::begins(bytes) {
        return liblinear::read(bytes, path);
    }
    if safetensors::begins(bytes) {
        return safetensors::read(bytes).map_err(|what| Error::file(path, what));
    }
    let what = match ModelFormat::of(path) {
        Ok(ModelFormat::Onnx) => {
            "ONNX files are written for other programs; give the .json or the run it was made from"
        }
        _ => "is not a model file: give our JSON, liblinear text, safetensors, or the name of a run",
    };
    Err(Error::file(path, what))
}
