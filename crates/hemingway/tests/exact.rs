//! Every cell of the matrix algorithm × loss does what it says: exact ones reach P*, approximate ones come near it,
//! the others refuse; and the table in the docs is this matrix. With weights P* is that of rows repeated.

#[path = "common/oracle.rs"]
mod oracle;

use std::ops::ControlFlow;
use std::sync::Arc;

use hemingway::algorithm::{self, Algorithm, Support};
use hemingway::backend::{Backend, Config, Ending, EngineBackend, Frame};
use hemingway::conformance;
use hemingway::data::{Dataset, Source};
use hemingway::problem::{Classes, Loss, Penalty, Problem, Scheme};

const MACHINES: [usize; 4] = [1, 2, 7, 64];
/// Enough for CoCoA on 64 machines, which averages 64 small changes a round.
const EXACT_ROUNDS: u64 = 100_000;
const APPROXIMATE_ROUNDS: u64 = 300;

/// Small problems of every kind of data.
fn problems(loss: Loss) -> Vec<Problem> {
    let made = match loss.is_binary() {
        false => ["synth:ridge,rows=120,columns=6", "synth:ridge,rows=90,columns=8,condition=30,seed=1"],
        true if loss == Loss::Logistic => {
            ["synth:logistic,rows=120,columns=6", "synth:sparse,rows=90,columns=12,density=0.2"]
        }
        true => ["synth:svm,rows=120,columns=6", "synth:sparse,rows=90,columns=12,density=0.2"],
    };
    // With |·| nothing in the dual bends but the penalty: the less of it, the slower.
    let l2 = if loss == Loss::Absolute { 0.1 } else { 0.01 };
    let penalties = [(l2, 0.0), (l2, 0.02), (0.0, 0.02)];
    let data = made.map(|spec| Source::parse(spec).unwrap().load().unwrap().dataset);
    let data = [weighted(&data[0]), data[0].clone(), data[1].clone()];
    let problem =
        |data: &Dataset, (l2, l1): (f64, f64)| Problem::new(data, loss, Some(l2), 1).unwrap().with_l1(l1).unwrap();
    data.iter().flat_map(|data| penalties.map(|penalty| problem(data, penalty))).collect()
}

/// Small problems of several classes, in every way that the loss takes.
fn class_problems(loss: Loss) -> Vec<Problem> {
    let spec = "synth:multiclass,rows=80,columns=4,classes=3";
    let data = Source::parse(spec).unwrap().load().unwrap().dataset;
    let problem = |data: &Dataset, scheme, (l2, l1): (f64, f64)| {
        let classes = Some(Classes { scheme, count: 3 });
        Problem::of_classes(data, loss, classes, Some(l2), 1).unwrap().with_l1(l1).unwrap()
    };
    let schemes = Scheme::ALL.into_iter().filter(|scheme| scheme.check(loss).is_ok());
    schemes
        .flat_map(|scheme| {
            let penalties = [(0.01, 0.0), (0.01, 0.02), (0.0, 0.02)];
            let mut made: Vec<Problem> = penalties.iter().map(|penalty| problem(&data, scheme, *penalty)).collect();
            made.push(problem(&weighted(&data), scheme, (0.01, 0.0)));
            made
        })
        .collect()
}

/// Rows that count for 0 to 16 times the same; the heaviest say the contrary of the others, and outweigh them.
fn weighted(data: &Dataset) -> Dataset {
    let weights: Vec<f64> = (0..data.rows()).map(|i| [1.0, 16.0, 0.0, 1.0, 2.0, 1.0][i % 6]).collect();
    // Of several classes the next one: none is the contrary of another.
    let contrary = |y: f64| if data.name.contains("multiclass") { (y + 1.0) % 3.0 } else { -y };
    let labels = weights.iter().zip(&data.labels);
    let labels = labels.map(|(weight, y)| if *weight == 16.0 { contrary(*y) } else { *y }).collect();
    Dataset { name: format!("{}, weighted", data.name), labels, weights: Some(weights), ..data.clone() }
}

/// The same problem without weights: every row as often as it counts.
fn repeated(problem: &Problem) -> Problem {
    let Some(weights) = &problem.data.weights else { return problem.clone() };
    let one = weights.iter().copied().fold(f64::INFINITY, f64::min);
    let times = |i: usize| std::iter::repeat_n(i, (weights[i] / one).round() as usize);
    let rows: Vec<usize> = (0..weights.len()).flat_map(times).collect();
    let data = Dataset { weights: None, ..problem.data.select(&rows) };
    Problem { data: Arc::new(data), ..problem.clone() }
}

fn relative(objective: f64, optimum: f64) -> f64 {
    (objective - optimum) / optimum
}

/// Relative errors by evaluation until one is at most `target`.
fn errors(problem: &Problem, name: &str, machines: usize, rounds: u64, target: f64) -> (Vec<f64>, Ending) {
    let optimum = oracle::optimum(&repeated(problem));
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

/// Whether its penalty does not keep the algorithm from a problem.
fn applies(algorithm: &dyn Algorithm, problem: &Problem) -> bool {
    algorithm.support(problem.loss) == Support::No || algorithm::check_problem(algorithm, problem).is_ok()
}

/// Every cell of this support, with a problem and a number of machines.
fn each(support: Support, mut check: impl FnMut(&Arc<dyn Algorithm>, &Problem, usize)) {
    for loss in Loss::ALL {
        for problem in problems(loss).into_iter().chain(class_problems(loss)) {
            let of_support = |a: &&Arc<dyn Algorithm>| a.support(loss) == support && applies(a.as_ref(), &problem);
            for algorithm in algorithm::all().iter().filter(of_support) {
                MACHINES.into_iter().for_each(|m| check(algorithm, &problem, m));
            }
        }
    }
}

#[test]
fn exact_methods_reach_the_optimum() {
    each(Support::Exact, |algorithm, problem, machines| {
        let target = if problem.loss.is_smooth() { 1e-6 } else { 1e-4 };
        let (errors, ending) = errors(problem, algorithm.name(), machines, EXACT_ROUNDS, target);
        let (name, loss, data) = (algorithm.name(), problem.loss, &problem.data.name);
        let last = errors[errors.len() - 1];
        let told = format!("{name}, {loss}, {:?}, {data}, m = {machines}", problem.classes);
        assert_eq!(ending, Ending::GoalMet, "{told}: {last:e} after {}", errors.len());
    });
}

/// The relative error of whoever forgets the weights.
fn misled(problem: &Problem) -> f64 {
    let data = Dataset { weights: None, ..(*problem.data).clone() };
    let forgetful = Problem { data: Arc::new(data), ..problem.clone() };
    relative(problem.objective(&oracle::solution(&forgetful)), oracle::optimum(problem))
}

/// Whoever forgets the weights is told by the test above, and by the one below.
#[test]
fn without_its_weights_a_problem_has_another_answer() {
    let all = Loss::ALL.into_iter().flat_map(|loss| problems(loss).into_iter().chain(class_problems(loss)));
    for problem in all.filter(|problem| problem.data.weights.is_some()) {
        let start = relative(problem.objective(&vec![0.0; problem.coefficients()]), oracle::optimum(&problem));
        assert!(misled(&problem) > start, "{}, {:?}: {}, {start}", problem.loss, problem.penalty, misled(&problem));
    }
}

/// What an approximate method promises on such problems: the share of P(0)'s error that is left after 300 rounds, or of the
/// error without the weights.
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
        let weighted = problem.data.weights.is_some();
        let first = if weighted { misled(problem) } else { errors[0] };
        let last = errors[errors.len() - 1];
        assert!(last <= promise(name) * first, "{told}: from {first:.2e} to {last:.2e}");
        // Where the light rows say the contrary, a first batch of them leads astray.
        let worst = errors.iter().copied().fold(0.0, f64::max);
        assert!(weighted || worst <= 3.0 * first, "{told}: {worst:.2e} on the way from {first:.2e}");
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
        let start = format!("--algorithm: {} does not apply to the {} loss; ", algorithm.name(), problem.loss);
        let solves = |a: &&Arc<dyn Algorithm>| {
            matches!(a.support(problem.loss), Support::Exact | Support::Approximate)
                && algorithm::check_problem(a.as_ref(), problem).is_ok()
        };
        let those: Vec<_> = algorithm::all().iter().filter(solves).map(|a| a.name().to_string()).collect();
        // Of several classes without λ₂ there may be none: then those are named that take more of it.
        let named = those.is_empty() || error.ends_with(&format!("; these do: {}", those.join(", ")));
        assert!(error.starts_with(&start) && error.contains("these do: ") && named, "{error}");
    });
}

#[test]
fn whoever_does_not_take_several_classes_says_who_does() {
    for problem in [Loss::Logistic, Loss::Hinge].into_iter().flat_map(class_problems) {
        let scheme = problem.classes.unwrap().scheme;
        let applies = |a: &Arc<dyn Algorithm>| algorithm::check(a.as_ref(), problem.loss, &problem.penalty).is_ok();
        for algorithm in algorithm::all().iter().filter(|a| applies(a)) {
            let outcome = algorithm::check_problem(algorithm.as_ref(), &problem);
            assert_eq!(outcome.is_ok(), algorithm.takes_classes(scheme), "{} {scheme}", algorithm.name());
            let Err(error) = outcome else { continue };
            let start =
                format!("--algorithm: {} does not take {scheme} of the {} loss; ", algorithm.name(), problem.loss);
            let error = error.to_string();
            // Without λ₂ nothing that takes several classes takes the hinge.
            let none = problem.loss == Loss::Hinge && problem.penalty.l2 == 0.0;
            assert!(
                error.starts_with(&start) && error.contains("with --l2 above 0 these do: cocoa") == none,
                "{error}"
            );
        }
    }
}

#[test]
fn dual_methods_refuse_a_problem_without_regularizer() {
    for algorithm in algorithm::all().iter().filter(|a| a.is_dual()) {
        let none = Penalty { l2: 0.0, l1: 0.0 };
        let error = algorithm::check(algorithm.as_ref(), Loss::Squared, &none).unwrap_err().to_string();
        assert!(error.contains("needs --l2 above 0"), "{error}");
    }
}

/// At w = 0 every row lies where the smoothed hinge begins to be straight, and far labels lie where Huber's loss is.
#[test]
fn newton_goes_on_where_the_loss_is_straight_and_nothing_is_penalized() {
    let hinge = Source::parse("synth:sparse,rows=90,columns=12,density=0.2").unwrap().load().unwrap().dataset;
    let mut ridge = Source::parse("synth:ridge,rows=120,columns=6").unwrap().load().unwrap().dataset;
    ridge.labels.iter_mut().for_each(|y| *y *= 100.0);
    for (data, loss) in [(hinge, Loss::SmoothedHinge), (ridge, Loss::Huber)] {
        let problem = Problem::new(&data, loss, Some(0.0), 1).unwrap();
        for machines in MACHINES {
            let (errors, ending) = errors(&problem, "newton", machines, 1000, 1e-6);
            assert_eq!(ending, Ending::GoalMet, "{loss}, m = {machines}: {:?}", errors.last());
        }
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
    let takes = |a: &Arc<dyn Algorithm>, l2: f64, l1: f64| {
        // Of a loss that it solves: the first one that it does.
        let loss = Loss::ALL.into_iter().find(|loss| a.support(*loss) != Support::No).unwrap();
        let taken = algorithm::check(a.as_ref(), loss, &Penalty { l2, l1 }).is_ok();
        if taken { "yes" } else { "no" }
    };
    let row = |a: &Arc<dyn Algorithm>| {
        let cells = Loss::ALL.map(|loss| cell(a.support(loss))).join(" | ");
        let ways = Scheme::ALL.map(|scheme| if a.takes_classes(scheme) { "yes" } else { "no" }).join(" | ");
        format!("| `{}` | {cells} | {} | {} | {ways} |", a.name(), takes(a, 1.0, 1.0), takes(a, 0.0, 0.0))
    };
    let (losses, ways) = (Loss::ALL.map(Loss::name).join(" | "), Scheme::ALL.map(Scheme::name).join(" | "));
    let head = format!("| algorithm | {losses} | λ₁ > 0 | λ₂ = 0 | {ways} |");
    [head].into_iter().chain(algorithm::all().iter().map(row)).collect()
}

#[test]
fn the_docs_hold_this_matrix() {
    let docs = include_str!("../../../docs/algorithms.md");
    let table = docs.lines().skip_while(|line| !line.starts_with("| algorithm |")).take_while(|line| !line.is_empty());
    let found: Vec<&str> = table.filter(|line| !line.starts_with("|---")).collect();
    assert_eq!(found, matrix(), "docs/algorithms.md must say:\n{}", matrix().join("\n"));
}
