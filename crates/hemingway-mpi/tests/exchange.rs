//! Strategies of exchange on ranks, sampled from the whole space: they add as threads do, to the bit.

mod common;

use std::process::ExitCode;

use common::on_ranks;
use hemingway::algorithm;
use hemingway::cluster::Cluster;
use hemingway::rng::{Purpose, keyed};
use hemingway::sync::execute::{Team, Tensors, Timing};
use hemingway::sync::sketch::Sketch;
use hemingway::sync::strategy::Method;
use hemingway::sync::{Model, Stage, Strategy, builders};
use hemingway_mpi::{Ranks, Settings, serve};

/// Strategies for each number of ranks; every fourth of them may lose something.
const STRATEGIES: u64 = 240;

const MODEL: &str = r#"{"name": "small", "step_ms": 1, "variables": [
  {"name": "a", "shape": [7, 5]}, {"name": "b", "shape": [33]}, {"name": "c", "shape": []},
  {"name": "d", "shape": [3, 4, 6]}, {"name": "table", "shape": [40, 3], "density": 0.2, "ready_ms": 1}]}"#;

const CLUSTER: &str = "name = 'racks'\nmachines = 9\ncores_per_machine = 1\nmemory_gb = 1\nprice_per_hour = 0\n\
    [compute]\nns_per_nonzero = 1\n[network]\nlatency_us = 50\nbandwidth_gbit = 10\ncollective = 'ring'\n\
    [[fabric.rack]]\nmachines = [0, 1]\nuplink_gbit = 10\n[[fabric.rack]]\nmachines = [2, 3]\nuplink_gbit = 10\n\
    [[fabric.rack]]\nmachines = [4, 5, 6, 7]\nuplink_gbit = 10\n";

fn main() -> ExitCode {
    let settings = Settings::default();
    let lead = |count| {
        let ranks = Ranks::lead(algorithm::by_name, settings);
        ranks_add_as_threads_do(&ranks, count);
        what_cannot_be_is_refused_and_harms_nothing(&ranks, count);
        long_messages_arrive_whole(&ranks, count);
        steps_take_at_least_their_computing(&ranks, count);
        ranks.quit()
    };
    on_ranks(&[1, 2, 3, 4, 8], lead, || serve(algorithm::by_name, settings).expect("the leader is obeyed to the end"))
}

fn stage(machines: usize) -> Stage {
    let cluster = Cluster::parse(CLUSTER).expect("a sound cluster");
    Stage::new(Model::parse(MODEL).expect("a sound model"), &cluster, machines).expect("as many machines")
}

/// Fractions, so that every order of adding has its own bits; rows of the table that few machines touch.
fn gradients(stage: &Stage) -> Vec<Tensors> {
    let value = |machine: usize, variable: usize, i: usize| match variable {
        4 if !(i / 3 + machine).is_multiple_of(5) => 0.0,
        _ => 1.0 / (1.5 + ((7 * i + 13 * machine + 5 * variable) % 29) as f32) - 0.2,
    };
    let tensor = |machine: usize, variable: usize| {
        (0..stage.model.variables[variable].elements()).map(|i| value(machine, variable, i)).collect()
    };
    let machine = |machine: usize| (0..stage.model.variables.len()).map(|v| tensor(machine, v)).collect();
    (0..stage.machines()).map(machine).collect()
}

fn bits(sums: &[Tensors]) -> Vec<u32> {
    sums.iter().flatten().flatten().map(|value| value.to_bits()).collect()
}

fn ranks_add_as_threads_do(ranks: &Ranks, count: usize) {
    let stage = stage(count);
    let gradients = gradients(&stage);
    let plain = |variable: usize, i: usize| gradients.iter().map(|own| f64::from(own[variable][i])).sum::<f64>();
    for trial in 0..STRATEGIES {
        let mut random = keyed(5, Purpose::Propose, count, trial);
        let lossless = trial % 4 != 0;
        let mut sketch = Sketch::sample(&stage, lossless, &mut random);
        // Samples do not pack; what comes of changing them may.
        (0..trial % 3).for_each(|_| sketch = sketch.changed(&stage, lossless, &mut random));
        sketch.genes.iter_mut().for_each(|gene| gene.staleness = 0);
        let strategy = sketch.strategy(&stage, "sampled");
        let here = Team::new(&stage, &strategy).and_then(|team| team.sum(&gradients)).expect("threads add");
        let there = ranks.sum(&stage, &strategy, &gradients).expect("ranks add");
        assert_eq!(bits(&here), bits(&there), "{count} ranks, trial {trial}: {strategy:?}");
        if strategy.is_lossless() {
            for (variable, tensor) in there[count - 1].iter().enumerate() {
                let near = |(i, sum): (usize, &f32)| (f64::from(*sum) - plain(variable, i)).abs() < 1e-5;
                assert!(tensor.iter().enumerate().all(near), "{count} ranks, trial {trial}: the plain sum");
            }
        }
    }
}

fn what_cannot_be_is_refused_and_harms_nothing(ranks: &Ranks, count: usize) {
    let stage = stage(count);
    let mut strategy: Strategy = builders::named("ps", &stage).expect("a builder").remove(0);
    strategy.variables[1].shards[0].by = Method::Server(count);
    let refused = ranks.sum(&stage, &strategy, &gradients(&stage)).expect_err("there is no such server").to_string();
    assert!(refused.contains(&format!("variable `b`: there is no machine {count} to serve")), "{refused}");
    let larger = self::stage(count + 1);
    let ring = builders::named("ring", &larger).expect("a builder").remove(0);
    let refused = ranks.sum(&larger, &ring, &gradients(&larger)).expect_err("too few ranks").to_string();
    assert!(refused.contains(&format!("mpirun -n {}", count + 1)), "{refused}");
}

/// Longer than what MPI keeps of a message itself: several pieces, from several senders at once.
fn long_messages_arrive_whole(ranks: &Ranks, count: usize) {
    let model = r#"{"name": "long", "variables": [{"name": "a", "shape": [100003]}, {"name": "b", "shape": [40001]}]}"#;
    let cluster = Cluster::parse(CLUSTER).expect("a sound cluster");
    let stage = Stage::new(Model::parse(model).expect("a sound model"), &cluster, count).expect("as many machines");
    let value = |machine: usize, i: usize| 1.0 / (1.5 + ((7 * i + 13 * machine) % 29) as f32);
    let tensor = |machine: usize, length: usize| (0..length).map(|i| value(machine, i)).collect::<Vec<f32>>();
    let gradients: Vec<Tensors> =
        (0..count).map(|k| [100_003, 40_001].map(|length| tensor(k, length)).into()).collect();
    for name in ["ps-balanced", "ring", "halving-doubling"] {
        let strategy = builders::named(name, &stage).expect("a builder").remove(1);
        let here = Team::new(&stage, &strategy).and_then(|team| team.sum(&gradients)).expect("threads add");
        let there = ranks.sum(&stage, &strategy, &gradients).expect("ranks add");
        assert!(bits(&here) == bits(&there), "{name} on {count} ranks");
    }
}

/// Fewer machines than ranks are fine too.
fn steps_take_at_least_their_computing(ranks: &Ranks, count: usize) {
    let stage = stage(count.div_ceil(2));
    let byteps = builders::named("byteps", &stage).expect("a builder").remove(0);
    let timing = Timing { scale: 1.0, steps: 3, seed: 0 };
    let seconds = ranks.time(&stage, &byteps, timing).expect("ranks run");
    assert!(seconds.len() == 3 && seconds.iter().all(|seconds| *seconds >= 1e-3), "{seconds:?}");
}
