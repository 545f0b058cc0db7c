//! Writing a table of doubles.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::DoubleType;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use crate::data::Dataset;
use crate::{Error, Result};

/// So many numbers make a group of rows.
const GROUP: usize = 1 << 22;

/// Writes columns `x1`, `x2`, …, the labels as `y` and weights, if there are any, as `weight`.
pub fn write(dataset: &Dataset, path: &Path) -> Result<()> {
    let file = BufWriter::new(File::create(path).map_err(Error::io(path))?);
    write_groups(dataset, file).map_err(|error| Error::file(path, format!("cannot be written: {error}")))
}

fn write_groups(dataset: &Dataset, file: impl Write + Send) -> Result<(), ParquetError> {
    let features = (1..=dataset.columns()).map(|j| format!("x{j}"));
    let names = features.chain(["y".into()]).chain(dataset.weights.iter().map(|_| "weight".into()));
    let columns: String = names.map(|name| format!("REQUIRED DOUBLE {name}; ")).collect();
    let schema = parse_message_type(&format!("message rows {{ {columns} }}"))?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))?;
    let size = (GROUP / (dataset.columns() + 2)).max(1);
    for start in (0..dataset.rows()).step_by(size) {
        let rows: Vec<usize> = (start..dataset.rows().min(start + size)).collect();
        write_group(&dataset.select(&rows), writer.next_row_group()?)?;
    }
    writer.into_inner()?.flush()?;
    Ok(())
}

fn write_group(part: &Dataset, mut group: SerializedRowGroupWriter<'_, impl Write + Send>) -> Result<(), ParquetError> {
    let columns = part.matrix.transposed();
    let mut column = vec![0.0; part.rows()];
    for j in 0..part.columns() {
        column.fill(0.0);
        columns.row(j).iter().for_each(|(i, value)| column[i as usize] = value);
        write_column(&column, &mut group)?;
    }
    write_column(&part.labels, &mut group)?;
    if let Some(weights) = &part.weights {
        write_column(weights, &mut group)?;
    }
    group.close()?;
    Ok(())
}

fn write_column(
    numbers: &[f64],
    group: &mut SerializedRowGroupWriter<'_, impl Write + Send>,
) -> Result<(), ParquetError> {
    if let Some(mut column) = group.next_column()? {
        column.typed::<DoubleType>().write_batch(numbers, None, None)?;
        column.close()?;
    }
    Ok(())
}
