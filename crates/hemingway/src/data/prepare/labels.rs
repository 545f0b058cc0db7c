//! Which label is which.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::Preparation;
use crate::data::info::MOST_LABELS;
use crate::{Error, Result};

/// What becomes of labels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// Several: each becomes its number, a further one is an error.
    Many {
        /// In their order, which is ascending.
        labels: Vec<f64>,
    },
}

/// More distinct labels than this, or fractional ones, are numbers to predict unless the user calls them classes.
pub(crate) const MOST_CLASSES: usize = 100;

/// What to do about a single class.
const ONE: &str = "add rows of another, or write --loss squared if labels are amounts";

impl LabelRule {
    /// From the labels of the data of this name.
    pub(super) fn learn(labels: &[f64], name: &str, preparation: &Preparation, binary: bool) -> Result<Self> {
        let wrong = |what: String| Err(Error::setting("--positive", what));
        let unfit = |what: String| Err(Error::setting("--loss", what));
        let strange = |what: String| Err(Error::setting("--classes", what));
        let (positive, classes) = (preparation.positive, preparation.classes);
        match (positive, distinct(labels).as_slice()) {
            _ if !binary && classes.is_some() => strange("this loss is for regression, which has no classes".into()),
            (None, _) if !binary => Ok(Self::Keep),
            (Some(_), _) if !binary => {
                wrong("only classification has a positive label; this loss is for regression".into())
            }
            (Some(_), [] | [_]) => wrong(format!("two classes are needed, but {}", list(labels))),
            (None, [] | [_]) => {
                Err(Error::setting(name, format!("two classes are needed, but {}; {ONE}", list(labels))))
            }
            (Some(_), _) if classes.is_some() => strange("with --positive there are two classes only".into()),
            (Some(positive), _) if !labels.contains(&positive) => {
                wrong(format!("no row has the label {positive}; {}", list(labels)))
            }
            (Some(positive), _) => Ok(Self::OneAgainstRest { positive }),
            (None, [_, _]) if classes.is_some() => {
                strange("one margin tells two classes apart: it is for three or more".into())
            }
            (None, &[negative, positive]) => Ok(Self::Two { negative, positive }),
            (None, many) if classes.is_none() && are_numbers(many) => unfit(format!(
                "{}; labels that are amounts need a regression loss, such as squared; classes need --classes",
                list(labels)
            )),
            (None, many) => Ok(Self::Many { labels: many.to_vec() }),
        }
    }

    /// The label after preparation; nothing if training never saw it and it has no meaning.
    pub fn apply(&self, label: f64) -> Option<f64> {
        match self {
            Self::Keep => Some(label),
            Self::Two { negative, .. } if label == *negative => Some(-1.0),
            Self::Two { positive, .. } => (label == *positive).then_some(1.0),
            Self::OneAgainstRest { positive } => Some(if label == *positive { 1.0 } else { -1.0 }),
            Self::Many { labels } => {
                let at = labels.binary_search_by(|known| known.partial_cmp(&label).unwrap_or(Ordering::Less));
                at.ok().map(|class| class as f64)
            }
        }
    }

    /// The user's own label for a class of ±1, or of this number. The rest of one against the rest has none: it stays −1.
    pub fn undo(&self, class: f64) -> f64 {
        match self {
            Self::Two { negative, .. } if class < 0.0 => *negative,
            Self::Two { positive, .. } => *positive,
            Self::Keep | Self::OneAgainstRest { .. } => class,
            Self::Many { labels } => labels.get(class as usize).copied().unwrap_or(class),
        }
    }

    /// The labels of several classes; nothing where there are two, or numbers.
    pub fn many(&self) -> Option<&[f64]> {
        match self {
            Self::Many { labels } => Some(labels),
            Self::Keep | Self::Two { .. } | Self::OneAgainstRest { .. } => None,
        }
    }

    pub(super) fn complaint(&self, labels: &[f64]) -> String {
        let strange = labels.iter().find(|y| self.apply(**y).is_none()).copied().unwrap_or(f64::NAN);
        format!("label {strange} was not among those of the training data")
    }

    pub(super) fn note(&self) -> Option<String> {
        match self {
            Self::Two { negative, positive } if (*negative, *positive) != (-1.0, 1.0) => {
                Some(format!("labels {negative} → −1, {positive} → +1"))
            }
            Self::OneAgainstRest { positive } => Some(format!("labels {positive} → +1, all others → −1")),
            _ => None,
        }
    }
}

/// The labels that there are, ascending.
pub(crate) fn distinct(labels: &[f64]) -> Vec<f64> {
    let mut distinct = labels.to_vec();
    distinct.sort_unstable_by(f64::total_cmp);
    distinct.dedup();
    distinct
}

/// Whether these labels look like numbers to predict, not like classes.
pub(crate) fn are_numbers(distinct: &[f64]) -> bool {
    distinct.len() > MOST_CLASSES || distinct.iter().any(|y| y.fract() != 0.0)
}

/// "the labels are 1, 2, 3".
fn list(labels: &[f64]) -> String {
    let distinct = distinct(labels);
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
    use crate::problem::Scheme;

    fn learn(labels: &[f64], positive: Option<f64>, binary: bool) -> Result<LabelRule> {
        LabelRule::learn(labels, "data", &Preparation { positive, ..Preparation::default() }, binary)
    }

    fn said(outcome: Result<LabelRule>, about: &str) -> String {
        match outcome {
            Err(Error::Setting { field, what }) if field == about => what,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn two_labels_need_no_words() {
        let rule = learn(&[1.0, 0.0, 1.0], None, true).unwrap();
        assert_eq!(rule, LabelRule::Two { negative: 0.0, positive: 1.0 });
        assert_eq!([0.0, 1.0, 2.0].map(|y| rule.apply(y)), [Some(-1.0), Some(1.0), None]);
        assert_eq!(rule.note().unwrap(), "labels 0 → −1, 1 → +1");
        assert_eq!(learn(&[1.0, -1.0], None, true).unwrap().note(), None);
        let reversed = learn(&[1.0, 0.0], Some(0.0), true).unwrap();
        assert_eq!([0.0, 1.0].map(|y| reversed.apply(y)), [Some(1.0), Some(-1.0)]);
    }

    #[test]
    fn several_labels_are_classes_unless_one_is_positive() {
        let digits: Vec<f64> = (0..12).rev().map(f64::from).collect();
        let rule = learn(&digits, None, true).unwrap();
        assert_eq!(rule.many().map(<[f64]>::len), Some(12));
        let halves = LabelRule::Many { labels: vec![-0.5, 0.5, 2.0] };
        assert_eq!([-0.5, 2.0, 1.0, f64::NAN].map(|y| halves.apply(y)), [Some(0.0), Some(2.0), None, None]);
        assert_eq!([0.0, 1.0].map(|class| halves.undo(class)), [-0.5, 0.5]);
        let rule = learn(&digits, Some(4.0), true).unwrap();
        assert_eq!([4.0, 5.0, 99.0].map(|y| rule.apply(y)), [Some(1.0), Some(-1.0), Some(-1.0)]);
        assert_eq!(learn(&digits, None, false).unwrap().apply(7.5), Some(7.5));
    }

    #[test]
    fn labels_that_cannot_be_meant_are_refused() {
        let digits: Vec<f64> = (0..12).map(f64::from).collect();
        let wrong = |labels: &[f64], positive, binary| said(learn(labels, positive, binary), "--positive");
        assert!(wrong(&digits, Some(12.5), true).starts_with("no row has the label 12.5"));
        assert!(wrong(&digits, Some(12.5), true).ends_with("the labels are 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more"));
        let amounts: Vec<f64> = digits.iter().map(|y| y / 4.0).collect();
        let many: Vec<f64> = (0..200).map(f64::from).collect();
        let unfit = |labels: &[f64], about| said(learn(labels, None, true), about);
        assert!([&amounts, &many].iter().all(|labels| unfit(labels, "--loss").contains("need a regression loss")));
        assert!(unfit(&[3.0, 3.0], "data").contains("the only label is 3; add rows of another"));
        assert!(wrong(&[3.0, 3.0], Some(3.0), true).ends_with("the only label is 3"));
        assert!(unfit(&[], "data").contains("there are no rows"));
        assert!(wrong(&digits, Some(1.0), false).contains("regression"));
    }

    #[test]
    fn classes_are_what_the_user_calls_so() {
        let amounts: Vec<f64> = (0..200).map(|y| f64::from(y) / 4.0).collect();
        let asked = |labels: &[f64], positive, binary| {
            let classes = Some(Scheme::Softmax);
            LabelRule::learn(labels, "data", &Preparation { positive, classes, ..Preparation::default() }, binary)
        };
        assert_eq!(asked(&amounts, None, true).unwrap().many(), Some(&amounts[..]));
        assert!(said(asked(&[0.0, 1.0], None, true), "--classes").contains("three or more"));
        assert!(said(asked(&amounts, Some(0.0), true), "--classes").contains("--positive"));
        assert!(said(asked(&amounts, None, false), "--classes").contains("regression"));
    }
}
