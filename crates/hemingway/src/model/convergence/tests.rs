//! Curves with a known truth.

use super::*;
use crate::model::synthetic::trace;

fn fit(traces: &[Trace], method: Method) -> ConvergenceModel {
    let bracket = Bracket::of(traces).unwrap();
    let traces: Vec<&Trace> = traces.iter().collect();
    ConvergenceModel::fit(&traces, &bracket, method).unwrap()
}

/// CoCoA's bound: error (1 − c/m)ⁱ over P* = 2.
fn linear(machines: usize, rounds: u64) -> Trace {
    trace("cocoa", machines, rounds, move |i| 2.0 + 2.0 * (1.0 - 0.8 / machines as f64).powf(i))
}

fn linear_rounds(machines: usize, error: f64) -> f64 {
    (error.ln() / (1.0 - 0.8 / machines as f64).ln()).ceil()
}

#[test]
fn an_unseen_m_is_predicted_from_the_others() {
    let traces: Vec<_> = [1, 2, 4, 16, 32].map(|m| linear(m, 12 * m as u64 + 20)).into();
    let model = fit(&traces, Method::Ours);
    for (machines, within) in [(8, 0.1), (64, 0.15)] {
        for error in [1e-1, 1e-2, 1e-3] {
            let estimate = model.rounds_to(error, machines).estimate().unwrap();
            let real = linear_rounds(machines, error);
            assert!((estimate.mid / real - 1.0).abs() < within, "m={machines} ε={error}: {estimate:?}, really {real}");
            assert!(estimate.low <= real && real <= estimate.high, "m={machines} ε={error}: {estimate:?}, {real}");
        }
    }
    assert!(model.rounds_to(1e-2, 64).estimate().unwrap().extrapolated);
    assert!(!model.rounds_to(1e-2, 8).estimate().unwrap().extrapolated);
}

#[test]
fn an_m_that_was_seen_is_answered_as_seen() {
    let traces: Vec<_> = [1, 4, 16].map(|m| linear(m, 200)).into();
    let model = fit(&traces, Method::Ours);
    let estimate = model.rounds_to(1e-2, 4).estimate().unwrap();
    assert!((estimate.mid - linear_rounds(4, 1e-2)).abs() <= 1.0, "{estimate:?}");
    let error = model.error_after(20.0, 4);
    assert!((error.mid / 0.8f64.powi(20) - 1.0).abs() < 0.05, "{error:?}");
}

#[test]
fn sublinear_curves_go_on_sublinearly() {
    let traces: Vec<_> = [1, 2, 4].map(|m| trace("sgd", m, 100, move |i| 1.0 + m as f64 / i)).into();
    let model = fit(&traces, Method::Ours);
    let estimate = model.rounds_to(1e-3, 2).estimate().unwrap();
    assert!(estimate.extrapolated && (1200.0..3000.0).contains(&estimate.mid), "{estimate:?}");
    assert!(estimate.low < 2000.0 && 2000.0 < estimate.high, "{estimate:?}");
}

#[test]
fn more_machines_may_take_fewer_rounds() {
    let traces: Vec<_> = [1, 2, 8].map(|m| trace("batch", m, 300, move |i| 1.0 + (-0.02 * m as f64 * i).exp())).into();
    let estimate = fit(&traces, Method::Ours).rounds_to(1e-2, 4).estimate().unwrap();
    assert!((estimate.mid / (100f64.ln() / 0.08) - 1.0).abs() < 0.1, "{estimate:?}");
}

#[test]
fn a_noise_floor_is_never_passed() {
    let good = trace("lbfgs", 1, 60, |i| 1.0 + 0.6f64.powf(i));
    let floor = trace("sgd", 4, 200, |i| 1.05 + 0.7f64.powf(i));
    let bracket = Bracket::of([&good, &floor]).unwrap();
    let model = ConvergenceModel::fit(&[&floor], &bracket, Method::Ours).unwrap();
    assert_eq!(model.rounds_to(1e-2, 4), Reach::Never);
    assert!(model.rounds_to(0.1, 4).estimate().is_some());
    assert!((model.error_after(1e5, 4).mid - 0.05).abs() < 0.01);
}

#[test]
fn one_m_alone_is_an_answer_with_a_wide_interval() {
    let model = fit(&[linear(4, 30)], Method::Ours);
    let near = model.rounds_to(0.1, 4).estimate().unwrap();
    let far = model.rounds_to(0.1, 16).estimate().unwrap();
    assert!((far.mid / near.mid - 2.0).abs() < 0.2 && far.extrapolated, "{near:?} {far:?}");
    assert!(far.low <= near.mid && far.high >= 4.0 * near.mid, "{near:?} {far:?}");
}

#[test]
fn short_noisy_and_constant_traces_do_not_break_it() {
    for method in [Method::Ours, Method::Lasso] {
        for rounds in 1..8 {
            let noisy = trace("sgd", 2, rounds, |i| 1.0 + (i * 12.9898).sin().abs() / i);
            let bracket = Bracket::of([&noisy]).unwrap();
            if let Some(model) = ConvergenceModel::fit(&[&noisy], &bracket, method) {
                for machines in [1, 2, 100] {
                    let error = model.error_after(50.0, machines);
                    assert!(error.low <= error.mid && error.mid <= error.high, "{rounds} rounds: {error:?}");
                    if let Reach::At(reach) = model.rounds_to(1e-2, machines) {
                        assert!(reach.low <= reach.mid && reach.mid <= reach.high, "{rounds} rounds: {reach:?}");
                    }
                }
            }
        }
        let constant = trace("gd", 2, 30, |_| 1.0);
        let bracket = Bracket::of([&constant]).unwrap();
        assert!(ConvergenceModel::fit(&[&constant], &bracket, method).is_none());
    }
}

#[test]
fn the_papers_method_fits_the_curves_it_was_made_for() {
    let traces: Vec<_> = [1, 2, 4, 8].map(|m| linear(m, 40)).into();
    let model = fit(&traces, Method::Lasso);
    let error = model.error_after(20.0, 8);
    assert!((error.mid.ln() - 20.0 * 0.9f64.ln()).abs() < 0.5, "{error:?}");
    let reach = model.rounds_to(0.05, 8).estimate().unwrap();
    assert!((reach.mid / linear_rounds(8, 0.05) - 1.0).abs() < 0.4, "{reach:?}");
}

#[test]
fn a_run_goes_on_from_where_it_stands() {
    // Nothing new for the last ten rounds: a few more bring little, and nothing is better than the best seen.
    let stuck = trace("cocoa", 4, 60, |i| 1.0 + 1.0 / i.min(50.0));
    let model = fit(&[stuck], Method::Ours);
    let (now, soon) = (model.error_after(60.0, 4).mid, model.error_after(66.0, 4).mid);
    assert!(soon <= now && soon > 0.8 * now, "{now} then {soon}");
}
