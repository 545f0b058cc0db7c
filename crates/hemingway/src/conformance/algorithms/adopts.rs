//! Beginning from another algorithm's model.

use std::sync::Arc;

use super::super::problems::Case;
use super::super::rig::Rig;
use super::super::{local, simulated};
use super::{is_sane, is_w_of_alpha, rounding};
use crate::algorithm::Algorithm;

/// Models that some other algorithm may have made: none at all, small, and far off.
fn foreign(coefficients: usize) -> [Vec<f64>; 3] {
    let numbers = |scale: f64| (0..coefficients).map(|j| scale * ((j + 1) as f64).sin()).collect();
    [numbers(0.0), numbers(0.3), numbers(50.0)]
}

/// An adopted model is the model, and P there is P(model); training then goes on sanely.
pub(in super::super) fn a_model_as_it_is(algorithm: &Arc<dyn Algorithm>, case: &Case) {
    for model in foreign(case.problem.coefficients()) {
        for build in [local, simulated] {
            let told = format!("{} ({}) adopting {model:?}", algorithm.name(), case.name);
            let mut rig = Rig::new(&case.problem, algorithm, 3, &build);
            rig.iterate(1);
            rig.adopt(&model);
            assert_eq!(rig.model(), model, "{told}: the model must be taken as it is");
            let (found, defined) = (rig.evaluate().objective, case.problem.objective(&model));
            assert!((found - defined).abs() <= rounding(defined), "{told}: P must be {defined}, not {found}");
            rig.iterate(2);
            is_sane(&rig.evaluate(), &told);
        }
    }
}

/// A dual method starts where its variables can take it: w(α) instead of the model, at an objective in keeping.
pub(in super::super) fn a_model_as_dual_variables(algorithm: &Arc<dyn Algorithm>, case: &Case) {
    let start = case.problem.objective(&vec![0.0; case.problem.coefficients()]);
    for model in foreign(case.problem.coefficients()) {
        for build in [local, simulated] {
            let told = format!("{} ({}) adopting {model:?}", algorithm.name(), case.name);
            let mut rig = Rig::new(&case.problem, algorithm, 3, &build);
            rig.iterate(1);
            rig.adopt(&model);
            is_w_of_alpha(&mut rig, &told);
            let evaluation = rig.evaluate();
            is_sane(&evaluation, &told);
            let most = 10.0 * start.max(case.problem.objective(&model));
            assert!(evaluation.objective <= most, "{told}: P = {} must stay below {most}", evaluation.objective);
            rig.iterate(2);
            is_w_of_alpha(&mut rig, &told);
            is_sane(&rig.evaluate(), &told);
        }
    }
}
