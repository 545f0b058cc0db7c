//! g against curves it was not shown, without a P* to judge by: by the metric itself.

use std::collections::BTreeSet;

use hemingway::model::{Bracket, ConvergenceModel, Estimate, Method};
use hemingway::record::{Point, Trace};

use super::sanity::absurdities;

/// The ways of predicting g that are compared.
pub const METHODS: [Method; 2] = [Method::Lasso, Method::Ours];
/// Metrics to reach.
const TARGETS: [f64; 12] = [0.5, 0.6, 0.65, 0.68, 0.69, 0.7, 0.75, 0.8, 0.85, 0.9, 0.92, 0.94];
/// Targets reached sooner say more about the stride than about a model.
const FEWEST: usize = 3;
/// Evaluations seen and foretold.
const WINDOW: usize = 8;
const AHEAD: usize = 2;
/// 1 − metric is compared no further down than this.
const TINY: f64 = 1e-3;

/// Everything one method predicted of one study.
#[derive(Default)]
pub struct Score {
    /// Rounds to targets, between the m taught.
    pub inner: Vec<Fold>,
    /// On more machines than taught.
    pub up: Vec<Fold>,
    /// On fewer.
    pub down: Vec<Fold>,
    /// Root mean square of ln(predicted / real) over the curve of an m left out.
    pub curves: Vec<f64>,
    /// Evaluations ahead, from a window alone.
    pub window: Vec<Fold>,
    /// From the run so far and the other m.
    pub informed: Vec<Fold>,
    /// As if nothing changed any more.
    pub still: Vec<Fold>,
    /// Answers that make no sense whatever the truth is.
    pub absurd: usize,
    /// Curves on which it would say nothing.
    pub silent: usize,
}

/// One prediction against what happened: what is missed by, infinite for "never", and whether the interval held.
#[derive(Clone, Copy)]
pub struct Fold {
    /// |predicted / real − 1| of rounds, |ln(predicted / real)| of 1 − metric.
    pub miss: f64,
    /// Whether the 90 % interval held.
    pub held: bool,
}

/// What a fold is judged by: the best 1 − metric so far, by evaluation.
struct Real<'a> {
    trace: &'a Trace,
    best: Vec<(u64, f64)>,
}

/// Leaves out each m of a study in turn, P* estimate included.
pub fn judge(traces: &[Trace], method: Method) -> Score {
    let mut score = Score::default();
    let machines: BTreeSet<usize> = traces.iter().map(|trace| trace.machines).collect();
    for left_out in machines {
        let (tested, taught): (Vec<&Trace>, Vec<&Trace>) = traces.iter().partition(|trace| trace.machines == left_out);
        let Some(bracket) = Bracket::of(taught.iter().copied()) else { continue };
        for trace in tested.into_iter().filter(|trace| trace.best().is_some()) {
            let own: Vec<&Trace> = taught.iter().copied().filter(|other| other.context == trace.context).collect();
            score.leave_out(&Real::new(trace), &own, &bracket, method);
        }
    }
    score
}

impl Score {
    fn leave_out(&mut self, real: &Real, taught: &[&Trace], bracket: &Bracket, method: Method) {
        self.look_ahead(real, taught, bracket, method);
        let Some(model) = ConvergenceModel::fit(taught, bracket, method) else {
            self.silent += 1;
            return;
        };
        self.absurd += absurdities(&model, bracket);
        self.side(real.trace.machines, taught).extend(real.folds(&model, bracket));
        self.curves.push(real.distance(&model, bracket));
    }

    /// Where an m lies to those taught.
    fn side(&mut self, machines: usize, taught: &[&Trace]) -> &mut Vec<Fold> {
        let less = taught.iter().any(|other| other.machines < machines);
        let more = taught.iter().any(|other| other.machines > machines);
        match (less, more) {
            (true, true) => &mut self.inner,
            (true, false) => &mut self.up,
            _ => &mut self.down,
        }
    }

    /// Two evaluations ahead of every second window.
    fn look_ahead(&mut self, real: &Real, taught: &[&Trace], bracket: &Bracket, method: Method) {
        for end in (WINDOW..(real.best.len() + 1).saturating_sub(AHEAD)).step_by(AHEAD) {
            let (_, now) = real.best[end - 1];
            let (round, then) = real.best[end + AHEAD - 1];
            let predict = |traces: &[&Trace], start: f64| {
                let bracket = Bracket { start, ..*bracket };
                let model = ConvergenceModel::fit(traces, &bracket, method)?;
                let error = model.error_after(round as f64, real.trace.machines);
                let value = |error: f64| bracket.objective(error);
                Some(Estimate { low: value(error.low), mid: value(error.mid), high: value(error.high), ..error })
            };
            let fold = |estimate: Option<Estimate>| {
                // A window without any progress predicts none.
                let still = Estimate { low: now, mid: now, high: now, extrapolated: true };
                Fold::value(&estimate.unwrap_or(still), then)
            };
            let window = real.part(end - WINDOW, end);
            let (so_far, start) = (real.part(0, end), bracket.start.max(real.best[0].1));
            let informed: Vec<&Trace> = taught.iter().copied().chain([&so_far]).collect();
            self.window.push(fold(predict(&[&window], real.best[end - WINDOW].1)));
            self.informed.push(fold(predict(&informed, start)));
            self.still.push(fold(None));
        }
    }
}

impl Fold {
    fn rounds(estimate: Option<Estimate>, real: f64) -> Self {
        let miss = estimate.map_or(f64::INFINITY, |estimate| (estimate.mid / real - 1.0).abs());
        Self { miss, held: estimate.is_some_and(|estimate| holds(&estimate, real)) }
    }

    fn value(estimate: &Estimate, real: f64) -> Self {
        Self { miss: miss(estimate.mid, real).abs(), held: holds(estimate, real) }
    }
}

impl<'a> Real<'a> {
    fn new(trace: &'a Trace) -> Self {
        let mut lowest = f64::INFINITY;
        let best = |(round, value): (u64, f64)| {
            lowest = lowest.min(value);
            (round, lowest)
        };
        Self { trace, best: trace.objectives().map(best).collect() }
    }

    /// Targets that took a few evaluations, and when they were passed: within the stride that did, in proportion.
    fn reached(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        TARGETS.iter().filter_map(|&target| {
            let place =
                self.best.iter().position(|(_, value)| *value <= 1.0 - target).filter(|place| *place + 1 >= FEWEST)?;
            let (before, after) = (self.best[place - 1], self.best[place]);
            let share = (before.1 - (1.0 - target)) / (before.1 - after.1);
            Some((target, before.0 as f64 + share * (after.0 - before.0) as f64))
        })
    }

    /// Rounds to every target it reached.
    fn folds(&self, model: &ConvergenceModel, bracket: &Bracket) -> Vec<Fold> {
        let fold = |(target, rounds): (f64, f64)| {
            let level = bracket.error(1.0 - target);
            let reach = level.and_then(|level| model.rounds_to(level, self.trace.machines).estimate());
            Fold::rounds(reach, rounds)
        };
        self.reached().map(fold).collect()
    }

    /// Root mean square of ln(predicted / real) over the evaluations.
    fn distance(&self, model: &ConvergenceModel, bracket: &Bracket) -> f64 {
        let square = |&(round, value): &(u64, f64)| {
            let error = model.error_after(round as f64, self.trace.machines);
            miss(bracket.objective(error.mid), value).powi(2)
        };
        (self.best.iter().map(square).sum::<f64>() / self.best.len() as f64).sqrt()
    }

    /// Evaluations from one to before another, the best so far.
    fn part(&self, from: usize, to: usize) -> Trace {
        let point = |&(round, value): &(u64, f64)| Point { round, objective: Some(value), ..Point::default() };
        Trace { points: self.best[from..to].iter().map(point).collect(), ..self.trace.clone() }
    }
}

/// ln(predicted / real) of 1 − metric.
fn miss(predicted: f64, real: f64) -> f64 {
    (predicted.max(TINY) / real.max(TINY)).ln()
}

fn holds(estimate: &Estimate, real: f64) -> bool {
    estimate.low <= real && real <= estimate.high
}
