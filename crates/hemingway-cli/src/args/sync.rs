//! The flags of `sync`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::value;

pub(super) const EXAMPLES: &str = "\
Examples:
  hemingway sync search vgg16 --cluster cloud-25gbit --machines 8 --lossless -o vgg16.json
  hemingway sync search resnet50 --cluster cloud-25gbit --machines 8 --keep trials.jsonl
  hemingway sync search vgg16 --cluster cloud-25gbit --machines 8 --from trials.jsonl --trials 50
  hemingway sync simulate bert-large horovod --cluster hpc-200gbit
  hemingway sync explain vgg16 vgg16.json --cluster cloud-25gbit --machines 8 --plot timeline.svg
  hemingway sync run resnet50 byteps --cluster cloud-25gbit --machines 4
  hemingway sync compare variables.json mine.json --cluster ours.toml
  hemingway sync convert resource_spec.yml -o ours.toml";

const SEARCH_EXAMPLES: &str = "\
Examples:
  hemingway sync search vgg16 --cluster cloud-25gbit --machines 8 --lossless -o vgg16.json
  hemingway sync search resnet50 --cluster cloud-25gbit --machines 8 --keep trials.jsonl
  hemingway sync search vgg16 --cluster cloud-25gbit --machines 8 --from trials.jsonl --trials 50";

const SIMULATE_EXAMPLES: &str = "\
Examples:
  hemingway sync simulate bert-large horovod --cluster hpc-200gbit
  hemingway sync simulate vgg16 vgg16.json --cluster cloud-25gbit";

const RUN_EXAMPLES: &str = "\
Examples:
  hemingway sync run resnet50 byteps --cluster cloud-25gbit --machines 4
  hemingway sync run vgg16 ring --cluster laptop --scale 256 --steps 20";

const COMPARE_EXAMPLES: &str = "\
Examples:
  hemingway sync compare ncf --cluster cloud-25gbit --machines 8
  hemingway sync compare variables.json mine.json --cluster ours.toml";

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  hemingway sync explain vgg16 ps --cluster cloud-25gbit --machines 8 --all
  hemingway sync explain vgg16 vgg16.json --cluster cloud-25gbit --plot timeline.svg";

const CONVERT_EXAMPLES: &str = "\
Examples:
  hemingway sync convert resource_spec.yml -o ours.toml";

/// What STRATEGY may be, wherever it is asked for.
const STRATEGY: &str = "A strategy's file, or a builder for its best settings on paper: ps, ps-balanced, \
                        ps-partitioned, ps-uneven, horovod, ring, tree, halving-doubling, hierarchical, parallax or \
                        byteps";

/// `sync …`.
#[derive(Debug, Subcommand)]
pub(crate) enum SyncCommand {
    /// Find a strategy: propose, rank, run the most promising, learn, repeat
    #[command(after_long_help = SEARCH_EXAMPLES)]
    Search {
        #[command(flatten)]
        place: PlaceArgs,
        #[command(flatten)]
        judge: JudgeArgs,
        /// The most trials; those of builders come on top
        #[arg(long, value_name = "N", default_value_t = TRIALS, value_parser = trials)]
        trials: usize,
        /// Only strategies that give the exact sum at every step [default: off]
        #[arg(long)]
        lossless: bool,
        /// Where to write the strategy [default: nowhere]
        #[arg(short, value_name = "FILE.json")]
        out: Option<PathBuf>,
        #[command(flatten)]
        lessons: LessonArgs,
    },
    /// Foretell a step on paper
    #[command(after_long_help = SIMULATE_EXAMPLES)]
    Simulate {
        #[command(flatten)]
        place: PlaceArgs,
        #[arg(value_name = "STRATEGY", index = 2, help = STRATEGY)]
        strategy: String,
    },
    /// Run steps with real bytes: machines as threads, over links shaped like the cluster's, or as the ranks of an MPI job
    #[command(after_long_help = RUN_EXAMPLES)]
    Run {
        #[command(flatten)]
        place: PlaceArgs,
        #[arg(value_name = "STRATEGY", index = 2, help = STRATEGY)]
        strategy: String,
        /// Bytes of the model for each byte that is really moved [default: 64 on threads, 1 on ranks]
        #[arg(long, value_name = "X", value_parser = scale)]
        scale: Option<f64>,
        /// Steps timed
        #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=10_000))]
        steps: u64,
    },
    /// Run every builder with its best settings, and the strategies named, side by side
    #[command(after_long_help = COMPARE_EXAMPLES)]
    Compare {
        #[command(flatten)]
        place: PlaceArgs,
        #[command(flatten)]
        judge: JudgeArgs,
        #[arg(value_name = "STRATEGY", index = 2, help = STRATEGY)]
        strategies: Vec<String>,
    },
    /// Why a step takes what it takes: which links are full, what is hidden under computing
    #[command(after_long_help = EXPLAIN_EXAMPLES)]
    Explain {
        #[command(flatten)]
        place: PlaceArgs,
        #[arg(value_name = "STRATEGY", index = 2, help = STRATEGY)]
        strategy: String,
        /// Draw the step's timeline as SVG [default: draw nothing]
        #[arg(long, value_name = "FILE.svg", value_parser = value::svg)]
        plot: Option<PathBuf>,
        /// Every exchange, not the 12 that end last [default: off]
        #[arg(long)]
        all: bool,
    },
    /// AutoDist's resource specification (YAML) as a cluster file
    #[command(after_long_help = CONVERT_EXAMPLES)]
    Convert {
        /// The specification
        spec: PathBuf,
        /// The cluster file
        #[arg(short, value_name = "FILE.toml")]
        out: PathBuf,
    },
}

/// Model and machines.
#[derive(Debug, Args)]
pub(crate) struct PlaceArgs {
    /// A built-in model (vgg16, resnet50, resnet101, densenet121, inceptionv3, bert-base, bert-large, ncf, wide-click),
    /// a variables list (JSON), an ONNX file, or data (a file or `synth:…`) for its linear model
    #[arg(index = 1)]
    pub(crate) model: String,
    /// A cluster file (docs/clusters.md), or a shipped cluster (spark-1gbit, cloud-25gbit, hpc-200gbit, laptop)
    #[arg(long, value_name = "FILE|NAME")]
    pub(crate) cluster: String,
    /// How many of its machines [default: those of the strategy's file, else all, at most 16; on ranks, as many
    /// as there are]
    #[arg(long, value_name = "M", value_parser = value::whole::<usize>)]
    pub(crate) machines: Option<usize>,
}

/// What searches learn from each other.
#[derive(Debug, Args)]
pub(crate) struct LessonArgs {
    /// Begin with what trials of other models or clusters teach: a file, or a folder of them [default: nothing]
    #[arg(long, value_name = "FILE.jsonl|DIR")]
    pub(crate) from: Option<PathBuf>,
    /// Add this search's trials to the end of a file [default: keep nothing]
    #[arg(long, value_name = "FILE.jsonl")]
    pub(crate) keep: Option<PathBuf>,
}

/// Who times trials.
#[derive(Debug, Args)]
pub(crate) struct JudgeArgs {
    /// Where trials are run [default: simulated; on ranks, there]
    #[arg(long, value_enum)]
    pub(crate) engine: Option<JudgeName>,
    /// Bytes of the model for each byte that is really moved [default: 64 on threads, 1 on ranks]
    #[arg(long, value_name = "X", value_parser = scale)]
    pub(crate) scale: Option<f64>,
    /// For all that is drawn
    #[arg(long, value_name = "N", value_parser = value::seed, default_value_t = 0, allow_negative_numbers = true)]
    pub(crate) seed: u64,
}

/// The most trials of a search where nobody says how many.
pub(crate) const TRIALS: usize = 200;

/// As many bytes as one stands for, on threads.
pub(crate) const SCALE: f64 = 64.0;

/// An engine by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum JudgeName {
    /// Message by message on a virtual clock, with noise that the search does not know
    Simulated,
    /// Threads of this machine, with real bytes over links shaped like the cluster's
    Threads,
}

/// By then no message of a known model is longer than a number.
const MOST_SCALE: f64 = 1e6;

/// A search without trials finds nothing.
fn trials(text: &str) -> Result<usize, String> {
    let trials = text.trim().parse().ok().filter(|trials| *trials > 0);
    trials.ok_or_else(|| "write a whole number of 1 or more; `sync compare` runs builders alone".into())
}

fn scale(text: &str) -> Result<f64, String> {
    let scale = value::number(text)?;
    let sound = (1.0..=MOST_SCALE).contains(&scale);
    sound.then_some(scale).ok_or_else(|| format!("write a factor from 1 to {MOST_SCALE}"))
}
