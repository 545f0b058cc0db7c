//! What each algorithm promises by number of machines, as a picture.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use hemingway::goal::Goal;
use hemingway::model::Estimate;
use hemingway::plan::{Candidate, Plan};
use hemingway_plot::{Axis, Chart, Key, LOUD, Layer, Look, Picture, Scale, distinct};

use crate::show::number::{self, Unit};
use crate::show::{Basis, picture};

/// Draws a plan.
pub(super) fn save(path: &Path, plan: &Plan, goal: &Goal, basis: &Basis) -> Result<()> {
    picture::save(path, &drawn(plan, goal, basis))
}

/// What a candidate promises, and the axis it is measured along.
struct Promise {
    label: String,
    unit: Option<Unit>,
}

impl Promise {
    fn of(plan: &Plan, goal: &Goal) -> Self {
        if goal.is_budget() {
            return Self { label: "error when the budget is spent".into(), unit: None };
        }
        let unit = Unit::of_all(plan.candidates.iter().filter_map(|c| Some(c.seconds_to_go()?.mid)));
        let target = match goal {
            Goal::ReachMetric { metric, value, .. } => format!("{metric} {value}"),
            goal => format!("error {}", number::target(goal.planning_error())),
        };
        Self { label: format!("{} to {target}", unit.name), unit: Some(unit) }
    }

    fn value(&self, candidate: &Candidate) -> Option<Estimate> {
        let Some(unit) = self.unit else { return candidate.error_at_end };
        let seconds = candidate.seconds_to_go()?;
        let [low, mid, high] = [seconds.low, seconds.mid, seconds.high].map(|s| unit.of_seconds(s));
        // Dashes mark machines that were not measured; that the goal lies beyond every run is the band's to say.
        let extrapolated = candidate.seconds_per_round.is_none_or(|pace| pace.extrapolated);
        Some(Estimate { low, mid, high, extrapolated })
    }
}

fn drawn(plan: &Plan, goal: &Goal, basis: &Basis) -> Picture {
    let promise = Promise::of(plan, goal);
    let mut algorithms: BTreeMap<&str, Vec<(f64, Estimate)>> = BTreeMap::new();
    for candidate in &plan.candidates {
        let values = algorithms.entry(&candidate.config.algorithm).or_default();
        values.extend(promise.value(candidate).map(|value| (candidate.config.machines as f64, value)));
    }
    let mut layers = Vec::new();
    for (place, (name, mut values)) in algorithms.into_iter().enumerate() {
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        let name = if values.is_empty() { String::new() } else { name.into() };
        layers.extend(picture::prediction(distinct(place), &values, name));
        layers.push(Layer::dots(distinct(place), values.iter().map(|(m, value)| (*m, value.mid)).collect()));
    }
    let choice = plan.choice().and_then(|c| Some((c.config.machines as f64, promise.value(c)?.mid)));
    layers.extend(choice.map(|at| Layer::Ring { ink: LOUD, at }));
    let mut legend = picture::legend("number of machines considered");
    legend.extend(plan.choice().map(|choice| Key::new(Look::Ring, LOUD, format!("the choice: {}", choice.config))));
    let (x, y) = (Axis::new("machines", Scale::Doubling), Axis::new(promise.label, Scale::Log));
    Picture {
        title: picture::headline(&plan.goal),
        subtitle: basis.sentence(false),
        legend,
        charts: vec![Chart { x, y, layers, ..Chart::default() }],
        columns: 1,
    }
}
