//! Every cell of the matrix algorithm × loss does what it says: exact ones reach P*, approximate ones come near it,
//! the others refuse; and the table in the docs is this matrix.

#[path = "common/oracle.rs"]
mod oracle;

use std::ops::ControlFlow;
use std::sync::Arc;

use hemingway::algorithm::{self, Algorithm, Support};
use hemingway::backend::{Backend, Config, Ending, EngineBackend, Frame};
use hemingway::conformance;
use hemingway::data::Source;
use hemingway::problem::{Loss, Problem};

const MACHINES: [usize; 4] = [1, 2, 7, 64];
/// Enough for CoCoA on 64 machines, which averages 64 small changes a round.
const EXACT_ROUNDS: u64 = 100_000;
const APPROXIMATE_ROUNDS: u64 = 300;

/// Small problems of every kind of data.
fn problems(loss: Loss) -> Vec<Problem> {
    let made = match loss {
        Loss::Squared => ["synth:ridge,rows=120,columns=6", "synth:ridge,rows=90,columns=8,condition=30,seed=1"],
        Loss::Logistic => ["synth:logistic,rows=120,columns=6", "synth:sparse,rows=90,columns=12,density=0.2"],
        Loss::Hinge => ["synth:svm,rows=120,columns=6", "synth:sparse,rows=90,columns=12,density=0.2"],
    };
    let problem = |spec: &str| {
        let data = Source::parse(spec).unwrap().load().unwrap().dataset;
        Problem::new(&data, loss, Some(0.01), 1).unwrap()
    };
    made.into_iter().map(problem).collect()
}

fn relative(objective: f64, optimum: f64) -> f64 {
    (objective - optimum) / optimum
}

/// Relative errors by evaluation until one is at most `target`.
fn errors(problem: &Problem, name: &str, machines: usize, rounds: u64, target: f64) -> (Vec<f64>, Ending) {
    let optimum = oracle::optimum(problem);
    let mut backend = EngineBackend::new(problem.clone(), "test", Some(conformance::cluster()));
    let config = Config::new(name, machines);
    let frame = Frame::new("test", config, rounds);
    let mut errors = Vec::new();
    let (_, ending) = backend
        .run(&frame, None, &mut |record, _| {
            errors.push(relative(record.objective, optimum));
            let there = errors.last().is_some_and(|e| *e <= target);
            Ok(if there { ControlFlow::Break(Ending::GoalMet) } else { ControlFlow::Continue(()) })
        })
        .unwrap();
    (errors, ending)
}

/// Every cell of this support, with a problem and a number of machines.
fn each(support: Support, mut check: impl FnMut(&Arc<dyn Algorithm>, &Problem, usize)) {
    for loss in Loss::ALL {
        for problem in problems(loss) {
            for algorithm in algorithm::all().iter().filter(|a| a.support(loss) == support) {
                MACHINES.into_iter().for_each(|m| check(algorithm, &problem, m));
            }
        }
    }
}

#[test]
fn exact_methods_reach_the_optimum() {
    each(Support::Exact, |algorithm, problem, machines| {
        let target = if problem.loss == Loss::Hinge { 1e-4 } else { 1e-6 };
        let (errors, ending) = errors(problem, algorithm.name(), machines, EXACT_ROUNDS, target);
        let (name, loss, data) = (algorithm.name(), problem.loss, &problem.data.name);
        let last = errors[errors.len() - 1];
        assert_eq!(ending, Ending::GoalMet, "{name}, {loss}, {data}, m = {machines}: {last:e} after {}", errors.len());
    });
}

/// What an approximate method promises on such problems: the share of P(0)'s error that is left after 300 rounds.
fn promise(name: &str) -> f64 {
    match name {
        "minibatch-sgd" | "local-sgd" | "splash" => 0.1,
        other => panic!("{other} is new: say here what it promises"),
    }
}

#[test]
fn approximate_methods_keep_their_promise() {
    each(Support::Approximate, |algorithm, problem, machines| {
        let name = algorithm.name();
        let (errors, ending) = errors(problem, name, machines, APPROXIMATE_ROUNDS, f64::NEG_INFINITY);
        let told = format!("{name}, {}, {}, m = {machines}", problem.loss, problem.data.name);
        assert_eq!(ending, Ending::FrameOver, "{told}");
        let (first, last) = (errors[0], errors[errors.len() - 1]);
        assert!(last <= promise(name) * first, "{told}: from {first:.2e} to {last:.2e}");
        let worst = errors.iter().copied().fold(0.0, f64::max);
        assert!(worst <= 3.0 * first, "{told}: {worst:.2e} on the way from {first:.2e}");
    });
}

#[test]
fn idle_methods_stay_where_they_began() {
    each(Support::Idle, |algorithm, problem, machines| {
        let (errors, ending) = errors(problem, algorithm.name(), machines, 3, f64::NEG_INFINITY);
        assert_eq!(ending, Ending::FrameOver);
        assert!(errors.iter().all(|error| *error == errors[0]), "{} moved", algorithm.name());
    });
}

#[test]
fn the_rest_refuse_and_say_what_applies() {
    each(Support::No, |algorithm, problem, machines| {
        let mut backend = EngineBackend::new(problem.clone(), "test", None);
        let config = Config::new(algorithm.name(), machines);
        let frame = Frame::new("test", config, 1);
        let outcome = backend.run(&frame, None, &mut |_, _| Ok(ControlFlow::Continue(())));
        let error = outcome.map(|(_, ending)| ending).unwrap_err().to_string();
        let start = format!("--algorithm: {} does not apply to the {} loss; these do:", algorithm.name(), problem.loss);
        assert!(error.starts_with(&start) && error.contains("cocoa"), "{error}");
    });
}

#[test]
fn dual_methods_refuse_a_problem_without_regularizer() {
    for algorithm in algorithm::all().iter().filter(|a| a.width() > 0) {
        let error = algorithm::check(algorithm.as_ref(), Loss::Squared, 0.0).unwrap_err().to_string();
        assert!(error.contains("needs --l2 above 0"), "{error}");
    }
}

/// The table of `docs/algorithms.md` from what the algorithms say of themselves.
fn matrix() -> Vec<String> {
    let cell = |support| match support {
        Support::Exact => "exact",
        Support::Approximate => "approximate",
        Support::Idle => "idle",
        Support::No => "refused",
    };
    let row = |a: &Arc<dyn Algorithm>| {
        let cells = Loss::ALL.map(|loss| cell(a.support(loss))).join(" | ");
        format!("| `{}` | {cells} |", a.name())
    };
    let head = format!("| algorithm | {} |", Loss::ALL.map(Loss::name).join(" | "));
    [head].into_iter().chain(algorithm::all().iter().map(row)).collect()
}

#[test]
fn the_docs_hold_this_matrix() {
    let docs = include_str!("../../../docs/algorithms.md");
    let first_four = |line: &str| line.split('|').take(5).collect::<Vec<_>>().join("|") + "|";
    let rows = docs.lines().filter(|l| l.starts_with("| algorithm |") || l.starts_with("| `"));
    let found: Vec<String> = rows.map(first_four).collect();
    assert_eq!(found, matrix(), "docs/algorithms.md must say:\n{}", matrix().join("\n"));
}
