//! `train` on one problem and one cluster, judged by the true error.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use hemingway::cluster::Cluster;
use hemingway::data::{Dataset, Loaded};
use hemingway::goal::{Caps, Goal};
use hemingway::job::{Job, JobSpec, Mode};
use hemingway::model::{Estimate, Precedents};
use hemingway::record::Record;
use hemingway::record::store::Store;
use hemingway::train::{Decision, Driver, Moment, Observer, Purpose, Summary};

use super::Case;
use super::suite::SEED;

/// Runs jobs of one problem.
pub struct Trainer<'a> {
    /// The problem.
    pub case: &'a Case,
    /// Its rows.
    pub data: Dataset,
    /// What may be known of other problems.
    pub precedents: Precedents,
    /// Where journals go.
    pub store: Store,
}

/// What came of a job.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Seconds of training, probing and moving rows until the true error was ε, if it ever was.
    pub reached: Option<f64>,
    /// The same when the job ended.
    pub stopped: f64,
    /// The part of them spent in probes.
    pub probing: f64,
    /// What was foretold, all in all, when training began.
    pub predicted: Option<Estimate>,
    /// Every frame in brief.
    pub frames: Vec<String>,
    /// The true error at the end.
    pub true_error: f64,
    /// As the job itself sums up.
    pub summary: Summary,
}

/// Watches a job with knowledge of P*.
struct Judge<'a> {
    case: &'a Case,
    runs: BTreeMap<String, f64>,
    probing: f64,
    reached: Option<f64>,
    predicted: Option<Estimate>,
    frames: Vec<String>,
}

impl Judge<'_> {
    fn spent(&self) -> f64 {
        self.runs.values().sum()
    }

    fn see(&mut self, record: &Record, purpose: Purpose) {
        let before = self.spent();
        self.runs.insert(record.run.clone(), record.train_seconds + record.load_seconds);
        let now = self.spent();
        if purpose == Purpose::Probe {
            self.probing += now - before;
        }
        if self.reached.is_none() && self.case.true_error(record.objective) <= self.case.error {
            self.reached = Some(now);
        }
    }
}

impl Observer for Judge<'_> {
    fn notice(&mut self, moment: Moment<'_>) {
        match moment {
            Moment::Round { record, purpose, .. } => self.see(record, purpose),
            Moment::Decided(Decision::Run { frame, purpose, why, predicted, .. }) => {
                let now = self.spent();
                self.frames.push(format!("{now:>9.3} s {purpose:?} {} to {}: {why}", frame.config, frame.until_round));
                if self.predicted.is_none() && *purpose == Purpose::Train {
                    let others = now - self.runs.get(&frame.run).copied().unwrap_or(0.0);
                    let plus =
                        |p: Estimate| Estimate { low: p.low + others, mid: p.mid + others, high: p.high + others, ..p };
                    self.predicted = predicted.map(plus);
                }
            }
            Moment::Decided(Decision::Stop { ending, why, .. }) => {
                self.frames.push(format!("{:>9.3} s stop ({ending:?}): {why}", self.spent()));
            }
            Moment::FrameEnded { .. } => {}
        }
    }
}

impl Trainer<'_> {
    /// Trains on a cluster, remembering nothing; gives up after so many seconds.
    pub fn train(&self, cluster: &Cluster, adapt: bool, most: f64) -> anyhow::Result<Outcome> {
        let outcome = self.run(&self.job(cluster, adapt, most)?)?;
        std::fs::remove_dir_all(self.store.find(&outcome.summary.run)?.path())?;
        Ok(outcome)
    }

    /// The job that does.
    pub fn job(&self, cluster: &Cluster, adapt: bool, most: f64) -> anyhow::Result<Job> {
        let case = self.case;
        let spec = JobSpec {
            data: case.data.clone(),
            loss: Some(case.loss),
            l2: case.l2,
            fraction: None,
            preparation: case.preparation(),
            cluster: Some(cluster.clone()),
            machines: None,
            algorithms: None,
            test: None,
            seed: SEED,
            goal: Goal::Reach { error: case.error, certified: false },
            caps: Caps { seconds: Some(most), dollars: None },
            eval_every: 1,
            mode: Mode::Choose { adapt, plan_only: false },
            forget: false,
        };
        let mut job = spec.check_with(Loaded { dataset: self.data.clone(), notes: Vec::new(), base: None })?;
        job.facts.lore.precedents = self.precedents.clone();
        Ok(job)
    }

    /// Runs a job to its end and leaves its journal.
    pub fn run(&self, job: &Job) -> anyhow::Result<Outcome> {
        let case = self.case;
        let runs = BTreeMap::new();
        let mut judge = Judge { case, runs, probing: 0.0, reached: None, predicted: None, frames: Vec::new() };
        let interrupted = AtomicBool::new(false);
        let summary = Driver::start(job, &self.store, Instant::now(), &mut judge, &interrupted)?.run()?;
        Ok(Outcome {
            reached: judge.reached,
            stopped: judge.spent(),
            probing: judge.probing,
            predicted: judge.predicted,
            frames: judge.frames,
            true_error: case.true_error(summary.objective.unwrap_or(f64::INFINITY)),
            summary,
        })
    }
}
