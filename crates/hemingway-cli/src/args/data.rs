//! The flags of `data`, and where labels and weights are.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use hemingway::data::{Labels, SaveAs, Weights};

use super::value;

pub(super) const EXAMPLES: &str = "\
Examples:
  hemingway data info a9a.gz
  hemingway data info housing.csv --label price
  hemingway data info words.npz --labels classes.npy
  hemingway data synth svm,rows=1000,columns=20 -o svm.txt
  hemingway data convert train-images-idx3-ubyte.gz mnist.svm
  hemingway data convert housing.csv housing.npz --label price --weight households
  hemingway data split a9a.gz --test 0.2 --seed 1         a9a-train.svm and a9a-test.svm

Text that was parsed once is kept as numbers in ~/.cache/hemingway; HEMINGWAY_CACHE names another folder, or is `off`.";

const INFO_EXAMPLES: &str = "\
Examples:
  hemingway data info a9a.gz
  hemingway data info housing.csv --label price
  hemingway data info words.npz --labels classes.npy
  hemingway data info synth:svm,rows=1000 --output json | jq .density";

const SYNTH_HELP: &str = "\
Examples:
  hemingway data synth svm,rows=1000,columns=20 -o svm.txt
  hemingway data synth power-law,seed=1 -o words.npz

Kinds, and what their keys are unless you say otherwise; seed=0 in all of them:
  logistic         rows=20000,columns=50,noise=0,condition=1,reflections=0
  svm              rows=20000,columns=50,noise=0.05,condition=1,reflections=0,margin=0.1
  ridge            rows=20000,columns=50,noise=0.1,condition=1,reflections=0
  ill-conditioned  rows=20000,columns=50,noise=0,condition=1e4,reflections=0
  multiclass       rows=20000,columns=50,noise=0,condition=1,reflections=0,classes=5
  sparse           rows=20000,columns=5000,noise=0,density=0.01,relevant=250 (a twentieth of the columns)
  power-law        rows=20000,columns=5000,noise=0,density=0.01,exponent=1.1

What they mean is in docs/data.md. Ratings are made where they are used, not here: `--problem mf` takes
  synth:ratings,users=1000,items=500,ratings=50000,rank=8,noise=0.5,exponent=0.8,seed=0,part=train";

const CONVERT_EXAMPLES: &str = "\
Examples:
  hemingway data convert train-images-idx3-ubyte.gz mnist.svm.gz
  hemingway data convert housing.csv housing.npz --label price --weight households
  hemingway data convert housing.csv housing.txt --to libsvm";

const SPLIT_EXAMPLES: &str = "\
Examples:
  hemingway data split a9a.gz --test 0.2               a9a-train.svm and a9a-test.svm
  hemingway data split housing.csv --test 0.1 --seed 7 --to npz -o parts/housing";

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

/// Where weights are.
#[derive(Debug, Args)]
pub(crate) struct WeightArgs {
    /// The column of a table that holds what each row counts for, by name or by number from 1 [default: none]
    #[arg(long, value_name = "NAME|N")]
    weight: Option<String>,
    /// A file that holds what each row counts for, whatever the format of DATA: one number a line, or npy [default: the
    /// weights of Vowpal Wabbit text, `weights` or `sample_weight` of npz]
    #[arg(long, value_name = "FILE", conflicts_with = "weight")]
    weights: Option<PathBuf>,
}

impl WeightArgs {
    pub(crate) fn weights(&self) -> Weights {
        Weights { column: self.weight.clone(), file: self.weights.clone() }
    }
}

/// `data …`.
#[derive(Debug, Subcommand)]
pub(crate) enum DataCommand {
    /// Sizes, density and labels
    #[command(after_long_help = INFO_EXAMPLES)]
    Info {
        /// A file or `synth:KIND,key=value…`
        data: String,
        #[command(flatten)]
        labels: LabelArgs,
        #[command(flatten)]
        weights: WeightArgs,
    },
    /// Make data to order, as LIBSVM text, npz or Parquet
    #[command(after_long_help = SYNTH_HELP)]
    Synth {
        /// KIND,key=value…; KIND is logistic, svm, ridge, ill-conditioned, multiclass, sparse or power-law
        spec: String,
        /// Where to write
        #[arg(short, value_name = "FILE")]
        out: PathBuf,
        #[command(flatten)]
        format: FormatArg,
    },
    /// Convert any readable data to LIBSVM text, npz or Parquet
    #[command(after_long_help = CONVERT_EXAMPLES)]
    Convert {
        /// A file or `synth:KIND,key=value…`
        #[arg(value_name = "IN")]
        from: String,
        /// Where to write; text is compressed if this ends in .gz or .bz2
        #[arg(value_name = "OUT")]
        to: PathBuf,
        #[command(flatten)]
        labels: LabelArgs,
        #[command(flatten)]
        weights: WeightArgs,
        #[command(flatten)]
        format: FormatArg,
    },
    /// Deal the rows at random into a training and a test set
    #[command(after_long_help = SPLIT_EXAMPLES)]
    Split {
        /// A file or `synth:KIND,key=value…`
        data: String,
        /// Share of the rows to test on, above 0 and below 1
        #[arg(long, value_name = "F", value_parser = value::share, allow_negative_numbers = true)]
        test: f64,
        /// Seed of the draw
        #[arg(long, value_name = "N", value_parser = value::seed, default_value_t = 0, allow_negative_numbers = true)]
        seed: u64,
        /// Write STEM-train and STEM-test, with the ending of their format [default: the name of DATA, in this folder]
        #[arg(short, value_name = "STEM")]
        out: Option<PathBuf>,
        #[command(flatten)]
        labels: LabelArgs,
        #[command(flatten)]
        weights: WeightArgs,
        /// The format to write
        #[arg(long, value_enum, value_name = "FORMAT", default_value_t = To::Libsvm)]
        to: To,
    },
}

/// What to write.
#[derive(Debug, Args)]
pub(crate) struct FormatArg {
    /// The format to write [default: by the ending of the name; .npz, .parquet, or LIBSVM text]
    #[arg(long = "to", value_enum, value_name = "FORMAT")]
    format: Option<To>,
}

impl FormatArg {
    /// The format asked for, or that of the name.
    pub(crate) fn of(&self, path: &Path) -> hemingway::Result<SaveAs> {
        let format = self.format.map_or_else(|| SaveAs::of(path), |to| Ok(to.into()))?;
        format.check_name(path)?;
        Ok(format)
    }
}

/// Formats that can be written.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum To {
    /// LIBSVM text
    Libsvm,
    /// NumPy arrays X and y, or SciPy's sparse CSR and y; and weights
    Npz,
    /// A Parquet table of doubles: x1, x2, …, y; and weight
    Parquet,
}

impl From<To> for SaveAs {
    fn from(to: To) -> Self {
        match to {
            To::Libsvm => Self::Libsvm,
            To::Npz => Self::Npz,
            To::Parquet => Self::Parquet,
        }
    }
}
