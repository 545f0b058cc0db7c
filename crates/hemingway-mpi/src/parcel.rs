//! Rows as bytes, in pieces of bounded size.

use std::ops::Range;

use bytemuck::{Pod, cast_slice, cast_slice_mut};
use hemingway::data::{Dataset, Matrix, Numbers, Values};
use hemingway::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::wire::packed;

/// Stored entries that travel at a time, unless a single row has more.
const ENTRIES: usize = 1 << 16;

/// What rows look like, so that a rank that has none yet can hold some.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Shape {
    name: String,
    columns: usize,
    sparse: bool,
    f32: bool,
    weighted: bool,
}

/// What a piece holds, before its arrays.
#[derive(Serialize, Deserialize)]
struct Head {
    rows: usize,
    entries: usize,
    f32: bool,
    labels: usize,
    weights: usize,
}

impl Shape {
    pub(crate) fn of(data: &Dataset) -> Self {
        Self {
            name: data.name.clone(),
            columns: data.columns(),
            sparse: matches!(data.matrix, Matrix::Sparse { .. }),
            f32: data.matrix.is_f32(),
            weighted: data.weights.is_some(),
        }
    }

    /// No rows yet.
    pub(crate) fn empty(&self) -> Dataset {
        let columns = self.columns;
        let values = if self.f32 { Values::F32(Vec::new()) } else { Values::F64(Vec::new()) };
        let matrix = match self.sparse {
            true => Matrix::Sparse { columns, starts: vec![0], indices: Vec::new(), values },
            false => Matrix::Dense { rows: 0, columns, values },
        };
        let weights = self.weighted.then(Vec::new);
        Dataset { weights, ..Dataset::new(self.name.clone(), matrix, Vec::new()) }
    }
}

/// The pieces in which some rows travel.
pub(crate) fn pieces(data: &Dataset, rows: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut next = rows.start;
    std::iter::from_fn(move || {
        let start = next;
        let mut entries = 0;
        while next < rows.end && (entries == 0 || entries < ENTRIES) {
            // An empty row weighs something too.
            entries += 1 + data.matrix.row(next).stored();
            next += 1;
        }
        (start < next).then_some(start..next)
    })
}

/// Some rows as bytes.
pub(crate) fn pack(data: &Dataset, rows: Range<usize>) -> Vec<u8> {
    let some = |numbers: &[f64]| if numbers.is_empty() { 0..0 } else { rows.clone() };
    let labels = &data.labels[some(&data.labels)];
    let weights = data.weights.as_ref().map_or(&[][..], |weights| &weights[some(weights)]);
    let (entries, mut arrays): (Range<usize>, Vec<&[u8]>) = match &data.matrix {
        Matrix::Sparse { starts, indices, .. } => {
            let entries = starts[rows.start]..starts[rows.end];
            let ends = &starts[rows.start..=rows.end];
            (entries.clone(), vec![cast_slice(ends), cast_slice(&indices[entries])])
        }
        Matrix::Dense { columns, .. } => (rows.start * columns..rows.end * columns, Vec::new()),
    };
    arrays.push(match data.matrix.values().get(entries.clone()) {
        Numbers::F64(values) => cast_slice(values),
        Numbers::F32(values) => cast_slice(values),
    });
    let (rows, entries, f32) = (rows.len(), entries.len(), data.matrix.is_f32());
    let mut bytes = packed(&Head { rows, entries, f32, labels: labels.len(), weights: weights.len() });
    arrays
        .into_iter()
        .chain([cast_slice(labels), cast_slice(weights)])
        .for_each(|array| bytes.extend_from_slice(array));
    bytes
}

/// Adds rows from bytes to those that are there; how many.
pub(crate) fn unpack(bytes: &[u8], into: &mut Dataset) -> Result<usize> {
    let (head, mut rest): (Head, _) = postcard::take_from_bytes(bytes).map_err(|_| cut())?;
    match &mut into.matrix {
        Matrix::Sparse { starts, indices, values, .. } => {
            let ends: Vec<usize> = take(&mut rest, head.rows + 1)?;
            let before = indices.len();
            starts.extend(ends[1..].iter().map(|end| before + end - ends[0]));
            indices.extend(take::<u32>(&mut rest, head.entries)?);
            take_values(&mut rest, &head, values)?;
        }
        Matrix::Dense { rows, values, .. } => {
            take_values(&mut rest, &head, values)?;
            *rows += head.rows;
        }
    }
    into.labels.extend(take::<f64>(&mut rest, head.labels)?);
    let weights: Vec<f64> = take(&mut rest, head.weights)?;
    into.weights.iter_mut().for_each(|all| all.extend(&weights));
    Ok(head.rows)
}

/// Values that may be kept in another way here than where they came from.
fn take_values(bytes: &mut &[u8], head: &Head, into: &mut Values) -> Result<()> {
    match head.f32 {
        true => into.extend(Numbers::F32(&take(bytes, head.entries)?)),
        false => into.extend(Numbers::F64(&take(bytes, head.entries)?)),
    }
    Ok(())
}

/// The next array. Bytes lie anywhere; numbers do not.
fn take<T: Pod>(bytes: &mut &[u8], count: usize) -> Result<Vec<T>> {
    let (array, rest) = bytes.split_at_checked(count * size_of::<T>()).ok_or_else(cut)?;
    let mut numbers = vec![T::zeroed(); count];
    cast_slice_mut(&mut numbers).copy_from_slice(array);
    *bytes = rest;
    Ok(numbers)
}

fn cut() -> Error {
    Error::Engine("rows were cut short between ranks".into())
}

#[cfg(test)]
mod tests {
    use hemingway::data::Precision;

    use super::*;

    fn some(sparse: bool) -> Dataset {
        let mut matrix = if sparse { Matrix::sparse(5) } else { Matrix::no_rows(5) };
        (0..9_u32).for_each(|i| matrix.push_row((0..i % 4).map(|j| (j, f64::from(i * j) - 0.5))));
        let numbers: Vec<f64> = (0..9).map(f64::from).collect();
        Dataset { weights: Some(numbers.clone()), ..Dataset::new("some", matrix, numbers) }
    }

    #[test]
    fn rows_arrive_as_they_left() {
        for data in [some(true), some(false)] {
            let mut there = Shape::of(&data).empty();
            for rows in [0..3, 3..3, 3..8, 8..9] {
                assert_eq!(unpack(&pack(&data, rows.clone()), &mut there).unwrap(), rows.len());
            }
            assert_eq!(there, data);
        }
    }

    #[test]
    fn rows_arrive_however_either_side_keeps_them() {
        for (data, there, here) in
            [(some(true), Precision::F32, Precision::F64), (some(false), Precision::F64, Precision::F32)]
        {
            let kept = |precision| Dataset { matrix: data.matrix.clone().kept_as(precision).unwrap(), ..data.clone() };
            let mut arrived = Shape::of(&kept(here)).empty();
            unpack(&pack(&kept(there), 0..9), &mut arrived).unwrap();
            assert_eq!(arrived, data);
        }
    }

    #[test]
    fn pieces_cover_all_rows_and_are_not_empty() {
        let data = some(true);
        assert_eq!(pieces(&data, 2..9).next(), Some(2..9));
        assert_eq!(pieces(&data, 2..9).count(), 1);
        assert_eq!(pieces(&data, 4..4).count(), 0);
    }

    #[test]
    fn what_is_cut_short_is_refused() {
        let data = some(true);
        let bytes = pack(&data, 0..9);
        for len in [0, 3, 20, bytes.len() - 1] {
            assert!(unpack(&bytes[..len], &mut Shape::of(&data).empty()).is_err());
        }
    }
}
