//! Every algorithm and every engine, held to the library's own suite.

use std::ops::ControlFlow;

use hemingway::algorithm;
use hemingway::backend::{Backend, Checkpoint, Config, Ending, EngineBackend, Frame};
use hemingway::cluster::Straggler;
use hemingway::conformance::{self, problems};
use hemingway::data::Source;
use hemingway::engine;
use hemingway::problem::{Loss, Problem};
use hemingway::record::Record;

const DETERMINISTIC: [&str; 5] = ["gd", "lbfgs", "newton", "gram", "noop"];

#[test]
fn primal_algorithms() {
    algorithm::all().iter().filter(|a| !a.is_dual()).for_each(conformance::primal);
}

#[test]
fn algorithms_that_factorize() {
    algorithm::factorizers().iter().for_each(conformance::primal);
    conformance::primal(&algorithm::by_name("als:cg=3").unwrap());
    assert!(algorithm::factorizers().iter().all(conformance::is_random));
}

#[test]
fn dual_algorithms() {
    algorithm::all().iter().filter(|a| a.is_dual()).for_each(conformance::dual);
}

#[test]
fn dual_algorithms_with_settings() {
    for name in ["cocoa:epochs=2.5", "cocoa+:epochs=3:gamma=0.5", "cocoa+:epochs=0.3:sigma=70"] {
        conformance::dual(&algorithm::by_name(name).unwrap());
    }
}

#[test]
fn names_with_settings_are_written_one_way() {
    let name = |written: &str| algorithm::by_name(written).unwrap().name().to_string();
    assert_eq!(name("cocoa+:sigma=2:epochs=4.0"), "cocoa+:epochs=4:sigma=2");
    assert_eq!(name("cocoa:epochs=1"), "cocoa");
    assert_eq!(name("als:cuts=measured:cg=3"), "als:cg=3:cuts=measured");
    assert_eq!(algorithm::alone("cocoa+:epochs=4").unwrap(), "cocoa:epochs=4");
    assert_eq!(algorithm::alone("cocoa+:gamma=0.5").unwrap(), "cocoa+:gamma=0.5");
}

#[test]
fn epochs_are_passes_over_the_rows() {
    let data = Source::parse("synth:logistic,rows=400,columns=30,seed=5").unwrap().load().unwrap().dataset;
    let problem = Problem::new(&data, Loss::Logistic, Some(1e-3), 0).unwrap();
    for (name, epochs) in [("cocoa+", 1.0), ("cocoa+:epochs=0.25", 0.25), ("cocoa+:epochs=3", 3.0)] {
        let mut passes = 0.0;
        let mut see = |record: &Record, _: &[f64]| {
            passes = record.passes;
            Ok(ControlFlow::Continue(()))
        };
        backend(&problem, true).run(&frame(name, 8, 10), None, &mut see).unwrap();
        assert!((passes / (10.0 * epochs) - 1.0).abs() < 0.1, "{name}: {passes} passes in 10 rounds");
    }
}

#[test]
fn the_seed_matters_to_those_that_draw() {
    for algorithm in algorithm::all() {
        let name = algorithm.name();
        assert_eq!(conformance::is_random(&algorithm), !DETERMINISTIC.contains(&name), "{name}");
    }
}

#[test]
fn local_engine() {
    conformance::engine(&conformance::local);
}

#[test]
fn simulated_engine() {
    conformance::engine(&conformance::simulated);
    conformance::counted_clock(&conformance::simulated);
}

/// Equal machines: the mean of their times may round above the slowest.
#[test]
fn simulated_engine_without_stragglers() {
    let mut cluster = conformance::cluster();
    cluster.compute.straggler = Straggler::None;
    conformance::engine(&|setting, machines| engine::build(setting, Some(&cluster), machines));
}

fn backend(problem: &Problem, simulated: bool) -> EngineBackend {
    EngineBackend::new(problem.clone(), "test", simulated.then(conformance::cluster))
}

fn frame(name: &str, machines: usize, until_round: u64) -> Frame {
    Frame::new("test", Config::new(name, machines), until_round)
}

fn run(backend: &mut EngineBackend, frame: &Frame, from: Option<&Checkpoint>) -> (Checkpoint, Vec<u64>) {
    let mut objectives = Vec::new();
    let (checkpoint, _) = backend
        .run(frame, from, &mut |record, _| {
            objectives.push(record.objective.to_bits());
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    (checkpoint, objectives)
}

/// Through the backend, as the program does it: a checkpoint that went through a file and a fresh process goes on like
/// a run that was never stopped, resized on the way too, and on the counted clock even the seconds agree.
#[test]
fn a_checkpoint_goes_on_to_the_bit() {
    for algorithm in algorithm::all() {
        let name = algorithm.name();
        for case in Loss::ALL.into_iter().flat_map(problems::for_loss).filter(|c| c.name.contains("mixed")) {
            if algorithm::check_problem(algorithm.as_ref(), &case.problem).is_err() {
                continue;
            }
            for pause in [0, 5] {
                let mut steady = backend(&case.problem, true);
                let (middle, before) = run(&mut steady, &frame(name, 4, pause), None);
                let fewer = Frame { from_round: middle.clock.rounds, rows_on: Some(4), ..frame(name, 2, 11) };
                let (end, after) = run(&mut steady, &fewer, Some(&middle));

                let saved = serde_json::to_string(&middle).unwrap();
                let taken: Checkpoint = serde_json::from_str(&saved).unwrap_or_else(|e| panic!("{name}: {e}"));
                let (resumed, again) = run(&mut backend(&case.problem, true), &fewer, Some(&taken));
                assert_eq!(after, again, "{name} ({}): objectives after resuming", case.name);
                assert_eq!(end, resumed, "{name} ({}): checkpoint after resuming", case.name);
                assert!(!before.is_empty(), "{name}: the start is on record");
            }
        }
    }
}

#[test]
fn a_checkpoint_of_another_problem_is_refused() {
    let cases = problems::for_loss(Loss::Squared);
    let (mixed, single) = (&cases[0].problem, &cases[2].problem);
    for algorithm in algorithm::all() {
        let name = algorithm.name();
        let (checkpoint, _) = run(&mut backend(mixed, false), &frame(name, 2, 3), None);
        for other in algorithm::all() {
            let frame = frame(other.name(), 2, 6);
            let outcome =
                backend(single, false).run(&frame, Some(&checkpoint), &mut |_, _| Ok(ControlFlow::Continue(())));
            let error = outcome.map(|(_, ending)| ending).unwrap_err().to_string();
            assert!(error.contains("another problem"), "{name} → {}: {error}", other.name());
        }
    }
}

#[test]
fn any_algorithm_goes_on_from_any_other() {
    for case in problems::for_loss(Loss::Logistic).into_iter().take(2) {
        let applying =
            || algorithm::all().into_iter().filter(|a| algorithm::check_problem(a.as_ref(), &case.problem).is_ok());
        for first in applying() {
            let mut backend = backend(&case.problem, true);
            let (checkpoint, _) = run(&mut backend, &frame(first.name(), 4, 5), None);
            for second in applying() {
                let until = checkpoint.clock.rounds + 5;
                let frame = frame(second.name(), 3, until);
                let (after, ending) =
                    backend.run(&frame, Some(&checkpoint), &mut |_, _| Ok(ControlFlow::Continue(()))).unwrap();
                let told = format!("{} → {} ({})", first.name(), second.name(), case.name);
                assert_ne!(ending, Ending::Diverged, "{told}");
                assert!(case.problem.objective(&after.model).is_finite(), "{told}");
                assert!(after.clock.rounds > checkpoint.clock.rounds, "{told}: the clock goes on");
            }
        }
    }
}
