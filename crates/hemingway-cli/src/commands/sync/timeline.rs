//! A step as a picture: a line for every exchange, from its beginning to its end.

use hemingway::sync::analytic::Forecast;
use hemingway::sync::stage::Play;
use hemingway::sync::strategy::Method;
use hemingway_plot::{Axis, Chart, Ink, Key, Layer, Look, MUTED, Picture, Scale, Stroke, distinct};

const NAMES: [&str; 5] = ["ring", "tree", "halving-doubling", "hierarchical", "server"];

fn place(method: Method) -> usize {
    match method {
        Method::Ring => 0,
        Method::Tree => 1,
        Method::HalvingDoubling => 2,
        Method::Hierarchical => 3,
        Method::Server(_) => 4,
    }
}

/// The picture.
pub(super) fn picture(heading: &str, play: &Play, forecast: &Forecast) -> Picture {
    let ink = |method: Method| -> Ink { distinct(place(method)) };
    let mut layers = vec![
        Layer::Moment { at: 1e3 * forecast.compute, name: "all computed".into() },
        Layer::Moment { at: 1e3 * forecast.seconds, name: "step ends".into() },
    ];
    for span in &forecast.spans {
        let y = (span.group + 1) as f64;
        let [ready, begin, end] = [span.ready, span.begin, span.end].map(|seconds| 1e3 * seconds);
        if begin > ready {
            layers.push(Layer::line(MUTED, Stroke::Thin, vec![(ready, y), (begin, y)]));
        }
        layers.push(Layer::line(ink(play.layout.groups[span.group].by), Stroke::Solid, vec![(begin, y), (end, y)]));
    }
    let used = |which: &usize| play.layout.groups.iter().any(|group| place(group.by) == *which);
    let keys = (0..NAMES.len()).filter(used).map(|i| Key::new(Look::Line(Stroke::Solid), distinct(i), NAMES[i]));
    let waiting = Key::new(Look::Line(Stroke::Thin), MUTED, "ready, waiting for its turn");
    Picture {
        title: "A step, exchange by exchange".into(),
        subtitle: format!("{heading}; on paper"),
        legend: keys.chain([waiting]).collect(),
        charts: vec![Chart {
            caption: String::new(),
            x: Axis::new("ms of the step", Scale::Linear),
            y: Axis::new("exchange, the first ready first", Scale::Linear),
            layers,
        }],
        columns: 1,
    }
}
