//! Rows as a compressed Parquet file, and back.

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use hemingway::sync::ranker::{Look, TRAITS};
use parquet::basic::{Compression, GzipLevel};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::{Field, Row as Record};
use parquet::schema::parser::parse_message_type;

use super::{Row, words};

/// One column.
enum Values {
    Text(Vec<ByteArray>),
    Whole(Vec<i32>),
    Real(Vec<f64>),
    Short(Vec<f32>),
}

impl Values {
    fn kind(&self, name: &str) -> String {
        match self {
            Self::Text(_) => format!("REQUIRED BYTE_ARRAY {name} (UTF8);"),
            Self::Whole(_) => format!("REQUIRED INT32 {name};"),
            Self::Real(_) => format!("REQUIRED DOUBLE {name};"),
            Self::Short(_) => format!("REQUIRED FLOAT {name};"),
        }
    }
}

fn columns(rows: &[Row]) -> Vec<(String, Values)> {
    let text = |of: &dyn Fn(&Row) -> String| Values::Text(rows.iter().map(|row| of(row).as_str().into()).collect());
    let whole = |of: &dyn Fn(&Row) -> usize| Values::Whole(rows.iter().map(|row| of(row) as i32).collect());
    let real = |of: &dyn Fn(&Row) -> f64| Values::Real(rows.iter().map(of).collect());
    let plain = [
        ("model", text(&|row| row.model.clone())),
        ("batch", real(&|row| row.batch)),
        ("cluster", text(&|row| row.cluster.clone())),
        ("cluster_file", text(&|row| row.cluster_file.clone())),
        ("machines", whole(&|row| row.machines)),
        ("engine", text(&|row| row.engine.clone())),
        ("scale", real(&|row| row.scale)),
        ("source", text(&|row| row.source.clone())),
        ("seed", whole(&|row| row.seed)),
        ("place", whole(&|row| row.place)),
        ("strategy", text(&|row| words::words(&row.sketch))),
        ("bound_s", real(&|row| row.bound)),
        ("forecast_s", real(&|row| row.look.forecast)),
        ("seconds", real(&|row| row.seconds)),
        ("low_s", real(&|row| row.low)),
        ("high_s", real(&|row| row.high)),
        ("runs", whole(&|row| row.runs)),
    ];
    let traits = (0..TRAITS).map(|k| {
        let own = rows.iter().map(|row| row.look.traits[k] as f32).collect();
        (format!("trait_{k}"), Values::Short(own))
    });
    plain.map(|(name, values)| (name.to_string(), values)).into_iter().chain(traits).collect()
}

/// Writes all rows.
pub fn write(path: &Path, rows: &[Row]) -> Result<()> {
    let columns = columns(rows);
    let fields: String = columns.iter().map(|(name, values)| values.kind(name)).collect();
    let schema = Arc::new(parse_message_type(&format!("message exchanges {{ {fields} }}"))?);
    let compression = Compression::GZIP(GzipLevel::try_new(9)?);
    let properties = Arc::new(WriterProperties::builder().set_compression(compression).build());
    let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    let mut writer = SerializedFileWriter::new(file, schema, properties)?;
    let mut group = writer.next_row_group()?;
    for (name, values) in &columns {
        let mut column = group.next_column()?.with_context(|| format!("no column {name}"))?;
        match (column.untyped(), values) {
            (ColumnWriter::ByteArrayColumnWriter(to), Values::Text(own)) => to.write_batch(own, None, None)?,
            (ColumnWriter::Int32ColumnWriter(to), Values::Whole(own)) => to.write_batch(own, None, None)?,
            (ColumnWriter::DoubleColumnWriter(to), Values::Real(own)) => to.write_batch(own, None, None)?,
            (ColumnWriter::FloatColumnWriter(to), Values::Short(own)) => to.write_batch(own, None, None)?,
            _ => bail!("column {name} is of another type than its schema says"),
        };
        column.close()?;
    }
    group.close()?;
    writer.close()?;
    Ok(())
}

/// Reads all rows.
pub fn read(path: &Path) -> Result<Vec<Row>> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let reader = SerializedFileReader::new(file)?;
    reader.get_row_iter(None)?.map(|record| row(&record?)).collect()
}

fn row(record: &Record) -> Result<Row> {
    let fields: HashMap<&str, &Field> = record.get_column_iter().map(|(name, field)| (name.as_str(), field)).collect();
    let text = |name: &str| match fields.get(name) {
        Some(Field::Str(text)) => Ok(text.clone()),
        _ => bail!("no text in column {name}"),
    };
    let whole = |name: &str| match fields.get(name) {
        Some(Field::Int(whole)) => usize::try_from(*whole).with_context(|| format!("{name} is negative")),
        _ => bail!("no whole number in column {name}"),
    };
    let real = |name: &str| match fields.get(name) {
        Some(Field::Double(real)) => Ok(*real),
        Some(Field::Float(real)) => Ok(f64::from(*real)),
        _ => bail!("no number in column {name}"),
    };
    let mut traits = [0.0; TRAITS];
    for (k, own) in traits.iter_mut().enumerate() {
        *own = real(&format!("trait_{k}"))?;
    }
    Ok(Row {
        model: text("model")?,
        batch: real("batch")?,
        cluster: text("cluster")?,
        cluster_file: text("cluster_file")?,
        machines: whole("machines")?,
        engine: text("engine")?,
        scale: real("scale")?,
        source: text("source")?,
        seed: whole("seed")?,
        place: whole("place")?,
        sketch: words::sketch(&text("strategy")?)?,
        bound: real("bound_s")?,
        look: Look { forecast: real("forecast_s")?, traits },
        seconds: real("seconds")?,
        low: real("low_s")?,
        high: real("high_s")?,
        runs: whole("runs")?,
    })
}
