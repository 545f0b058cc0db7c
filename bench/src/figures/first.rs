//! Figure 1: what a round costs, how machines slow convergence, and how algorithms compare.

use std::fmt::Write;

use hemingway::model::system::observations;
use hemingway::model::{FitOptions, Method, SystemModel};
use hemingway::record::Trace;
use hemingway_plot::{Axis, Chart, Key, LOUD, Layer, Look, MUTED, Picture, Scale, Stroke, distinct, ramp};

use super::Study;
use super::runs::CLOSE;
use crate::folds::quantile;

/// Rounds that 1(a) takes the mean of.
const TIMED: usize = 50;
const COMPARED: [(&str, &str); 4] =
    [("cocoa", "CoCoA"), ("cocoa+", "CoCoA+"), ("splash", "Splash"), ("local-sgd", "local SGD")];
const COMPARED_MACHINES: usize = 16;
const AT: [u64; 5] = [10, 20, 50, 100, 200];

/// Seconds of a round: mean, 5th and 95th percentile.
struct Pace {
    machines: usize,
    mean: f64,
    low: f64,
    high: f64,
}

impl Pace {
    fn of(trace: &Trace) -> Self {
        let seconds: Vec<f64> = trace.round_seconds().into_iter().take(TIMED).collect();
        let mean = seconds.iter().sum::<f64>() / seconds.len() as f64;
        let [low, high] = [0.05, 0.95].map(|share| quantile(seconds.clone(), share));
        Self { machines: trace.machines, mean, low, high }
    }
}

fn system(study: &Study, method: Method) -> Option<SystemModel> {
    let traces: Vec<&Trace> = study.of("cocoa").collect();
    SystemModel::fit("", &observations(&traces, &FitOptions::default()), method)
}

fn compared<'a>(study: &'a Study, algorithm: &'a str) -> Option<&'a Trace> {
    study.of(algorithm).find(|trace| trace.machines == COMPARED_MACHINES)
}

/// The picture.
pub fn first_figure(study: &Study) -> Picture {
    Picture {
        title: "Figure 1: rounds get cheaper with machines, and more of them are needed".into(),
        subtitle: "MNIST, digit 5 against the rest, linear SVM, λ = 3e-5; Spark, simulated".into(),
        legend: vec![
            Key::new(Look::Dots, LOUD, "(a) mean of at most 50 rounds"),
            Key::new(Look::Whiskers, MUTED, "5th to 95th percentile"),
            Key::new(Look::Line(Stroke::Dashed), distinct(1), "Ernest's f"),
            Key::new(Look::Line(Stroke::Solid), distinct(0), "our f"),
        ],
        charts: vec![costs(study), machines(study), algorithms(study)],
        columns: 3,
    }
}

fn costs(study: &Study) -> Chart {
    let paces: Vec<Pace> = study.of("cocoa").map(Pace::of).collect();
    let bars = paces.iter().map(|pace| (pace.machines as f64, pace.low, pace.high)).collect();
    let means = paces.iter().map(|pace| (pace.machines as f64, pace.mean)).collect();
    let curve = |method: Method| {
        let model = system(study, method)?;
        Some((1..=128).map(|m| (m as f64, model.seconds(m, 1.0).mid)).collect::<Vec<_>>())
    };
    let mut layers = vec![Layer::Whiskers { ink: MUTED, limits: bars }, Layer::dots(LOUD, means)];
    layers.extend(curve(Method::Ernest).map(|points| Layer::line(distinct(1), Stroke::Dashed, points)));
    layers.extend(curve(Method::Ours).map(|points| Layer::line(distinct(0), Stroke::Solid, points)));
    Chart {
        caption: "(a) CoCoA: a round on m machines".into(),
        x: Axis::new("machines, m", Scale::Doubling),
        y: Axis::new("virtual seconds per round", Scale::Linear),
        layers,
    }
}

fn machines(study: &Study) -> Chart {
    let traces: Vec<&Trace> = study.of("cocoa").collect();
    let lines = traces.iter().enumerate().map(|(place, trace)| {
        let line = Layer::line(ramp(place, traces.len()), Stroke::Solid, gaps(study, trace));
        line.named(trace.machines.to_string())
    });
    Chart {
        caption: "(b) CoCoA: convergence on m machines".into(),
        x: Axis::new("round", Scale::Log),
        y: Axis::new("P − P*", Scale::Log),
        layers: lines.chain([Layer::Level { at: CLOSE, name: "10⁻⁴".into() }]).collect(),
    }
}

fn algorithms(study: &Study) -> Chart {
    let lines = COMPARED.iter().enumerate().filter_map(|(place, (algorithm, name))| {
        let points = gaps(study, compared(study, algorithm)?).into_iter().filter(|point| point.0 <= 200.0);
        Some(Layer::line(distinct(place), Stroke::Solid, points.collect()).named(*name))
    });
    Chart {
        caption: format!("(c) four algorithms on {COMPARED_MACHINES} machines"),
        x: Axis::new("round", Scale::Linear),
        y: Axis::new("P − P*", Scale::Log),
        layers: lines.collect(),
    }
}

/// (round, P − P*).
fn gaps(study: &Study, trace: &Trace) -> Vec<(f64, f64)> {
    trace.objectives().map(|(round, objective)| (round as f64, objective - study.optimum)).collect()
}

/// The numbers beneath it.
pub fn first_numbers(study: &Study) -> String {
    let mut out = String::from(
        "| m | s/round, mean of at most 50 | 5 % | 95 % | Ernest off by % | ours off by % | rounds to P − P* ≤ 1e-4 |\n\
         |--:|--:|--:|--:|--:|--:|--:|\n",
    );
    let models = [Method::Ernest, Method::Ours].map(|method| system(study, method));
    for trace in study.of("cocoa") {
        let pace = Pace::of(trace);
        let off = models.each_ref().map(|model| {
            let predicted = model.as_ref().map_or(f64::NAN, |model| model.seconds(trace.machines, 1.0).mid);
            format!("{:.1}", 100.0 * (predicted / pace.mean - 1.0).abs())
        });
        let arrived = gaps(study, trace).into_iter().find(|point| point.1 <= CLOSE);
        let rounds = arrived.map_or("—".into(), |point| point.0.to_string());
        let Pace { machines, mean, low, high } = pace;
        let _ = writeln!(out, "| {machines} | {mean:.3} | {low:.3} | {high:.3} | {} | {rounds} |", off.join(" | "));
    }
    let heads = AT.map(|round| format!("P − P* after {round}")).join(" | ");
    let _ = writeln!(out, "\n| on {COMPARED_MACHINES} machines | {heads} |\n|---|{}", "--:|".repeat(AT.len()));
    for (algorithm, name) in COMPARED {
        let Some(trace) = compared(study, algorithm) else { continue };
        let gaps = gaps(study, trace);
        let at = |round: u64| {
            let found = gaps.iter().find(|point| point.0 == round as f64);
            found.map_or("—".into(), |point| format!("{:.1e}", point.1))
        };
        let _ = writeln!(out, "| {name} | {} |", AT.map(at).join(" | "));
    }
    out
}
