//! The flags of `train`, `plan` and `run`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use hemingway::data::{ClassWeight, Normalize, Precision};
use hemingway::goal::Caps;
use hemingway::problem::{Loss, Scheme};
use hemingway::schedule::Schedule;

use super::{FactorArgs, GoalArgs, LabelArgs, PathArgs, RankArgs, RoundArgs, WeightArgs, value};

/// `train` and `plan`.
#[derive(Debug, Args)]
pub(crate) struct TrainArgs {
    /// A file (LIBSVM or Vowpal Wabbit text, CSV, Parquet, NumPy npy or npz, idx images; plain, .gz or .bz2) or `synth:KIND,key=value…`
    #[arg(value_name = "DATA")]
    pub(crate) data: Vec<String>,
    #[command(flatten)]
    pub(crate) goal: GoalArgs,
    #[command(flatten)]
    pub(crate) problem: ProblemArgs,
    #[command(flatten)]
    pub(crate) path: PathArgs,
    #[command(flatten)]
    pub(crate) places: PlacesArgs,
    #[command(flatten)]
    pub(crate) rounds: RoundArgs,
    #[command(flatten)]
    pub(crate) ranks: RankArgs,
    #[command(flatten)]
    pub(crate) choice: ChoiceArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
}

/// `run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// A file (LIBSVM or Vowpal Wabbit text, CSV, Parquet, NumPy npy or npz, idx images; plain, .gz or .bz2) or `synth:KIND,key=value…`
    #[arg(value_name = "DATA")]
    pub(crate) data: Vec<String>,
    /// gd, lbfgs, newton, gram, minibatch-sgd, local-sgd, splash, svrg, minibatch-sdca, cocoa, cocoa+, proxcocoa+, strads, admm or noop;
    /// als or ccd++ for ratings; with settings: cocoa+:epochs=0.25:gamma=0.5:sigma=8, als:cg=3
    #[arg(long, value_name = "A", required_unless_present = "resume", conflicts_with = "resume")]
    #[arg(help_heading = "Choice")]
    pub(crate) algorithm: Option<String>,
    /// Number of machines (workers)
    #[arg(long, value_name = "M", required_unless_present = "resume", value_parser = value::one_number)]
    #[arg(help_heading = "Choice")]
    pub(crate) machines: Option<usize>,
    /// Which columns strads moves in a round: dynamic, all, cyclic, random or static, with settings after a colon as in
    /// `dynamic:block=8,rho=0.2` or `random:block=64` [default: dynamic]
    #[arg(long, value_name = "WAY", value_parser = value::named::<Schedule>, conflicts_with = "resume")]
    #[arg(help_heading = "Choice")]
    pub(crate) schedule: Option<Schedule>,
    /// So many rounds, whatever they reach [default: --reach 1e-3 if no goal is given]
    #[arg(long, value_name = "N", group = "goal", value_parser = value::whole::<u64>)]
    #[arg(help_heading = "Goal (exactly one)")]
    pub(crate) rounds: Option<u64>,
    #[command(flatten)]
    pub(crate) goal: GoalArgs,
    #[command(flatten)]
    pub(crate) problem: ProblemArgs,
    /// Train on this share of the rows, drawn by the seed; λ₂ is divided by it where an
    /// algorithm goes by what a row weighs. From such cheap
    /// records, of 0.05, 0.1 and 0.2 say, `fit` and `advise` foresee the whole [default: all rows]
    #[arg(long, value_name = "F", value_parser = value::number, help_heading = "Problem", conflicts_with = "resume")]
    pub(crate) fraction: Option<f64>,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    #[command(flatten)]
    pub(crate) exchange: RoundArgs,
    #[command(flatten)]
    pub(crate) ranks: RankArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
}

/// What is to be learnt.
#[derive(Debug, Args)]
#[command(next_help_heading = "Problem")]
pub(crate) struct ProblemArgs {
    #[command(flatten)]
    pub(crate) factors: FactorArgs,
    #[command(flatten)]
    pub(crate) labels: LabelArgs,
    #[command(flatten)]
    pub(crate) weights: WeightArgs,
    /// What the rows of each class count for besides: `balanced`, or LABEL=WEIGHT,… [default: 1]
    #[arg(long, value_name = "WHAT", value_parser = value::named::<ClassWeight>, allow_hyphen_values = true)]
    pub(crate) class_weight: Option<ClassWeight>,
    /// Classes: hinge, squared-hinge, smoothed-hinge, logistic; numbers: squared, absolute, huber [default: logistic,
    /// squared]
    #[arg(long, value_name = "LOSS", value_parser = value::named::<Loss>)]
    pub(crate) loss: Option<Loss>,
    /// Strength λ₂ of (λ₂/2)‖w‖² [default: 1/rows; of ratings 0.1, implicit 0.01]
    #[arg(long, value_name = "λ₂", value_parser = value::number, allow_negative_numbers = true)]
    pub(crate) l2: Option<f64>,
    /// Strength λ₁ of λ₁‖w‖₁; beside λ₂ an elastic net, with --l2 0 a lasso [default: 0]
    #[arg(long, value_name = "λ₁", value_parser = value::number, default_value = "0", hide_default_value = true)]
    #[arg(allow_negative_numbers = true)]
    pub(crate) l1: f64,
    /// Divide each row by its length, or each column by its largest value [default: neither]
    #[arg(long, value_name = "WHAT")]
    pub(crate) normalize: Option<Scale>,
    /// Learn this label against all others [default: the larger of two; with more, --classes]
    #[arg(long, value_name = "LABEL", value_parser = value::number, allow_negative_numbers = true)]
    pub(crate) positive: Option<f64>,
    /// How more than two classes are told apart: softmax (logistic loss only) or one-vs-rest, all models in every
    /// round [default: softmax with the logistic loss, one-vs-rest with the hinges]
    #[arg(long, value_name = "WAY")]
    pub(crate) classes: Option<Scheme>,
    /// Add a constant column, penalised like any other [default: off]
    #[arg(long)]
    pub(crate) intercept: bool,
    /// How values are kept: f32 (half the memory, rounded), f64, or auto: f32 where that loses nothing
    #[arg(long, value_name = "WIDTH", default_value = "auto")]
    pub(crate) storage: Storage,
    /// Measure every model on this data too [default: none]
    #[arg(long, value_name = "FILE")]
    pub(crate) test: Option<String>,
    /// Seed of everything random
    #[arg(long, value_name = "N", value_parser = value::seed, default_value_t = 0, allow_negative_numbers = true)]
    pub(crate) seed: u64,
}

/// What to divide by.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Scale {
    /// ‖x‖₂ = 1
    Rows,
    /// max |x| = 1
    Columns,
}

impl Scale {
    /// Whether what rows are divided by depends on all of them.
    pub(crate) fn is_of_all_rows(self) -> bool {
        matches!(self, Self::Columns)
    }
}

impl From<Scale> for Normalize {
    fn from(scale: Scale) -> Self {
        match scale {
            Scale::Rows => Self::Rows,
            Scale::Columns => Self::Columns,
        }
    }
}

/// How values are kept.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Storage {
    /// f32 where that loses nothing, else f64
    Auto,
    /// Rounded to f32
    F32,
    /// f64
    F64,
}

impl From<Storage> for Precision {
    fn from(storage: Storage) -> Self {
        match storage {
            Storage::Auto => Self::Auto,
            Storage::F32 => Self::F32,
            Storage::F64 => Self::F64,
        }
    }
}

/// The cluster that is threads of this machine.
pub(crate) const LOCAL: &str = "local";

/// Where it runs.
#[derive(Debug, Args)]
#[command(next_help_heading = "Machines")]
pub(crate) struct PlaceArgs {
    /// A cluster file (docs/clusters.md; `doctor -o FILE` writes one), a shipped cluster (spark-1gbit, cloud-25gbit,
    /// hpc-200gbit, laptop), or `local` threads
    #[arg(long, value_name = "FILE|NAME", default_value = LOCAL)]
    pub(crate) cluster: String,
}

/// Where it may run.
#[derive(Debug, Args)]
#[command(next_help_heading = "Machines")]
pub(crate) struct PlacesArgs {
    /// A cluster file (docs/clusters.md; `doctor -o FILE` writes one), a shipped cluster (spark-1gbit, cloud-25gbit,
    /// hpc-200gbit, laptop), or `local` threads. Given more than once, each cluster is planned on, and the best of them
    /// taken
    #[arg(long, value_name = "FILE|NAME", default_value = LOCAL)]
    pub(crate) cluster: Vec<String>,
}

/// What may be chosen.
#[derive(Debug, Args)]
#[command(next_help_heading = "Choice")]
pub(crate) struct ChoiceArgs {
    /// Fewest and most machines [default: 1 to all of the cluster, or the cores of this machine]
    #[arg(long, value_name = "A..B", value_parser = value::machines)]
    pub(crate) machines: Option<(usize, usize)>,
    /// Only these algorithms [default: those that apply of newton, gram, cocoa and cocoa+; with --l1 of lbfgs, gram,
    /// strads, admm and cocoa+; with neither --reach nor --l1 also local-sgd and splash; of ratings als and ccd++;
    /// docs/algorithms.md tells the exceptions]
    #[arg(long, value_name = "A,B", value_delimiter = ',', conflicts_with = "resume")]
    pub(crate) algorithms: Option<Vec<String>>,
    /// Keep to the first choice, do not adapt while training [default: off]
    #[arg(long, conflicts_with = "resume")]
    pub(crate) fixed: bool,
    /// Decide as if the store were empty [default: earlier runs of this problem or on this cluster are remembered]
    #[arg(long, conflicts_with = "resume")]
    pub(crate) forget: bool,
    /// Train without asking [default: ask on a terminal]
    #[arg(short = 'y', long)]
    pub(crate) yes: bool,
    /// Every candidate of the plan table, not the best 12 [default: off]
    #[arg(long)]
    pub(crate) all: bool,
}

/// Caps that hold whatever the goal.
#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitArgs {
    /// Stop after this time, probing included: 60, 60s, 5m, 1h30m [default: none]
    #[arg(long, value_name = "T", value_parser = value::seconds, allow_negative_numbers = true)]
    pub(crate) max_time: Option<f64>,
    /// Stop before more than this is spent, probing included: 2 or '$2' [default: none]
    #[arg(long, value_name = "$", value_parser = value::dollars, allow_negative_numbers = true)]
    pub(crate) max_cost: Option<f64>,
}

impl LimitArgs {
    pub(crate) fn caps(&self) -> Caps {
        Caps { seconds: self.max_time, dollars: self.max_cost }
    }
}

/// What a journal already says of its job.
const JOB: [&str; 27] = [
    "problem",
    "rank",
    "implicit",
    "alpha",
    "data",
    "label",
    "labels",
    "weight",
    "weights",
    "class_weight",
    "goal",
    "certified",
    "machines",
    "loss",
    "l2",
    "l1",
    "normalize",
    "positive",
    "classes",
    "intercept",
    "storage",
    "test",
    "seed",
    "cluster",
    "sync",
    "links",
    "eval_every",
];

/// What is kept.
#[derive(Debug, Args)]
#[command(next_help_heading = "Records and results")]
pub(crate) struct KeepArgs {
    /// Directory that holds the runs
    #[arg(long, value_name = "DIR", default_value = "runs")]
    pub(crate) store: PathBuf,
    /// Write the model here too: .json (ours), .model (liblinear text), .onnx, .safetensors or, of factors, .npz [default: only
    /// in the store]
    #[arg(long, value_name = "FILE")]
    pub(crate) model: Option<PathBuf>,
    /// Write the records as CSV too [default: only the journal]
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) records: Option<PathBuf>,
    /// With --sync search: write the strategy found for the machines chosen here too, for `--sync FILE` [default: nowhere]
    #[arg(long, value_name = "FILE.json")]
    pub(crate) sync_out: Option<PathBuf>,
    /// Evaluate the objective every so many iterations
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value::whole::<u64>)]
    pub(crate) eval_every: u64,
    /// Go on with a killed or interrupted run (name, `last` or directory); the job comes from its journal. One that its
    /// caps ended goes on under a larger --max-time or --max-cost, counted from its beginning
    #[arg(long, value_name = "RUN", conflicts_with_all = JOB)]
    pub(crate) resume: Option<String>,
}
