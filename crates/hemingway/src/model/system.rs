//! f(m): seconds of one round on m machines.

use serde::{Deserialize, Serialize};

use super::estimate::Estimate;
use super::linalg::median;
use super::nnls::nnls;
use super::{FitOptions, Method};
use crate::record::Trace;

/// What one (m, share of the data) costs: the median over runs of their mean seconds a round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// Number of machines, m.
    pub machines: usize,
    /// Share of the full data.
    pub fraction: f64,
    /// Seconds of one round.
    pub seconds: f64,
}

/// Ernest's form, f(m) = θ₀ + θ₁·size/m + θ₂·ln m + θ₃·m with θ ≥ 0: fixed cost, computing, a tree of messages, and
/// work in one place for every machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SystemModel {
    /// The cluster it belongs to.
    pub cluster: String,
    /// (θ₀, θ₁, θ₂, θ₃).
    pub theta: [f64; 4],
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
        let theta = solve(observations, method)?;
        let mut machines: Vec<usize> = observations.iter().map(|observation| observation.machines).collect();
        machines.sort_unstable();
        machines.dedup();
        let fractions = observations.iter().map(|observation| observation.fraction);
        let fractions = (fractions.clone().fold(f64::MAX, f64::min), fractions.fold(0.0, f64::max));
        let deviation = left_out_spread(observations, &machines, method).unwrap_or(UNTESTED).max(LEAST);
        Some(Self { cluster: cluster.into(), theta, machines, fractions, deviation })
    }

    /// Seconds of a round on m machines with this share of the data.
    pub fn seconds(&self, machines: usize, fraction: f64) -> Estimate {
        let mid = value(&self.theta, machines, fraction);
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

/// Medians over runs by (m, share), of traces that may teach f: never those with more workers than cores.
pub fn observations(traces: &[&Trace], options: &FitOptions) -> Vec<Observation> {
    let mut means: Vec<(usize, f64, f64)> = Vec::new();
    for trace in traces.iter().filter(|trace| !options.oversubscribed(trace)) {
        let seconds = steady_mean(trace.round_seconds());
        means.extend(seconds.map(|seconds| (trace.machines, trace.fraction, seconds)));
    }
    means.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let groups = means.chunk_by(|a, b| a.0 == b.0 && a.1 == b.1);
    let observe = |group: &[(usize, f64, f64)]| {
        let seconds = median(group.iter().map(|(_, _, seconds)| *seconds).collect())?;
        Some(Observation { machines: group[0].0, fraction: group[0].1, seconds })
    };
    groups.filter_map(observe).collect()
}

/// Mean of the rounds after the tenth at either end is pulled in: rounds of several kinds must all count, one hiccup
/// must not.
fn steady_mean(mut seconds: Vec<f64>) -> Option<f64> {
    seconds.sort_by(f64::total_cmp);
    let (count, cut) = (seconds.len(), seconds.len() / 10);
    let (low, high) = (*seconds.get(cut)?, *seconds.get(count - 1 - cut)?);
    Some(seconds.iter().map(|value| value.clamp(low, high)).sum::<f64>() / count as f64)
}

fn terms(machines: usize, fraction: f64) -> [f64; 4] {
    let m = machines as f64;
    [1.0, fraction / m, m.ln(), m]
}

fn value(theta: &[f64; 4], machines: usize, fraction: f64) -> f64 {
    terms(machines, fraction).iter().zip(theta).map(|(term, theta)| term * theta).sum()
}

fn solve(observations: &[Observation], method: Method) -> Option<[f64; 4]> {
    let first = observations.first()?;
    let relative = method == Method::Ours;
    if relative && observations.iter().all(|observation| observation.machines == first.machines) {
        return Some(one_size(observations));
    }
    // Relative residuals: 1 s too much at 2 s is worse than at 100 s, and cliffs at small m must not rule.
    let weight = |observation: &Observation| if relative { 1.0 / observation.seconds } else { 1.0 };
    let rows = observations.iter().map(|o| terms(o.machines, o.fraction).map(|term| term * weight(o)));
    let rows: Vec<[f64; 4]> = rows.collect();
    let mut columns: Vec<Vec<f64>> = (0..4).map(|j| rows.iter().map(|row| row[j]).collect()).collect();
    let mut y: Vec<f64> = observations.iter().map(|o| o.seconds * weight(o)).collect();
    if relative {
        add_ridge(&mut columns, &mut y);
    }
    let theta = nnls(&columns, &y);
    Some([theta[0], theta[1], theta[2], theta[3]])
}

/// A whisper of ridge: with fewer m than terms many θ fit equally, and of those the evenly mixed one is the least
/// reckless to extrapolate.
fn add_ridge(columns: &mut [Vec<f64>], y: &mut Vec<f64>) {
    let count = columns.len();
    for (j, column) in columns.iter_mut().enumerate() {
        let size = super::linalg::norm(column) * 1e-2;
        column.extend((0..count).map(|row| if row == j { size } else { 0.0 }));
    }
    y.extend(std::iter::repeat_n(0.0, count));
}

/// A single m cannot tell θ₀ from the rest: constant in m, the middle of what is possible.
fn one_size(observations: &[Observation]) -> [f64; 4] {
    let logs = observations.iter().map(|observation| observation.seconds.ln());
    [(logs.sum::<f64>() / observations.len() as f64).exp(), 0.0, 0.0, 0.0]
}

/// Root mean square of ln(real / predicted) when each m in turn is left out; needs three.
fn left_out_spread(observations: &[Observation], machines: &[usize], method: Method) -> Option<f64> {
    if machines.len() < 3 {
        return None;
    }
    let mut squares = Vec::new();
    for &left_out in machines {
        let (tested, taught): (Vec<_>, Vec<_>) = observations.iter().partition(|o| o.machines == left_out);
        let theta = solve(&taught, method)?;
        let miss = |o: &Observation| (o.seconds / value(&theta, o.machines, o.fraction)).ln();
        squares.extend(tested.iter().map(|o| miss(o).powi(2)).filter(|square| square.is_finite()));
    }
    // The median tells of the usual miss, the mean of the worst: an interval has to answer for both.
    let mean = squares.iter().sum::<f64>() / squares.len().max(1) as f64;
    Some((mean * median(squares)?.max(1e-12)).sqrt().sqrt())
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
        for (theta, expected) in model.theta.iter().zip(expected) {
            assert!((theta - expected).abs() < 1e-7, "{:?}", model.theta);
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

    #[test]
    fn a_hiccup_does_not_move_the_mean_but_kinds_of_rounds_do() {
        let mut rounds = vec![1.0; 20];
        rounds[7] = 100.0;
        assert_eq!(steady_mean(rounds), Some(1.0));
        assert_eq!(steady_mean([1.0, 3.0].repeat(10)), Some(2.0));
        assert_eq!(steady_mean(vec![]), None);
    }
}
