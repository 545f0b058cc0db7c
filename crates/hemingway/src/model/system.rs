//! f(m): seconds of one round on m machines.

mod form;
mod observation;

use serde::{Deserialize, Serialize};

use super::Method;
use super::estimate::{Estimate, spread};
use form::Form;
pub use observation::{Observation, observations};

/// Ernest's form, f(m) = θ₀ + θ₁·size/m + θ₂·ln m + θ₃·m with θ ≥ 0: fixed cost, computing, a tree of messages, and
/// work in one place for every machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SystemModel {
    /// The cluster it belongs to.
    pub cluster: String,
    form: Form,
    /// The m it has seen, ascending.
    pub machines: Vec<usize>,
    /// Smallest and largest share of the data it has seen.
    pub fractions: (f64, f64),
    /// Standard deviation of ln(real / predicted).
    pub deviation: f64,
}

/// Spread assumed for a form fitted to too few m to test it.
const UNTESTED: f64 = 0.15;
/// No interval is narrower than this: repeats on one cluster differ by more.
const LEAST: f64 = 0.02;

impl SystemModel {
    /// Fits one context's observations on one cluster; `None` without any.
    pub fn fit(cluster: &str, observations: &[Observation], method: Method) -> Option<Self> {
        let form = Form::fit(observations, method)?;
        let mut machines: Vec<usize> = observations.iter().map(|observation| observation.machines).collect();
        machines.sort_unstable();
        machines.dedup();
        let fractions = observations.iter().map(|observation| observation.fraction);
        let fractions = (fractions.clone().fold(f64::MAX, f64::min), fractions.fold(0.0, f64::max));
        let deviation = left_out_spread(observations, &machines, method).unwrap_or(UNTESTED).max(LEAST);
        Some(Self { cluster: cluster.into(), form, machines, fractions, deviation })
    }

    /// (θ₀, θ₁, θ₂, θ₃).
    pub fn theta(&self) -> [f64; 4] {
        self.form.theta
    }

    /// Seconds of a round on m machines with this share of the data.
    pub fn seconds(&self, machines: usize, fraction: f64) -> Estimate {
        let mid = self.form.seconds(machines, fraction);
        let (least, most) = (self.machines[0], self.machines[self.machines.len() - 1]);
        let sizes = self.fractions.0 * 0.999..=self.fractions.1 * 1.001;
        let extrapolated = machines < least || machines > most || !sizes.contains(&fraction);
        let away = |seen: &usize| (machines as f64 / *seen as f64).ln().abs();
        let distance = self.machines.iter().map(away).fold(f64::MAX, f64::min);
        let estimate = Estimate::log_normal(mid, self.deviation * (1.0 + distance), extrapolated);
        if self.machines.len() > 1 {
            return estimate;
        }
        // One m says nothing about the others: anything from perfect speed-up to its opposite.
        estimate.including(mid / distance.exp(), mid * distance.exp())
    }
}

/// Spread of ln(real / predicted) when each m in turn is left out; needs three.
fn left_out_spread(observations: &[Observation], machines: &[usize], method: Method) -> Option<f64> {
    if machines.len() < 3 {
        return None;
    }
    let mut squares = Vec::new();
    for &left_out in machines {
        let (tested, taught): (Vec<_>, Vec<_>) = observations.iter().partition(|o| o.machines == left_out);
        let form = Form::fit(&taught, method)?;
        let miss = |o: &Observation| (o.seconds / form.seconds(o.machines, o.fraction)).ln();
        squares.extend(tested.iter().map(|o| miss(o).powi(2)).filter(|square| square.is_finite()));
    }
    spread(squares)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RCV1 logistic regression with Spark, as published with Ernest: (cores, input fraction, seconds).
    const RCV1: [(usize, f64, f64); 7] = [
        (32, 0.125, 7.94516801834),
        (4, 0.015625, 4.72029209137),
        (4, 0.021382, 4.87661099434),
        (12, 0.050164, 6.71376490593),
        (12, 0.055921, 6.71519398689),
        (12, 0.061678, 6.6739718914),
        (16, 0.061678, 6.83566999435),
    ];

    fn observed(rows: &[(usize, f64, f64)]) -> Vec<Observation> {
        let observe = |&(machines, fraction, seconds)| Observation { machines, fraction, seconds };
        rows.iter().map(observe).collect()
    }

    #[test]
    fn ernest_gives_ernests_numbers() {
        let model = SystemModel::fit("", &observed(&RCV1), Method::Ernest).unwrap();
        let expected = [1.90012687, 162.19821226, 1.58832362, 0.0];
        for (theta, expected) in model.theta().iter().zip(expected) {
            assert!((theta - expected).abs() < 1e-7, "{:?}", model.theta());
        }
        for (machines, seconds) in
            [(4, 44.651564), (8, 25.477730), (12, 19.363480), (16, 16.441283), (24, 13.706164), (60, 11.106575)]
        {
            let estimate = model.seconds(machines, 1.0);
            assert!((estimate.mid - seconds).abs() < 1e-6, "{machines}: {estimate:?}");
            assert!(estimate.extrapolated);
        }
        let ratios = [101.17, 100.32, 101.9, 97.19, 98.33, 100.1, 101.37];
        for (row, ratio) in RCV1.iter().zip(ratios) {
            let predicted = model.seconds(row.0, row.1).mid;
            assert!((100.0 * predicted / row.2 - ratio).abs() < 0.01, "{row:?}");
        }
    }

    #[test]
    fn relative_residuals_find_a_known_law() {
        let law = |m: usize| 0.02 + 3.0 / m as f64 + 0.001 * m as f64;
        let rows: Vec<_> = [1, 2, 4, 8, 16].map(|m| (m, 1.0, law(m))).into();
        let model = SystemModel::fit("", &observed(&rows), Method::Ours).unwrap();
        let estimate = model.seconds(32, 1.0);
        assert!((estimate.mid / law(32) - 1.0).abs() < 0.1, "{estimate:?}");
        assert!(estimate.extrapolated && estimate.low < law(32) && law(32) < estimate.high);
        assert!(!model.seconds(3, 1.0).extrapolated);
    }

    #[test]
    fn one_m_alone_allows_anything_between_perfect_speed_up_and_its_opposite() {
        let model = SystemModel::fit("", &observed(&[(4, 1.0, 2.0)]), Method::Ours).unwrap();
        let estimate = model.seconds(8, 1.0);
        assert!((estimate.mid - 2.0).abs() < 1e-12);
        assert!(estimate.low <= 1.0 && estimate.high >= 4.0 && estimate.extrapolated);
        assert!(model.seconds(4, 1.0).high < 3.0);
    }

    #[test]
    fn two_m_are_met() {
        let model = SystemModel::fit("", &observed(&[(1, 1.0, 10.0), (4, 1.0, 3.0)]), Method::Ours).unwrap();
        assert!((model.seconds(1, 1.0).mid / 10.0 - 1.0).abs() < 0.01);
        assert!((model.seconds(4, 1.0).mid / 3.0 - 1.0).abs() < 0.01);
        assert!(model.seconds(8, 1.0).mid < 3.0 && model.seconds(2, 1.0).mid > 3.0);
    }
}
