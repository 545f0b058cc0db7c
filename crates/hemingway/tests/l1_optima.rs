//! Lasso, elastic net, L1-logistic and L1-squared-hinge: `strads` finds the optimum that scikit-learn, celer and SciPy find, on any number of
//! machines, by every schedule that is sure to get there.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use hemingway::backend::{Backend, Config, Ending, EngineBackend, Frame};
use hemingway::data::Source;
use hemingway::problem::{Loss, Problem};
use hemingway::schedule::Schedule;
use serde::Deserialize;

/// The same optimum: relative, either way.
const SAME: f64 = 1e-6;

#[derive(Deserialize)]
struct Fixture {
    problem: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    data: String,
    loss: Loss,
    l1: f64,
    l2: f64,
    /// P by program.
    optima: BTreeMap<String, f64>,
}

impl Case {
    fn problem(&self) -> Problem {
        let data = Source::parse(&self.data).unwrap().load().unwrap().dataset;
        Problem::new(data, self.loss, Some(self.l2), 0).unwrap().with_l1(self.l1).unwrap()
    }

    /// The lowest that any program found.
    fn best(&self) -> f64 {
        self.optima.values().copied().fold(f64::INFINITY, f64::min)
    }
}

fn cases() -> Vec<Case> {
    toml::from_str::<Fixture>(include_str!("fixtures/l1_optima.toml")).unwrap().problem
}

/// P where the algorithm stalls or comes near the best that is known, above no bound of its own.
fn ends_at(problem: &Problem, schedule: Schedule, machines: usize, best: f64) -> f64 {
    let mut backend = EngineBackend::new(problem.clone(), "test", None);
    let config = Config { schedule, ..Config::new("strads", machines) };
    let mut last = f64::INFINITY;
    backend
        .run(&Frame::new("test", config, 100_000), None, &mut |record, _| {
            last = record.objective;
            assert!(record.lower_bound.is_some_and(|bound| bound <= best * (1.0 + 1e-9)), "{best} is no optimum");
            let is_there = last - best <= 0.3 * SAME * best;
            Ok(if is_there { ControlFlow::Break(Ending::GoalMet) } else { ControlFlow::Continue(()) })
        })
        .unwrap();
    last
}

#[test]
fn other_programs_find_the_same_optimum() {
    for case in cases() {
        let (problem, best) = (case.problem(), case.best());
        for machines in [1, 3, 16] {
            let found = ends_at(&problem, Schedule::dynamic(), machines, best);
            let off = (found - best) / best;
            let told = format!("{}, {}, λ₁ {}, λ₂ {}, m = {machines}", case.data, case.loss, case.l1, case.l2);
            assert!(off.abs() <= SAME, "{told}: {found} against {:?}", case.optima);
        }
    }
}

/// The fixture itself: programs agree with each other, and every L1 problem is there.
#[test]
fn the_programs_agree_with_each_other() {
    let cases = cases();
    for case in &cases {
        let worst = case.optima.values().copied().fold(0.0, f64::max);
        assert!(worst - case.best() <= SAME * case.best(), "{}: {:?}", case.data, case.optima);
    }
    for (loss, has_l2) in
        [(Loss::Squared, false), (Loss::Squared, true), (Loss::Logistic, false), (Loss::SquaredHinge, false)]
    {
        assert!(cases.iter().any(|case| case.loss == loss && (case.l2 > 0.0) == has_l2), "{loss}");
    }
}
