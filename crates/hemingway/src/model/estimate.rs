//! Answers with their uncertainty.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::linalg::median;

/// A value with a 90 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The value is below this with 5 %.
    pub low: f64,
    /// The likeliest value.
    pub mid: f64,
    /// The value is above this with 5 %; infinite (`null` in JSON) where nothing bounds it.
    #[serde(serialize_with = "open", deserialize_with = "or_open")]
    pub high: f64,
    /// Whether it lies outside what the records cover.
    pub extrapolated: bool,
}

fn open<S: Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
    value.is_finite().then_some(*value).serialize(to)
}

fn or_open<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::INFINITY))
}

/// Half width of a 90 % interval in standard deviations.
pub(super) const HALF_WIDTH: f64 = 1.645;

/// Standard deviation behind squared misses of ln(real / predicted): the median tells of the usual miss, the mean of the
/// worst, and an interval has to answer for both.
pub(super) fn spread(squares: Vec<f64>) -> Option<f64> {
    let mean = squares.iter().sum::<f64>() / squares.len().max(1) as f64;
    Some((mean * median(squares)?.max(1e-12)).sqrt().sqrt())
}

impl Estimate {
    /// Around `mid`, with the logarithm spread by `deviation`.
    pub(crate) fn log_normal(mid: f64, deviation: f64, extrapolated: bool) -> Self {
        let factor = (HALF_WIDTH * deviation).exp();
        Self { low: mid / factor, mid, high: mid * factor, extrapolated }
    }

    /// Widened so that it holds `low` and `high`.
    pub(crate) fn including(self, low: f64, high: f64) -> Self {
        Self { low: self.low.min(low), high: self.high.max(high), ..self }
    }

    /// The product of independent positive estimates: logarithmic half widths add in squares.
    pub fn times(self, other: Self) -> Self {
        let mid = self.mid * other.mid;
        let half = |a: f64, b: f64| (a.ln().powi(2) + b.ln().powi(2)).sqrt().exp();
        let down = half(self.low / self.mid, other.low / other.mid);
        let up = half(self.high / self.mid, other.high / other.mid);
        let extrapolated = self.extrapolated || other.extrapolated;
        if mid == 0.0 {
            return Self { low: 0.0, mid, high: self.high * other.high, extrapolated };
        }
        Self { low: mid / down, mid, high: mid * up, extrapolated }
    }
}

/// When a goal is reached, if ever.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// After so many rounds or seconds.
    At(Estimate),
    /// Not within any horizon worth waiting for, by all the records show.
    Never,
}

impl Reach {
    /// Whether it is an answer from outside what the records cover.
    pub fn is_extrapolated(self) -> bool {
        self.estimate().is_some_and(|estimate| estimate.extrapolated)
    }

    /// The estimate, unless never.
    pub fn estimate(self) -> Option<Estimate> {
        match self {
            Self::At(estimate) => Some(estimate),
            Self::Never => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_interval_survives_json() {
        let open = Estimate { low: 1.0, mid: 2.0, high: f64::INFINITY, extrapolated: true };
        let text = serde_json::to_string(&open).unwrap();
        assert_eq!(text, r#"{"low":1.0,"mid":2.0,"high":null,"extrapolated":true}"#);
        assert_eq!(serde_json::from_str::<Estimate>(&text).unwrap(), open);
    }

    #[test]
    fn products_are_wider_than_either() {
        let a = Estimate::log_normal(2.0, 0.1, false);
        let b = Estimate::log_normal(3.0, 0.2, true);
        let product = a.times(b);
        assert_eq!((product.mid, product.extrapolated), (6.0, true));
        assert!((product.high / product.mid).ln() > (b.high / b.mid).ln());
        assert!(product.high / product.mid < a.high / a.mid * b.high / b.mid);
    }
}
