//! Numbers as people read them: three digits, a unit, an interval.

use hemingway::model::{Estimate, Reach};
pub(crate) use hemingway::units::{Unit, digits, seconds};

/// What is printed where nothing is known.
pub(crate) const UNKNOWN: &str = "—";

/// The strengths of the regularizer, those that are.
pub(crate) fn penalty(l2: f64, l1: f64) -> String {
    let ridge = format!("λ₂ = {}", digits(l2));
    if l1 == 0.0 { ridge } else { format!("{ridge}, λ₁ = {}", digits(l1)) }
}

/// What is below this is not worth its digits; what is predicted to be at its end, 1e-9, is as good.
pub(crate) const LEAST: f64 = 1.05e-9;

/// An error or a share that spans decades: `3.1e-3`.
pub(crate) fn error(value: f64) -> String {
    match value {
        0.0 => "0".into(),
        _ if value.abs() < LEAST => "<1e-9".into(),
        _ => format!("{value:.1e}"),
    }
}

/// A predicted error with its interval, which nobody tells from 0 where all of it is below any use.
pub(crate) fn error_between(estimate: Estimate) -> String {
    let least = |value: f64| if value < LEAST { "<1e-9".into() } else { error(value) };
    if estimate.high < LEAST { least(estimate.high) } else { interval(Some(estimate), least) }
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
    fn errors_below_any_use_are_told_in_one_way() {
        let sure = |mid: f64| Estimate { low: mid, mid, high: mid, extrapolated: false };
        assert_eq!([0.0, 3e-12, 1e-9].map(|error| error_between(sure(error))), ["<1e-9"; 3]);
        let wide = Estimate { low: 0.0, high: 2e-4, ..sure(1e-9) };
        assert_eq!(error_between(wide), "<1e-9 (<1e-9–2.0e-4)");
        assert_eq!([0.0, 1e-9, 3.14e-3].map(error), ["0", "<1e-9", "3.1e-3"]);
    }

    #[test]
    fn counts_are_grouped() {
        assert_eq!([20_242, 7, 1_000_000].map(count), ["20,242", "7", "1,000,000"]);
    }
}
