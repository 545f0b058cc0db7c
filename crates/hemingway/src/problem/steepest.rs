//! How steep the losses are at w = 0: the least λ₁ that leaves every coefficient there.
//!
//! Slopes are added up as whole numbers, which come to the same in any order: processes that each hold some of the rows find
//! to the bit what one finds that holds them all.

use super::Loss;
use crate::data::Dataset;

/// Parts of 1 that slopes are counted in.
const PARTS: f64 = (1u128 << 60) as f64;

/// n times the slope of the mean loss along every column, over the rows of `data`.
pub(crate) fn slopes(data: &Dataset, loss: Loss) -> Vec<i128> {
    let mut sums = vec![0_i128; data.columns()];
    for i in 0..data.rows() {
        let slope = data.weight(i) * loss.slope(0.0, data.labels[i]);
        for (column, value) in data.matrix.row(i).iter() {
            let sum = &mut sums[column as usize];
            *sum = sum.saturating_add((slope * value * PARTS) as i128);
        }
    }
    sums
}

/// The steepest of those sums, over n rows.
pub(crate) fn steepest(sums: impl Iterator<Item = i128>, rows: usize) -> f64 {
    sums.map(i128::unsigned_abs).max().unwrap_or(0) as f64 / PARTS / rows.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::source::Source;
    use crate::problem::Problem;

    #[test]
    fn it_is_where_the_first_coefficient_leaves_0() {
        let data = Source::parse("synth:ridge,rows=200,columns=8,seed=5").unwrap().load().unwrap().dataset;
        let problem = Problem::new(&data, Loss::Squared, Some(0.0), 3).unwrap();
        let steepest = problem.steepest();
        // P along one column, a little to either side of 0.
        let falls = |share: f64| {
            let problem = problem.clone().with_l1(share * steepest).unwrap();
            let at = |j: usize, step: f64| {
                let mut w = vec![0.0; 8];
                w[j] = step;
                problem.objective(&w)
            };
            (0..8).any(|j| at(j, 1e-6).min(at(j, -1e-6)) < at(j, 0.0))
        };
        assert!(falls(0.999) && !falls(1.001), "{steepest}");
    }

    #[test]
    fn shares_of_the_rows_add_up_to_the_bit() {
        let data = Source::parse("synth:sparse,rows=300,columns=40,density=0.2").unwrap().load().unwrap().dataset;
        let part = |rows: std::ops::Range<usize>| slopes(&data.select(&rows.collect::<Vec<_>>()), Loss::Logistic);
        let sums = part(170..300).into_iter().zip(part(0..170)).map(|(a, b)| a + b);
        assert_eq!(sums.collect::<Vec<_>>(), part(0..300));
    }
}
