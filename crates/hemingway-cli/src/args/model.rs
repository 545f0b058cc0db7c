//! The flags of `model`.

use std::path::{Path, PathBuf};

use clap::{Subcommand, ValueEnum};
use hemingway::trained::ModelFormat;

use super::StoreArg;

pub(super) const EXAMPLES: &str = "\
Examples:
  hemingway model convert last a9a.model               liblinear's predict reads it
  hemingway model convert a9a.json a9a.onnx            onnxruntime runs it
  hemingway model convert a9a.model a9a.json           what liblinear trained, for score and predict
  hemingway model convert a9a.json weights --to safetensors";

/// `model …`.
#[derive(Debug, Subcommand)]
pub(crate) enum ModelCommand {
    /// Write a model as other programs read it
    ///
    /// Scales of columns are moved into the weights. What a format cannot express is refused, with the reason.
    #[command(after_long_help = EXAMPLES)]
    Convert {
        /// A model file (our JSON, liblinear text, safetensors), or the run that made it
        #[arg(value_name = "IN")]
        from: String,
        /// Where to write: .json (ours), .model (liblinear text), .onnx, .safetensors or, of factors, .npz
        #[arg(value_name = "OUT")]
        to: PathBuf,
        /// The format to write [default: by the ending of the name]
        #[arg(long = "to", value_enum, value_name = "FORMAT")]
        format: Option<ModelTo>,
        #[command(flatten)]
        store: StoreArg,
    },
}

/// Formats that can be written.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ModelTo {
    /// Ours: everything, provenance too
    Json,
    /// Text for liblinear's predict
    Liblinear,
    /// A graph for any ONNX runtime
    Onnx,
    /// Arrays `weights` and `intercept`
    Safetensors,
    /// Factors of ratings as NumPy's arrays
    Npz,
}

impl ModelTo {
    /// The format asked for, or that of the name.
    pub(crate) fn or_of(format: Option<Self>, path: &Path) -> hemingway::Result<ModelFormat> {
        match format {
            None => ModelFormat::of(path),
            Some(Self::Json) => Ok(ModelFormat::Json),
            Some(Self::Liblinear) => Ok(ModelFormat::Liblinear),
            Some(Self::Onnx) => Ok(ModelFormat::Onnx),
            Some(Self::Safetensors) => Ok(ModelFormat::Safetensors),
            Some(Self::Npz) => Ok(ModelFormat::Npz),
        }
    }
}
