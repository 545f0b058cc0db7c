//! L ≤ P* ≤ P, always: every algorithm, every loss, every evaluated round, P* from an independent solver.

#[path = "common/oracle.rs"]
mod oracle;

use std::sync::Arc;

use hemingway::algorithm;
use hemingway::conformance::{self, problems};
use hemingway::data::{Dataset, Matrix};
use hemingway::engine::Setting;
use hemingway::problem::{Classes, Evaluation, Loss, Problem, Scheme};
use proptest::prelude::*;

const ITERATIONS: usize = 15;
/// How far the oracle's P* may lie above the true one, relative to 1 + P*.
const SLACK: f64 = 1e-7;

/// Rows in which zeros, repeated rows and constant columns are likely.
fn any_problem() -> impl Strategy<Value = Problem> {
    let entry = prop_oneof![3 => Just(0.0), 2 => Just(1.0), 3 => -2.0..2.0f64, 1 => -20.0..20.0f64];
    let weight = prop_oneof![Just(0.0), Just(1.0), 1e-3..5.0f64];
    let size = (1..16usize, 1..5usize);
    let shape = size.prop_flat_map(move |(n, d)| {
        let rows = prop::collection::vec(prop::collection::vec(entry.clone(), d), n);
        (
            rows,
            prop::collection::vec(-3.0..3.0f64, n),
            prop::option::of(prop::collection::vec(weight.clone(), n)),
            any::<bool>(),
        )
    });
    let l1 = prop_oneof![Just(0.0), 1e-3..1.0f64];
    let scheme = prop::option::of(prop::sample::select(&Scheme::ALL[..]));
    (shape, prop::sample::select(&Loss::ALL[..]), scheme, -2.5..0.5f64, l1, any::<u64>()).prop_map(
        |((rows, labels, weights, sparse), loss, scheme, exponent, l1, seed)| {
            let columns = rows[0].len();
            let mut matrix = if sparse { Matrix::sparse(columns) } else { Matrix::no_rows(columns) };
            for row in rows {
                matrix.push_row((0..).zip(row).filter(|(_, v)| *v != 0.0));
            }
            let scheme = scheme.filter(|scheme| scheme.check(loss).is_ok());
            let classes = scheme.map(|scheme| Classes { scheme, count: 3 });
            let label = |y: f64| match classes {
                Some(_) => ((y + 3.0) / 2.0).floor(),
                None if loss.is_binary() => y.signum(),
                None => y,
            };
            let labels = labels.into_iter().map(label).collect();
            // Not all may be 0.
            let weights = weights.filter(|weights| weights.iter().any(|s| *s > 0.0));
            let data = Dataset { weights, ..Dataset::new("any", matrix, labels) };
            let l2 = Some(10f64.powf(exponent));
            Problem::of_classes(&data, loss, classes, l2, seed).unwrap().with_l1(l1).unwrap()
        },
    )
}

fn brackets(evaluation: Evaluation, optimum: f64) -> Result<(), String> {
    let slack = SLACK * (1.0 + optimum);
    let Evaluation { objective, dual } = evaluation;
    let dual = dual.ok_or("λ > 0, and yet no bound")?;
    // P at the solver's w is never below P*: against it, the bound may only round.
    if dual > optimum + 1e-10 * (1.0 + optimum) {
        return Err(format!("the bound {dual} is above P* = {optimum}"));
    }
    if objective < optimum - slack {
        return Err(format!("P = {objective} is below P* = {optimum}"));
    }
    Ok(())
}

/// Evaluates before the first and after every iteration.
fn check_run(problem: &Problem, name: &str, machines: usize, optimum: f64) -> Result<(), String> {
    let algorithm = algorithm::by_name(name).unwrap();
    let setting = Setting::new(problem, Arc::clone(&algorithm));
    let mut server = algorithm.server(&setting.outline);
    let mut shared = algorithm.shared(&setting.outline);
    let mut engine = conformance::simulated(setting, machines).unwrap();
    for k in 0..=ITERATIONS {
        let evaluation = server.evaluate(engine.as_mut(), &shared).unwrap();
        brackets(evaluation, optimum).map_err(|e| format!("{name}, m = {machines}, iteration {k}: {e}"))?;
        server.iterate(engine.as_mut(), &mut shared).unwrap();
    }
    Ok(())
}

fn check_all(problem: &Problem, machines: usize) -> Result<(), String> {
    let optimum = oracle::optimum(problem);
    let applies = |a: &Arc<dyn algorithm::Algorithm>| algorithm::check_problem(a.as_ref(), problem).is_ok();
    algorithm::all().into_iter().filter(applies).try_for_each(|a| check_run(problem, a.name(), machines, optimum))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn every_evaluation_brackets_the_optimum(problem in any_problem(), machines in 1..9usize) {
        check_all(&problem, machines).map_err(TestCaseError::fail)?;
    }

    /// Any w, however bad, proves a bound: its dual point is feasible.
    #[test]
    fn any_model_gives_a_feasible_dual_point(problem in any_problem(), w in prop::collection::vec(-30.0..30.0f64, 15)) {
        let w = &w[..problem.coefficients()];
        let single = problem.classes.is_none();
        for i in (0..problem.data.rows()).filter(|_| single) {
            let (z, y) = (problem.data.matrix.row(i).dot(w), problem.data.labels[i]);
            let share = y * problem.loss.dual_of(z, y);
            let most = if problem.loss == Loss::SquaredHinge { f64::INFINITY } else { 1.0 };
            prop_assert!(!problem.loss.is_binary() || (0.0..=most).contains(&share), "yα = {share}");
        }
        let algorithm = algorithm::by_name("noop").unwrap();
        let setting = Setting::new(&problem, Arc::clone(&algorithm));
        let mut server = algorithm.server(&setting.outline);
        let mut engine = conformance::simulated(setting, 2).unwrap();
        let evaluation = server.evaluate(engine.as_mut(), w).unwrap();
        brackets(evaluation, oracle::optimum(&problem)).map_err(TestCaseError::fail)?;
    }
}

#[test]
fn awkward_problems_are_bracketed_too() {
    for case in Loss::ALL.into_iter().flat_map(problems::for_loss) {
        for machines in [1, 2, 7, 64] {
            check_all(&case.problem, machines).unwrap_or_else(|e| panic!("{}: {e}", case.name));
        }
    }
}
