//! Lines on the page: cut at the edges of a chart, and without the points that nobody can see.

/// A place on the page.
pub(crate) type Place = (f64, f64);

/// The corners of a rectangle: left, top, right, bottom.
pub(crate) type Frame = (f64, f64, f64, f64);

/// Points closer to the line between their neighbours than this are not seen.
const TOLERANCE: f64 = 0.2;

/// The stretches of a line that lie in a frame. A gap in the line is a gap in the result.
pub(crate) fn inside(line: &[Option<Place>], frame: Frame) -> Vec<Vec<Place>> {
    let mut stretches: Vec<Vec<Place>> = Vec::new();
    for pair in line.windows(2) {
        let [Some(from), Some(to)] = pair else { continue };
        let Some((from, to)) = cut(*from, *to, frame) else { continue };
        match stretches.last_mut() {
            Some(stretch) if stretch.last() == Some(&from) => stretch.push(to),
            _ => stretches.push(vec![from, to]),
        }
    }
    stretches
}

/// The part of one segment in a frame (Liang and Barsky).
fn cut(from: Place, to: Place, (left, top, right, bottom): Frame) -> Option<(Place, Place)> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
    for (step, room) in [(-dx, from.0 - left), (dx, right - from.0), (-dy, from.1 - top), (dy, bottom - from.1)] {
        match step {
            0.0 if room < 0.0 => return None,
            0.0 => {}
            step if step < 0.0 => enters = enters.max(room / step),
            step => leaves = leaves.min(room / step),
        }
    }
    let at = |share: f64| if share == 1.0 { to } else { (from.0 + share * dx, from.1 + share * dy) };
    (enters <= leaves).then(|| (at(enters), at(leaves)))
}

/// The fewest points whose line looks the same (Ramer, Douglas and Peucker).
pub(crate) fn thinned(line: &[Place]) -> Vec<Place> {
    let mut kept = vec![false; line.len()];
    let mut open = vec![(0, line.len().saturating_sub(1))];
    while let Some((first, last)) = open.pop() {
        let Some((from, to)) = line.get(first).zip(line.get(last)) else { continue };
        (kept[first], kept[last]) = (true, true);
        let far = (first + 1..last).map(|k| (k, distance(line[k], *from, *to))).max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((middle, _)) = far.filter(|(_, distance)| *distance > TOLERANCE) {
            open.extend([(first, middle), (middle, last)]);
        }
    }
    line.iter().zip(kept).filter(|(_, kept)| *kept).map(|(place, _)| *place).collect()
}

/// From a point to the segment between two others.
fn distance(point: Place, from: Place, to: Place) -> f64 {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx * dx + dy * dy;
    let along = (point.0 - from.0) * dx + (point.1 - from.1) * dy;
    let share = if length > 0.0 { (along / length).clamp(0.0, 1.0) } else { 0.0 };
    (point.0 - from.0 - share * dx).hypot(point.1 - from.1 - share * dy)
}

/// The places left when those nearer than `apart` to the last one kept are dropped.
pub(crate) fn spaced(places: &[Place], apart: f64) -> Vec<Place> {
    let mut kept: Vec<Place> = Vec::new();
    for place in places {
        if kept.last().is_none_or(|last| (last.0 - place.0).hypot(last.1 - place.1) >= apart) {
            kept.push(*place);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: Frame = (0.0, 0.0, 10.0, 10.0);

    #[test]
    fn a_line_is_cut_at_the_edges_and_broken_at_gaps() {
        let through = [(-5.0, 5.0), (5.0, 5.0), (15.0, 5.0)].map(Some);
        assert_eq!(inside(&through, UNIT), [[(0.0, 5.0), (5.0, 5.0), (10.0, 5.0)]]);
        let gap = [Some((1.0, 1.0)), Some((2.0, 2.0)), None, Some((4.0, 4.0)), Some((5.0, 5.0))];
        assert_eq!(inside(&gap, UNIT).len(), 2);
        assert!(inside(&[(20.0, 0.0), (20.0, 9.0)].map(Some), UNIT).is_empty());
        let out_and_in = [(1.0, 5.0), (5.0, 15.0), (9.0, 5.0)].map(Some);
        assert_eq!(inside(&out_and_in, UNIT).len(), 2);
    }

    #[test]
    fn thinning_keeps_corners_and_ends() {
        let corner: Vec<Place> = (0..=10).map(|k| (f64::from(k), if k == 5 { 4.0 } else { 0.0 })).collect();
        assert_eq!(thinned(&corner), [(0.0, 0.0), (4.0, 0.0), (5.0, 4.0), (6.0, 0.0), (10.0, 0.0)]);
        assert_eq!(thinned(&[(1.0, 1.0)]), [(1.0, 1.0)]);
        assert!(thinned(&[]).is_empty());
        assert_eq!(spaced(&[(0.0, 0.0), (1.0, 0.0), (3.0, 0.0)], 2.0), [(0.0, 0.0), (3.0, 0.0)]);
    }
}
