//! Numbers as people read them: three digits, a unit, an interval.

use hemingway::model::{Estimate, Reach};

/// What is printed where nothing is known.
pub(crate) const UNKNOWN: &str = "—";

/// The strengths of the regularizer, those that are.
pub(crate) fn penalty(l2: f64, l1: f64) -> String {
    let ridge = format!("λ₂ = {}", digits(l2));
    if l1 == 0.0 { ridge } else { format!("{ridge}, λ₁ = {}", digits(l1)) }
}

/// Three significant digits, in plain notation where that is short.
pub(crate) fn digits(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value.is_infinite() { "∞".into() } else { format!("{value}") };
    }
    // Rounded first: 9.996 has one digit before the point, 10.0 has two.
    let rounded: f64 = format!("{value:.2e}").parse().unwrap_or(value);
    let magnitude = rounded.abs().log10().floor() as i32;
    match magnitude {
        -3..=5 => format!("{rounded:.*}", usize::try_from(2 - magnitude).unwrap_or(0)),
        _ => format!("{value:.2e}"),
    }
}

/// An error or a share that spans decades: `3.1e-3`.
pub(crate) fn error(value: f64) -> String {
    match value {
        0.0 => "0".into(),
        // What is below any use is not worth its digits.
        _ if value.abs() < 1e-9 => "<1e-9".into(),
        _ => format!("{value:.1e}"),
    }
}

/// An error someone has asked for, with no more digits than they gave: `1e-3`.
pub(crate) fn target(value: f64) -> String {
    format!("{value:e}")
}

/// The same, where it may be unknown. Relative to a bound of 0 an error is astronomic, and says that nothing is known.
pub(crate) fn maybe_error(value: Option<f64>) -> String {
    value.filter(|error| *error < 1e9).map_or_else(|| UNKNOWN.into(), error)
}

/// An objective: five digits, since neighbours differ late.
pub(crate) fn objective(value: f64) -> String {
    if !value.is_finite() {
        return UNKNOWN.into();
    }
    if (1e-3..1e5).contains(&value.abs()) { format!("{value:.5}") } else { format!("{value:.4e}") }
}

/// `20,242`.
pub(crate) fn count(value: usize) -> String {
    let plain = value.to_string();
    let mut text = String::new();
    for (i, digit) in plain.chars().enumerate() {
        if i > 0 && (plain.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number and its noun, in the plural where there is not one.
pub(crate) fn counted(value: usize, noun: &str) -> String {
    format!("{} {noun}{}", count(value), if value == 1 { "" } else { "s" })
}

/// A time with the unit that suits it.
pub(crate) fn seconds(value: f64) -> String {
    let unit = Unit::of(value);
    format!("{} {}", unit.number(value), unit.name)
}

/// A time with its interval, and the unit once.
pub(crate) fn seconds_between(estimate: Estimate) -> String {
    let unit = Unit::of(estimate.mid);
    let [low, mid, high] = [estimate.low, estimate.mid, estimate.high].map(|v| unit.number(v));
    format!("{mid} {} ({low}–{high})", unit.name)
}

/// Dollars.
pub(crate) fn dollars(value: f64) -> String {
    format!("${}", digits(value))
}

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Unit {
    /// As written behind a number.
    pub(crate) name: &'static str,
    seconds: f64,
}

impl Unit {
    const ALL: [Self; 6] = [
        Self { name: "h", seconds: 3600.0 },
        Self { name: "min", seconds: 60.0 },
        Self { name: "s", seconds: 1.0 },
        Self { name: "ms", seconds: 1e-3 },
        Self { name: "µs", seconds: 1e-6 },
        Self { name: "ns", seconds: 1e-9 },
    ];

    /// The unit in which a time is not much below 1; minutes and hours only from two on.
    pub(crate) fn of(seconds: f64) -> Self {
        let suits =
            |unit: &&Self| seconds >= if unit.seconds > 1.0 { 2.0 * unit.seconds } else { 0.9995 * unit.seconds };
        let least = if seconds == 0.0 { Self::ALL[2] } else { Self::ALL[5] };
        Self::ALL.iter().find(suits).copied().unwrap_or(least)
    }

    /// One unit for a column: that of the lower middle of its values.
    pub(crate) fn of_all(seconds: impl IntoIterator<Item = f64>) -> Self {
        let mut known: Vec<f64> = seconds.into_iter().filter(|s| s.is_finite() && *s > 0.0).collect();
        known.sort_by(f64::total_cmp);
        Self::of(known.get(known.len().saturating_sub(1) / 3).copied().unwrap_or(1.0))
    }

    /// A time in this unit.
    pub(crate) fn of_seconds(self, seconds: f64) -> f64 {
        seconds / self.seconds
    }

    /// A time in this unit, in digits without its name.
    pub(crate) fn number(self, seconds: f64) -> String {
        digits(self.of_seconds(seconds))
    }
}

/// `310 (250–420)`, with `·` where it lies beyond what was measured.
pub(crate) fn interval(estimate: Option<Estimate>, show: impl Fn(f64) -> String) -> String {
    let Some(estimate) = estimate else { return UNKNOWN.into() };
    let mark = if estimate.extrapolated { "·" } else { "" };
    format!("{}{mark} ({}–{})", show(estimate.mid), show(estimate.low), show(estimate.high))
}

/// The same for what may never happen.
pub(crate) fn reach(reach: Option<Reach>, show: impl Fn(f64) -> String) -> String {
    match reach {
        Some(Reach::Never) => "never".into(),
        Some(Reach::At(estimate)) => interval(Some(estimate), show),
        None => UNKNOWN.into(),
    }
}

/// A whole number, three digits where it is long.
pub(crate) fn whole(value: f64) -> String {
    if value.is_finite() && value < 1e6 { count(value.round() as usize) } else { digits(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_whatever_the_size() {
        let shown = [0.0, 0.00123456, 0.5, 9.996, 123.4, 99_999.0, 1.5e7, f64::INFINITY].map(digits);
        assert_eq!(shown, ["0", "0.00123", "0.500", "10.0", "123", "100000", "1.50e7", "∞"]);
        assert_eq!([20_242, 7, 1_000_000].map(count), ["20,242", "7", "1,000,000"]);
    }

    #[test]
    fn times_take_the_unit_that_suits_them() {
        let shown = [0.0, 3.2e-6, 0.0382, 4.1, 90.0, 150.0, 9000.0].map(seconds);
        assert_eq!(shown, ["0 s", "3.20 µs", "38.2 ms", "4.10 s", "90.0 s", "2.50 min", "2.50 h"]);
        assert_eq!(Unit::of_all([5.0, 0.2]).name, "ms");
        assert_eq!(Unit::of_all([]).name, "s");
    }
}
