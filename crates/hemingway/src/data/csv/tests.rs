use proptest::prelude::*;

use super::*;
use crate::data::{Labels, Like, Weights, dense_rows};

fn read(text: &str, reading: &Reading) -> Result<Parsed> {
    parse(text.as_bytes(), Path::new("some/file"), reading)
}

fn plain(text: &str) -> Parsed {
    read(text, &Reading::default()).unwrap()
}

fn with_label(column: &str) -> Reading {
    Reading { labels: Labels { column: Some(column.into()), file: None }, ..Reading::default() }
}

fn with_weight(column: &str) -> Reading {
    Reading { weights: Weights { column: Some(column.into()), file: None }, ..Reading::default() }
}

fn like(columns: usize, names: Option<&[&str]>) -> Reading {
    let names = names.map(|names| names.iter().map(|name| (*name).into()).collect());
    Reading { like: Some(Like { base: None, columns, names }), ..Reading::default() }
}

fn rows(parsed: &Parsed) -> Vec<Vec<f64>> {
    dense_rows(&parsed.dataset.matrix)
}

#[test]
fn reads_what_files_really_hold() {
    let parsed = plain("\u{feff}a,\"b\" ,\"the \"\"y\"\"\",label\r\n# note\r\n1,\"2.5\",-3e0 ,1\r\n\r\n0,0,.5,-1");
    assert_eq!(parsed.dataset.labels, [1.0, -1.0]);
    assert_eq!(rows(&parsed), [[1.0, 2.5, -3.0], [0.0, 0.0, 0.5]]);
    assert_eq!(parsed.names.unwrap(), ["a", "b", "the \"y\""]);
    assert_eq!(parsed.dataset.name, "file");
}

#[test]
fn the_form_is_that_of_all_rows() {
    let (full, empty) = ("1,2,3,4,1\n", "0,0,0,0,1\n");
    for text in [format!("{full}{}", empty.repeat(3)), format!("{empty}{}", full.repeat(3))] {
        let matrix = plain(&text).dataset.matrix;
        assert_eq!(matrix.nonzeros(), 4 * text.matches(full).count());
        assert_eq!(matrix, matrix.clone().compact());
    }
}

#[test]
fn separators_are_seen() {
    for text in ["1,2,3\n4,5,6\n", "1;2;3\n4;5;6", "1\t2\t3\n4\t5\t6\n"] {
        let parsed = plain(text);
        assert_eq!((rows(&parsed), parsed.dataset.labels), (vec![vec![1.0, 2.0], vec![4.0, 5.0]], vec![3.0, 6.0]));
        assert_eq!(parsed.names, None);
    }
    let error = read("a;b;y\n1,5;2,5;3\n", &Reading::default()).unwrap_err().to_string();
    assert!(error.contains("column 1 `a`: `1,5` has a decimal comma"), "{error}");
}

#[test]
fn the_label_column_is_found_and_said() {
    let said = |text: &str, reading: &Reading| {
        let parsed = read(text, reading).unwrap();
        (parsed.dataset.labels[0], parsed.notes.concat())
    };
    let cases = [
        ("a,Target,b\n1,2,3", Reading::default(), 2.0, "column 2 `Target` (by its name"),
        ("a,b,c\n1,2,3", Reading::default(), 3.0, "column 3 `c` (the last column; --label takes another"),
        ("1,2,3", Reading::default(), 3.0, "no header: the first line holds only numberslabels are column 3 (the last"),
        ("a,y,b\n1,2,3", with_label("a"), 1.0, "column 1 `a` (by --label)"),
        ("a,y,b\n1,2,3", with_label("3"), 3.0, "column 3 `b` (by --label)"),
        ("3,y,b\n1,2,3", with_label("3"), 1.0, "column 1 `3`"),
        (",x,y\n1,2,3", Reading::default(), 3.0, "left out: column 1"),
    ];
    for (text, reading, label, note) in cases {
        let (found, notes) = said(text, &reading);
        assert_eq!(found, label, "{text:?}");
        assert!(notes.contains(note), "{text:?}: {notes}");
    }
}

#[test]
fn companions_are_read_by_name() {
    let reading = like(2, Some(&["a", "b"]));
    let parsed = read("b,id,a,y\n1,7,2,-1", &reading).unwrap();
    assert_eq!((rows(&parsed), parsed.dataset.labels), (vec![vec![2.0, 1.0]], vec![-1.0]));
    assert_eq!(read("b,price,a\n1,5,2", &reading).unwrap().dataset.labels, [5.0]);
    let unlabelled = Reading { unlabelled: true, ..reading.clone() };
    let parsed = read("b,a\n1,2", &unlabelled).unwrap();
    assert_eq!((rows(&parsed), parsed.dataset.labels), (vec![vec![2.0, 1.0]], vec![0.0]));
    assert_eq!(rows(&read("b,name,a,y\n1,Bo,2,?", &unlabelled).unwrap()), [[2.0, 1.0]], "whatever else it holds");
    for (text, what) in [
        ("b,c,y\n1,2,3", "has no column `a`"),
        ("b,a\n1,2", "holds no labels"),
        ("b,a,c,d\n1,2,3,4", "column 3 `c`, column 4 `d` may each be the labels"),
        ("1,2,3\n", "no header"),
    ] {
        let error = read(text, &reading).unwrap_err().to_string();
        assert!(error.contains(what), "{text:?}: {error}");
    }
}

#[test]
fn companions_without_names_have_as_many_columns() {
    assert_eq!(read("1,2,3", &like(2, None)).unwrap().dataset.labels, [3.0]);
    let unlabelled = Reading { unlabelled: true, ..like(3, None) };
    assert_eq!(rows(&read("1,2,3", &unlabelled).unwrap()), [[1.0, 2.0, 3.0]]);
    assert_eq!(rows(&read("1,2,3,?", &unlabelled).unwrap()), [[1.0, 2.0, 3.0]]);
    let error = read("1,2,3", &like(3, None)).unwrap_err().to_string();
    assert!(error.contains("holds 2 columns beside the labels, the training data 3"), "{error}");
}

#[test]
fn says_what_is_wrong_and_where() {
    let cases = [
        ("a,b,y\n1,2,3\n\n1,,3", 4, "column 2 `b` is missing"),
        ("a\tb\ty\n1\t2\t3\n\t\t\n", 3, "column 1 `a` is missing"),
        ("a,b,y\n1,NA,3", 2, "column 2 `b` is missing; fill it in"),
        ("1,nan,3", 1, "column 2 is missing"),
        ("a,b\n1,inf", 2, "column 2 `b`: `inf` is not a finite number"),
        ("a,city,y\n1,2,3\n1,Berlin,3", 3, "column 2 `city`: `Berlin` is text, not a number; leave the column out"),
        ("a,y\n1,yes", 2, "column 2 `y`: the label `yes` is text; give each class a number"),
        ("a,b,y\n1,2", 2, "expected 3 fields as in the first line, found 2"),
        ("a,b,y\n1,2,3,4", 2, "found 4"),
        ("a,y\n\"1,2\n3,4", 2, "a quote is not closed"),
        ("1,2\r3,4\n", 1, "bare carriage return"),
    ];
    for (text, line, what) in cases {
        let Err(Error::Data { line: at, what: said, .. }) = read(text, &Reading::default()) else { panic!("{text:?}") };
        assert_eq!(at, line, "{text:?}: {said}");
        assert!(said.contains(what), "{text:?}: {said}");
    }
}

#[test]
fn what_cannot_be_a_table_is_an_error_of_the_file() {
    let cases = [
        ("", Reading::default(), "holds no rows"),
        ("# only\n\n", Reading::default(), "holds no rows"),
        ("a,b,y\n", Reading::default(), "holds no rows"),
        ("a\n1\n", Reading::default(), "one column only"),
        ("a,a,y\n1,2,3", Reading::default(), "column `a` is there twice"),
        ("y,label\n1,2", Reading::default(), "column 1 `y`, column 2 `label` may each be the labels"),
        ("a,b\n1,2", with_label("c"), "has no column `c` for --label; it has column 1 `a`, column 2 `b`"),
        ("1,2", with_label("3"), "has no column `3`"),
        ("1,2", with_label("0"), "has no column `0`"),
    ];
    for (text, reading, what) in cases {
        let Err(Error::File { what: said, .. }) = read(text, &reading) else { panic!("{text:?}") };
        assert!(said.contains(what), "{text:?}: {said}");
    }
}

#[test]
fn a_column_of_weights_is_no_feature() {
    let text = "a,y,w,b\n1,1,2,3\n4,0,0.5,6\n";
    let parsed = read(text, &with_weight("w")).unwrap();
    assert_eq!((rows(&parsed), &parsed.dataset.weights), (vec![vec![1.0, 3.0], vec![4.0, 6.0]], &Some(vec![2.0, 0.5])));
    assert_eq!(parsed.names.unwrap(), ["a", "b"]);
    assert!(parsed.notes.contains(&"weights are column 3 `w` (by --weight)".into()), "{:?}", parsed.notes);
    let last = read("1,2,3\n4,5,6\n", &with_weight("3")).unwrap();
    assert_eq!((last.dataset.labels, last.dataset.weights), (vec![2.0, 5.0], Some(vec![3.0, 6.0])));
}

#[test]
fn a_test_set_may_have_weights_or_none() {
    let named = Reading { unweighted: true, weights: with_weight("w").weights, ..like(2, Some(&["a", "b"])) };
    assert_eq!(read("w,b,a,y\n5,2,1,0", &named).unwrap().dataset.weights, Some(vec![5.0]));
    assert_eq!(read("b,a,y\n2,1,0", &named).unwrap().dataset.weights, None);
    let counted = Reading { unweighted: true, weights: with_weight("1").weights, ..like(2, None) };
    assert_eq!(read("5,2,1,0", &counted).unwrap().dataset.weights, Some(vec![5.0]));
    assert_eq!(read("2,1,0", &counted).unwrap().dataset.weights, None);
    let asked = Reading { unweighted: false, ..named };
    assert!(read("b,a,y\n2,1,0", &asked).unwrap_err().to_string().contains("has no column `w` for --weight"));
}

#[test]
fn bad_weights_are_refused_where_they_stand() {
    let cases = [
        ("a,y,w\n1,2,3\n1,2,-3\n", 3, "column 3 `w`: weight -3 is not a finite number of 0 or more"),
        ("a,y,w\n1,2,\n", 2, "column 3 `w` is missing"),
        ("a,y,w\n1,2,inf\n", 2, "column 3 `w`: `inf` is not a finite number"),
        ("a,y,w\n1,2,heavy\n", 2, "column 3 `w`: `heavy` is text"),
    ];
    for (text, line, what) in cases {
        let Err(Error::Data { line: at, what: said, .. }) = read(text, &with_weight("w")) else { panic!("{text:?}") };
        assert!(at == line && said.contains(what), "{text:?}: line {at}: {said}");
    }
    let said = |text: &str, reading: &Reading| read(text, reading).unwrap_err().to_string();
    assert!(said("a,y\n1,2\n", &with_weight("w")).contains("has no column `w` for --weight; it has column 1 `a`"));
    let both = Reading { labels: with_label("y").labels, ..with_weight("y") };
    assert!(said("a,b,y\n1,2,3\n", &both).contains("column 3 `y` cannot be both the labels and the weights"));
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        _ = parse(bytes.as_slice(), Path::new("f"), &Reading::default());
    }

    #[test]
    fn nothing_like_a_table_panics(text in "([-+0-9.e,;\t\"\n\r#ay]|na){0,60}", label in "[ay0-9]?", columns in 0_usize..4) {
        let asked = Reading { labels: Labels { column: Some(label), file: None }, ..like(columns, Some(&["a"])) };
        for reading in [Reading::default(), like(columns, None), like(1, Some(&["a"])), asked] {
            if let Ok(parsed) = read(&text, &reading) {
                let (n, d) = (parsed.dataset.rows(), parsed.dataset.columns());
                prop_assert_eq!(n, parsed.dataset.labels.len());
                let fits = |i| parsed.dataset.matrix.row(i).iter().all(|(j, v)| (j as usize) < d && v.is_finite());
                prop_assert!((0..n).all(fits));
            }
        }
    }
}
