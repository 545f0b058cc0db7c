//! Parsed text, kept in binary: the second start reads numbers instead of parsing them.
//!
//! A copy belongs to one file, read one way. It is taken only if the file's size and time of change are those it was made
//! from; a damaged or foreign copy is as good as none. Arrays lie one after the other as memory holds them and are read
//! whole into place: nothing is mapped, so that a copy may be deleted at any time.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use bytemuck::{Pod, cast_slice, cast_slice_mut};
use serde::{Deserialize, Serialize};

use super::libsvm::Base;
use super::matrix::either;
use super::{Dataset, Fnv, Loaded, Matrix, Reading, Source, Values};
use crate::Result;

/// The first bytes of a copy: the version of what follows, and which end of a number comes first.
const MAGIC: &[u8; 8] = if cfg!(target_endian = "little") { b"hmgwy-4l" } else { b"hmgwy-4b" };
/// Smaller files are parsed in no time.
const WORTH_KEEPING: u64 = 4 << 20;
/// Longer headers are damaged ones.
const LONGEST_HEADER: u64 = 1 << 30;

/// A folder of copies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cache {
    folder: PathBuf,
    worth_keeping: u64,
}

/// What a copy says of itself, before its arrays.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    origin: Origin,
    name: String,
    notes: Vec<String>,
    base: Option<Base>,
    names: Option<Vec<String>>,
    weighted: bool,
    rows: u64,
    columns: u64,
    entries: u64,
    sparse: bool,
    /// Bytes of a value.
    width: u64,
}

/// The file a copy was made from, as it was then, and how it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Origin {
    path: PathBuf,
    size: u64,
    changed: (u64, u32),
    reading: String,
}

impl Cache {
    /// Copies are kept in this folder, which is made when the first is.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), worth_keeping: WORTH_KEEPING }
    }

    /// Reads data, from a copy if there is one; else leaves a copy if that is worth it. That none could be left is no
    /// error: the data is there.
    pub fn load(&self, source: &Source, reading: &Reading) -> Result<Loaded> {
        // A file of weights may change while the data stays.
        let alone = Reading { weights: reading.weights.of_companion(), ..reading.clone() };
        self.load_alone(source, &alone)?.with_file_of_weights(reading)
    }

    fn load_alone(&self, source: &Source, reading: &Reading) -> Result<Loaded> {
        let Some(origin) = self.origin(source, reading) else { return source.load_alone(reading) };
        let path = self.path(&origin);
        if let Some(kept) = take(&path, &origin) {
            return Ok(kept);
        }
        let loaded = source.load_alone(reading)?;
        // Changed while it was read: what was read is neither the old file nor the new.
        if self.origin(source, reading).as_ref() == Some(&origin) {
            _ = self.keep(&path, origin, &loaded);
        }
        Ok(loaded)
    }

    /// Where data comes from, if a copy of it is worth keeping and can be trusted: one file of text.
    fn origin(&self, source: &Source, reading: &Reading) -> Option<Origin> {
        let Source::File(path) = source else { return None };
        let about = fs::metadata(path).ok().filter(|about| about.is_file() && about.len() >= self.worth_keeping)?;
        if !super::source::is_text(path).ok()? {
            return None;
        }
        let changed = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(Origin {
            path: fs::canonicalize(path).ok()?,
            size: about.len(),
            changed: (changed.as_secs(), changed.subsec_nanos()),
            reading: format!("{reading:?}"),
        })
    }

    fn path(&self, origin: &Origin) -> PathBuf {
        let mut hash = Fnv::default();
        let words = [origin.path.as_os_str().as_encoded_bytes(), origin.reading.as_bytes()];
        words.into_iter().flatten().for_each(|byte| hash.write(u64::from(*byte)));
        self.folder.join(format!("{:016x}.data", hash.0))
    }

    fn keep(&self, path: &Path, origin: Origin, loaded: &Loaded) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let partial = path.with_extension(format!("partial-{}", std::process::id()));
        let written = File::create(&partial).and_then(|file| write(BufWriter::new(file), origin, loaded));
        let kept = written.and_then(|()| fs::rename(&partial, path));
        kept.inspect_err(|_| _ = fs::remove_file(&partial))
    }
}

fn write(mut file: impl Write, origin: Origin, loaded: &Loaded) -> io::Result<()> {
    let Dataset { name, matrix, labels, weights } = &loaded.dataset;
    let header = Header {
        origin,
        name: name.clone(),
        notes: loaded.notes.clone(),
        base: loaded.base,
        names: loaded.names.clone(),
        weighted: weights.is_some(),
        rows: matrix.rows() as u64,
        columns: matrix.columns() as u64,
        entries: matrix.stored() as u64,
        sparse: matches!(matrix, Matrix::Sparse { .. }),
        width: matrix.values().width() as u64,
    };
    let header = serde_json::to_vec(&header)?;
    file.write_all(MAGIC)?;
    file.write_all(&(header.len() as u64).to_le_bytes())?;
    file.write_all(&header)?;
    file.write_all(cast_slice(labels))?;
    file.write_all(cast_slice(weights.as_deref().unwrap_or_default()))?;
    if let Matrix::Sparse { starts, indices, .. } = matrix {
        let starts: Vec<u64> = starts.iter().map(|start| *start as u64).collect();
        file.write_all(cast_slice(&starts))?;
        file.write_all(cast_slice(indices))?;
    }
    either!(Values, matrix.values(), values => file.write_all(cast_slice(values)))?;
    file.flush()
}

/// What a copy holds, if it is whole and of this very origin.
fn take(path: &Path, origin: &Origin) -> Option<Loaded> {
    let file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    let mut file = BufReader::new(file);
    let mut start = [0; 16];
    file.read_exact(&mut start).ok()?;
    let size = u64::from_le_bytes(start[8..].try_into().ok()?);
    if &start[..8] != MAGIC || size > LONGEST_HEADER.min(length) {
        return None;
    }
    let mut header = vec![0; size as usize];
    file.read_exact(&mut header).ok()?;
    let header: Header = serde_json::from_slice(&header).ok()?;
    if header.origin != *origin || header.bytes()? != length - size - 16 {
        return None;
    }
    header.arrays(file)
}

impl Header {
    /// How many bytes of arrays follow it.
    fn bytes(&self) -> Option<u64> {
        let labels = self.rows.checked_mul(if self.weighted { 16 } else { 8 })?;
        let indices = match self.sparse {
            true => self.rows.checked_add(1)?.checked_mul(8)?.checked_add(self.entries.checked_mul(4)?)?,
            false => 0,
        };
        labels.checked_add(indices)?.checked_add(self.entries.checked_mul(self.width)?)
    }

    fn arrays(self, mut file: impl Read) -> Option<Loaded> {
        let (rows, columns, entries) = (self.rows as usize, self.columns as usize, self.entries as usize);
        let labels = numbers(&mut file, rows).ok()?;
        let weights = self.weighted.then(|| numbers(&mut file, rows)).transpose().ok()?;
        let matrix = if self.sparse {
            let starts: Vec<u64> = numbers(&mut file, rows + 1).ok()?;
            let starts: Vec<usize> = starts.into_iter().map(|start| start as usize).collect();
            let indices: Vec<u32> = numbers(&mut file, entries).ok()?;
            let values = self.values(&mut file, entries)?;
            let whole = starts.first() == Some(&0) && starts.last() == Some(&entries) && starts.is_sorted();
            let within = indices.iter().all(|index| (*index as usize) < columns);
            (whole && within).then_some(Matrix::Sparse { columns, starts, indices, values })?
        } else {
            let values = self.values(&mut file, entries)?;
            (rows.checked_mul(columns) == Some(entries)).then_some(Matrix::Dense { rows, columns, values })?
        };
        let dataset = Dataset { name: self.name, matrix, labels, weights };
        Some(Loaded { dataset, notes: self.notes, base: self.base, names: self.names })
    }

    fn values(&self, file: &mut impl Read, entries: usize) -> Option<Values> {
        match self.width {
            8 => numbers(file, entries).map(Values::F64).ok(),
            4 => numbers(file, entries).map(Values::F32).ok(),
            _ => None,
        }
    }
}

fn numbers<T: Pod>(file: &mut impl Read, count: usize) -> io::Result<Vec<T>> {
    let mut numbers = vec![T::zeroed(); count];
    file.read_exact(cast_slice_mut(&mut numbers))?;
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::{SaveAs, Weights, any_dataset, save};

    /// A cache that keeps everything, and a file.
    fn desk() -> (tempfile::TempDir, Cache, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache { folder: folder.path().join("cache"), worth_keeping: 0 };
        let file = folder.path().join("data.svm");
        (folder, cache, file)
    }

    fn copies(cache: &Cache) -> Vec<PathBuf> {
        fs::read_dir(&cache.folder).map_or_else(|_| Vec::new(), |all| all.map(|entry| entry.unwrap().path()).collect())
    }

    proptest! {
        #[test]
        fn a_copy_is_what_was_read(data in any_dataset()) {
            let (_folder, cache, file) = desk();
            save(&data, &file, SaveAs::Libsvm).unwrap();
            let source = Source::File(file);
            let plain = source.load().unwrap();
            let first = cache.load(&source, &Reading::default()).unwrap();
            prop_assert_eq!(copies(&cache).len(), 1);
            let second = cache.load(&source, &Reading::default()).unwrap();
            prop_assert_eq!(&plain, &first);
            prop_assert_eq!(&plain, &second);
        }

        /// Cut short, or with bytes changed: never a panic, and never other numbers of rows and columns.
        #[test]
        fn a_damaged_copy_is_as_good_as_none(at in 0.0..1.0f64, byte: u8, cut: bool) {
            let (_folder, cache, file) = desk();
            fs::write(&file, "1 1:2 3:4\n-1 2:1\n").unwrap();
            let source = Source::File(file);
            let plain = cache.load(&source, &Reading::default()).unwrap();
            let copy = copies(&cache).remove(0);
            let mut bytes = fs::read(&copy).unwrap();
            let at = (at * bytes.len() as f64) as usize;
            if cut { bytes.truncate(at) } else { bytes[at] = byte }
            fs::write(&copy, bytes).unwrap();
            let again = cache.load(&source, &Reading::default()).unwrap();
            let shape = |loaded: &Loaded| (loaded.dataset.rows(), loaded.dataset.columns());
            prop_assert_eq!(shape(&again), shape(&plain));
        }
    }

    #[test]
    fn a_changed_file_is_read_anew() {
        let (_folder, cache, file) = desk();
        let source = Source::File(file.clone());
        fs::write(&file, "1 1:2\n-1 2:1\n").unwrap();
        assert_eq!(cache.load(&source, &Reading::default()).unwrap().dataset.rows(), 2);
        fs::write(&file, "1 1:2\n-1 2:1\n1 1:7\n").unwrap();
        assert_eq!(cache.load(&source, &Reading::default()).unwrap().dataset.rows(), 3);
    }

    #[test]
    fn what_is_read_another_way_is_another_copy() {
        let (_folder, cache, file) = desk();
        fs::write(&file, "1 1:2\n-1 2:1\n").unwrap();
        let source = Source::File(file);
        let unlabelled = Reading { unlabelled: true, ..Reading::default() };
        cache.load(&source, &Reading::default()).unwrap();
        cache.load(&source, &unlabelled).unwrap();
        assert_eq!(copies(&cache).len(), 2);
    }

    #[test]
    fn weights_are_kept_and_a_file_of_them_is_read_anew() {
        let (folder, cache, _) = desk();
        let (file, weights) = (folder.path().join("data.vw"), folder.path().join("w.txt"));
        fs::write(&file, "1 2 | a\n-1 0.5 | b\n").unwrap();
        let source = Source::File(file);
        let first = cache.load(&source, &Reading::default()).unwrap();
        assert_eq!(copies(&cache).len(), 1);
        assert_eq!(cache.load(&source, &Reading::default()).unwrap(), first);
        assert_eq!(first.dataset.weights, Some(vec![2.0, 0.5]));
        let named = Reading { weights: Weights { column: None, file: Some(weights.clone()) }, ..Reading::default() };
        for text in ["1\n3\n", "4\n3\n"] {
            fs::write(&weights, text).unwrap();
            let said: Vec<f64> = text.lines().map(|line| line.parse().unwrap()).collect();
            assert_eq!(cache.load(&source, &named).unwrap().dataset.weights, Some(said));
        }
        assert_eq!(copies(&cache).len(), 1, "the copy of the data serves all of them");
    }

    #[test]
    fn small_files_arrays_and_made_data_leave_none() {
        let (_folder, cache, file) = desk();
        fs::write(&file, "1 1:2\n-1 2:1\n").unwrap();
        let usual = Cache::at(cache.folder.clone());
        usual.load(&Source::File(file.clone()), &Reading::default()).unwrap();
        usual.load(&Source::parse("synth:ridge,rows=9,columns=2").unwrap(), &Reading::default()).unwrap();
        let arrays = file.with_extension("npz");
        let data = Source::File(file).load().unwrap().dataset;
        save(&data, &arrays, SaveAs::Npz).unwrap();
        cache.load(&Source::File(arrays), &Reading::default()).unwrap();
        assert!(copies(&cache).is_empty());
    }
}
