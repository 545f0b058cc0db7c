use proptest::prelude::*;

use super::*;
use crate::data::{Like, dense_rows};

fn read(text: &str, reading: &Reading) -> Result<Parsed> {
    parse(text.as_bytes(), Path::new("some/file"), reading)
}

fn plain(text: &str) -> Parsed {
    read(text, &Reading::default()).unwrap()
}

fn like(names: Option<&[&str]>, base: Option<Base>) -> Reading {
    let names = names.map(|names| names.iter().map(|name| (*name).into()).collect());
    Reading { like: Some(Like { base, columns: 2, names }), ..Reading::default() }
}

fn rows(parsed: &Parsed) -> Vec<Vec<f64>> {
    dense_rows(&parsed.dataset.matrix)
}

#[test]
fn names_are_columns_as_they_appear() {
    let parsed = plain("1 1.0 'first|words good:2 film |size:0.5 long:4 \r\n\n-1 second| film |words film:3 good:0\n");
    assert_eq!(parsed.dataset.labels, [1.0, -1.0]);
    assert_eq!(parsed.names.as_ref().unwrap(), &["words^good", "words^film", "size^long", "film"]);
    assert_eq!(rows(&parsed), [[2.0, 1.0, 2.0, 0.0], [0.0, 3.0, 0.0, 1.0]]);
}

#[test]
fn what_is_said_twice_counts_twice() {
    assert_eq!(rows(&plain("1 | a b a:2 b:-1 c")), [[3.0, 0.0, 1.0]]);
}

#[test]
fn what_a_row_counts_for_stands_behind_its_label() {
    assert_eq!(plain("1 0.5 'tag| a\n-1 | b\n1 0 | a").dataset.weights.unwrap(), [0.5, 1.0, 0.0]);
    assert_eq!(plain("1 1.0 | a\n-1 | b\n").dataset.weights, None, "all count alike");
}

#[test]
fn numbers_are_indices() {
    let parsed = plain("1 | 3:0.5 1\n-1 | 2\n");
    assert_eq!((parsed.base, &parsed.names), (Some(Base::One), &None));
    assert_eq!(rows(&parsed), [[1.0, 0.0, 0.5], [0.0, 1.0, 0.0]]);
    assert_eq!(plain("1 |f 0:2 1:3").base, Some(Base::Zero), "in one namespace too");
    assert!(plain("1 |f 1:2 |g 1:3").names.is_some(), "not in two");
    assert!(plain("1 | 1:2 01:3").names.is_some(), "nor written in two ways");
}

#[test]
fn companions_keep_the_columns_of_the_training_data() {
    let parsed = read("1 | new b a:3", &like(Some(&["a", "b"]), None)).unwrap();
    assert_eq!(rows(&parsed), [[3.0, 1.0, 1.0]], "new ones come last, to be dropped");
    assert_eq!(rows(&read("1 | 1:5", &like(None, Some(Base::Zero))).unwrap()), [[0.0, 5.0]]);
    let refused = |text, reading: &Reading| read(text, reading).unwrap_err().to_string();
    assert!(refused("1 | a", &like(None, Some(Base::One))).contains("training data are numbers"));
    assert!(refused("1 | 0:1", &like(None, Some(Base::One))).contains("count from 1"));
    let unlabelled = Reading { unlabelled: true, ..like(Some(&["a"]), None) };
    assert_eq!(read("| a\n'tag | a", &unlabelled).unwrap().dataset.labels, [0.0, 0.0]);
}

#[test]
fn says_what_is_wrong_and_where() {
    let cases = [
        ("1 | a\n1 a b", 2, "has no `|`"),
        ("| a", 1, "has no label"),
        ("1| a", 1, "has no label"),
        ("yes | a", 1, "bad label `yes`"),
        ("1:2:0.5 | a", 1, "bad label"),
        ("1 -2 | a", 1, "weight -2 is not a finite number of 0 or more"),
        ("1 inf | a", 1, "weight `inf` is not a finite number"),
        ("1 heavy | a", 1, "weight `heavy` is not a finite number"),
        ("1 1 0.5 | a", 1, "`0.5` before the `|`"),
        ("1 | a:x", 1, "`a:x` has no finite number"),
        ("1 | a:1:2", 1, "no finite number"),
        ("1 | a:inf", 1, "no finite number"),
        ("1 |w:1e300 a:1e300", 1, "too large"),
        ("1 | :2", 1, "has no name"),
    ];
    for (text, line, what) in cases {
        let Err(Error::Data { line: at, what: said, .. }) = read(text, &Reading::default()) else { panic!("{text:?}") };
        assert_eq!(at, line, "{text:?}");
        assert!(said.contains(what), "{text:?}: {said}");
    }
    for text in ["", "\n", "1 |\n2 |w\n", "1 | a:1e308 a:1e308"] {
        assert!(matches!(read(text, &Reading::default()), Err(Error::File { .. })), "{text:?}");
    }
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        _ = parse(bytes.as_slice(), Path::new("f"), &Reading::default());
    }

    #[test]
    fn nothing_like_a_row_panics(text in "[-+0-9.e:|' \nab]{0,60}", base in any::<bool>()) {
        let base = if base { Base::Zero } else { Base::One };
        for reading in [Reading::default(), like(Some(&["a", "1"]), None), like(None, Some(base))] {
            if let Ok(parsed) = read(&text, &reading) {
                let (n, d) = (parsed.dataset.rows(), parsed.dataset.columns());
                prop_assert_eq!(n, parsed.dataset.labels.len());
                let fits = |i| parsed.dataset.matrix.row(i).iter().all(|(j, v)| (j as usize) < d && v.is_finite());
                prop_assert!((0..n).all(fits));
            }
        }
    }
}
