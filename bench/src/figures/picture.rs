//! Predictions as pictures: the parts of a figure below each other, the methods side by side.

use hemingway_plot::{Axis, Chart, Key, Layer, Look, MUTED, Picture, Scale, Stroke, ramp};

use super::{Along, NAMES, Part, Prediction};

/// A figure of two parts.
pub fn picture(title: &str, subtitle: &str, parts: &[Part; 2], rounds: Scale) -> Picture {
    let charts = parts.iter().flat_map(|part| [0, 1].map(|method| chart(part, method, rounds)));
    Picture {
        title: title.into(),
        subtitle: subtitle.into(),
        legend: vec![
            Key::new(Look::Dots, MUTED, "measured"),
            Key::new(Look::Line(Stroke::Solid), MUTED, "predicted"),
            Key::new(Look::Line(Stroke::Solid), ramp(0, 2), "few machines"),
            Key::new(Look::Line(Stroke::Solid), ramp(1, 2), "many machines, m at each end"),
        ],
        charts: charts.collect(),
        columns: 2,
    }
}

/// One part by our models alone.
pub fn ours(title: &str, subtitle: &str, part: &Part) -> Picture {
    let chart = Chart { caption: String::new(), ..chart(part, 1, Scale::Log) };
    let legend = vec![
        Key::new(Look::Dots, MUTED, "measured"),
        Key::new(
            Look::Line(Stroke::Solid),
            MUTED,
            "predicted by a model that has seen only the other m; at each end, its m",
        ),
    ];
    Picture { title: title.into(), subtitle: subtitle.into(), legend, charts: vec![chart], columns: 1 }
}

fn chart(part: &Part, method: usize, scale: Scale) -> Chart {
    let own = &part.predictions[method];
    let x = |one: &Prediction| match part.along {
        Along::Rounds => one.round as f64,
        Along::Seconds => one.seconds,
    };
    let groups: Vec<&[Prediction]> = own.chunk_by(|a, b| a.machines == b.machines).collect();
    let mut layers = Vec::new();
    for (place, group) in groups.iter().enumerate() {
        let ink = ramp(place, groups.len());
        layers.push(Layer::dots(ink, group.iter().map(|one| (x(one), one.real)).collect()));
        let line = Layer::line(ink, Stroke::Solid, group.iter().map(|one| (x(one), one.predicted)).collect());
        layers.push(line.named(group[0].machines.to_string()));
    }
    let label = if part.along == Along::Rounds { "round, i" } else { "virtual seconds of training, t" };
    Chart {
        caption: format!("{} · {}", part.title, NAMES[method]),
        x: Axis::new(label, scale),
        y: Axis { range: heights(part), ..Axis::new("true error (P − P*)/P*", Scale::Log) },
        layers,
    }
}

/// Both methods on one scale, which what was measured sets.
fn heights(part: &Part) -> Option<(f64, f64)> {
    let real = part.predictions.iter().flatten().map(|one| one.real);
    let (least, most) = real.fold((f64::INFINITY, 0.0_f64), |(least, most), e| (least.min(e), most.max(e)));
    (least < most).then_some((0.6 * least, 2.0 * most))
}
