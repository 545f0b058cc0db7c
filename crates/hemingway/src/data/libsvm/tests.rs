use proptest::prelude::*;

use super::*;
use crate::data::{any_dataset, dense_rows};

/// The same in one thread, a few bytes at a time.
fn in_pieces(text: &[u8], size: usize, base: Option<Base>) -> Result<Parsed> {
    let (mut chunks, mut rows, path) = (Chunks::of(text, size), Together::new(base), Path::new("some/file"));
    let (mut chunk, mut part) = (Vec::new(), Rows::new(base));
    while chunks.next(&mut chunk) {
        part.parse(&chunk);
        rows.append(&part).map_err(bad_line(path))?;
    }
    rows.finish(path)
}

fn from_text(text: &str) -> Result<Parsed> {
    parse(text.as_bytes(), Path::new("some/file"), None)
}

fn dense(parsed: &Parsed) -> Vec<Vec<f64>> {
    dense_rows(&parsed.dataset.matrix)
}

#[test]
fn reads_what_files_really_hold() {
    let parsed = from_text("# head\n+1 1:0.5 3:-2e1 # note\r\n\n-1\t2:1 \t\n1e0\r\n  -1. 4:0\n0 1:7").unwrap();
    assert_eq!(parsed.dataset.labels, [1.0, -1.0, 1.0, -1.0, 0.0]);
    assert_eq!(parsed.base, Base::One);
    assert_eq!(parsed.dataset.name, "file");
    let rows = [[0.5, 0.0, -20.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0; 4], [0.0; 4], [7.0, 0.0, 0.0, 0.0]];
    assert_eq!(dense(&parsed), rows);
    assert_eq!(parsed.dataset.matrix.nonzeros(), 4);
}

#[test]
fn one_index_zero_makes_all_count_from_zero() {
    let parsed = from_text("1 1:5\n2 0:3 2:4\n").unwrap();
    assert_eq!(parsed.base, Base::Zero);
    assert_eq!(dense(&parsed), [[0.0, 5.0, 0.0], [3.0, 0.0, 4.0]]);
}

#[test]
fn a_base_can_be_imposed() {
    let parse = |text: &str, base| parse(text.as_bytes(), Path::new("f"), Some(base));
    assert_eq!(dense(&parse("1 1:5\n", Base::Zero).unwrap()), [[0.0, 5.0]]);
    let error = parse("1 1:5\n1 0:5\n", Base::One).unwrap_err().to_string();
    assert_eq!(error, "f:2: index 0, but indices of the training data count from 1: number both alike");
}

#[test]
fn queries_are_left_out_and_owned_up_to() {
    let parsed = from_text("3 qid:1 1:0.5\n2 qid:1 2:1\n").unwrap();
    assert!(parsed.queries);
    assert_eq!(parsed.dataset.columns(), 2);
}

#[test]
fn says_what_is_wrong_and_where() {
    let cases = [
        ("1 1:1\nyes 1:1", 2, "bad label `yes`"),
        ("1:2 3:4", 1, "begin with its label"),
        ("1,2 3:4", 1, "several labels"),
        ("nan 1:1", 1, "bad label"),
        ("1 x:1", 1, "bad index `x`"),
        ("1 :1", 1, "bad index"),
        ("1 +2:1", 1, "bad index"),
        ("1 2:1 qid:3", 1, "bad index `qid`"),
        ("1 qid:x 2:1", 1, "bad index `x`"),
        ("1 3:1 2:1", 1, "index 2 after 3"),
        ("1 3:1 3:1", 1, "index 3 appears twice"),
        ("#\n\n1 3:one", 3, "`3:one` has no finite number"),
        ("1 3:", 1, "no finite number"),
        ("1 3:1:2", 1, "no finite number"),
        ("1 3:inf", 1, "no finite number"),
        ("1 3:NaN", 1, "no finite number"),
        ("1 3:1e999", 1, "no finite number"),
        ("1 4294967296:1", 1, "too large"),
        ("1 99999999999999999999999:1", 1, "too large"),
        ("1 -3:1", 1, "negative index `-3`"),
        ("1 2:1 3", 1, "no colon"),
    ];
    for (text, line, what) in cases {
        let Err(Error::Data { line: at, what: said, .. }) = from_text(text) else { panic!("{text:?} must fail") };
        assert_eq!(at, line, "{text:?}");
        assert!(said.contains(what), "{text:?}: {said}");
    }
}

/// Text that ends in an error of the disk.
struct Torn<'a>(&'a [u8]);

impl io::Read for Torn<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer)? {
            0 => Err(io::Error::other("torn")),
            count => Ok(count),
        }
    }
}

#[test]
fn a_bad_line_before_the_tear_comes_first() {
    let read = |text: &str| parse(io::BufReader::new(Torn(text.as_bytes())), Path::new("f"), None).unwrap_err();
    assert!(matches!(read("1 1:1\n1 x:1\n1 1:1\n"), Error::Data { line: 2, .. }));
    assert!(matches!(read("1 1:1\n1 x:1"), Error::Io { .. }), "the torn line itself is not judged");
}

#[test]
fn nothing_to_train_on_is_an_error_of_the_file() {
    for text in ["", "\n\n", "# only a comment\n", "1\n2\n3\n"] {
        assert!(matches!(from_text(text), Err(Error::File { .. })), "{text:?}");
    }
}

#[test]
fn a_few_bytes_do_not_ask_for_gigabytes() {
    let widest = from_text("1 0:1 134217727:1\n").unwrap();
    assert_eq!(widest.dataset.columns(), 1 << 27);
    let said = from_text("+1 4294967295:1\n-1 0:1\n").unwrap_err().to_string();
    assert!(said.contains("4294967296 columns for 2 entries, and a model of 34.4 GB"), "{said}");
}

proptest! {
    #[test]
    fn what_is_written_reads_back(dataset in any_dataset()) {
        let mut text = Vec::new();
        write(&dataset, &mut text).unwrap();
        let parsed = parse(text.as_slice(), Path::new("made"), None).unwrap();
        prop_assert_eq!(parsed.base, Base::One);
        prop_assert_eq!(parsed.dataset, dataset);
    }

    #[test]
    fn how_it_is_cut_does_not_matter(text in "(([-+]?[0-9]( [0-9]:[0-9])*|x|#)\n){0,9}", size in 1_usize..20) {
        let told = |parsed: Result<Parsed>| parsed.map_err(|error| error.to_string());
        let whole = told(from_text(&text));
        prop_assert_eq!(&told(in_pieces(text.as_bytes(), size, None)), &whole);
        prop_assert_eq!(&told(in_pieces(text.as_bytes(), 1 << 20, None)), &whole);
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        _ = parse(bytes.as_slice(), Path::new("f"), None);
    }

    #[test]
    fn nothing_like_a_row_panics(text in "([-+0-9.e:# \n]|qid:|inf|nan|4294967295){0,60}") {
        if let Ok(parsed) = from_text(&text) {
            let (n, d) = (parsed.dataset.rows(), parsed.dataset.columns());
            prop_assert_eq!(n, parsed.dataset.labels.len());
            for i in 0..n {
                prop_assert!(parsed.dataset.matrix.row(i).iter().all(|(j, v)| (j as usize) < d && v.is_finite()));
            }
        }
    }
}
