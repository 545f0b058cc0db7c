//! Which files each command reads and writes, as far as its words tell: what is refused, is before any work.

use std::path::{Path, PathBuf};

use hemingway::data::SaveAs;
use hemingway::data::save::weights_beside;

use crate::args::{
    Command, DataCommand, LabelArgs, LessonArgs, ModelCommand, ProblemArgs, RecordArgs, RoundArgs, RunsCommand,
    SyncCommand, WeightArgs,
};
use crate::files::Files;

/// The files of this command; one that writes nothing has none.
pub(super) fn of(command: &Command) -> Files {
    let files = Files::default();
    match command {
        Command::Train(args) | Command::Plan(args) => files
            .reads("data", &args.data)
            .of_problem(&args.problem)
            .reads("cluster", &args.places.cluster)
            .of_rounds(&args.rounds)
            .reads("hosts", &args.ranks.hosts)
            .keeps(&args.keep),
        Command::Run(args) => files
            .reads("data", &args.data)
            .of_problem(&args.problem)
            .reads("cluster", [&args.place.cluster])
            .of_rounds(&args.exchange)
            .reads("hosts", &args.ranks.hosts)
            .keeps(&args.keep),
        Command::Fit(args) => {
            // A folder for pictures is made where there is none.
            let picture =
                args.plot.as_ref().filter(|path| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("svg")));
            files.of_records(&args.records).writes("-o", &args.out).writes("--plot", picture)
        }
        Command::Advise(args) => {
            files.of_records(&args.records).reads("cluster", &args.records.cluster).writes("--plot", &args.plot)
        }
        Command::Explain(args) => files.reads_run(&args.run, &args.store.store).writes("--plot", &args.plot),
        Command::Report(args) => files.reads_run(&args.run, &args.store.store).writes("-o", &args.out),
        Command::Runs(args) => match &args.command {
            Some(RunsCommand::Export { run, out }) => files.reads_run(run, &args.store.store).writes("-o", out),
            Some(RunsCommand::Show { .. }) | None => files,
        },
        Command::Predict(args) => files
            .reads_model(&args.model, &args.store.store)
            .reads("data", [&args.data])
            .of_labels(&args.labels)
            .writes("-o", &args.out),
        Command::Data(command) => of_data(command),
        Command::Model(ModelCommand::Convert { from, to, store, .. }) => {
            files.reads_model(from, &store.store).writes("OUT", [to])
        }
        Command::Sync(command) => of_sync(command),
        Command::Doctor(args) => files.reads("hosts", &args.ranks.hosts).writes("-o", &args.out),
        Command::Design(_) | Command::Score(_) | Command::Recommend(_) => files,
    }
}

fn of_data(command: &DataCommand) -> Files {
    let files = Files::default();
    match command {
        DataCommand::Info { .. } | DataCommand::Synth { .. } => files,
        DataCommand::Convert { from, to, labels, weights, format } => files
            .reads("data", [from])
            .of_labels(labels)
            .of_weights(weights)
            .writes("OUT", [to])
            .writes("OUT", format.of(to).map(|format| beside(to, format, weights)).into_iter().flatten()),
        DataCommand::Split { data, out, labels, weights, to, .. } => {
            let files = files.reads("data", [data]).of_labels(labels).of_weights(weights);
            // What is no source of data is refused where it is read.
            match super::data::parts(data, out.as_deref(), (*to).into()) {
                Ok(parts) => {
                    let weights = parts.iter().filter_map(|part| beside(part, (*to).into(), weights));
                    files.writes("-o", weights).writes("-o", &parts)
                }
                Err(_) => files,
            }
        }
    }
}

/// The file of weights that goes with LIBSVM text.
fn beside(to: &Path, format: SaveAs, weights: &WeightArgs) -> Option<PathBuf> {
    (format == SaveAs::Libsvm && !weights.weights().is_default()).then(|| weights_beside(to))
}

fn of_sync(command: &SyncCommand) -> Files {
    let files = Files::default();
    match command {
        SyncCommand::Search { place, out, lessons, .. } => files
            .reads("model", [&place.model])
            .reads("cluster", [&place.cluster])
            .of_lessons(lessons)
            .writes("-o", out),
        SyncCommand::Explain { place, strategy, plot, .. } => files
            .reads("model", [&place.model])
            .reads("cluster", [&place.cluster])
            .reads("strategy", [strategy])
            .writes("--plot", plot),
        SyncCommand::Convert { spec, out } => files.reads("specification", [spec]).writes("-o", [out]),
        SyncCommand::Simulate { .. } | SyncCommand::Run { .. } | SyncCommand::Compare { .. } => files,
    }
}

impl Files {
    fn of_problem(self, problem: &ProblemArgs) -> Self {
        self.of_labels(&problem.labels).of_weights(&problem.weights).reads("test data", &problem.test)
    }

    fn of_labels(self, labels: &LabelArgs) -> Self {
        self.reads("labels", labels.labels().file)
    }

    fn of_weights(self, weights: &WeightArgs) -> Self {
        self.reads("weights", weights.weights().file)
    }

    fn of_rounds(self, rounds: &RoundArgs) -> Self {
        self.reads("strategy", &rounds.sync).reads("links", &rounds.links)
    }

    fn of_records(self, records: &RecordArgs) -> Self {
        let runs = records.records.iter().filter(|name| !Path::new(name).is_file());
        let files = runs.fold(self, |files, run| files.reads_run(run, &records.store.store));
        files.reads("records", &records.records).reads("records", &records.prior)
    }

    /// Trials are added to the end of a file, which may be the one they are read from.
    fn of_lessons(self, lessons: &LessonArgs) -> Self {
        let grows = lessons.keep.is_some() && lessons.keep == lessons.from;
        let from = lessons.from.as_ref().filter(|_| !grows);
        self.reads("trials", from).writes("--keep", &lessons.keep)
    }
}
