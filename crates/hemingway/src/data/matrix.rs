//! Rows of numbers, sparse or dense by density. Our own because all we need is rows, dots and axpys, split by range.

mod block;
mod deal;
mod kernels;
mod values;

use super::ahead::ask_for;
pub(crate) use block::Narrow;
pub(crate) use kernels::long_dot;
pub use kernels::{axpy, dot};
use kernels::{dot_both, sparse_axpy, sparse_axpy_squares, sparse_dot, sparse_dot_asking, sparse_dot_both};
pub(crate) use values::either;
pub use values::{Numbers, Precision, Value, Values};

/// Above this share of non-zeros a dense row is both smaller and faster.
const DENSE_ABOVE: f64 = 1.0 / 3.0;

/// Entries from which on a row that comes later is asked for on the way through another.
const LONG: usize = 96;

/// Bytes of a column's number. Whether data fits a machine is counted with these, dense or not.
const BYTES_OF_COLUMN: usize = 4;
/// Bytes of a stored entry, a value and a column, where values are f64: what moving rows is charged for at most.
pub const BYTES_PER_ENTRY: f64 = 12.0;

/// A model of more columns than this takes more than a gigabyte for each of its vectors.
const MANY_COLUMNS: usize = 1 << 27;
/// Where so many columns share one entry, nearly all are empty.
const MOSTLY_EMPTY: usize = 1000;

/// A matrix by rows.
#[derive(Debug, Clone, PartialEq)]
pub enum Matrix {
    /// Compressed sparse rows.
    Sparse {
        /// Number of columns.
        columns: usize,
        /// Row i holds entries `starts[i]..starts[i + 1]`.
        starts: Vec<usize>,
        /// Column of each entry, ascending within a row.
        indices: Vec<u32>,
        /// Value of each entry.
        values: Values,
    },
    /// Row-major dense.
    Dense {
        /// Number of rows (a matrix of no columns still has rows).
        rows: usize,
        /// Number of columns.
        columns: usize,
        /// `rows × columns` values.
        values: Values,
    },
}

/// One row, borrowed.
#[derive(Debug, Clone, Copy)]
pub enum Row<'a> {
    /// Columns and their values.
    Sparse(&'a [u32], Numbers<'a>),
    /// One value per column.
    Dense(Numbers<'a>),
}

impl Matrix {
    /// An empty sparse matrix to `push_row` into.
    pub fn sparse(columns: usize) -> Self {
        Self::Sparse { columns, starts: vec![0], indices: Vec::new(), values: Vec::new().into() }
    }

    /// An empty dense matrix to `push_row` into.
    pub fn no_rows(columns: usize) -> Self {
        Self::Dense { rows: 0, columns, values: Vec::new().into() }
    }

    /// An empty matrix to `push_row` into, of this form and with values kept as these are.
    pub fn empty_like(&self, columns: usize) -> Self {
        match self {
            Self::Sparse { values, .. } => {
                Self::Sparse { columns, starts: vec![0], indices: Vec::new(), values: values.none_like() }
            }
            Self::Dense { values, .. } => Self::Dense { rows: 0, columns, values: values.none_like() },
        }
    }

    /// An empty matrix to `push_row` into, in the form that rows of so many entries ask for.
    pub fn for_rows_of(entries: usize, columns: usize) -> Self {
        match entries as f64 > DENSE_ABOVE * columns as f64 {
            true => Self::no_rows(columns),
            false => Self::sparse(columns),
        }
    }

    /// A dense matrix from its rows laid end to end.
    ///
    /// # Panics
    /// If `values` does not divide into rows.
    pub fn dense(columns: usize, values: Vec<f64>) -> Self {
        assert!(columns > 0 && values.len().is_multiple_of(columns), "values must fill whole rows");
        Self::Dense { rows: values.len() / columns, columns, values: values.into() }
    }

    /// Appends a row given as ascending (column, value) pairs.
    pub fn push_row(&mut self, row: impl IntoIterator<Item = (u32, f64)>) {
        match self {
            Self::Sparse { starts, indices, values, .. } => {
                for (j, v) in row {
                    indices.push(j);
                    values.extend(Numbers::F64(&[v]));
                }
                starts.push(indices.len());
            }
            Self::Dense { rows, columns, values } => {
                let start = values.len();
                values.extend_zeros(*columns);
                row.into_iter().for_each(|(j, v)| values.set(start + j as usize, v));
                *rows += 1;
            }
        }
    }

    /// Number of rows, n.
    pub fn rows(&self) -> usize {
        match self {
            Self::Sparse { starts, .. } => starts.len() - 1,
            Self::Dense { rows, .. } => *rows,
        }
    }

    /// Number of columns, d.
    pub fn columns(&self) -> usize {
        match self {
            Self::Sparse { columns, .. } | Self::Dense { columns, .. } => *columns,
        }
    }

    /// Stored entries: what a pass over the data costs.
    pub fn stored(&self) -> usize {
        self.values().len()
    }

    /// The stored values, row after row.
    pub fn values(&self) -> &Values {
        let (Self::Sparse { values, .. } | Self::Dense { values, .. }) = self;
        values
    }

    /// Whether values are kept as f32.
    pub fn is_f32(&self) -> bool {
        matches!(self.values(), Values::F32(_))
    }

    /// The same, to be exchanged.
    pub(super) fn values_mut(&mut self) -> &mut Values {
        let (Self::Sparse { values, .. } | Self::Dense { values, .. }) = self;
        values
    }

    /// Bytes of a stored entry in memory, a value and a column.
    pub fn entry_bytes(&self) -> f64 {
        (self.values().width() + BYTES_OF_COLUMN) as f64
    }

    /// The same matrix with its values kept as asked for.
    ///
    /// # Errors
    /// The sentence to show, if a value is beyond all f32.
    pub fn kept_as(mut self, precision: Precision) -> Result<Self, String> {
        if precision == Precision::F32
            && let Some(v) = self.values().iter().find(|v| v.is_finite() && !(*v as f32).is_finite())
        {
            return Err(format!("{v:e} is beyond the largest f32; leave out --storage f32, or scale the data"));
        }
        self.values_mut().keep_as(precision);
        Ok(self)
    }

    /// Stored entries of some rows.
    pub(crate) fn stored_in(&self, rows: std::ops::Range<usize>) -> usize {
        match self {
            Self::Sparse { starts, .. } => starts[rows.end] - starts[rows.start],
            Self::Dense { columns, .. } => rows.len() * columns,
        }
    }

    /// Entries that are not zero.
    pub fn nonzeros(&self) -> usize {
        either!(Values, self.values(), values => values.iter().filter(|v| v.wide() != 0.0).count())
    }

    /// The same matrix, unless it is so wide for what it holds that an index must be a slip of the pen: a few bytes must
    /// not ask for gigabytes.
    ///
    /// # Errors
    /// The sentence to show.
    pub(super) fn not_too_wide(self) -> Result<Self, String> {
        check_width(self.columns(), self.stored()).map(|()| self)
    }

    /// Row i.
    #[inline(always)]
    pub fn row(&self, i: usize) -> Row<'_> {
        match self {
            Self::Sparse { starts, indices, values, .. } => {
                let range = starts[i]..starts[i + 1];
                Row::Sparse(&indices[range.clone()], values.get(range))
            }
            Self::Dense { columns, values, .. } => Row::Dense(values.get(i * columns..(i + 1) * columns)),
        }
    }

    /// The same matrix in the form its density asks for.
    pub fn compact(self) -> Self {
        let dense = is_dense(self.nonzeros(), self.rows(), self.columns());
        self.in_form(dense)
    }

    /// The same matrix, dense or sparse.
    pub(crate) fn in_form(self, dense: bool) -> Self {
        match self {
            Self::Sparse { columns, starts, indices, mut values } if dense => {
                either!(Values, &mut values, values => spread(columns, &starts, &indices, values));
                Self::Dense { rows: starts.len() - 1, columns, values }
            }
            Self::Dense { columns, ref values, .. } if !dense => {
                let (starts, indices) = (vec![0], Vec::new());
                let mut sparse = Self::Sparse { columns, starts, indices, values: values.none_like() };
                (0..self.rows()).for_each(|i| sparse.push_row(self.row(i).iter().filter(|(_, v)| *v != 0.0)));
                sparse
            }
            _ => self,
        }
    }

    /// Rows for columns and columns for rows, in the same form.
    pub fn transposed(&self) -> Self {
        let (rows, columns) = (self.rows(), self.columns());
        match self {
            Self::Sparse { .. } => self.transposed_sparse(),
            Self::Dense { values, .. } => {
                let values = match values {
                    Values::F64(values) => Values::F64(turned(values, rows, columns)),
                    Values::F32(values) => Values::F32(turned(values, rows, columns)),
                };
                Self::Dense { rows: columns, columns: rows, values }
            }
        }
    }

    /// Counts the entries of every column first, so that each has its place.
    fn transposed_sparse(&self) -> Self {
        let mut starts = vec![0; self.columns() + 1];
        for i in 0..self.rows() {
            self.row(i).iter().for_each(|(j, _)| starts[j as usize + 1] += 1);
        }
        for j in 0..self.columns() {
            starts[j + 1] += starts[j];
        }
        let mut next = starts.clone();
        let (mut indices, mut values) = (vec![0; self.stored()], self.values().none_like());
        values.extend_zeros(self.stored());
        for i in 0..self.rows() {
            for (j, v) in self.row(i).iter() {
                let place = &mut next[j as usize];
                indices[*place] = i as u32;
                values.set(*place, v);
                *place += 1;
            }
        }
        Self::Sparse { columns: self.rows(), starts, indices, values }
    }

    /// The rows in another order, or only some of them.
    pub fn select(&self, rows: impl IntoIterator<Item = usize>) -> Self {
        let mut out = self.empty_like(self.columns());
        for i in rows {
            match (&mut out, self.row(i)) {
                (Self::Dense { rows, values, .. }, Row::Dense(row)) => {
                    values.extend(row);
                    *rows += 1;
                }
                (Self::Sparse { starts, indices, values, .. }, Row::Sparse(columns, row)) => {
                    indices.extend_from_slice(columns);
                    values.extend(row);
                    starts.push(indices.len());
                }
                (out, row) => out.push_row(row.iter()),
            }
        }
        out
    }
}

/// Whether a matrix of so many non-zeros is dense.
pub(crate) fn is_dense(nonzeros: usize, rows: usize, columns: usize) -> bool {
    nonzeros as f64 > DENSE_ABOVE * (rows as f64 * columns as f64)
}

/// Whether so many columns for so few entries must be a slip of the pen.
///
/// # Errors
/// The sentence to show.
pub(crate) fn check_width(columns: usize, stored: usize) -> Result<(), String> {
    if columns <= MANY_COLUMNS || columns / MOSTLY_EMPTY < stored {
        return Ok(());
    }
    let gigabytes = columns as f64 * 8e-9;
    Err(format!(
        "its largest index makes {columns} columns for {stored} entries, and a model of {gigabytes:.1} GB: number the \
         columns without such gaps"
    ))
}

/// Columns end to end, from rows end to end.
fn turned<V: Value>(values: &[V], rows: usize, columns: usize) -> Vec<V> {
    (0..columns).flat_map(|j| (0..rows).map(move |i| values[i * columns + j])).collect()
}

/// Writes out the zeros of sparse rows, from the end on: no entry's place is before where it stands.
fn spread<V: Value>(columns: usize, starts: &[usize], indices: &[u32], values: &mut Vec<V>) {
    let (rows, zero) = (starts.len() - 1, V::default());
    values.resize(rows * columns, zero);
    for i in (0..rows).rev() {
        let mut end = (i + 1) * columns;
        for k in (starts[i]..starts[i + 1]).rev() {
            let (v, place) = (values[k], i * columns + indices[k] as usize);
            values[place + 1..end].fill(zero);
            values[place] = v;
            end = place;
        }
        values[i * columns..end].fill(zero);
    }
}

impl<'a> Row<'a> {
    /// x·w. The order of additions is fixed: results repeat to the bit.
    #[inline(always)]
    pub fn dot(self, w: &[f64]) -> f64 {
        match self {
            Self::Sparse(indices, values) => either!(Numbers, values, values => sparse_dot(indices, values, w)),
            Self::Dense(row) => either!(Numbers, row, row => dot(row, w)),
        }
    }

    /// [`Row::dot`] to the bit, which asks memory for a row of the same matrix that comes later.
    #[inline(always)]
    pub(crate) fn dot_asking(self, w: &[f64], later: Row<'_>) -> f64 {
        match (self, later) {
            (Self::Sparse(i, Numbers::F64(x)), Row::Sparse(j, Numbers::F64(y))) if j.len() >= LONG => {
                sparse_dot_asking((i, x), w, (j, y))
            }
            (Self::Sparse(i, Numbers::F32(x)), Row::Sparse(j, Numbers::F32(y))) if j.len() >= LONG => {
                sparse_dot_asking((i, x), w, (j, y))
            }
            _ => {
                ask_for(later);
                self.dot(w)
            }
        }
    }

    /// x·w over so many lanes that a dense x waits for memory only; its bits are not those of [`Row::dot`].
    #[inline(always)]
    pub(crate) fn long_dot(self, w: &[f64]) -> f64 {
        match self {
            Self::Sparse(indices, values) => either!(Numbers, values, values => sparse_dot(indices, values, w)),
            Self::Dense(row) => either!(Numbers, row, row => long_dot(row, w)),
        }
    }

    /// x·a and x·b of vectors that lie side by side, so that what is fetched for one is there for the other; each with the
    /// bits of [`Row::dot`].
    #[inline(always)]
    pub(crate) fn dot_both(self, both: &[[f64; 2]]) -> [f64; 2] {
        match self {
            Self::Sparse(indices, values) => either!(Numbers, values, values => sparse_dot_both(indices, values, both)),
            Self::Dense(row) => either!(Numbers, row, row => dot_both(row, both)),
        }
    }

    /// b += c·x of the second of two vectors that lie side by side.
    #[inline(always)]
    pub(crate) fn axpy_second(self, c: f64, both: &mut [[f64; 2]]) {
        match self {
            Self::Sparse(indices, values) => either!(Numbers, values, values => {
                indices.iter().zip(values).for_each(|(&j, v)| both[j as usize][1] += c * v.wide());
            }),
            Self::Dense(row) => either!(Numbers, row, row => {
                both.iter_mut().zip(row).for_each(|(pair, v)| pair[1] += c * v.wide());
            }),
        }
    }

    /// w += a·x.
    #[inline(always)]
    pub fn axpy(self, a: f64, w: &mut [f64]) {
        match self {
            Self::Sparse(indices, values) => either!(Numbers, values, values => sparse_axpy(a, indices, values, w)),
            Self::Dense(row) => either!(Numbers, row, row => axpy(a, row, w)),
        }
    }

    /// w += a·x², entry by entry.
    #[inline(always)]
    pub fn axpy_squares(self, a: f64, w: &mut [f64]) {
        match self {
            Self::Sparse(indices, values) => {
                either!(Numbers, values, values => sparse_axpy_squares(a, indices, values, w));
            }
            Self::Dense(row) => {
                either!(Numbers, row, row => w.iter_mut().zip(row).for_each(|(w, v)| *w += a * v.wide() * v.wide()));
            }
        }
    }

    /// ‖x‖².
    #[inline(always)]
    pub fn norm_sq(self) -> f64 {
        let (Self::Sparse(_, values) | Self::Dense(values)) = self;
        either!(Numbers, values, values => dot(values, values))
    }

    /// Stored entries: what touching the row costs.
    #[inline(always)]
    pub fn stored(self) -> usize {
        let (Self::Sparse(_, values) | Self::Dense(values)) = self;
        values.len()
    }

    /// (column, value) pairs, ascending.
    pub fn iter(self) -> impl Iterator<Item = (u32, f64)> + 'a {
        let (indices, values) = match self {
            Self::Sparse(indices, values) => (Some(indices), values),
            Self::Dense(values) => (None, values),
        };
        values.iter().enumerate().map(move |(k, v)| (indices.map_or(k as u32, |i| i[k]), v))
    }
}
