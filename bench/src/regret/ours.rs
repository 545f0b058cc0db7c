//! `train` on one problem and one cluster, judged by the true error.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use hemingway::algorithm::{self, Support};
use hemingway::backend::Rehearsal;
use hemingway::cluster::Cluster;
use hemingway::data::{Dataset, Loaded};
use hemingway::goal::{Caps, Goal};
use hemingway::job::{Job, JobSpec, Mode};
use hemingway::model::{Estimate, Lesson, Precedents};
use hemingway::record::Record;
use hemingway::record::store::{RunDir, Store};
use hemingway::train::{Decision, Driver, Moment, Observer, Purpose, Summary, replay};
use serde::{Deserialize, Serialize};

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

/// A job to do.
pub struct Wish<'a> {
    /// Where.
    pub cluster: &'a Cluster,
    /// What for.
    pub goal: Goal,
    /// By which algorithms, where not by those it tries unasked.
    pub algorithms: Option<Vec<String>>,
    /// Whether it may change its mind.
    pub adapt: bool,
    /// Which order of the rows, and whose stragglers.
    pub seed: u64,
    /// Seconds after which it is given up.
    pub most: f64,
}

/// What came of a job.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Outcome {
    /// Seconds of training, probing and moving rows until the true error was ε, if it ever was.
    pub reached: Option<f64>,
    /// The same when the job ended.
    pub stopped: f64,
    /// The part of them spent in probes.
    pub probing: f64,
    /// What was foretold, all in all, at every decision of training, and when.
    pub promises: Vec<(f64, Estimate)>,
    /// Every frame in brief.
    pub frames: Vec<String>,
    /// The true error at the end.
    pub true_error: f64,
    /// As the job itself sums up.
    pub summary: Summary,
    /// What its journal gave when every decision was taken again.
    pub replayed: Replayed,
    /// Where it stood after every round.
    #[serde(skip)]
    pub course: Vec<Stage>,
}

/// Decisions of a journal taken again.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Replayed {
    /// How many there are.
    pub decisions: usize,
    /// How many came out differently.
    pub differences: usize,
}

/// A job after one of its rounds.
#[derive(Debug, Clone, Copy)]
pub struct Stage {
    /// Seconds of training, probing and moving rows so far.
    pub seconds: f64,
    /// What they cost.
    pub dollars: f64,
    /// The true error of the best model so far.
    pub error: f64,
}

/// Watches a job with knowledge of P*.
struct Judge<'a> {
    case: &'a Case,
    cluster: &'a Cluster,
    runs: BTreeMap<String, f64>,
    probing: f64,
    reached: Option<f64>,
    promises: Vec<(f64, Estimate)>,
    frames: Vec<String>,
    course: Vec<Stage>,
}

impl<'a> Judge<'a> {
    fn new(case: &'a Case, cluster: &'a Cluster) -> Self {
        let runs = BTreeMap::new();
        Self { case, cluster, runs, probing: 0.0, reached: None, promises: vec![], frames: vec![], course: vec![] }
    }

    fn spent(&self) -> f64 {
        self.runs.values().fold(0.0, |sum, seconds| sum + seconds)
    }

    fn rehearsed(&mut self, rehearsals: &[Rehearsal]) {
        let seconds: f64 = rehearsals.iter().map(|rehearsal| rehearsal.seconds).sum();
        self.runs.insert("rehearsal".into(), seconds);
        self.probing += seconds;
    }

    fn see(&mut self, record: &Record, purpose: Purpose) {
        let before = self.spent();
        self.runs.insert(record.run.clone(), record.train_seconds + record.load_seconds);
        let now = self.spent();
        if purpose == Purpose::Probe {
            self.probing += now - before;
        }
        let error = self.case.true_error(record.objective);
        if self.reached.is_none() && error <= self.case.error {
            self.reached = Some(now);
        }
        let last = self.course.last().copied().unwrap_or(Stage { seconds: 0.0, dollars: 0.0, error });
        let dollars = last.dollars + self.cluster.price_per_hour / 3600.0 * record.machines as f64 * (now - before);
        self.course.push(Stage { seconds: now, dollars, error: last.error.min(error) });
    }
}

impl Observer for Judge<'_> {
    fn notice(&mut self, moment: Moment<'_>) {
        match moment {
            Moment::Round { record, purpose, .. } => self.see(record, purpose),
            Moment::Decided(Decision::Run { frame, purpose, why, predicted, .. }) => {
                let now = self.spent();
                self.frames.push(format!("{now:>9.3} s {purpose:?} {} to {}: {why}", frame.config, frame.until_round));
                if let Some(predicted) = predicted {
                    let others = now - self.runs.get(&frame.run).copied().unwrap_or(0.0);
                    let plus = |seconds: f64| seconds + others;
                    let Estimate { low, mid, high, .. } = *predicted;
                    let all = Estimate { low: plus(low), mid: plus(mid), high: plus(high), ..*predicted };
                    self.promises.push((now, all));
                }
            }
            Moment::Decided(Decision::Stop { ending, why, .. }) => {
                self.frames.push(format!("{:>9.3} s stop ({ending:?}): {why}", self.spent()));
            }
            Moment::Rehearsed { rehearsals } => self.rehearsed(rehearsals),
            Moment::Decided(Decision::Rehearse { script, why }) => {
                let now = self.spent();
                self.frames.push(format!("{now:>9.3} s rehearse on {} rows: {why}", script.rows));
            }
            Moment::FrameEnded { .. } => {}
        }
    }
}

impl<'a> Trainer<'a> {
    /// One that knows nothing of the problem's family.
    pub fn of(case: &'a Case, lessons: &[(String, Lesson)], store: Store) -> anyhow::Result<Self> {
        let strangers = lessons.iter().filter(|(family, _)| *family != case.family).map(|(_, lesson)| lesson.clone());
        let precedents = Precedents::learn(&strangers.collect::<Vec<_>>());
        Ok(Self { case, data: case.raw()?, precedents, store })
    }

    /// Trains to ε on a cluster; gives up after so many seconds.
    pub fn train(&self, cluster: &Cluster, adapt: bool, most: f64) -> anyhow::Result<Outcome> {
        self.grant(&self.wish(cluster, adapt, most))
    }

    /// The wish to.
    pub fn wish<'c>(&self, cluster: &'c Cluster, adapt: bool, most: f64) -> Wish<'c> {
        let goal = Goal::Reach { error: self.case.error, certified: false };
        Wish { cluster, goal, algorithms: None, adapt, seed: SEED, most }
    }

    /// Does a job, remembering nothing, and clears it away.
    pub fn grant(&self, wish: &Wish<'_>) -> anyhow::Result<Outcome> {
        let mut outcome = self.run(&self.job(wish)?, wish.cluster)?;
        outcome.replayed = replay_and_drop(&self.store.find(&outcome.summary.run)?)?;
        Ok(outcome)
    }

    /// The job that a wish is.
    pub fn job(&self, wish: &Wish<'_>) -> anyhow::Result<Job> {
        let loaded = Loaded::from(self.data.clone());
        let mut job = self.spec(wish).check_with(loaded)?;
        job.facts.lore.precedents = self.precedents.clone();
        Ok(job)
    }

    /// Runs a job to its end and leaves its journal.
    pub fn run(&self, job: &Job, cluster: &Cluster) -> anyhow::Result<Outcome> {
        let mut judge = Judge::new(self.case, cluster);
        let interrupted = AtomicBool::new(false);
        let summary = Driver::start(job, &self.store, Instant::now(), &mut judge, &interrupted)?.run()?;
        Ok(Outcome {
            reached: judge.reached,
            stopped: judge.spent(),
            probing: judge.probing,
            promises: judge.promises,
            frames: judge.frames,
            true_error: self.case.true_error(summary.objective.unwrap_or(f64::INFINITY)),
            replayed: Replayed::default(),
            summary,
            course: judge.course,
        })
    }

    /// What is tried unasked but for `gram`: where one round is all, there is nothing to choose by.
    fn iterative(&self, goal: &Goal) -> Vec<String> {
        let loss = self.case.loss;
        let mut all = algorithm::candidates(loss, &self.case.penalty(), matches!(goal, Goal::Reach { .. }));
        all.retain(|a| self.precedents.know(a.name()) || a.support(loss) != Support::Exact);
        all.iter().map(|a| a.name().into()).collect()
    }

    fn spec(&self, wish: &Wish<'_>) -> JobSpec {
        let case = self.case;
        JobSpec {
            factors: None,
            data: case.data.clone(),
            labels: Default::default(),
            weights: Default::default(),
            class_weight: None,
            loss: Some(case.loss),
            l2: case.l2,
            l1: case.l1,
            fraction: None,
            preparation: case.preparation(),
            cluster: Some(wish.cluster.clone()),
            machines: None,
            algorithms: wish.algorithms.clone().or(case.loss.is_parabola().then(|| self.iterative(&wish.goal))),
            test: None,
            seed: wish.seed,
            goal: wish.goal.clone(),
            caps: Caps { seconds: Some(wish.most), dollars: None },
            eval_every: 1,
            mode: Mode::Choose { adapt: wish.adapt, plan_only: false },
            sync: None,
            forget: false,
        }
    }
}

/// Takes every decision of a run again, then clears it away.
fn replay_and_drop(run: &RunDir) -> anyhow::Result<Replayed> {
    let replay = replay(&run.events()?)?;
    std::fs::remove_dir_all(run.path())?;
    Ok(Replayed { decisions: replay.decisions, differences: replay.differences.len() })
}
