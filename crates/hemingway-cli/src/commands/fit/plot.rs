//! Fit against data, as pictures: seconds by machines, error by round, error by time.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Result;
use hemingway::Error;
use hemingway::model::system::observations;
use hemingway::model::{Bracket, ContextModel, Estimate, FitOptions, RunModel};
use hemingway::record::{Point, Trace};
use hemingway_plot::{Axis, Chart, DISTINCT, Ink, LOUD, Layer, Picture, Scale, ramp};

use crate::show::number::Unit;
use crate::show::{Basis, picture};

/// How far beyond the measured a curve is shown.
const BEYOND: f64 = 2.0;
/// Points of a curve.
const SAMPLES: usize = 120;
/// Bands of more numbers of machines than this would hide each other.
const MOST_BANDS: usize = 4;
/// Times that differ by more than this factor need a logarithmic axis.
const WIDE: f64 = 20.0;

/// Draws every context into one file, or each into its own.
pub(super) fn save(path: &Path, model: &RunModel, traces: &[Trace], options: &FitOptions) -> Result<Vec<PathBuf>> {
    let sights: Vec<Sight<'_>> =
        model.contexts.iter().map(|(name, context)| Sight::new(name, context, model, traces, options)).collect();
    if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("svg")) {
        let charts = sights.iter().flat_map(|sight| sight.charts(sights.len() > 1)).collect();
        let names: Vec<&str> = sights.iter().map(|sight| sight.name).collect();
        picture::save(path, &drawn(&names.join(", "), &Basis::of(traces), charts))?;
        return Ok(vec![path.into()]);
    }
    std::fs::create_dir_all(path).map_err(Error::io(path))?;
    let mut written: Vec<PathBuf> = Vec::new();
    for sight in &sights {
        let to = unused(path, sight.name, &written);
        let basis = Basis::of(&sight.traces.iter().copied().cloned().collect::<Vec<_>>());
        picture::save(&to, &drawn(sight.name, &basis, sight.charts(false)))?;
        written.push(to);
    }
    Ok(written)
}

fn drawn(title: &str, basis: &Basis, charts: Vec<Chart>) -> Picture {
    let subtitle = basis.sentence(false);
    let columns = charts.len().min(3);
    Picture { title: title.into(), subtitle, legend: picture::legend("measured"), charts, columns }
}

/// A file for a context whose name may hold anything; two that come to the same are numbered.
fn unused(folder: &Path, name: &str, taken: &[PathBuf]) -> PathBuf {
    let safe = |letter: char| if letter.is_alphanumeric() || "+-_.".contains(letter) { letter } else { '-' };
    let stem: String = name.chars().map(safe).collect::<String>().trim_start_matches('.').into();
    let numbered = |k: usize| folder.join(if k == 1 { format!("{stem}.svg") } else { format!("{stem}-{k}.svg") });
    (1..).map(numbered).find(|path| !taken.contains(path)).unwrap_or_else(|| numbered(1))
}

/// One context: its models and what they were learnt from.
struct Sight<'a> {
    name: &'a str,
    context: &'a ContextModel,
    bracket: Option<&'a Bracket>,
    traces: Vec<&'a Trace>,
    options: &'a FitOptions,
    /// Numbers of machines with a curve of their own.
    machines: Vec<usize>,
}

impl<'a> Sight<'a> {
    fn new(
        name: &'a str,
        context: &'a ContextModel,
        model: &'a RunModel,
        traces: &'a [Trace],
        options: &'a FitOptions,
    ) -> Self {
        let traces: Vec<&Trace> = traces.iter().filter(|trace| trace.context == *name).collect();
        let machines: BTreeSet<usize> = traces.iter().filter(|trace| trace.fresh).map(|trace| trace.machines).collect();
        let machines = machines.into_iter().collect();
        Self { name, context, bracket: model.bracket.as_ref(), traces, options, machines }
    }

    /// As many as the records allow, told apart by the context's name where there are several.
    fn charts(&self, several: bool) -> Vec<Chart> {
        let all = [self.seconds(), self.errors_by_round(), self.errors_by_time()];
        let prefix = if several { format!("{}: ", self.name) } else { String::new() };
        all.into_iter()
            .flatten()
            .map(|chart| Chart { caption: format!("{prefix}{}", chart.caption), ..chart })
            .collect()
    }

    /// f(m).
    fn seconds(&self) -> Option<Chart> {
        let system = self.context.system.as_ref()?;
        let (least, most) = (*system.machines.first()? as f64, *system.machines.last()? as f64);
        let samples: BTreeSet<usize> = picture::steps((least / BEYOND).max(1.0), most * BEYOND, SAMPLES)
            .map(|m| m.round() as usize)
            .chain(system.machines.iter().copied())
            .collect();
        let estimates: Vec<(f64, Estimate)> =
            samples.into_iter().filter_map(|m| Some((m as f64, self.context.seconds_per_round(m)?))).collect();
        let unit = Unit::of_all(estimates.iter().map(|(_, seconds)| seconds.mid));
        let estimates: Vec<(f64, Estimate)> = estimates.into_iter().map(|(m, e)| (m, in_unit(e, unit))).collect();
        let measured = self.traces.iter().filter(|trace| trace.cluster == system.cluster && trace.fraction == 1.0);
        let measured = measured.flat_map(|trace| observations(&[trace], self.options));
        let dots = measured.map(|seen| (seen.machines as f64, unit.of_seconds(seen.seconds))).collect();
        let mut layers = picture::prediction(DISTINCT[0], &estimates, String::new());
        layers.push(Layer::dots(LOUD, dots));
        let scale = if spread(&estimates) > WIDE { Scale::Log } else { Scale::Linear };
        Some(Chart {
            caption: "f: a round on m machines".into(),
            x: Axis::new("machines, m", Scale::Doubling),
            y: Axis::new(format!("{} per round", unit.name), scale),
            layers,
        })
    }

    /// g(i, m).
    fn errors_by_round(&self) -> Option<Chart> {
        self.context.convergence.as_ref()?;
        let round = |point: &Point| Some(point.round as f64).filter(|round| *round > 0.0);
        let layers = self.errors(round, |rounds, m| self.context.error_after(rounds, m));
        Some(error_chart("g: error after i rounds", Axis::new("round, i", Scale::Log), layers))
    }

    /// h(t, m).
    fn errors_by_time(&self) -> Option<Chart> {
        self.context.convergence.as_ref()?;
        let system = self.context.system.as_ref()?;
        let timed = |trace: &&&Trace| trace.cluster == system.cluster && !self.options.oversubscribed(trace);
        let ends = self.traces.iter().filter(timed).filter_map(|trace| trace.points.last()?.seconds);
        let unit = Unit::of_all(ends);
        let time = |point: &Point| Some(unit.of_seconds(point.seconds.filter(|seconds| *seconds > 0.0)?));
        let layers = self.errors(time, |t, m| self.context.error_at(t / unit.of_seconds(1.0), m));
        Some(error_chart(
            "h: error after t seconds",
            Axis::new(format!("{} of training, t", unit.name), Scale::Log),
            layers,
        ))
    }

    /// Error along x, for each number of machines: what was measured and what the model says.
    fn errors(&self, x: impl Fn(&Point) -> Option<f64>, model: impl Fn(f64, usize) -> Option<Estimate>) -> Vec<Layer> {
        let mut layers = Vec::new();
        for (place, &m) in self.machines.iter().enumerate() {
            let ink = ramp(place, self.machines.len());
            let runs: Vec<Vec<(f64, f64)>> = self
                .traces
                .iter()
                .filter(|trace| trace.fresh && trace.machines == m)
                .map(|trace| trace.points.iter().filter_map(|point| Some((x(point)?, self.error(point)?))).collect())
                .filter(|run: &Vec<_>| !run.is_empty())
                .collect();
            let seen = || runs.iter().flatten().map(|point| point.0);
            let (first, last) = (seen().fold(f64::INFINITY, f64::min), seen().fold(0.0, f64::max));
            layers.extend(runs.iter().map(|run| Layer::dots(ink, run.clone())));
            layers.extend(self.curve(ink, m, (first, last), &model));
        }
        layers
    }

    fn error(&self, point: &Point) -> Option<f64> {
        self.bracket?.error(point.objective?)
    }

    fn curve(
        &self,
        ink: Ink,
        machines: usize,
        (first, last): (f64, f64),
        model: impl Fn(f64, usize) -> Option<Estimate>,
    ) -> Vec<Layer> {
        if first > last {
            return Vec::new();
        }
        // Beyond this m's own runs, even where others have gone on.
        let at = |x: f64| model(x, machines).map(|e| (x, Estimate { extrapolated: e.extrapolated || x > last, ..e }));
        let own = picture::steps(first, last, SAMPLES).chain(picture::steps(last, last * BEYOND, SAMPLES / 4).skip(1));
        let estimates: Vec<(f64, Estimate)> = own.filter_map(at).collect();
        let mut layers = picture::prediction(ink, &estimates, format!("m = {machines}"));
        layers.retain(|layer| self.machines.len() <= MOST_BANDS || !matches!(layer, Layer::Band { .. }));
        layers
    }
}

/// Errors down to what was measured: how deep a model falls beyond that must not flatten the rest.
fn error_chart(caption: &str, x: Axis, layers: Vec<Layer>) -> Chart {
    let measured = layers.iter().flat_map(|layer| match layer {
        Layer::Dots { points, .. } => points.iter().map(|point| point.1).collect(),
        _ => Vec::new(),
    });
    let (least, most) = measured.fold((f64::INFINITY, 0.0_f64), |(l, m), e| (l.min(e), m.max(e)));
    let range = (least < most).then_some((0.6 * least, 1.4 * most));
    let y = Axis { range, ..Axis::new("error relative to the estimated P*", Scale::Log) };
    Chart { caption: caption.into(), x, y, layers }
}

fn in_unit(estimate: Estimate, unit: Unit) -> Estimate {
    let [low, mid, high] = [estimate.low, estimate.mid, estimate.high].map(|seconds| unit.of_seconds(seconds));
    Estimate { low, mid, high, ..estimate }
}

fn spread(estimates: &[(f64, Estimate)]) -> f64 {
    let mids = || estimates.iter().map(|(_, estimate)| estimate.mid);
    mids().fold(0.0, f64::max) / mids().fold(f64::INFINITY, f64::min)
}
