//! `plan`: what every choice promises, and nothing trained.

use std::time::Instant;

use anyhow::Result;
use hemingway::backend::{Config, Ending};
use hemingway::job::{JobSpec, Mode};
use hemingway::model::Estimate;
use hemingway::plan::{Candidate, Plan};
use hemingway::record::store::Store;
use hemingway::train::{Compared, Spent, Summary};
use serde_json::{Value, json};

use super::exit::{self, Usage};
use super::outcome::store_flag;
use super::train::{field, spec};
use crate::args::{KeepArgs, TrainArgs};
use crate::clusters;
use crate::jobs::{self, Comparison, Outcome};
use crate::output::{Answer, Manners, Output};
use crate::show::{Basis, ClusterTable, Exchange, Paint, PlanTable, Remembered, number};
use crate::story::verb;

/// Probes and plans.
pub(super) fn plan(args: &TrainArgs, out: &mut dyn Output, began: Instant) -> Result<u8> {
    if args.path.path.is_some() {
        return Err(Usage::error("a path needs no plan: `train --path N` solves it on threads of this machine"));
    }
    if args.keep.model.is_some() {
        return Err(Usage::error("--model: a plan trains no model; give it to `hemingway train` or `hemingway run`"));
    }
    if args.keep.sync_out.is_some() && args.places.cluster.len() > 1 {
        return Err(Usage::error(
            "--sync-out: plans on several clusters find a strategy for each: plan on one, or train",
        ));
    }
    let manners = Manners { ask: false, all: args.choice.all, table: true };
    let (outcome, clusters) = match (&args.keep.resume, &args.places.cluster[..]) {
        (Some(run), _) => {
            check_is_a_plan(run, &args.keep)?;
            (jobs::resume(run, &args.keep, &args.limits, manners, out, began)?, Vec::new())
        }
        (None, [cluster]) => {
            let spec = spec(args, clusters::find(cluster)?, true)?;
            (jobs::start(spec, &args.keep, manners, out, began)?.on(cluster), Vec::new())
        }
        (None, _) => {
            let Comparison { best, clusters, .. } = field(args, manners, began)?.plan(out)?;
            let outcome = jobs::outcome(best, &args.keep, out)?;
            let file = file_of(&outcome, &args.places.cluster);
            (file.iter().fold(outcome, |outcome, file| outcome.on(file)), clusters)
        }
    };
    let ending = outcome.summary.ending;
    let planned = Planned { outcome, clusters, all: args.choice.all };
    out.answer(&planned)?;
    Ok(if planned.plan().is_some() && ending != Ending::Interrupted { exit::MET } else { exit::of_ending(ending) })
}

/// Refuses to go on with a run that trains.
fn check_is_a_plan(run: &str, keep: &KeepArgs) -> Result<()> {
    let dir = Store::at(&keep.store).find(run)?;
    match verb(&jobs::history(&dir)?.spec.mode) {
        "plan" => Ok(()),
        verb => Err(Usage::error(format!(
            "--resume: {0} was begun by `{verb}`, which trains: go on with `hemingway {verb} --resume {0}`",
            dir.id
        ))),
    }
}

/// Which of the files given describes the cluster of this plan.
fn file_of(outcome: &Outcome, files: &[String]) -> Option<String> {
    let chosen = outcome.history.spec.cluster.as_ref()?;
    files.iter().find(|file| clusters::find(file).is_ok_and(|found| found.as_ref() == Some(chosen))).cloned()
}

struct Planned {
    outcome: Outcome,
    /// Where there were several: what the plan on each came to.
    clusters: Vec<Compared>,
    all: bool,
}

impl Planned {
    /// The plan it ended with; none if a probe met the goal, or probing was cut short.
    fn plan(&self) -> Option<&Plan> {
        self.outcome.history.proposal()
    }

    /// The cluster chosen, where there were several.
    fn cluster(&self) -> Option<&Compared> {
        self.clusters.iter().find(|one| one.chosen)
    }

    /// What to train with, and the seconds that should take.
    fn proposed(&self) -> (Option<&Config>, Option<Estimate>) {
        if let Some(one) = self.cluster() {
            return (one.choice.as_ref(), one.predicted_seconds);
        }
        let choice = self.plan().and_then(Plan::choice);
        (choice.map(|choice| &choice.config), choice.and_then(Candidate::seconds_to_go))
    }

    /// What planning took, on every cluster.
    fn spent(&self) -> Spent {
        let Summary { wall_seconds, probe_seconds, dollars, .. } = self.outcome.summary;
        let one = Spent { wall_seconds, probe_seconds, dollars };
        if self.clusters.is_empty() { one } else { self.clusters.iter().map(|one| one.spent).sum() }
    }

    fn basis(&self) -> Basis {
        let history = &self.outcome.history;
        Basis::of_job(&history.records, Remembered::of(&history.facts.lore))
    }
}

impl Answer for Planned {
    fn json(&self) -> Value {
        let summary = &self.outcome.summary;
        let (choice, seconds) = self.proposed();
        let spent = self.spent();
        let mut answer = json!({
            "goal": self.outcome.history.spec.goal.sentence(),
            "ending": summary.ending,
            "why": summary.why,
            "choice": choice.or(summary.choice.as_ref()),
            "predicted_seconds": seconds,
            "candidates": self.plan().map(|plan| &plan.candidates),
            "basis": self.basis(),
            "simulated": summary.simulated,
            "probe_seconds": spent.probe_seconds,
            "wall_seconds": spent.wall_seconds,
            "run": summary.run,
            "notes": [],
        });
        let exchanges = &self.outcome.history.facts.exchanges;
        if let Some(exchange) = self.plan().and_then(|plan| Exchange::of_plan(plan, exchanges)) {
            answer["sync"] = exchange.json();
        }
        if !self.clusters.is_empty() {
            answer["clusters"] = json!(self.clusters);
        }
        answer
    }

    fn human(&self, paint: Paint) -> String {
        let Outcome { summary, store, .. } = &self.outcome;
        let Some(plan) = self.plan() else { return self.unplanned() };
        let found = if self.clusters.is_empty() { self.on_one(plan, paint) } else { self.on_several(paint) };
        let (next, store) = (self.next(), store_flag(store));
        format!("\n{found}\nnext  {next}\n      hemingway explain {}{store}\n", summary.run)
    }

    fn quiet(&self) -> String {
        let choice = self.proposed().0.or(self.outcome.summary.choice.as_ref());
        let cluster = self.cluster().map_or(String::new(), |one| format!(" {}", one.cluster));
        choice.map_or(String::new(), |config| format!("{} {}{cluster}", config.algorithm, config.machines))
    }
}

impl Planned {
    fn on_one(&self, plan: &Plan, paint: Paint) -> String {
        let Outcome { summary, history, .. } = &self.outcome;
        let (goal, simulated) = (&history.spec.goal, summary.simulated);
        let table = PlanTable { plan, goal, basis: &self.basis(), simulated, all: self.all }.text(paint);
        let unit = if simulated { " (virtual)" } else { "" };
        let exchange = Exchange::of_plan(plan, &history.facts.exchanges);
        let exchange = exchange.map_or(String::new(), |exchange| format!("\nExchange: {}\n", exchange.sentence()));
        let (probing, evaluating) = (summary.probe_seconds, self.outcome.evaluating(summary.probe_seconds));
        if probing == 0.0 {
            return format!("{table}{exchange}");
        }
        format!("{table}{exchange}\nProbing took {}{unit}{evaluating}.\n", number::seconds(probing))
    }

    fn on_several(&self, paint: Paint) -> String {
        ClusterTable { clusters: &self.clusters, spec: &self.outcome.history.spec }.text(paint)
    }

    fn unplanned(&self) -> String {
        let summary = &self.outcome.summary;
        let choice = summary.choice.as_ref().map_or(String::new(), |choice| {
            format!(
                " ({choice}, {} in {})",
                number::counted(summary.rounds as usize, "round"),
                number::seconds(summary.real_seconds)
            )
        });
        match summary.ending {
            Ending::GoalMet => format!("\nNo plan is needed: a probe met the goal{choice}.\n"),
            ending => format!("\nNo plan: {}{choice}.\n", ending.words()),
        }
    }

    /// The command that does what the plan proposes.
    fn next(&self) -> String {
        let spec = &self.outcome.history.spec;
        let Some(config) = self.proposed().0 else {
            return "hemingway train … with another goal".into();
        };
        let (mode, machines, algorithms) = (Mode::Fixed(config.clone()), None, None);
        self.outcome.command(JobSpec { mode, machines, algorithms, forget: false, ..spec.clone() })
    }
}
