//! Files written by the same crate, of the types that other programs write.

use std::fs;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::column::writer::ColumnWriter;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use proptest::prelude::*;

use super::*;
use crate::data::{Labels, Like, SaveAs, Source, Weights, any_dataset, dense_rows, save};

const SCHEMA: &str = "message rows {
    REQUIRED DOUBLE a; OPTIONAL FLOAT b; REQUIRED INT32 c; OPTIONAL INT64 d (UINT_64);
    REQUIRED BOOLEAN e; REQUIRED INT32 f (UINT_8); REQUIRED INT64 class;
}";

/// The columns of two groups of two rows each: numbers that grow with column and row; where a column is optional, the last
/// number is there only if `whole`.
fn written(schema: &str, compression: Compression, whole: bool) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = Arc::new(WriterProperties::builder().set_compression(compression).build());
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, properties).unwrap();
    for group in 0..2 {
        let mut groups = writer.next_row_group().unwrap();
        let mut number = 10 * group;
        while let Some(mut column) = groups.next_column().unwrap() {
            let (one, two) = (number, if group == 0 { -number } else { number + 1 });
            number += 1;
            let optional = |to: i16| (to > 0).then_some([to, if whole || group == 0 { to } else { 0 }]);
            let held = |levels: Option<[i16; 2]>| levels.map_or(2, |[_, last]| if last > 0 { 2 } else { 1 });
            match column.untyped() {
                ColumnWriter::BoolColumnWriter(to) => to.write_batch(&[true, false], None, None),
                ColumnWriter::Int32ColumnWriter(to) => to.write_batch(&[one, two], None, None),
                ColumnWriter::Int64ColumnWriter(to) => {
                    let levels = optional(to.get_descriptor().max_def_level());
                    let numbers = [i64::from(one), i64::from(two)];
                    to.write_batch(&numbers[..held(levels)], levels.as_ref().map(|levels| &levels[..]), None)
                }
                ColumnWriter::FloatColumnWriter(to) => {
                    let levels = optional(to.get_descriptor().max_def_level());
                    let numbers = [one as f32 + 0.5, two as f32 + 0.5];
                    to.write_batch(&numbers[..held(levels)], levels.as_ref().map(|levels| &levels[..]), None)
                }
                ColumnWriter::DoubleColumnWriter(to) => to.write_batch(&[f64::from(one), f64::from(two)], None, None),
                ColumnWriter::ByteArrayColumnWriter(to) => to.write_batch(&["x", "y"].map(Into::into), None, None),
                _ => unreachable!("the schemas of these tests have no other types"),
            }
            .unwrap();
            column.close().unwrap();
        }
        groups.close().unwrap();
    }
    writer.close().unwrap();
    bytes
}

fn load(bytes: &[u8], reading: &Reading) -> Result<Parsed, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    fs::write(&path, bytes).unwrap();
    let shown = format!("{}/", folder.path().display());
    read(&path, reading).map_err(|error| error.to_string().replace(&shown, ""))
}

fn plain(schema: &str) -> Vec<u8> {
    written(schema, Compression::UNCOMPRESSED, true)
}

fn weighed_by(column: &str) -> Reading {
    Reading { weights: Weights { column: Some(column.into()), file: None }, ..Reading::default() }
}

#[test]
fn every_plain_number_is_read() {
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(Default::default()),
        #[cfg(feature = "parquet-zstd")]
        Compression::ZSTD(Default::default()),
    ] {
        let parsed = load(&written(SCHEMA, compression, true), &Reading::default()).unwrap();
        assert_eq!(parsed.dataset.labels, [6.0, -6.0, 16.0, 17.0]);
        assert_eq!(parsed.names.unwrap(), ["a", "b", "c", "d", "e", "f"]);
        let rows = dense_rows(&parsed.dataset.matrix);
        let huge = u64::MAX as f64;
        assert_eq!(rows[0], [0.0, 1.5, 2.0, 3.0, 1.0, 5.0]);
        assert_eq!(rows[1], [0.0, -0.5, -2.0, huge, 0.0, f64::from(u32::MAX) - 4.0]);
        assert_eq!(rows[3], [11.0, 12.5, 13.0, 14.0, 0.0, 16.0]);
        assert_eq!(parsed.notes, ["labels are column 7 `class` (by its name; --label takes another)"]);
    }
}

#[test]
fn labels_and_weights_are_columns_like_any_other() {
    let labels = Labels { column: Some("2".into()), file: None };
    let parsed = load(&plain(SCHEMA), &Reading { labels, ..weighed_by("e") }).unwrap();
    assert_eq!(parsed.dataset.labels, [1.5, -0.5, 11.5, 12.5]);
    assert_eq!(parsed.dataset.weights, Some(vec![1.0, 0.0, 1.0, 0.0]));
    assert_eq!((parsed.dataset.columns(), parsed.names.unwrap().join("")), (5, "acdfclass".into()));
    let error = load(&plain(SCHEMA), &weighed_by("c")).unwrap_err();
    assert_eq!(error, "a.parquet: row 2: column 3 `c`: weight -2 is not a finite number of 0 or more");
}

#[test]
fn companions_are_read_by_name() {
    let like = Like { base: None, columns: 2, names: Some(vec!["d".into(), "a".into()]) };
    let reading = Reading { like: Some(like), unlabelled: true, ..Reading::default() };
    let parsed = load(&plain(SCHEMA), &reading).unwrap();
    assert_eq!(dense_rows(&parsed.dataset.matrix)[3], [14.0, 11.0]);
    assert_eq!(parsed.dataset.labels, [0.0; 4]);
}

#[test]
fn columns_that_count_rows_are_left_out() {
    let parsed = load(&plain(&SCHEMA.replace("DOUBLE a;", "DOUBLE __index_level_0__;")), &Reading::default()).unwrap();
    assert_eq!(parsed.names.unwrap(), ["b", "c", "d", "e", "f"]);
    assert!(parsed.notes.contains(&"left out: column 1".into()), "{:?}", parsed.notes);
}

#[test]
fn what_is_no_number_is_refused_by_column() {
    let said = |from: &str, to: &str| load(&plain(&SCHEMA.replace(from, to)), &Reading::default()).unwrap_err();
    let text = said("DOUBLE a;", "BYTE_ARRAY a (UTF8);");
    assert!(text.starts_with("a.parquet: column 1 `a` holds text, not numbers; leave the column out"), "{text}");
    assert!(text.ends_with("get_dummies(frame)"), "{text}");
    assert!(said("INT64 class", "BYTE_ARRAY class (UTF8)").contains("`class` holds text, the labels; give each class"));
    assert!(said("INT32 c;", "INT32 c (DATE);").contains("column 3 `c` holds DATE, not plain numbers"));
    assert!(said("INT32 c;", "INT32 c (DECIMAL(5,2));").contains("column 3 `c` holds DECIMAL"));
    let nanos = said("INT64 d (UINT_64)", "INT64 d (TIMESTAMP(NANOS,true))");
    assert!(nanos.contains("column 4 `d` holds Timestamp"), "{nanos}");
    assert!(said("DOUBLE a", "DOUBLE c").contains("column `c` is there twice"));
}

#[test]
fn what_is_missing_is_refused_by_row_and_column() {
    let error = load(&written(SCHEMA, Compression::SNAPPY, false), &Reading::default()).unwrap_err();
    assert_eq!(error, "a.parquet: row 4: column 2 `b` is missing; fill it in or leave the row out");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let rows = Matrix::dense(1, vec![1.0, f64::NAN, 2.0]);
    write(&Dataset::new("some", rows, vec![0.0; 3]), &path).unwrap();
    let error = read(&path, &Reading::default()).unwrap_err().to_string();
    assert!(error.contains("row 2: column 1 `x1` is NaN, not a finite number"), "{error}");
}

#[test]
fn the_only_label_that_text_stands_for_may_be_left_out() {
    let schema = "message rows { REQUIRED DOUBLE a; REQUIRED BYTE_ARRAY class (UTF8); }";
    let like = Like { base: None, columns: 1, names: Some(vec!["a".into()]) };
    let reading = Reading { like: Some(like), unlabelled: true, ..Reading::default() };
    assert_eq!(load(&plain(schema), &reading).unwrap().dataset.rows(), 4);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_reads_back(data in any_dataset(), weights in prop::collection::vec(0.0..9.0f64, 20), weighted: bool) {
        let weights = weighted.then(|| weights[..data.rows()].to_vec());
        let data = Dataset { weights, ..data };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        prop_assert_eq!(save(&data, &path, SaveAs::of(&path).unwrap()).unwrap(), None);
        let reading = if weighted { weighed_by("weight") } else { Reading::default() };
        let back = Source::File(path).load_as(&reading).unwrap().dataset;
        prop_assert_eq!((back.matrix, back.labels, back.weights), (data.matrix, data.labels, data.weights));
    }

    /// Cut short, or with a byte changed: an error or other numbers, never a panic and never rows of other lengths.
    #[test]
    fn damage_is_an_error(at in 0.0..1.0f64, byte: u8, cut: bool) {
        let mut bytes = plain(SCHEMA);
        let at = (at * bytes.len() as f64) as usize;
        if cut { bytes.truncate(at) } else { bytes[at] = byte }
        if let Ok(parsed) = load(&bytes, &Reading::default()) {
            prop_assert_eq!(parsed.dataset.rows(), parsed.dataset.labels.len());
        }
    }
}
