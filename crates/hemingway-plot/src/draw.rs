//! Layers as marks on the page.

use crate::ink::MUTED;
use crate::page::{Page, short, steps};
use crate::path::{Frame, Place, inside, spaced, thinned};
use crate::picture::{Layer, Stroke};
use crate::ruler::Ruler;

/// Diameter of a dot, and how near each other two are drawn.
const DOT: f64 = 4.6;
const APART: f64 = 3.5;

/// What a layer left on the page: where it ends, and places its lines pass.
#[derive(Default)]
pub(crate) struct Sketch {
    pub(crate) end: Option<Place>,
    pub(crate) places: Vec<Place>,
}

/// Draws one layer.
pub(crate) fn layer(page: &mut Page, layer: &Layer, x: &Ruler, y: &Ruler, frame: Frame) -> Sketch {
    let place = |point: &(f64, f64)| Some((x.at(point.0)?, y.at(point.1)?));
    let (left, top, right, bottom) = frame;
    match layer {
        Layer::Line { ink, stroke, points, name } => {
            let stretches = inside(&points.iter().map(place).collect::<Vec<_>>(), frame);
            page.group(*ink, name, |page| {
                for stretch in &stretches {
                    page.path(&thinned(stretch), false, &format!("stroke=\"currentColor\" {}", attributes(*stroke)));
                }
            });
            let end = stretches.last().and_then(|stretch| stretch.last().copied());
            Sketch { end, places: stretches.iter().flat_map(|stretch| between(stretch)).collect() }
        }
        Layer::Dots { ink, points, name } => {
            let within = |at: &Place| (left..=right).contains(&at.0) && (top..=bottom).contains(&at.1);
            let places: Vec<Place> = points.iter().filter_map(place).filter(within).collect();
            let places = spaced(&places, APART);
            page.group(*ink, name, |page| dots(page, &places));
            Sketch { end: places.last().copied(), places }
        }
        Layer::Band { ink, limits } => {
            page.group(*ink, "", |page| areas(limits, x, y, frame).iter().for_each(|area| band(page, area)));
            Sketch::default()
        }
        Layer::Whiskers { ink, limits } => {
            page.group(*ink, "", |page| {
                for (at, low, high) in limits {
                    if let (Some(at), Some(low), Some(high)) = (x.at(*at), y.within(*low), y.within(*high)) {
                        whisker(page, at, high, low);
                    }
                }
            });
            Sketch::default()
        }
        Layer::Level { at, .. } => {
            let Some(at) = y.at(*at).filter(|at| (top..=bottom).contains(at)) else { return Sketch::default() };
            page.group(MUTED, "", |page| page.rule((left, at), (right, at), "stroke-dasharray=\"2 3\""));
            Sketch { end: Some((right, at)), places: between(&[(left, at), (right, at)]) }
        }
        Layer::Moment { at, .. } => {
            let Some(at) = x.at(*at).filter(|at| (left..=right).contains(at)) else { return Sketch::default() };
            page.group(MUTED, "", |page| page.rule((at, top - 3.0), (at, bottom), "stroke-dasharray=\"2 3\""));
            Sketch { end: None, places: between(&[(at, top), (at, bottom)]) }
        }
        Layer::Ring { ink, at } => {
            page.group(*ink, "", |page| place(at).into_iter().for_each(|at| ring(page, at)));
            Sketch::default()
        }
    }
}

pub(crate) fn attributes(stroke: Stroke) -> &'static str {
    match stroke {
        Stroke::Solid => "stroke-width=\"2\" stroke-linejoin=\"round\" stroke-linecap=\"round\"",
        Stroke::Thin => "stroke-width=\"1.2\" stroke-linejoin=\"round\" stroke-opacity=\"0.75\"",
        Stroke::Dashed => "stroke-width=\"1.7\" stroke-linejoin=\"round\" stroke-dasharray=\"6 4\"",
    }
}

/// Lines of no length with round ends: one element for all.
pub(crate) fn dots(page: &mut Page, places: &[Place]) {
    let marks: String = steps(places).iter().map(|step| format!("m{step}h0")).collect();
    if !marks.is_empty() {
        let attributes = format!(
            "d=\"{marks}\" stroke=\"currentColor\" stroke-width=\"{DOT}\" stroke-opacity=\"0.5\" stroke-linecap=\"round\""
        );
        page.element("path", &attributes);
    }
}

pub(crate) fn band(page: &mut Page, area: &[Place]) {
    page.path(area, true, "fill=\"currentColor\" fill-opacity=\"0.15\"");
}

pub(crate) fn whisker(page: &mut Page, x: f64, top: f64, bottom: f64) {
    for (from, to) in
        [((x, top), (x, bottom)), ((x - 4.0, top), (x + 4.0, top)), ((x - 4.0, bottom), (x + 4.0, bottom))]
    {
        page.rule(from, to, "stroke-width=\"1.5\"");
    }
}

pub(crate) fn ring(page: &mut Page, (x, y): Place) {
    let place = format!("cx=\"{}\" cy=\"{}\"", short(x), short(y));
    page.element("circle", &format!("{place} r=\"7.5\" stroke=\"currentColor\" stroke-width=\"2.2\""));
}

/// The closed outlines of a band, one for each stretch without a gap.
fn areas(limits: &[(f64, f64, f64)], x: &Ruler, y: &Ruler, frame: Frame) -> Vec<Vec<Place>> {
    let edge = |limit: &(f64, f64, f64)| {
        let at = x.at(limit.0).filter(|at| (frame.0..=frame.2).contains(at))?;
        Some((at, y.within(limit.1)?, y.within(limit.2)?))
    };
    let edges: Vec<Option<(f64, f64, f64)>> = limits.iter().map(edge).collect();
    let stretches = edges.split(Option::is_none).filter(|stretch| stretch.len() > 1);
    let outline = |stretch: &[Option<(f64, f64, f64)>]| {
        let lower: Vec<Place> = stretch.iter().flatten().map(|(at, low, _)| (*at, *low)).collect();
        let upper: Vec<Place> = stretch.iter().flatten().map(|(at, _, high)| (*at, *high)).collect();
        thinned(&lower).into_iter().chain(thinned(&upper).into_iter().rev()).collect()
    };
    stretches.map(outline).collect()
}

/// Places every few pixels along a line.
fn between(line: &[Place]) -> Vec<Place> {
    let step = |pair: &[Place]| {
        let (from, to) = (pair[0], pair[1]);
        let count = ((to.0 - from.0).hypot(to.1 - from.1) / 5.0).ceil().max(1.0);
        let at = move |k: usize| {
            let share = k as f64 / count;
            (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1))
        };
        (0..=count as usize).map(at).collect::<Vec<_>>()
    };
    line.windows(2).flat_map(step).collect()
}
