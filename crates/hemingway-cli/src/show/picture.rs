//! What all pictures have in common: where they go, and how a prediction looks.

use std::path::Path;

use anyhow::Result;
use hemingway::Error;
use hemingway::model::Estimate;
use hemingway_plot::{Ink, Key, Layer, Look, MUTED, Picture, Stroke};

/// Writes a picture.
pub(crate) fn save(path: &Path, picture: &Picture) -> Result<()> {
    std::fs::write(path, picture.svg()).map_err(Error::io(path))?;
    Ok(())
}

/// Words as a title: with a capital.
pub(crate) fn headline(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// `count` numbers of equal ratio from one to the other, both included.
pub(crate) fn steps(from: f64, to: f64, count: usize) -> impl Iterator<Item = f64> {
    let ratio = to / from;
    (0..count).map(move |k| from * ratio.powf(k as f64 / (count - 1).max(1) as f64))
}

/// Predictions along x: a band, and a line that is dashed where it goes beyond what was measured.
pub(crate) fn prediction(ink: Ink, estimates: &[(f64, Estimate)], name: String) -> Vec<Layer> {
    let limits = estimates.iter().map(|(x, e)| (*x, e.low, e.high)).collect();
    let mut layers = vec![Layer::Band { ink, limits }];
    let mut before: Option<(f64, f64)> = None;
    for stretch in estimates.chunk_by(|a, b| a.1.extrapolated == b.1.extrapolated) {
        let stroke = if stretch[0].1.extrapolated { Stroke::Dashed } else { Stroke::Solid };
        let points: Vec<(f64, f64)> = before.into_iter().chain(stretch.iter().map(|(x, e)| (*x, e.mid))).collect();
        before = points.last().copied();
        layers.push(Layer::line(ink, stroke, points));
    }
    // The name belongs to the line's end, wherever its strokes change.
    let end = layers.pop();
    layers.extend(end.map(|end| end.named(name)));
    layers
}

/// What the marks of predictions mean.
pub(crate) fn legend(measured: &str) -> Vec<Key> {
    vec![
        Key::new(Look::Dots, MUTED, measured),
        Key::new(Look::Line(Stroke::Solid), MUTED, "model"),
        Key::new(Look::Line(Stroke::Dashed), MUTED, "model, beyond what was measured"),
        Key::new(Look::Band, MUTED, "90 % interval"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strokes_meet_where_extrapolation_begins() {
        let at = |x: f64, extrapolated| (x, Estimate { low: 0.5 * x, mid: x, high: f64::INFINITY, extrapolated });
        let layers = prediction(MUTED, &[at(1.0, false), at(2.0, false), at(3.0, true)], "end".into());
        let lines = layers.iter().filter_map(|layer| match layer {
            Layer::Line { stroke, points, name, .. } => Some((*stroke, points.clone(), name.as_str())),
            _ => None,
        });
        let solid = (Stroke::Solid, vec![(1.0, 1.0), (2.0, 2.0)], "");
        assert_eq!(lines.collect::<Vec<_>>(), [solid, (Stroke::Dashed, vec![(2.0, 2.0), (3.0, 3.0)], "end")]);
        assert_eq!(prediction(MUTED, &[], "none".into()).len(), 1);
    }
}
