//! Numbers and times as people read them: three digits, and the unit that suits.

/// Three significant digits, in plain notation where that is short.
pub fn digits(value: f64) -> String {
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

/// A time with the unit that suits it.
pub fn seconds(value: f64) -> String {
    let unit = Unit::of(value);
    format!("{} {}", unit.number(value), unit.name)
}

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    /// As written behind a number.
    pub name: &'static str,
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
    pub fn of(seconds: f64) -> Self {
        let suits =
            |unit: &&Self| seconds >= if unit.seconds > 1.0 { 2.0 * unit.seconds } else { 0.9995 * unit.seconds };
        let least = if seconds == 0.0 { Self::ALL[2] } else { Self::ALL[5] };
        Self::ALL.iter().find(suits).copied().unwrap_or(least)
    }

    /// One unit for a column: that of the lower middle of its values.
    pub fn of_all(seconds: impl IntoIterator<Item = f64>) -> Self {
        let mut known: Vec<f64> = seconds.into_iter().filter(|s| s.is_finite() && *s > 0.0).collect();
        known.sort_by(f64::total_cmp);
        Self::of(known.get(known.len().saturating_sub(1) / 3).copied().unwrap_or(1.0))
    }

    /// A time in this unit.
    pub fn of_seconds(self, seconds: f64) -> f64 {
        seconds / self.seconds
    }

    /// A time in this unit, in digits without its name.
    pub fn number(self, seconds: f64) -> String {
        digits(self.of_seconds(seconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_whatever_the_size() {
        let shown = [0.0, 0.00123456, 0.5, 9.996, 123.4, 99_999.0, 1.5e7, f64::INFINITY].map(digits);
        assert_eq!(shown, ["0", "0.00123", "0.500", "10.0", "123", "100000", "1.50e7", "∞"]);
    }

    #[test]
    fn times_take_the_unit_that_suits_them() {
        let shown = [0.0, 3.2e-6, 0.0382, 4.1, 90.0, 150.0, 9000.0].map(seconds);
        assert_eq!(shown, ["0 s", "3.20 µs", "38.2 ms", "4.10 s", "90.0 s", "2.50 min", "2.50 h"]);
    }

    #[test]
    fn a_column_has_the_unit_of_its_lower_middle() {
        assert_eq!(Unit::of_all([5.0, 0.2]).name, "ms");
        assert_eq!(Unit::of_all([]).name, "s");
    }
}
