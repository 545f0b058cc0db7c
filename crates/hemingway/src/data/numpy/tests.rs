use std::io::{Cursor, Write};

use proptest::prelude::*;
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;
use crate::data::{Labels, Like, Weights};

/// An array as numpy writes it.
fn npy(dtype: &str, fortran: &str, shape: &str, body: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{dtype}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
    [MAGIC, &[1, 0], &(header.len() as u16).to_le_bytes(), header.as_bytes(), body].concat()
}

fn floats(shape: &str, values: &[f64]) -> Vec<u8> {
    npy("<f8", "False", shape, &values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>())
}

fn whole(shape: &str, values: &[i32]) -> Vec<u8> {
    npy("<i4", "False", shape, &values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>())
}

fn npz(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in arrays {
        zip.start_file(format!("{name}.npy"), SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Files in a folder of their own, the first of them read.
fn read(files: &[(&str, &[u8])], reading: &Reading) -> Result<Parsed> {
    let dir = tempfile::tempdir().unwrap();
    read_in(&dir, files, reading)
}

fn read_in(dir: &TempDir, files: &[(&str, &[u8])], reading: &Reading) -> Result<Parsed> {
    for (name, bytes) in files {
        std::fs::write(dir.path().join(name), bytes).unwrap();
    }
    let path = dir.path().join(files[0].0);
    match files[0].1.starts_with(ARCHIVE) {
        true => read_archive(&path, reading),
        false => parse(files[0].1, &path, reading),
    }
}

fn by_column(column: &str) -> Reading {
    Reading { labels: Labels { column: Some(column.into()), file: None }, ..Reading::default() }
}

fn array(bytes: &[u8]) -> Result<Array, String> {
    Array::read(&mut &*bytes)
}

#[test]
fn every_plain_number_is_read() {
    let cases: [(&str, &[u8], [f64; 2]); 10] = [
        ("<f8", &[1.5_f64.to_le_bytes(), (-2_f64).to_le_bytes()].concat(), [1.5, -2.0]),
        (">f8", &[1.5_f64.to_be_bytes(), (-2_f64).to_be_bytes()].concat(), [1.5, -2.0]),
        ("<f4", &[1.5_f32.to_le_bytes(), (-2_f32).to_le_bytes()].concat(), [1.5, -2.0]),
        (">f4", &[1.5_f32.to_be_bytes(), (-2_f32).to_be_bytes()].concat(), [1.5, -2.0]),
        ("<i8", &[7_i64.to_le_bytes(), (-2_i64).to_le_bytes()].concat(), [7.0, -2.0]),
        (">i4", &[7_i32.to_be_bytes(), (-2_i32).to_be_bytes()].concat(), [7.0, -2.0]),
        ("<i2", &[7_i16.to_le_bytes(), (-2_i16).to_le_bytes()].concat(), [7.0, -2.0]),
        ("|i1", &[7, 0xfe], [7.0, -2.0]),
        ("|u1", &[7, 0xfe], [7.0, 254.0]),
        ("|b1", &[1, 0], [1.0, 0.0]),
    ];
    for (dtype, body, values) in cases {
        let read = array(&npy(dtype, "False", "(2,)", body)).unwrap();
        assert_eq!((read.shape, read.values), (vec![2], values.to_vec()), "{dtype}");
    }
}

#[test]
fn columns_laid_end_to_end_become_rows() {
    let body: Vec<u8> = (0..6).collect();
    assert_eq!(array(&npy("|u1", "False", "(2, 3)", &body)).unwrap().values, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(array(&npy("|u1", "True", "(2, 3)", &body)).unwrap().values, [0.0, 2.0, 4.0, 1.0, 3.0, 5.0]);
}

#[test]
fn headers_that_lie_or_are_foreign_are_refused() {
    let cases = [
        (npy("|O", "False", "(2,)", &[0; 16]), "Python objects (dtype object)"),
        (npy("<U3", "False", "(2,)", &[0; 24]), "text (dtype `<U3`)"),
        (npy("<c16", "False", "(2,)", &[0; 32]), "dtype `<c16`"),
        (npy("<f8", "Perhaps", "(2,)", &[0; 16]), "fortran_order"),
        (npy("<f8", "False", "(-2,)", &[0; 16]), "does not say the shape"),
        (npy("<f8", "False", "(99999999999, 99999999999)", &[]), "cannot hold an array"),
        (npy("<f8", "False", "(1000000000000,)", &[0; 16]), "cut short: fewer than the 8000000000000 bytes"),
        (npy("<f8", "False", "(1,)", &[0; 16]), "more bytes follow"),
        ([MAGIC, &[2, 0], &u32::MAX.to_le_bytes()].concat(), "its header claims 4294967295 bytes"),
        ([MAGIC, &[1, 0, 200, 0], b"{'descr'"].concat(), "cut short within its header"),
        ([MAGIC, &[9, 0, 0, 0]].concat(), "version 9"),
        (b"\x93NUMP".to_vec(), "cut short"),
    ];
    for (bytes, what) in cases {
        let error = array(&bytes).unwrap_err();
        assert!(error.contains(what), "{error}");
    }
}

#[test]
fn labels_are_found_where_they_are() {
    let rows = floats("(2, 3)", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let y = whole("(2, 1)", &[7, 8]);
    let plain = Reading::default();
    let beside = read(&[("X_train.npy", &rows), ("y_train.npy", &y)], &plain).unwrap();
    assert_eq!((beside.dataset.columns(), beside.dataset.labels), (3, vec![7.0, 8.0]));
    assert!(beside.notes[0].ends_with("y_train.npy"), "{:?}", beside.notes);
    let column = read(&[("X.npy", &rows), ("y.npy", &y)], &by_column("2")).unwrap();
    assert_eq!((column.dataset.columns(), column.dataset.labels), (2, vec![2.0, 5.0]));
    assert_eq!(column.dataset.matrix.row(1).dot(&[1.0, 10.0]), 64.0);
    let together = npz(&[("X", rows.clone()), ("y", y.clone())]);
    assert_eq!(read(&[("a.npz", &together)], &plain).unwrap().dataset.labels, [7.0, 8.0]);
    let dir = tempfile::tempdir().unwrap();
    let labels = Labels { column: None, file: Some(dir.path().join("other.npy")) };
    let named = Reading { labels, ..Reading::default() };
    assert_eq!(read_in(&dir, &[("a.npy", &rows), ("other.npy", &y)], &named).unwrap().dataset.labels, [7.0, 8.0]);
    let unlabelled = Reading { unlabelled: true, ..Reading::default() };
    assert_eq!(read(&[("a.npy", &rows)], &unlabelled).unwrap().dataset.labels, [0.0, 0.0]);
}

#[test]
fn weights_are_found_where_they_are() {
    let rows = floats("(2, 3)", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let (y, s) = (whole("(2,)", &[7, 8]), whole("(2,)", &[2, 0]));
    let weights = |column: &str| Weights { column: Some(column.into()), file: None };
    for name in ["weights", "sample_weight"] {
        let archive = npz(&[("X", rows.clone()), ("y", y.clone()), (name, s.clone())]);
        let parsed = read(&[("a.npz", &archive)], &Reading::default()).unwrap();
        assert_eq!(parsed.dataset.weights, Some(vec![2.0, 0.0]), "{name}");
    }
    let both = Reading { weights: weights("1"), ..by_column("3") };
    let parsed = read(&[("X.npy", &rows)], &both).unwrap().dataset;
    assert_eq!((parsed.labels, parsed.weights), (vec![3.0, 6.0], Some(vec![1.0, 4.0])));
    assert_eq!(parsed.matrix, Matrix::dense(1, vec![2.0, 5.0]));
    let like = Some(Like { base: None, columns: 2, names: None });
    let companion = Reading { like, unweighted: true, ..both.clone() };
    assert_eq!(read(&[("X.npy", &rows)], &companion).unwrap().dataset.weights, None, "no column to spare");
    let said = |files: &[(&str, &[u8])], reading: &Reading| read(files, reading).unwrap_err().to_string();
    let archive = npz(&[("X", rows.clone()), ("y", y.clone()), ("weights", whole("(2,)", &[2, -1]))]);
    assert!(said(&[("a.npz", &archive)], &Reading::default()).contains("weights[1]: weight -1 is not"));
    let archive = npz(&[("X", rows.clone()), ("y", y), ("weights", whole("(3,)", &[2, 1, 1]))]);
    assert!(said(&[("a.npz", &archive)], &Reading::default()).contains("2 rows, but there are 3 weights"));
    let same = Reading { weights: weights("3"), ..by_column("3") };
    assert!(said(&[("X.npy", &rows)], &same).contains("both the labels and the weights"));
    assert!(said(&[("X.npy", &rows)], &Reading { weights: weights("9"), ..both }).contains("`9` for --weight"));
}

#[test]
fn rows_and_labels_must_fit() {
    let rows = floats("(2, 2)", &[1.0, f64::NAN, 3.0, 4.0]);
    let good = floats("(2, 2)", &[1.0, 2.0, 3.0, 4.0]);
    let y = |shape: &str, values: &[i32]| whole(shape, values);
    let cases = [
        (vec![("X", rows), ("y", y("(2,)", &[1, 2]))], "X[0, 1] is NaN"),
        (vec![("X", good.clone()), ("y", y("(3,)", &[1, 2, 3]))], "holds 2 rows, but there are 3 labels"),
        (vec![("X", good.clone()), ("y", y("(1, 2)", &[1, 2]))], "shape [1, 2]; expected one label a row"),
        (vec![("X", good.clone())], "holds no labels"),
        (vec![("X", floats("(4,)", &[1.0; 4])), ("y", y("(4,)", &[1; 4]))], "expected rows and columns"),
        (vec![("X", floats("(0, 2)", &[])), ("y", y("(0,)", &[]))], "nothing to train on"),
        (vec![("Z", good.clone()), ("y", y("(2,)", &[1, 2]))], "holds no array `X` of rows, only: Z, y"),
        (vec![("X", b"nonsense".to_vec())], "array `X`: not an npy array"),
    ];
    for (arrays, what) in cases {
        let error = read(&[("a.npz", &npz(&arrays))], &Reading::default()).unwrap_err();
        assert!(matches!(error, Error::File { .. }) && error.to_string().contains(what), "{error}");
    }
    let like = Some(Like { base: None, columns: 3, names: None });
    let companion = Reading { like, unlabelled: true, ..Reading::default() };
    let error = read(&[("a.npy", &good)], &companion).unwrap_err().to_string();
    assert!(error.contains("holds 2 columns beside the labels, the training data 3"), "{error}");
    let error = read(&[("a.npy", &good)], &by_column("3")).unwrap_err().to_string();
    assert!(error.contains("has no column `3` for --label; it has columns 1 to 2"), "{error}");
}

/// A 2 × 4 matrix with three entries, one array changed.
fn sparse(change: &str, bytes: Option<Vec<u8>>) -> Vec<u8> {
    let mut arrays = vec![
        ("format", npy("|S3", "False", "()", b"csr")),
        ("shape", whole("(2,)", &[2, 4])),
        ("indptr", whole("(3,)", &[0, 2, 3])),
        ("indices", whole("(3,)", &[3, 0, 1])),
        ("data", floats("(3,)", &[1.0, 2.0, 3.0])),
        ("y", whole("(2,)", &[-1, 1])),
    ];
    arrays.retain(|(name, _)| bytes.is_some() || *name != change);
    if let (Some(bytes), Some(place)) = (bytes, arrays.iter().position(|(name, _)| *name == change)) {
        arrays[place].1 = bytes;
    }
    npz(&arrays)
}

#[test]
fn scipys_sparse_rows_are_read() {
    let parsed = read(&[("a.npz", &sparse("none", None))], &Reading::default()).unwrap();
    assert_eq!((parsed.dataset.columns(), &parsed.dataset.labels), (4, &vec![-1.0, 1.0]));
    let row: Vec<_> = parsed.dataset.matrix.row(0).iter().filter(|(_, v)| *v != 0.0).collect();
    assert_eq!(row, [(0, 2.0), (3, 1.0)], "in order, though the file is not");
}

/// `made_by_python`: numpy.savez_compressed(X, y), scipy.sparse.save_npz(csr_matrix(X)) and numpy.save(y) of the same X
/// (float32 by columns, float64) and y (int64, big-endian int16).
#[test]
fn what_python_writes_is_read() {
    let dense = include_bytes!("made_by_python/dense.npz");
    let (csr, y) = (include_bytes!("made_by_python/csr.npz"), include_bytes!("made_by_python/y.npy"));
    let dense = read(&[("name", dense)], &Reading::default()).unwrap().dataset;
    let dir = tempfile::tempdir().unwrap();
    let labels = Labels { column: None, file: Some(dir.path().join("labels")) };
    let reading = Reading { labels, ..Reading::default() };
    let sparse = read_in(&dir, &[("name", csr), ("labels", y)], &reading).unwrap().dataset;
    assert_eq!(dense, sparse);
    assert_eq!(dense.labels, [1.0, -1.0]);
    assert_eq!([0, 1].map(|i| dense.matrix.row(i).dot(&[1.0, 10.0, 100.0])), [-198.5, 300.0]);
}

#[test]
fn sparse_arrays_that_do_not_fit_are_refused() {
    let cases = [
        ("format", Some(npy("|S3", "False", "()", b"csc")), "as `csc`; save it by rows"),
        ("format", None, "array `format`"),
        ("shape", Some(whole("(2,)", &[2, 3])), "holds 3, beyond the 3 columns"),
        ("shape", Some(whole("(1,)", &[2])), "does not hold rows and columns"),
        ("indptr", Some(whole("(3,)", &[0, 2, 2])), "does not cut 3 entries into 2 rows"),
        ("indptr", Some(whole("(3,)", &[0, 4, 3])), "does not cut"),
        ("indptr", Some(whole("(0,)", &[])), "does not cut"),
        ("indices", Some(whole("(3,)", &[0, 0, 1])), "row 0 holds column 0 twice"),
        ("indices", Some(whole("(3,)", &[-1, 0, 1])), "array `indices`: holds -1, which cannot be a place"),
        ("data", Some(floats("(2,)", &[1.0, 2.0])), "holds 3 indices for 2 values"),
        ("data", Some(floats("(3,)", &[1.0, f64::INFINITY, 2.0])), "holds inf at 1"),
        ("y", None, "holds no labels"),
    ];
    for (name, bytes, what) in cases {
        let error = read(&[("a.npz", &sparse(name, bytes))], &Reading::default()).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}

proptest! {
    #[test]
    fn what_is_written_reads_back(dataset in crate::data::any_dataset()) {
        let mut bytes = Cursor::new(Vec::new());
        write(&dataset, &mut bytes).unwrap();
        let parsed = read(&[("made", bytes.get_ref())], &Reading::default()).unwrap();
        prop_assert_eq!(parsed.dataset, dataset);
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..100), whole in any::<bool>()) {
        let head = if whole { npy("<f8", "False", "(2, 2)", &[]) } else { [MAGIC, &[1, 0]].concat() };
        _ = array(&bytes);
        _ = array(&[&head[..], &bytes].concat());
        _ = read(&[("a.npz", &[ARCHIVE, &bytes].concat())], &Reading::default());
    }

    #[test]
    fn no_header_panics(text in "[-'a-z<>|=0-9(),: OTF]{0,60}") {
        let header = format!("{{'descr': '{text}, 'fortran_order': False, 'shape': ({text}");
        for text in [&text, &header] {
            _ = array(&[MAGIC, &[1, 0], &(text.len() as u16).to_le_bytes(), text.as_bytes()].concat());
        }
    }

    #[test]
    fn no_damage_panics(place in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = sparse("none", None);
        let place = place.index(bytes.len());
        bytes[place] = byte;
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.npz"), bytes).unwrap();
        _ = read_archive(&dir.path().join("a.npz"), &Reading::default());
    }
}
