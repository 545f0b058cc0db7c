//! A backend runs whole frames: it takes a configuration and a checkpoint, and gives back records and a checkpoint.
//! The train loop knows nothing else; ours drives an engine, another may drive another framework.

mod rehearsal;
mod watch;

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::algorithm::{self, Server, Step};
use crate::cluster::Cluster;
use crate::data::Dataset;
use crate::engine::{self, Clock, Engine, Engines, Setting};
use crate::problem::Problem;
use crate::record::Record;
use crate::schedule::Schedule;
use crate::sync::SyncStrategy;
use crate::sync::rounds::Rounds;
use crate::{Error, Result};
pub use rehearsal::{Rehearsal, Script};
use watch::{Gate, Patient};
pub use watch::{Watch, Watcher};

/// An objective so many times P(0) will not come back.
const DIVERGED: f64 = 1e6;

/// What is chosen: strategy as data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// The algorithm's name.
    pub algorithm: String,
    /// m.
    pub machines: usize,
    /// How updates are scheduled.
    #[serde(default)]
    pub schedule: Schedule,
    /// How machines synchronize.
    #[serde(default)]
    pub sync: SyncStrategy,
}

impl Config {
    /// This algorithm on so many machines, everything else as it comes.
    pub fn new(algorithm: impl Into<String>, machines: usize) -> Self {
        let algorithm = algorithm::written(algorithm.into());
        Self { schedule: algorithm::schedule(&algorithm), algorithm, machines, sync: SyncStrategy::Tree }
    }
}

impl std::fmt::Display for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} m={}", self.algorithm, self.machines)
    }
}

/// A stretch of training under one configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// The name its records carry.
    pub run: String,
    /// What runs.
    pub config: Config,
    /// Iterations between evaluations.
    pub eval_every: u64,
    /// It ends at this round, counted from the run's first.
    pub until_round: u64,
    /// It begins at this one.
    #[serde(default)]
    pub from_round: u64,
    /// The machines that hold the rows when it begins, unless they are its own: dealing them anew takes time.
    #[serde(default)]
    pub rows_on: Option<usize>,
}

impl Frame {
    /// A run from its first round to `until_round`, evaluated after every iteration.
    pub fn new(run: impl Into<String>, config: Config, until_round: u64) -> Self {
        Self { run: run.into(), config, eval_every: 1, until_round, from_round: 0, rows_on: None }
    }

    /// The machines that hold the rows where it goes on from a checkpoint: its own if it has begun before.
    fn rows_on(&self, from: Option<&Checkpoint>) -> usize {
        let begun = from.is_some_and(|from| from.clock.rounds > self.from_round);
        self.rows_on.filter(|_| !begun).unwrap_or(self.config.machines)
    }
}

/// Everything needed to go on, here or elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The algorithm that made it; another can adopt only its model.
    pub algorithm: String,
    /// The machines it ran on last.
    pub machines: usize,
    /// The shared vector.
    pub shared: Vec<f64>,
    /// The rows' numbers.
    pub items: Vec<f64>,
    /// What the server remembers.
    pub server: Vec<f64>,
    /// How rows are cut, where that changes on the way.
    pub balance: Vec<f64>,
    /// The coefficients w.
    pub model: Vec<f64>,
    /// The algorithm's iterations so far.
    pub iteration: u64,
    /// Time and work so far.
    pub clock: Clock,
    /// The best bound below P* so far.
    pub lower_bound: Option<f64>,
    /// P where its algorithm began.
    pub first: Option<f64>,
}

/// Why a stretch of training ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// The goal is met.
    GoalMet,
    /// Time, money or rounds are used up.
    BudgetSpent,
    /// The user stopped it.
    Interrupted,
    /// The objective ran away.
    Diverged,
    /// The algorithm cannot move any more.
    Stalled,
    /// The frame is over; training goes on.
    FrameOver,
    /// Only a plan was asked for, and there is one.
    Planned,
}

impl Ending {
    /// The ending in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::GoalMet => "goal met",
            Self::BudgetSpent => "budget spent before the goal",
            Self::Interrupted => "interrupted",
            Self::Diverged => "diverged: the objective ran away",
            Self::Stalled => "stalled: no further progress at working precision",
            Self::FrameOver => "frame over",
            Self::Planned => "planned",
        }
    }

    /// Whether what ended so can go on: the user's Ctrl-C can be taken back, and so can caps by others.
    pub fn can_go_on(self, other_caps: bool) -> bool {
        self == Self::Interrupted || (self == Self::BudgetSpent && other_caps)
    }
}

/// Runs frames.
pub trait Backend {
    /// Runs one frame from a checkpoint, or from nothing, as long as the watcher lets it.
    fn run_watched(
        &mut self,
        frame: &Frame,
        from: Option<&Checkpoint>,
        watcher: &mut dyn Watcher,
    ) -> Result<(Checkpoint, Ending)>;

    /// Runs one frame and shows its records.
    fn run(&mut self, frame: &Frame, from: Option<&Checkpoint>, seen: &mut Watch<'_>) -> Result<(Checkpoint, Ending)> {
        self.run_watched(frame, from, &mut Patient(seen))
    }

    /// Tries algorithms out on a few rows. Nothing comes of it where there is no cheap way to.
    fn rehearse(&mut self, _script: &Script) -> Result<Vec<Rehearsal>> {
        Ok(Vec::new())
    }
}

/// Our own backend: an engine, threads or simulated or of another process.
pub struct EngineBackend {
    problem: Problem,
    fingerprint: String,
    cluster: Option<Cluster>,
    engines: Option<Arc<dyn Engines>>,
    rounds: Option<Arc<Rounds>>,
    fraction: f64,
    test: Option<Arc<Dataset>>,
    live: Option<Live>,
}

/// A run in progress, kept between frames so that going on costs nothing.
struct Live {
    run: String,
    setting: Setting,
    engine: Box<dyn Engine>,
    server: Box<dyn Server>,
    shared: Vec<f64>,
    iteration: u64,
    lower_bound: Option<f64>,
    /// P at the first evaluation here; until then the model's worth is not on record.
    first: Option<f64>,
}

impl EngineBackend {
    /// Runs this problem on threads, or on a simulated cluster.
    pub fn new(problem: Problem, fingerprint: impl Into<String>, cluster: Option<Cluster>) -> Self {
        let fingerprint = fingerprint.into();
        Self { problem, fingerprint, cluster, engines: None, rounds: None, fraction: 1.0, test: None, live: None }
    }

    /// Runs it elsewhere, unless on a simulated cluster.
    pub fn with_engines(mut self, engines: Option<Arc<dyn Engines>>) -> Self {
        self.engines = engines.filter(|_| self.cluster.is_none());
        self
    }

    /// Has rounds exchanged so.
    pub fn with_rounds(mut self, rounds: Option<Arc<Rounds>>) -> Self {
        self.rounds = rounds;
        self
    }

    /// Its rows are a sample: records say what share of the data they are.
    pub fn with_fraction(mut self, fraction: f64) -> Self {
        self.fraction = fraction;
        self
    }

    /// Measures every evaluated model on a test set too.
    pub fn with_test(mut self, test: Option<Arc<Dataset>>) -> Self {
        self.test = test;
        self
    }

    /// Makes the machines ready to go on from the checkpoint under the frame's configuration.
    fn prepare(&mut self, frame: &Frame, from: Option<&Checkpoint>) -> Result<Live> {
        if let (Some(mut live), Some(from)) = (self.live.take(), from)
            && live.continues(frame, from)
        {
            live.engine.resize_if_needed(frame.config.machines)?;
            return Ok(live);
        }
        let algorithm = algorithm::of(&frame.config)?;
        algorithm::check_problem(algorithm.as_ref(), &self.problem)?;
        let setting = Setting::new(&self.problem, algorithm).with_rounds(self.rounds.clone());
        let mut engine = self.engine(setting.clone(), frame.rows_on(from))?;
        engine.resize_if_needed(frame.config.machines)?;
        let mut live = Live::fresh(frame, setting, engine);
        if let Some(from) = from {
            live.take_up(from)?;
        }
        Ok(live)
    }

    fn engine(&self, setting: Setting, machines: usize) -> Result<Box<dyn Engine>> {
        match &self.engines {
            Some(engines) => engines.build(setting, machines),
            None => engine::build(setting, self.cluster.as_ref(), machines),
        }
    }

    /// What records call the place where it runs.
    fn place(&self) -> String {
        let place = match (&self.engines, &self.cluster) {
            (Some(engines), _) => engines.name(),
            (None, Some(cluster)) => cluster.name.clone(),
            (None, None) => "local".into(),
        };
        self.rounds.iter().fold(place, |place, rounds| rounds.place(&place))
    }

    fn record(&self, frame: &Frame, live: &mut Live) -> Result<Record> {
        let evaluation = live.server.evaluate(live.engine.as_mut(), &live.shared)?;
        // Every loss here is at least 0, and so is P*; of factors nothing more is ever known.
        let proved = evaluation.dual.unwrap_or(0.0).max(0.0);
        let best = live.lower_bound.map_or(proved, |bound| bound.max(proved));
        live.lower_bound = Some(best).filter(|_| self.problem.factors.is_none());
        let clock = live.engine.clock();
        let rows = live.setting.outline.rows;
        Ok(Record {
            run: frame.run.clone(),
            problem: self.fingerprint.clone(),
            cluster: self.place(),
            algorithm: frame.config.algorithm.clone(),
            machines: frame.config.machines,
            rows,
            fraction: self.fraction,
            round: clock.rounds,
            iteration: live.iteration,
            passes: clock.rows as f64 / rows as f64,
            train_seconds: clock.train_seconds(),
            compute: clock.compute,
            wait: clock.wait,
            sync: clock.sync,
            plain_sync: clock.plain_sync,
            eval_seconds: clock.evaluation,
            load_seconds: clock.loading,
            objective: evaluation.objective,
            lower_bound: live.lower_bound,
            metrics: self.test.as_ref().map(|test| self.problem.measures(test, &live.model())).unwrap_or_default(),
        })
    }
}

impl Backend for EngineBackend {
    fn run_watched(
        &mut self,
        frame: &Frame,
        from: Option<&Checkpoint>,
        watcher: &mut dyn Watcher,
    ) -> Result<(Checkpoint, Ending)> {
        let mut live = self.prepare(frame, from)?;
        let ending = self.run_until(frame, &mut live, watcher)?;
        let checkpoint = live.checkpoint()?;
        self.live = Some(live);
        Ok((checkpoint, ending))
    }

    fn rehearse(&mut self, script: &Script) -> Result<Vec<Rehearsal>> {
        // A few users tell little of factors that all have in common.
        if self.problem.factors.is_some() {
            return Ok(Vec::new());
        }
        script.algorithms.iter().map(|name| self.rehearse_one(name, script)).collect()
    }
}

impl EngineBackend {
    fn run_until(&self, frame: &Frame, live: &mut Live, watcher: &mut dyn Watcher) -> Result<Ending> {
        if live.first.is_none() {
            let record = self.record(frame, live)?;
            live.first = Some(record.objective);
            if let ControlFlow::Break(ending) = watcher.see(&record, &live.model())? {
                return Ok(ending);
            }
        }
        let mut recorded = live.engine.clock().rounds;
        while live.engine.clock().rounds < frame.until_round {
            let end = live.iterate(watcher)?;
            let rounds = live.engine.clock().rounds;
            let last = end.is_some() || rounds >= frame.until_round;
            if rounds == recorded || !(last || live.iteration.is_multiple_of(frame.eval_every)) {
                match end {
                    Some(ending) => return Ok(ending),
                    None => continue,
                }
            }
            let record = self.record(frame, live)?;
            recorded = rounds;
            let end = live.ran_away(&record).then_some(Ending::Diverged).or(end);
            match (watcher.see(&record, &live.model())?, end) {
                // A pause must not hide how the run came out.
                (ControlFlow::Break(Ending::FrameOver) | ControlFlow::Continue(()), Some(ending))
                | (ControlFlow::Break(ending), _) => return Ok(ending),
                (ControlFlow::Continue(()), None) => {}
            }
        }
        Ok(Ending::FrameOver)
    }
}

impl dyn Engine + '_ {
    fn resize_if_needed(&mut self, machines: usize) -> Result<()> {
        if self.count() == machines { Ok(()) } else { self.resize(machines) }
    }
}

impl Live {
    fn fresh(frame: &Frame, setting: Setting, engine: Box<dyn Engine>) -> Self {
        let server = setting.algorithm.server(&setting.outline);
        let shared = setting.algorithm.shared(&setting.outline);
        let run = frame.run.clone();
        Self { run, setting, engine, server, shared, iteration: 0, lower_bound: None, first: None }
    }

    /// One iteration; an ending if it cannot move any more, or the watcher does not let it finish.
    fn iterate(&mut self, watcher: &mut dyn Watcher) -> Result<Option<Ending>> {
        let mut gate = Gate { engine: self.engine.as_mut(), watcher, closed: None };
        let step = self.server.iterate(&mut gate, &mut self.shared);
        if gate.closed.is_some() {
            return Ok(gate.closed);
        }
        self.iteration += 1;
        let ending = (step? == Step::Stalled).then_some(Ending::Stalled);
        self.engine.rebalance()?;
        Ok(ending)
    }

    fn ran_away(&self, record: &Record) -> bool {
        let scale = self.first.unwrap_or(record.objective).max(1.0);
        let far_up = record.objective > DIVERGED * scale && !self.server.may_go_back();
        !record.objective.is_finite() || far_up
    }

    /// Whether this run in progress is exactly what the checkpoint describes.
    fn continues(&self, frame: &Frame, from: &Checkpoint) -> bool {
        self.run == frame.run
            && self.setting.algorithm.name() == frame.config.algorithm
            && from.algorithm == frame.config.algorithm
            && from.clock == self.engine.clock()
    }

    /// Goes on from a checkpoint: exactly, if the same algorithm made it, from its model otherwise.
    fn take_up(&mut self, from: &Checkpoint) -> Result<()> {
        self.check(from)?;
        self.iteration = from.iteration;
        self.lower_bound = from.lower_bound;
        let moved = self.engine.clock().loading;
        if from.algorithm == self.setting.algorithm.name() {
            self.engine.set_clock(Clock { loading: from.clock.loading + moved, ..from.clock });
            if self.engine.count() == from.machines {
                self.engine.set_balance(&from.balance)?;
            }
            self.engine.set_items(&from.items)?;
            self.shared.clone_from(&from.shared);
            self.first = from.first;
            return self.server.restore(&from.server);
        }
        // Rounds go on counting, which marks a warm start; the time is the other run's.
        let Clock { rounds, rows, .. } = from.clock;
        self.engine.set_clock(Clock { rounds, rows, loading: moved, ..Clock::default() });
        self.server.adopt(self.engine.as_mut(), &from.model, &mut self.shared)
    }

    /// A checkpoint may come from a file: one of another problem must not be taken up.
    fn check(&self, from: &Checkpoint) -> Result<()> {
        let own = from.algorithm == self.setting.algorithm.name();
        let fits =
            from.model.len() == self.setting.outline.coefficients() && (!own || from.shared.len() == self.shared.len());
        if fits && (!own || from.items.len() == self.setting.numbers()) {
            return Ok(());
        }
        let (has, needs) = (from.model.len(), self.setting.outline.coefficients());
        Err(Error::Evidence(format!(
            "the checkpoint belongs to another problem: its model has {has} coefficients, this problem {needs}"
        )))
    }

    fn model(&self) -> Cow<'_, [f64]> {
        self.setting.algorithm.model(&self.setting.outline, &self.shared)
    }

    fn checkpoint(&mut self) -> Result<Checkpoint> {
        Ok(Checkpoint {
            algorithm: self.setting.algorithm.name().into(),
            machines: self.engine.count(),
            items: self.engine.items()?,
            server: self.server.state(),
            balance: self.engine.balance(),
            model: self.model().into_owned(),
            shared: self.shared.clone(),
            iteration: self.iteration,
            clock: self.engine.clock(),
            lower_bound: self.lower_bound,
            first: self.first,
        })
    }
}
