//! The flags of `data`, and where labels are.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use hemingway::data::Labels;

pub(super) const EXAMPLES: &str = "\
Examples:
  hemingway data info a9a.gz
  hemingway data info housing.csv --label price
  hemingway data info words.npz --labels classes.npy
  hemingway data synth svm,rows=1000,columns=20 -o svm.txt
  hemingway data convert train-images-idx3-ubyte.gz mnist.svm";

/// Where labels are.
#[derive(Debug, Args)]
pub(crate) struct LabelArgs {
    /// The column of a table that holds the labels, by name or by number from 1 [default: the one named label, target,
    /// y or class, else the last]
    #[arg(long, value_name = "NAME|N")]
    label: Option<String>,
    /// A file that holds the labels of a NumPy array, one a row [default: `y` in the same file, or `y….npy` beside `X….npy`]
    #[arg(long, value_name = "FILE.npy", conflicts_with = "label")]
    labels: Option<PathBuf>,
}

impl LabelArgs {
    pub(crate) fn labels(&self) -> Labels {
        Labels { column: self.label.clone(), file: self.labels.clone() }
    }
}

/// `data …`.
#[derive(Debug, Subcommand)]
pub(crate) enum DataCommand {
    /// Sizes, density and labels
    Info {
        /// A file or `synth:KIND,key=value…`
        data: String,
        #[command(flatten)]
        labels: LabelArgs,
    },
    /// Make data to order, as LIBSVM text
    ///
    /// Kinds: logistic, svm, ridge, sparse, ill-conditioned, power-law. Keys of all: rows, columns, noise, seed.
    Synth {
        /// KIND,key=value…
        spec: String,
        /// Where to write
        #[arg(short, value_name = "FILE")]
        out: PathBuf,
    },
    /// Convert any readable data to LIBSVM text
    Convert {
        /// A file or `synth:KIND,key=value…`
        #[arg(value_name = "IN")]
        from: String,
        /// Where to write
        #[arg(value_name = "OUT")]
        to: PathBuf,
        #[command(flatten)]
        labels: LabelArgs,
    },
}
