//! Whole jobs through the driver, on shipped clusters.
#![allow(dead_code, reason = "each test program uses its part")]

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use hemingway::cluster::Cluster;
use hemingway::goal::{Caps, Goal};
use hemingway::job::{Job, JobSpec, Mode};
use hemingway::record::journal::Event;
use hemingway::record::store::{RunDir, Store};
use hemingway::train::{Driver, History, Moment, Observer, Summary};
use hemingway::trained::TrainedModel;

pub(crate) const SPARK: &str = include_str!("../../../../clusters/spark-1gbit.toml");
pub(crate) const CLOUD: &str = include_str!("../../../../clusters/cloud-25gbit.toml");
pub(crate) const HPC: &str = include_str!("../../../../clusters/hpc-200gbit.toml");
pub(crate) const LAPTOP: &str = include_str!("../../../../clusters/laptop.toml");

/// Sees nothing.
pub(crate) struct Nobody;

impl Observer for Nobody {
    fn notice(&mut self, _: Moment<'_>) {}
}

/// A job without caps on a cluster, everything else as it comes.
pub(crate) fn spec(data: &str, goal: Goal, mode: Mode, cluster: &str) -> JobSpec {
    JobSpec {
        factors: None,
        data: data.into(),
        labels: Default::default(),
        weights: Default::default(),
        class_weight: None,
        loss: None,
        l2: None,
        l1: 0.0,
        fraction: None,
        preparation: Default::default(),
        cluster: Some(Cluster::parse(cluster).unwrap()),
        machines: None,
        algorithms: None,
        test: None,
        seed: 0,
        goal,
        caps: Caps::default(),
        eval_every: 1,
        mode,
        sync: None,
        forget: false,
    }
}

/// Runs a job from its beginning to its end.
pub(crate) fn run(job: &Job, store: &Store) -> Summary {
    let (mut observer, interrupted) = (Nobody, AtomicBool::new(false));
    Driver::start(job, store, Instant::now(), &mut observer, &interrupted).unwrap().run().unwrap()
}

/// Goes on with a job to its end.
pub(crate) fn resume(job: &Job, dir: &RunDir) -> Summary {
    let (mut observer, interrupted) = (Nobody, AtomicBool::new(false));
    Driver::resume(job, dir.clone(), Instant::now(), &mut observer, &interrupted).unwrap().run().unwrap()
}

pub(crate) fn folded(events: &[Event]) -> History {
    let mut history = History::of(events).unwrap();
    history.replay(events);
    history
}

/// The model left behind is the one with the lowest objective on record.
pub(crate) fn assert_best_model(job: &Job, summary: &Summary, history: &History) {
    let model = TrainedModel::load(summary.model.as_ref().expect("a model").as_ref()).unwrap();
    let best = history.records.iter().map(|record| record.objective).fold(f64::INFINITY, f64::min);
    let provenance = model.provenance.expect("our own");
    assert_eq!((provenance.objective, summary.objective), (best, Some(best)), "{}", job.spec.data);
    assert_eq!(provenance.choice, summary.choice, "{}: what is named trained what is kept", job.spec.data);
    let real = job.problem.objective(&model.weights);
    assert!((real - best).abs() <= 1e-9 * best, "{}: {real} is not {best}", job.spec.data);
}
