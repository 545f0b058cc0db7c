//! Which format a file has: by its first bytes, and only where text may be either, by the ending of its name.

use std::path::Path;

use super::{file, idx, numpy, text};
use crate::kind;

/// The formats of data that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Idx,
    Npy,
    Npz,
    Csv,
    VowpalWabbit,
    Libsvm,
    Parquet,
}

/// So much of a file is looked at.
pub(super) const HEAD: usize = 1 << 16;

/// The first bytes of Parquet, and how its names end.
const PARQUET: (&[u8], [&str; 2]) = (b"PAR1", ["parquet", "pq"]);

/// Formats that may be meant but cannot be read: first bytes, endings of names, and what they are.
const FOREIGN: [(&[u8], &[&str], &str); 3] = [
    (b"ARROW1", &["arrow", "feather"], "Arrow"),
    (b"\xfd7zXZ", &["xz"], "xz"),
    (b"\x28\xb5\x2f\xfd", &["zst"], "zstd"),
];

/// What to give instead.
const READABLE: &str = "data is LIBSVM, CSV or Vowpal Wabbit text, .npz, .npy, Parquet or idx (docs/data.md)";

/// First bytes of text that is not UTF-8.
const UTF16: [&[u8]; 2] = [&[0xff, 0xfe], &[0xfe, 0xff]];

impl Format {
    /// The format of a file that begins so.
    ///
    /// # Errors
    /// The sentence to show, if it is none of ours.
    pub(super) fn of(head: &[u8], path: &Path) -> Result<Self, String> {
        if head.starts_with(&idx::IMAGES) || head.starts_with(&idx::LABELS) {
            return Ok(Self::Idx);
        }
        if head.starts_with(numpy::MAGIC) {
            return Ok(Self::Npy);
        }
        if head.starts_with(numpy::ARCHIVE) {
            return Ok(Self::Npz);
        }
        if UTF16.iter().any(|mark| head.starts_with(mark)) {
            return Err("the text is UTF-16; save it as UTF-8".into());
        }
        let ending = ending(path);
        if head.starts_with(PARQUET.0) || (!head.is_empty() && PARQUET.1.contains(&ending.as_str())) {
            return Ok(Self::Parquet);
        }
        refuse_foreign(head, &ending)?;
        if let Some(kind) = kind::but_data(head) {
            return Err(format!("is {kind}; {READABLE}"));
        }
        if head.contains(&0) {
            return Err(format!("is neither text nor a format known here; {READABLE}"));
        }
        Ok(match ending.as_str() {
            "csv" | "tsv" if !is_row(first_line(head)) => Self::Csv,
            "vw" => Self::VowpalWabbit,
            _ if has_bar(first_line(head)) => Self::VowpalWabbit,
            _ if is_delimited(first_line(head)) => Self::Csv,
            _ => Self::Libsvm,
        })
    }
}

/// The last ending of a name, that of compression left out, in lower case.
pub(super) fn ending(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    file::bare(&name).rsplit_once('.').map_or_else(String::new, |(_, ending)| ending.into())
}

fn refuse_foreign(head: &[u8], ending: &str) -> Result<(), String> {
    let is =
        |magic: &[u8], endings: &[&str]| head.starts_with(magic) || (!head.is_empty() && endings.contains(&ending));
    let Some((_, _, what)) = FOREIGN.iter().find(|(magic, endings, _)| is(magic, endings)) else { return Ok(()) };
    let advice = match *what {
        "xz" => "decompress it first (unxz)",
        "zstd" => "decompress it first (unzstd)",
        _ => "save it as CSV, for example with pandas: frame.to_csv(path, index=False)",
    };
    Err(format!("{what} is not yet readable; {advice}"))
}

/// The first line that holds anything, as far as it was looked at.
fn first_line(head: &[u8]) -> &[u8] {
    let mut lines = head.split(|&b| b == b'\n').map(<[u8]>::trim_ascii);
    lines.find(|line| !text::is_skipped(line)).unwrap_or_default()
}

/// The bar before features, and not in a comment.
fn has_bar(line: &[u8]) -> bool {
    line.iter().find(|b| b"|#".contains(b)) == Some(&b'|')
}

/// Separated fields, and nothing like the `index:value` of LIBSVM after the first.
fn is_delimited(line: &[u8]) -> bool {
    let is_entry = |token: &[u8]| {
        let digits = token.iter().take_while(|b| b.is_ascii_digit()).count();
        (digits > 0 && token.get(digits) == Some(&b':')) || token.starts_with(b"qid:")
    };
    let mut rest = line.split(u8::is_ascii_whitespace).filter(|token| !token.is_empty()).skip(1);
    line.iter().any(|b| b",;\t".contains(b)) && !rest.any(is_entry)
}

/// A number and nothing but `index:value` behind it: LIBSVM, whatever the name.
fn is_row(line: &[u8]) -> bool {
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let is_entry = |word: &[u8]| {
        let colon = word.iter().position(|b| *b == b':');
        colon.is_some_and(|at| {
            at > 0 && word[..at].iter().all(u8::is_ascii_digit) && text::number(&word[at + 1..]).is_some()
        })
    };
    let is_label = words.next().is_some_and(|label| text::number(label).is_some());
    let mut entries =
        words.take_while(|word| !word.starts_with(b"#")).filter(|word| !word.starts_with(b"qid:")).peekable();
    is_label && entries.peek().is_some() && entries.all(is_entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, head: &[u8]) -> Result<Format, String> {
        Format::of(head, Path::new(name))
    }

    #[test]
    fn text_is_told_by_its_first_line() {
        for (line, format) in [
            ("+1 1:0.5 3:2", Format::Libsvm),
            ("-1\t2:1", Format::Libsvm),
            ("1,2 3:4", Format::Libsvm),
            ("3 qid:1 1:0.5", Format::Libsvm),
            ("1", Format::Libsvm),
            ("", Format::Libsvm),
            ("# a, b\n\n+1 1:2", Format::Libsvm),
            ("1 2:3 # a|b", Format::Libsvm),
            ("1 |words good, film", Format::VowpalWabbit),
            ("-1 'tag| 2:0.5", Format::VowpalWabbit),
            ("a,b,label", Format::Csv),
            ("1;2;3", Format::Csv),
            ("1\t2\t3", Format::Csv),
            ("# made by hand\n1,2", Format::Csv),
        ] {
            assert_eq!(of("data", line.as_bytes()), Ok(format), "{line:?}");
        }
        assert_eq!(of("x.CSV.gz", b"single\n1"), Ok(Format::Csv));
        for line in ["+1 1:0.5 3:2\n", "0\t7:1e-3\n", "3 qid:1 1:0.5 # a, b\n"] {
            assert_eq!(of("x.csv", line.as_bytes()), Ok(Format::Libsvm), "{line:?}");
        }
        for line in ["1\t12:30\t5", "1 2", "3,12:30", "1;2:3"] {
            assert_eq!(of("x.tsv", line.as_bytes()), Ok(Format::Csv), "{line:?}");
        }
    }

    #[test]
    fn what_is_no_data_is_told_what_is() {
        for (head, kind) in [(&b"\x89PNG\0"[..], "a picture (PNG)"), (b"{\"a\": 1}", "a JSON object")] {
            assert_eq!(of("x.csv", head).unwrap_err(), format!("is {kind}; {READABLE}"));
        }
        assert!(of("x", b"\x01\0").unwrap_err().ends_with(READABLE));
    }

    #[test]
    fn foreign_formats_get_advice() {
        assert!(of("x.feather", b"ARROW1").unwrap_err().contains("not yet readable; save it as CSV"));
        for (name, head) in [("x.parquet", &b"?"[..]), ("x", b"PAR1....")] {
            assert_eq!(of(name, head), Ok(Format::Parquet));
        }
        assert!(of("x.xz", b"\xfd7zXZ\0").unwrap_err().contains("unxz"));
        assert!(of("x", &[0xff, 0xfe, b'1', 0]).unwrap_err().contains("UTF-16"));
        assert_eq!(of("x.parquet", b""), Ok(Format::Libsvm), "an empty file is empty, whatever its name");
    }
}
