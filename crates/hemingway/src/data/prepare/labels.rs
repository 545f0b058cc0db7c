//! Which label is which.

use serde::{Deserialize, Serialize};

use crate::data::info::{MOST_LABELS, count_labels};
use crate::{Error, Result};

/// What becomes of labels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LabelRule {
    /// They stay: regression.
    Keep,
    /// Two labels: one becomes −1, the other +1, a third is an error.
    Two {
        /// Becomes −1.
        negative: f64,
        /// Becomes +1.
        positive: f64,
    },
    /// One becomes +1, all others −1.
    OneAgainstRest {
        /// Becomes +1.
        positive: f64,
    },
}

impl LabelRule {
    pub(super) fn learn(labels: &[f64], positive: Option<f64>, binary: bool) -> Result<Self> {
        let wrong = |what: String| Err(Error::setting("--positive", what));
        let counts = count_labels(labels);
        let distinct = counts.as_ref().map(|counts| counts.iter().map(|c| c.label).collect::<Vec<_>>());
        match (binary, positive, distinct.as_deref()) {
            (false, None, _) => Ok(Self::Keep),
            (false, Some(_), _) => {
                wrong("only classification has a positive label; this loss is for regression".into())
            }
            (true, _, Some([] | [_])) => wrong(format!("two classes are needed, but {}", list(labels))),
            (true, Some(positive), _) if !labels.contains(&positive) => {
                wrong(format!("no row has the label {positive}; {}", list(labels)))
            }
            (true, Some(positive), _) => Ok(Self::OneAgainstRest { positive }),
            (true, None, Some(&[negative, positive])) => Ok(Self::Two { negative, positive }),
            (true, None, None) if labels.iter().any(|y| y.fract() != 0.0) => {
                wrong(format!("{}; labels that are amounts need a regression loss, such as squared", list(labels)))
            }
            (true, None, _) => wrong(format!("say which label is the positive class; {}", list(labels))),
        }
    }

    /// The label after preparation; nothing if training never saw it and it has no meaning.
    pub fn apply(self, label: f64) -> Option<f64> {
        match self {
            Self::Keep => Some(label),
            Self::Two { negative, .. } if label == negative => Some(-1.0),
            Self::Two { positive, .. } => (label == positive).then_some(1.0),
            Self::OneAgainstRest { positive } => Some(if label == positive { 1.0 } else { -1.0 }),
        }
    }

    /// The user's own label for a class of ±1. The rest of one against the rest has none: it stays −1.
    pub fn undo(self, class: f64) -> f64 {
        match self {
            Self::Two { negative, .. } if class < 0.0 => negative,
            Self::Two { positive, .. } => positive,
            Self::Keep | Self::OneAgainstRest { .. } => class,
        }
    }

    pub(super) fn complaint(self, labels: &[f64]) -> String {
        let strange = labels.iter().find(|y| self.apply(**y).is_none()).copied().unwrap_or(f64::NAN);
        format!("label {strange} was not among those of the training data")
    }

    pub(super) fn note(self) -> Option<String> {
        match self {
            Self::Two { negative, positive } if (negative, positive) != (-1.0, 1.0) => {
                Some(format!("labels {negative} → −1, {positive} → +1"))
            }
            Self::OneAgainstRest { positive } => Some(format!("labels {positive} → +1, all others → −1")),
            _ => None,
        }
    }
}

/// "the labels are 1, 2, 3".
fn list(labels: &[f64]) -> String {
    let mut distinct: Vec<f64> = labels.to_vec();
    distinct.sort_unstable_by(f64::total_cmp);
    distinct.dedup();
    let shown: Vec<String> = distinct.iter().take(MOST_LABELS).map(f64::to_string).collect();
    match distinct.len() {
        0 => "there are no rows".into(),
        1 => format!("the only label is {}", shown[0]),
        n if n > MOST_LABELS => format!("the labels are {} and {} more", shown.join(", "), n - MOST_LABELS),
        _ => format!("the labels are {}", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_labels_need_no_words() {
        let rule = LabelRule::learn(&[1.0, 0.0, 1.0], None, true).unwrap();
        assert_eq!(rule, LabelRule::Two { negative: 0.0, positive: 1.0 });
        assert_eq!([0.0, 1.0, 2.0].map(|y| rule.apply(y)), [Some(-1.0), Some(1.0), None]);
        assert_eq!(rule.note().unwrap(), "labels 0 → −1, 1 → +1");
        assert_eq!(LabelRule::learn(&[1.0, -1.0], None, true).unwrap().note(), None);
        let reversed = LabelRule::learn(&[1.0, 0.0], Some(0.0), true).unwrap();
        assert_eq!([0.0, 1.0].map(|y| reversed.apply(y)), [Some(1.0), Some(-1.0)]);
    }

    #[test]
    fn many_labels_need_a_positive_one() {
        let digits: Vec<f64> = (0..12).map(f64::from).collect();
        let said = |labels: &[f64], positive, binary| match LabelRule::learn(labels, positive, binary) {
            Err(Error::Setting { field, what }) if field == "--positive" => what,
            other => panic!("{other:?}"),
        };
        assert!(said(&digits, None, true).ends_with("the labels are 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more"));
        assert!(said(&digits[..3], None, true).ends_with("the labels are 0, 1, 2"));
        assert!(said(&digits, Some(12.5), true).starts_with("no row has the label 12.5"));
        let amounts: Vec<f64> = digits.iter().map(|y| y / 4.0).collect();
        assert!(said(&amounts, None, true).contains("need a regression loss"));
        assert!(said(&[3.0, 3.0], None, true).ends_with("the only label is 3"));
        assert!(said(&[3.0, 3.0], Some(3.0), true).ends_with("the only label is 3"));
        assert!(said(&[], None, true).ends_with("there are no rows"));
        assert!(said(&digits, Some(1.0), false).contains("regression"));
        let rule = LabelRule::learn(&digits, Some(4.0), true).unwrap();
        assert_eq!([4.0, 5.0, 99.0].map(|y| rule.apply(y)), [Some(1.0), Some(-1.0), Some(-1.0)]);
        assert_eq!(LabelRule::learn(&digits, None, false).unwrap().apply(7.5), Some(7.5));
    }
}
