//! Whatever is drawn is a well-formed document whose every coordinate is a number.

use hemingway_plot::{Axis, Chart, Key, Layer, Look, MUTED, Picture, Scale, Stroke, distinct, ramp};
use proptest::prelude::*;
use roxmltree::{Document, Node};

fn chart(scale: Scale, layers: Vec<Layer>) -> Chart {
    Chart { caption: "caption".into(), x: Axis::new("x", scale), y: Axis::new("y", scale), layers }
}

fn picture(charts: Vec<Chart>) -> Picture {
    let legend = vec![Key::new(Look::Line(Stroke::Dashed), MUTED, "model"), Key::new(Look::Band, MUTED, "90 %")];
    Picture { title: "title".into(), subtitle: "subtitle".into(), legend, charts, columns: 2 }
}

fn everything(points: &[(f64, f64)], limits: &[(f64, f64, f64)]) -> Vec<Layer> {
    let ink = distinct(0);
    let (x, y) = points.first().copied().unwrap_or((1.0, 1.0));
    vec![
        Layer::line(ink, Stroke::Solid, points.into()).named("line"),
        Layer::dots(ramp(1, 3), points.into()).named("dots"),
        Layer::Band { ink, limits: limits.into() },
        Layer::Whiskers { ink, limits: limits.into() },
        Layer::Level { at: y, name: "level".into() },
        Layer::Moment { at: x, name: "moment".into() },
        Layer::Ring { ink, at: (x, y) },
    ]
}

/// Every number of every element, words left out.
fn numbers(svg: &str) -> Vec<f64> {
    let document = Document::parse(svg).unwrap_or_else(|e| panic!("{e}\n{svg}"));
    let geometry = ["x", "y", "d", "cx", "cy", "width", "height", "transform"];
    let of = |node: Node<'_, '_>| -> Vec<f64> {
        let values = node.attributes().filter(|attribute| geometry.contains(&attribute.name()));
        let words =
            values.flat_map(|attribute| attribute.value().split(|c: char| c.is_alphabetic() || " (),%".contains(c)));
        let words = words.filter(|word| !word.is_empty());
        words.map(|word| word.parse().unwrap_or_else(|_| panic!("`{word}` is no number in {svg}"))).collect()
    };
    document.descendants().flat_map(of).collect()
}

fn texts(svg: &str) -> Vec<String> {
    let document = Document::parse(svg).unwrap();
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.filter_map(|node| node.text().map(str::to_owned)).collect()
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -1e3..1e3f64,
        2 => any::<f64>(),
        1 => prop::sample::select(vec![0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE]),
    ]
}

proptest! {
    #[test]
    fn any_numbers_give_a_document_of_finite_coordinates(
        points in prop::collection::vec((number(), number()), 0..20),
        limits in prop::collection::vec((number(), number(), number()), 0..20),
    ) {
        let scales = [Scale::Linear, Scale::Log, Scale::Doubling];
        let svg = picture(scales.map(|scale| chart(scale, everything(&points, &limits))).into()).svg();
        prop_assert!(numbers(&svg).iter().all(|number| number.is_finite()), "{}", svg);
    }

    #[test]
    fn any_words_are_escaped(words in ".*") {
        let layers = vec![Layer::dots(MUTED, vec![(1.0, 1.0)]).named(words.clone())];
        let drawn = Picture { title: words, ..picture(vec![chart(Scale::Linear, layers)]) };
        prop_assert!(Document::parse(&drawn.svg()).is_ok());
    }
}

#[test]
fn a_picture_names_its_series_axes_and_legend() {
    let points: Vec<(f64, f64)> = (1..50).map(|i| (f64::from(i), 1.0 / f64::from(i))).collect();
    let band: Vec<_> = points.iter().map(|(x, y)| (*x, 0.5 * y, f64::INFINITY)).collect();
    let drawn = picture(vec![chart(Scale::Log, everything(&points, &band))]);
    let svg = drawn.svg();
    let texts = texts(&svg);
    for words in ["title", "subtitle", "caption", "x", "y", "line", "dots", "level", "moment", "model", "90 %"] {
        assert!(texts.iter().any(|text| text == words), "{words} is missing in {texts:?}");
    }
    assert_eq!(svg, drawn.svg(), "the same numbers give the same bytes");
    assert!(svg.contains("prefers-color-scheme:dark"));
}

#[test]
fn thousands_of_points_stay_a_small_document() {
    let points: Vec<(f64, f64)> = (1..20_000).map(|i| (f64::from(i), 1.0 / f64::from(i))).collect();
    let layers = vec![Layer::line(MUTED, Stroke::Solid, points.clone()), Layer::dots(MUTED, points)];
    assert!(picture(vec![chart(Scale::Log, layers)]).svg().len() < 20_000);
}

#[test]
fn what_lies_outside_a_range_is_cut_off() {
    let mut chart = chart(Scale::Linear, vec![Layer::line(MUTED, Stroke::Solid, vec![(0.0, 0.0), (100.0, 100.0)])]);
    chart.x.range = Some((0.0, 10.0));
    chart.y.range = Some((0.0, 10.0));
    let svg = Picture { columns: 1, ..picture(vec![chart]) }.svg();
    // Uncut, the line would take a step of several thousand.
    assert!(numbers(&svg).iter().all(|number| number.abs() < 900.0), "{svg}");
}

#[test]
fn nothing_at_all_is_still_a_document() {
    assert!(Document::parse(&Picture::default().svg()).is_ok());
    assert!(Document::parse(&picture(vec![Chart::default()]).svg()).is_ok());
}

#[test]
fn moments_that_are_near_each_other_are_named_in_rows() {
    let moment = |at: f64| Layer::Moment { at, name: format!("a moment at {at}") };
    let line = Layer::line(distinct(0), Stroke::Solid, vec![(0.0, 1.0), (100.0, 2.0)]);
    let near = chart(Scale::Linear, vec![line, moment(10.0), moment(11.0), moment(12.0), moment(90.0)]);
    let words = texts(&picture(vec![near]).svg());
    for at in [10, 11, 12, 90] {
        assert!(words.contains(&format!("a moment at {at}")), "{words:?}");
    }
}
