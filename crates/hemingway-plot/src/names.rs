//! Where the names of lines go: at their ends, in the margin or beside them, apart from each other and from the lines.

use crate::ink::Ink;
use crate::page::{Anchor, Page, Type, width};
use crate::path::{Frame, Place};

/// Size of the letters.
pub(crate) const SIZE: f64 = 12.0;
/// Between two names.
const HEIGHT: f64 = 15.0;
/// Between a line's end and its name.
const GAP: f64 = 7.0;
/// Lines that end within this share of the chart's width from its right edge are named in the margin.
const NEAR: f64 = 0.05;

/// A name and the end of the line it belongs to.
pub(crate) struct Name {
    pub(crate) words: String,
    pub(crate) ink: Ink,
    pub(crate) end: Place,
}

/// A name and where it stands.
struct Placed {
    name: Name,
    at: Place,
    anchor: Anchor,
}

/// Whether a line that ends here is named in the margin.
pub(crate) fn in_margin(end: Place, frame: Frame) -> bool {
    end.0 > frame.2 - NEAR * (frame.2 - frame.0)
}

/// Writes all names of a chart; `drawn` are places that had better stay free.
pub(crate) fn write(page: &mut Page, names: Vec<Name>, drawn: &[Place], frame: Frame) {
    let (margin, beside): (Vec<Name>, Vec<Name>) = names.into_iter().partition(|name| in_margin(name.end, frame));
    let mut placed = in_a_column(margin, frame);
    for name in beside {
        let spot = freest(&name, &placed, drawn, frame);
        placed.push(Placed { at: spot.0, anchor: spot.1, name });
    }
    for Placed { name, at, anchor } in placed {
        page.group(name.ink, "", |page| page.text(at, Type::bold(SIZE, anchor), &name.words));
    }
}

/// Down the right margin, pushed apart where they would touch, and back up where they would leave the frame.
fn in_a_column(mut names: Vec<Name>, (_, top, right, bottom): Frame) -> Vec<Placed> {
    names.sort_by(|a, b| a.end.1.total_cmp(&b.end.1));
    let mut heights: Vec<f64> = names.iter().map(|name| name.end.1).collect();
    for k in 1..heights.len() {
        heights[k] = heights[k].max(heights[k - 1] + HEIGHT);
    }
    let mut limit = bottom;
    for height in heights.iter_mut().rev() {
        *height = height.min(limit).max(top);
        limit = *height - HEIGHT;
    }
    let place = |(name, height): (Name, f64)| {
        let at = (right + GAP, height + 0.35 * SIZE);
        Placed { name, at, anchor: Anchor::Start }
    };
    names.into_iter().zip(heights).map(place).collect()
}

/// Below, right of, above or left of its end: wherever it covers least.
fn freest(name: &Name, placed: &[Placed], drawn: &[Place], frame: Frame) -> (Place, Anchor) {
    let (x, y) = name.end;
    let spots = [
        ((x, y + GAP + SIZE), Anchor::Middle),
        ((x + GAP, y + 0.35 * SIZE), Anchor::Start),
        ((x, y - GAP), Anchor::Middle),
        ((x - GAP, y + 0.35 * SIZE), Anchor::End),
    ];
    let covers = |spot: &(Place, Anchor)| {
        let own = bounds(&name.words, *spot);
        let others = placed.iter().filter(|other| touch(own, bounds(&other.name.words, (other.at, other.anchor))));
        let outside = own.0 < frame.0 || own.3 > frame.3 + 8.0 || own.1 < frame.1;
        let lines = drawn.iter().filter(|place| holds(own, **place)).count();
        lines + 100 * others.count() + if outside { 1000 } else { 0 }
    };
    spots.into_iter().min_by_key(covers).unwrap_or(spots[0])
}

fn bounds(words: &str, ((x, y), anchor): (Place, Anchor)) -> Frame {
    let width = width(words, SIZE);
    let left = match anchor {
        Anchor::Start => x,
        Anchor::Middle => x - 0.5 * width,
        Anchor::End => x - width,
    };
    (left, y - 0.8 * SIZE, left + width, y + 0.2 * SIZE)
}

fn touch(a: Frame, b: Frame) -> bool {
    a.0 < b.2 && b.0 < a.2 && a.1 < b.3 && b.1 < a.3
}

fn holds(frame: Frame, (x, y): Place) -> bool {
    (frame.0..=frame.2).contains(&x) && (frame.1..=frame.3).contains(&y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ink::MUTED;

    const FRAME: Frame = (0.0, 0.0, 100.0, 100.0);

    fn name(end: Place) -> Name {
        Name { words: "name".into(), ink: MUTED, end }
    }

    #[test]
    fn names_in_the_margin_stand_apart_and_inside() {
        let placed = in_a_column([97.0, 99.0, 20.0, 21.0].map(|y| name((100.0, y))).into(), FRAME);
        let heights: Vec<f64> = placed.iter().map(|placed| placed.at.1).collect();
        assert!(heights.windows(2).all(|pair| pair[1] - pair[0] >= HEIGHT - 1e-9), "{heights:?}");
        assert!(heights[3] <= 100.0 + 0.35 * SIZE);
    }

    #[test]
    fn a_name_avoids_what_is_drawn_and_other_names() {
        let below = [(50.0, 65.0)];
        assert_eq!(freest(&name((50.0, 50.0)), &[], &[], FRAME).1, Anchor::Middle);
        assert_eq!(freest(&name((50.0, 50.0)), &[], &below, FRAME).1, Anchor::Start);
    }
}
