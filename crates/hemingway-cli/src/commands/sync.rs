//! `sync`: how the variables of a model are best exchanged.

mod compare;
mod explain;
mod run;
mod search;
mod simulate;
mod timeline;

use std::path::Path;

use anyhow::Result;
use hemingway::Error;
use hemingway::cluster::{Cluster, from_autodist};
use hemingway::sync::analytic::{Forecast, Limit, forecast};
use hemingway::sync::{Model, Stage, Strategy, builders};
use serde_json::{Value, json};

use super::exit::{self, Usage};
use crate::args::{PlaceArgs, SyncCommand};
use crate::clusters;
use crate::output::{Answer, Output};
use crate::show::{Paint, number};

/// Machines taken where nobody says how many.
const USUAL_MACHINES: usize = 16;

/// Carries one of its verbs out.
pub(super) fn sync(command: &SyncCommand, out: &mut dyn Output) -> Result<u8> {
    match command {
        SyncCommand::Search { place, judge, trials, lossless, out: file } => {
            search::search(place, judge, (*trials, *lossless), file.as_deref(), out)
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

/// The model on the cluster's machines.
fn stage(place: &PlaceArgs) -> Result<(Stage, Cluster)> {
    let cluster = clusters::find(&place.cluster)?;
    let cluster = cluster.ok_or_else(|| Usage::error("--cluster: `local` has no links: name a cluster's file"))?;
    let machines = place.machines.unwrap_or_else(|| cluster.machines.min(USUAL_MACHINES));
    Ok((Stage::new(Model::find(&place.model)?, &cluster, machines)?, cluster))
}

/// The strategy of a file, or a builder's with the settings that are best on paper.
fn strategy(stage: &Stage, name: &str) -> Result<Strategy> {
    if Path::new(name).is_file() {
        return Ok(Strategy::read(Path::new(name))?);
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
    best.map(|(_, strategy)| strategy)
        .ok_or_else(|| Usage::error(format!("STRATEGY: {name} needs a cluster with racks")))
}

/// What a step waits for, in a sentence.
fn reason(stage: &Stage, forecast: &Forecast) -> String {
    match forecast.limit() {
        Limit::Computing => "computing: exchanges are hidden under it".into(),
        Limit::Link(link) => format!("{}, which is busy all the time", stage.links.name(link)),
        Limit::Tail => "the exchanges that follow the last gradients, on links that are not full".into(),
    }
}

/// Model and machines in a line.
fn heading(stage: &Stage, cluster: &Cluster) -> String {
    format!(
        "{}, {} of {} in all, on {} machines of {}",
        stage.model.name,
        number::counted(stage.model.variables.len(), "variable"),
        megabytes(stage.model.bytes()),
        stage.machines(),
        cluster.name,
    )
}

fn megabytes(bytes: f64) -> String {
    format!("{} MB", number::digits(bytes / 1e6))
}

fn convert(spec: &Path, file: &Path, out: &mut dyn Output) -> Result<u8> {
    let text = std::fs::read_to_string(spec).map_err(Error::io(spec))?;
    let name = spec.file_stem().map_or_else(|| "converted".into(), |stem| stem.to_string_lossy());
    let cluster = from_autodist(&text, &name).map_err(|error| match error {
        Error::Data { line, what, .. } => Error::data(spec, line, what),
        other => other,
    })?;
    std::fs::write(file, cluster.toml()?).map_err(Error::io(file))?;
    out.answer(&Converted { machines: cluster.machines, file: file.display().to_string() })?;
    Ok(exit::MET)
}

struct Converted {
    machines: usize,
    file: String,
}

impl Answer for Converted {
    fn json(&self) -> Value {
        json!({ "machines": self.machines, "file": self.file })
    }

    fn human(&self, _: Paint) -> String {
        format!(
            "written  {}: {}; look over latency, memory, price and pace, which the specification does not tell",
            self.file,
            number::counted(self.machines, "machine"),
        )
    }

    fn quiet(&self) -> String {
        self.file.clone()
    }
}
