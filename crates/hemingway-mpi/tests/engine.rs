//! The engine on ranks: this program starts itself again under mpirun, on 1, 2, 4 and 8 of them.

mod common;

use std::process::ExitCode;
use std::sync::Arc;

use common::on_ranks;
use hemingway::algorithm::{self, Algorithm, Machines, Order, Task};
use hemingway::cluster::Cluster;
use hemingway::conformance::{self, Point, problems};
use hemingway::data::{Dataset, Matrix};
use hemingway::engine::{Engine, Engines, Setting};
use hemingway::problem::{Loss, Problem};
use hemingway::sync::rounds::{Rounds, Way};
use hemingway::sync::strategy::{Compression, Exchange, Method, Partition, Plan};
use hemingway::sync::{Model, Strategy, Variable};
use hemingway_mpi::{Collectives, Mpi, Ranks, Settings, serve};

/// Rounds in which traces must agree.
const ROUNDS: u64 = 50;
/// Problems for each algorithm.
const PROBLEMS: usize = 4;

fn main() -> ExitCode {
    let settings = Settings { threads: 2, ..Settings::default() };
    let lead = |count| {
        let ranks = Ranks::lead(find, settings);
        conformance::engine(&|setting, machines| ranks.build(setting, machines));
        traces_are_those_of_threads(&ranks, count);
        the_library_may_add_in_any_order(
            &ranks.with(Settings { collectives: Collectives::Library, ..settings }),
            count,
        );
        resizing_changes_nothing_else(&ranks);
        bytes_go_by_what_is_not_zero(&ranks, count);
        lanes_change_no_bit(&ranks, count);
        lanes_carry_what_they_are_to(&ranks, count);
        ranks.quit()
    };
    on_ranks(&[1, 2, 4, 8], lead, || serve(find, settings).expect("the leader is obeyed to the end"))
}

fn find(name: &str) -> hemingway::Result<Arc<dyn Algorithm>> {
    if name == conformance::ledger().name() { Ok(conformance::ledger()) } else { algorithm::by_name(name) }
}

/// Some problems for an algorithm: mixed rows, of as many kinds as there are, or ratings.
fn some_problems(algorithm: &dyn Algorithm) -> Vec<problems::Case> {
    if algorithm.factorizes() {
        return problems::of_ratings();
    }
    let applies = |case: &problems::Case| algorithm::check_problem(algorithm, &case.problem).is_ok();
    let all: Vec<_> = Loss::ALL
        .into_iter()
        .flat_map(problems::for_loss)
        .filter(|case| case.name.contains("mixed") && applies(case))
        .collect();
    let step = all.len().div_ceil(PROBLEMS).max(1);
    all.into_iter().skip(step / 2).step_by(step).collect()
}

fn course(
    ranks: &Ranks,
    case: &problems::Case,
    algorithm: &Arc<dyn Algorithm>,
    on: &[(usize, u64)],
) -> [Vec<Point>; 2] {
    let here = conformance::course(&case.problem, algorithm, &conformance::local, on);
    let there = conformance::course(&case.problem, algorithm, &|setting, machines| ranks.build(setting, machines), on);
    assert_eq!(here.len(), there.len(), "{} ({}): as many iterations", algorithm.name(), case.name);
    [here, there]
}

fn traces_are_those_of_threads(ranks: &Ranks, count: usize) {
    for algorithm in algorithm::all() {
        for case in some_problems(algorithm.as_ref()) {
            for machines in [count, 2 * count + 1, count.div_ceil(3)] {
                let [here, there] = course(ranks, &case, &algorithm, &[(machines, ROUNDS)]);
                for (a, b) in here.iter().zip(&there) {
                    let told = format!("{} ({}), m = {machines}, round {}", algorithm.name(), case.name, a.round);
                    assert!(a.is_exactly(b), "{told}: ranks and threads must agree to the bit\n{a:?}\n{b:?}");
                }
            }
        }
    }
}

fn the_library_may_add_in_any_order(ranks: &Ranks, count: usize) {
    for algorithm in algorithm::all() {
        for case in some_problems(algorithm.as_ref()) {
            let [here, there] = course(ranks, &case, &algorithm, &[(count, ROUNDS)]);
            for (a, b) in here.iter().zip(&there).take_while(|(a, _)| a.round <= ROUNDS) {
                let (p, q) = (a.evaluation.objective, b.evaluation.objective);
                let told = format!("{} ({}), round {}", algorithm.name(), case.name, a.round);
                assert!((p - q).abs() <= 1e-10 * p.abs(), "{told}: {p} and {q} must agree");
            }
        }
    }
}

fn resizing_changes_nothing_else(ranks: &Ranks) {
    for algorithm in algorithm::all() {
        for case in some_problems(algorithm.as_ref()) {
            let [here, there] = course(ranks, &case, &algorithm, &[(8, 6), (2, 6), (5, 6)]);
            for (a, b) in here.iter().zip(&there) {
                let told = format!("{} ({}), round {}", algorithm.name(), case.name, a.round);
                assert!(a.is_exactly(b), "{told}: resized, ranks and threads must agree to the bit");
                let (p, dual) = (b.evaluation.objective, b.evaluation.dual.unwrap_or(0.0));
                assert!(dual <= p + 1e-9 * (1.0 + p.abs()), "{told}: the bound {dual} is above P = {p}");
            }
        }
    }
}

/// Rows that touch few of many columns.
fn few(columns: usize) -> Problem {
    let mut matrix = Matrix::sparse(columns);
    (0..64_u32).for_each(|i| matrix.push_row([(i, 1.0), (columns as u32 - 1 - i, 2.0)]));
    let labels = (0..64).map(|i| f64::from(i % 2) * 2.0 - 1.0).collect();
    Problem::new(Dataset::new("few", matrix, labels), Loss::Logistic, Some(0.1), 3).expect("sound")
}

/// One round of CoCoA+.
fn step(engine: &mut Mpi, shared: &[f64], sum: &mut [f64]) {
    let args = vec![1.0, engine.count() as f64, 1.0];
    let (round, block) = (engine.next_round(), Vec::new());
    let order = Order { round, task: Task::Step, block, args, off_clock: false };
    engine.round(&order, shared, sum).expect("a round succeeds");
}

/// What they push is short, however long the model.
fn bytes_go_by_what_is_not_zero(ranks: &Ranks, count: usize) {
    let moved = |columns: usize| {
        let setting = Setting::new(&few(columns), algorithm::by_name("cocoa+").expect("known"));
        let mut engine = ranks.engine(setting, count).expect("the engine is made");
        let (mut shared, mut sum) = (vec![0.0; columns], vec![0.0; columns]);
        step(&mut engine, &shared, &mut sum);
        let first = engine.traffic();
        shared[7] = 0.5;
        step(&mut engine, &shared, &mut sum);
        let second = engine.traffic();
        assert_eq!(engine.clock().rounds, 2);
        (first.pushes, second.shared - first.shared)
    };
    let (narrow, wide) = (moved(1_000), moved(100_000));
    assert_eq!(narrow.1, 12, "one number of the shared vector has changed");
    assert_eq!(wide.1, 12, "one number of the shared vector has changed");
    // A column that two ranks touch travels twice, and partial sums pass through up to log₂ ranks.
    let most = 12 * 128 * u64::from(count.next_power_of_two().ilog2());
    assert!(narrow.0 == wide.0 && wide.0 <= most, "{} bytes for 128 numbers on {count} ranks", wide.0);
    if count > 1 {
        assert!(wide.0 >= 12 * 64, "{} bytes cannot hold what the other ranks pushed", wide.0);
    }
}

/// However rounds are exchanged, and whoever comes and goes.
fn lanes_change_no_bit(ranks: &Ranks, count: usize) {
    let cluster = Cluster { machines: count, ..conformance::cluster() };
    for algorithm in algorithm::all() {
        for case in some_problems(algorithm.as_ref()).into_iter().take(2) {
            let mixed = |machines| Way::Given(mixed(&Model::linear(&case.problem, machines), machines));
            for way in [Way::Plain, Way::Search, mixed(count)] {
                let given = matches!(way, Way::Given(_));
                let on: &[(usize, u64)] = if given { &[(count, 12)] } else { &[(count, 8), (count.div_ceil(2), 6)] };
                let rounds = Arc::new(Rounds::new(way, &cluster, &case.problem));
                let there =
                    |setting: Setting, machines| ranks.build(setting.with_rounds(Some(Arc::clone(&rounds))), machines);
                let here = conformance::course(&case.problem, &algorithm, &conformance::local, on);
                let there = conformance::course(&case.problem, &algorithm, &there, on);
                assert_eq!(here.len(), there.len(), "{} ({})", algorithm.name(), case.name);
                for (a, b) in here.iter().zip(&there) {
                    assert!(a.is_exactly(b), "{} ({}), round {}", algorithm.name(), case.name, a.round);
                }
            }
        }
    }
}

/// Every variable in up to three shards: by a tree without zeros, by some rank, by the leader in full.
fn mixed(model: &Model, machines: usize) -> Strategy {
    let plan = |(place, variable): (usize, &Variable)| {
        let partition = Partition::even(0, variable.elements(), variable.elements().min(3));
        let group = 3 * place as u32;
        let ways = [
            Exchange { compression: Compression::Sparse, ..Exchange::new(Method::Tree, group) },
            Exchange {
                compression: Compression::Sparse,
                ..Exchange::new(Method::Server((place + 1) % machines), group + 1)
            },
            Exchange::new(Method::Server(0), group + 2),
        ];
        let shards = ways.into_iter().take(partition.sizes.len()).collect();
        Plan { variable: variable.name.clone(), partition: Some(partition), shards }
    };
    let variables = model.variables.iter().enumerate().map(plan).collect();
    Strategy { version: 1, name: "mixed".into(), machines, window: 4, variables }
}

/// Plain rounds move every number, a strategy that leaves zeros out few of them.
fn lanes_carry_what_they_are_to(ranks: &Ranks, count: usize) {
    let columns = 100_000;
    let problem = few(columns);
    let cluster = Cluster { machines: count, ..conformance::cluster() };
    let moved = |way| {
        let rounds = Some(Arc::new(Rounds::new(way, &cluster, &problem)));
        let setting = Setting::new(&problem, algorithm::by_name("cocoa+").expect("known")).with_rounds(rounds);
        let mut engine = ranks.engine(setting, count).expect("the engine is made");
        let (shared, mut sum) = (vec![0.0; columns], vec![0.0; columns]);
        step(&mut engine, &shared, &mut sum);
        engine.traffic().pushes
    };
    let (plain, found, others) = (moved(Way::Plain), moved(Way::Search), count as u64 - 1);
    assert!(plain >= 8 * columns as u64 * others, "{plain} bytes do not hold {others} dense vectors");
    assert!(found <= 100_000 * others, "{found} bytes for 128 numbers that matter");
}
