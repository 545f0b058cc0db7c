//! Several clusters: plan on each in turn, then train by the best plan.

use std::time::Instant;

use anyhow::Result;
use hemingway::backend::Ending;
use hemingway::data::{Loaded, Reading, Source};
use hemingway::goal::Caps;
use hemingway::job::{Job, JobSpec};
use hemingway::train::{Compared, Driver, History, Spent, Summary, choose_cluster};

use super::{Outcome, begin, head, history, keep_exchange, outcome, run_dir};
use crate::args::KeepArgs;
use crate::interrupt;
use crate::output::{Manners, Output};
use crate::show::{ClusterTable, number};

/// The same job on each of several clusters.
pub(crate) struct Field<'a> {
    /// One of each, plans only.
    pub(crate) specs: Vec<JobSpec>,
    pub(crate) keep: &'a KeepArgs,
    pub(crate) manners: Manners,
    pub(crate) began: Instant,
}

/// What plans on several clusters came to.
pub(crate) struct Comparison {
    /// Each of them, one chosen; none is where the user cut it short.
    pub(crate) clusters: Vec<Compared>,
    /// The one chosen, or the last.
    pub(crate) best: Summary,
    /// Its place among the specifications.
    place: usize,
    data: Option<Loaded>,
}

/// A job on data that was read, or that it reads itself.
fn job(spec: JobSpec, data: Option<Loaded>) -> hemingway::Result<Job> {
    match data {
        Some(data) => spec.check_with(data),
        None => spec.check_through(crate::cache::cache().as_ref()),
    }
}

impl Field<'_> {
    /// Plans on each cluster and chooses.
    pub(crate) fn plan(&self, out: &mut dyn Output) -> Result<Comparison> {
        let data = self.read(out)?;
        let (mut summaries, plans) = self.plan_each(&data, out)?;
        let spec = &self.specs[0];
        let mut clusters = Compared::all(&plans, spec.caps);
        let cut_short = summaries.last().is_some_and(|last| last.ending == Ending::Interrupted);
        let chosen = if cut_short { None } else { choose_cluster(&mut clusters, &spec.goal, spec.caps) };
        let place = chosen.unwrap_or(plans.len() - 1);
        Ok(Comparison { clusters, best: summaries.swap_remove(place), place, data })
    }

    /// Plans on one cluster after the other, as long as there is something to plan and to plan with.
    fn plan_each(&self, data: &Option<Loaded>, out: &mut dyn Output) -> Result<(Vec<Summary>, Vec<History>)> {
        let (mut summaries, mut plans) = (Vec::new(), Vec::new());
        for spec in &self.specs {
            let Some(caps) = left(spec, &plans) else {
                out.note(&format!("nothing is left to look at {} with", name(spec)));
                break;
            };
            let mut job = job(JobSpec { caps, ..spec.clone() }, data.clone())?;
            self.introduce(&job, plans.is_empty(), out);
            let summary = begin(&mut job, self.keep, self.manners, out, self.began)?;
            let plan = history(&run_dir(&summary, self.keep)?)?;
            // The goal is met, the budget spent, or the user has had enough.
            let over = plan.proposal().is_none();
            plans.push(plan);
            summaries.push(summary);
            if over {
                break;
            }
        }
        Ok((summaries, plans))
    }

    /// Plans on each cluster, chooses, and trains by the plan chosen, with what it has learned.
    pub(crate) fn train(&self, out: &mut dyn Output) -> Result<Outcome> {
        let compared = self.plan(out)?;
        if compared.best.ending == Ending::Interrupted {
            return outcome(compared.best, self.keep, out);
        }
        let spec = &self.specs[compared.place];
        let table = ClusterTable { clusters: &compared.clusters, spec };
        out.show(&|paint| format!("\n{}", table.text(paint)));
        let dir = run_dir(&compared.best, self.keep)?;
        let past = history(&dir)?;
        let job = job(spec.clone(), compared.data)?;
        let mut watch = out.watch(&job, self.manners, Some(past));
        let interrupted = interrupt::listen()?;
        let driver = Driver::carry_out(&job, dir, compared.clusters, self.began, watch.as_mut(), interrupted)?;
        let summary = driver.run()?;
        drop(watch);
        let outcome = outcome(summary, self.keep, out)?;
        keep_exchange(&job, &outcome, self.keep, out)?;
        Ok(outcome)
    }

    /// The data, once for all; ratings, which are read otherwise, by every job.
    fn read(&self, out: &mut dyn Output) -> Result<Option<Loaded>> {
        let JobSpec { data, labels, weights, factors, .. } = &self.specs[0];
        if factors.is_some() {
            return Ok(None);
        }
        let waiting = out.wait(&format!("reading {data}"));
        let loaded = crate::cache::load(&Source::parse(data)?, &Reading::of(labels, weights));
        drop(waiting);
        Ok(Some(loaded?))
    }

    /// What is the same everywhere, once, and where it is tried now.
    fn introduce(&self, job: &Job, first: bool, out: &mut dyn Output) {
        if first {
            let names: Vec<&str> = self.specs.iter().map(name).collect();
            out.say(&head(job, &format!("one of the simulated clusters {}", names.join(", "))));
            for note in &job.notes {
                out.note(note);
            }
        }
        let price = job
            .facts
            .price_per_hour
            .map_or(String::new(), |price| format!(", {} an hour each", number::dollars(price)));
        let machines = number::counted(job.facts.machines.last().copied().unwrap_or(1), "machine");
        out.show(&|paint| format!("{} {}: up to {machines}{price}", paint.bold("cluster"), job.facts.cluster));
    }
}

fn name(spec: &JobSpec) -> &str {
    spec.cluster.as_ref().map_or("local", |cluster| &cluster.name)
}

/// The caps that earlier plans leave, if they leave anything.
fn left(spec: &JobSpec, earlier: &[History]) -> Option<Caps> {
    if earlier.is_empty() {
        return Some(spec.caps);
    }
    let caps = spec.caps.with_goal(&spec.goal);
    let spent: Spent = earlier.iter().map(|plan| plan.spent).sum();
    let seconds = caps.seconds.map(|cap| cap - spent.wall_seconds);
    let dollars = caps.dollars.map(|cap| cap - spent.dollars.unwrap_or(0.0));
    seconds.into_iter().chain(dollars).all(|left| left > 0.0).then_some(Caps { seconds, dollars })
}
