//! `sync`: how the variables of a model are best exchanged.

mod compare;
mod explain;
mod run;
mod search;
mod simulate;
mod timeline;
mod words;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::Result;
use hemingway::Error;
use hemingway::cluster::{Cluster, FromAutodist, from_autodist};
use hemingway::data::{Reading, Source};
use hemingway::sync::analytic::{Forecast, Limit, forecast};
use hemingway::sync::replay::{Engine, Judge};
use hemingway::sync::{Model, Stage, Strategy, builders};
use serde_json::{Value, json};

use super::exit::{self, Usage};
use crate::args::{JudgeArgs, JudgeName, PlaceArgs, SCALE, SyncCommand};
use crate::clusters;
use crate::output::{Answer, Output};
use crate::show::{Paint, number};

/// Machines taken where nobody says how many.
const USUAL_MACHINES: usize = 16;

/// Carries one of its verbs out.
pub(super) fn sync(command: &SyncCommand, out: &mut dyn Output) -> Result<u8> {
    match command {
        SyncCommand::Search { place, judge, trials, lossless, out: file, lessons } => {
            search::search(place, judge, (*trials, *lossless), file.as_deref(), lessons, out)
        }
        SyncCommand::Simulate { place, strategy } => simulate::simulate(place, strategy, out),
        SyncCommand::Run { place, strategy, scale, steps } => run::run(place, strategy, (*scale, *steps), out),
        SyncCommand::Compare { place, judge, strategies } => compare::compare(place, judge, strategies, out),
        SyncCommand::Explain { place, strategy, plot, all } => {
            explain::explain(place, strategy, plot.as_deref(), *all, out)
        }
        SyncCommand::Convert { spec, out: file } => convert(spec, file, out),
    }
}

/// The model on the cluster's machines: as many as asked for or, on none but ranks, as the first strategy's file is for.
fn stage(place: &PlaceArgs, strategies: &[String]) -> Result<(Stage, Cluster)> {
    let cluster = clusters::find(&place.cluster)?;
    let cluster = cluster.ok_or_else(|| Usage::error("--cluster: `local` has no links: name a cluster's file"))?;
    let machines = match (place.machines, crate::place::elsewhere()) {
        (Some(asked), _) => asked,
        (None, Some(ranks)) => cluster.machines.min(ranks.ranks()),
        (None, None) => machines_of(strategies)?.unwrap_or(cluster.machines.min(USUAL_MACHINES)),
    };
    Ok((Stage::new(model(&place.model, machines)?, &cluster, machines)?, cluster))
}

/// The machines that the first file of these is for.
fn machines_of(strategies: &[String]) -> Result<Option<usize>> {
    let file = strategies.iter().map(Path::new).find(|path| path.is_file());
    Ok(file.map(Strategy::read).transpose()?.map(|strategy| strategy.machines))
}

/// A model by its name or file, or the linear model of a data set.
fn model(name: &str, machines: usize) -> Result<Model> {
    let path = Path::new(name);
    let is_rows = name.starts_with("synth:") || (path.is_file() && is_data(path)?);
    if !is_rows {
        return Ok(Model::find(name)?);
    }
    let loaded = crate::cache::load(&Source::parse(name)?, &Reading::default())?;
    Ok(Model::of_rows(&loaded.dataset.shuffled(0), machines))
}

/// Neither a graph nor a list in JSON.
fn is_data(path: &Path) -> Result<bool> {
    let is_graph = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("onnx"));
    let mut first = [0; 64];
    let read = File::open(path).and_then(|mut file| file.read(&mut first)).map_err(Error::io(path))?;
    let begins = first[..read].iter().find(|byte| !byte.is_ascii_whitespace());
    Ok(!is_graph && path.extension().is_none_or(|end| end != "json") && begins.is_some_and(|byte| *byte != b'{'))
}

/// The same, where strategies are told apart by their time: one machine has none to tell apart.
fn stage_of_several(place: &PlaceArgs, strategies: &[String]) -> Result<(Stage, Cluster)> {
    let (stage, cluster) = stage(place, strategies)?;
    if stage.machines() == 1 {
        return Err(Usage::error(
            "--machines: one machine has nothing to exchange, and no strategy is better than another: take 2 or more",
        ));
    }
    Ok((stage, cluster))
}

/// Who times trials: whoever is asked for, the ranks where there are any, else the simulated clock.
fn judge<'a>(stage: &'a Stage, args: &JudgeArgs) -> Judge<'a> {
    let engine = match (args.engine, crate::place::elsewhere()) {
        (None, Some(ranks)) => {
            let run = |stage: &Stage, strategy: &Strategy, timing| ranks.exchange(stage, strategy, timing);
            return Judge::on_ranks(stage, args.scale.unwrap_or(1.0), args.seed, run);
        }
        (Some(JudgeName::Threads), _) => Engine::Threads { scale: args.scale.unwrap_or(SCALE) },
        (Some(JudgeName::Simulated) | None, _) => Engine::Simulated,
    };
    Judge::new(stage, engine, args.seed)
}

/// The strategy of a file, or a builder's with the settings that are best on paper.
fn strategy(stage: &Stage, name: &str) -> Result<Strategy> {
    let path = Path::new(name);
    if path.is_file() {
        let strategy = Strategy::read(path)?;
        stage.play(&strategy).map_err(|error| in_file(path, error))?;
        return Ok(strategy);
    }
    let Some(variants) = builders::named(name, stage) else {
        let names = builders::NAMES.join(", ");
        return Err(Usage::error(format!("STRATEGY: `{name}` is neither a file nor one of {names}")));
    };
    let mut best: Option<(f64, Strategy)> = None;
    for strategy in variants {
        let seconds = forecast(stage, &stage.play(&strategy)?).seconds;
        if best.as_ref().is_none_or(|(least, _)| seconds < *least) {
            best = Some((seconds, strategy));
        }
    }
    best.map(|(_, strategy)| strategy).ok_or_else(|| {
        Usage::error(format!(
            "STRATEGY: {name} needs several racks, at least one of them with several machines, and the {} of {} taken \
             do not stand so: tell of racks in its file ([[fabric.rack]]), take more machines, or another builder",
            number::counted(stage.machines(), "machine"),
            stage.cluster.name,
        ))
    })
}

/// A strategy that does not suit is the wrong file to name: a fault of the command line, as with `train --sync`.
fn in_file(path: &Path, error: Error) -> Error {
    match error {
        Error::Setting { field, what } if field == "strategy" => Error::setting(path.display().to_string(), what),
        Error::Setting { field, what } => Error::setting(path.display().to_string(), format!("{field}: {what}")),
        other => other,
    }
}

/// What a step waits for, in a sentence.
fn reason(stage: &Stage, forecast: &Forecast) -> String {
    match forecast.limit() {
        Limit::Computing => "computing: exchanges are hidden under it".into(),
        Limit::Link(link) => {
            format!("{}, which is busy nearly all the time from the first gradients on", stage.links.name(link))
        }
        Limit::Tail => "the exchanges that follow the last gradients, on links that are not full".into(),
    }
}

/// Model and machines in a line.
fn heading(stage: &Stage, cluster: &Cluster) -> String {
    format!(
        "{}, {} of {} in all, on {} of {}",
        stage.model.name,
        number::counted(stage.model.variables.len(), "variable"),
        megabytes(stage.model.bytes()),
        number::counted(stage.machines(), "machine"),
        cluster.name,
    )
}

fn megabytes(bytes: f64) -> String {
    format!("{} MB", number::digits(bytes / 1e6))
}

fn convert(spec: &Path, file: &Path, out: &mut dyn Output) -> Result<u8> {
    let text = std::fs::read_to_string(spec).map_err(Error::io(spec))?;
    let name = spec.file_stem().map_or_else(|| "converted".into(), |stem| stem.to_string_lossy());
    let FromAutodist { cluster, notes } = from_autodist(&text, &name).map_err(|error| match error {
        Error::Data { line, what, .. } => Error::data(spec, line, what),
        other => other,
    })?;
    std::fs::write(file, cluster.toml()?).map_err(Error::io(file))?;
    out.answer(&Converted { machines: cluster.machines, file: file.display().to_string(), notes })?;
    Ok(exit::MET)
}

struct Converted {
    machines: usize,
    file: String,
    notes: Vec<String>,
}

impl Answer for Converted {
    fn json(&self) -> Value {
        json!({ "machines": self.machines, "file": self.file, "notes": self.notes })
    }

    fn human(&self, _: Paint) -> String {
        let notes: String = self.notes.iter().map(|note| format!("\nnote     {note}")).collect();
        format!(
            "written  {}: {}; look over latency, memory, price and pace, which the specification does not tell{notes}",
            self.file,
            number::counted(self.machines, "machine"),
        )
    }

    fn quiet(&self) -> String {
        self.file.clone()
    }
}
