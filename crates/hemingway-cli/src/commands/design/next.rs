//! The probe that settles the choice, or that none can.

use std::path::Path;

use anyhow::Result;
use hemingway::cluster::Cluster;
use hemingway::engine::cores;
use hemingway::goal::{Caps, Goal};
use hemingway::model::RunModel;
use hemingway::model::design::Cost;
use hemingway::model::design::decision::{Options, next_probe};
use hemingway::plan::Question;
use hemingway::record::Trace;

use super::super::exit::{self, Usage};
use super::super::fit::FitFile;
use super::super::{advise, records, train};
use crate::args::DesignArgs;
use crate::clusters;
use crate::output::Output;
use crate::show::{Basis, Probes};

/// Weighs probes.
pub(super) fn probe(args: &DesignArgs, out: &mut dyn Output) -> Result<u8> {
    let goal = goal(args)?;
    let cluster = args.records.cluster.as_deref().map(clusters::described).transpose()?.flatten();
    let price = super::price(args, cluster.as_ref())?;
    if matches!(goal, Goal::Spend { .. }) && price.is_none() {
        return Err(Usage::error("--spend needs --price $, or --cluster FILE with a price_per_hour"));
    }
    let cost = own_cost(args, &goal, price)?;
    let traces = read(args)?;
    let name = cluster.as_ref().map(|c| c.name.clone()).or_else(|| args.records.cluster.clone());
    let basis = Basis::of(&traces);
    let machines = measurable(machines(args, &basis, cluster.as_ref())?, &traces);
    let waiting = out.wait("fitting");
    let model = RunModel::fit(&traces, &records::options(&args.records, name, args.records.metric.as_ref())?)?;
    let caps = Caps::default().with_goal(&goal);
    let question = Question {
        goal: &goal,
        algorithms: model.contexts.keys().map(|name| name.as_ref()).collect(),
        machines: &machines,
        fits_from: 1,
        price_per_hour: price,
        seconds_left: caps.seconds,
        dollars_left: caps.dollars,
    };
    let advice = next_probe(&model, &question, &Options { cost, traces: &traces })?;
    drop(waiting);
    out.say(&format!("Goal: {}", goal.sentence()));
    out.answer(&Probes { advice, goal, basis, all: args.all })?;
    Ok(exit::MET)
}

fn goal(args: &DesignArgs) -> Result<Goal> {
    let goal = train::goal(args.goal.goal()?)?;
    goal.check()?;
    if matches!(goal, Goal::ReachMetric { .. }) {
        let words =
            "records know no test set: take the measure's own column with --metric NAME[:max], then say --reach";
        return Err(Usage::error(words));
    }
    match args.runs.given() {
        Some(flag) => Err(Usage::error(format!("{flag} is for the first runs, when there are no RECORDS yet"))),
        None => Ok(goal),
    }
}

/// A budget is spent in its own currency.
fn own_cost(args: &DesignArgs, goal: &Goal, price: Option<f64>) -> Result<Cost> {
    if args.cost.is_some() && goal.is_budget() {
        let words = "--cost goes with --reach: probes take from --within and --spend what those limit";
        return Err(Usage::error(words));
    }
    super::cost(args, price)
}

fn read(args: &DesignArgs) -> Result<Vec<Trace>> {
    for name in &args.records.records {
        if FitFile::load(Path::new(name))?.is_some() {
            let words = "a fit does not say which rounds were run: hand in the records it was made from";
            return Err(Usage::error(format!("{name}: {words}")));
        }
    }
    records::read(&args.records, args.records.metric.as_ref())
}

/// As for `advise`, and fewer machines than were seen too.
fn machines(args: &DesignArgs, basis: &Basis, cluster: Option<&Cluster>) -> Result<Vec<usize>> {
    let plain = advise::machines(args.machines, basis, cluster)?;
    let most = plain.last().copied().unwrap_or(1);
    if args.machines.is_some() { Ok(plain) } else { advise::machines(Some((1, most)), basis, cluster) }
}

/// Threads beyond this machine's cores would teach nothing about time.
fn measurable(machines: Vec<usize>, traces: &[Trace]) -> Vec<usize> {
    let seen = |m: usize| traces.iter().any(|trace| trace.machines == m);
    let local = traces.iter().all(|trace| trace.cluster == "local");
    machines.into_iter().filter(|&m| !local || m <= cores() || seen(m)).collect()
}
