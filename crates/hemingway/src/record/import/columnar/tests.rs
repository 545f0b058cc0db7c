//! Files written by the same crate, compared with the same records as CSV.

use std::fs;
use std::sync::Arc;

use parquet::column::writer::ColumnWriter;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use proptest::prelude::*;

use super::super::import;
use super::*;
use crate::record::Trace;

const SCHEMA: &str = "message records {
    REQUIRED BYTE_ARRAY Algorithm (UTF8); REQUIRED INT32 machines; REQUIRED INT64 round;
    OPTIONAL DOUBLE seconds; OPTIONAL FLOAT objective; OPTIONAL INT64 written (TIMESTAMP_MILLIS);
}";

/// Three rounds of gradient descent, the second without a time and the third without an objective.
fn written(schema: &str, compression: Compression) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = Arc::new(WriterProperties::builder().set_compression(compression).build());
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    while let Some(mut column) = group.next_column().unwrap() {
        match column.untyped() {
            ColumnWriter::ByteArrayColumnWriter(to) => to.write_batch(&["gd", "gd", "gd"].map(Into::into), None, None),
            ColumnWriter::Int32ColumnWriter(to) => to.write_batch(&[2, 2, 2], None, None),
            ColumnWriter::Int64ColumnWriter(to) if to.get_descriptor().max_def_level() == 0 => {
                to.write_batch(&[1, 2, 3], None, None)
            }
            ColumnWriter::Int64ColumnWriter(to) => to.write_batch(&[], Some(&[0, 0, 0]), None),
            ColumnWriter::DoubleColumnWriter(to) => to.write_batch(&[0.1, 0.3], Some(&[1, 0, 1]), None),
            ColumnWriter::FloatColumnWriter(to) => to.write_batch(&[3.5, 2.25], Some(&[1, 1, 0]), None),
            _ => unreachable!("the schemas of these tests have no other types"),
        }
        .unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
    bytes
}

fn read(name: &str, bytes: &[u8]) -> Result<Vec<Trace>, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    let shown = format!("{}/", folder.path().display());
    import(&[&path], None).map_err(|error| error.to_string().replace(&shown, ""))
}

#[test]
fn parquet_and_csv_give_the_same_traces() {
    let csv = "algorithm,machines,round,seconds,objective\ngd,2,1,0.1,3.5\ngd,2,2,,2.25\ngd,2,3,0.3,\n";
    let expected = read("a.csv", csv.as_bytes()).unwrap();
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(Default::default()),
        #[cfg(feature = "parquet-zstd")]
        Compression::ZSTD(Default::default()),
    ] {
        let mut traces = read("a.parquet", &written(SCHEMA, compression)).unwrap();
        // Without a name a run is called by its first line, and a Parquet file has no header above it.
        assert_eq!(std::mem::replace(&mut traces[0].run, expected[0].run.clone()), "1:1");
        assert_eq!(traces, expected);
    }
}

#[test]
fn errors_name_file_row_and_column() {
    let error = |from: &str, to: &str| {
        read("a.parquet", &written(&SCHEMA.replace(from, to), Compression::UNCOMPRESSED)).unwrap_err()
    };
    let missing = error("machines", "hosts");
    assert!(missing.starts_with("a.parquet: row 1: column `machines` is missing; found Algorithm, hosts"), "{missing}");
    let typed = error("REQUIRED INT32 machines", "REQUIRED BYTE_ARRAY machines (UTF8)");
    assert_eq!(typed, "a.parquet: row 1: column `machines`: expected a number, found `gd`");
    let time = error("OPTIONAL INT64 written", "OPTIONAL INT64 elapsed");
    let expected =
        "a.parquet: column `elapsed`: expected numbers or text, found TIMESTAMP_MILLIS; write it as a double";
    assert_eq!(time, expected);
    let twice = error("written", "Seconds");
    assert_eq!(twice, "a.parquet: column `Seconds` is there twice; rename or drop one");
}

#[test]
fn a_file_cut_short_is_refused() {
    let whole = written(SCHEMA, Compression::SNAPPY);
    for length in [4, whole.len() / 2, whole.len() - 1] {
        let error = read("records", &whole[..length]).unwrap_err();
        assert!(error.starts_with("records: not a whole Parquet file: "), "{error}");
    }
}

proptest! {
    #[test]
    fn a_damaged_file_is_an_error_or_other_records_but_never_a_panic(place in 4usize..400, byte in any::<u8>()) {
        let mut bytes = written(SCHEMA, Compression::UNCOMPRESSED);
        let place = place.min(bytes.len() - 1);
        bytes[place] = byte;
        let _ = read("a.parquet", &bytes);
    }
}
