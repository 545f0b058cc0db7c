//! What the rows of each class count for: `--class-weight`.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

use super::Dataset;
use super::prepare::Prepared;
use crate::{Error, Result};

/// What the rows of a class count for, beside what each counts for itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClassWeight {
    /// All classes alike: the fewer rows a class has, the more each of them counts.
    Balanced,
    /// Label by label, 1 where nothing is said.
    Each(Vec<(f64, f64)>),
}

impl ClassWeight {
    /// Weighs prepared rows that had these labels before.
    pub fn apply(&self, labels: &[f64], prepared: &mut Prepared, binary: bool) -> Result<()> {
        if !binary {
            return Err(wrong("only classification has classes; this loss is for regression"));
        }
        let data = &prepared.dataset;
        let weights = match self {
            Self::Balanced => balanced(data),
            Self::Each(pairs) => each(pairs, labels, data)?,
        };
        prepared.dataset.weights = Some(weights);
        prepared.notes.push(match self {
            Self::Balanced => "the rows of each class count for as much as those of any other".into(),
            Self::Each(_) => format!("rows count by their class: {self}"),
        });
        Ok(())
    }
}

fn wrong(what: impl Into<String>) -> Error {
    Error::setting("--class-weight", what)
}

/// Each class as much as all rows over the number of classes.
fn balanced(data: &Dataset) -> Vec<f64> {
    let total = |label: f64| -> f64 {
        let of_class = (0..data.rows()).filter(|&i| data.labels[i] == label);
        of_class.map(|i| data.weight(i)).sum()
    };
    let mut totals: Vec<(f64, f64)> = Vec::new();
    for &label in &data.labels {
        if totals.iter().all(|(known, _)| *known != label) {
            totals.push((label, total(label)));
        }
    }
    let share = data.rows() as f64 / totals.len() as f64;
    let factor = |label: f64| totals.iter().find(|(known, _)| *known == label).map_or(1.0, |(_, total)| share / total);
    (0..data.rows()).map(|i| data.weight(i) * factor(data.labels[i])).collect()
}

fn each(pairs: &[(f64, f64)], labels: &[f64], data: &Dataset) -> Result<Vec<f64>> {
    if let Some((strange, _)) = pairs.iter().find(|(label, _)| !labels.contains(label)) {
        return Err(wrong(format!("no row has the label {strange}")));
    }
    let factor = |label: f64| pairs.iter().find(|(known, _)| *known == label).map_or(1.0, |(_, weight)| *weight);
    Ok((0..data.rows()).map(|i| data.weight(i) * factor(labels[i])).collect())
}

impl std::str::FromStr for ClassWeight {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text == "balanced" {
            return Ok(Self::Balanced);
        }
        let pair = |pair: &str| {
            let (label, weight) = pair.split_once('=')?;
            let (label, weight): (f64, f64) = (label.trim().parse().ok()?, weight.trim().parse().ok()?);
            (label.is_finite() && weight.is_finite() && weight > 0.0).then_some((label, weight))
        };
        let pairs: Option<Vec<(f64, f64)>> = text.split(',').map(pair).collect();
        let pairs = pairs.ok_or_else(|| {
            wrong(format!("`{text}` is neither `balanced` nor LABEL=WEIGHT,… with weights above 0, such as 1=10,-1=1"))
        })?;
        let twice =
            pairs.iter().enumerate().find(|(i, (label, _))| pairs[..*i].iter().any(|(known, _)| known == label));
        match twice {
            Some((_, (label, _))) => Err(wrong(format!("label {label} is there twice"))),
            None => Ok(Self::Each(pairs)),
        }
    }
}

impl Display for ClassWeight {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Balanced => f.write_str("balanced"),
            Self::Each(pairs) => {
                let words: Vec<String> = pairs.iter().map(|(label, weight)| format!("{label}={weight}")).collect();
                f.write_str(&words.join(","))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Matrix, Preparation, prepare};

    fn weights(text: &str, labels: &[f64], weights: Option<Vec<f64>>, binary: bool) -> Result<Vec<f64>> {
        let data = Dataset { weights, ..Dataset::new("some", Matrix::dense(1, labels.to_vec()), labels.to_vec()) };
        let mut prepared = prepare(data, &Preparation::default(), binary)?;
        text.parse::<ClassWeight>()?.apply(labels, &mut prepared, binary)?;
        Ok(prepared.dataset.weights.unwrap())
    }

    #[test]
    fn balanced_classes_count_alike() {
        assert_eq!(
            weights("balanced", &[3.0, 3.0, 5.0, 3.0], None, true).unwrap(),
            [2.0 / 3.0, 2.0 / 3.0, 2.0, 2.0 / 3.0]
        );
        let own = Some(vec![1.0, 2.0, 1.0]);
        assert_eq!(weights("balanced", &[3.0, 3.0, 5.0], own, true).unwrap(), [0.5, 1.0, 1.5]);
    }

    #[test]
    fn classes_count_as_the_user_says() {
        let own = Some(vec![1.0, 2.0, 0.5]);
        assert_eq!(weights("5=10", &[3.0, 5.0, 5.0], own, true).unwrap(), [1.0, 20.0, 5.0]);
        assert_eq!("1=10, -1=0.5".parse::<ClassWeight>().unwrap().to_string(), "1=10,-1=0.5");
    }

    #[test]
    fn strange_words_are_refused() {
        for text in ["", "1", "1=", "1=x", "1=0", "1=-2", "1=inf", "nan=1", "1=2,1=3", "heavy"] {
            let error = text.parse::<ClassWeight>().unwrap_err().to_string();
            assert!(error.starts_with("--class-weight: "), "{text}: {error}");
        }
        let said = |text, binary| weights(text, &[3.0, 5.0], None, binary).unwrap_err().to_string();
        assert!(said("4=2", true).contains("no row has the label 4"));
        assert!(said("balanced", false).contains("regression"));
    }
}
