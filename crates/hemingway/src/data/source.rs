//! From what the user wrote as DATA to rows and labels, with the sentences to say aloud about it.

use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};

use super::libsvm::Base;
use super::synth::Recipe;
use super::{Dataset, file, idx, libsvm};
use crate::{Error, Result};

/// Where data comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// A file; of which format, its content says.
    File(PathBuf),
    /// Made to order.
    Synthetic(Recipe),
}

/// Data, and what the user should know about how it was understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// Rows and labels as they were found.
    pub dataset: Dataset,
    /// Sentences to say aloud.
    pub notes: Vec<String>,
    /// What the indices of a LIBSVM file count from, to be imposed on its test set.
    pub base: Option<Base>,
}

/// Formats that may be meant but cannot be read yet: first bytes, endings of names, and what they are.
const FOREIGN: [(&[u8], &[&str], &str); 6] = [
    (b"", &["csv", "tsv"], "CSV"),
    (b"PAR1", &["parquet", "pq"], "Parquet"),
    (b"ARROW1", &["arrow", "feather"], "Arrow"),
    (b"PK\x03\x04", &["npz", "zip"], "npz or zip"),
    (b"\x93NUMPY", &["npy"], "npy"),
    (b"\xfd7zXZ", &["xz"], "xz"),
];

impl Source {
    /// Understands DATA: `synth:KIND,key=value…` or the path of a file, which is not yet opened.
    pub fn parse(data: &str) -> Result<Self> {
        if data.starts_with(super::synth::PREFIX) {
            return Ok(Self::Synthetic(Recipe::parse(data)?));
        }
        Ok(Self::File(data.into()))
    }

    /// Reads or makes the data.
    pub fn load(&self) -> Result<Loaded> {
        self.load_like(None)
    }

    /// Reads a companion of data already loaded, such as its test set: a test set that happens to hold no index 0
    /// would otherwise shift by a column.
    pub fn load_like(&self, base: Option<Base>) -> Result<Loaded> {
        match self {
            Self::File(path) => load_file(path, base),
            Self::Synthetic(recipe) => Ok(Loaded { dataset: recipe.make(), notes: Vec::new(), base: None }),
        }
    }
}

impl std::str::FromStr for Source {
    type Err = Error;

    fn from_str(data: &str) -> Result<Self> {
        Self::parse(data)
    }
}

impl Display for Source {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Synthetic(recipe) => recipe.fmt(f),
        }
    }
}

fn load_file(path: &Path, base: Option<Base>) -> Result<Loaded> {
    let (head, input) = file::peek(file::open(path)?, 8).map_err(file::unreadable(path))?;
    if head.starts_with(&idx::IMAGES) || head.starts_with(&idx::LABELS) {
        let pair = idx::read_from(input, path)?;
        let notes = vec![format!("labels are from {}", pair.labels.display()), "pixels are divided by 255".into()];
        return Ok(Loaded { dataset: pair.dataset, notes, base: None });
    }
    refuse_foreign(&head, path)?;
    let parsed = libsvm::parse(input, path, base)?;
    let mut notes = vec![base_note(parsed.base, base)];
    if parsed.queries {
        notes.push("qid fields are ignored: rows are not grouped by query".into());
    }
    Ok(Loaded { dataset: parsed.dataset, notes, base: Some(parsed.base) })
}

fn base_note(found: Base, imposed: Option<Base>) -> String {
    let first = if found == Base::Zero { 0 } else { 1 };
    let why = match (imposed, found) {
        (Some(_), _) => "as in the training data",
        (None, Base::Zero) => "an index 0 appears",
        (None, Base::One) => "no index 0 appears",
    };
    format!("indices are {first}-based ({why})")
}

fn refuse_foreign(head: &[u8], path: &Path) -> Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let ending = file::bare(&name).rsplit_once('.').map_or("", |(_, ending)| ending);
    let is = |magic: &[u8], endings: &[&str]| {
        (!magic.is_empty() && head.starts_with(magic)) || (!head.is_empty() && endings.contains(&ending))
    };
    let Some((_, _, what)) = FOREIGN.iter().find(|(magic, endings, _)| is(magic, endings)) else { return Ok(()) };
    let advice = match *what {
        "xz" => "decompress it first (unxz)",
        _ => "convert it to LIBSVM, for example with scikit-learn: dump_svmlight_file(X, y, path, zero_based=False)",
    };
    Err(Error::file(path, format!("{what} is not yet readable; {advice}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(name: &str, bytes: &[u8], base: Option<Base>) -> Result<Loaded> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        Source::File(path).load_like(base)
    }

    #[test]
    fn says_what_indices_count_from() {
        let note = |text: &str, base| load("data", text.as_bytes(), base).unwrap().notes.remove(0);
        assert_eq!(note("1 1:2", None), "indices are 1-based (no index 0 appears)");
        assert_eq!(note("1 0:2", None), "indices are 0-based (an index 0 appears)");
        assert_eq!(note("1 1:2", Some(Base::Zero)), "indices are 0-based (as in the training data)");
        assert_eq!(load("data", b"1 qid:1 1:2", None).unwrap().notes.len(), 2);
    }

    #[test]
    fn synthetic_and_files_are_told_apart() {
        let made = Source::parse("synth:ridge,rows=10,columns=2").unwrap();
        assert_eq!(made.load().unwrap().dataset.name, "synth:ridge,rows=10,columns=2");
        assert_eq!(made.to_string(), "synth:ridge,rows=10,columns=2");
        assert!(matches!(Source::parse("synth:nonsense"), Err(Error::Setting { .. })));
        assert_eq!(Source::parse("a9a.gz").unwrap(), Source::File("a9a.gz".into()));
    }

    #[test]
    fn idx_is_known_by_its_first_bytes() {
        let error = load("whatever", &[0, 0, 8, 3, 0, 0], None).unwrap_err().to_string();
        assert!(error.contains("header of idx images"), "{error}");
    }

    #[test]
    fn foreign_formats_get_advice() {
        for (name, bytes) in
            [("x.csv", &b"1,2"[..]), ("x.CSV.gz", b"1,2"), ("x", b"PAR1...."), ("x.npz", b"PK\x03\x04")]
        {
            let error = load(name, bytes, None).unwrap_err();
            assert!(matches!(error, Error::File { .. }), "{name}: {error:?}");
            assert!(error.to_string().contains("not yet readable; convert it to LIBSVM"), "{error}");
        }
        assert!(load("x.xz", b"\xfd7zXZ\0", None).unwrap_err().to_string().contains("unxz"));
    }

    #[test]
    fn what_is_not_there_keeps_its_path() {
        let error = Source::parse("no/such.csv").unwrap().load().unwrap_err();
        assert!(matches!(&error, Error::Io { path, .. } if path == Path::new("no/such.csv")), "{error:?}");
        assert!(matches!(Source::parse(".").unwrap().load(), Err(Error::Io { .. })));
        assert!(matches!(load("empty", b"", None), Err(Error::File { .. })));
    }
}
