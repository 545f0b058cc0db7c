//! `plan`: what every choice promises, and nothing trained.

use std::time::Instant;

use anyhow::Result;
use hemingway::backend::Ending;
use hemingway::plan::Plan;
use hemingway::train::Decision;
use serde_json::{Value, json};

use super::exit;
use super::outcome::store_flag;
use super::train::spec;
use crate::args::TrainArgs;
use crate::jobs::{self, Outcome};
use crate::output::{Answer, Manners, Output};
use crate::show::{Basis, Paint, PlanTable, Remembered, number};

/// Probes and plans.
pub(super) fn plan(args: &TrainArgs, out: &mut dyn Output, began: Instant) -> Result<u8> {
    let manners = Manners { ask: false, all: args.choice.all };
    let outcome = match &args.keep.resume {
        Some(run) => jobs::resume(run, &args.keep, &args.limits, manners, out, began)?,
        None => jobs::start(spec(args, true)?, &args.keep, manners, out, began)?,
    };
    let ending = outcome.summary.ending;
    let planned = Planned { outcome, all: args.choice.all };
    out.answer(&planned)?;
    Ok(if planned.plan().is_some() && ending != Ending::Interrupted { exit::MET } else { exit::of_ending(ending) })
}

struct Planned {
    outcome: Outcome,
    all: bool,
}

impl Planned {
    /// The plan it ended with; none if a probe met the goal, or probing was cut short.
    fn plan(&self) -> Option<&Plan> {
        match self.outcome.history.decisions.last()? {
            Decision::Stop { plan, .. } => plan.as_ref(),
            Decision::Run { .. } | Decision::Rehearse { .. } => None,
        }
    }

    fn basis(&self) -> Basis {
        let history = &self.outcome.history;
        Basis::of_job(&history.records, Remembered::of(&history.facts.lore))
    }
}

impl Answer for Planned {
    fn json(&self) -> Value {
        let summary = &self.outcome.summary;
        let choice = self.plan().and_then(Plan::choice);
        json!({
            "goal": self.outcome.history.spec.goal.sentence(),
            "ending": summary.ending,
            "why": summary.why,
            "choice": summary.choice,
            "predicted_seconds": choice.and_then(|c| c.seconds_to_go()),
            "candidates": self.plan().map(|plan| &plan.candidates),
            "basis": self.basis(),
            "simulated": summary.simulated,
            "probe_seconds": summary.probe_seconds,
            "wall_seconds": summary.wall_seconds,
            "run": summary.run,
        })
    }

    fn human(&self, paint: Paint) -> String {
        let Outcome { summary, history, store, .. } = &self.outcome;
        let Some(plan) = self.plan() else { return self.unplanned() };
        let basis = self.basis();
        let (goal, simulated) = (&history.spec.goal, summary.simulated);
        let table = PlanTable { plan, goal, basis: &basis, simulated, all: self.all }.text(paint);
        let probes = number::seconds(summary.probe_seconds);
        let unit = if simulated { " (virtual)" } else { "" };
        let next = self.next();
        let store = store_flag(store);
        format!(
            "\n{table}\nProbing took {probes}{unit}.\n\nnext  {next}\n      hemingway explain {}{store}\n",
            summary.run
        )
    }

    fn quiet(&self) -> String {
        let choice = self.outcome.summary.choice.as_ref();
        choice.map_or(String::new(), |config| format!("{} {}", config.algorithm, config.machines))
    }
}

impl Planned {
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
        let Some(choice) = self.plan().and_then(Plan::choice) else {
            return "hemingway train … with another goal".into();
        };
        let config = &choice.config;
        let place = spec.cluster.as_ref().map_or(String::new(), |cluster| format!(" --cluster {}", cluster.name));
        format!("hemingway run {} --algorithm {} --machines {}{place} …", spec.data, config.algorithm, config.machines)
    }
}
