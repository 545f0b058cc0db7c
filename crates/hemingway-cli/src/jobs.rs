//! From flags to a job, from a job to its end.

mod compare;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, bail};
use hemingway::Error;
use hemingway::cluster::Cluster;
use hemingway::data::Preparation;
use hemingway::goal::Goal;
use hemingway::job::{Job, JobSpec, Mode};
use hemingway::plan::Plan;
use hemingway::record::csv;
use hemingway::record::journal::Event;
use hemingway::record::store::{RunDir, Store};
use hemingway::sync::rounds::Way;
use hemingway::train::{Driver, History, Summary, recall};
use hemingway::trained::{ModelFormat, TrainedModel};

use crate::args::{KeepArgs, LimitArgs, ProblemArgs};
use crate::commands::exit::Usage;
use crate::commands::outcome::store_flag;
use crate::files::Files;
use crate::output::{Manners, Output};
use crate::show::{Exchange, Remembered, number};
use crate::story::asking_for;
use crate::{clusters, interrupt};
pub(crate) use compare::{Comparison, Field};

/// What a job came to, and everything its journal holds.
pub(crate) struct Outcome {
    /// The result; its model is where the user wanted it.
    pub(crate) summary: Summary,
    /// The journal, folded.
    pub(crate) history: History,
    /// The store, to be named in further commands.
    pub(crate) store: PathBuf,
    /// What the user calls the cluster, to be named likewise; nothing where the journal named it.
    pub(crate) place: Option<String>,
}

impl Outcome {
    /// What the user calls the cluster is known, and not only what the cluster calls itself.
    pub(crate) fn on(self, place: &str) -> Self {
        Self { place: Some(place.into()), ..self }
    }

    /// The machines that it trained on last or, as a plan, would train on.
    fn machines(&self) -> Option<usize> {
        let planned = self.history.proposal().and_then(Plan::choice).map(|choice| &choice.config);
        let planned = planned.filter(|_| matches!(self.history.spec.mode, Mode::Choose { plan_only: true, .. }));
        planned.or(self.summary.choice.as_ref()).map(|config| config.machines)
    }

    /// The command that asks for such a job on the same cluster.
    pub(crate) fn command(&self, spec: JobSpec) -> String {
        let file = |cluster: &Cluster| match clusters::is_shipped(cluster) {
            true => cluster.name.clone(),
            false => self.place.clone().unwrap_or_else(|| format!("{}.toml", cluster.name)),
        };
        let place = spec.cluster.as_ref().map(file);
        format!("{}{}", asking_for(&spec, place.as_deref().as_slice()), store_flag(&self.store))
    }
}

/// The one DATA; several are not understood yet.
pub(crate) fn the_data(data: &[String]) -> Result<String> {
    match data {
        [one] => Ok(one.clone()),
        [] => Err(Usage::error("DATA is missing: a file, or synth:KIND such as synth:logistic")),
        _ => Err(Usage::error(format!("exactly one DATA for now, found {}: {}", data.len(), data.join(", ")))),
    }
}

/// The job that these flags state.
pub(crate) fn spec(
    data: String,
    goal: Goal,
    mode: Mode,
    problem: &ProblemArgs,
    cluster: Option<Cluster>,
    limits: &LimitArgs,
    keep: &KeepArgs,
) -> Result<JobSpec> {
    let asks_price = matches!(goal, Goal::Spend { .. }) || limits.max_cost.is_some();
    if asks_price && cluster.as_ref().is_none_or(|cluster| cluster.price_per_hour <= 0.0) {
        return Err(Error::setting("--cluster", clusters::unpriced(cluster.as_ref())).into());
    }
    // Before hours of training, not after.
    keep.model.as_deref().map(ModelFormat::of).transpose()?;
    Ok(JobSpec {
        data,
        labels: problem.labels.labels(),
        weights: problem.weights.weights(),
        class_weight: problem.class_weight.clone(),
        factors: problem.factors.spec()?,
        loss: problem.loss,
        l2: problem.l2,
        l1: problem.l1,
        fraction: None,
        preparation: Preparation {
            normalize: problem.normalize.map(Into::into),
            positive: problem.positive,
            classes: problem.classes,
            intercept: problem.intercept,
            storage: problem.storage.into(),
        },
        cluster,
        machines: None,
        algorithms: None,
        test: problem.test.clone(),
        seed: problem.seed,
        goal,
        caps: limits.caps(),
        eval_every: keep.eval_every,
        mode,
        sync: None,
        forget: false,
    })
}

/// Loads the data and carries the job out.
pub(crate) fn start(
    spec: JobSpec,
    keep: &KeepArgs,
    manners: Manners,
    out: &mut dyn Output,
    began: Instant,
) -> Result<Outcome> {
    let mut job = load(spec, out)?;
    let summary = begin(&mut job, keep, manners, out, began)?;
    let outcome = outcome(summary, keep, out)?;
    keep_exchange(&job, &outcome, keep, out)?;
    Ok(outcome)
}

/// Carries a job out with what the store remembers for it.
fn begin(job: &mut Job, keep: &KeepArgs, manners: Manners, out: &mut dyn Output, began: Instant) -> Result<Summary> {
    check_files(job, keep)?;
    let store = Store::at(&keep.store);
    recall(job, &store);
    let remembered = Remembered::of(&job.facts.lore);
    if !remembered.is_nothing() {
        out.note(&format!("{} (--forget to ignore)", remembered.sentence()));
    }
    let mut watch = out.watch(job, manners, None);
    let driver = Driver::start(job, &store, began, watch.as_mut(), interrupt::listen()?)?;
    crate::launch::tell(driver.dir().path());
    Ok(driver.run()?)
}

/// Goes on with a job from its journal, under the caps given now or else its own. One that has ended is only told again,
/// unless caps ended it and there are others now.
pub(crate) fn resume(
    name: &str,
    keep: &KeepArgs,
    limits: &LimitArgs,
    manners: Manners,
    out: &mut dyn Output,
    began: Instant,
) -> Result<Outcome> {
    let dir = Store::at(&keep.store).find(name)?;
    let events = dir.events()?;
    let Some(Event::Started { .. }) = events.first() else {
        bail!("{}: its journal does not begin with a job: start the run anew", dir.path().display());
    };
    let past = history(&dir)?;
    Files::default().reads("journal", [dir.journal_path()]).reads_job(&past.spec).keeps(keep).check()?;
    let caps = limits.caps().or(past.spec.caps);
    if let Some(Event::Finished { summary }) = events.last()
        && !summary.ending.can_go_on(caps != past.spec.caps)
    {
        out.say(&format!("{} has already ended: {}", dir.id, summary.ending.words()));
        return outcome_of((**summary).clone(), dir, keep, out);
    }
    let job = load(JobSpec { caps, ..past.spec.clone() }, out)?;
    check_files(&job, keep)?;
    out.say(&format!("resuming {}", dir.id));
    let mut watch = out.watch(&job, manners, Some(past));
    crate::launch::tell(dir.path());
    let driver = Driver::resume(&job, dir.clone(), began, watch.as_mut(), interrupt::listen()?)?;
    let summary = driver.run()?;
    drop(watch);
    let outcome = outcome_of(summary, dir, keep, out)?;
    keep_exchange(&job, &outcome, keep, out)?;
    Ok(outcome)
}

/// Reads the data of a job.
pub(crate) fn read(spec: JobSpec, out: &mut dyn Output) -> Result<Job> {
    let _waiting = out.wait(&format!("reading {}", spec.data));
    Ok(crate::place::load(spec, crate::cache::cache().as_ref())?)
}

fn load(spec: JobSpec, out: &mut dyn Output) -> Result<Job> {
    let job = read(spec, out)?;
    let place = match (job.facts.simulated, &job.engines) {
        (true, _) => format!("simulated cluster {}", job.facts.cluster),
        (false, Some(engines)) => {
            format!("{} (up to {})", engines.name(), number::counted(engines.machines(), "worker"))
        }
        (false, None) => "this machine".into(),
    };
    out.say(&head(&job, &place));
    for note in &job.notes {
        out.note(note);
    }
    let exchanges = &job.facts.exchanges;
    let widest = exchanges.iter().map(|foretold| foretold.machines).max();
    if let Some(exchange) = widest.and_then(|machines| Exchange::of(machines, exchanges)) {
        out.note(&format!("exchange, {}", exchange.sentence()));
    }
    if let Some(note) = oversubscribed(&job) {
        out.note(&note);
    }
    Ok(job)
}

/// The goal sentence and the data.
fn head(job: &Job, place: &str) -> String {
    let data = &job.facts.data;
    format!(
        "Goal: {}\nData: {}, {} × {}, {}; {}, {}; on {place}",
        job.spec.goal.sentence(),
        data.name,
        number::count(data.rows),
        number::count(data.columns),
        number::counted(data.nonzeros, "nonzero"),
        job.facts.told(),
        number::penalty(job.facts.l2, job.facts.l1),
    )
}

fn oversubscribed(job: &Job) -> Option<String> {
    let (facts, most) = (&job.facts, job.facts.machines.iter().copied().max()?);
    (!facts.simulated && most > facts.cores).then(|| {
        let cores = number::counted(facts.cores, "core");
        format!("oversubscribed: {most} workers share {cores}; their times say little about {most} machines")
    })
}

/// Refuses, before hours of training, files that could not be written after them.
fn check_files(job: &Job, keep: &KeepArgs) -> Result<()> {
    if keep.sync_out.is_some() && job.spec.sync.as_ref().is_none_or(|asked| asked.way != Way::Search) {
        return Err(Usage::error("--sync-out: only `--sync search` finds a strategy that could be written"));
    }
    let format = keep.model.as_deref().map(ModelFormat::of).transpose()?;
    let Some(format) = format else { return Ok(()) };
    format.check(job.facts.loss, &job.rules)?;
    Ok(format.check_factors(job.facts.factors.is_some())?)
}

/// Writes the strategy that was found for the machines chosen, where that is asked for.
fn keep_exchange(job: &Job, outcome: &Outcome, keep: &KeepArgs, out: &mut dyn Output) -> Result<()> {
    let (Some(file), Some(rounds)) = (&keep.sync_out, &job.rounds) else { return Ok(()) };
    let Some(machines) = outcome.machines() else {
        out.note("--sync-out: nothing was chosen, and no strategy is written");
        return Ok(());
    };
    let Some(exchange) = rounds.on(machines)? else {
        out.note("--sync-out: one machine exchanges nothing, and no strategy is written");
        return Ok(());
    };
    std::fs::write(file, exchange.strategy.json()?).map_err(Error::io(file))?;
    out.note(&format!("{}: how rounds are exchanged on {machines} machines, for --sync", file.display()));
    Ok(())
}

pub(crate) fn outcome(summary: Summary, keep: &KeepArgs, out: &mut dyn Output) -> Result<Outcome> {
    let dir = run_dir(&summary, keep)?;
    outcome_of(summary, dir, keep, out)
}

fn run_dir(summary: &Summary, keep: &KeepArgs) -> Result<RunDir> {
    let path = keep.store.join(&summary.run);
    Ok(Store::at(&keep.store).find(&path.to_string_lossy())?)
}

fn outcome_of(mut summary: Summary, dir: RunDir, keep: &KeepArgs, out: &mut dyn Output) -> Result<Outcome> {
    let history = history(&dir)?;
    if let Some(to) = &keep.records {
        csv::save(to, &history.records)?;
    }
    if let (Some(to), Some(from)) = (&keep.model, &summary.model) {
        for note in TrainedModel::load(Path::new(from))?.save_as(to, ModelFormat::of(to)?)? {
            out.note(&note);
        }
        summary.model = Some(to.display().to_string());
    }
    Ok(Outcome { summary, history, store: keep.store.clone(), place: None })
}

/// Everything a run's journal holds, folded.
pub(crate) fn history(dir: &RunDir) -> Result<History> {
    let events = dir.events()?;
    let mut history = History::of(&events)?;
    history.replay(&events);
    Ok(history)
}
