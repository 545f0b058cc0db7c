use proptest::num::f64::{NORMAL, SUBNORMAL};
use proptest::prelude::*;

use super::*;
use crate::data::dense_rows;

fn dataset(columns: usize, rows: &[&[(u32, f64)]], labels: &[f64]) -> Dataset {
    let mut matrix = Matrix::sparse(columns);
    rows.iter().for_each(|row| matrix.push_row(row.iter().copied()));
    Dataset::new("made", matrix.compact(), labels.to_vec())
}

fn with(normalize: Option<Normalize>, intercept: bool) -> Preparation {
    Preparation { normalize, intercept, ..Preparation::default() }
}

#[test]
fn rows_get_length_one_and_the_intercept_stays_one() {
    let data = dataset(2, &[&[(0, 3.0), (1, 4.0)], &[], &[(1, -2e200)]], &[0.0, 1.0, 1.0]);
    let ready = prepare(data, &with(Some(Normalize::Rows), true), true).unwrap();
    let expected = [[0.6, 0.8, 1.0], [0.0, 0.0, 1.0], [0.0, -1.0, 1.0]];
    for (row, expected) in dense_rows(&ready.dataset.matrix).iter().zip(expected) {
        assert!(row.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{row:?}");
    }
    assert_eq!(ready.dataset.labels, [-1.0, 1.0, 1.0]);
    assert!(ready.notes.contains(&"labels 0 → −1, 1 → +1".to_owned()));
}

#[test]
fn a_test_set_is_scaled_by_the_training_set() {
    let train = dataset(3, &[&[(0, 2.0), (2, -4.0)], &[(0, -1.0)]], &[0.0, 1.0]);
    let ready = prepare(train, &with(Some(Normalize::Columns), false), true).unwrap();
    assert_eq!(dense_rows(&ready.dataset.matrix), [[1.0, 0.0, -1.0], [-0.5, 0.0, 0.0]]);
    let (test, notes) = ready.rules.apply(dataset(4, &[&[(0, 6.0), (1, 5.0), (3, 9.0)]], &[1.0])).unwrap();
    assert_eq!(dense_rows(&test.matrix), [[3.0, 5.0, 0.0]]);
    assert_eq!(test.labels, [1.0]);
    assert!(notes[0] == "left out: 1 column beyond the 3 of the training data, 1 entry in all", "{notes:?}");
    let error = ready.rules.apply(dataset(3, &[&[]], &[7.0])).unwrap_err().to_string();
    assert_eq!(error, "made: label 7 was not among those of the training data");
}

#[test]
fn a_narrow_test_set_is_padded_and_that_is_said() {
    let (wide, note) = fit_columns(dataset(1, &[&[(0, 1.0)], &[]], &[]).matrix, 9);
    assert_eq!((wide.rows(), wide.columns()), (2, 9));
    let said = "taken as 0: 8 columns beyond the 1 of this data, since the training data had 9";
    assert_eq!(note.as_deref(), Some(said));
    assert_eq!(fit_columns(wide.clone(), 9), (wide.clone(), None));
    assert!(matches!(wide, Matrix::Sparse { .. }));
}

#[test]
fn a_broken_model_file_cannot_panic() {
    let rules = |scales: &[f64]| Rules {
        names: None,
        columns: 2,
        unit_rows: false,
        scales: Some(scales.to_vec()),
        intercept: false,
        labels: LabelRule::Keep,
    };
    for scales in [&[1.0][..], &[0.0, 1.0], &[1e-320, 1.0]] {
        assert!(rules(scales).apply(dataset(2, &[&[(0, 1.0), (1, 1.0)]], &[1.0])).is_err(), "{scales:?}");
    }
}

#[test]
fn rules_survive_a_model_file() {
    let data = dataset(3, &[&[(0, 2.0), (2, -4.1)], &[(0, -1.0)]], &[0.0, 1.0]);
    let rules = prepare(data, &with(Some(Normalize::Columns), true), true).unwrap().rules;
    assert_eq!(serde_json::from_str::<Rules>(&serde_json::to_string(&rules).unwrap()).unwrap(), rules);
}

proptest! {
    #[test]
    fn whatever_is_prepared_is_finite_and_compact(
        rows in prop::collection::vec(prop::collection::btree_map(0_u32..6, NORMAL | SUBNORMAL, 0..6), 2..12),
        normalize in prop_oneof![Just(None), Just(Some(Normalize::Rows)), Just(Some(Normalize::Columns))],
        intercept in any::<bool>(),
    ) {
        let mut matrix = Matrix::sparse(6);
        rows.iter().for_each(|row| matrix.push_row(row.iter().map(|(j, v)| (*j, *v))));
        let labels = (0..rows.len()).map(|i| (i % 2) as f64).collect();
        let data = Dataset::new("made", matrix, labels);
        let ready = prepare(data, &with(normalize, intercept), true).unwrap().dataset;
        prop_assert_eq!(ready.columns(), 6 + usize::from(intercept));
        prop_assert_eq!(&ready.matrix.clone().compact(), &ready.matrix);
        for row in dense_rows(&ready.matrix) {
            prop_assert!(row.iter().all(|v| v.is_finite()));
            let length = dot(&row[..6], &row[..6]).sqrt();
            match normalize {
                Some(Normalize::Rows) => prop_assert!(length == 0.0 || (length - 1.0).abs() < 1e-12),
                Some(Normalize::Columns) => prop_assert!(row.iter().all(|v| v.abs() <= 1.0)),
                None => {}
            }
        }
    }
}
