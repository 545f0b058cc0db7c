//! Writing data, as the ending of a name asks for.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use bzip2::write::BzEncoder;
use flate2::write::GzEncoder;

use super::{Dataset, file, format, libsvm, numpy};
use crate::{Error, Result};

/// A format that can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaveAs {
    /// Text, compressed if the name ends in `.gz` or `.bz2`.
    Libsvm,
    /// An archive of NumPy arrays, dense or sparse as the data is kept.
    Npz,
    /// A table of doubles, every zero written out.
    Parquet,
}

/// Endings that files of LIBSVM text have; any other promises another format.
const LIBSVM: [&str; 14] =
    ["", "svm", "libsvm", "svmlight", "txt", "dat", "data", "t", "tr", "train", "test", "val", "scale", "binary"];

/// Why Parquet is neither read nor written.
#[cfg(not(feature = "parquet"))]
pub(super) const NO_PARQUET: &str =
    "Parquet was left out of this build: build with `--features parquet`, or use CSV or npz";

impl SaveAs {
    /// What the ending of a name asks for: LIBSVM, if it does not promise anything else.
    pub fn of(path: &Path) -> Result<Self> {
        match format::ending(path).as_str() {
            "npz" => Ok(Self::Npz),
            "parquet" | "pq" => Ok(Self::Parquet),
            ending if LIBSVM.contains(&ending) => Ok(Self::Libsvm),
            other => {
                let what = format!(
                    "{other} cannot be written; end the name in .svm, .npz or .parquet, or say which with --to"
                );
                Err(Error::setting(path.display().to_string(), what))
            }
        }
    }

    /// Refuses a name that promises a compressed file where none is written.
    pub fn check_name(self, path: &Path) -> Result<()> {
        let name = path.display().to_string();
        let lower = name.to_lowercase();
        let bare = file::bare(&lower);
        if self == Self::Libsvm || bare.len() == lower.len() {
            return Ok(());
        }
        let what = format!(
            "{} is packed by itself and not compressed again: call it {}",
            self.name(),
            name.get(..bare.len()).unwrap_or(bare)
        );
        Err(Error::setting(name, what))
    }

    /// What to say of a name that promises another format than the one written under it.
    pub fn misnamed(self, path: &Path) -> Option<String> {
        const PROMISES: [&str; 9] = ["svm", "libsvm", "svmlight", "npz", "npy", "parquet", "pq", "csv", "tsv"];
        let ending = format::ending(path);
        let keeps = Self::of(path).is_ok_and(|promised| promised == self);
        (PROMISES.contains(&ending.as_str()) && !keeps)
            .then(|| format!("{}: its name ends in .{ending}, but the file is {}", path.display(), self.name()))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Libsvm => "LIBSVM text",
            Self::Npz => "npz",
            Self::Parquet => "Parquet",
        }
    }

    /// How the name of such a file ends.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Libsvm => "svm",
            Self::Npz => "npz",
            Self::Parquet => "parquet",
        }
    }
}

/// Writes a file that reads back to the same numbers. Weights, which LIBSVM text cannot hold, go to a file beside it, one a
/// line: its path is returned.
pub fn save(dataset: &Dataset, path: &Path, format: SaveAs) -> Result<Option<PathBuf>> {
    save_rows(dataset, path, format)?;
    let Some(weights) = dataset.weights.as_ref().filter(|_| format == SaveAs::Libsvm) else { return Ok(None) };
    let beside = weights_beside(path);
    let lines: String = weights.iter().map(|weight| format!("{weight}\n")).collect();
    std::fs::write(&beside, lines).map_err(Error::io(&beside))?;
    Ok(Some(beside))
}

/// Where the weights of rows go that are saved as LIBSVM text.
pub fn weights_beside(path: &Path) -> PathBuf {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".weights");
    beside.into()
}

fn save_rows(dataset: &Dataset, path: &Path, format: SaveAs) -> Result<()> {
    if format == SaveAs::Parquet {
        return save_parquet(dataset, path);
    }
    let mut file = BufWriter::with_capacity(1 << 16, File::create(path).map_err(Error::io(path))?);
    let written = match format {
        SaveAs::Npz => numpy::write(dataset, &mut file),
        _ => write_text(dataset, path, &mut file),
    };
    written.and_then(|()| file.flush()).map_err(Error::io(path))
}

#[cfg(feature = "parquet")]
fn save_parquet(dataset: &Dataset, path: &Path) -> Result<()> {
    super::columnar::write(dataset, path)
}

#[cfg(not(feature = "parquet"))]
fn save_parquet(_: &Dataset, path: &Path) -> Result<()> {
    Err(Error::file(path, NO_PARQUET))
}

fn write_text(dataset: &Dataset, path: &Path, file: &mut impl Write) -> io::Result<()> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("gz") => {
            let mut packed = GzEncoder::new(file, flate2::Compression::default());
            libsvm::write(dataset, &mut packed)?;
            packed.finish().map(drop)
        }
        Some("bz2") => {
            let mut packed = BzEncoder::new(file, bzip2::Compression::default());
            libsvm::write(dataset, &mut packed)?;
            packed.finish().map(drop)
        }
        _ => libsvm::write(dataset, file),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Reading, Source, Weights};

    #[test]
    fn what_is_saved_loads_again() {
        let dir = tempfile::tempdir().unwrap();
        for spec in ["synth:svm,rows=20,columns=4", "synth:sparse,rows=20,columns=30,density=0.1"] {
            let made = Source::parse(spec).unwrap().load().unwrap().dataset;
            for name in ["a", "a.svm", "a.svm.gz", "a.svm.bz2", "a.npz"] {
                let path = dir.path().join(name);
                save(&made, &path, SaveAs::of(&path).unwrap()).unwrap();
                let loaded = Source::File(path).load().unwrap().dataset;
                assert_eq!((loaded.matrix, loaded.labels), (made.matrix.clone(), made.labels.clone()), "{name}");
            }
        }
    }

    #[test]
    fn weights_are_saved_with_their_rows_or_beside_them() {
        let dir = tempfile::tempdir().unwrap();
        let made = Source::parse("synth:svm,rows=4,columns=2").unwrap().load().unwrap().dataset;
        let made = Dataset { weights: Some(vec![0.0, 1.5, 0.1, 1e-300]), ..made };
        let (text, arrays) = (dir.path().join("a.svm.gz"), dir.path().join("a.npz"));
        assert_eq!(save(&made, &arrays, SaveAs::Npz).unwrap(), None);
        assert_eq!(Source::File(arrays).load().unwrap().dataset.weights, made.weights);
        let file = save(&made, &text, SaveAs::Libsvm).unwrap();
        assert_eq!(file, Some(dir.path().join("a.svm.gz.weights")));
        let reading = Reading { weights: Weights { column: None, file }, ..Reading::default() };
        assert_eq!(Source::File(text).load_as(&reading).unwrap().dataset.weights, made.weights);
    }

    #[test]
    fn endings_are_kept() {
        assert_eq!(SaveAs::of(Path::new("a/b.NPZ")).unwrap(), SaveAs::Npz);
        assert_eq!(SaveAs::of(Path::new("a.csv/b.txt")).unwrap(), SaveAs::Libsvm);
        let others = ["b.onnx", "b.model", "b.safetensors", "b.odd"];
        assert!(others.iter().all(|name| SaveAs::of(Path::new(name)).is_err()));
        let error = SaveAs::of(Path::new("b.csv.gz")).unwrap_err().to_string();
        assert_eq!(
            error,
            "b.csv.gz: csv cannot be written; end the name in .svm, .npz or .parquet, or say which with --to"
        );
        for format in [SaveAs::Libsvm, SaveAs::Npz] {
            let name = format!("a.{}", format.ending());
            assert_eq!(SaveAs::of(Path::new(&name)).unwrap(), format);
        }
    }
}
