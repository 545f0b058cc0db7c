//! A whole `train` on simulated machines, as a user would see it: the goal is really reached, little goes into looking
//! around, and the journal tells it all again.

#[path = "common/oracle.rs"]
mod oracle;
#[path = "common/training.rs"]
mod training;

use hemingway::backend::Ending;
use hemingway::goal::Goal;
use hemingway::job::{JobSpec, Mode};
use hemingway::record::Record;
use hemingway::record::store::Store;
use hemingway::train::{Decision, History, Purpose, replay};
use training::{CLOUD, HPC, LAPTOP, SPARK, assert_best_model, folded, run, spec};

const ERROR: f64 = 1e-3;

fn asked(cluster: &str) -> JobSpec {
    let goal = Goal::Reach { error: ERROR, certified: false };
    spec("synth:logistic,rows=600,columns=20", goal, Mode::Choose { adapt: true, plan_only: false }, cluster)
}

/// What the first frame took, all included.
fn first_look(history: &History) -> f64 {
    let first = &history.past[0].frame;
    let own = history.records.iter().filter(|record| record.run == first.run && record.round <= first.until_round);
    own.map(|record: &Record| record.train_seconds + record.eval_seconds + record.load_seconds).fold(0.0, f64::max)
}

#[test]
fn training_reaches_its_goal_without_much_looking_around() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    for cluster in [SPARK, CLOUD, HPC, LAPTOP] {
        let job = asked(cluster).check().unwrap();
        let summary = run(&job, &store);
        let events = store.find(&summary.run).unwrap().events().unwrap();
        let history = folded(&events);
        let told = format!("{}: {summary:?}", job.facts.cluster);

        assert!(summary.goal_met && summary.ending == Ending::GoalMet && summary.simulated, "{told}");
        let optimum = oracle::optimum(&job.problem);
        assert!(summary.objective.unwrap() <= (1.0 + ERROR) * optimum, "P* is {optimum}; {told}");
        assert_best_model(&job, &summary, &history);

        // Both count evaluation, as training seconds do not.
        let most = 0.25 * summary.wall_seconds + first_look(&history);
        assert!(summary.probe_seconds > 0.0 && summary.probe_seconds <= most, "at most {most} s of probing; {told}");

        let replayed = replay(&events).unwrap();
        assert!(replayed.decisions == history.decisions.len() && replayed.differences.is_empty(), "{replayed:?}");
    }
}

#[test]
fn the_same_job_goes_the_same_way_twice() {
    let dir = tempfile::tempdir().unwrap();
    let job = asked(CLOUD).check().unwrap();
    let [once, again] = ["once", "again"].map(|name| {
        let store = Store::at(dir.path().join(name));
        let summary = run(&job, &store);
        folded(&store.find(&summary.run).unwrap().events().unwrap())
    });
    assert_eq!(once.decisions, again.decisions);
    assert_eq!(once.records, again.records);
    assert_eq!(once.spent, again.spent);
}

#[test]
fn every_frame_says_why_and_training_what_it_promises() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    let summary = run(&asked(SPARK).check().unwrap(), &store);
    let history = folded(&store.find(&summary.run).unwrap().events().unwrap());
    let mut trained = 0;
    for decision in &history.decisions {
        let Decision::Run { purpose, why, plan, predicted, .. } = decision else { continue };
        assert!(!why.is_empty());
        let promised = plan.is_some() && predicted.is_some();
        assert_eq!(promised, *purpose == Purpose::Train, "{decision:?}");
        trained += u32::from(promised);
    }
    assert!(trained > 0, "{summary:?}");
}
