//! The problems g is judged on, and their traces as `make_traces` stores them.

use std::path::PathBuf;

use anyhow::Context;
use hemingway::data::{Dataset, Normalize, Preparation, prepare};
use hemingway::model::{Bracket, ConvergenceModel, Method};
use hemingway::problem::Loss;
use hemingway::record::{Point, Trace, import};

use crate::folds::quantile;

/// Errors are compared no further down than this.
const TINY: f64 = 1e-5;
const WINDOW: usize = 50;
const AHEAD: [usize; 2] = [1, 10];
const HINDSIGHT: usize = 25;

/// One problem and what is run on it.
pub struct Case {
    /// Its folder and its name in tables.
    pub name: &'static str,
    /// DATA.
    pub data: &'static str,
    /// Labels from the first to the second are +1, the others −1; as they are if none.
    pub positive: Option<(f64, f64)>,
    /// Rows are brought to length 1.
    pub unit_rows: bool,
    /// φ.
    pub loss: Loss,
    /// λ₂; 1/n if none.
    pub l2: Option<f64>,
    /// P* where another program found it.
    pub optimum: Option<f64>,
    /// What is run; every algorithm that applies if empty.
    pub algorithms: &'static [&'static str],
    /// Traces end at this relative error.
    pub close: f64,
    /// (m, most rounds).
    pub sizes: &'static [(usize, u64)],
    /// Runs of each.
    pub seeds: u64,
    /// Whether constants of the models were settled while looking at it.
    pub tuned: bool,
}

/// Enough rounds on each m to come within 1e-4.
const STUDY: [(usize, u64); 8] =
    [(1, 100), (2, 150), (4, 200), (8, 300), (16, 400), (32, 600), (64, 1000), (128, 1500)];
const PLAIN: [(usize, u64); 8] = [(1, 200), (2, 200), (4, 200), (8, 200), (16, 200), (32, 200), (64, 200), (128, 200)];

/// Every problem.
pub fn cases() -> Vec<Case> {
    let case = |name, data, loss, l2| Case {
        name,
        data,
        positive: None,
        unit_rows: false,
        loss,
        l2,
        optimum: None,
        algorithms: &[],
        close: 1e-4,
        sizes: &PLAIN,
        seeds: 5,
        tuned: false,
    };
    let mnist = |name| Case {
        positive: Some((5.0, 5.0)),
        unit_rows: true,
        optimum: Some(0.089_680_1),
        ..case(name, "mnist/train-images-idx3-ubyte.gz", Loss::Hinge, Some(3e-5))
    };
    let a9a = |name, loss, l2| Case { tuned: true, ..case(name, "a9a/a9a.libsvm.gz", loss, l2) };
    let synth = |name, data, loss| Case { tuned: true, ..case(name, data, loss, Some(1e-3)) };
    let news20 = case("news20-hinge", "news20/news20.libsvm.gz", Loss::Hinge, Some(1e-4));
    vec![
        Case { optimum: Some(0.323_379_582_464_847_44), ..a9a("a9a-logistic", Loss::Logistic, None) },
        a9a("a9a-hinge", Loss::Hinge, Some(1e-3)),
        synth("synth-svm", "synth:svm,seed=3", Loss::Hinge),
        synth("synth-ridge", "synth:ridge,seed=6,condition=100", Loss::Squared),
        case("housing-ridge", "california-housing/california_housing.libsvm.gz", Loss::Squared, Some(1e-3)),
        case("mushrooms-logistic", "mushrooms/mushrooms.libsvm.gz", Loss::Logistic, None),
        case("rcv1-hinge", "rcv1-cocoa-small/small_train.libsvm.gz", Loss::Hinge, Some(1e-3)),
        Case { algorithms: &["cocoa", "cocoa+"], sizes: &STUDY, tuned: true, ..mnist("mnist-hinge") },
        Case { positive: Some((1.0, 10.0)), unit_rows: true, seeds: 3, ..news20 },
        Case { algorithms: &["minibatch-sgd", "local-sgd", "splash"], seeds: 2, ..mnist("mnist-hinge-sgd") },
    ]
}

impl Case {
    /// Its data, ready to train on.
    pub fn load(&self) -> anyhow::Result<Dataset> {
        let normalize = self.unit_rows.then_some(Normalize::Rows);
        let mut data = crate::raw(self.data)?;
        if let Some((first, last)) = self.positive {
            let sign = |label: &f64| if (first..=last).contains(label) { 1.0 } else { -1.0 };
            data.labels = data.labels.iter().map(sign).collect();
        }
        Ok(prepare(data, &Preparation { normalize, ..Preparation::default() }, self.loss.is_binary())?.dataset)
    }

    /// Everything stored of it, and P* for the judge.
    pub fn read(&self) -> anyhow::Result<(Vec<Trace>, f64)> {
        let folder = traces_dir()?.join(self.name);
        let entries = std::fs::read_dir(&folder).with_context(|| format!("{}: run make_traces", folder.display()))?;
        let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<Vec<_>>>()?;
        paths.retain(|path| path.extension().is_some_and(|end| end == "csv"));
        paths.sort();
        let optimum = std::fs::read_to_string(folder.join("optimum"))?.trim().parse()?;
        Ok((import(&paths, None)?, optimum))
    }
}

/// Where traces are kept.
pub fn traces_dir() -> anyhow::Result<PathBuf> {
    Ok(crate::out_dir()?.join("traces"))
}

/// What really happened on one m: the runs of one algorithm as best true error so far, by round from 1.
pub struct Real {
    /// The runs, cut down to the best so far.
    pub runs: Vec<Run>,
    optimum: f64,
}

/// One run.
pub struct Run {
    optimum: f64,
    /// The trace with each objective replaced by the best so far.
    trace: Trace,
    /// Best (P − P*)/P* after round 1, 2, ….
    errors: Vec<f64>,
}

impl Real {
    /// The runs, judged by P*.
    pub fn new<'a>(traces: impl Iterator<Item = &'a Trace>, optimum: f64) -> Self {
        Self { runs: traces.map(|trace| Run::new(trace, optimum)).collect(), optimum }
    }

    /// Median of the first rounds at which the runs were down to ε; `None` if most never were.
    pub fn rounds_to(&self, error: f64) -> Option<f64> {
        let first = |run: &Run| {
            let place = run.errors.iter().position(|e| *e <= error);
            place.map_or(f64::INFINITY, |place| (place + 1) as f64)
        };
        Some(quantile(self.runs.iter().map(first).collect(), 0.5)).filter(|rounds| rounds.is_finite())
    }

    /// Root mean square of ln(error of the predicted objective / real error), real the median of the runs, as long as
    /// most of them went on.
    pub fn distance(&self, predicted: impl Fn(f64) -> f64) -> f64 {
        let lengths = self.runs.iter().map(|run| run.errors.len() as f64).collect();
        let last = quantile(lengths, 0.5) as usize;
        let square = |place: usize| {
            let errors = self.runs.iter().filter_map(|run| run.errors.get(place).copied()).collect();
            let real = quantile(errors, 0.5);
            real.is_finite().then(|| ratio(predicted((place + 1) as f64), self.optimum, real).powi(2))
        };
        let squares: Vec<f64> = (0..last).filter_map(square).collect();
        (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
    }
}

impl Run {
    fn new(trace: &Trace, optimum: f64) -> Self {
        let mut trace = trace.clone();
        let (mut best, mut errors) = (f64::INFINITY, Vec::new());
        trace.points.retain(|point| point.round > 0);
        for point in &mut trace.points {
            // A line search takes rounds that leave no record: nothing is better before it ends.
            let before = if errors.is_empty() { f64::INFINITY } else { (best - optimum) / optimum };
            errors.resize(point.round as usize - 1, before);
            best = best.min(point.objective.unwrap_or(f64::INFINITY));
            errors.push((best - optimum) / optimum);
            point.objective = Some(best);
        }
        Self { optimum, errors, trace }
    }
}

/// What a prediction of the rounds ahead may rest on.
pub enum Sight<'a> {
    /// The last fifty rounds of the curve alone, as in the founding paper.
    Window,
    /// The run so far and the runs on other numbers of machines: what the product knows when it decides.
    Records(&'a [&'a Trace]),
}

/// |ln(predicted / real error)| one and ten rounds ahead of every tenth round from the fiftieth on, given an estimate
/// of P*.
pub fn ahead(run: &Run, bracket: &Bracket, method: Method, sight: &Sight) -> Vec<[f64; 2]> {
    let ends = (WINDOW..(run.errors.len() + 1).saturating_sub(AHEAD[1])).step_by(AHEAD[1]);
    let miss = |end: usize| {
        let first = if matches!(sight, Sight::Window) { end - WINDOW + 1 } else { 1 };
        let seen = |point: &&Point| (first..=end).contains(&(point.round as usize));
        let points: Vec<Point> = run.trace.points.iter().filter(seen).copied().collect();
        let own = Trace { points, ..run.trace.clone() };
        let (start, others): (f64, &[&Trace]) = match sight {
            Sight::Window => (own.points.first()?.objective?, &[]),
            Sight::Records(others) => (bracket.start, others),
        };
        let bracket = Bracket { start, ..*bracket };
        let traces: Vec<&Trace> = others.iter().copied().chain([&own]).collect();
        let model = ConvergenceModel::fit(&traces, &bracket, method);
        // A window without any progress predicts none.
        let still = bracket.error(own.best()?)?;
        Some(AHEAD.map(|ahead| {
            let at = end + ahead;
            let predicted = model.as_ref().map_or(still, |model| model.error_after(at as f64, own.machines).mid);
            ratio(bracket.objective(predicted), run.optimum, run.errors[at - 1]).abs()
        }))
    };
    ends.filter_map(miss).collect()
}

/// The same for a judge who starts from the last error and knows the slope over ln round from [`HINDSIGHT`] rounds
/// before to as many after the rounds ahead: about the best that can be hoped for.
pub fn hindsight(run: &Run) -> Vec<[f64; 2]> {
    let ends = (WINDOW..(run.errors.len() + 1).saturating_sub(AHEAD[1])).step_by(AHEAD[1]);
    let level = |round: usize| run.errors[round - 1].max(TINY).ln();
    let miss = |end: usize| {
        let around = end - HINDSIGHT..=(end + AHEAD[1] + HINDSIGHT).min(run.errors.len());
        let points: Vec<(f64, f64)> = around.map(|round| ((round as f64).ln(), level(round))).collect();
        let slope = slope(&points);
        AHEAD.map(|ahead| {
            let step = ((end + ahead) as f64 / end as f64).ln();
            (level(end) + slope * step - level(end + ahead)).abs()
        })
    };
    ends.filter(|&end| run.errors[end - HINDSIGHT - 1].is_finite()).map(miss).collect()
}

/// Of the least-squares line.
fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0 / count, sum.1 + point.1 / count));
    let (over, under) = points.iter().fold((0.0, 0.0), |sum, point| {
        let away = point.0 - x;
        (sum.0 + away * (point.1 - y), sum.1 + away * away)
    });
    over / under
}

/// ln(error of a predicted objective / real error).
fn ratio(objective: f64, optimum: f64, real: f64) -> f64 {
    (((objective - optimum) / optimum).max(TINY) / real.max(TINY)).ln()
}
