//! What a file is that was given where another was expected, so that the message can say so.

use std::path::Path;

use crate::{Error, Result};

const LIBSVM: &str = "LIBSVM text, data for `train`";
const CLUSTER: &str = "a cluster file";
const VARIABLES: &str = "a list of variables";
const STRATEGY: &str = "a strategy of exchange";
const RECORDS: &str = "a file of records, which `fit` and `advise` read";
const OBJECT: &str = "a JSON object";
const ARRAY: &str = "a JSON array";

/// First bytes, and what begins so.
const MAGIC: [(&[u8], &str); 5] = [
    (b"solver_type ", "a liblinear model"),
    (b"\x89PNG", "a picture (PNG)"),
    (b"\xff\xd8\xff", "a picture (JPEG)"),
    (b"\x89HDF", "HDF5"),
    (b"%PDF-", "a PDF document"),
];

/// What is written somewhere in an object of JSON, and what it is then: the first that suits.
const OBJECTS: [(&[&str], &str); 6] = [
    (&["\"hemingway-model-"], "a Hemingway model"),
    (&["\"hemingway-fit-"], "a fit, which `advise` reads"),
    (&["\"algorithm\"", "\"machines\""], RECORDS),
    (&["\"context\"", "\"machines\""], RECORDS),
    (&["\"variables\"", "\"machines\""], STRATEGY),
    (&["\"variables\""], VARIABLES),
];

/// What a file that begins so is, if it is certainly no data.
pub(crate) fn but_data(head: &[u8]) -> Option<&'static str> {
    let magic = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, kind)| *kind);
    magic.or_else(|| weights(head)).or_else(|| page(head)).or_else(|| json(head)).or_else(|| cluster(head))
}

/// The same of records.
pub(crate) fn but_records(head: &[u8]) -> Option<&'static str> {
    of(head).filter(|kind| ![RECORDS, OBJECT].contains(kind))
}

fn of(head: &[u8]) -> Option<&'static str> {
    but_data(head).or_else(|| is_libsvm(head).then_some(LIBSVM))
}

/// Models whose formats are not text: ONNX begins with its version, safetensors with how long its JSON is.
fn weights(head: &[u8]) -> Option<&'static str> {
    match head {
        [8, 1..=32, 0x12, ..] => Some("an ONNX graph"),
        [_, _, _, _, _, _, _, 0, b'{', b'"', ..] => Some("a safetensors model"),
        _ => None,
    }
}

fn page(head: &[u8]) -> Option<&'static str> {
    let text = head.trim_ascii_start();
    let begins = |tag: &[u8]| text.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag));
    (begins(b"<!doctype html") || begins(b"<html")).then_some("a page of HTML")
}

/// The first name in a header may begin with a bracket too, but does not go on as values do.
fn json(head: &[u8]) -> Option<&'static str> {
    let text = head.trim_ascii_start();
    let brackets = text.iter().take_while(|b| **b == b'[' || b.is_ascii_whitespace()).count();
    let inner = &text[brackets..];
    let parted = || inner.iter().find(|b| b",]".contains(b)) == Some(&b',');
    match (text.first()?, inner.first()?) {
        (b'{', _) => is_object(text).then(|| object(text)),
        (b'[', b'{') => is_object(inner).then_some(ARRAY),
        (b'[', b'"') => Some(ARRAY),
        (b'[', b'-' | b'0'..=b'9') => parted().then_some(ARRAY),
        _ => None,
    }
}

fn is_object(text: &[u8]) -> bool {
    matches!(text[1..].trim_ascii_start().first(), Some(b'"' | b'}'))
}

fn object(text: &[u8]) -> &'static str {
    let holds = |word: &str| text.windows(word.len()).any(|window| window == word.as_bytes());
    OBJECTS.iter().find(|(words, _)| words.iter().all(|word| holds(word))).map_or(OBJECT, |(_, kind)| kind)
}

/// By a key that every cluster file has, and nothing else.
fn cluster(head: &[u8]) -> Option<&'static str> {
    let is_key = |line: &[u8]| {
        let rest = line.trim_ascii_start().strip_prefix(b"cores_per_machine");
        rest.is_some_and(|rest| rest.trim_ascii_start().starts_with(b"="))
    };
    head.split(|b| *b == b'\n').any(is_key).then_some(CLUSTER)
}

/// A number, and behind it `index:value`.
fn is_libsvm(head: &[u8]) -> bool {
    let mut lines = head.split(|b| *b == b'\n').map(<[u8]>::trim_ascii);
    let line = lines.find(|line| !line.is_empty() && !line.starts_with(b"#")).unwrap_or_default();
    let mut words = std::str::from_utf8(line).unwrap_or_default().split_ascii_whitespace();
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    let is_entry = |word: &str| word.split_once(':').is_some_and(|(index, value)| is_number(index) && is_number(value));
    words.next().is_some_and(is_number) && words.find(|word| !word.starts_with("qid:")).is_some_and(is_entry)
}

/// What a file is expected to be.
pub(crate) struct Wanted {
    kinds: &'static [&'static str],
    /// A letter that no such file lacks, and what a file without it is.
    letter: (u8, &'static str),
    /// What it is called, and where to look at one.
    pub(crate) example: &'static str,
}

/// What `--cluster` names.
pub(crate) const A_CLUSTER: Wanted = Wanted {
    kinds: &[CLUSTER],
    letter: (b'=', "no TOML"),
    example: "a cluster file, such as `doctor -o FILE` writes and docs/clusters.md shows",
};

/// What `--sync` and STRATEGY name.
pub(crate) const A_STRATEGY: Wanted = Wanted {
    kinds: &[STRATEGY, OBJECT],
    letter: (b'{', "no JSON"),
    example: "a strategy of exchange, such as `sync search MODEL -o FILE` writes and docs/sync.md shows",
};

/// What MODEL of `sync` names.
pub(crate) const VARIABLES_OF_A_MODEL: Wanted = Wanted {
    kinds: &[VARIABLES, OBJECT],
    letter: (b'{', "no JSON"),
    example: "a list of variables, such as docs/sync.md shows, an ONNX graph, or data",
};

impl Wanted {
    /// Reads a file and understands its text. Where that fails because it is a file of another kind, that is said.
    pub(crate) fn read<T>(&self, path: &Path, understand: impl FnOnce(&str) -> Result<T>) -> Result<T> {
        let bytes = std::fs::read(path).map_err(Error::io(path))?;
        let text = std::str::from_utf8(&bytes).map_err(|_| Error::file(path, "is not text"));
        text.and_then(understand).map_err(|error| match self.instead(&bytes) {
            Some(kind) => Error::file(path, format!("is {kind}; expected {}", self.example)),
            None => error,
        })
    }

    /// What it is instead.
    fn instead(&self, bytes: &[u8]) -> Option<&'static str> {
        match of(bytes) {
            Some(kind) => Some(kind).filter(|kind| !self.kinds.contains(kind)),
            None if bytes.trim_ascii().is_empty() => Some("empty"),
            None if std::str::from_utf8(bytes).is_err() => Some("not text"),
            None => Some(self.letter.1).filter(|_| !bytes.contains(&self.letter.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_how_they_begin() {
        for (head, kind) in [
            (&b"solver_type L2R_LR\nnr_class 2"[..], "a liblinear model"),
            (b"\x89PNG\r\n", "a picture (PNG)"),
            (b"\x08\x08\x12\x09hemingway", "an ONNX graph"),
            (b"\x40\0\0\0\0\0\0\0{\"weights\":", "a safetensors model"),
            (b"\n<!DOCTYPE html><html>", "a page of HTML"),
            (b"{\n  \"format\": \"hemingway-model-1\",\n \"algorithm\": 1, \"machines\": 2", "a Hemingway model"),
            (b"{\"algorithm\": \"gd\", \"machines\": 1}\n{", RECORDS),
            (b"{\"version\": 1, \"machines\": 2, \"variables\": []}", STRATEGY),
            (b"{\"name\": \"s\", \"variables\": []}", VARIABLES),
            (b"{\"a\": [1, 2]}", OBJECT),
            (b"[[1, 2], [3, 4]]", ARRAY),
            (b"[{\"a\": 1}]", ARRAY),
            (b"# ours\nname = \"x\"\n cores_per_machine = 2\n", CLUSTER),
            (b"+1 1:0.5 3:2\n", LIBSVM),
            (b"# ours\n3 qid:1 1:0.5\n", LIBSVM),
        ] {
            assert_eq!(of(head), Some(kind), "{}", head.escape_ascii());
        }
    }

    #[test]
    fn data_is_never_taken_for_anything_else() {
        for head in [
            &b""[..],
            b"{",
            b"[",
            b"+1 1:0.5",
            b"# {\"a\": 1}\n1 2:3",
            b"[1],[2],label\n1,2,0",
            b"{a},{b}\n1,2",
            b"a,cores_per_machine\ncores_per_machine",
            b"algorithm,machines,seconds\n1,2,3",
            b"1 |w good",
            b"\x08\x00",
        ] {
            assert_eq!(but_data(head), None, "{}", head.escape_ascii());
        }
    }

    #[test]
    fn what_was_wanted_is_told_only_of_other_kinds() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        let said = |text: &[u8]| {
            std::fs::write(&path, text).unwrap();
            let read = A_CLUSTER.read(&path, |_| Err::<(), _>(Error::setting("machines", "none")));
            read.unwrap_err().to_string().replace(&path.display().to_string(), "x")
        };
        assert!(said(b"").starts_with("x: is empty; expected a cluster file, such as"));
        assert!(said(b"1 1:2").starts_with("x: is LIBSVM text, data for `train`; expected a cluster file"));
        assert!(said(b"once upon a time").starts_with("x: is no TOML; expected a cluster file"));
        assert_eq!(said(b"cores_per_machine = 1"), "machines: none");
        assert!(said(b"=\xff").starts_with("x: is not text; expected a cluster file"));
    }
}
