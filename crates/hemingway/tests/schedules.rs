//! What schedules of STRADS promise: convergence where others diverge, the rate of the theorem, nothing in the way of anything else, and a
//! turn for everybody.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use hemingway::algorithm::{self, Machines, Order, Task};
use hemingway::backend::{Backend, Checkpoint, Config, Ending, EngineBackend, Frame, Watcher};
use hemingway::cluster::{Cluster, Overhead};
use hemingway::conformance;
use hemingway::data::{Dataset, Matrix};
use hemingway::engine::{Clock, Local, Setting};
use hemingway::placement::Placement;
use hemingway::problem::{Loss, Problem};
use hemingway::record::Record;
use hemingway::rng::{Purpose, keyed};
use hemingway::schedule::Schedule;
use proptest::prelude::*;
use rand::RngExt;

/// Columns of length 1, any two of which have about this cosine.
fn leaning(rows: usize, columns: usize, lean: f64) -> Dataset {
    let mut rng = keyed(11, Purpose::Synthesize, 0, 0);
    let mut draw = |count: usize| -> Vec<f64> { (0..count).map(|_| rng.random_range(-1.0..1.0)).collect() };
    let common = draw(rows);
    let mut turned: Vec<Vec<f64>> = (0..columns)
        .map(|_| {
            draw(rows).iter().zip(&common).map(|(own, all)| lean.sqrt() * all + (1.0 - lean).sqrt() * own).collect()
        })
        .collect();
    for column in &mut turned {
        let length = column.iter().map(|x| x * x).sum::<f64>().sqrt();
        column.iter_mut().for_each(|x| *x /= length);
    }
    let noise = draw(rows);
    let label = |i: usize| turned.iter().step_by(7).map(|column| column[i]).sum::<f64>() + 0.1 * noise[i];
    let labels = (0..rows).map(label).collect();
    let values = (0..rows).flat_map(|i| turned.iter().map(move |column| column[i])).collect();
    Dataset::new("leaning", Matrix::dense(columns, values), labels)
}

fn lasso(rows: usize, columns: usize, lean: f64, l1: f64) -> Problem {
    Problem::new(leaning(rows, columns, lean), Loss::Squared, Some(0.0), 0).unwrap().with_l1(l1).unwrap()
}

/// (round, P) of so many rounds, and the last w.
fn run(problem: &Problem, schedule: Schedule, machines: usize, rounds: u64) -> (Vec<(u64, f64)>, Vec<f64>, Ending) {
    let mut backend = EngineBackend::new(problem.clone(), "test", None);
    let config = Config { schedule, ..Config::new("strads", machines) };
    algorithm::of(&config).unwrap();
    let (mut points, mut last) = (Vec::new(), Vec::new());
    let (_, ending) = backend
        .run(&Frame::new("test", config, rounds), None, &mut |record, w| {
            points.push((record.round, record.objective));
            last = w.to_vec();
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    (points, last, ending)
}

/// The dynamic schedule, with blocks chosen when the last has moved or while it moves.
fn dynamic(pipeline: bool) -> Schedule {
    Schedule::Dynamic { block: None, rho: 0.1, pipeline }
}

#[test]
fn random_updates_diverge_where_dynamic_ones_converge() {
    let problem = lasso(60, 64, 0.99, 1e-4);
    let best = run(&problem, Schedule::dynamic(), 1, 400).0.last().unwrap().1;
    let (random, _, _) = run(&problem, Schedule::Random { block: 16 }, 16, 60);
    let (first, last) = (random[0].1, random.last().unwrap().1);
    assert!(last.is_nan() || last > 10.0 * first, "random: from {first} to {last}");
    let (dynamic, _, _) = run(&problem, Schedule::dynamic(), 16, 4000);
    let last = dynamic.last().unwrap().1;
    assert!(last - best <= 1e-2 * (first - best), "dynamic: from {first} to {last}, best {best}");
    assert!(dynamic.windows(2).all(|two| two[1].1 <= two[0].1 * (1.0 + 1e-9)), "P never rises");
}

#[test]
fn blocks_chosen_ahead_lead_to_the_same_optimum() {
    for (lean, machines) in [(0.2, 3), (0.6, 8)] {
        let problem = lasso(60, 96, lean, 1e-3);
        let best = run(&problem, dynamic(false), 1, 400).0.last().unwrap().1;
        for pipeline in [false, true] {
            let (points, _, _) = run(&problem, dynamic(pipeline), machines, 20_000);
            let last = points.last().unwrap().1;
            assert!((last - best).abs() <= 1e-5 * best, "{machines} machines, pipeline {pipeline}: {last}, not {best}");
        }
    }
}

/// Lets so many rounds be over and no further one begin; keeps the bits of P and w after every iteration.
struct Cap {
    rounds: u64,
    seen: BTreeMap<u64, Vec<u64>>,
}

impl Watcher for Cap {
    fn before_round(&mut self, clock: &Clock) -> ControlFlow<Ending> {
        if clock.rounds < self.rounds { ControlFlow::Continue(()) } else { ControlFlow::Break(Ending::BudgetSpent) }
    }

    fn see(&mut self, record: &Record, w: &[f64]) -> hemingway::Result<ControlFlow<Ending>> {
        let bits = [record.objective].iter().chain(w).map(|x| x.to_bits()).collect();
        self.seen.insert(record.iteration, bits);
        Ok(ControlFlow::Continue(()))
    }
}

/// What is chosen ahead depends on no clock: threads, simulated machines and a run taken up from a checkpoint in the middle of a sweep
/// come to the same bits.
#[test]
fn blocks_chosen_ahead_are_the_same_everywhere() {
    let problem = lasso(60, 96, 0.5, 1e-3);
    let run = |cluster: Option<Cluster>, rounds: u64, from: Option<&Checkpoint>| {
        let mut backend = EngineBackend::new(problem.clone(), "test", cluster);
        let config = Config { schedule: dynamic(true), ..Config::new("strads", 5) };
        let mut cap = Cap { rounds, seen: BTreeMap::new() };
        let (end, _) = backend.run_watched(&Frame::new("test", config, 1000), from, &mut cap).unwrap();
        (end, cap.seen)
    };
    let (_, whole) = run(None, 120, None);
    assert!(whole.len() > 3, "{} iterations", whole.len());
    assert_eq!(run(Some(conformance::cluster()), 120, None).1, whole);
    for stop in (1..40).step_by(3) {
        let saved = serde_json::to_string(&run(None, stop, None).0).unwrap();
        let taken: Checkpoint = serde_json::from_str(&saved).unwrap();
        let (_, after) = run(None, 120, Some(&taken));
        let last = after.last_key_value().unwrap();
        assert_eq!(Some(last.1), whole.get(last.0), "taken up after {stop} rounds");
    }
}

/// On the simulated clock, which counts: machines wait for a block that is chosen when the last has moved, and for one that is chosen
/// while it moves only as long as that takes longer.
#[test]
fn nobody_waits_for_what_is_chosen_ahead() {
    let problem = lasso(60, 96, 0.5, 1e-3);
    let other = |pipeline: bool| {
        let cluster = Cluster { overhead: Overhead::default(), ..conformance::cluster() };
        let mut backend = EngineBackend::new(problem.clone(), "test", Some(cluster));
        let config = Config { schedule: dynamic(pipeline), ..Config::new("strads", 5) };
        let (end, _) =
            backend.run(&Frame::new("test", config, 60), None, &mut |_, _| Ok(ControlFlow::Continue(()))).unwrap();
        end.clock.other / end.clock.rounds as f64
    };
    let (after, ahead) = (other(false), other(true));
    assert!(ahead > 0.0 && ahead < 0.8 * after, "{after} s a round, and then {ahead} s");
}

/// Lee et al. 2014, after Bradley et al. 2011: with columns of length 1, P at once and ε = (P − 1)(ρ − 1)/J < 1, ρ the largest eigenvalue
/// of XᵀX, E F(β_T) − F* ≤ 2J(½‖β*‖² + F(0)) / (P(1 − ε)(T + 1)), F being n times our objective. Of one run, without any tolerance:
/// dynamic rounds, those that only look counted too, stay below what holds for random ones on average.
#[test]
fn the_decrease_respects_the_bound_of_the_theorem() {
    for lean in [0.0, 0.5] {
        let (rows, columns, parallel) = (80, 120, 8);
        let problem = lasso(rows, columns, lean, 2e-4);
        let (alone, w, _) = run(&problem, Schedule::dynamic(), 1, 400);
        let best = alone.last().unwrap().1;
        let rho = largest_eigenvalue(&problem.data.matrix);
        let epsilon = (parallel - 1) as f64 * (rho - 1.0) / columns as f64;
        // Where the theorem says nothing of random ones, ρ of the scheduled columns stands in, at most 1 + 0.1(P − 1).
        let epsilon =
            if epsilon < 1.0 { epsilon } else { (parallel - 1) as f64 * 0.1 * (parallel - 1) as f64 / columns as f64 };
        let n = rows as f64;
        let norm: f64 = w.iter().map(|w| w * w).sum();
        let (points, _, _) =
            run(&problem, Schedule::Dynamic { block: Some(1), rho: 0.1, pipeline: false }, parallel, 600);
        let start = n * points[0].1;
        for (round, value) in points.iter().filter(|(round, _)| *round > 0) {
            let bound =
                2.0 * columns as f64 * (0.5 * norm + start) / (parallel as f64 * (1.0 - epsilon) * (*round + 1) as f64);
            assert!(
                n * (value - best) <= bound,
                "correlation {lean}, round {round}: {} above {bound}",
                n * (value - best)
            );
        }
        assert!(points.last().unwrap().1 < best + 0.1 * (points[0].1 - best), "it gets somewhere");
    }
}

/// By power iteration on XᵀX.
fn largest_eigenvalue(matrix: &Matrix) -> f64 {
    let mut direction = vec![1.0; matrix.columns()];
    let mut value = 0.0;
    for _ in 0..200 {
        let mut next = vec![0.0; matrix.columns()];
        (0..matrix.rows()).for_each(|i| matrix.row(i).axpy(matrix.row(i).dot(&direction), &mut next));
        value = next.iter().map(|x| x * x).sum::<f64>().sqrt();
        direction = next.iter().map(|x| x / value).collect();
    }
    value
}

/// Machines whose orders are kept.
struct Seen {
    engine: Local,
    orders: Vec<Order>,
}

impl Machines for Seen {
    fn count(&self) -> usize {
        self.engine.count()
    }

    fn next_round(&self) -> u64 {
        self.engine.next_round()
    }

    fn round(&mut self, order: &Order, shared: &[f64], sum: &mut [f64]) -> hemingway::Result<usize> {
        self.orders.push(order.clone());
        self.engine.round(order, shared, sum)
    }
}

/// The orders of so many iterations: a look each, and what moves until the next.
fn orders(problem: &Problem, schedule: Schedule, machines: usize, iterations: usize) -> Vec<Vec<Order>> {
    let algorithm = algorithm::by_name("strads").unwrap().scheduled(schedule).unwrap();
    let setting = Setting::new(problem, algorithm);
    let mut server = setting.algorithm.server(&setting.outline);
    let mut shared = setting.algorithm.shared(&setting.outline);
    let mut on = Seen { engine: Local::new(setting, machines).unwrap(), orders: Vec::new() };
    let iterate = |_| {
        server.iterate(&mut on, &mut shared).unwrap();
        std::mem::take(&mut on.orders)
    };
    (0..iterations).map(iterate).collect()
}

fn moves(orders: &[Order]) -> impl Iterator<Item = &[u32]> {
    orders.iter().filter(|order| order.task == Task::Step).map(|order| &order.block[..])
}

/// |cos| of every two columns.
fn cosines(matrix: &Matrix) -> Vec<Vec<f64>> {
    let mut columns = vec![vec![0.0; matrix.rows()]; matrix.columns()];
    (0..matrix.rows()).for_each(|i| matrix.row(i).iter().for_each(|(j, x)| columns[j as usize][i] = x));
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let cos = |a: &Vec<f64>, b: &Vec<f64>| dot(a, b).abs() / (dot(a, a) * dot(b, b)).sqrt();
    columns.iter().map(|a| columns.iter().map(|b| cos(a, b)).collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever the correlation, ρ and the number of machines: no round moves two columns on different machines whose |cos| is above ρ.
    #[test]
    fn no_round_moves_two_that_depend_on_each_other(
        lean in 0.0..0.95f64, rho in 0.05..0.8f64, machines in 2..9usize, block in prop::option::of(1..6usize),
        pipeline: bool,
    ) {
        let problem = lasso(40, 48, lean, 1e-3);
        let cosines = cosines(&problem.data.matrix);
        let placement = Placement::even(48, machines);
        let found = orders(&problem, Schedule::Dynamic { block, rho, pipeline }, machines, 6);
        for block in found.iter().flat_map(|orders| moves(orders)) {
            for (k, a) in block.iter().enumerate() {
                for b in &block[k + 1..] {
                    let (a, b) = (*a as usize, *b as usize);
                    let apart = placement.owner(a) != placement.owner(b);
                    prop_assert!(!apart || cosines[a][b] <= rho + 1e-12, "{a} and {b}: {}", cosines[a][b]);
                }
            }
        }
    }

    /// Every look sees all columns that are not left out for good; whatever is not 0 then, and whatever joins it, moves before the next,
    /// which follows after ten sweeps at most, a sweep having no more rounds than columns.
    #[test]
    fn everybody_has_a_turn_in_bounded_time(lean in 0.0..0.95f64, machines in 2..9usize, pipeline: bool) {
        let problem = lasso(40, 48, lean, 1e-3);
        for orders in orders(&problem, dynamic(pipeline), machines, 8) {
            let Some(look) = orders.iter().find(|order| order.task == Task::Probe && !order.args.is_empty()) else {
                continue;
            };
            let mut turns = [0; 48];
            moves(&orders).flatten().for_each(|column| turns[*column as usize] += 1);
            let pool = turns.iter().filter(|turns| **turns > 0).count();
            if moves(&orders).count() > 0 {
                prop_assert!(look.block.iter().all(|column| turns[*column as usize] > 0), "{:?}", look.block);
                // Nobody is a sweep ahead of anybody else.
                let (least, most) = turns.iter().filter(|turns| **turns > 0).fold((u32::MAX, 0), |(a, b), t| (a.min(*t), b.max(*t)));
                prop_assert!(least == most && most <= 10, "between {least} and {most} turns");
                prop_assert!(moves(&orders).count() <= 10 * pool);
            }
        }
    }
}
