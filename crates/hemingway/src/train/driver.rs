//! Carries decisions out: runs frames, writes the journal, keeps checkpoints and the best model, honours caps.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use super::best::Best;
use super::memory::Memory;
use super::meter::{Ahead, Meter};
use super::slice::{Slice, promised, verdict, when_spent};
use super::{ADOPTION, Compared, Decision, History, Moment, Observer, Purpose, Start, Summary, decide};
use crate::backend::{Backend, Checkpoint, Ending, EngineBackend, Frame, Script};
use crate::job::Job;
use crate::record::journal::{Event, Journal};
use crate::record::store::{RunDir, Store};
use crate::trained::{Provenance, TrainedModel};
use crate::{Error, Result, units};

/// Runs one job to its end.
pub struct Driver<'a> {
    job: &'a Job,
    backend: Box<dyn Backend + 'a>,
    dir: RunDir,
    journal: Journal,
    history: History,
    meter: Meter,
    best: Best,
    checkpoints: HashMap<String, Checkpoint>,
    /// An end that a kill cut short.
    stop: Option<(Ending, String)>,
    observer: &'a mut dyn Observer,
    interrupted: &'a AtomicBool,
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

    /// Goes on with a job that was killed, interrupted, or ended by its caps. The job must have been made from the
    /// journal's own specification; where its caps differ they hold from here on, and the journal says so.
    pub fn resume(
        job: &'a Job,
        dir: RunDir,
        began: Instant,
        observer: &'a mut dyn Observer,
        interrupted: &'a AtomicBool,
    ) -> Result<Self> {
        let mut driver = Self::reopen(job, dir, began, observer, interrupted)?;
        let caps = (driver.history.spec.caps != job.spec.caps).then_some(job.spec.caps);
        driver.log(&Event::Resumed { at: now(), caps })?;
        Ok(driver)
    }

    /// Trains by a plan that is the best of several clusters'. The job is that of the plan, under the caps of it all.
    pub fn carry_out(
        job: &'a Job,
        dir: RunDir,
        clusters: Vec<Compared>,
        began: Instant,
        observer: &'a mut dyn Observer,
        interrupted: &'a AtomicBool,
    ) -> Result<Self> {
        let mut driver = Self::reopen(job, dir, began, observer, interrupted)?;
        driver.log(&Event::Compared { at: now(), clusters, caps: job.spec.caps })?;
        Ok(driver)
    }

    fn reopen(
        job: &'a Job,
        dir: RunDir,
        began: Instant,
        observer: &'a mut dyn Observer,
        interrupted: &'a AtomicBool,
    ) -> Result<Self> {
        let (journal, events) = dir.reopen()?;
        let history = History::of(&events)?;
        if history.facts.problem != job.facts.problem {
            let what = format!("{} is no longer the data that this run began with; start a new run", job.spec.data);
            return Err(Error::file(dir.path(), what));
        }
        let mut driver = Self::new(job, dir, journal, history, began, observer, interrupted);
        driver.take_up(&events);
        if let Some(best) = driver.dir.load_best() {
            driver.best = best;
        }
        Ok(driver)
    }

    /// Where its run is kept.
    pub fn dir(&self) -> &RunDir {
        &self.dir
    }

    /// Runs frames elsewhere than on our own engines.
    pub fn on(mut self, backend: impl Backend + 'a) -> Self {
        self.backend = Box::new(backend);
        self
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
            .with_engines(job.engines.clone())
            .with_rounds(job.rounds.clone())
            .with_fraction(job.spec.fraction.unwrap_or(1.0))
            .with_test(job.test.clone());
        let best = Best::none(job.problem.coefficients());
        let meter = Meter::new(&job.facts, began);
        Self {
            job,
            backend: Box::new(backend),
            dir,
            journal,
            history,
            meter,
            best,
            checkpoints: HashMap::new(),
            stop: None,
            observer,
            interrupted,
        }
    }

    /// Decides and runs frames until the job ends; leaves the model beside the journal.
    pub fn run(mut self) -> Result<Summary> {
        if let Some((ending, why)) = self.stop.take_if(|_| self.history.open.is_none()) {
            return self.finish(ending, &why);
        }
        loop {
            if let Some(script) = self.history.script.clone() {
                self.rehearse(&script)?;
            }
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
        self.meter.go_on_from(&self.history.spent);
        let last = events.iter().rev().find(|event| !matches!(event, Event::Resumed { .. }));
        if let Some(Event::Decided { decision, .. }) = last
            && let Decision::Stop { ending, why, .. } = decision.as_ref()
        {
            self.stop = Some((*ending, why.clone()));
        }
    }

    fn log(&mut self, event: &Event) -> Result<()> {
        self.journal.append(event)?;
        self.history.apply(event);
        Ok(())
    }

    fn rehearse(&mut self, script: &Script) -> Result<()> {
        let rehearsals = self.backend.rehearse(script)?;
        let mut spent = self.history.spent;
        let seconds = rehearsals.iter().map(|rehearsal| rehearsal.seconds + rehearsal.eval_seconds).sum();
        self.meter.rehearsed(seconds, &mut spent);
        self.observer.notice(Moment::Rehearsed { rehearsals: &rehearsals });
        self.log(&Event::Rehearsed { rehearsals, spent })
    }

    /// Runs the frame decided on, in slices that each end with a checkpoint.
    fn run_open_frame(&mut self) -> Result<()> {
        let Some((frame, purpose, start)) = self.history.open.clone() else { return Ok(()) };
        let mut ending = self.refusal(&frame, &start).or_else(|| self.unsaid(&frame));
        while ending.is_none() {
            let from = self.checkpoint(&frame, &start);
            let (checkpoint, end) = self.run_slice(&frame, purpose, from.as_ref())?;
            // Before the journal says that the frame is over: nothing would be run again to catch up.
            self.dir.save_best(&self.best)?;
            self.dir.save_checkpoint(&frame.run, &checkpoint, end)?;
            self.checkpoints.insert(frame.run.clone(), checkpoint);
            ending = end;
        }
        let Some(ending) = ending else { return Ok(()) };
        let spent = self.history.spent;
        self.log(&Event::FrameEnded { run: frame.run.clone(), ending, spent })?;
        self.journal.flush()?;
        self.observer.notice(Moment::FrameEnded { frame: &frame, ending });
        Ok(())
    }

    /// Why a new run is not even begun: the user, or a cap that its start and first round would break. The first of all
    /// always is, so that a model is left.
    fn refusal(&self, frame: &Frame, start: &Start) -> Option<Ending> {
        let history = &self.history;
        if history.records.is_empty() || history.last_of(&frame.run).is_some() {
            return None;
        }
        if self.interrupted.load(Ordering::Relaxed) {
            return Some(Ending::Interrupted);
        }
        let adoption = if matches!(start, Start::Adopt { .. }) { ADOPTION } else { 0.0 };
        let config = &frame.config;
        let ahead = Ahead { config, rounds: 1.0 + adoption, promised: promised(history, config) };
        (!self.meter.fits(&ahead, None, &history.spent, history.caps())).then(|| when_spent(history))
    }

    /// How the frame ended, if a kill kept that out of the journal and one more round would not show it again.
    fn unsaid(&self, frame: &Frame) -> Option<Ending> {
        let last = self.history.last_of(&frame.run).filter(|_| !self.checkpoints.contains_key(&frame.run))?;
        let (checkpoint, ending) = self.dir.load_checkpoint(&frame.run)?;
        let ending = ending.filter(|ending| matches!(ending, Ending::Stalled | Ending::Diverged))?;
        let said = self.history.past.iter().any(|past| past.frame.run == frame.run && past.ending == ending);
        (checkpoint.clock.rounds == last.round && !said).then_some(ending)
    }

    /// Where the frame goes on: its own run's newest checkpoint, or that of the run whose model it adopts.
    fn checkpoint(&self, frame: &Frame, start: &Start) -> Option<Checkpoint> {
        let load = |run: &str| self.dir.load_checkpoint(run).map(|(checkpoint, _)| checkpoint);
        let find = |run: &str| self.checkpoints.get(run).cloned().or_else(|| load(run));
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
        let last = self.history.last_of(&frame.run);
        let known = last.map(|record| record.round);
        // A kill may have come between the last round of a frame and the word that it is over.
        if let (Some(record), Some(from)) = (last, from)
            && record.round == from.clock.rounds
            && let Some(ending) = verdict(&self.history, record, self.interrupted)
        {
            return Ok((from.clone(), Some(ending)));
        }
        self.meter.begin(&self.history.spent);
        let mut slice = Slice {
            frame,
            purpose,
            known,
            promised: promised(&self.history, &frame.config),
            began: Instant::now(),
            due: false,
            journal: &mut self.journal,
            history: &mut self.history,
            meter: &mut self.meter,
            best: &mut self.best,
            observer: &mut *self.observer,
            interrupted: self.interrupted,
        };
        let (checkpoint, ending) = self.backend.run_watched(frame, from, &mut slice)?;
        let unfinished = slice.due && ending == Ending::FrameOver && checkpoint.clock.rounds < frame.until_round;
        Ok((checkpoint, (!unfinished).then_some(ending)))
    }

    fn finish(mut self, ending: Ending, why: &str) -> Result<Summary> {
        self.history.spent.wall_seconds = self.meter.wall(&self.history.spent);
        let too_little = (ending == Ending::BudgetSpent).then(|| overrun_at_once(&self.history)).flatten();
        let mut summary = Summary::of(&self.history, ending, too_little.as_deref().unwrap_or(why));
        if self.best.maker.is_some() {
            let path = self.dir.model_path();
            self.trained(&summary).save(&path)?;
            summary.model = Some(path.display().to_string());
        }
        self.log(&Event::Finished { summary: Box::new(summary.clone()) })?;
        self.journal.flush()?;
        Memory::keep(&self.dir, &self.history);
        Ok(summary)
    }

    fn trained(&self, summary: &Summary) -> TrainedModel {
        TrainedModel {
            format: crate::trained::FORMAT.into(),
            loss: self.job.problem.loss,
            classes: self.job.problem.classes,
            l2: Some(self.job.problem.penalty.l2),
            l1: Some(self.job.problem.penalty.l1),
            rules: self.job.rules.clone(),
            base: self.job.base,
            factors: self.job.rating_model().map(Box::new),
            weights: self.best.model.clone(),
            provenance: Some(Provenance {
                version: env!("CARGO_PKG_VERSION").into(),
                run: self.history.id.clone(),
                data: self.job.spec.data.clone(),
                problem: self.job.facts.problem.clone(),
                weights: self.job.weights_told(),
                seed: self.job.spec.seed,
                objective: self.best.objective,
                estimated_error: summary.estimated_error,
                certified_error: summary.certified_error,
                choice: self.best.maker.as_ref().map(|made| {
                    let spec = &self.job.spec;
                    spec.exchanged(spec.config_of(&made.algorithm, made.machines))
                }),
                ending: summary.ending,
            }),
        }
    }
}

/// What to say of caps that not even the first model fits into. Loading and one evaluation are what any model takes, and
/// nobody knows how long they are before they are over.
fn overrun_at_once(history: &History) -> Option<String> {
    let (caps, spent) = (history.caps(), &history.spent);
    let trained = history.records.iter().any(|record| record.round > 0);
    let seconds = caps.seconds.filter(|cap| spent.wall_seconds > *cap);
    let dollars = caps.dollars.zip(spent.dollars).filter(|(cap, spent)| spent > cap);
    let what = match (seconds, dollars) {
        _ if trained => return None,
        (Some(cap), _) => format!("{} of {}", units::seconds(spent.wall_seconds), units::seconds(cap)),
        (None, Some((cap, spent))) => format!("${} of ${}", units::digits(spent), units::digits(cap)),
        (None, None) => return None,
    };
    Some(format!("to load the data and evaluate once took {what}: no round fits, allow more"))
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
