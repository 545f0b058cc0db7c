//! What is known about P* while nobody knows it.

use serde::{Deserialize, Serialize};

use crate::record::Trace;

/// Evaluated rounds before a curve may claim anything.
const ENOUGH: usize = 8;
/// How many times the foreseen decrease the 95 % limit allows for.
const SAFETY: f64 = 2.0;
/// Ratio and number of the steps that a careful look back takes.
const FINE: f64 = 1.5;
const FINE_STEPS: usize = 4;
/// Falls that shrink more slowly than this from step to step have no end in sight.
const SLOWEST: f64 = 0.85;
/// So many of the best runs foresee P* together: those further away see it less sharply, and all err alike.
const TOGETHER: usize = 5;
/// Values of P* considered.
const PLACES: usize = 400;

/// The best objective so far of one run, kept so that each round costs O(log n).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Curve {
    /// (round, objective) wherever the best improved.
    steps: Vec<(u64, f64)>,
    evaluated: usize,
    last: u64,
}

/// Where P* lies by one curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// P* is above this with 95 %.
    pub low: f64,
    /// The likeliest P*.
    pub mid: f64,
}

impl Curve {
    /// The curve of these (round, objective), rounds ascending.
    pub fn of(points: impl IntoIterator<Item = (u64, f64)>) -> Self {
        let mut curve = Self::default();
        points.into_iter().for_each(|(round, objective)| curve.push(round, objective));
        curve
    }

    /// Takes in the next evaluated round; a diverged value counts as no progress.
    pub fn push(&mut self, round: u64, objective: f64) {
        self.evaluated += 1;
        self.last = self.last.max(round);
        if objective.is_finite() && self.best().is_none_or(|best| objective < best) {
            self.steps.push((round, objective));
        }
    }

    /// B(now).
    pub fn best(&self) -> Option<f64> {
        self.steps.last().map(|step| step.1)
    }

    /// B(round): the best objective up to a round.
    pub fn at(&self, round: u64) -> Option<f64> {
        let place = self.steps.partition_point(|step| step.0 <= round);
        Some(self.steps[place.checked_sub(1)?].1)
    }

    /// B(i/2) − B(i).
    pub fn fall_since_half(&self) -> Option<f64> {
        Some(self.at(self.last / 2)? - self.best()?)
    }

    /// The octave rule. With a = B(i/4) − B(i/2) and b = B(i/2) − B(i), q = b/a is how much one doubling of the rounds
    /// shrinks the decrease. For errors like 1/iᵖ it is constant, 2⁻ᵖ, and b·(q + q² + …) = b·q/(1 − q) is left. For
    /// errors like ρⁱ it is x(1 + x) with x = ρ^(i/4), falls from octave to octave, and b·x²/(1 − x²) is left. The
    /// octave before tells which; decreases that still grow are those of a linear rate in its beginnings.
    fn likely_remaining(&self) -> Option<f64> {
        let [eighth, quarter, half] = [8, 4, 2].map(|part| self.at(self.last / part));
        let (a, b) = (quarter? - half?, half? - self.best()?);
        let q = b / a.max(f64::MIN_POSITIVE);
        let before = eighth.map(|eighth| a / (eighth - quarter.unwrap_or(eighth)).max(f64::MIN_POSITIVE));
        let slowing = before.is_some_and(|before| q < 0.8 * before);
        if q < 0.9 && !slowing {
            let q = q.max(0.1);
            return Some(b * q / (1.0 - q));
        }
        if q > 1.5 {
            return self.remaining_by_last_steps();
        }
        let x = (0.5 * ((1.0 + 4.0 * q).sqrt() - 1.0)).max(0.1);
        Some(b * x * x / (1.0 - x * x))
    }

    /// Where octaves say nothing yet, the last two falls may: d₁·(q + q² + …), q = d₁/d₀.
    fn remaining_by_last_steps(&self) -> Option<f64> {
        let [.., (_, first), (_, second), (_, third)] = self.steps[..] else { return None };
        let (older, newer) = (first - second, second - third);
        let q = (newer / older).clamp(0.1, 0.9);
        Some(newer * q / (1.0 - q))
    }

    /// The same rule made careful: over finer steps (i/1.5ʲ), by the worst of their ratios, and only if every step
    /// brought something and each clearly less than the one before. A curve that has just begun, creeps along a
    /// plateau or falls in jumps thereby claims nothing.
    fn most_remaining(&self) -> Option<f64> {
        let mut levels = [0.0; FINE_STEPS + 1];
        for (j, level) in levels.iter_mut().enumerate() {
            *level = self.at((self.last as f64 / FINE.powi((FINE_STEPS - j) as i32)) as u64)?;
        }
        let falls = levels.windows(2).map(|pair| pair[0] - pair[1]).collect::<Vec<_>>();
        let q = falls.windows(2).map(|pair| pair[1] / pair[0]).fold(0.1, f64::max);
        let steady = falls.iter().all(|fall| *fall > 0.0) && q <= SLOWEST;
        steady.then(|| SAFETY * falls[FINE_STEPS - 1] * q / (1.0 - q))
    }

    /// The limit this curve supports, never below a proved bound. None while it is short, and none once it stalls: it
    /// may have reached P* or only its own noise floor.
    pub fn limit(&self, lower_bound: Option<f64>) -> Option<Limit> {
        let best = self.best()?;
        if self.evaluated < ENOUGH || self.stalled() {
            return None;
        }
        let (most, likely) = (self.most_remaining()?, self.likely_remaining()?);
        let above = |value: f64| lower_bound.map_or(value, |bound| value.max(bound.min(best)));
        Some(Limit { low: above(best - most.max(likely)), mid: above(best - likely) })
    }

    /// Whether the last octave brought nothing but the luck of noise: of n values from a fixed distribution the second
    /// half holds ln 2 records, a curve that still falls holds many.
    pub fn stalled(&self) -> bool {
        let half = self.last / 2;
        let records = self.steps.len() - self.steps.partition_point(|step| step.0 <= half);
        let fell = self.fall_since_half().unwrap_or(f64::INFINITY);
        let rounding = self.best().map_or(0.0, |best| 8.0 * f64::EPSILON * best.abs());
        records < (self.evaluated / 16).max(2) || fell <= rounding
    }

    /// A guess of the remaining decrease from however little there is: 0 for a stall, `None` for a single value.
    fn guess(&self) -> Option<f64> {
        if self.evaluated >= ENOUGH && self.stalled() {
            return Some(0.0);
        }
        let (first, now) = (self.steps.first()?.1, self.best()?);
        self.likely_remaining().or((self.evaluated > 1).then_some(first - now))
    }
}

/// The likeliest P* between a proved bound and the best value, by what every curve foresees. Over prefixes of real runs
/// the decrease that remains is off from the one foreseen by a factor of five on (geometric) average, mostly upwards, and
/// by far more for a run that heads for its own noise floor: hence logarithms, tails like Cauchy's, and the median of what
/// P* may be.
fn between(bound: f64, best: f64, curves: &[(f64, f64)]) -> f64 {
    let place = |step: usize| bound + (best - bound) * (step as f64 + 0.5) / PLACES as f64;
    let density = |step: usize| {
        let misfit = |&(now, foreseen): &(f64, f64)| ((now - place(step)) / foreseen).ln().powi(2).ln_1p();
        (-curves.iter().map(misfit).sum::<f64>()).exp()
    };
    let densities: Vec<f64> = (0..PLACES).map(density).collect();
    let half = 0.5 * densities.iter().sum::<f64>();
    let mut below = 0.0;
    let median = densities.iter().position(|density| {
        below += density;
        below >= half
    });
    median.map_or(best, place)
}

/// (best value, decrease foreseen) of the best runs that are long enough and still fall.
fn foreseen(traces: &[&Trace]) -> Vec<(f64, f64)> {
    let mut runs: Vec<&&Trace> = traces.iter().collect();
    runs.sort_by_key(|trace| &trace.run);
    let curve = |run: &[&&Trace]| {
        let curve = Curve::of(run.iter().flat_map(|trace| trace.objectives()));
        let foreseen = curve.likely_remaining().filter(|remaining| *remaining > 0.0)?;
        (curve.evaluated >= ENOUGH && !curve.stalled()).then_some((curve.best()?, foreseen))
    };
    let runs = runs.chunk_by(|a, b| a.run == b.run && a.problem == b.problem);
    let mut foreseen: Vec<(f64, f64)> = runs.filter_map(curve).collect();
    foreseen.sort_by(|a, b| a.0.total_cmp(&b.0));
    foreseen.truncate(TOGETHER);
    foreseen
}

/// What P* is not below without any proof: errors, losses and shares are not negative, unless one was seen to be.
fn least(best: f64) -> f64 {
    if best >= 0.0 { 0.0 } else { f64::NEG_INFINITY }
}

/// The bracket around P* and the estimate inside it, over all traces of one problem.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bracket {
    /// P at the start: the largest first value of a trace from scratch.
    pub start: f64,
    /// The best objective seen: P* is not above.
    pub best: f64,
    /// The best bound proved: P* is not below.
    pub lower_bound: Option<f64>,
    /// P* is above this with 95 %, where anything supports such a claim.
    pub low: Option<f64>,
    /// The likeliest P*.
    pub mid: f64,
}

impl Bracket {
    /// From traces of one problem, all their contexts together; `None` without an objective. Traces of a smaller share of
    /// the data have another optimum and are left out.
    pub fn of<'a>(traces: impl IntoIterator<Item = &'a Trace>) -> Option<Self> {
        let traces: Vec<&Trace> = traces.into_iter().filter(|trace| trace.best().is_some()).collect();
        let share = traces.iter().map(|trace| trace.fraction).fold(0.0, f64::max);
        let traces: Vec<&Trace> = traces.into_iter().filter(|trace| trace.fraction == share).collect();
        let holder =
            traces.iter().min_by(|a, b| a.best().unwrap_or(f64::MAX).total_cmp(&b.best().unwrap_or(f64::MAX)))?;
        let best = holder.best()?;
        // Rounding may lift a tight bound a hair above the best value.
        let bounds = traces.iter().filter_map(|trace| trace.lower_bound()).max_by(f64::total_cmp);
        let lower_bound = bounds.map(|bound| bound.min(best));
        // The stretches of one run go on counting: together they are one curve.
        let run = traces.iter().filter(|trace| trace.run == holder.run && trace.problem == holder.problem);
        let curve = Curve::of(run.flat_map(|trace| trace.objectives()));
        let limit = curve.limit(lower_bound);
        let guess = curve.guess().map(|remaining| best - remaining);
        let middle = || lower_bound.map(|bound| 0.5 * (bound + best));
        let alone = limit.map(|limit| limit.mid).or(guess);
        let foreseen = foreseen(&traces);
        let together = lower_bound.filter(|bound| *bound < best && !foreseen.is_empty() && alone.is_some());
        let together = together.map(|bound| between(bound, best, &foreseen));
        let mid = together.or(alone).or_else(middle).unwrap_or(best);
        let firsts = traces.iter().filter(|trace| trace.fresh).filter_map(|trace| trace.objectives().next());
        Some(Self {
            start: firsts.map(|first| first.1).fold(best, f64::max),
            best,
            lower_bound,
            low: limit.map(|limit| limit.low.max(least(best))).or(lower_bound),
            mid: lower_bound.map_or(mid, |bound| mid.max(bound)).max(least(best)).min(best),
        })
    }

    /// What relative errors are relative to: P*, or P(0) where P* is as good as nothing.
    pub fn scale(&self) -> f64 {
        let floor = 1e-12 * self.start.abs();
        if self.mid > floor { self.mid } else { self.start.abs().max(f64::MIN_POSITIVE) }
    }

    /// (P − P̂)/P̂ with P̂ the likeliest optimum; `None` within rounding of it, where a logarithm would mean nothing.
    pub fn error(&self, objective: f64) -> Option<f64> {
        let least = (1e-9 * (self.start - self.best)).max(1e-14 * self.scale());
        let gap = objective - self.mid;
        (gap.is_finite() && gap > least).then(|| gap / self.scale())
    }

    /// The objective at a relative error.
    pub fn objective(&self, error: f64) -> f64 {
        self.mid + error * self.scale()
    }

    /// By how much the error of a given objective may be off, downwards and upwards, because P* is only estimated.
    pub fn uncertainty(&self) -> (f64, f64) {
        let untested = (self.mid - SAFETY * (self.best - self.mid)).max(least(self.best));
        let low = self.low.unwrap_or(untested).max(untested);
        ((self.best - self.mid) / self.scale(), (self.mid - low).max(0.0) / self.scale())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::synthetic::trace;
    use proptest::prelude::*;

    proptest! {
        /// Sublinear and linear curves over a known optimum: the limit is below it, and closes in.
        #[test]
        fn the_limit_holds_on_the_rates_of_convex_optimization(
            power in 0.4..3.0f64, rate in 0.5..0.999f64, rounds in 8u64..2000, linear: bool,
        ) {
            let error = |i: u64| if linear { rate.powi(i as i32) } else { (i as f64).powf(-power) };
            let curve = Curve::of((1..=rounds).map(|i| (i, 1.0 + error(i))));
            if let Some(limit) = curve.limit(None) {
                prop_assert!(limit.low <= 1.0 + 1e-12, "{limit:?}");
                prop_assert!(limit.low <= limit.mid && limit.mid <= curve.best().unwrap());
            }
        }
    }

    #[test]
    fn the_estimate_is_exact_for_powers() {
        let curve = Curve::of((1..=64).map(|i| (i, 3.0 + 1.0 / i as f64)));
        let limit = curve.limit(None).unwrap();
        assert!((limit.mid - 3.0).abs() < 1e-12 && limit.low < 3.0);
        assert_eq!(curve.limit(Some(2.999)).unwrap().low, 2.999);
    }

    #[test]
    fn short_stalled_and_noisy_curves_claim_nothing() {
        assert_eq!(Curve::of((1..=7).map(|i| (i, 1.0 / i as f64))).limit(Some(0.0)), None);
        assert_eq!(Curve::of((1..=100).map(|i| (i, 1.0 / i.min(20) as f64))).limit(None), None);
        // A noise floor at 0.5: the best value still improves now and then, by luck.
        let noise = |i: u64| ((i * 7919 + 104_729) % 1000) as f64 / 1e4;
        let floor = Curve::of((1..=1000).map(|i| (i, 0.5 + 0.5f64.powi(i as i32) + noise(i))));
        assert_eq!(floor.limit(None), None);
        assert_eq!(Curve::default().limit(None), None);
    }

    #[test]
    fn several_runs_foresee_the_optimum_together_within_the_proved() {
        let runs = [0.6, 0.8, 1.0]
            .map(|scale| Trace { run: scale.to_string(), ..trace("good", 1, 40, move |i| 1.0 + scale / i) });
        let mut runs = runs.to_vec();
        // One that heads for a floor of its own foresees another end.
        runs.push(Trace { run: "floor".into(), ..trace("floor", 4, 40, |i| 1.01 + 0.7 / (i * i)) });
        runs[0].points[20].lower_bound = Some(0.98);
        let bracket = Bracket::of(&runs).unwrap();
        assert!((bracket.mid - 1.0).abs() < 4e-3, "{bracket:?}");
        assert!(bracket.lower_bound < Some(bracket.mid) && bracket.mid < bracket.best);
    }

    #[test]
    fn the_bracket_spans_all_contexts() {
        let good = trace("good", 1, 40, |i| 1.0 + 1.0 / i);
        let mut proved = trace("proved", 1, 5, |_| 2.0);
        proved.points[3].lower_bound = Some(0.99);
        let bracket = Bracket::of([&good, &proved]).unwrap();
        assert_eq!((bracket.best, bracket.lower_bound), (1.025, Some(0.99)));
        assert!((bracket.mid - 1.0).abs() < 5e-3 && bracket.low == Some(0.99), "{bracket:?}");
        assert!((bracket.error(1.5).unwrap() - 0.5).abs() < 1e-2);
        assert_eq!(Bracket::of([]), None);
    }

    #[test]
    fn a_switched_run_is_one_curve() {
        let whole = trace("a", 4, 40, |i| 1.0 + 1.0 / i);
        let (mut head, mut tail) = (whole.clone(), whole.clone());
        tail.points = head.points.split_off(8);
        (tail.machines, tail.fresh) = (8, false);
        assert_eq!(Bracket::of([&head, &tail]).unwrap().mid, Bracket::of([&whole]).unwrap().mid);
    }

    #[test]
    fn what_was_never_negative_does_not_end_below_zero() {
        // 1 − accuracy, evaluated twice: as much again as was gained would be more than there is.
        let bracket = Bracket::of([&trace("sgd", 1, 2, |i| 1.0 - 0.4 * i)]).unwrap();
        assert!(bracket.mid >= 0.0 && bracket.best > 0.0, "{bracket:?}");
        let negative = Bracket::of([&trace("likelihood", 1, 2, |i| -i)]).unwrap();
        assert!(negative.mid < negative.best, "{negative:?}");
    }
}
