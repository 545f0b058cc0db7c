//! Caps are promises: whatever the job, it overruns them by at most one round and leaves the best model it has seen.

#[path = "common/training.rs"]
mod training;

use hemingway::backend::{Config, Ending};
use hemingway::cluster::Cluster;
use hemingway::goal::{Caps, Goal};
use hemingway::job::{Job, JobSpec, Mode};
use hemingway::problem::{Loss, Penalty};
use hemingway::record::Record;
use hemingway::record::store::Store;
use hemingway::train::{History, Summary, replay};
use hemingway::trained::TrainedModel;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use training::{CLOUD, HPC, LAPTOP, SPARK, assert_best_model, folded, resume, run, spec};

const JOBS: u64 = 200;
const KINDS: [(&str, Loss); 4] =
    [("logistic", Loss::Logistic), ("ill-conditioned", Loss::Logistic), ("svm", Loss::Hinge), ("ridge", Loss::Squared)];

/// A job drawn at random.
struct Draw {
    rng: ChaCha8Rng,
    cluster: Cluster,
    spec: JobSpec,
}

impl Draw {
    fn new(seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (kind, loss) = *pick(&mut rng, &KINDS);
        let (rows, columns) = (rng.random_range(60..600), rng.random_range(3..30));
        let data = format!("synth:{kind},rows={rows},columns={columns},seed={seed}");
        let goal = Goal::Reach { error: 10f64.powf(rng.random_range(-9.0..-2.0)), certified: rng.random() };
        let mode = Mode::Choose { adapt: rng.random(), plan_only: false };
        let spec = spec(&data, goal, mode, pick::<&str>(&mut rng, &[SPARK, CLOUD, HPC, LAPTOP]));
        let eval_every = *pick(&mut rng, &[1, 1, 1, 2, 5, 20]);
        let cluster = spec.cluster.clone().unwrap();
        Self { rng, cluster, spec: JobSpec { loss: Some(loss), seed, eval_every, ..spec } }
    }

    /// From less than a round's overhead to hundreds of them.
    fn seconds(&mut self, machines: usize) -> f64 {
        let overhead = self.cluster.overhead;
        let round = 1e-3 * (overhead.per_round_ms + overhead.per_machine_ms * machines as f64);
        round * 10f64.powf(self.rng.random_range(-0.5..2.5))
    }

    fn dollars(&mut self, machines: usize) -> f64 {
        self.cluster.price_per_hour / 3600.0 * machines as f64 * self.seconds(machines)
    }

    /// One configuration or all of them, and something that runs out: the goal itself, time, money or both.
    fn job(mut self) -> Job {
        let machines = self.rng.random_range(1..=self.cluster.machines.min(32));
        if self.rng.random() {
            let fit = hemingway::algorithm::candidates(self.spec.loss.unwrap(), &Penalty { l2: 0.01, l1: 0.0 }, false);
            self.spec.mode = Mode::Fixed(Config::new(pick(&mut self.rng, &fit).name(), machines));
        }
        let (seconds, dollars) = (self.seconds(machines), self.dollars(machines));
        match self.rng.random_range(0..if dollars > 0.0 { 5 } else { 2 }) {
            0 => self.spec.caps.seconds = Some(seconds),
            1 => self.spec.goal = Goal::Within { seconds },
            2 => self.spec.goal = Goal::Spend { dollars },
            3 => self.spec.caps.dollars = Some(dollars),
            _ => self.spec.caps = Caps { seconds: Some(seconds), dollars: Some(dollars) },
        }
        self.spec.check().unwrap()
    }
}

fn pick<'a, T>(rng: &mut ChaCha8Rng, from: &'a [T]) -> &'a T {
    &from[rng.random_range(0..from.len())]
}

/// The most that one round and its evaluation took, in seconds and in dollars.
fn longest_round(history: &History) -> (f64, f64) {
    let price = history.facts.price_per_hour.unwrap_or(0.0) / 3600.0;
    let mut longest = (0.0_f64, 0.0_f64);
    for (i, record) in history.records.iter().enumerate() {
        let before = history.records[..i].iter().rev().find(|before| before.run == record.run);
        let busy = |record: &Record| record.train_seconds + record.eval_seconds;
        let rounds = before.map_or(1, |before| (record.round - before.round).max(1));
        let seconds = (busy(record) - before.map_or(0.0, busy)) / rounds as f64;
        longest = (longest.0.max(seconds), longest.1.max(price * record.machines as f64 * seconds));
    }
    longest
}

/// How far the caps were overrun (or, below 0, not used up), in seconds and in dollars.
fn overrun(summary: &Summary, caps: Caps) -> (f64, f64) {
    let over = |spent: f64, cap: Option<f64>| cap.map_or(f64::NEG_INFINITY, |cap| spent - cap);
    (over(summary.wall_seconds, caps.seconds), over(summary.dollars.unwrap_or(0.0), caps.dollars))
}

#[test]
fn random_jobs_keep_to_their_caps_and_leave_the_best_model() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    let (mut trained, mut over) = (0, 0);
    for seed in 0..JOBS {
        let job = Draw::new(seed).job();
        let summary = run(&job, &store);
        let events = store.find(&summary.run).unwrap().events().unwrap();
        let history = folded(&events);
        let told = format!("job {seed}: {:?}", job.spec);
        assert!(replay(&events).unwrap().differences.is_empty(), "{told}");
        assert_best_model(&job, &summary, &history);

        let (late, dear) = overrun(&summary, history.caps());
        let (seconds, dollars) = longest_round(&history);
        assert!(late <= seconds && dear <= dollars, "{told}: {late} s over, {dear} $ over");
        if summary.rounds > 0 {
            trained += 1;
            over += u64::from(late > 0.0 || dear > 0.0);
        }
        if matches!(job.spec.mode, Mode::Fixed(_)) && summary.ending == Ending::BudgetSpent {
            let used_up = late > -2.0 * seconds || dear > -2.0 * dollars;
            assert!(used_up, "{told}: gave up with {} s and {} $ to spare", -late, -dear);
        }
    }
    assert!(2 * trained > JOBS, "only {trained} jobs got to a round");
    assert!(20 * over <= trained, "{over} of {trained} overran: the next round is badly foreseen");
}

#[test]
fn a_cap_shorter_than_loading_leaves_the_first_model() {
    let dir = tempfile::tempdir().unwrap();
    let fixed = Mode::Fixed(Config::new("cocoa+", 2));
    for mode in [fixed, Mode::Choose { adapt: true, plan_only: false }] {
        let mut spec = spec("synth:svm,rows=300", Goal::Reach { error: 1e-3, certified: false }, mode, LAPTOP);
        spec.cluster = None;
        spec.caps.seconds = Some(1e-9);
        let summary = run(&spec.check().unwrap(), &Store::at(dir.path()));
        assert_eq!((summary.ending, summary.rounds), (Ending::BudgetSpent, 0));
        assert!(summary.why.contains(" of 1.00 ns: no round fits, allow more"), "{}", summary.why);
        let model = TrainedModel::load(summary.model.unwrap().as_ref()).unwrap();
        assert!(model.weights.iter().all(|w| *w == 0.0));
    }
}

#[test]
fn rounds_are_counted_inside_line_searches_too() {
    let dir = tempfile::tempdir().unwrap();
    for algorithm in ["lbfgs", "gd"] {
        for rounds in 1..=9 {
            let mode = Mode::Fixed(Config::new(algorithm, 4));
            let job = spec("synth:ill-conditioned,rows=300", Goal::Rounds { rounds }, mode, CLOUD).check().unwrap();
            let summary = run(&job, &Store::at(dir.path()));
            assert_eq!((summary.ending, summary.rounds), (Ending::GoalMet, rounds), "{algorithm}");
        }
    }
}

#[test]
fn rounds_cut_off_by_a_cap_are_not_the_goal() {
    let dir = tempfile::tempdir().unwrap();
    let mode = Mode::Fixed(Config::new("cocoa", 4));
    let mut spec = spec("synth:svm,rows=300", Goal::Rounds { rounds: 1000 }, mode, CLOUD);
    spec.caps.seconds = Some(0.5);
    assert_eq!(run(&spec.check().unwrap(), &Store::at(dir.path())).ending, Ending::BudgetSpent);
}

#[test]
fn a_spent_job_goes_on_under_larger_caps_and_still_replays() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    let goal = Goal::Reach { error: 1e-6, certified: true };
    let mode = Mode::Choose { adapt: true, plan_only: false };
    let mut spec = spec("synth:logistic,rows=500,columns=20", goal, mode, SPARK);
    spec.caps.seconds = Some(0.8);
    let job = spec.clone().check().unwrap();
    let first = run(&job, &store);
    assert_eq!(first.ending, Ending::BudgetSpent);
    let dir = store.find(&first.run).unwrap();
    let before = dir.events().unwrap();

    spec.caps.seconds = Some(1e6);
    let job = spec.check().unwrap();
    let second = resume(&job, &dir);
    assert_eq!(second.ending, Ending::GoalMet);
    assert!(second.wall_seconds > first.wall_seconds);
    let events = dir.events().unwrap();
    assert_eq!(events[..before.len()], before, "nothing recorded is lost");
    assert!(replay(&events).unwrap().differences.is_empty());
    assert_best_model(&job, &second, &folded(&events));
}
