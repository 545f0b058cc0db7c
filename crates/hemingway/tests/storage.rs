//! How values are kept must not show: numbers that are f32 exactly give the same bits kept as f32 and as f64, whatever is made of
//! them.

use std::sync::Arc;

use hemingway::algorithm::{self, Algorithm};
use hemingway::conformance;
use hemingway::data::{Dataset, Matrix, Precision, Values};
use hemingway::engine;
use hemingway::problem::{Loss, Problem};
use proptest::prelude::*;

/// A problem with values that are f32 exactly, kept one way and the other.
fn two_ways(problem: &Problem) -> [Problem; 2] {
    let rounded = problem.data.matrix.clone().kept_as(Precision::F32).unwrap();
    let wide = rounded.clone().kept_as(Precision::F64).unwrap();
    assert!(matches!((rounded.values(), wide.values()), (Values::F32(_), Values::F64(_))));
    [rounded, wide].map(|matrix| {
        let data = Dataset { matrix, ..Dataset::clone(&problem.data) };
        Problem { data: Arc::new(data), ..problem.clone() }
    })
}

fn agree(algorithm: &Arc<dyn Algorithm>, problem: &Problem, told: &str) {
    let [narrow, wide] = two_ways(problem);
    for machines in [1, 3] {
        let build = &|setting, machines| engine::build(setting, None, machines);
        let course =
            |problem: &Problem| conformance::course(problem, algorithm, build, &[(machines, 6), (machines + 1, 8)]);
        let (one, other) = (course(&narrow), course(&wide));
        let same = one.len() == other.len() && one.iter().zip(&other).all(|(a, b)| a.is_exactly(b));
        assert!(same, "{} on {machines} machines, {told}", algorithm.name());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Rows of few and of many columns, sparse and dense, long enough for all lanes and blocks.
    #[test]
    fn any_numbers_of_any_shape_do(rows in 70_usize..150, columns in 1_usize..80, share in 0.05_f64..1.0, seed in 0_u64..99) {
        let number = |k: usize| f64::from((((k as u64 + 7 * seed) * 2_654_435_761 % 9973) as f32 - 4000.0) / 811.0);
        let mut matrix = Matrix::for_rows_of((share * columns as f64) as usize, columns);
        for i in 0..rows {
            let kept = |j: &u32| ((i * 31 + *j as usize * 17) % 100) as f64 <= 100.0 * share;
            matrix.push_row((0..columns as u32).filter(kept).map(|j| (j, number(i * columns + j as usize))));
        }
        let labels = (0..rows).map(|i| if number(i) > 0.0 { 1.0 } else { -1.0 }).collect();
        let data = Dataset::new("made", matrix, labels);
        for loss in Loss::ALL {
            let problem = Problem::new(&data, loss, Some(1e-2), seed).unwrap();
            for algorithm in algorithm::all() {
                if algorithm::check_problem(algorithm.as_ref(), &problem).is_ok() {
                    agree(&algorithm, &problem, loss.name());
                }
            }
        }
    }
}

#[test]
fn kept_as_f32_only_if_nothing_is_lost() {
    let exact = Matrix::dense(2, vec![1.0, -0.5, 255.0, 0.0]);
    let kept = exact.clone().kept_as(Precision::Auto).unwrap();
    assert!(matches!(kept.values(), Values::F32(_)));
    assert_eq!(kept, exact);
    assert_eq!((kept.entry_bytes(), exact.entry_bytes()), (8.0, 12.0));
    for lost in [0.1, 1e300, 1e-60, 16_777_217.0] {
        let matrix = Matrix::dense(2, vec![1.0, lost]);
        assert!(matches!(matrix.clone().kept_as(Precision::Auto).unwrap().values(), Values::F64(_)), "{lost}");
    }
    assert!(Matrix::dense(1, vec![1e300]).kept_as(Precision::F32).unwrap_err().contains("beyond the largest f32"));
    let rounded = Matrix::dense(1, vec![0.1]).kept_as(Precision::F32).unwrap();
    assert_eq!(rounded.row(0).iter().next(), Some((0, f64::from(0.1_f32))));
    assert_eq!(rounded.kept_as(Precision::F64).unwrap(), Matrix::dense(1, vec![f64::from(0.1_f32)]));
}
