//! What a strategy looks like beside its forecast.

use super::Look;
use crate::sync::analytic::{Forecast, forecast};
use crate::sync::stage::{Play, Stage};
use crate::sync::strategy::{Group, Method};

/// How many there are.
pub const TRAITS: usize = 20;

/// The look of a strategy that has been laid out.
pub fn traits(stage: &Stage, play: &Play) -> (Look, Forecast) {
    let forecast = forecast(stage, play);
    let groups = &play.layout.groups;
    let all: f64 = groups.iter().map(Group::bytes).sum::<f64>().max(1.0);
    let share = |of: &dyn Fn(&Group) -> bool| groups.iter().filter(|g| of(g)).map(Group::bytes).sum::<f64>() / all;
    let count = |of: &dyn Fn(&Group) -> bool| groups.iter().filter(|g| of(g)).count() as f64;
    let seconds = forecast.seconds.max(1e-9);
    let busiest = forecast.busy.iter().copied().fold(0.0, f64::max);
    let mean = forecast.busy.iter().sum::<f64>() / forecast.busy.len().max(1) as f64;
    let (under, after) = forecast.overlap();
    let waiting: f64 = forecast.spans.iter().map(|span| span.begin - span.ready).sum();
    let under_way: f64 = forecast.spans.iter().map(|span| (span.end - span.begin).max(0.0)).sum();
    let served = |machine: usize| share(&|g| g.by == Method::Server(machine));
    let most_served = (0..stage.machines()).map(served).fold(0.0, f64::max);
    let largest = groups.iter().map(Group::bytes).fold(0.0, f64::max);
    let traits = [
        (groups.len() as f64).ln(),
        (play.layout.window as f64).ln(),
        forecast.latency / seconds,
        busiest / seconds,
        mean / seconds,
        forecast.compute / seconds,
        under / seconds,
        after / seconds,
        (waiting / seconds).ln_1p(),
        (under_way / seconds).ln_1p(),
        share(&|g| g.by == Method::Ring),
        share(&|g| g.by == Method::Tree),
        share(&|g| g.by == Method::HalvingDoubling),
        share(&|g| g.by == Method::Hierarchical),
        (1.0 + count(&|g| matches!(g.by, Method::Server(_)))).ln(),
        most_served,
        largest / all,
        share(&|g| g.compression.leaves_out_zeros()),
        share(&|g| !g.compression.is_lossless()),
        (1.0 + count(&|g| g.by == Method::Ring)).ln(),
    ];
    (Look { forecast: forecast.seconds, traits }, forecast)
}
