use super::*;
use crate::algorithm;
use crate::algorithm::{Machines, Server};
use crate::data::source::Source;
use crate::engine::{Engine, Setting, Simulated};
use crate::problem::Loss;
use crate::sync::Dtype;
use crate::sync::links::tests::cluster;
use crate::sync::strategy::Compression;

const MACHINES: usize = 8;

fn problem(spec: &str) -> Problem {
    Problem::new(&Source::parse(spec).unwrap().load().unwrap().dataset, Loss::Logistic, None, 0).unwrap()
}

/// Rows of a hundred entries in fifty thousand columns, at 80 Mbit: bytes are what counts.
fn wide() -> (Problem, Cluster) {
    let mut cluster = cluster(MACHINES, false);
    cluster.network.bandwidth_gbit = 0.08;
    cluster.network.collective = crate::cluster::Collective::Tree;
    (problem("synth:power-law,rows=800,columns=50000,density=0.002,exponent=1.05"), cluster)
}

#[test]
fn what_is_found_is_exact_and_beats_plain() {
    let (problem, cluster) = wide();
    let found = Rounds::new(Way::Search, &cluster, &problem).on(MACHINES).unwrap().unwrap();
    check_order(&found.strategy).unwrap();
    assert!(found.seconds < 0.5 * found.plain_seconds, "{} of {}", found.seconds, found.plain_seconds);
    assert!(found.lanes.iter().all(|lane| lane.server != Some(0)), "all sums pass over the leader's links as it is");
    let mut held = vec![0; 50_000];
    found.lanes.iter().flat_map(|lane| lane.ranges.clone()).flatten().for_each(|number| held[number] += 1);
    assert!(held.iter().all(|times| *times == 1), "every number is in one lane");
    let again = Rounds::new(Way::Search, &cluster, &problem).on(MACHINES).unwrap().unwrap();
    assert_eq!(found, again);
}

#[test]
fn one_machine_exchanges_nothing_and_dense_rows_gain_by_servers_alone() {
    let (_, cluster) = wide();
    let dense = problem("synth:logistic,rows=100,columns=2000");
    let rounds = Rounds::new(Way::Search, &cluster, &dense);
    assert_eq!(rounds.on(1).unwrap(), None);
    let found = rounds.on(MACHINES).unwrap().unwrap();
    assert!(found.lanes.iter().all(|lane| !lane.sparing) && found.seconds <= found.plain_seconds);
}

/// Rounds leave zeros out by a code of their own, whatever code a strategy names for them.
#[test]
fn packed_zeros_are_left_out_too() {
    let (problem, cluster) = wide();
    let found = Rounds::new(Way::Search, &cluster, &problem).on(MACHINES).unwrap().unwrap();
    let mut packed = found.strategy.clone();
    let shards = packed.variables.iter_mut().flat_map(|plan| &mut plan.shards);
    let sparse = shards.filter(|shard| shard.compression == Compression::Sparse);
    sparse.for_each(|shard| shard.compression = Compression::Packed);
    assert_ne!(packed, found.strategy);
    let given = Rounds::new(Way::Given(packed), &cluster, &problem).on(MACHINES).unwrap().unwrap();
    assert_eq!((&given.lanes, given.seconds), (&found.lanes, found.seconds));
}

/// Seconds that rounds of an algorithm exchange for, and P at the end.
fn rounds_of(algorithm: &str, way: Way) -> (f64, f64) {
    let (problem, cluster) = wide();
    let rounds = Arc::new(Rounds::new(way, &cluster, &problem));
    let setting = Setting::new(&problem, algorithm::by_name(algorithm).unwrap()).with_rounds(Some(rounds));
    let mut engine = Simulated::new(setting.clone(), cluster, MACHINES).unwrap();
    let mut server: Box<dyn Server> = setting.algorithm.server(&setting.outline);
    let mut shared = setting.algorithm.shared(&setting.outline);
    // The first round tells of a vector that nobody has heard of.
    server.iterate(&mut engine, &mut shared).unwrap();
    let before = engine.clock();
    for _ in 0..5 {
        server.iterate(&mut engine, &mut shared).unwrap();
    }
    let clock = engine.clock();
    let objective = server.evaluate(&mut engine, &shared).unwrap().objective;
    assert_eq!(engine.count(), MACHINES);
    ((clock.sync - before.sync) / (clock.rounds - before.rounds) as f64, objective)
}

#[test]
fn rounds_take_what_was_foretold() {
    let (problem, cluster) = wide();
    for algorithm in ["cocoa", "cocoa+"] {
        let (plain, at_plain) = rounds_of(algorithm, Way::Plain);
        let (search, at_search) = rounds_of(algorithm, Way::Search);
        assert_eq!(at_plain.to_bits(), at_search.to_bits(), "{algorithm}");
        let foretold = Rounds::new(Way::Search, &cluster, &problem).on(MACHINES).unwrap().unwrap();
        assert!((foretold.plain_seconds / plain - 1.0).abs() < 1e-9, "{algorithm}: {plain}");
        assert!((foretold.seconds / search - 1.0).abs() < 0.2, "{algorithm}: {search} for {}", foretold.seconds);
    }
}

#[test]
fn strategies_that_add_otherwise_are_refused_by_name() {
    let (problem, cluster) = wide();
    let model = Model::linear(&problem, MACHINES);
    assert!(model.variables.iter().all(|variable| variable.dtype == Dtype::F64));
    let refused = |change: &dyn Fn(&mut ShardExchange)| {
        let mut strategy = plain(&model, MACHINES);
        strategy.variables[1].shards.iter_mut().for_each(change);
        let way = Way::Given(strategy);
        Rounds::new(way, &cluster, &problem).on(MACHINES).unwrap_err().to_string()
    };
    let name = format!("variable `{}`", model.variables[1].name);
    let words = refused(&|shard| shard.by = Method::Ring);
    assert!(words.contains(&name) && words.contains("ring adds in an order of its own"), "{words}");
    let words = refused(&|shard| shard.compression = Compression::Fp16);
    assert!(words.contains(&name) && words.contains("fp16"), "{words}");
    let words = refused(&|shard| shard.by = Method::Server(99));
    assert!(words.contains(&name) && words.contains("no machine 99"), "{words}");
}

#[test]
fn a_strategy_of_another_model_is_refused_as_such_and_servers_are_counted() {
    let (problem, cluster) = wide();
    let model = Model::linear(&problem, MACHINES);
    let on = |strategy: Strategy| Rounds::new(Way::Given(strategy), &cluster, &problem).on(MACHINES);
    let mut other = plain(&model, MACHINES);
    other.variables[0].variable = "embedding".into();
    other.variables[1].shards[0].by = Method::Ring;
    let words = on(other).unwrap_err().to_string();
    let own = format!("this problem has `{}` and", model.variables[0].name);
    assert!(words.starts_with("strategy: is for other variables: `embedding`;") && words.contains(&own), "{words}");
    let mut served = plain(&model, MACHINES);
    served.variables.iter_mut().for_each(|plan| plan.shards[0].by = Method::Server(1));
    let words = on(served).unwrap().unwrap().words();
    assert_eq!(words, "100 % of columns by 1 server");
}
