//! Factorization by both algorithms: that each step is what it says, that products are found again, that cuts by work pay.

use std::ops::ControlFlow;
use std::sync::Arc;

use hemingway::algorithm::{self, Algorithm, Order, Support};
use hemingway::backend::{Backend, Config, Ending, EngineBackend, Frame};
use hemingway::conformance::{self, problems};
use hemingway::data::Shard;
use hemingway::data::ratings::{Directory, Listed, Meaning, Ratings};
use hemingway::engine::{self, Engine, Setting};
use hemingway::placement::Cuts;
use hemingway::problem::{Loss, Outline, Problem};

fn ratings(spec: &str, meaning: Meaning) -> Ratings {
    Listed::load(spec, meaning).unwrap().into_ratings(meaning).unwrap()
}

/// P after every iteration, the start first, and the model at the end.
fn course(problem: &Problem, name: &str, machines: usize, iterations: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut engine, mut server, mut shared) = rig(problem, name, machines, Cuts::ByWork);
    let mut objectives = vec![problem.objective(&shared)];
    for _ in 0..iterations {
        server.iterate(engine.as_mut(), &mut shared).unwrap();
        objectives.push(server.evaluate(engine.as_mut(), &shared).unwrap().objective);
    }
    (objectives, shared)
}

type Rig = (Box<dyn Engine>, Box<dyn algorithm::Server>, Vec<f64>);

fn rig(problem: &Problem, name: &str, machines: usize, cuts: Cuts) -> Rig {
    rig_of(problem, algorithm::by_name(name).unwrap(), machines, cuts)
}

fn rig_of(problem: &Problem, algorithm: Arc<dyn Algorithm>, machines: usize, cuts: Cuts) -> Rig {
    let mut setting = Setting::new(problem, algorithm);
    setting.cuts = cuts;
    let (server, shared) = (setting.algorithm.server(&setting.outline), setting.algorithm.shared(&setting.outline));
    let mut cluster = conformance::cluster();
    cluster.compute.straggler = hemingway::cluster::Straggler::None;
    // To move costs next to nothing: what is tried is where cuts end.
    (cluster.network.latency_us, cluster.network.bandwidth_gbit) = (1e-3, 1e6);
    (engine::build(setting, Some(&cluster), machines).unwrap(), server, shared)
}

/// ∂P/∂w of some numbers of the model, by central differences: exact for what is quadratic in each.
fn slope(problem: &Problem, model: &[f64], k: usize) -> f64 {
    let at = |by: f64| {
        let mut moved = model.to_vec();
        moved[k] += by;
        problem.objective(&moved)
    };
    (at(1e-3) - at(-1e-3)) / 2e-3
}

#[test]
fn als_leaves_no_slope_along_the_items_it_set_last() {
    for case in problems::of_ratings() {
        let (_, model) = course(&case.problem, "als", 3, 4);
        let width = case.problem.factors.unwrap().width();
        for k in 0..case.problem.data.columns() * width {
            let slope = slope(&case.problem, &model, k);
            assert!(slope.abs() < 1e-9, "{}, number {k}: {slope}", case.name);
        }
    }
}

#[test]
fn ccd_leaves_no_slope_along_the_component_it_set_last() {
    for case in problems::of_ratings() {
        let (_, model) = course(&case.problem, "ccd++", 3, 3);
        let factors = case.problem.factors.unwrap();
        for i in 0..case.problem.data.columns() {
            let slope = slope(&case.problem, &model, i * factors.width() + factors.rank - 1);
            assert!(slope.abs() < 1e-9, "{}, item {i}: {slope}", case.name);
        }
    }
}

#[test]
fn neither_ever_rises_and_many_steps_are_as_good_as_exact() {
    for case in problems::of_ratings() {
        for name in ["als", "als:cg=3", "ccd++"] {
            let (objectives, _) = course(&case.problem, name, 2, 12);
            let falls = objectives.windows(2).all(|two| two[1] <= two[0] * (1.0 + 1e-12));
            assert!(falls, "{}, {name}: {objectives:?}", case.name);
        }
        let (exact, _) = course(&case.problem, "als", 2, 3);
        let (steps, _) = course(&case.problem, "als:cg=50", 2, 3);
        let apart = (exact[3] - steps[3]).abs() / exact[3].max(1e-12);
        assert!(apart < 1e-6, "{}: {exact:?} and {steps:?}", case.name);
    }
}

/// Against 0.9 for the mean of all ratings alone.
#[test]
fn hidden_factors_are_found_again_by_either() {
    let spec = "synth:ratings,users=400,items=120,ratings=16000,rank=3,noise=0.2,seed=5";
    let train = ratings(spec, Meaning::Explicit);
    let listed = Listed::load(&format!("{spec},part=test"), Meaning::Explicit).unwrap();
    let users = train.dealt_users(0);
    let test = Arc::new(Directory::of(&users, &train.items).arrange(&listed, Meaning::Explicit).0);
    let problem = Problem::of_ratings(train.dataset, 3, None, 0.02, 0).unwrap();
    for name in ["als", "als:cg=3", "ccd++"] {
        let mut backend = EngineBackend::new(problem.clone(), "test", None).with_test(Some(Arc::clone(&test)));
        let mut rmse = f64::INFINITY;
        let frame = Frame::new("r1", Config::new(name, 2), u64::MAX);
        backend
            .run(&frame, None, &mut |record, _| {
                rmse = record.metrics["rmse"];
                Ok(if record.iteration < 15 { ControlFlow::Continue(()) } else { ControlFlow::Break(Ending::GoalMet) })
            })
            .unwrap();
        assert!(rmse < 0.36, "{name}: {rmse}");
    }
}

/// With nothing but biases and one weak factor the model is a ridge regression on indicators, whose normal equations elimination solves.
#[test]
fn one_user_is_a_ridge_regression_in_closed_form() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r.csv");
    std::fs::write(&path, "a,x,1\na,y,2\na,z,4\nb,x,5\nb,z,3\n").unwrap();
    let train = ratings(&path.to_string_lossy(), Meaning::Explicit);
    let problem = Problem::of_ratings(train.dataset, 2, None, 0.3, 1).unwrap();
    let setting = Setting::new(&problem, algorithm::by_name("als").unwrap());
    let first = setting.algorithm.shared(&setting.outline);
    let (_, model) = course(&problem, "als", 1, 1);
    let (q, p) = (&first[..9], &model[9..]);
    for u in 0..2 {
        let entries: Vec<(u32, f64)> = problem.data.matrix.row(u).iter().collect();
        let mean = 3.0;
        let mut equations = vec![vec![0.0; 4]; 3];
        for (i, r) in &entries {
            let q = &q[3 * *i as usize..][..3];
            let x = [q[0], q[1], 1.0];
            for a in 0..3 {
                for b in 0..3 {
                    equations[a][b] += x[a] * x[b];
                }
                equations[a][3] += x[a] * (r - mean - q[2]);
            }
        }
        (0..3).for_each(|a| equations[a][a] += 0.3 * entries.len() as f64);
        let solved = eliminate(equations);
        for k in 0..3 {
            assert!((p[3 * u + k] - solved[k]).abs() < 1e-12, "user {u}: {:?} and {solved:?}", &p[3 * u..3 * u + 3]);
        }
    }
}

fn eliminate(mut equations: Vec<Vec<f64>>) -> Vec<f64> {
    let n = equations.len();
    for a in 0..n {
        let pivot = equations[a].clone();
        for (_, row) in equations.iter_mut().enumerate().filter(|(b, _)| *b != a) {
            let by = row[a] / pivot[a];
            row.iter_mut().zip(&pivot).for_each(|(x, y)| *x -= by * y);
        }
    }
    (0..n).map(|a| equations[a][n] / equations[a][a]).collect()
}

#[test]
fn cuts_by_work_save_more_than_half_of_the_waiting() {
    let train = ratings("synth:ratings,users=3000,items=800,ratings=60000,seed=2", Meaning::Explicit);
    let problem = Problem::of_ratings(train.dataset, 6, None, 0.1, 0).unwrap();
    for name in ["als", "ccd++"] {
        let wait = |cuts: Cuts| {
            let (mut engine, mut server, mut shared) = rig(&problem, name, 16, cuts);
            server.iterate(engine.as_mut(), &mut shared).unwrap();
            engine.clock().wait
        };
        let (even, by_work) = (wait(Cuts::Even), wait(Cuts::ByWork));
        assert!(by_work < 0.5 * even, "{name}: {even} evenly, {by_work} by work");
    }
}

/// An algorithm that takes users and items for work and ratings for none: by that work, cuts are equal counts.
struct Misjudging(Arc<dyn Algorithm>);

impl Algorithm for Misjudging {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn support(&self, loss: Loss) -> Support {
        self.0.support(loss)
    }

    fn factorizes(&self) -> bool {
        true
    }

    fn holds_columns(&self) -> bool {
        self.0.holds_columns()
    }

    fn is_beside(&self, order: &Order) -> bool {
        self.0.is_beside(order)
    }

    fn row_work(&self, _outline: &Outline) -> f64 {
        1e9
    }

    fn shared(&self, outline: &Outline) -> Vec<f64> {
        self.0.shared(outline)
    }

    fn worker(&self, outline: &Outline, shard: Shard) -> Box<dyn algorithm::Worker> {
        self.0.worker(outline, shard)
    }

    fn server(&self, outline: &Outline) -> Box<dyn algorithm::Server> {
        self.0.server(outline)
    }
}

/// Cuts that begin as equal counts, know nothing of ratings and follow only what machines take: less is waited for in the end, on every run the
/// same, and from where a checkpoint was made too.
#[test]
fn cuts_that_follow_the_clock_save_waiting_where_work_is_misjudged() {
    let train = ratings("synth:ratings,users=3000,items=800,ratings=60000,seed=2", Meaning::Explicit);
    let problem = Problem::of_ratings(train.dataset, 6, None, 0.1, 0).unwrap();
    const EPOCHS: usize = 60;
    for name in ["als", "ccd++"] {
        let algorithm = || Arc::new(Misjudging(algorithm::by_name(name).unwrap()));
        // Seconds waited in the last ten epochs, how often shards were cut, and the model.
        let run = |cuts: Cuts, broken: bool| {
            let (mut engine, mut server, mut shared) = rig_of(&problem, algorithm(), 16, cuts);
            let (mut before, mut cut) = (0.0, 0);
            for epoch in 0..EPOCHS {
                if epoch == EPOCHS - 10 {
                    before = engine.clock().wait;
                }
                server.iterate(engine.as_mut(), &mut shared).unwrap();
                cut += usize::from(engine.rebalance().unwrap());
                if broken && epoch % 3 == 0 {
                    let (clock, balance) = (engine.clock(), engine.balance());
                    engine = rig_of(&problem, algorithm(), 16, cuts).0;
                    engine.set_clock(clock);
                    engine.set_balance(&balance).unwrap();
                }
            }
            (engine.clock().wait - before, cut, shared)
        };
        let (even, never, model) = run(Cuts::Even, false);
        let (measured, cut, same) = run(Cuts::Measured, false);
        assert!(never == 0 && cut > 0 && measured < 0.75 * even, "{name}: {even} evenly, {measured} after {cut} cuts");
        let off = model.iter().zip(&same).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-9, "{name}: cuts change nothing but rounding: {off}");
        assert_eq!((measured, cut, same), run(Cuts::Measured, true), "{name}: a checkpoint changes nothing");
    }
}

#[test]
fn a_strange_balance_is_refused() {
    let train = ratings("synth:ratings,users=50,items=20,ratings=500,seed=2", Meaning::Explicit);
    let problem = Problem::of_ratings(train.dataset, 2, None, 0.1, 0).unwrap();
    let mut engine = rig(&problem, "als", 4, Cuts::Measured).0;
    let balance = engine.balance();
    assert!(engine.set_balance(&balance).is_ok() && engine.set_balance(&[]).is_ok());
    for strange in [&balance[1..], &balance[..7], &[2.0, 0.0, 9.0, 50.0]] {
        assert!(engine.set_balance(strange).is_err(), "{strange:?}");
    }
    assert!(rig(&problem, "als", 4, Cuts::ByWork).0.balance().is_empty());
    assert!(algorithm::by_name("als:cg=3:cuts=measured").unwrap().recuts());
}
