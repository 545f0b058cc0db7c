//! One column of a group of rows as numbers.

use std::fs::File;

use parquet::basic::{Compression, ConvertedType, LogicalType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::file::reader::RowGroupReader;
use parquet::schema::types::ColumnDescriptor;

use super::pages;
use crate::data::layout::TEXT_ADVICE;

/// Rows decoded at a time.
const BATCH: usize = 4096;

/// What is wrong with a column, and in which row of its group if it is one.
#[derive(Debug)]
pub(super) struct Wrong {
    pub(super) row: Option<usize>,
    pub(super) what: String,
}

/// Refuses columns that hold anything but numbers.
pub(super) fn check(column: &ColumnDescriptor, is_label: bool) -> Result<(), String> {
    let (kind, meant) = (column.converted_type(), column.logical_type_ref());
    if column.max_rep_level() > 0 {
        return Err("holds lists; write a column of numbers for each of their places".into());
    }
    let is_text = matches!(kind, ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON)
        || (column.physical_type() == Type::BYTE_ARRAY && kind == ConvertedType::NONE && meant.is_none());
    match is_text {
        true if is_label => Err("holds text, the labels; give each class a number".into()),
        true => Err(format!("holds text, not numbers; {TEXT_ADVICE}")),
        false if is_number(column) => Ok(()),
        false => {
            let physical = column.physical_type().to_string();
            let named = meant.map_or_else(|| physical, |meant| format!("{meant:?}"));
            let named = if kind == ConvertedType::NONE { named } else { kind.to_string() };
            Err(format!("holds {named}, not plain numbers; write it as a double, or leave the column out"))
        }
    }
}

/// Whole numbers, floats and booleans that mean nothing else, and columns of nothing at all.
fn is_number(column: &ColumnDescriptor) -> bool {
    use ConvertedType::{INT_8, INT_16, INT_32, INT_64, NONE};
    let plain = matches!(column.converted_type(), NONE | INT_8 | INT_16 | INT_32 | INT_64) || is_unsigned(column);
    let meant = matches!(column.logical_type_ref(), None | Some(LogicalType::Integer(_) | LogicalType::Unknown));
    let held = matches!(column.physical_type(), Type::BOOLEAN | Type::INT32 | Type::INT64 | Type::FLOAT | Type::DOUBLE);
    plain && meant && held
}

fn is_unsigned(column: &ColumnDescriptor) -> bool {
    use ConvertedType::{UINT_8, UINT_16, UINT_32, UINT_64};
    matches!(column.converted_type(), UINT_8 | UINT_16 | UINT_32 | UINT_64)
        || matches!(column.logical_type_ref(), Some(LogicalType::Integer(int)) if !int.is_signed)
}

/// Reads a column that [`check`] took: as many finite numbers as the group has rows.
pub(super) fn read(file: &File, group: &dyn RowGroupReader, place: usize) -> Result<Vec<f64>, Wrong> {
    let about = group.metadata().column(place);
    let zstd = "is compressed by zstd: build with `--features parquet-zstd`, or write it with snappy";
    match about.compression() {
        Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::GZIP(_) => {}
        Compression::ZSTD(_) if cfg!(feature = "parquet-zstd") => {}
        Compression::ZSTD(_) => return Err(Wrong { row: None, what: zstd.into() }),
        other => {
            let name = other.to_string().split('(').next().unwrap_or_default().to_lowercase();
            return Err(Wrong { row: None, what: format!("is compressed by {name}, which is not read; use snappy") });
        }
    }
    let (column, rows) = (about.column_descr(), group.metadata().num_rows());
    pages::check(file, about, rows).map_err(unreadable)?;
    let reader = group.get_column_reader(place).map_err(unreadable)?;
    let (levels, unsigned) = (column.max_def_level(), is_unsigned(column));
    let numbers = match reader {
        ColumnReader::BoolColumnReader(reader) => drain(reader, levels, |v| f64::from(u8::from(*v))),
        ColumnReader::Int32ColumnReader(reader) if unsigned => drain(reader, levels, |v| f64::from(*v as u32)),
        ColumnReader::Int32ColumnReader(reader) => drain(reader, levels, |v| f64::from(*v)),
        ColumnReader::Int64ColumnReader(reader) if unsigned => drain(reader, levels, |v| *v as u64 as f64),
        ColumnReader::Int64ColumnReader(reader) => drain(reader, levels, |v| *v as f64),
        ColumnReader::FloatColumnReader(reader) => drain(reader, levels, |v| f64::from(*v)),
        ColumnReader::DoubleColumnReader(reader) => drain(reader, levels, |v| *v),
        _ => Err(unreadable("it holds no numbers")),
    }?;
    match i64::try_from(numbers.len()) == Ok(rows) {
        true => Ok(numbers),
        false => Err(unreadable(format!("expected {rows} rows, found {}", numbers.len()))),
    }
}

fn unreadable(error: impl ToString) -> Wrong {
    Wrong { row: None, what: format!("cannot be read: {}; write the file again", error.to_string()) }
}

/// Every value as a number; a level below `most` says that there is none.
fn drain<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    most: i16,
    make: impl Fn(&T::T) -> f64,
) -> Result<Vec<f64>, Wrong> {
    let mut numbers = Vec::new();
    loop {
        let (mut values, mut levels) = (Vec::new(), Vec::new());
        let asked = (most > 0).then_some(&mut levels);
        let (count, ..) = reader.read_records(BATCH, asked, None, &mut values).map_err(unreadable)?;
        if count == 0 {
            return Ok(numbers);
        }
        let wrong = |at: usize, what: String| Err(Wrong { row: Some(numbers.len() + at), what });
        if let Some(at) = levels.iter().position(|level| *level < most) {
            return wrong(at, "is missing; fill it in or leave the row out".into());
        }
        let batch: Vec<f64> = values.iter().map(&make).collect();
        if let Some(at) = batch.iter().position(|value| !value.is_finite()) {
            return wrong(at, format!("is {}, not a finite number; fill it in or leave the row out", batch[at]));
        }
        numbers.extend(batch);
    }
}
