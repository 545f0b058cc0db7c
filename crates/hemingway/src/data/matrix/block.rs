//! Many rows at once: which form they have is settled once, and rows of few columns are kept in registers.

use std::ops::Range;

use super::{Matrix, Numbers, Value, axpy, dot, either, sparse_axpy, sparse_dot};
use crate::data::ahead::ask_on;

/// What to do with rows of a number of columns that is known when this is compiled.
pub(crate) trait Narrow {
    /// Does it.
    fn run<V: Value, const D: usize>(&mut self, rows: &[[V; D]]);
}

/// Whether rows of `columns` values were few enough columns to be handled so.
#[inline(always)]
fn narrow<V: Value>(columns: usize, values: &[V], work: &mut impl Narrow) -> bool {
    match columns {
        1 => work.run::<V, 1>(values.as_chunks().0),
        2 => work.run::<V, 2>(values.as_chunks().0),
        3 => work.run::<V, 3>(values.as_chunks().0),
        4 => work.run::<V, 4>(values.as_chunks().0),
        5 => work.run::<V, 5>(values.as_chunks().0),
        6 => work.run::<V, 6>(values.as_chunks().0),
        7 => work.run::<V, 7>(values.as_chunks().0),
        8 => work.run::<V, 8>(values.as_chunks().0),
        _ => return false,
    }
    true
}

/// The first D numbers.
#[inline(always)]
fn first<const D: usize>(w: &[f64]) -> [f64; D] {
    std::array::from_fn(|k| w[k])
}

struct Dots<'a> {
    w: &'a [f64],
    z: &'a mut [f64],
}

impl Narrow for Dots<'_> {
    #[inline(always)]
    fn run<V: Value, const D: usize>(&mut self, rows: &[[V; D]]) {
        let w = first::<D>(self.w);
        for (z, row) in self.z.iter_mut().zip(rows) {
            *z = (0..D).fold(0.0, |sum, k| sum + row[k].wide() * w[k]);
        }
    }
}

struct Sum<'a> {
    a: &'a [f64],
    w: &'a mut [f64],
    squares: bool,
}

impl Narrow for Sum<'_> {
    #[inline(always)]
    fn run<V: Value, const D: usize>(&mut self, rows: &[[V; D]]) {
        let mut sum = first::<D>(self.w);
        for (a, row) in self.a.iter().zip(rows) {
            for k in 0..D {
                let v = row[k].wide();
                sum[k] += if self.squares { a * v * v } else { a * v };
            }
        }
        self.w[..D].copy_from_slice(&sum);
    }
}

/// z = x·w of sparse rows, each of which ends where the next begins.
#[inline(always)]
fn sparse_dots<V: Value>(starts: &[usize], indices: &[u32], values: &[V], w: &[f64], z: &mut [f64]) {
    for (z, ends) in z.iter_mut().zip(starts.windows(2)) {
        let row = ends[0]..ends[1];
        ask_on(indices, row.clone());
        ask_on(values, row.clone());
        *z = sparse_dot(&indices[row.clone()], &values[row], w);
    }
}

/// z = x·w of dense rows.
#[inline(always)]
fn dense_dots<V: Value>(columns: usize, values: &[V], w: &[f64], z: &mut [f64]) {
    if !narrow(columns, values, &mut Dots { w, z }) {
        z.iter_mut().zip(values.chunks_exact(columns.max(1))).for_each(|(z, row)| *z = dot(row, w));
    }
}

/// w += Σ aᵢxᵢ over sparse rows.
#[inline(always)]
fn add_sparse<V: Value>(starts: &[usize], indices: &[u32], values: &[V], a: &[f64], w: &mut [f64]) {
    for (a, ends) in a.iter().zip(starts.windows(2)).filter(|(a, _)| **a != 0.0) {
        sparse_axpy(*a, &indices[ends[0]..ends[1]], &values[ends[0]..ends[1]], w);
    }
}

/// w += Σ aᵢxᵢ over dense rows.
#[inline(always)]
fn add_dense<V: Value>(columns: usize, values: &[V], a: &[f64], w: &mut [f64]) {
    if !narrow(columns, values, &mut Sum { a, w, squares: false }) {
        a.iter().zip(values.chunks_exact(columns.max(1))).for_each(|(a, row)| axpy(*a, row, w));
    }
}

impl Matrix {
    /// Whether rows were dense and of few columns, and so handled.
    #[inline(always)]
    pub(crate) fn if_narrow(&self, rows: Range<usize>, work: &mut impl Narrow) -> bool {
        match self {
            Self::Dense { columns, values, .. } => {
                let values = values.get(rows.start * columns..rows.end * columns);
                either!(Numbers, values, values => narrow(*columns, values, work))
            }
            Self::Sparse { .. } => false,
        }
    }

    /// z = x·w of some rows.
    #[inline(always)]
    pub(crate) fn dots(&self, rows: Range<usize>, w: &[f64], z: &mut [f64]) {
        match self {
            Self::Sparse { starts, indices, values, .. } => {
                let starts = &starts[rows.start..=rows.end];
                either!(Numbers, values.numbers(), values => sparse_dots(starts, indices, values, w, z));
            }
            Self::Dense { columns, values, .. } => {
                let values = values.get(rows.start * columns..rows.end * columns);
                either!(Numbers, values, values => dense_dots(*columns, values, w, z));
            }
        }
    }

    /// w += Σ aᵢxᵢ over some rows.
    #[inline(always)]
    pub(crate) fn add_rows(&self, rows: Range<usize>, a: &[f64], w: &mut [f64]) {
        match self {
            Self::Sparse { starts, indices, values, .. } => {
                let starts = &starts[rows.start..=rows.end];
                either!(Numbers, values.numbers(), values => add_sparse(starts, indices, values, a, w));
            }
            Self::Dense { columns, values, .. } => {
                let values = values.get(rows.start * columns..rows.end * columns);
                either!(Numbers, values, values => add_dense(*columns, values, a, w));
            }
        }
    }

    /// w += Σ aᵢxᵢ² over some rows, entry by entry.
    #[inline(always)]
    pub(crate) fn add_squares(&self, rows: Range<usize>, a: &[f64], w: &mut [f64]) {
        if self.if_narrow(rows.clone(), &mut Sum { a, w, squares: true }) {
            return;
        }
        for (i, a) in rows.zip(a).filter(|(_, a)| **a != 0.0) {
            self.row(i).axpy_squares(*a, w);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::data::Matrix;

    fn close(a: &[f64], b: &[f64]) -> bool {
        let scale = a.iter().fold(1.0_f64, |most, v| most.max(v.abs()));
        a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-12 * scale)
    }

    /// Of any rows: what each row by itself would give.
    fn check(matrix: &Matrix, from: usize) -> bool {
        let (n, d) = (matrix.rows(), matrix.columns());
        let from = from % n;
        let w: Vec<f64> = (0..d).map(|j| 1.0 + j as f64).collect();
        let a: Vec<f64> = (from..n).map(|i| i as f64 - 3.0).collect();
        let (mut z, mut sum, mut squares) = (vec![0.0; n - from], w.clone(), w.clone());
        matrix.dots(from..n, &w, &mut z);
        matrix.add_rows(from..n, &a, &mut sum);
        matrix.add_squares(from..n, &a, &mut squares);
        let one_by_one: Vec<f64> = (from..n).map(|i| matrix.row(i).dot(&w)).collect();
        let (mut sum_1, mut squares_1) = (w.clone(), w.clone());
        for (i, a) in (from..n).zip(a) {
            matrix.row(i).axpy(a, &mut sum_1);
            matrix.row(i).axpy_squares(a, &mut squares_1);
        }
        close(&one_by_one, &z) && close(&sum_1, &sum) && close(&squares_1, &squares)
    }

    proptest! {
        #[test]
        fn many_rows_are_as_one_by_one(rows in 1_usize..90, columns in 1_usize..12, from in 0_usize..90) {
            let numbers = (0..rows * columns).map(|k| (k as f64 * 0.7).sin()).collect();
            let dense = Matrix::dense(columns, numbers);
            let mut sparse = Matrix::sparse(columns);
            (0..rows).for_each(|i| sparse.push_row(dense.row(i).iter().filter(|(_, v)| *v > 0.0)));
            prop_assert!(check(&dense, from));
            prop_assert!(check(&sparse, from));
        }
    }
}
