//! One chart in its place: frame, grid and labels around the layers.

use crate::draw;
use crate::ink::{GRID, LOUD, MUTED};
use crate::names::{self, Name};
use crate::page::{Anchor, Page, Type, fitted, width};
use crate::path::{Frame, Place};
use crate::picture::{Chart, Layer};
use crate::ruler::Ruler;

/// Sizes of letters.
const TICK: f64 = 11.5;
const LABEL: f64 = 12.0;
const CAPTION: f64 = 13.0;
/// Room for a caption, for a row of moments' names, and for the ticks and label below.
const CAPTION_ROOM: f64 = 24.0;
const MOMENT_ROOM: f64 = 15.0;
const MOMENT_ROWS: usize = 3;
const BELOW: f64 = 48.0;
/// Names wider than this are cut.
const WIDEST_NAME: f64 = 150.0;

/// Draws a chart into a rectangle.
pub(crate) fn draw(page: &mut Page, chart: &Chart, (left, top, right, bottom): Frame) {
    let y_axis = Ruler::new(&chart.y, ys(chart), limits(chart), (0.0, 1.0));
    let tick_room = y_axis.marks().iter().map(|(_, words)| width(words, TICK)).fold(0.0, f64::max);
    let sides = (left + LABEL + 14.0 + tick_room, right - margin(chart, right - left));
    let x = Ruler::new(&chart.x, xs(chart), std::iter::empty(), sides);
    let moments = moments(chart, &x, sides);
    let rows = moments.iter().map(|moment| moment.row + 1).max().unwrap_or(0);
    let caption_room = if chart.caption.is_empty() { 6.0 } else { CAPTION_ROOM };
    let frame = (sides.0, top + caption_room + MOMENT_ROOM * rows as f64, sides.1, bottom - BELOW);
    let y = y_axis.moved(frame.3, frame.1);
    page.group(LOUD, "", |page| {
        let words = fitted(&chart.caption, right - left, CAPTION);
        page.text((left + 4.0, top + CAPTION), Type::bold(CAPTION, Anchor::Start), &words);
    });
    grid(page, &x, &y, frame);
    labels(page, chart, left, frame);
    let mut layers: Vec<&Layer> = chart.layers.iter().collect();
    layers.sort_by_key(|layer| layer.depth());
    let mut drawn: Vec<Place> = Vec::new();
    let mut named: Vec<Name> = Vec::new();
    for layer in layers {
        let sketch = draw::layer(page, layer, &x, &y, frame);
        named.extend(sketch.end.zip(name_of(layer)).map(|(end, (words, ink))| Name { words, ink, end }));
        drawn.extend(sketch.places);
    }
    page.group(MUTED, "", |page| {
        for Moment { at, name, row } in &moments {
            page.text((*at, frame.1 - 5.0 - MOMENT_ROOM * *row as f64), Type::new(TICK, Anchor::Start), name);
        }
    });
    names::write(page, named, &drawn, frame);
}

fn xs(chart: &Chart) -> impl Iterator<Item = f64> + '_ {
    chart.layers.iter().flat_map(|layer| match layer {
        Layer::Line { points, .. } | Layer::Dots { points, .. } => points.iter().map(|point| point.0).collect(),
        Layer::Band { limits, .. } | Layer::Whiskers { limits, .. } => limits.iter().map(|limit| limit.0).collect(),
        Layer::Moment { at, .. } => vec![*at],
        Layer::Ring { at, .. } => vec![at.0],
        Layer::Level { .. } => Vec::new(),
    })
}

/// What the vertical axis must hold.
fn ys(chart: &Chart) -> impl Iterator<Item = f64> + '_ {
    chart.layers.iter().flat_map(|layer| match layer {
        Layer::Line { points, .. } | Layer::Dots { points, .. } => points.iter().map(|point| point.1).collect(),
        Layer::Whiskers { limits, .. } => limits.iter().flat_map(|limit| [limit.1, limit.2]).collect(),
        Layer::Level { at, .. } => vec![*at],
        Layer::Ring { at, .. } => vec![at.1],
        Layer::Moment { .. } | Layer::Band { .. } => Vec::new(),
    })
}

/// What it may leave out: where a band is wide it would flatten everything else.
fn limits(chart: &Chart) -> impl Iterator<Item = f64> + '_ {
    chart.layers.iter().flat_map(|layer| match layer {
        Layer::Band { limits, .. } => limits.iter().flat_map(|limit| [limit.1, limit.2]).collect(),
        _ => Vec::new(),
    })
}

/// The words at the end of a layer, cut to what the margin can hold.
fn name_of(layer: &Layer) -> Option<(String, crate::Ink)> {
    let (name, ink) = match layer {
        Layer::Line { name, ink, .. } | Layer::Dots { name, ink, .. } => (name, *ink),
        Layer::Level { name, .. } => (name, MUTED),
        Layer::Band { .. } | Layer::Whiskers { .. } | Layer::Moment { .. } | Layer::Ring { .. } => return None,
    };
    (!name.is_empty()).then(|| (fitted(name, WIDEST_NAME, names::SIZE), ink))
}

/// The room that names need at the right.
fn margin(chart: &Chart, whole: f64) -> f64 {
    let named = chart.layers.iter().filter_map(name_of);
    let widest = named.map(|(words, _)| width(&words, names::SIZE)).fold(0.0, f64::max);
    (widest + 14.0).min(0.3 * whole)
}

fn grid(page: &mut Page, x: &Ruler, y: &Ruler, (left, top, right, bottom): Frame) {
    page.group(GRID, "", |page| {
        for at in y.minor() {
            page.rule((left, at), (right, at), "stroke-opacity=\"0.45\"");
        }
        for at in x.minor() {
            page.rule((at, top), (at, bottom), "stroke-opacity=\"0.35\"");
        }
        for (at, _) in y.marks() {
            page.rule((left, at), (right, at), "");
        }
        for (at, _) in x.marks() {
            page.rule((at, top), (at, bottom), "stroke-opacity=\"0.8\"");
        }
    });
    page.group(MUTED, "", |page| {
        page.rule((left, bottom), (right, bottom), "stroke-opacity=\"0.8\"");
        for (at, words) in y.marks() {
            page.text((left - 7.0, at + 0.35 * TICK), Type::new(TICK, Anchor::End), &words);
        }
        for (at, words) in x.marks() {
            page.rule((at, bottom), (at, bottom + 4.0), "stroke-opacity=\"0.8\"");
            page.text((at, bottom + 18.0), Type::new(TICK, Anchor::Middle), &words);
        }
    });
}

fn labels(page: &mut Page, chart: &Chart, left: f64, frame: Frame) {
    let (middle_x, middle_y) = (0.5 * (frame.0 + frame.2), 0.5 * (frame.1 + frame.3));
    page.group(MUTED, "", |page| {
        page.text((middle_x, frame.3 + 38.0), Type::new(LABEL, Anchor::Middle), &chart.x.label);
        page.upwards((left + LABEL, middle_y), Type::new(LABEL, Anchor::Middle), &chart.y.label);
    });
}

/// The name of a moment: where it begins, and in which row above the frame.
struct Moment<'a> {
    at: f64,
    name: &'a str,
    row: usize,
}

/// Each name in the lowest row where it touches none before it; without one, unnamed.
fn moments<'a>(chart: &'a Chart, x: &Ruler, (left, right): (f64, f64)) -> Vec<Moment<'a>> {
    let named = chart.layers.iter().filter_map(|layer| match layer {
        Layer::Moment { at, name } => x.at(*at).filter(|at| (left..=right).contains(at)).zip(Some(name)),
        _ => None,
    });
    let mut named: Vec<(f64, &String)> = named.collect();
    named.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut ends = [f64::NEG_INFINITY; MOMENT_ROWS];
    let mut placed = Vec::new();
    for (at, name) in named {
        if let Some(row) = ends.iter().position(|end| *end < at) {
            ends[row] = at + width(name, TICK) + 8.0;
            placed.push(Moment { at, name, row });
        }
    }
    placed
}
