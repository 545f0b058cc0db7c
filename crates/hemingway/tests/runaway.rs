//! An algorithm that runs away is noticed, recorded and left, and takes no model with it.

#[path = "common/training.rs"]
mod training;

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use hemingway::Result;
use hemingway::backend::{Backend, Checkpoint, Config, Ending, EngineBackend, Frame, Watcher};
use hemingway::engine::Clock;
use hemingway::goal::Goal;
use hemingway::job::{Job, JobSpec, Mode};
use hemingway::model::Precedents;
use hemingway::problem::Problem;
use hemingway::record::Record;
use hemingway::record::store::Store;
use hemingway::train::{Decision, Driver, History, Purpose, Summary, replay};
use training::{CLOUD, Nobody, assert_best_model, folded, spec};

/// Our own backend, but gd has lost its line search: it overshoots further with every round.
struct Reckless {
    sound: EngineBackend,
    problem: Problem,
}

impl Backend for Reckless {
    fn run_watched(
        &mut self,
        frame: &Frame,
        from: Option<&Checkpoint>,
        watcher: &mut dyn Watcher,
    ) -> Result<(Checkpoint, Ending)> {
        if frame.config.algorithm != "gd" {
            return self.sound.run_watched(frame, from, watcher);
        }
        let mut clock = Clock::default();
        let first = self.problem.objective(&self.model(0));
        loop {
            let model = self.model(clock.rounds);
            let record = self.record(frame, &clock, &model);
            let ended = match watcher.see(&record, &model)? {
                ControlFlow::Break(ending) => Some(ending),
                ControlFlow::Continue(()) => (record.objective > 1e6 * first).then_some(Ending::Diverged),
            };
            if let Some(ending) = ended {
                return Ok((checkpoint(frame, clock, model), ending));
            }
            clock.rounds += 1;
            clock.compute += 0.01;
        }
    }
}

impl Reckless {
    fn new(job: &Job) -> Self {
        let cluster = job.spec.cluster.clone();
        Self {
            sound: EngineBackend::new(job.problem.clone(), &job.facts.problem, cluster),
            problem: job.problem.clone(),
        }
    }

    /// 0, then small steps to either side, one of which must go downhill, then ever longer ones.
    fn model(&self, round: u64) -> Vec<f64> {
        let scale = if round == 0 { 0.0 } else { 1e-4 * (-10f64).powi(round as i32) };
        vec![scale; self.problem.data.columns()]
    }

    fn record(&self, frame: &Frame, clock: &Clock, model: &[f64]) -> Record {
        Record {
            run: frame.run.clone(),
            problem: "reckless".into(),
            cluster: "cloud-25gbit".into(),
            algorithm: frame.config.algorithm.clone(),
            machines: frame.config.machines,
            rows: self.problem.data.rows(),
            fraction: 1.0,
            round: clock.rounds,
            iteration: clock.rounds,
            passes: clock.rounds as f64,
            train_seconds: clock.train_seconds(),
            compute: clock.compute,
            objective: self.problem.objective(model),
            ..Record::default()
        }
    }
}

fn checkpoint(frame: &Frame, clock: Clock, model: Vec<f64>) -> Checkpoint {
    Checkpoint {
        algorithm: frame.config.algorithm.clone(),
        machines: frame.config.machines,
        shared: model.clone(),
        items: Vec::new(),
        server: Vec::new(),
        balance: Vec::new(),
        model,
        iteration: clock.rounds,
        clock,
        lower_bound: None,
        first: None,
    }
}

fn run(mode: Mode) -> (Summary, History) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    let goal = Goal::Reach { error: 1e-3, certified: true };
    let algorithms = Some(vec!["gd".into(), "cocoa".into()]);
    let spec = JobSpec { algorithms, ..spec("synth:ridge,rows=300,columns=8", goal, mode, CLOUD) };
    let mut job = spec.check().unwrap();
    // Nothing speaks against the first of them.
    job.facts.lore.precedents = Precedents::none();
    let (mut observer, interrupted) = (Nobody, AtomicBool::new(false));
    let driver = Driver::start(&job, &store, Instant::now(), &mut observer, &interrupted).unwrap();
    let summary = driver.on(Reckless::new(&job)).run().unwrap();
    let events = store.find(&summary.run).unwrap().events().unwrap();
    let history = folded(&events);
    assert!(replay(&events).unwrap().differences.is_empty());
    assert_best_model(&job, &summary, &history);
    (summary, history)
}

#[test]
fn the_users_own_choice_ends_with_its_best_model() {
    let (summary, history) = run(Mode::Fixed(Config::new("gd", 4)));
    assert_eq!(summary.ending, Ending::Diverged);
    assert_eq!(history.past.last().map(|past| past.ending), Some(Ending::Diverged));
    let (first, last) = (&history.records[0], history.records.last().unwrap());
    assert!(summary.objective < Some(first.objective), "it had got somewhere");
    assert!(last.objective > 1e6 * first.objective, "and then ran away");
}

#[test]
fn the_models_go_on_with_another() {
    let (summary, history) = run(Mode::Choose { adapt: true, plan_only: false });
    assert_eq!(summary.ending, Ending::GoalMet, "{}", summary.why);
    let dead = history.past.iter().find(|past| past.frame.config.algorithm == "gd").expect("a probe");
    assert_eq!(dead.ending, Ending::Diverged);
    let trains = |decision: &Decision| match decision {
        Decision::Run { frame, purpose: Purpose::Train, .. } => frame.config.algorithm == "gd",
        _ => false,
    };
    assert!(!history.decisions.iter().any(trains));
}
