//! Records as Parquet, by the same columns as CSV.

use std::fs::File;
use std::panic::catch_unwind;
use std::path::Path;

use parquet::basic::{Compression, ConvertedType};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use super::Metric;
use super::assemble::{At, Row};
use super::line::{COLUMNS, Line, find, twice};
use crate::data::columnar::pages;
use crate::{Error, Result};

/// Rows decoded at a time.
const BATCH: usize = 4096;

/// One column as text, the form in which every kind of file is judged.
type Texts = Vec<Option<String>>;

/// Reads a file. The reader beneath asserts what a damaged page may break; here that is an error like any other.
pub(super) fn read(path: &Path, metric: Option<&Metric>) -> Result<Vec<Row>> {
    let damaged = |_| Err(Error::file(path, "the Parquet file is damaged; write it again"));
    catch_unwind(|| decode(path, metric)).unwrap_or_else(damaged)
}

fn decode(path: &Path, metric: Option<&Metric>) -> Result<Vec<Row>> {
    let open = || File::open(path).map_err(Error::io(path));
    let (file, reader) = (open()?, SerializedFileReader::new(open()?).map_err(|error| broken(path, &error))?);
    pages::check_rows(&file, reader.metadata()).map_err(|what| Error::file(path, what))?;
    let names: Vec<String> = reader
        .metadata()
        .file_metadata()
        .schema_descr()
        .columns()
        .iter()
        .map(|column| column.path().string())
        .collect();
    if let Some(name) = twice(&names) {
        return Err(Error::file(path, format!("column `{name}` is there twice; rename or drop one")));
    }
    let mut rows = Vec::new();
    for place in 0..reader.num_row_groups() {
        let group = reader.get_row_group(place).map_err(|error| broken(path, &error))?;
        let columns = columns((path, &file), &*group, &names, metric)?;
        let (before, count) = (rows.len(), columns.iter().map(Vec::len).max().unwrap_or(0));
        for row in 0..count {
            let value = |column: usize| columns[column].get(row).cloned().flatten();
            let at = At::Row(before + row + 1);
            rows.push(Line { path, at, head: at, names: &names, value: &value }.row(metric)?);
        }
    }
    Ok(rows)
}

/// The columns of one group of rows; of those nobody asks for, nothing.
fn columns(
    (path, file): (&Path, &File),
    group: &dyn RowGroupReader,
    names: &[String],
    metric: Option<&Metric>,
) -> Result<Vec<Texts>> {
    let wanted: Vec<usize> = COLUMNS
        .into_iter()
        .chain(metric.map(|metric| metric.name.as_str()))
        .filter_map(|name| find(names, name))
        .collect();
    let count = group.metadata().num_rows();
    let column = |place: usize| {
        if !wanted.contains(&place) {
            return Ok(Texts::new());
        }
        let described = group.metadata().column(place).column_descr();
        let wrong = |what: String| Error::file(path, format!("column `{}`: {what}", names[place]));
        if matches!(group.metadata().column(place).compression(), Compression::ZSTD(_))
            && !cfg!(feature = "parquet-zstd")
        {
            return Err(wrong(
                "compressed by zstd: build with `--features parquet-zstd`, or write it with snappy".into(),
            ));
        }
        check(described).map_err(&wrong)?;
        pages::check(file, group.metadata().column(place), count)
            .map_err(|what| wrong(format!("{what}: the file is damaged")))?;
        let reader = group.get_column_reader(place).map_err(|error| wrong(error.to_string()))?;
        let texts = texts(reader, described).map_err(&wrong)?;
        match i64::try_from(texts.len()) == Ok(count) {
            true => Ok(texts),
            false => Err(wrong(format!("expected {count} rows, found {}: the file is damaged", texts.len()))),
        }
    };
    (0..names.len()).map(column).collect()
}

/// Refuses lists and what means more than a number.
fn check(column: &ColumnDescriptor) -> Result<(), String> {
    let kind = column.converted_type();
    let plain = !matches!(kind, ConvertedType::DECIMAL | ConvertedType::DATE | ConvertedType::INTERVAL)
        && !kind.to_string().starts_with("TIME");
    if plain && column.max_rep_level() == 0 {
        return Ok(());
    }
    let what = if plain { "a list".to_string() } else { kind.to_string() };
    Err(format!("expected numbers or text, found {what}; write it as a double"))
}

fn texts(reader: ColumnReader, column: &ColumnDescriptor) -> Result<Texts, String> {
    let levels = column.max_def_level();
    match reader {
        ColumnReader::BoolColumnReader(reader) => drain(reader, levels, |value| Ok(value.to_string())),
        ColumnReader::Int32ColumnReader(reader) => drain(reader, levels, |value| Ok(value.to_string())),
        ColumnReader::Int64ColumnReader(reader) => drain(reader, levels, |value| Ok(value.to_string())),
        ColumnReader::FloatColumnReader(reader) => drain(reader, levels, |value| Ok(value.to_string())),
        ColumnReader::DoubleColumnReader(reader) => drain(reader, levels, |value| Ok(value.to_string())),
        ColumnReader::ByteArrayColumnReader(reader) => drain(reader, levels, utf8),
        _ => Err(format!("expected numbers or text, found {}; write it as a double", column.physical_type())),
    }
}

fn utf8(bytes: &ByteArray) -> Result<String, String> {
    bytes.as_utf8().map(str::to_owned).map_err(|error| error.to_string())
}

/// Every value as text; where a level says that there is none, nothing.
fn drain<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    most: i16,
    show: impl Fn(&T::T) -> Result<String, String>,
) -> Result<Texts, String> {
    let mut texts = Texts::new();
    loop {
        let (mut values, mut levels) = (Vec::new(), Vec::new());
        let asked = (most > 0).then_some(&mut levels);
        let (count, ..) = reader.read_records(BATCH, asked, None, &mut values).map_err(|error| error.to_string())?;
        if count == 0 {
            return Ok(texts);
        }
        if most == 0 {
            levels = vec![0; values.len()];
        }
        let mut shown = values.iter().map(&show);
        for level in levels {
            let there = (level == most).then(|| shown.next().unwrap_or_else(|| Err("a value is missing".into())));
            texts.push(there.transpose()?);
        }
    }
}

fn broken(path: &Path, error: &ParquetError) -> Error {
    Error::file(path, format!("not a whole Parquet file: {error}; write it again"))
}

#[cfg(test)]
mod tests;
