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

/// A round's terms and the best ln error so far.
type Point = ([f64; TERMS], f64);

/// One way of going on from the points seen, from several places.
struct Forecaster {
    form: Form,
    /// Weights fall by 1/e over this share of the points.
    memory: f64,
    /// Where it starts: 0 from its own fit at the last point, 1 from the point. Each is a forecaster of its own.
    anchors: &'static [f64],
}

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

const FROM_POINT: &[f64] = &[1.0];
const FROM_ANYWHERE: &[f64] = &[0.0, 0.5, 1.0];
/// Between them they cover noisy curves that fall in jumps and smooth ones whose rate changes.
const FORECASTERS: [Forecaster; 9] = [
    Forecaster { form: Form::Still, memory: 1.0, anchors: FROM_POINT },
    Forecaster { form: Form::Power, memory: 0.1, anchors: FROM_ANYWHERE },
    Forecaster { form: Form::Power, memory: 0.2, anchors: FROM_ANYWHERE },
    Forecaster { form: Form::Power, memory: 0.5, anchors: FROM_ANYWHERE },
    Forecaster { form: Form::Power, memory: 1.0, anchors: FROM_ANYWHERE },
    Forecaster { form: Form::Linear, memory: 0.1, anchors: FROM_POINT },
    Forecaster { form: Form::Mixed, memory: 0.1, anchors: FROM_POINT },
    Forecaster { form: Form::Mixed, memory: 0.2, anchors: FROM_POINT },
    Forecaster { form: Form::Mixed, memory: 0.5, anchors: FROM_POINT },
];
/// With fewer points nobody can be tested, and this one goes on alone.
const TESTABLE: usize = 20;
const UNTESTED: Forecaster = Forecaster { form: Form::Power, memory: 0.2, anchors: FROM_POINT };
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
        let points: Vec<Point> = points.iter().map(|&(round, best)| (terms(round), best)).collect();
        if points.len() < 3 {
            return None;
        }
        if points.len() < TESTABLE {
            return UNTESTED.forecasts(&points).next();
        }
        let mut weighed = Vec::new();
        for forecaster in &FORECASTERS {
            let weights = forecaster.misses(&points).into_iter().map(|miss| 1.0 / (miss * miss + FINE * FINE));
            weighed.extend(weights.zip(forecaster.forecasts(&points)));
        }
        let total: f64 = weighed.iter().map(|(weight, _)| weight).sum();
        Some(Self::sum(weighed.into_iter().map(|(weight, forecast)| (weight / total, forecast))))
    }

    /// The mean of several runs' forecasts.
    pub(super) fn mean(forecasts: &[Self]) -> Self {
        let weight = 1.0 / forecasts.len() as f64;
        Self::sum(forecasts.iter().map(|&forecast| (weight, forecast)))
    }

    /// ln error after so many rounds.
    pub(super) fn at(&self, round: f64) -> f64 {
        self.of_terms(&terms(round))
    }

    fn of_terms(&self, terms: &[f64; TERMS]) -> f64 {
        self.0.iter().zip(terms).map(|(factor, term)| factor * term).sum()
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
    /// One for each anchor.
    fn forecasts(&self, points: &[Point]) -> impl Iterator<Item = Forecast> {
        let own = self.fit(points);
        let (terms, now) = points[points.len() - 1];
        let away = now - own.of_terms(&terms);
        self.anchors.iter().map(move |anchor| {
            let Forecast([ones, log, line, start]) = own;
            Forecast([ones + anchor * away, log, line, start])
        })
    }

    fn fit(&self, points: &[Point]) -> Forecast {
        let weights = self.weights(points);
        let column = |term: usize| -> Vec<f64> {
            points.iter().zip(&weights).map(|(point, weight)| weight * point.0[term]).collect()
        };
        let y: Vec<f64> = points.iter().zip(&weights).map(|(point, weight)| weight * point.1).collect();
        let line = |term: usize| least_squares(&[&column(0), &column(term)], &y);
        Forecast(match self.form {
            Form::Still => [0.0; TERMS],
            Form::Power => {
                let line = line(1);
                [line[0], line[1].min(0.0), 0.0, 0.0]
            }
            Form::Linear => {
                let line = line(2);
                [line[0], 0.0, line[1].min(0.0), 0.0]
            }
            Form::Mixed => mixed([0, 1, 2, 3].map(column), &y),
        })
    }

    /// Square roots of what each point counts for.
    fn weights(&self, points: &[Point]) -> Vec<f64> {
        let round = |point: &Point| point.0[2];
        let (first, last) = (round(&points[0]), round(&points[points.len() - 1]));
        let memory = self.memory * (last - first + 1.0);
        points.iter().map(|point| (0.5 * (round(point) - last) / memory).exp()).collect()
    }

    /// Mean |ln(foretold / real)| over tests on the points so far, for each anchor.
    fn misses(&self, points: &[Point]) -> Vec<f64> {
        let share = |part: f64| (part * points.len() as f64) as usize;
        let (ahead, back) = (share(AHEAD), share(BACK));
        let mut misses = vec![0.0; self.anchors.len()];
        for test in 0..TESTS {
            let real = points.len() - 1 - test * back / TESTS;
            let seen = &points[..=real - ahead];
            let (terms, now) = points[real];
            for (miss, forecast) in misses.iter_mut().zip(self.forecasts(seen)) {
                let foretold = forecast.of_terms(&terms).min(seen[seen.len() - 1].1);
                *miss += (foretold - now).abs() / TESTS as f64;
            }
        }
        misses
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
