//! `advise`: a plan from records alone.

mod measure;
mod plot;

use std::path::{Path, PathBuf};

use anyhow::Result;
use hemingway::Error;
use hemingway::cluster::Cluster;
use hemingway::goal::{Caps, Goal};
use hemingway::model::RunModel;
use hemingway::plan::{Plan, Question, plan};
use hemingway::record::Metric;
use serde_json::{Value, json};

use super::exit::{self, Usage};
use super::fit::FitFile;
use super::{records, train};
use crate::args::AdviseArgs;
use crate::clusters;
use crate::output::{Answer, Output};
use crate::show::{Basis, Paint, PlanTable};

/// How far beyond the most machines seen the advice goes by itself.
const REACH: usize = 4;

/// Plans.
pub(super) fn advise(args: &AdviseArgs, out: &mut dyn Output) -> Result<u8> {
    let mut goal = train::goal(args.goal.goal()?)?;
    goal.check()?;
    let metric = measure::of(&goal, args.records.metric.as_ref())?;
    let cluster = args.records.cluster.as_deref().map(clusters::described).transpose()?.flatten();
    let file = fitted(args, cluster.as_ref(), metric.as_ref(), out).map_err(|error| by_its_flag(&goal, args, error))?;
    if let Goal::ReachMetric { value, level, .. } = &mut goal {
        *level = Some(measure::level(&file.model, metric.as_ref(), *value)?);
    }
    let price = cluster.as_ref().map(|c| c.price_per_hour).filter(|price| *price > 0.0);
    if matches!(goal, Goal::Spend { .. }) && price.is_none() {
        return Err(Usage::error(format!("--spend: {}", clusters::unpriced(cluster.as_ref()))));
    }
    let machines = machines(args.machines, &file.basis, cluster.as_ref())?;
    let caps = Caps::default().with_goal(&goal);
    let question = Question {
        goal: &goal,
        algorithms: file.model.contexts.keys().map(|name| name.as_ref()).collect(),
        machines: &machines,
        fits_from: 1,
        price_per_hour: price,
        seconds_left: caps.seconds,
        dollars_left: caps.dollars,
    };
    let plan = plan(&file.model, &question);
    if plan.unsettled.is_none() && plan.candidates.iter().all(|c| c.rounds.is_none() && c.error_at_end.is_none()) {
        let words = "no objective in the records falls, so that nothing tells which is best; `fit` shows the times, and \
                     --metric NAME[:max] takes another column";
        return Err(Error::Evidence(words.into()).into());
    }
    out.say(&format!("Goal: {}", goal.sentence()));
    if let Some(path) = &args.plot {
        plot::save(path, &plan, &goal, &file.basis)?;
        out.say(&format!("the plan is drawn in {}", path.display()));
    }
    let advice = Advice { plan, goal, basis: file.basis, all: args.all, plot: args.plot.clone() };
    out.answer(&advice)?;
    Ok(exit::MET)
}

/// A measure that is not in the records is the fault of the flag that named it.
fn by_its_flag(goal: &Goal, args: &AdviseArgs, error: anyhow::Error) -> anyhow::Error {
    let of_goal = matches!(goal, Goal::ReachMetric { .. }) && args.records.metric.is_none();
    match error.downcast_ref() {
        Some(Error::Setting { field, what }) if of_goal && field == "--metric" => {
            Error::setting("--reach-metric", what.clone()).into()
        }
        _ => error,
    }
}

/// The models: those of a file, or fitted now.
fn fitted(
    args: &AdviseArgs,
    cluster: Option<&Cluster>,
    metric: Option<&Metric>,
    out: &mut dyn Output,
) -> Result<FitFile> {
    if let [one] = &args.records.records[..]
        && let Some(file) = FitFile::load(Path::new(one))?
    {
        if metric.is_some() {
            return Err(Usage::error(format!("{one} holds models of one measure already: name the records instead")));
        }
        return Ok(file);
    }
    let traces = records::read(&args.records, metric)?;
    let name = cluster.map(|c| c.name.clone()).or_else(|| args.records.cluster.clone());
    let options = records::options(&args.records, name, metric)?;
    records::check_cluster(&traces, &options)?;
    let waiting = out.wait("fitting");
    let model = RunModel::fit(&traces, &options)?;
    drop(waiting);
    Ok(FitFile::new(model, Basis::of(&traces), options))
}

/// The numbers seen and powers of two, within what is allowed.
pub(super) fn machines(asked: Option<(usize, usize)>, basis: &Basis, cluster: Option<&Cluster>) -> Result<Vec<usize>> {
    let least = basis.machines.first().copied().unwrap_or(1);
    let most = basis.machines.last().copied().unwrap_or(1).saturating_mul(REACH);
    let most = cluster.map_or(most, |cluster| most.min(cluster.machines));
    let (low, high) = asked.unwrap_or((least, most.max(least)));
    if low == 0 || low > high {
        return Err(Usage::error(format!("--machines: {low}..{high} is not a range; write A..B with 1 ≤ A ≤ B")));
    }
    let powers = (0..usize::BITS).map(|k| 1 << k).filter(|m| (low..=high).contains(m));
    let seen = basis.machines.iter().copied().filter(|m| (low..=high).contains(m));
    let mut machines: Vec<usize> = powers.chain(seen).chain([low, high]).collect();
    machines.sort_unstable();
    machines.dedup();
    Ok(machines)
}

struct Advice {
    plan: Plan,
    goal: Goal,
    basis: Basis,
    all: bool,
    plot: Option<PathBuf>,
}

impl Advice {
    /// Why there is no choice, if there is none.
    fn unsettled(&self) -> Option<String> {
        self.plan.unsettled.as_ref().map(ToString::to_string).or_else(|| self.unusable())
    }

    /// Why none of the candidates can be chosen, where no doubt about one of them is the reason.
    fn unusable(&self) -> Option<String> {
        if self.plan.unsettled.is_some() || self.plan.choice().is_some() {
            return None;
        }
        if self.plan.candidates.iter().all(|candidate| candidate.seconds_per_round.is_none()) {
            return Some("the records hold no times, and nothing tells how long a round takes".into());
        }
        let seen: Vec<String> = self.basis.machines.iter().map(usize::to_string).collect();
        Some(format!(
            "every candidate lies beyond what was measured (m = {}): let --machines include that, or run a few rounds on \
             machines among these first",
            seen.join(", ")
        ))
    }
}

impl Answer for Advice {
    fn json(&self) -> Value {
        let choice = self.plan.choice();
        json!({
            "goal": self.plan.goal,
            "choice": choice.map(|c| &c.config),
            "unsettled": self.unsettled(),
            "predicted_seconds": choice.and_then(|c| c.seconds_to_go()),
            "candidates": self.plan.candidates,
            "basis": self.basis,
            "plot": self.plot,
        })
    }

    fn human(&self, paint: Paint) -> String {
        let table =
            PlanTable { plan: &self.plan, goal: &self.goal, basis: &self.basis, simulated: false, all: self.all };
        let unusable = self.unusable().map_or(String::new(), |why| format!("\nNo choice: {why}\n"));
        format!("{}{unusable}", table.text(paint))
    }

    fn quiet(&self) -> String {
        self.plan.choice().map_or(String::new(), |c| format!("{} {}", c.config.algorithm, c.config.machines))
    }
}
