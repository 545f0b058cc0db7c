use proptest::prelude::*;

use super::*;

fn label(loss: Loss, positive: bool, number: f64) -> f64 {
    if loss.is_binary() { if positive { 1.0 } else { -1.0 } } else { number }
}

fn dual_value(loss: Loss, alpha: f64, y: f64) -> f64 {
    let (a, c) = loss.dual_terms(alpha, y);
    a - c
}

fn any_loss() -> impl Strategy<Value = Loss> {
    prop::sample::select(Loss::ALL.to_vec())
}

proptest! {
    /// φ(z) + φ*(−α) ≥ −αz for every feasible α, with equality at α = −φ′(z).
    #[test]
    fn fenchel_young(loss in any_loss(), z in -8.0..8.0f64, z2 in -8.0..8.0f64, positive: bool, t in -3.0..3.0f64) {
        let y = label(loss, positive, t);
        let other = loss.dual_of(z2, y);
        prop_assert!(loss.value(z, y) - dual_value(loss, other, y) >= -other * z - 1e-9);
        let own = loss.dual_of(z, y);
        prop_assert!((loss.value(z, y) - dual_value(loss, own, y) + own * z).abs() < 1e-9);
    }

    /// To the bit, so that it does not matter who asks.
    #[test]
    fn all_at_once_is_one_by_one(loss in any_loss(), z in -40.0..40.0f64, positive: bool, t in -3.0..3.0f64) {
        let y = label(loss, positive, t);
        let Bent { value, slope, bend } = loss.bent(z, y);
        prop_assert_eq!((value, slope, bend), (loss.value(z, y), loss.slope(z, y), loss.bend(z, y)));
    }

    /// The step is the maximiser of −φ*(−α) − zΔ − qΔ²/2 over feasible α.
    #[test]
    fn dual_step_is_exact(loss in any_loss(), z0 in -3.0..3.0f64, z in -3.0..3.0f64, q in 0.0..50.0f64,
                          positive: bool, t in -3.0..3.0f64, other in -5.0..5.0f64) {
        let y = label(loss, positive, t);
        let alpha = loss.dual_of(z0, y);
        let gain = |a: f64| dual_value(loss, a, y) - z * (a - alpha) - 0.5 * q * (a - alpha) * (a - alpha);
        let best = loss.dual_step(alpha, y, z, q);
        let rival = loss.dual_of(other, y);
        prop_assert!(gain(best) >= gain(rival) - 1e-8);
        prop_assert!(gain(best) >= gain(alpha) - 1e-8);
    }
}

#[test]
fn extreme_margins_stay_finite() {
    for loss in Loss::ALL {
        for z in [-1e9, -800.0, 0.0, 800.0, 1e9] {
            assert!(loss.value(z, 1.0).is_finite() && loss.slope(z, -1.0).is_finite());
            assert!(loss.dual_step(0.0, 1.0, z, 1e-9).is_finite());
        }
    }
}

#[test]
fn an_empty_row_takes_its_whole_dual_weight() {
    assert_eq!(Loss::Hinge.dual_step(0.0, -1.0, 0.0, 0.0), -1.0);
}
