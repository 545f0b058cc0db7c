//! The command line as it is written: names, help and plain values. What they amount to, [`crate::jobs`] and the
//! commands make of them.

mod data;
mod design;
mod goal;
mod job;
mod model;
mod path;
mod ranks;
mod ratings;
mod records;
mod report;
mod rounds;
mod sync;
mod value;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use data::{DataCommand, LabelArgs, WeightArgs};
pub(crate) use design::{CostArg, DesignArgs};
pub(crate) use goal::GoalArgs;
pub(crate) use job::{KeepArgs, LOCAL, LimitArgs, ProblemArgs, RunArgs, TrainArgs};
pub(crate) use model::{ModelCommand, ModelTo};
pub(crate) use path::PathArgs;
pub(crate) use ranks::{CollectivesName, EngineName, RankArgs};
pub(crate) use ratings::{FactorArgs, RecommendArgs};
pub(crate) use records::{AdviseArgs, FitArgs, RecordArgs};
pub(crate) use report::{Format, ReportArgs};
pub(crate) use rounds::RoundArgs;
pub(crate) use sync::{JudgeArgs, JudgeName, LessonArgs, PlaceArgs, SCALE, SyncCommand, TRIALS};

use crate::output::Mode;

/// Choose how to train convex models on a cluster, and train them.
///
/// Say what you want in one sentence (an error to reach, a time or a price to keep to) and Hemingway measures, learns
/// how time and error depend on algorithm and machines, chooses, trains, and compares what it predicted with what
/// happened.
#[derive(Debug, Parser)]
#[command(name = "hemingway", version, propagate_version = true, max_term_width = 110, after_long_help = EXAMPLES)]
pub(crate) struct Cli {
    /// How to answer: for people, as exactly one JSON value on stdout, or with the bare result only
    #[arg(long, global = true, value_enum, default_value_t = Mode::Human, env = "HEMINGWAY_OUTPUT", value_name = "MODE")]
    #[arg(help_heading = "Output")]
    pub(crate) output: Mode,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  hemingway train synth:logistic --reach 1e-3          choose and train on this machine
  hemingway plan a9a --within 60s --cluster spark-1gbit  what pays on such a cluster?
  hemingway explain last                               why was it done that way?
  hemingway report last -o report.html                 the whole story, to send to someone

Exit codes: 0 goal met, 1 error, 2 usage, 3 budget spent (or no progress left) before the goal, 130 interrupted.";

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Probe, choose algorithm and machines, train, adapt
    #[command(after_long_help = TRAIN_EXAMPLES)]
    Train(TrainArgs),
    /// Probe and print what every choice promises; train nothing
    #[command(after_long_help = PLAN_EXAMPLES)]
    Plan(TrainArgs),
    /// Train with the algorithm and machines you name
    #[command(after_long_help = RUN_EXAMPLES)]
    Run(RunArgs),
    /// Learn seconds per round and rounds to a target from records of runs, ours or anyone's
    #[command(after_long_help = FIT_EXAMPLES)]
    Fit(FitArgs),
    /// Recommend algorithm and machines from records alone
    #[command(after_long_help = ADVISE_EXAMPLES)]
    Advise(AdviseArgs),
    /// Which runs to make first, or which probe next to settle the choice
    #[command(after_long_help = DESIGN_EXAMPLES)]
    Design(DesignArgs),
    /// Why each decision of a run was taken, what would have changed the choice, and what came of it
    #[command(after_long_help = EXPLAIN_EXAMPLES)]
    Explain(ExplainArgs),
    /// A run as one document to send to someone: what was asked, chosen, predicted, spent and reached
    #[command(after_long_help = REPORT_EXAMPLES)]
    Report(ReportArgs),
    /// List runs, show one, export its records
    #[command(after_long_help = RUNS_EXAMPLES)]
    Runs(RunsArgs),
    /// Apply a model to data
    #[command(after_long_help = PREDICT_EXAMPLES)]
    Predict(PredictArgs),
    /// Measure a model on labelled data
    #[command(after_long_help = SCORE_EXAMPLES)]
    Score(ScoreArgs),
    /// Items for a user, from factors of ratings
    #[command(after_long_help = RECOMMEND_EXAMPLES)]
    Recommend(RecommendArgs),
    /// Look at, make, convert and split data
    #[command(subcommand, after_long_help = data::EXAMPLES)]
    Data(DataCommand),
    /// Convert models for other programs, and theirs for this one
    #[command(subcommand, after_long_help = model::EXAMPLES)]
    Model(ModelCommand),
    /// How the variables of a model are best exchanged between the machines of a cluster
    #[command(subcommand, after_long_help = sync::EXAMPLES)]
    Sync(SyncCommand),
    /// Look at this machine, or at ranks: cores, memory, clock, pace, what rounds cost; write it down as a cluster
    #[command(after_long_help = DOCTOR_EXAMPLES)]
    Doctor(DoctorArgs),
}

impl Command {
    /// How it uses ranks, if it can.
    pub(crate) fn ranks(&self) -> Option<&RankArgs> {
        match self {
            Self::Train(args) | Self::Plan(args) => Some(&args.ranks),
            Self::Run(args) => Some(&args.ranks),
            Self::Doctor(args) => Some(&args.ranks),
            _ => None,
        }
    }

    /// Why it cannot run on ranks, before any is started.
    pub(crate) fn keeps_off_ranks(&self) -> Option<&'static str> {
        let (path, simulated) = match self {
            Self::Train(args) | Self::Plan(args) => {
                (args.path.path.is_some(), args.places.cluster.iter().any(|name| name != LOCAL))
            }
            Self::Run(args) => (false, args.place.cluster != LOCAL),
            _ => return None,
        };
        if path {
            return Some("--engine: a path runs on threads of this machine; leave it out");
        }
        simulated.then_some("--engine: a --cluster is simulated, and ranks would do nothing; leave one of them out")
    }

    /// Its name, of those that train.
    pub(crate) fn verb(&self) -> &'static str {
        match self {
            Self::Plan(_) => "plan",
            Self::Run(_) => "run",
            _ => "train",
        }
    }

    /// The words that go on with the run it began.
    pub(crate) fn resumed(&self, run: &str, mode: Mode) -> anyhow::Result<Vec<OsString>> {
        let (keep, limits, ranks) = match self {
            Self::Train(args) | Self::Plan(args) => (&args.keep, &args.limits, &args.ranks),
            Self::Run(args) => (&args.keep, &args.limits, &args.ranks),
            _ => anyhow::bail!("only train, plan and run go on"),
        };
        let mut words: Vec<OsString> = vec![self.verb().into()];
        let mut add = |flag: &str, value: Option<OsString>| {
            words.extend(value.map(|value| [flag.into(), value]).into_iter().flatten());
        };
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.clone().into_os_string());
        let number = |number: Option<String>| number.map(OsString::from);
        add("--resume", Some(run.into()));
        add("--output", mode.to_possible_value().map(|mode| mode.get_name().into()));
        add("--store", Some(keep.store.clone().into_os_string()));
        add("--model", path(&keep.model));
        add("--records", path(&keep.records));
        add("--max-time", number(limits.max_time.map(|seconds| format!("{seconds}s"))));
        add("--max-cost", number(limits.max_cost.map(|dollars| dollars.to_string())));
        add("--rank-timeout", number(ranks.rank_timeout.map(|seconds| format!("{seconds}s"))));
        add("--threads-per-rank", number(ranks.threads_per_rank.map(|threads| threads.to_string())));
        let library = ranks.collectives == Some(CollectivesName::Library);
        add("--collectives", library.then(|| "library".into()));
        let asked = !matches!(self, Self::Run(_));
        words.extend(asked.then(|| "--yes".into()));
        Ok(words)
    }
}

const TRAIN_EXAMPLES: &str = "\
Examples:
  hemingway train synth:logistic --reach 1e-3
  hemingway train a9a --loss hinge --within 5m --cluster cloud-25gbit --machines 1..32 -y
  hemingway train train-images-idx3-ubyte.gz --positive 5 --test t10k-images-idx3-ubyte.gz --reach-metric accuracy=0.97
  hemingway train a9a --reach 1e-3 --cluster a.toml --cluster b.toml  where is it sooner?
  hemingway train ratings.csv --problem mf --rank 40 --test held-back.csv --reach-metric rmse=0.9
  hemingway train genes.csv --path 100 --l2 0 --reach 1e-4   a lasso path, every point proved
  hemingway train genes.csv --path 100 --reach 1e-4 --cross-validate 5 --model best.json  λ₁ chosen by folds
  hemingway train a9a --reach 1e-3 --forget            as if nothing had ever been run here
  hemingway train --resume logistic-3                  go on after Ctrl-C or a crash
  hemingway train a9a --reach 1e-3 --engine mpi --ranks 4  on the ranks of an MPI job";

const PLAN_EXAMPLES: &str = "\
Examples:
  hemingway plan synth:svm --reach 1e-3 --cluster spark-1gbit
  hemingway plan rcv1.svm --spend '$2' --cluster my-cluster.toml --all
  hemingway plan rcv1.svm --spend '$2' --cluster a.toml --cluster b.toml  where does it go further?
  hemingway plan a9a --within 60s --output json | jq .choice";

const RUN_EXAMPLES: &str = "\
Examples:
  hemingway run a9a --algorithm cocoa+ --machines 8 --reach 1e-4 --certified
  hemingway run synth:ridge --algorithm lbfgs --machines 2 --rounds 50 --records ridge.csv
  hemingway run a9a --algorithm cocoa --machines 4 --fraction 0.1 --records tenth.csv  cheap records of a sample
  hemingway run --resume a9a-1                         go on after Ctrl-C or a crash";

const FIT_EXAMPLES: &str = "\
Examples:
  hemingway fit spark-log.csv vw-log.csv --cross-validate
  hemingway fit logistic-1 logistic-2 --targets 1e-2,1e-4 -o logistic.fit
  hemingway fit spark-log.csv --plot pictures          fit against data, one SVG for each algorithm
  hemingway fit accuracy.csv --metric accuracy:max --method lasso";

const ADVISE_EXAMPLES: &str = "\
Examples:
  hemingway advise spark-log.csv --reach 1e-3
  hemingway advise logistic.fit --within 10m --machines 1..64 --plot advice.svg
  hemingway advise spark-log.csv --spend '$5' --cluster my-cluster.toml";

const DESIGN_EXAMPLES: &str = "\
Examples:
  hemingway design --machines 1..8                     no records yet: runs that teach seconds per round
  hemingway design --cluster cloud-25gbit --cost dollars --budget 0.01 --smallest-run 20s
  hemingway design spark-log.csv --reach 1e-3          which algorithm, m and rounds to probe next, or stop
  hemingway design spark-log.csv --within 10m --machines 1..64";

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  hemingway explain last
  hemingway explain logistic-3 --replay                take every decision again from the journal
  hemingway explain last --plot last.svg               the run as a picture, predicted and real";

const REPORT_EXAMPLES: &str = "\
Examples:
  hemingway report last                                Markdown on stdout
  hemingway report logistic-3 -o logistic.html         one page with its pictures
  hemingway report logistic-3 -o logistic.md           Markdown, its pictures beside it as SVG
  hemingway report last --format json | jq .spending";

const RUNS_EXAMPLES: &str = "\
Examples:
  hemingway runs
  hemingway runs show last
  hemingway runs export logistic-3 -o logistic.csv";

const SHOW_EXAMPLES: &str = "\
Examples:
  hemingway runs show last
  hemingway runs show logistic-3 --output json | jq .summary";

const EXPORT_EXAMPLES: &str = "\
Examples:
  hemingway runs export last | head
  hemingway runs export logistic-3 -o logistic.csv     for `fit`, `advise` or a spreadsheet";

const PREDICT_EXAMPLES: &str = "\
Examples:
  hemingway predict logistic-3 new.svm -o predicted.txt
  hemingway predict model.json new.svm --margins
  hemingway predict liblinear.model new.svm            what liblinear trained";

const SCORE_EXAMPLES: &str = "\
Examples:
  hemingway score logistic-3 test.svm
  hemingway score model.json test.svm --output json | jq .metrics.accuracy";

const RECOMMEND_EXAMPLES: &str = "\
Examples:
  hemingway recommend ratings-1 --user 42
  hemingway recommend model.json --user 42 --top 20 --output json | jq .items";

const DOCTOR_EXAMPLES: &str = "\
Examples:
  hemingway doctor
  hemingway doctor -o here.toml                        this machine as a cluster file
  hemingway doctor --engine mpi --hosts hosts.txt -o ours.toml  the ranks of an MPI job, and the links between them
  hemingway doctor --output json | jq .paces";

/// `explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The run: its name, `last`, or the path of its directory
    pub(crate) run: String,
    /// Take every decision again from the journal and compare; exit 1 if any differs [default: off]
    #[arg(long)]
    pub(crate) replay: bool,
    /// Every candidate of the plan table, not the best 12 [default: off]
    #[arg(long)]
    pub(crate) all: bool,
    /// Draw error against time, as predicted and as it came, as SVG [default: draw nothing]
    #[arg(long, value_name = "FILE.svg", value_parser = value::svg)]
    pub(crate) plot: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) store: StoreArg,
}

/// Where runs are.
#[derive(Debug, Args)]
pub(crate) struct StoreArg {
    /// Directory that holds the runs
    #[arg(long, value_name = "DIR", default_value = "runs", global = true)]
    pub(crate) store: PathBuf,
}

/// `runs`.
#[derive(Debug, Args)]
pub(crate) struct RunsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<RunsCommand>,
    #[command(flatten)]
    pub(crate) store: StoreArg,
}

/// `runs …`.
#[derive(Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// One run: what was asked, what was found, how it ended
    #[command(after_long_help = SHOW_EXAMPLES)]
    Show {
        /// The run: its name, `last`, or the path of its directory
        run: String,
    },
    /// The records of a run as CSV, one row per evaluated round
    #[command(after_long_help = EXPORT_EXAMPLES)]
    Export {
        /// The run: its name, `last`, or the path of its directory
        run: String,
        /// Where to write [default: stdout]
        #[arg(short, value_name = "FILE")]
        out: Option<PathBuf>,
    },
}

/// `predict`.
#[derive(Debug, Args)]
pub(crate) struct PredictArgs {
    /// A model file (our JSON, liblinear text, safetensors), or the run that made it
    pub(crate) model: String,
    /// The rows: a file or `synth:KIND,key=value…`; for factors, lines of user and item
    pub(crate) data: String,
    /// Where to write, one prediction a line [default: stdout]
    #[arg(short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write x·w instead of labels; above 0 it stands for the positive label. Of several classes one for each, in the
    /// order of their labels [default: off]
    #[arg(long)]
    pub(crate) margins: bool,
    #[command(flatten)]
    pub(crate) labels: LabelArgs,
    #[command(flatten)]
    pub(crate) store: StoreArg,
}

/// `score`.
#[derive(Debug, Args)]
pub(crate) struct ScoreArgs {
    /// A model file (our JSON, liblinear text, safetensors), or the run that made it
    pub(crate) model: String,
    /// Labelled rows: a file or `synth:KIND,key=value…`
    pub(crate) data: String,
    #[command(flatten)]
    pub(crate) labels: LabelArgs,
    #[command(flatten)]
    pub(crate) weights: WeightArgs,
    #[command(flatten)]
    pub(crate) store: StoreArg,
}

/// `doctor`.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Write a cluster file that simulates this machine [default: write nothing]
    #[arg(short, value_name = "FILE.toml")]
    pub(crate) out: Option<PathBuf>,
    /// What the cluster is called in records
    #[arg(long, default_value = "here")]
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) ranks: RankArgs,
    #[command(flatten)]
    pub(crate) store: StoreArg,
}
