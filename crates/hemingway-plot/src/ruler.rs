//! From numbers to places on the page.

use crate::picture::{Axis, Scale};
use crate::ticks;

/// Free space at either end of an axis, as a share of it.
const PAD: f64 = 0.03;
/// How much longer wishes may make it.
const STRETCH: f64 = 0.25;
/// Beyond this a number is as good as infinite, and differences would overflow.
const ENDLESS: f64 = 1e100;

/// One axis laid out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ruler {
    scale: Scale,
    low: f64,
    high: f64,
    /// The places of the lowest and the highest number.
    from: f64,
    to: f64,
}

impl Ruler {
    /// Lays an axis out so that it holds these values, and of the wishes what does not flatten them; or its own range.
    pub(crate) fn new(
        axis: &Axis,
        values: impl Iterator<Item = f64>,
        wishes: impl Iterator<Item = f64>,
        (from, to): (f64, f64),
    ) -> Self {
        let allowed = |value: &f64| drawable(axis.scale, *value);
        let asked = axis.range.filter(|(low, high)| allowed(low) && allowed(high) && low < high);
        let (low, high) = asked.unwrap_or_else(|| {
            let (low, high) = padded(axis.scale, values.filter(allowed));
            let (least, most) = stretched(axis.scale, low, high);
            wishes.map(|wish| wish.clamp(least, most)).fold((low, high), |(l, h), wish| (l.min(wish), h.max(wish)))
        });
        Self { scale: axis.scale, low, high, from, to }
    }

    /// The same axis between other places.
    pub(crate) fn moved(self, from: f64, to: f64) -> Self {
        Self { from, to, ..self }
    }

    /// Where a number lies, inside or outside; nowhere if it cannot be drawn.
    pub(crate) fn at(&self, value: f64) -> Option<f64> {
        let place = |v: f64| if self.scale == Scale::Linear { v } else { v.ln() };
        let share = (place(value) - place(self.low)) / (place(self.high) - place(self.low));
        drawable(self.scale, value).then_some(self.from + share * (self.to - self.from))
    }

    /// The same, with whatever lies outside or at infinity brought to the edge.
    pub(crate) fn within(&self, value: f64) -> Option<f64> {
        (!value.is_nan()).then(|| value.clamp(self.low, self.high)).and_then(|value| self.at(value))
    }

    /// (place, words) of the marks.
    pub(crate) fn marks(&self) -> Vec<(f64, String)> {
        let marks = ticks::major(self.scale, self.low, self.high);
        let words = ticks::words(self.scale, &marks);
        marks.iter().zip(words).filter_map(|(mark, words)| Some((self.at(*mark)?, words))).collect()
    }

    /// Places of the marks in between.
    pub(crate) fn minor(&self) -> Vec<f64> {
        ticks::minor(self.scale, self.low, self.high).into_iter().filter_map(|mark| self.at(mark)).collect()
    }
}

fn drawable(scale: Scale, value: f64) -> bool {
    value.abs() < ENDLESS && (scale == Scale::Linear || value > 1.0 / ENDLESS)
}

/// Lowest and highest value with some space around; something sensible without values or with a single one.
fn padded(scale: Scale, values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    match scale {
        _ if low > high => (1.0, 10.0),
        Scale::Linear => padded_evenly(low, high),
        Scale::Log | Scale::Doubling => {
            let space = if high / low > 1.01 { (high / low).powf(PAD) } else { 1.5 };
            (low / space, high * space)
        }
    }
}

/// How far wishes may push the ends of an axis; one that begins at zero stays there.
fn stretched(scale: Scale, low: f64, high: f64) -> (f64, f64) {
    if scale == Scale::Linear {
        let space = STRETCH * (high - low);
        return (if low == 0.0 { 0.0 } else { low - space }, high + space);
    }
    let space = (high / low).powf(STRETCH);
    (low / space, high * space)
}

/// An axis that comes near zero begins there.
fn padded_evenly(low: f64, high: f64) -> (f64, f64) {
    let width = if high - low > 1e-9 * high.abs() { high - low } else { high.abs().max(1.0) };
    let space = PAD * width;
    let near_zero = low >= 0.0 && low < 0.4 * high;
    (if near_zero { 0.0 } else { low - space }, high + space)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ruler(scale: Scale, values: &[f64]) -> Ruler {
        Ruler::new(&Axis::new("", scale), values.iter().copied(), std::iter::empty(), (0.0, 100.0))
    }

    #[test]
    fn what_cannot_be_drawn_has_no_place() {
        let ruler = ruler(Scale::Log, &[f64::NAN, 0.0, 1.0, f64::INFINITY, 100.0, -3.0]);
        assert!((ruler.at(10.0).unwrap() - 50.0).abs() < 1e-9);
        assert_eq!([0.0, f64::NAN, f64::INFINITY, -1.0].map(|v| ruler.at(v)), [None; 4]);
        assert_eq!(ruler.within(f64::INFINITY), Some(100.0));
        assert_eq!((ruler.within(0.0), ruler.within(f64::NAN)), (Some(0.0), None));
    }

    #[test]
    fn none_one_and_equal_values_still_span_an_axis() {
        for scale in [Scale::Linear, Scale::Log, Scale::Doubling] {
            for values in [&[][..], &[3.0], &[3.0, 3.0], &[0.0], &[1e300], &[1e-99]] {
                let ruler = ruler(scale, values);
                assert!(ruler.low < ruler.high, "{scale:?} {values:?} {ruler:?}");
                assert!(ruler.marks().iter().all(|(place, _)| place.is_finite()));
            }
        }
    }

    #[test]
    fn a_range_that_makes_no_sense_is_ignored() {
        let axis = Axis { range: Some((0.0, 10.0)), ..Axis::new("", Scale::Log) };
        let ruler = Ruler::new(&axis, [1.0, 100.0].into_iter(), std::iter::empty(), (0.0, 1.0));
        assert!(ruler.low > 0.5 && ruler.high > 100.0);
    }

    #[test]
    fn wishes_are_granted_within_reason() {
        let axis = Axis::new("", Scale::Linear);
        let high =
            |wish: f64| Ruler::new(&axis, [0.0, 10.0].into_iter(), [wish, f64::NAN].into_iter(), (0.0, 1.0)).high;
        assert_eq!((high(11.0), high(5.0)), (11.0, high(0.0)));
        assert!(high(f64::INFINITY) < 14.0);
    }
}
