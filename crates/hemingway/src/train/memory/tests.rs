//! What is kept of runs, and whether it can be trusted.

use std::time::Instant;

use super::*;
use crate::backend::Config;
use crate::goal::{Caps, Goal};
use crate::job::{Job, Mode};
use crate::model::Precedents;
use crate::record::store::Store;
use crate::train::{Driver, Moment, Observer};

const SPARK: &str = include_str!("../../../../../clusters/spark-1gbit.toml");
const CLOUD: &str = include_str!("../../../../../clusters/cloud-25gbit.toml");
const ONE: &str = "synth:svm,rows=300,columns=10";
const OTHER: &str = "synth:sparse,rows=400,columns=30";

struct Nobody;

impl Observer for Nobody {
    fn notice(&mut self, _: Moment<'_>) {}
}

fn job(data: &str, cluster: &str, mode: Mode) -> Job {
    let spec = JobSpec {
        factors: None,
        data: data.into(),
        labels: Default::default(),
        weights: Default::default(),
        class_weight: None,
        loss: Some(crate::problem::Loss::Hinge),
        l2: None,
        l1: 0.0,
        fraction: None,
        preparation: Default::default(),
        cluster: Some(Cluster::parse(cluster).unwrap()),
        machines: None,
        algorithms: None,
        test: None,
        seed: 0,
        goal: Goal::Rounds { rounds: 20 },
        caps: Caps::default(),
        eval_every: 1,
        mode,
        sync: None,
        forget: false,
    };
    spec.check().unwrap()
}

fn choose(data: &str, cluster: &str) -> Job {
    job(data, cluster, Mode::Choose { adapt: true, plan_only: false })
}

/// Twenty rounds of one configuration.
fn run(store: &Store, data: &str, cluster: &str, algorithm: &str, machines: usize) -> RunDir {
    let job = job(data, cluster, Mode::Fixed(Config::new(algorithm, machines)));
    let (mut nobody, interrupted) = (Nobody, false.into());
    let summary = Driver::start(&job, store, Instant::now(), &mut nobody, &interrupted).unwrap().run().unwrap();
    store.find(&summary.run).unwrap()
}

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    (folder, store)
}

fn point(round: u64, objective: f64) -> Point {
    Point { round, seconds: Some(round as f64), objective: Some(objective), lower_bound: Some(0.1) }
}

fn trace(context: &str, points: Vec<Point>) -> Trace {
    Trace {
        context: context.into(),
        problem: "p".into(),
        run: "r.1".into(),
        cluster: "c".into(),
        machines: 2,
        rows: None,
        fraction: 1.0,
        fresh: points[0].round <= 1,
        phases: None,
        points,
    }
}

#[test]
fn a_thin_trace_has_the_same_best_values_at_its_halves_and_quarters() {
    // Falls in steps, with noise that is never the best so far.
    let value = |round: u64| 1.0 / (1 + round / 3) as f64 + if round % 3 == 1 { 0.5 } else { 0.0 };
    let whole = trace("a", (0..=800).map(|round| point(round, value(round))).collect());
    let thin = thin(whole.clone());
    let best = |trace: &Trace, until: u64| {
        trace.objectives().take_while(|(round, _)| *round <= until).map(|(_, p)| p).fold(f64::INFINITY, f64::min)
    };
    for until in [800, 400, 200, 100, 50, 25] {
        assert_eq!(best(&thin, until), best(&whole, until), "{until}");
    }
    assert!(thin.points.len() < 45, "{} points", thin.points.len());
    assert_eq!((thin.points[0].round, thin.last_round()), (0, 800));
    assert!(thin.points.iter().all(|point| point.seconds.is_none()));
    assert_eq!(super::thin(thin.clone()).points.last(), thin.points.last());
}

#[test]
fn a_warm_trace_keeps_where_it_began() {
    let whole = trace("a", (40..=90).map(|round| point(round, 1.0 / round as f64)).collect());
    let thin = thin(whole);
    assert_eq!(
        (thin.fresh, thin.points[0], thin.last_round()),
        (false, Point { seconds: None, ..point(40, 0.025) }, 90)
    );
}

#[test]
fn of_alike_traces_the_one_that_got_furthest_stays() {
    let far = trace("a", vec![point(0, 1.0), point(9, 0.2)]);
    let near = trace("a", vec![point(0, 1.0), point(50, 0.3)]);
    let warm = trace("a", vec![point(7, 0.5), point(9, 0.4)]);
    let other = trace("b", vec![point(0, 1.0), point(9, 0.9)]);
    let kept = most_telling([near, other.clone(), warm.clone(), far.clone()]);
    assert_eq!(kept, [far, warm, other]);
}

#[test]
fn seconds_are_of_any_problem_here_and_rounds_of_this_problem_anywhere() {
    let (_folder, store) = store();
    run(&store, ONE, SPARK, "cocoa", 2);
    run(&store, OTHER, CLOUD, "cocoa+", 4);
    let mut second = choose(ONE, CLOUD);
    assert_eq!(recall(&mut second, &store), Recalled { of_problem: 1, on_cluster: 1 });
    let lore = &second.facts.lore;
    let told: Vec<_> = lore.traces.iter().map(|trace| (trace.context.as_str(), trace.machines)).collect();
    assert_eq!(told, [("cocoa", 2)]);
    assert_eq!(lore.errors.keys().collect::<Vec<_>>(), ["cocoa"]);
    let [timing] = &lore.timings[..] else { panic!("{:?}", lore.timings) };
    assert_eq!((timing.algorithm.as_str(), timing.machines, timing.rounds), ("cocoa+", 4, 20.0));
    assert_eq!(timing.of.unwrap().rows, 400);
}

#[test]
fn seconds_of_a_tiny_problem_tell_nothing_of_a_large_one() {
    let (_folder, store) = store();
    run(&store, "synth:svm,rows=4,columns=1", CLOUD, "cocoa", 1);
    let on_cluster = |data: &str| recall(&mut choose(data, CLOUD), &store).on_cluster;
    assert_eq!((on_cluster(ONE), on_cluster("synth:svm,rows=3000,columns=10")), (1, 0));
}

#[test]
fn runs_of_one_problem_are_pooled_and_its_own_are_nobody_elses() {
    let (_folder, store) = store();
    run(&store, ONE, CLOUD, "cocoa", 2);
    run(&store, ONE, CLOUD, "cocoa", 2);
    let mut again = choose(ONE, CLOUD);
    assert_eq!(recall(&mut again, &store), Recalled { of_problem: 2, on_cluster: 2 });
    let [timing] = &again.facts.lore.timings[..] else { panic!() };
    assert_eq!((timing.rounds, timing.of), (40.0, None));
    assert_eq!(again.facts.lore.traces.len(), 1);
}

#[test]
fn a_cluster_that_differs_in_anything_is_another() {
    let (_folder, store) = store();
    run(&store, ONE, CLOUD, "cocoa", 2);
    let mut dearer = choose(ONE, CLOUD);
    if let Some(cluster) = &mut dearer.spec.cluster {
        cluster.price_per_hour *= 2.0;
    }
    assert_eq!(recall(&mut dearer, &store), Recalled { of_problem: 1, on_cluster: 0 });
}

#[test]
fn who_forgets_or_has_chosen_remembers_nothing() {
    let (_folder, store) = store();
    run(&store, ONE, CLOUD, "cocoa", 2);
    let mut forgetful = choose(ONE, CLOUD);
    forgetful.spec.forget = true;
    let mut fixed = job(ONE, CLOUD, Mode::Fixed(Config::new("cocoa", 2)));
    for job in [&mut forgetful, &mut fixed] {
        let before = job.facts.clone();
        assert_eq!(recall(job, &store), Recalled::default());
        assert_eq!(job.facts, before);
    }
}

#[test]
fn what_is_kept_is_made_again_when_missing_torn_or_out_of_date() {
    let (_folder, store) = store();
    let dir = run(&store, ONE, CLOUD, "cocoa", 2);
    let path = dir.memory_path();
    let kept = std::fs::read(&path).unwrap();
    let expected = Memory::of(&dir).unwrap();
    let old = serde_json::to_vec(&Memory { journal: 7, timings: Vec::new(), ..expected.clone() }).unwrap();
    for damaged in [None, Some(&b""[..]), Some(&kept[..kept.len() / 2]), Some(b"{}"), Some(&old)] {
        match damaged {
            None => std::fs::remove_file(&path).unwrap(),
            Some(bytes) => std::fs::write(&path, bytes).unwrap(),
        }
        assert_eq!(Memory::of(&dir).unwrap(), expected);
        assert_eq!(std::fs::read(&path).unwrap(), kept);
    }
}

#[test]
fn a_journal_cut_anywhere_teaches_what_is_intact() {
    let (_folder, store) = store();
    let dir = run(&store, ONE, CLOUD, "cocoa", 2);
    let journal = dir.path().join("journal.jsonl");
    let whole = std::fs::read(&journal).unwrap();
    let lines: Vec<usize> = (0..whole.len()).filter(|k| whole[*k] == b'\n').collect();
    // Within the round that follows the tenth, and with nonsense in the midst.
    std::fs::write(&journal, &whole[..lines[12] + 40]).unwrap();
    let rounds = |dir: &RunDir| Memory::of(dir).unwrap().traces[0].last_round();
    assert_eq!(rounds(&dir), 10);
    let mut broken = whole.clone();
    broken[lines[6] + 1] = b'#';
    std::fs::write(&journal, &broken).unwrap();
    assert_eq!(rounds(&dir), 4);
    std::fs::write(&journal, b"").unwrap();
    assert_eq!(Memory::of(&dir), None);
}

#[test]
fn journals_without_lore_and_workers_that_share_cores_time_nothing() {
    let job = choose(ONE, CLOUD);
    let mut history = History::new("old", job.spec.clone(), job.facts.clone());
    assert!(Memory::of_history(&history, 1).is_some());
    history.facts.lore = crate::job::Lore { precedents: Precedents::none(), ..Default::default() };
    assert_eq!(Memory::of_history(&history, 1), None);

    let mut local = History::new("local", JobSpec { cluster: None, ..job.spec.clone() }, job.facts.clone());
    for machines in [local.facts.cores, local.facts.cores + 1] {
        for round in 0..3 {
            let run = format!("local.{machines}");
            local.records.push(crate::record::Record { run, machines, round, ..Default::default() });
        }
    }
    let timed: Vec<usize> = Memory::of_history(&local, 1).unwrap().timings.iter().map(|t| t.machines).collect();
    assert_eq!(timed, [local.facts.cores]);
}
