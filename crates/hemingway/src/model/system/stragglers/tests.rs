//! Rounds whose noise is known.

use proptest::prelude::*;
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

use super::*;
use crate::model::synthetic::trace;
use crate::rng::{Purpose, keyed};

/// The 90 % and 99 % points of the normal distribution.
const NORMAL: [(f64, f64); 2] = [(0.9, 1.2816), (0.99, 2.3263)];

fn noisy(machines: usize, rounds: usize, mut stray: impl FnMut() -> f64) -> Trace {
    let mut trace = trace("gd", machines, rounds as u64, |i| 1.0 / i);
    let mut elapsed = 0.0;
    for point in &mut trace.points {
        elapsed += 0.1 * stray().exp();
        point.seconds = Some(elapsed);
    }
    trace
}

fn normal(rng: &mut impl Rng) -> f64 {
    StandardNormal.sample(rng)
}

fn fit(traces: &[Trace]) -> Option<Stragglers> {
    Stragglers::fit(&traces.iter().collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn lognormal_rounds_have_lognormal_quantiles_on_any_m(sigma in 0.02..0.5f64, seed in 0u64..1000) {
        let mut rng = keyed(seed, Purpose::Straggle, 0, 0);
        let traces = [1, 2, 4, 8, 16].map(|m| noisy(m, 400, || sigma * normal(&mut rng)));
        let stragglers = fit(&traces).unwrap();
        for m in [4, 6, 64] {
            for (share, z) in NORMAL {
                let stray = stragglers.factor(m, share);
                let relative = stray.mid.ln() / (sigma * z);
                // The steady mean lies σ²/2 above the median at most.
                prop_assert!((relative - 1.0).abs() < 0.2 + 0.5 * sigma, "m={m} {share}: {relative} {stragglers:?}");
            }
            prop_assert!(stragglers.factor(m, 0.5).mid <= stragglers.factor(m, 0.9).mid);
            prop_assert_eq!(stragglers.factor(m, 0.9).extrapolated, m == 64);
        }
    }

    #[test]
    fn the_slowest_of_m_is_foretold_for_an_m_left_out(sigma in 0.05..0.3f64, seed in 0u64..1000) {
        let mut rng = keyed(seed, Purpose::Straggle, 0, 0);
        let mut slowest = |m: usize, rounds: usize| {
            noisy(m, rounds, || (0..m).map(|_| sigma * normal(&mut rng)).fold(f64::MIN, f64::max))
        };
        let taught = [1, 2, 4, 8, 32, 64].map(|m| slowest(m, 600));
        let mut real = strays(&slowest(16, 4000));
        real.sort_by(f64::total_cmp);
        for (share, _) in NORMAL {
            let foretold = fit(&taught).unwrap().factor(16, share).mid.ln();
            prop_assert!((foretold / quantile(&real, share) - 1.0).abs() < 0.35, "{share}: {foretold}");
        }
    }
}

#[test]
fn a_width_that_falls_with_m_is_seen_to_fall() {
    let mut rng = keyed(7, Purpose::Straggle, 0, 0);
    let traces = [1, 2, 4, 8, 16, 32].map(|m| noisy(m, 400, || 0.4 / m as f64 * normal(&mut rng)));
    let stragglers = fit(&traces).unwrap();
    assert_eq!(stragglers.law.growth, Growth::Power);
    assert!((stragglers.law.b + 1.0).abs() < 0.1, "{stragglers:?}");
}

#[test]
fn too_few_rounds_or_none_timed_alone_say_nothing() {
    assert_eq!(fit(&[noisy(2, 4, || 0.0)]), None);
    let mut sparse = noisy(2, 200, || 0.0);
    sparse.points.retain(|point| point.round % 10 == 0);
    assert_eq!(fit(&[sparse]), None);
    let steady = fit(&[noisy(2, 50, || 0.0)]).unwrap();
    assert!((steady.factor(2, 0.99).mid - 1.0).abs() < 1e-4);
}
