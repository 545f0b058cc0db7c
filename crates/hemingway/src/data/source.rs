//! From what the user wrote as DATA to rows and labels, with the sentences to say aloud about it.

use std::fmt::{self, Display, Formatter};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::format::{Format, HEAD};
use super::libsvm::Base;
use super::synth::Recipe;
use super::{Dataset, Precision, Reading, csv, file, idx, libsvm, numpy, vw};
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
    /// Names of the columns, where the file has any: its test set is read by them.
    pub names: Option<Vec<String>>,
}

/// Rows that need no words.
impl From<Dataset> for Loaded {
    fn from(dataset: Dataset) -> Self {
        Self { dataset, notes: Vec::new(), base: None, names: None }
    }
}

impl Loaded {
    /// The same with values kept as f32 if that loses nothing.
    fn compact(mut self) -> Self {
        self.dataset.matrix.values_mut().keep_as(Precision::Auto);
        self
    }
}

impl From<numpy::Parsed> for Loaded {
    fn from(parsed: numpy::Parsed) -> Self {
        Self { notes: parsed.notes, ..parsed.dataset.into() }
    }
}

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
        self.load_as(&Reading::default())
    }

    /// Reads data of which more is known than its file says: where its labels and weights are, or what it is a companion
    /// of.
    pub fn load_as(&self, reading: &Reading) -> Result<Loaded> {
        self.load_alone(reading)?.with_file_of_weights(reading)
    }

    /// The same without a look at a file of weights.
    pub(super) fn load_alone(&self, reading: &Reading) -> Result<Loaded> {
        match self {
            Self::File(path) => load_file(path, reading).map(Loaded::compact),
            Self::Synthetic(recipe) => {
                reading.refuse_labels("made data")?;
                reading.refuse_weight("made data")?;
                let data = recipe.make();
                reading.refuse_width(data.columns()).map_err(|what| Error::file(&data.name, what))?;
                Ok(data.into())
            }
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

fn load_file(path: &Path, reading: &Reading) -> Result<Loaded> {
    let (head, input) = file::peek(file::open(path)?, HEAD).map_err(file::unreadable(path))?;
    match Format::of(&head, path).map_err(|what| Error::file(path, what))? {
        Format::Idx => load_idx(input, path, reading),
        Format::Npy => Ok(numpy::parse(input, path, reading)?.into()),
        Format::Npz => Ok(numpy::read_archive(path, reading)?.into()),
        Format::Csv => load_csv(input, path, reading),
        Format::VowpalWabbit => load_vw(input, path, reading),
        Format::Libsvm => load_libsvm(input, path, reading),
        Format::Parquet => load_parquet(path, reading),
    }
}

/// Whether a file must be parsed, as opposed to arrays that are only read.
pub(super) fn is_text(path: &Path) -> Result<bool> {
    let (head, _) = file::peek(file::open(path)?, HEAD).map_err(file::unreadable(path))?;
    let format = Format::of(&head, path).map_err(|what| Error::file(path, what))?;
    Ok(matches!(format, Format::Csv | Format::VowpalWabbit | Format::Libsvm))
}

fn load_idx(input: file::Input, path: &Path, reading: &Reading) -> Result<Loaded> {
    reading.refuse_labels("idx")?;
    reading.refuse_weight("idx")?;
    let pair = idx::read_from(input, path)?;
    reading.refuse_width(pair.dataset.columns()).map_err(|what| Error::file(path, what))?;
    let notes = vec![format!("labels are from {}", pair.labels.display()), "pixels are divided by 255".into()];
    Ok(Loaded { notes, ..pair.dataset.into() })
}

fn load_csv(input: file::Input, path: &Path, reading: &Reading) -> Result<Loaded> {
    reading.refuse_file("CSV")?;
    let csv::Parsed { dataset, names, notes } = csv::parse(input, path, reading)?;
    Ok(Loaded { notes, names, ..dataset.into() })
}

#[cfg(feature = "parquet")]
fn load_parquet(path: &Path, reading: &Reading) -> Result<Loaded> {
    reading.refuse_file("Parquet")?;
    let csv::Parsed { dataset, names, notes } = super::columnar::read(path, reading)?;
    Ok(Loaded { notes, names, ..dataset.into() })
}

#[cfg(not(feature = "parquet"))]
fn load_parquet(path: &Path, _: &Reading) -> Result<Loaded> {
    Err(Error::file(path, super::save::NO_PARQUET))
}

fn load_vw(input: file::Input, path: &Path, reading: &Reading) -> Result<Loaded> {
    reading.refuse_labels("Vowpal Wabbit text")?;
    reading.refuse_weight("Vowpal Wabbit text")?;
    let vw::Parsed { dataset, names, base } = vw::parse(input, path, reading)?;
    let by_name = || "each feature has a column, in the order of their first appearance".into();
    let mut notes = vec![base.map_or_else(by_name, |base| base_note(base, reading.base()))];
    notes.extend(dataset.weights.is_some().then(|| "weights are the numbers behind the labels".into()));
    Ok(Loaded { notes, names, base, ..dataset.into() })
}

fn load_libsvm(input: file::Input, path: &Path, reading: &Reading) -> Result<Loaded> {
    reading.refuse_labels("LIBSVM")?;
    reading.refuse_weight("LIBSVM")?;
    let parsed = libsvm::parse(input, path, reading.base())?;
    let notes = libsvm_notes(parsed.base, reading.base(), parsed.queries);
    Ok(Loaded { notes, base: Some(parsed.base), ..parsed.dataset.into() })
}

/// What there is to say of LIBSVM text.
pub(crate) fn libsvm_notes(base: Base, imposed: Option<Base>, queries: bool) -> Vec<String> {
    let mut notes = vec![base_note(base, imposed)];
    notes.extend(queries.then(|| "qid fields are ignored: rows are not grouped by query".into()));
    notes
}

/// Whether a file is LIBSVM text that can be read from anywhere within.
pub(crate) fn is_plain_libsvm(path: &Path) -> bool {
    let Ok(mut file) = std::fs::File::open(path) else { return false };
    let mut head = Vec::new();
    let whole = file.metadata().is_ok_and(|about| about.is_file());
    let read = std::io::Read::by_ref(&mut file).take(HEAD as u64).read_to_end(&mut head);
    whole && read.is_ok() && !file::is_compressed(&head) && matches!(Format::of(&head, path), Ok(Format::Libsvm))
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::reading::{Labels, Like, Weights};

    fn load(name: &str, bytes: &[u8], base: Option<Base>) -> Result<Loaded> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let like = Like { base, columns: 1, names: None };
        Source::File(path).load_as(&Reading { like: base.map(|_| like), ..Reading::default() })
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
    fn foreign_formats_are_named() {
        let error = load("x", b"ARROW1..", None).unwrap_err();
        assert!(matches!(error, Error::File { .. }) && error.to_string().contains("Arrow"), "{error}");
    }

    #[test]
    fn parquet_is_read_or_named_with_its_feature() {
        let error = load("x", b"PAR1....", None).unwrap_err();
        let what = if cfg!(feature = "parquet") { "not a whole Parquet file" } else { "--features parquet" };
        assert!(matches!(error, Error::File { .. }) && error.to_string().contains(what), "{error}");
    }

    #[test]
    fn a_label_column_is_for_tables_only() {
        let reading = Reading { labels: Labels { column: Some("y".into()), file: None }, ..Reading::default() };
        let made = Source::parse("synth:ridge,rows=10,columns=2").unwrap().load_as(&reading);
        assert!(matches!(made, Err(Error::Setting { field, .. }) if field == "--label"));
    }

    #[test]
    fn a_column_of_weights_is_for_tables_only() {
        let weights = Weights { column: Some("w".into()), file: None };
        let reading = Reading { weights, ..Reading::default() };
        let made = Source::parse("synth:ridge,rows=10,columns=2").unwrap().load_as(&reading);
        assert!(
            matches!(made, Err(Error::Setting { field, what }) if field == "--weight" && what.contains("--weights"))
        );
    }

    #[test]
    fn what_is_not_there_keeps_its_path() {
        let error = Source::parse("no/such.csv").unwrap().load().unwrap_err();
        assert!(matches!(&error, Error::Io { path, .. } if path == Path::new("no/such.csv")), "{error:?}");
        assert!(matches!(Source::parse(".").unwrap().load(), Err(Error::Io { .. })));
        assert!(matches!(load("empty", b"", None), Err(Error::File { .. })));
    }

    /// What files of every format begin with.
    const HEADS: [&[u8]; 11] = [
        b"",
        b"\x1f\x8b\x08\x00",
        b"BZh9\x31\x41\x59\x26\x53\x59",
        b"PK\x03\x04",
        b"PAR1",
        b"\x93NUMPY\x01\0\x10\0",
        &idx::IMAGES,
        b"a,b,y\n1,2,",
        b"1;2;",
        b"1 |w a:2 ",
        b"+1 1:2 ",
    ];

    proptest! {
        #[test]
        fn no_file_panics(
            head in prop::sample::select(&HEADS[..]), rest in prop::collection::vec(any::<u8>(), 0..100),
            name in "images-idx3|x[.](csv|tsv|vw|npz|npy|svm)([.]gz|[.]bz2)?",
        ) {
            _ = load(&name, &[head, &rest].concat(), None);
        }
    }
}
