//! Samples of curves with a known truth.

use proptest::prelude::*;

use super::*;
use crate::model::synthetic::trace;
use crate::model::{FitOptions, RunModel};

/// CoCoA's bound on a share of the rows: error (1 − 0.8/m)^(i·shareᵇ) over P* = 2, so that i_ε ∝ share⁻ᵇ.
fn sampled(machines: usize, share: f64, b: f64) -> Trace {
    let pace = share.powf(b);
    let curve = move |i: f64| 2.0 + 2.0 * (1.0 - 0.8 / machines as f64).powf(i * pace);
    let name = format!("cocoa-{machines}-{share}");
    Trace { fraction: share, run: name, ..trace("cocoa", machines, 600, curve) }
}

fn samples(shares: &[f64], machines: &[usize], b: f64) -> Vec<Trace> {
    shares.iter().flat_map(|&share| machines.iter().map(move |&m| sampled(m, share, b))).collect()
}

fn fit(traces: &[Trace]) -> SubsetModel {
    RunModel::fit(traces, &FitOptions::default()).unwrap().contexts["cocoa"].samples.clone().unwrap()
}

fn really(machines: usize, error: f64) -> f64 {
    (error.ln() / (1.0 - 0.8 / machines as f64).ln()).ceil()
}

const SHARES: [f64; 3] = [0.05, 0.1, 0.2];
const MACHINES: [usize; 4] = [1, 4, 16, 32];

#[test]
fn rounds_that_do_not_depend_on_the_rows_are_those_of_the_samples() {
    let model = fit(&samples(&SHARES, &MACHINES, 0.0));
    for (machines, error) in [(4, 1e-1), (8, 1e-2), (16, 1e-3)] {
        let Ok(Reach::At(rounds)) = model.rounds_to(error, machines) else { panic!("{:?}", model.doubt()) };
        let real = really(machines, error);
        assert!((rounds.mid / real - 1.0).abs() < 0.1, "m={machines} ε={error}: {rounds:?}, really {real}");
        assert!(rounds.low < real && real < rounds.high && rounds.extrapolated, "{rounds:?}");
    }
}

#[test]
fn a_drift_is_followed_most_of_the_way() {
    let model = fit(&samples(&SHARES, &MACHINES, 0.25));
    let at_largest = really(16, 1e-2) * 0.2f64.powf(-0.25);
    let Ok(Reach::At(rounds)) = model.rounds_to(1e-2, 16) else { panic!("{:?}", model.doubt()) };
    assert!(rounds.mid < 0.85 * at_largest && rounds.mid > 0.95 * really(16, 1e-2), "{rounds:?} {at_largest}");
    assert!(rounds.low < really(16, 1e-2), "{rounds:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Intervals hold their middle, and a smaller error never takes fewer rounds, whatever the drift.
    #[test]
    fn answers_are_in_order(b in -0.2..0.2f64, machines in 1usize..100) {
        let model = fit(&samples(&SHARES, &MACHINES, b));
        let foreseen: Vec<Estimate> =
            [1e-1, 1e-2, 1e-3].iter().filter_map(|&error| model.foresee(error, machines)).collect();
        prop_assert!(!foreseen.is_empty());
        prop_assert!(foreseen.iter().all(|rounds| rounds.low <= rounds.mid && rounds.mid <= rounds.high));
        prop_assert!(foreseen.windows(2).all(|pair| pair[0].mid <= pair[1].mid), "{foreseen:?}");
    }
}

#[test]
fn error_after_is_the_other_way_round() {
    let model = fit(&samples(&SHARES, &MACHINES, 0.0));
    let error = model.error_after(really(16, 1e-2), 16).unwrap();
    assert!((error.mid.ln() - 1e-2f64.ln()).abs() < 0.2, "{error:?}");
    assert!(error.low < error.mid && error.mid < error.high, "{error:?}");
    assert!(matches!(model.error_after(1e6, 16), Err(Doubt::TooDeep { .. })));
}

#[test]
fn too_little_to_check_by_is_said() {
    assert_eq!(fit(&samples(&[0.1], &MACHINES, 0.0)).doubt(), Some(Doubt::OneSize { fraction: 0.1 }));
    assert_eq!(fit(&samples(&SHARES, &[4], 0.0)).doubt(), Some(Doubt::OneMachineCount { machines: 4 }));
}

#[test]
fn samples_that_contradict_each_other_are_not_trusted() {
    let mut traces = samples(&[0.05, 0.1], &MACHINES, 0.0);
    traces.extend(samples(&[0.2], &MACHINES, 0.5));
    assert!(matches!(fit(&traces).doubt(), Some(Doubt::Disagreement { .. })));
}

#[test]
fn a_drift_too_strong_to_follow_is_not_trusted() {
    assert!(matches!(
        fit(&samples(&SHARES, &MACHINES, 0.9)).doubt(),
        Some(Doubt::Drift { .. } | Doubt::Disagreement { .. })
    ));
}

#[test]
fn optima_far_apart_are_other_problems() {
    let mut traces = samples(&SHARES, &MACHINES, 0.0);
    for trace in traces.iter_mut().filter(|trace| trace.fraction < 0.2) {
        trace.points.iter_mut().for_each(|point| point.objective = point.objective.map(|value| 3.0 * value));
    }
    assert!(matches!(fit(&traces).doubt(), Some(Doubt::Optimum { .. })));
}

#[test]
fn curves_that_rise_and_fall_are_not_trusted() {
    let mut traces = samples(&SHARES, &MACHINES, 0.0);
    for point in traces.iter_mut().flat_map(|trace| &mut trace.points).filter(|point| point.round % 2 == 0) {
        point.objective = point.objective.map(|value| 2.0 + 8.0 * (value - 2.0));
    }
    assert_eq!(fit(&traces).doubt(), Some(Doubt::Oscillation));
}

#[test]
fn no_deeper_than_the_samples_were_run() {
    let mut traces = samples(&SHARES, &MACHINES, 0.0);
    traces.iter_mut().for_each(|trace| trace.points.truncate(60));
    let model = fit(&traces);
    assert_eq!(model.rounds_to(1e-7, 32), Err(Doubt::TooDeep { error: 1e-7 }));
    assert_eq!(model.foresee(1e-7, 32), None);
}

#[test]
fn draws_by_different_seeds_keep_their_own_optimum() {
    let mut traces = samples(&SHARES, &MACHINES, 0.0);
    let other = traces.clone().into_iter().map(|trace| {
        let points = trace
            .points
            .iter()
            .map(|point| crate::record::Point { objective: point.objective.map(|value| 1.1 * value), ..*point });
        Trace { problem: "@1".into(), run: format!("{}-1", trace.run), points: points.collect(), ..trace }
    });
    traces.extend(other.collect::<Vec<_>>());
    let Ok(Reach::At(rounds)) = fit(&traces).rounds_to(1e-3, 16) else { panic!("an answer") };
    assert!((rounds.mid / really(16, 1e-3) - 1.0).abs() < 0.1, "{rounds:?}");
}

#[test]
fn all_rows_have_the_last_word_where_they_were_run() {
    let mut traces = samples(&SHARES, &MACHINES, 0.0);
    traces.push(Trace { fraction: 1.0, ..trace("cocoa", 4, 200, |i| 2.0 + 2.0 * 0.9f64.powf(i)) });
    let model = RunModel::fit(&traces, &FitOptions::default()).unwrap();
    let context = model.context("cocoa").unwrap();
    let rounds = |m: usize| context.rounds_to(1e-2, m).unwrap().estimate().unwrap();
    assert!((rounds(4).mid - 44.0).abs() <= 1.0 && !rounds(4).extrapolated, "{:?}", rounds(4));
    assert!((rounds(16).mid / really(16, 1e-2) - 1.0).abs() < 0.1, "{:?}", rounds(16));
}
