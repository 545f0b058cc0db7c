//! A cap may end a run before any round, in the middle of an iteration too. Whoever goes on from there takes the same
//! iterations as without the stop; rounds of the one that was cut short may be made again. Only svrg, whose draws go by the
//! number of the round and not of the iteration, then takes others.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use hemingway::Result;
use hemingway::algorithm::{self, Support};
use hemingway::backend::{Backend, Checkpoint, Config, Ending, EngineBackend, Frame, Watcher};
use hemingway::cluster::Cluster;
use hemingway::data::Source;
use hemingway::engine::Clock;
use hemingway::problem::{Loss, Problem};
use hemingway::record::Record;

const ROUNDS: u64 = 14;

/// Lets so many rounds be over and no further one begin; notes P after every iteration.
struct Cap {
    rounds: u64,
    seen: BTreeMap<u64, f64>,
}

impl Watcher for Cap {
    fn before_round(&mut self, clock: &Clock) -> ControlFlow<Ending> {
        if clock.rounds < self.rounds { ControlFlow::Continue(()) } else { ControlFlow::Break(Ending::BudgetSpent) }
    }

    fn see(&mut self, record: &Record, _: &[f64]) -> Result<ControlFlow<Ending>> {
        self.seen.insert(record.iteration, record.objective);
        Ok(ControlFlow::Continue(()))
    }
}

fn problem(loss: Loss) -> Problem {
    let kind = if loss == Loss::Squared { "ridge" } else { "logistic" };
    let recipe = format!("synth:{kind},rows=90,columns=6,noise=0.2,condition=30,seed=3");
    let data = Source::parse(&recipe).unwrap().load().unwrap().dataset;
    Problem::new(&data, loss, Some(1e-3), 7).unwrap()
}

/// Runs until the cap, in a program of its own each time: where it stopped, and P after every iteration.
fn run(problem: &Problem, name: &str, rounds: u64, from: Option<&Checkpoint>) -> (Checkpoint, BTreeMap<u64, f64>) {
    let cluster = Cluster::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../clusters/laptop.toml"))).unwrap();
    let mut backend = EngineBackend::new(problem.clone(), "p", Some(cluster));
    let frame = Frame::new("run", Config::new(name, 3), 10 * ROUNDS);
    let mut cap = Cap { rounds, seen: BTreeMap::new() };
    let (checkpoint, _) = backend.run_watched(&frame, from, &mut cap).unwrap();
    (checkpoint, cap.seen)
}

#[test]
fn whoever_is_stopped_before_any_round_goes_on_with_the_same_iterations() {
    for loss in [Loss::Logistic, Loss::Squared] {
        let problem = problem(loss);
        for algorithm in algorithm::all() {
            let trains = matches!(algorithm.support(loss), Support::Exact | Support::Approximate);
            if !trains || algorithm.name() == "svrg" || algorithm::check_problem(algorithm.as_ref(), &problem).is_err()
            {
                continue;
            }
            let name = algorithm.name();
            let (_, whole) = run(&problem, name, 2 * ROUNDS, None);
            for stop in 1..ROUNDS {
                let (half, _) = run(&problem, name, stop, None);
                let (_, again) = run(&problem, name, 2 * ROUNDS, Some(&half));
                let over = algorithm.rounds_in_all().is_some_and(|all| stop >= all);
                assert!(over || again.len() > 2, "{name}, {loss}: nothing followed round {stop}");
                for (iteration, objective) in again {
                    let known = whole.get(&iteration).copied().unwrap_or(objective);
                    assert_eq!(objective, known, "{name}, {loss}: iteration {iteration} after a stop at round {stop}");
                }
            }
        }
    }
}
