//! What can be set: `epochs=4:gamma=0.5:sigma=8`.

use std::fmt;

/// Settings, as they come unless given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tuning {
    /// Local epochs in a round.
    pub(super) epochs: f64,
    /// γ; 1 where changes are added, 1/m where they are averaged.
    pub(super) gamma: Option<f64>,
    /// σ′; γm, which is safe.
    pub(super) sigma: Option<f64>,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { epochs: 1.0, gamma: None, sigma: None }
    }
}

impl Tuning {
    /// Reads them.
    ///
    /// # Errors
    /// The beginning of the sentence to show: it wants to know of which algorithm.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut tuning = Self::default();
        for setting in text.split(':') {
            tuning.set(setting).ok_or_else(|| {
                format!(
                    "`{setting}` is not a setting: epochs=E (above 0 to 1000), gamma=γ (above 0 to 1) and sigma=σ′ (above \
                     0), parted by colons, are those"
                )
            })?;
        }
        Ok(tuning)
    }

    fn set(&mut self, setting: &str) -> Option<()> {
        let (key, value) = setting.split_once('=')?;
        let value: f64 = value.parse().ok().filter(|value| *value > 0.0)?;
        match key {
            "epochs" if value <= 1000.0 => self.epochs = value,
            "gamma" if value <= 1.0 => self.gamma = Some(value),
            "sigma" if value.is_finite() => self.sigma = Some(value),
            _ => return None,
        }
        Some(())
    }

    /// Whether γ and σ′ are as they come.
    pub(super) fn aggregates_as_usual(self) -> bool {
        self.gamma.is_none() && self.sigma.is_none()
    }
}

/// As it follows a name: nothing where all is as it comes.
impl fmt::Display for Tuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let epochs = Some(self.epochs).filter(|epochs| *epochs != 1.0);
        for (key, value) in [("epochs", epochs), ("gamma", self.gamma), ("sigma", self.sigma)] {
            if let Some(value) = value {
                write!(f, ":{key}={value}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_they_are_written() {
        for text in [":epochs=4", ":epochs=0.5:gamma=0.25", ":gamma=1:sigma=8", ":epochs=2:gamma=0.5:sigma=3"] {
            assert_eq!(Tuning::parse(&text[1..]).unwrap().to_string(), text);
        }
        assert_eq!(Tuning::parse("epochs=1").unwrap(), Tuning::default());
        for text in
            ["", "epochs", "epochs=0", "epochs=1e9", "gamma=1.5", "gamma=NaN", "sigma=inf", "rho=1", "epochs=2:"]
        {
            assert!(Tuning::parse(text).unwrap_err().contains("is not a setting"), "{text}");
        }
    }
}
