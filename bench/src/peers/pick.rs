//! What `train` would have done, knowing nothing of P*.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use hemingway::backend::Rehearsal;
use hemingway::data::Loaded;
use hemingway::goal::{Caps, Goal};
use hemingway::job::{JobSpec, Mode};
use hemingway::record::Record;
use hemingway::record::store::Store;
use hemingway::train::{Driver, Moment, Observer};

use super::{Case, label};

/// A job of `train`, by the true error.
#[derive(Debug)]
pub struct Pick {
    /// What trained last, as it is called in tables.
    pub solver: String,
    /// Seconds of training, probing and moving rows until the true error was reached, if it was.
    pub seconds: Option<f64>,
}

/// Watches a job with knowledge of P*.
struct Judge {
    optimum: f64,
    error: f64,
    runs: BTreeMap<String, f64>,
    reached: Option<f64>,
}

impl Judge {
    fn see(&mut self, record: &Record) {
        self.runs.insert(record.run.clone(), record.train_seconds + record.load_seconds);
        if self.reached.is_none() && (record.objective - self.optimum) / self.optimum <= self.error {
            self.reached = Some(self.runs.values().sum());
        }
    }

    fn rehearsed(&mut self, rehearsals: &[Rehearsal]) {
        self.runs.insert("rehearsal".into(), rehearsals.iter().map(|rehearsal| rehearsal.seconds).sum());
    }
}

impl Observer for Judge {
    fn notice(&mut self, moment: Moment<'_>) {
        match moment {
            Moment::Round { record, .. } => self.see(record),
            Moment::Rehearsed { rehearsals } => self.rehearsed(rehearsals),
            _ => {}
        }
    }
}

impl Pick {
    /// Trains to an error on the threads of this machine.
    pub fn of(case: &Case, optimum: f64, error: f64, threads: usize) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let job = spec(case, error, threads).check_with(Loaded::from(case.data.clone()))?;
        let mut judge = Judge { optimum, error, runs: BTreeMap::new(), reached: None };
        let interrupted = AtomicBool::new(false);
        let store = Store::at(folder.path());
        let summary = Driver::start(&job, &store, Instant::now(), &mut judge, &interrupted)?.run()?;
        let solver = summary.choice.map_or_else(|| "nothing".into(), |config| label(&config, threads));
        Ok(Self { solver, seconds: judge.reached })
    }
}

fn spec(case: &Case, error: f64, threads: usize) -> JobSpec {
    JobSpec {
        factors: None,
        data: case.set.clone(),
        labels: Default::default(),
        weights: Default::default(),
        class_weight: None,
        loss: Some(case.loss),
        l2: Some(case.l2),
        l1: case.l1,
        fraction: None,
        preparation: Default::default(),
        cluster: None,
        machines: Some((1, threads)),
        algorithms: None,
        test: None,
        seed: 0,
        goal: Goal::Reach { error, certified: false },
        caps: Caps { seconds: Some(5.0 * case.patience), dollars: None },
        eval_every: 1,
        mode: Mode::Choose { adapt: true, plan_only: false },
        sync: None,
        forget: true,
    }
}
