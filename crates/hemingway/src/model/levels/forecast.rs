//! How a run goes on: several forecasters, each weighed by what it would have foretold of the run so far.

use serde::{Deserialize, Serialize};

use super::super::linalg::least_squares;
use super::super::nnls::nnls;

/// ln error as a combination of what sublinear, linear and starting-up curves are made of. Every forecaster is one, and
/// so is any weighted mean of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Forecast([f64; TERMS]);

const TERMS: usize = 4;

fn terms(round: f64) -> [f64; TERMS] {
    [1.0, round.ln(), round, 1.0 / round]
}

/// One way of going on from the points seen.
#[derive(Clone, Copy)]
struct Forecaster {
    form: Form,
    /// Weights fall by 1/e over this share of the points.
    memory: f64,
    /// Where it starts: 0 from its own fit at the last point, 1 from the point.
    anchor: f64,
}

#[derive(Clone, Copy)]
enum Form {
    /// No further progress.
    Still,
    /// ln error falls with ln i: sublinear rates.
    Power,
    /// ln error falls with i: linear rates.
    Linear,
    /// A sum of falling terms.
    Mixed,
}

/// Between them they cover noisy curves that fall in jumps and smooth ones whose rate changes.
const FORECASTERS: [Forecaster; 17] = [
    Forecaster { form: Form::Still, memory: 1.0, anchor: 1.0 },
    Forecaster { form: Form::Power, memory: 0.1, anchor: 0.0 },
    Forecaster { form: Form::Power, memory: 0.1, anchor: 0.5 },
    Forecaster { form: Form::Power, memory: 0.1, anchor: 1.0 },
    Forecaster { form: Form::Power, memory: 0.2, anchor: 0.0 },
    Forecaster { form: Form::Power, memory: 0.2, anchor: 0.5 },
    Forecaster { form: Form::Power, memory: 0.2, anchor: 1.0 },
    Forecaster { form: Form::Power, memory: 0.5, anchor: 0.0 },
    Forecaster { form: Form::Power, memory: 0.5, anchor: 0.5 },
    Forecaster { form: Form::Power, memory: 0.5, anchor: 1.0 },
    Forecaster { form: Form::Power, memory: 1.0, anchor: 0.0 },
    Forecaster { form: Form::Power, memory: 1.0, anchor: 0.5 },
    Forecaster { form: Form::Power, memory: 1.0, anchor: 1.0 },
    Forecaster { form: Form::Linear, memory: 0.1, anchor: 1.0 },
    Forecaster { form: Form::Mixed, memory: 0.1, anchor: 1.0 },
    Forecaster { form: Form::Mixed, memory: 0.2, anchor: 1.0 },
    Forecaster { form: Form::Mixed, memory: 0.5, anchor: 1.0 },
];
/// With fewer points nobody can be tested, and this one goes on alone.
const TESTABLE: usize = 20;
const UNTESTED: Forecaster = Forecaster { form: Form::Power, memory: 0.2, anchor: 1.0 };
/// How far ahead a test looks, and how far back the first point lies that the last test must foretell, as shares of the
/// points.
const AHEAD: f64 = 0.2;
const BACK: f64 = 0.4;
const TESTS: usize = 8;
/// Misses of ln error below this are as good as none.
const FINE: f64 = 1e-3;

impl Forecast {
    /// From points (round, best ln error so far) by increasing round; `None` from fewer than three.
    pub(super) fn of(points: &[(f64, f64)]) -> Option<Self> {
        if points.len() < 3 {
            return None;
        }
        if points.len() < TESTABLE {
            return Some(UNTESTED.fit(points));
        }
        let weights = FORECASTERS.map(|forecaster| 1.0 / (forecaster.miss(points).powi(2) + FINE * FINE));
        let total: f64 = weights.iter().sum();
        let forecasts = FORECASTERS.iter().zip(weights);
        Some(Self::sum(forecasts.map(|(forecaster, weight)| (weight / total, forecaster.fit(points)))))
    }

    /// The mean of several runs' forecasts.
    pub(super) fn mean(forecasts: &[Self]) -> Self {
        let weight = 1.0 / forecasts.len() as f64;
        Self::sum(forecasts.iter().map(|&forecast| (weight, forecast)))
    }

    /// ln error after so many rounds.
    pub(super) fn at(&self, round: f64) -> f64 {
        self.0.iter().zip(terms(round)).map(|(factor, term)| factor * term).sum()
    }

    fn sum(parts: impl Iterator<Item = (f64, Self)>) -> Self {
        let mut sum = [0.0; TERMS];
        for (weight, Self(factors)) in parts {
            sum.iter_mut().zip(factors).for_each(|(sum, factor)| *sum += weight * factor);
        }
        Self(sum)
    }
}

impl Forecaster {
    fn fit(self, points: &[(f64, f64)]) -> Forecast {
        let weights = self.weights(points);
        let column = |term: usize| -> Vec<f64> {
            points.iter().zip(&weights).map(|(point, weight)| weight * terms(point.0)[term]).collect()
        };
        let y: Vec<f64> = points.iter().zip(&weights).map(|(point, weight)| weight * point.1).collect();
        let mut forecast = Forecast(match self.form {
            Form::Still => [0.0; TERMS],
            Form::Power => {
                let line = least_squares(&[&column(0), &column(1)], &y);
                [line[0], line[1].min(0.0), 0.0, 0.0]
            }
            Form::Linear => {
                let line = least_squares(&[&column(0), &column(2)], &y);
                [line[0], 0.0, line[1].min(0.0), 0.0]
            }
            Form::Mixed => mixed([0, 1, 2, 3].map(column), &y),
        });
        let (round, now) = points[points.len() - 1];
        forecast.0[0] += self.anchor * (now - forecast.at(round));
        forecast
    }

    /// Square roots of what each point counts for.
    fn weights(self, points: &[(f64, f64)]) -> Vec<f64> {
        let (first, last) = (points[0].0, points[points.len() - 1].0);
        let memory = self.memory * (last - first + 1.0);
        points.iter().map(|point| (0.5 * (point.0 - last) / memory).exp()).collect()
    }

    /// Mean |ln(foretold / real)| over tests on the points so far.
    fn miss(self, points: &[(f64, f64)]) -> f64 {
        let share = |part: f64| (part * points.len() as f64) as usize;
        let (ahead, back) = (share(AHEAD), share(BACK));
        let test = |test: usize| {
            let real = points.len() - 1 - test * back / TESTS;
            let seen = &points[..=real - ahead];
            (self.fit(seen).at(points[real].0).min(seen[seen.len() - 1].1) - points[real].1).abs()
        };
        (0..TESTS).map(test).sum::<f64>() / TESTS as f64
    }
}

/// The best sum of terms that only ever falls.
fn mixed([ones, log, line, start]: [Vec<f64>; TERMS], y: &[f64]) -> [f64; TERMS] {
    let negative = |column: Vec<f64>| column.into_iter().map(|value| -value).collect::<Vec<f64>>();
    let factors = nnls(&[ones.clone(), negative(ones), negative(log), negative(line), start], y);
    [factors[0] - factors[1], -factors[2], -factors[3], factors[4]]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forecast(rounds: u64, error: impl Fn(f64) -> f64) -> Forecast {
        let points: Vec<_> = (1..=rounds).map(|i| (i as f64, error(i as f64).ln())).collect();
        Forecast::of(&points).unwrap()
    }

    #[test]
    fn pure_rates_go_on_as_they_are() {
        for rounds in [10, 25, 60, 400] {
            let ahead = 1.2 * rounds as f64;
            let sublinear = forecast(rounds, |i| 3.0 / i.powf(0.7));
            assert!((sublinear.at(ahead) - (3.0 / ahead.powf(0.7)).ln()).abs() < 1e-2, "{rounds}: {sublinear:?}");
        }
        let linear = forecast(60, |i| 0.9f64.powf(i));
        assert!((linear.at(72.0) - 72.0 * 0.9f64.ln()).abs() < 0.02, "{linear:?}");
    }

    #[test]
    fn a_run_that_stands_still_is_foretold_to() {
        let still = forecast(60, |i| if i < 20.0 { 1.0 / i } else { 0.05 });
        assert!((still.at(72.0) - 0.05f64.ln()).abs() < 0.02, "{still:?}");
        assert!(Forecast::of(&[(1.0, 0.0), (2.0, -1.0)]).is_none());
    }
}
