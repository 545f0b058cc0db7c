//! Data in: rows and labels, from files or made to order.

mod ahead;
pub mod cache;
mod classes;
#[cfg(feature = "parquet")]
pub mod columnar;
pub mod csv;
mod file;
mod format;
pub mod idx;
pub mod info;
mod layout;
pub mod libsvm;
pub mod matrix;
pub mod numpy;
pub mod prepare;
pub mod ratings;
pub mod reading;
pub mod save;
pub mod source;
pub mod synth;
mod text;
pub mod vw;
pub mod weights;

use std::ops::Range;
use std::sync::Arc;

use rand::seq::SliceRandom;

use crate::rng::{Purpose, keyed};
use crate::{Error, Result};
pub(crate) use ahead::{Ahead, ask_for};
pub use cache::Cache;
pub use classes::ClassWeight;
pub use info::Info;
pub(crate) use matrix::Narrow;
pub use matrix::{Matrix, Numbers, Precision, Row, Value, Values};
pub use prepare::{Normalize, Preparation, Prepared, Rules, prepare};
pub use reading::{Labels, Like, Reading, Weights};
pub use save::{SaveAs, save};
pub use source::{Loaded, Source};

/// Rows with one label each, and what each counts for.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    /// Where it came from, for people.
    pub name: String,
    /// The rows.
    pub matrix: Matrix,
    /// One label a row.
    pub labels: Vec<f64>,
    /// What each row counts for, on any scale; nothing where all count alike.
    pub weights: Option<Vec<f64>>,
}

impl Dataset {
    /// Rows that all count alike.
    pub fn new(name: impl Into<String>, matrix: Matrix, labels: Vec<f64>) -> Self {
        Self { name: name.into(), matrix, labels, weights: None }
    }

    /// Number of rows, n.
    pub fn rows(&self) -> usize {
        self.matrix.rows()
    }

    /// Number of columns, d.
    pub fn columns(&self) -> usize {
        self.matrix.columns()
    }

    /// The rows in the order in which they are dealt to machines: shuffled once by the seed, where they stand.
    pub fn shuffled(self, seed: u64) -> Self {
        let order = self.order(seed);
        let matrix = self.matrix.dealt(&order);
        let dealt = |values: Vec<f64>| order.iter().map(|&i| values[i as usize]).collect();
        let Self { name, labels, weights, .. } = self;
        Self { name, matrix, labels: dealt(labels), weights: weights.map(dealt) }
    }

    /// A share of the rows, at least one, drawn by the seed: what a smaller share holds, a larger one holds too.
    pub fn sample(&self, fraction: f64, seed: u64) -> Self {
        let rows = (fraction * self.rows() as f64).round() as usize;
        let order = self.order(seed);
        let drawn = &order[..rows.clamp(1.min(self.rows()), self.rows())];
        self.select(&drawn.iter().map(|&i| i as usize).collect::<Vec<_>>())
    }

    /// The rows in two parts, drawn by the seed and in their old order: those to train on and, a share of all, those to
    /// test on. Neither is empty.
    pub fn split(&self, test: f64, seed: u64) -> Result<(Self, Self)> {
        let rows = (test * self.rows() as f64).round() as usize;
        if !(1..self.rows()).contains(&rows) {
            let what = format!("{test} leaves one part of {} rows empty; say a share above 0 and below 1", self.rows());
            return Err(Error::setting("--test", what));
        }
        let mut order = self.order(seed);
        let (test, train) = order.split_at_mut(rows);
        test.sort_unstable();
        train.sort_unstable();
        let select = |rows: &[u32]| self.select(&rows.iter().map(|&i| i as usize).collect::<Vec<_>>());
        Ok((select(train), select(test)))
    }

    fn order(&self, seed: u64) -> Vec<u32> {
        dealing_order(self.rows(), seed)
    }

    /// Some of the rows, in this order.
    pub fn select(&self, order: &[usize]) -> Self {
        Self {
            name: self.name.clone(),
            matrix: self.matrix.select(order.iter().copied()),
            labels: order.iter().map(|&i| self.labels[i]).collect(),
            weights: self.weights.as_ref().map(|weights| order.iter().map(|&i| weights[i]).collect()),
        }
    }

    /// A short name for these exact numbers, so that records of one problem find each other.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint_from(0)
    }

    /// The same of a part that begins with row `first`: those of all parts add up to that of the whole (FNV-1a over each
    /// row's number, label, weight and entries).
    pub fn fingerprint_from(&self, first: usize) -> u64 {
        let of_row = |i: usize| {
            let weight = self.weights.as_ref().map(|weights| weights[i]);
            fingerprint_of_row(first + i, self.labels[i], weight, self.matrix.row(i).iter())
        };
        (0..self.rows()).map(of_row).fold(0, u64::wrapping_add)
    }
}

/// The rows one machine holds: a range of the shared data set. Or the columns, where those are dealt: then what it calls
/// rows are columns.
#[derive(Debug, Clone)]
pub struct Shard {
    /// Which machine.
    pub worker: usize,
    /// The seed of the run, for the worker's generators.
    pub seed: u64,
    data: Arc<Dataset>,
    columns: Option<Arc<Dataset>>,
    range: Range<usize>,
    /// What number among all the first row of the data has: a process may hold only some.
    first: usize,
    /// The columns that the machine holds beside its rows.
    across: Option<Box<Shard>>,
}

impl Shard {
    /// Machine `worker` holds rows `range` of `data`.
    pub fn new(data: Arc<Dataset>, range: Range<usize>, worker: usize, seed: u64) -> Self {
        Self { worker, seed, data, columns: None, range, first: 0, across: None }
    }

    /// The same range of the columns of `data`, which are the rows of `columns`.
    pub fn of_columns(self, columns: Arc<Dataset>) -> Self {
        Self { columns: Some(columns), ..self }
    }

    /// The same with columns beside the rows.
    pub fn with_columns(self, columns: Self) -> Self {
        Self { across: Some(Box::new(columns)), ..self }
    }

    /// The columns held beside the rows, as a shard whose rows they are.
    pub fn across(&self) -> Option<&Self> {
        self.across.as_deref()
    }

    /// The same where the data, or the columns, are only a part of all, which begins with this one.
    pub fn of_part(self, first: usize) -> Self {
        Self { first, ..self }
    }

    /// Its first row, or column, among all.
    pub fn start(&self) -> usize {
        self.first + self.range.start
    }

    /// The labels of all rows, whoever holds them: where columns are dealt, every process has them.
    pub fn all_labels(&self) -> &[f64] {
        &self.data.labels
    }

    /// Rows held.
    pub fn len(&self) -> usize {
        self.range.len()
    }

    /// No rows at all: more machines than rows.
    pub fn is_empty(&self) -> bool {
        self.range.is_empty()
    }

    /// The i-th held row.
    #[inline(always)]
    pub fn row(&self, i: usize) -> Row<'_> {
        self.matrix().row(self.range.start + i)
    }

    /// Held rows by number, in this order. Those that come next are asked for in time: memory cannot guess what a shuffled
    /// order wants.
    #[inline(always)]
    pub(crate) fn visit<'a>(&'a self, order: &'a [u32]) -> impl Iterator<Item = usize> + 'a {
        let ahead = self.ahead();
        order.iter().enumerate().map(
            #[inline(always)]
            move |(k, i)| {
                if let Some(later) = ahead.soon(order, k) {
                    ask_for(self.row(later));
                }
                *i as usize
            },
        )
    }

    /// Looks ahead in orders of held rows.
    pub(crate) fn ahead(&self) -> Ahead<'_> {
        Ahead::of(self.matrix(), self.range.start)
    }

    /// The matrix of which it holds a range.
    #[inline(always)]
    fn matrix(&self) -> &Matrix {
        &self.columns.as_ref().unwrap_or(&self.data).matrix
    }

    /// Where held rows lie among all.
    #[inline(always)]
    fn among_all(&self, rows: Range<usize>) -> Range<usize> {
        self.range.start + rows.start..self.range.start + rows.end
    }

    /// Whether held rows are dense and of few columns, and so were handled.
    pub(crate) fn if_narrow(&self, work: &mut impl Narrow) -> bool {
        self.matrix().if_narrow(self.range.clone(), work)
    }

    /// z = x·w of some held rows.
    #[inline(always)]
    pub(crate) fn dots(&self, rows: Range<usize>, w: &[f64], z: &mut [f64]) {
        self.matrix().dots(self.among_all(rows), w, z);
    }

    /// w += Σ aᵢxᵢ over some held rows.
    #[inline(always)]
    pub(crate) fn add_rows(&self, rows: Range<usize>, a: &[f64], w: &mut [f64]) {
        self.matrix().add_rows(self.among_all(rows), a, w);
    }

    /// w += Σ aᵢxᵢ² over some held rows, entry by entry.
    #[inline(always)]
    pub(crate) fn add_squares(&self, rows: Range<usize>, a: &[f64], w: &mut [f64]) {
        self.matrix().add_squares(self.among_all(rows), a, w);
    }

    /// The labels of held rows.
    pub fn labels(&self) -> &[f64] {
        &self.data.labels[self.range.clone()]
    }

    /// What held rows count for; nothing where all count alike.
    pub fn weights(&self) -> Option<&[f64]> {
        self.data.weights.as_ref().map(|weights| &weights[self.range.clone()])
    }

    /// Its label.
    #[inline(always)]
    pub fn label(&self, i: usize) -> f64 {
        self.data.labels[self.range.start + i]
    }

    /// What it counts for: sᵢ, 1 on average over all rows.
    #[inline(always)]
    pub fn weight(&self, i: usize) -> f64 {
        self.data.weight(self.range.start + i)
    }

    /// What a held row counts for on average; never 0.
    pub fn mean_weight(&self) -> f64 {
        let sum: f64 = (0..self.len()).map(|i| self.weight(i)).sum();
        (sum / self.len().max(1) as f64).max(f64::MIN_POSITIVE)
    }

    /// What all rows count for, whoever holds them; nothing where all count alike.
    pub fn all_weights(&self) -> Option<&[f64]> {
        self.data.weights.as_deref()
    }

    /// Stored entries of all held rows.
    pub fn stored(&self) -> u64 {
        self.matrix().stored_in(self.range.clone()) as u64
    }
}

/// The rows in the order in which the seed deals them.
pub(crate) fn dealing_order(rows: usize, seed: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..).take(rows).collect();
    order.shuffle(&mut keyed(seed, Purpose::Deal, 0, 0));
    order
}

/// What one row adds to the fingerprint of its data.
pub(crate) fn fingerprint_of_row(
    number: usize,
    label: f64,
    weight: Option<f64>,
    row: impl Iterator<Item = (u32, f64)>,
) -> u64 {
    let mut hash = Fnv::default();
    hash.write(number as u64);
    hash.write(label.to_bits());
    weight.iter().for_each(|weight| hash.write(weight.to_bits()));
    for (j, v) in row.filter(|(_, v)| *v != 0.0) {
        hash.write(u64::from(j));
        hash.write(v.to_bits());
    }
    hash.0
}

#[derive(Debug)]
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn write(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        self.0 ^= self.0 >> 29;
    }
}

#[cfg(test)]
pub(crate) use tests::{any_dataset, dense_rows};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Small data sets of any numbers, dense and sparse.
    pub(crate) fn any_dataset() -> impl Strategy<Value = Dataset> {
        let number = prop_oneof![prop::num::f64::NORMAL, -9.0..9.0, (-9..9).prop_map(f64::from), Just(5e-324)];
        (1_u32..12).prop_flat_map(move |columns| {
            let row =
                prop::collection::btree_map(0..columns, number.clone().prop_filter("no zero", |v| *v != 0.0), 0..6);
            prop::collection::vec((number.clone(), row), 1..20).prop_map(move |rows| {
                let mut matrix = Matrix::sparse(columns as usize);
                rows.iter().for_each(|(_, row)| matrix.push_row(row.iter().map(|(j, v)| (*j, *v))));
                let labels = rows.iter().map(|(label, _)| *label).collect();
                Dataset::new("made", matrix.compact(), labels)
            })
        })
    }

    /// The rows with every zero written out.
    pub(crate) fn dense_rows(matrix: &Matrix) -> Vec<Vec<f64>> {
        let row = |i| {
            let mut row = vec![0.0; matrix.columns()];
            matrix.row(i).axpy(1.0, &mut row);
            row
        };
        (0..matrix.rows()).map(row).collect()
    }

    #[test]
    fn a_smaller_sample_is_part_of_a_larger_one() {
        let rows = 50;
        let labels: Vec<f64> = (0..rows).map(f64::from).collect();
        let data = Dataset::new("made up", Matrix::dense(1, labels.clone()), labels);
        let (small, large) = (data.sample(0.1, 7), data.sample(0.4, 7));
        assert_eq!((small.rows(), large.rows()), (5, 20));
        assert_eq!(large.labels[..5], small.labels[..]);
        assert_ne!(small.labels, data.sample(0.1, 8).labels);
        assert_eq!(data.sample(1e-6, 7).rows(), 1, "never empty");
        assert_eq!(data.sample(1.0, 7), data.shuffled(7));
    }

    #[test]
    fn fingerprints_of_parts_add_up() {
        let labels: Vec<f64> = (0..9).map(f64::from).collect();
        let data = Dataset::new("made up", Matrix::dense(1, labels.clone()), labels);
        let part = |rows: Range<usize>| data.select(&rows.clone().collect::<Vec<_>>()).fingerprint_from(rows.start);
        assert_eq!(part(0..4).wrapping_add(part(4..4)).wrapping_add(part(4..9)), data.fingerprint());
        assert_ne!(data.select(&[1, 0, 2, 3, 4, 5, 6, 7, 8]).fingerprint(), data.fingerprint(), "order matters");
    }

    #[test]
    fn a_split_deals_every_row_once() {
        let labels: Vec<f64> = (0..50).map(f64::from).collect();
        let data = Dataset::new("made up", Matrix::dense(1, labels.clone()), labels);
        let (train, test) = data.split(0.2, 7).unwrap();
        assert_eq!((train.rows(), test.rows()), (40, 10));
        assert!(train.labels.is_sorted() && test.labels.is_sorted());
        let mut all = [train.labels, test.labels.clone()].concat();
        all.sort_by(f64::total_cmp);
        assert_eq!(all, data.labels);
        assert_ne!(test.labels, data.split(0.2, 8).unwrap().1.labels);
        for share in [0.0, 1.0, -0.5, 1.5, f64::NAN, 1e-6, 0.999] {
            assert!(data.split(share, 7).is_err(), "{share}");
        }
    }
}
