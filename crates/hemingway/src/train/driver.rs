//! Carries decisions out: runs frames, writes the journal, keeps checkpoints and the best model, honours caps.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::{Decision, History, Purpose, Spent, Start, Summary, decide};
use crate::backend::{Backend, Checkpoint, Config, Ending, EngineBackend, Frame};
use crate::goal::Goal;
use crate::job::Job;
use crate::record::Record;
use crate::record::journal::{Event, Journal};
use crate::record::store::{RunDir, Store};
use crate::standing::Standing;
use crate::trained::{Provenance, TrainedModel};
use crate::{Error, Result, metric};

/// How long training may go on before what it has reached is put into a checkpoint.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(1);

/// What an observer may show.
pub enum Moment<'a> {
    /// The next step was decided.
    Decided(&'a Decision),
    /// A round was evaluated.
    Round {
        /// What was seen.
        record: &'a Record,
        /// Where training stands.
        standing: &'a Standing,
        /// What has been used.
        spent: &'a Spent,
        /// What the frame is for.
        purpose: Purpose,
    },
    /// A frame ended.
    FrameEnded {
        /// The frame.
        frame: &'a Frame,
        /// Why.
        ending: Ending,
    },
}

/// Shows what happens; it decides nothing.
pub trait Observer {
    /// Something happened.
    fn notice(&mut self, moment: Moment<'_>);
}

/// Runs one job to its end.
pub struct Driver<'a> {
    job: &'a Job,
    backend: EngineBackend,
    dir: RunDir,
    journal: Journal,
    history: History,
    meter: Meter,
    best: Best,
    checkpoints: HashMap<String, Checkpoint>,
    observer: &'a mut dyn Observer,
    interrupted: &'a AtomicBool,
}

/// The best model so far. It may trail the journal after a kill; the rounds run again catch up.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Best {
    /// What the goal wants small.
    worth: f64,
    objective: f64,
    /// What made it; nothing yet.
    maker: Option<Config>,
    model: Vec<f64>,
}

impl Best {
    fn see(&mut self, goal: &Goal, record: &Record, model: &[f64]) {
        let worth = worth(goal, record);
        if worth < self.worth {
            let maker = Some(Config::new(&record.algorithm, record.machines));
            *self = Self { worth, objective: record.objective, maker, model: model.to_vec() };
        }
    }
}

/// What the goal wants small: the objective, or how far the asked-for measure is off.
fn worth(goal: &Goal, record: &Record) -> f64 {
    match goal {
        Goal::ReachMetric { metric, .. } => {
            let seen = record.metrics.get(metric).copied();
            seen.map_or(f64::INFINITY, |seen| if metric::is_loss(metric) { seen } else { -seen })
        }
        _ => record.objective,
    }
}

/// Measures what is spent: virtual seconds from the records, or this machine's.
#[derive(Debug)]
struct Meter {
    simulated: bool,
    price_per_hour: Option<f64>,
    began: Instant,
    /// Wall seconds spent before a resume.
    before: f64,
    /// Seconds of training and evaluation of each run so far.
    runs: HashMap<String, f64>,
    /// Wall seconds when the last record came in.
    last_record: f64,
    /// Wall seconds the last round took, evaluation included.
    last_round: f64,
}

impl<'a> Driver<'a> {
    /// Begins a job in the store. `began` is when the command did.
    pub fn start(
        job: &'a Job,
        store: &Store,
        began: Instant,
        observer: &'a mut dyn Observer,
        interrupted: &'a AtomicBool,
    ) -> Result<Self> {
        let (dir, journal) = store.create(&stem(job))?;
        let history = History::new(&dir.id, job.spec.clone(), job.facts.clone());
        let mut driver = Self::new(job, dir, journal, history, began, observer, interrupted);
        driver.log(&Event::Started {
            run: driver.history.id.clone(),
            at: now(),
            version: env!("CARGO_PKG_VERSION").into(),
            spec: Box::new(job.spec.clone()),
            facts: Box::new(job.facts.clone()),
        })?;
        Ok(driver)
    }

    /// Goes on with a job that was killed or interrupted. The job must have been made from the journal's own
    /// specification.
    pub fn resume(
        job: &'a Job,
        dir: RunDir,
        began: Instant,
        observer: &'a mut dyn Observer,
        interrupted: &'a AtomicBool,
    ) -> Result<Self> {
        let (journal, events) = dir.reopen()?;
        if History::of(&events)?.facts.problem != job.facts.problem {
            let what = format!("{} is no longer the data that this run began with", job.spec.data);
            return Err(Error::file(dir.path(), what));
        }
        let history = History::new(&dir.id, job.spec.clone(), job.facts.clone());
        let mut driver = Self::new(job, dir, journal, history, began, observer, interrupted);
        driver.take_up(&events);
        if let Some(best) = driver.dir.load_best() {
            driver.best = best;
        }
        driver.log(&Event::Resumed { at: now() })?;
        Ok(driver)
    }

    fn new(
        job: &'a Job,
        dir: RunDir,
        journal: Journal,
        history: History,
        began: Instant,
        observer: &'a mut dyn Observer,
        interrupted: &'a AtomicBool,
    ) -> Self {
        let cluster = job.spec.cluster.clone();
        let backend = EngineBackend::new(job.problem.clone(), &job.facts.problem, cluster)
            .with_fraction(job.spec.fraction.unwrap_or(1.0))
            .with_test(job.test.clone());
        let model = vec![0.0; job.problem.data.columns()];
        let best = Best { worth: f64::INFINITY, objective: f64::INFINITY, maker: None, model };
        let meter = Meter::new(job, began);
        Self { job, backend, dir, journal, history, meter, best, checkpoints: HashMap::new(), observer, interrupted }
    }

    /// Decides and runs frames until the job ends; leaves the model beside the journal.
    pub fn run(mut self) -> Result<Summary> {
        loop {
            if self.history.open.is_none() {
                let decision = decide(&self.history);
                self.log(&Event::Decided { spent: self.history.spent, decision: Box::new(decision.clone()) })?;
                self.observer.notice(Moment::Decided(&decision));
                if let Decision::Stop { ending, why, .. } = decision {
                    return self.finish(ending, &why);
                }
            }
            self.run_open_frame()?;
        }
    }

    /// Folds a journal, and counts what each of its rounds took: spending is on record only where frames begin and end.
    fn take_up(&mut self, events: &[Event]) {
        for event in events {
            self.history.apply(event);
            if let (Event::Round { record }, Some((_, purpose, _))) = (event, &self.history.open) {
                self.meter.recall(record, *purpose, &mut self.history.spent);
            }
        }
        self.meter.before = self.history.spent.wall_seconds;
    }

    fn log(&mut self, event: &Event) -> Result<()> {
        self.journal.append(event)?;
        self.history.apply(event);
        Ok(())
    }

    /// Runs the frame decided on, in slices that each end with a checkpoint.
    fn run_open_frame(&mut self) -> Result<()> {
        let Some((frame, purpose, start)) = self.history.open.clone() else { return Ok(()) };
        let ending = loop {
            let from = self.checkpoint(&frame, &start);
            let (checkpoint, ending) = self.run_slice(&frame, purpose, from.as_ref())?;
            // Before the journal says that the frame is over: nothing would be run again to catch up.
            self.dir.save_best(&self.best)?;
            self.dir.save_checkpoint(&frame.run, &checkpoint)?;
            self.checkpoints.insert(frame.run.clone(), checkpoint);
            if let Some(ending) = ending {
                let spent = self.history.spent;
                self.log(&Event::FrameEnded { run: frame.run.clone(), ending, spent })?;
                self.journal.flush()?;
                break ending;
            }
        };
        self.observer.notice(Moment::FrameEnded { frame: &frame, ending });
        Ok(())
    }

    /// Where the frame goes on: its own run's newest checkpoint, or that of the run whose model it adopts.
    fn checkpoint(&self, frame: &Frame, start: &Start) -> Option<Checkpoint> {
        let find = |run: &str| self.checkpoints.get(run).cloned().or_else(|| self.dir.load_checkpoint(run));
        find(&frame.run).or_else(|| match start {
            Start::Adopt { run } => find(run),
            Start::Fresh | Start::Continue { .. } => None,
        })
    }

    /// Runs until the frame ends (`Some`) or a checkpoint is due (`None`).
    fn run_slice(
        &mut self,
        frame: &Frame,
        purpose: Purpose,
        from: Option<&Checkpoint>,
    ) -> Result<(Checkpoint, Option<Ending>)> {
        let Self { backend, journal, history, meter, best, observer, interrupted, .. } = self;
        let last = history.last_of(&frame.run);
        let known = last.map(|record| record.round);
        // A kill may have come between the last round of a frame and the word that it is over.
        if let (Some(record), Some(from)) = (last, from)
            && record.round == from.clock.rounds
            && let Some(ending) = verdict(history, meter, record, interrupted)
        {
            return Ok((from.clone(), Some(ending)));
        }
        meter.begin(&history.spent);
        let began = Instant::now();
        let mut due = false;
        let mut seen = |record: &Record, model: &[f64]| {
            best.see(&history.spec.goal, record, model);
            // Rounds run again after a kill are on record already; the last of them may not have been judged.
            if known.is_some_and(|round| record.round < round) {
                return Ok(ControlFlow::Continue(()));
            }
            if known != Some(record.round) {
                let event = Event::Round { record: record.clone() };
                journal.append(&event)?;
                history.apply(&event);
                meter.see(record, purpose, &mut history.spent);
                observer.notice(Moment::Round { record, standing: &history.standing, spent: &history.spent, purpose });
            }
            if let Some(ending) = verdict(history, meter, record, interrupted) {
                return Ok(ControlFlow::Break(ending));
            }
            due = began.elapsed() > CHECKPOINT_EVERY;
            Ok(if due { ControlFlow::Break(Ending::FrameOver) } else { ControlFlow::Continue(()) })
        };
        let (checkpoint, ending) = backend.run(frame, from, &mut seen)?;
        let unfinished = due && ending == Ending::FrameOver && checkpoint.clock.rounds < frame.until_round;
        Ok((checkpoint, (!unfinished).then_some(ending)))
    }

    fn finish(mut self, ending: Ending, why: &str) -> Result<Summary> {
        self.history.spent.wall_seconds = self.meter.wall(&self.history.spent);
        let mut summary = Summary::of(&self.history, ending, why);
        if self.best.maker.is_some() {
            let path = self.dir.model_path();
            self.trained(&summary).save(&path)?;
            summary.model = Some(path.display().to_string());
        }
        self.log(&Event::Finished { summary: Box::new(summary.clone()) })?;
        self.journal.flush()?;
        Ok(summary)
    }

    fn trained(&self, summary: &Summary) -> TrainedModel {
        TrainedModel {
            format: crate::trained::FORMAT.into(),
            loss: self.job.problem.loss,
            l2: self.job.problem.l2,
            rules: self.job.rules.clone(),
            base: self.job.base,
            weights: self.best.model.clone(),
            provenance: Provenance {
                version: env!("CARGO_PKG_VERSION").into(),
                run: self.history.id.clone(),
                data: self.job.spec.data.clone(),
                problem: self.job.facts.problem.clone(),
                seed: self.job.spec.seed,
                objective: self.best.objective,
                estimated_error: summary.estimated_error,
                certified_error: summary.certified_error,
                choice: self.best.maker.clone(),
                ending: summary.ending,
            },
        }
    }
}

/// Whether this record ends the frame: the goal, the user, or a cap that one more round would break.
fn verdict(history: &History, meter: &Meter, record: &Record, interrupted: &AtomicBool) -> Option<Ending> {
    if history.standing.meets(&history.spec.goal, record) {
        return Some(Ending::GoalMet);
    }
    if interrupted.load(Ordering::Relaxed) {
        return Some(Ending::Interrupted);
    }
    let caps = history.caps();
    let next = meter.last_round;
    let late = caps.seconds.is_some_and(|cap| history.spent.wall_seconds + next > cap);
    let price = meter.price(record.machines) * next;
    let dear = caps.dollars.is_some_and(|cap| history.spent.dollars.unwrap_or(0.0) + price > cap);
    // To have used up a budget is what was asked for, unless loading alone did.
    let asked_for = history.spec.goal.is_budget() && record.round > 0;
    (late || dear).then_some(if asked_for { Ending::GoalMet } else { Ending::BudgetSpent })
}

impl Meter {
    fn new(job: &Job, began: Instant) -> Self {
        Self {
            simulated: job.facts.simulated,
            price_per_hour: job.facts.price_per_hour,
            began,
            before: 0.0,
            runs: HashMap::new(),
            last_record: 0.0,
            last_round: 0.0,
        }
    }

    /// Dollars a second for so many machines.
    fn price(&self, machines: usize) -> f64 {
        self.price_per_hour.unwrap_or(0.0) * machines as f64 / 3600.0
    }

    fn wall(&self, spent: &Spent) -> f64 {
        if self.simulated { spent.wall_seconds } else { self.before + self.began.elapsed().as_secs_f64() }
    }

    /// What comes now is rounds, not loading or dealing.
    fn begin(&mut self, spent: &Spent) {
        self.last_record = self.wall(spent);
    }

    /// Counts a round that has just ended.
    fn see(&mut self, record: &Record, purpose: Purpose, spent: &mut Spent) {
        let before = self.last_record;
        self.recall(record, purpose, spent);
        if !self.simulated {
            spent.wall_seconds = self.wall(spent);
            self.last_round = spent.wall_seconds - before;
            self.last_record = spent.wall_seconds;
        }
    }

    /// Counts a round by its record alone.
    fn recall(&mut self, record: &Record, purpose: Purpose, spent: &mut Spent) {
        let total = record.train_seconds + record.eval_seconds + record.load_seconds;
        // A round run again after a kill may take less than it did before.
        let busy = (total - self.runs.insert(record.run.clone(), total).unwrap_or(0.0)).max(0.0);
        spent.wall_seconds += busy;
        self.last_round = spent.wall_seconds - self.last_record;
        self.last_record = spent.wall_seconds;
        if purpose == Purpose::Probe {
            spent.probe_seconds += busy;
        }
        if self.price_per_hour.is_some() {
            *spent.dollars.get_or_insert(0.0) += self.price(record.machines) * busy;
        }
    }
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |t| t.as_secs_f64())
}

/// A readable name for the run: the data and what was done with it.
fn stem(job: &Job) -> String {
    let name = job.facts.data.name.rsplit(['/', '\\']).next().unwrap_or("data");
    let name = name.trim_start_matches("synth:").split(['.', ',']).next().unwrap_or("data");
    let clean: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    if clean.is_empty() { "data".into() } else { clean }
}
