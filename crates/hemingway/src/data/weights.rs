//! What rows count for.

use std::borrow::Cow;

use super::Dataset;
use crate::{Error, Result};

impl Dataset {
    /// What row i counts for.
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[i])
    }

    /// The rows that count, their weights 1 on average; none where all count alike.
    ///
    /// # Errors
    /// If a weight is none, or if no row counts.
    pub fn weighed(&self) -> Result<Cow<'_, Self>> {
        let Some(weights) = &self.weights else { return Ok(Cow::Borrowed(self)) };
        let wrong = |what: String| Error::file(&self.name, what);
        if weights.len() != self.rows() {
            return Err(wrong(format!("holds {} rows, but there are {} weights", self.rows(), weights.len())));
        }
        for (row, weight) in (1..).zip(weights) {
            check(*weight).map_err(|what| wrong(format!("row {row}: {what}")))?;
        }
        // By the largest first: the sum of finite weights may not be finite.
        let largest = weights.iter().copied().fold(0.0, f64::max);
        if largest == 0.0 && !weights.is_empty() {
            return Err(wrong("every row has weight 0: there is nothing to learn".into()));
        }
        let shares: Vec<f64> = weights.iter().map(|weight| weight / largest).collect();
        let counted: Vec<usize> = (0..shares.len()).filter(|&i| shares[i] > 0.0).collect();
        let mean = shares.iter().sum::<f64>() / counted.len() as f64;
        let weights = counted.iter().map(|&i| shares[i] / mean);
        let weights = counted.iter().any(|&i| shares[i] != 1.0).then(|| weights.collect());
        let rows = if counted.len() == self.rows() { self.clone() } else { self.select(&counted) };
        Ok(Cow::Owned(Self { weights, ..rows }))
    }
}

/// A weight as it may be.
///
/// # Errors
/// The sentence to show.
pub(super) fn check(weight: f64) -> Result<f64, String> {
    match weight.is_finite() && weight >= 0.0 {
        true => Ok(weight),
        false => Err(format!("weight {weight} is not a finite number of 0 or more")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Matrix;

    fn weighted(weights: &[f64]) -> Dataset {
        let numbers: Vec<f64> = (0..weights.len()).map(|i| i as f64).collect();
        let data = Dataset::new("some", Matrix::dense(1, numbers.clone()), numbers);
        Dataset { weights: Some(weights.to_vec()), ..data }
    }

    #[test]
    fn weights_are_one_on_average_over_the_rows_that_count() {
        let data = weighted(&[1.0, 0.0, 3.0]);
        let weighed = data.weighed().unwrap();
        assert_eq!((&weighed.labels, &weighed.weights), (&vec![0.0, 2.0], &Some(vec![0.5, 1.5])));
        assert_eq!(weighted(&[2.0, 0.0, 6.0]).weighed().unwrap(), weighed, "only ratios matter");
        let huge = weighted(&[1e308, 1e308, 5e307]);
        assert!(huge.weighed().unwrap().weights.as_ref().unwrap().iter().all(|s| s.is_finite()));
    }

    #[test]
    fn equal_weights_are_none() {
        assert_eq!(weighted(&[0.3; 7]).weighed().unwrap().weights, None);
        let some = weighted(&[0.3, 0.0, 0.3]);
        let some = some.weighed().unwrap();
        assert_eq!((some.rows(), &some.weights), (2, &None));
    }

    #[test]
    fn weights_that_are_none_are_refused() {
        let said = |weights: &[f64]| weighted(weights).weighed().unwrap_err().to_string();
        assert_eq!(said(&[1.0, -2.0]), "some: row 2: weight -2 is not a finite number of 0 or more");
        assert!(said(&[f64::NAN]).contains("row 1: weight NaN"));
        assert!(said(&[f64::INFINITY]).contains("row 1: weight inf"));
        assert!(said(&[0.0, 0.0]).contains("every row has weight 0"));
        let short = Dataset { weights: Some(vec![1.0]), ..weighted(&[1.0, 1.0]) };
        assert!(short.weighed().unwrap_err().to_string().contains("2 rows, but there are 1 weights"));
    }

    #[test]
    fn weights_travel_with_their_rows_and_name_the_problem() {
        let data = weighted(&[0.0, 1.0, 2.0, 3.0]);
        for part in [data.shuffled(3), data.sample(0.5, 3), data.split(0.5, 3).unwrap().0] {
            assert_eq!(part.weights.as_ref(), Some(&part.labels));
        }
        assert_ne!(data.fingerprint(), weighted(&[0.0, 1.0, 2.0, 4.0]).fingerprint());
        assert_ne!(data.fingerprint(), Dataset { weights: None, ..data.clone() }.fingerprint());
    }
}
