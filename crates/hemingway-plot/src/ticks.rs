//! Where an axis is marked, and with what words.

use crate::picture::Scale;

/// No more labelled marks than this on a logarithmic axis.
const MOST: usize = 9;
/// Steps of a linear axis, about.
const STEPS: f64 = 5.0;

/// The labelled marks between two numbers, ascending.
pub(crate) fn major(scale: Scale, low: f64, high: f64) -> Vec<f64> {
    let logarithmic = match scale {
        Scale::Linear => Vec::new(),
        Scale::Log => tens(low, high),
        Scale::Doubling => thinned(powers(2.0, low, high)),
    };
    // Within less than a decade, or a doubling, even steps tell more.
    if logarithmic.len() >= 2 { logarithmic } else { even(low, high) }
}

/// The marks in between, without words.
pub(crate) fn minor(scale: Scale, low: f64, high: f64) -> Vec<f64> {
    let decades = powers(10.0, low, high);
    if scale != Scale::Log || !(2..=7).contains(&decades.len()) {
        return Vec::new();
    }
    multiples(&[2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], low, high)
}

/// Words for each of the marks.
pub(crate) fn words(scale: Scale, marks: &[f64]) -> Vec<String> {
    let largest = marks.iter().fold(0.0_f64, |most, mark| most.max(mark.abs()));
    let smallest = marks.iter().filter(|mark| **mark != 0.0).fold(f64::INFINITY, |least, mark| least.min(mark.abs()));
    let plain = largest < 1e6 && (smallest >= 0.999e-3 || (scale == Scale::Linear && largest >= 0.01));
    // Even steps share their decimals, tens have as many as each needs.
    let alike = |mark: f64| if scale == Scale::Linear { smallest } else { mark };
    marks.iter().map(|&mark| if plain { decimal(mark, alike(mark)) } else { scientific(mark) }).collect()
}

fn tens(low: f64, high: f64) -> Vec<f64> {
    let decades = powers(10.0, low, high);
    match decades.len() {
        0..=2 => multiples(&[1.0, 2.0, 5.0], low, high),
        _ => thinned(decades),
    }
}

/// Powers of a base between two positive numbers.
fn powers(base: f64, low: f64, high: f64) -> Vec<f64> {
    if low <= 0.0 {
        return Vec::new();
    }
    let exponent = |value: f64| value.ln() / base.ln();
    let (first, last) = ((exponent(low) - 1e-9).ceil() as i32, (exponent(high) + 1e-9).floor() as i32);
    (first..=last).map(|e| base.powi(e)).collect()
}

fn multiples(of: &[f64], low: f64, high: f64) -> Vec<f64> {
    let decades = powers(10.0, low / 10.0, high);
    let all = decades.iter().flat_map(|decade| of.iter().map(move |k| k * decade));
    all.filter(|value| (low * 0.999_999..=high * 1.000_001).contains(value)).collect()
}

/// Every second, third, … so that few enough are left.
fn thinned(marks: Vec<f64>) -> Vec<f64> {
    let stride = marks.len().div_ceil(MOST).max(1);
    marks.into_iter().step_by(stride).collect()
}

/// Multiples of 1, 2 or 5 times a power of ten.
fn even(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / STEPS;
    let decade = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|k| k * decade).into_iter().find(|step| *step >= 0.999 * rough);
    let step = step.unwrap_or(rough);
    let first = (low / step - 1e-6).ceil();
    let count = ((high / step + 1e-6).floor() - first).clamp(0.0, 4.0 * STEPS) as usize;
    (0..=count).map(|k| (first + k as f64) * step).collect()
}

/// As many decimals as it and another need: `0.25`, `1,000`.
fn decimal(value: f64, other: f64) -> String {
    let needed = |places: &usize| {
        let shifted = [value, other].map(|v| v * 10f64.powi(*places as i32));
        shifted.iter().all(|v| (v - v.round()).abs() < 1e-6 * v.abs().max(1e-3))
    };
    let places = (0..9).find(needed).unwrap_or(9);
    let text = format!("{value:.places$}");
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    format!("{}{rest}", thousands(whole))
}

fn thousands(whole: &str) -> String {
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("−", digits));
    let groups: Vec<String> =
        digits.as_bytes().rchunks(3).rev().map(|group| String::from_utf8_lossy(group).into_owned()).collect();
    format!("{sign}{}", groups.join(","))
}

/// `10⁻³`, `2·10⁻⁵`.
fn scientific(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let shown = format!("{value:.1e}");
    let (digits, exponent) = shown.split_once('e').unwrap_or((&shown, "0"));
    let power = match exponent {
        "0" => "1".to_string(),
        _ => format!("10{}", exponent.chars().map(raised).collect::<String>()),
    };
    match digits.trim_end_matches('0').trim_end_matches('.') {
        "1" => power,
        digits if exponent == "0" => digits.into(),
        digits => format!("{digits}·{power}"),
    }
}

fn raised(digit: char) -> char {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    digit.to_digit(10).map_or('⁻', |digit| DIGITS[digit as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(scale: Scale, low: f64, high: f64) -> String {
        words(scale, &major(scale, low, high)).join(" ")
    }

    #[test]
    fn marks_are_round_and_few() {
        assert_eq!(marked(Scale::Linear, 0.0, 103.0), "0 50 100");
        assert_eq!(marked(Scale::Linear, 0.0, 1.0), "0.0 0.2 0.4 0.6 0.8 1.0");
        assert_eq!(marked(Scale::Linear, -2.0, 8200.0), "0 2,000 4,000 6,000 8,000");
        assert_eq!(marked(Scale::Log, 0.9, 1600.0), "1 10 100 1,000");
        assert_eq!(marked(Scale::Log, 5e-5, 1.2), "10⁻⁴ 10⁻³ 10⁻² 10⁻¹ 1");
        assert_eq!(marked(Scale::Log, 0.15, 0.9), "0.2 0.5");
        assert_eq!(marked(Scale::Log, 9e-4, 1.1), "0.001 0.01 0.1 1");
        assert_eq!(marked(Scale::Log, 2e-5, 4e-4), "2·10⁻⁵ 5·10⁻⁵ 10⁻⁴ 2·10⁻⁴");
        assert_eq!(marked(Scale::Doubling, 0.9, 140.0), "1 2 4 8 16 32 64 128");
        assert_eq!(marked(Scale::Doubling, 2.2, 3.9), "2.5 3 3.5");
    }

    #[test]
    fn a_hundred_decades_are_not_a_hundred_marks() {
        assert!(major(Scale::Log, 1e-50, 1e50).len() <= MOST);
        assert!(minor(Scale::Log, 1e-50, 1e50).is_empty());
        assert!(major(Scale::Linear, 1.0, 1.0 + 1e-12).len() < 30);
    }
}
