//! Figures 5 and 6: ahead of a window of fifty rounds, by rounds and by time.

use hemingway::model::system::observations;
use hemingway::model::{Bracket, ConvergenceModel, Estimate, FitOptions, Method, SystemModel};
use hemingway::record::Trace;

use super::{Along, METHODS, Part, Prediction, Study};

const STUDIED: &str = "cocoa+";
/// Rounds of a window, and of the shortest at the beginning of a run.
const WINDOW: usize = 50;
const SHORTEST: usize = 10;
/// How far ahead.
const ROUNDS: [usize; 2] = [1, 10];
const SECONDS: [f64; 2] = [1.0, 5.0];

/// One and ten rounds, one and five seconds ahead of every window of every run; P* estimated from the other runs.
pub fn forward(study: &Study) -> [[Part; 2]; 2] {
    let mut rounds: [[Vec<Prediction>; 2]; 2] = Default::default();
    let mut seconds: [[Vec<Prediction>; 2]; 2] = Default::default();
    for trace in study.of(STUDIED) {
        let others = study.of(STUDIED).filter(|other| other.machines != trace.machines);
        let Some(bracket) = Bracket::of(others) else { continue };
        for end in SHORTEST..trace.points.len() {
            for (place, method) in METHODS.into_iter().enumerate() {
                let view = View::new(trace, end, &bracket, method);
                for part in 0..2 {
                    rounds[part][place].extend(view.rounds_ahead(ROUNDS[part], study.optimum));
                    seconds[part][place].extend(view.seconds_ahead(SECONDS[part], study.optimum));
                }
            }
        }
    }
    let part = |title, along| move |predictions| Part { title, along, predictions };
    let ([one, ten], [soon, later]) = (rounds, seconds);
    [
        [part("(a) one round ahead", Along::Rounds)(one), part("(b) ten rounds ahead", Along::Rounds)(ten)],
        [part("(a) one second ahead", Along::Seconds)(soon), part("(b) five seconds ahead", Along::Seconds)(later)],
    ]
}

/// What a window shows of what comes after it.
struct View<'a> {
    trace: &'a Trace,
    /// Rounds seen.
    end: usize,
    bracket: Bracket,
    g: Option<ConvergenceModel>,
    f: Option<Estimate>,
}

impl<'a> View<'a> {
    fn new(trace: &'a Trace, end: usize, bracket: &Bracket, method: Method) -> Self {
        let points = trace.points[end.saturating_sub(WINDOW)..end].to_vec();
        let start = points.first().and_then(|point| point.objective).unwrap_or(bracket.start);
        let bracket = Bracket { start, ..*bracket };
        let window = Trace { points, ..trace.clone() };
        let g = ConvergenceModel::fit(&[&window], &bracket, method);
        let f = SystemModel::fit("", &observations(&[&window], &FitOptions::default()), method);
        Self { trace, end, bracket, g, f: f.map(|f| f.seconds(trace.machines, 1.0)) }
    }

    /// P after so many rounds in all. A window without any progress predicts none.
    fn objective(&self, rounds: f64) -> Option<f64> {
        let Some(g) = &self.g else { return self.trace.points[self.end - 1].objective };
        Some(self.bracket.objective(g.error_after(rounds, self.trace.machines).mid))
    }

    fn rounds_ahead(&self, ahead: usize, optimum: f64) -> Option<Prediction> {
        let objective = self.objective((self.end + ahead) as f64)?;
        Prediction::judged(self.trace, self.end + ahead - 1, objective, optimum)
    }

    /// What stands at a time is what the last round before it has left.
    fn seconds_ahead(&self, ahead: f64, optimum: f64) -> Option<Prediction> {
        let points = &self.trace.points;
        let at = points[self.end - 1].seconds? + ahead;
        let after = points.partition_point(|point| point.seconds.is_some_and(|seconds| seconds <= at));
        let objective = self.objective(self.end as f64 + ahead / self.f?.mid)?;
        let prediction = Prediction::judged(self.trace, after - 1, objective, optimum)?;
        (after < points.len()).then_some(Prediction { seconds: at, ..prediction })
    }
}
