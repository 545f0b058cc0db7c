//! The idx format of MNIST and its kin: a file of images and beside it a file of their labels.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::file::{self, COMPRESSED};
use super::{Dataset, Matrix};
use crate::{Error, Result};

/// First bytes of a file of images: unsigned bytes in three dimensions.
pub const IMAGES: [u8; 4] = [0, 0, 8, 3];
/// First bytes of a file of labels: unsigned bytes in one dimension.
pub const LABELS: [u8; 4] = [0, 0, 8, 1];

/// Images and labels.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// One row per image, pixels divided by 255.
    pub dataset: Dataset,
    /// Where the labels were found.
    pub labels: PathBuf,
}

/// Reads images and the labels beside them, each plain or compressed.
pub fn read(images: &Path) -> Result<Pair> {
    read_from(file::open(images)?, images)
}

/// Reads images already opened, and the labels beside them.
pub(crate) fn read_from(input: impl Read, images: &Path) -> Result<Pair> {
    let matrix = parse_images(input, images)?;
    let labels_path = find_labels(images)?;
    let labels = parse_labels(file::open(&labels_path)?, &labels_path)?;
    if labels.len() != matrix.rows() {
        let what = format!("holds {} labels for the {} images of {}", labels.len(), matrix.rows(), images.display());
        return Err(Error::file(labels_path, what));
    }
    let name = images.file_name().unwrap_or(images.as_os_str()).to_string_lossy().into_owned();
    Ok(Pair { dataset: Dataset::new(name, matrix, labels), labels: labels_path })
}

/// `images-idx3` becomes `labels-idx1`, `images.idx3` becomes `labels.idx1`; compressed or not, as it lies there.
fn find_labels(images: &Path) -> Result<PathBuf> {
    let name = images.file_name().unwrap_or_default().to_string_lossy();
    let other = name.replace("images-idx3", "labels-idx1").replace("images.idx3", "labels.idx1");
    if other == name {
        let what = "cannot tell the labels file from this name; expected `…images-idx3…` beside `…labels-idx1…`";
        return Err(Error::file(images, what));
    }
    let plain = file::bare(&other);
    let names = ["", COMPRESSED[0], COMPRESSED[1]].map(|ending| format!("{plain}{ending}"));
    let found = names.iter().map(|name| images.with_file_name(name)).find(|path| path.exists());
    found.ok_or_else(|| {
        Error::file(images, format!("its labels are missing: put one of {} beside it", names.join(", ")))
    })
}

fn parse_images(mut input: impl Read, path: &Path) -> Result<Matrix> {
    let [count, height, width] = header(&mut input, path, IMAGES, "images")?;
    let pixels = u64::from(height) * u64::from(width);
    let columns = u32::try_from(pixels).ok().filter(|d| *d > 0 && count > 0);
    let columns = columns.ok_or_else(|| Error::file(path, format!("holds {count} images of {height} × {width}")))?;
    let total = u64::from(count).checked_mul(pixels);
    let total = total.ok_or_else(|| Error::file(path, format!("cannot hold {count} images of {height} × {width}")))?;
    let bytes = body(input, path, total)?;
    let mut matrix = Matrix::sparse(columns as usize);
    for image in bytes.chunks_exact(columns as usize) {
        let dark = (0..).zip(image).filter(|(_, pixel)| **pixel != 0);
        matrix.push_row(dark.map(|(j, pixel)| (j, f64::from(*pixel) / 255.0)));
    }
    Ok(matrix.compact())
}

fn parse_labels(mut input: impl Read, path: &Path) -> Result<Vec<f64>> {
    let [count] = header(&mut input, path, LABELS, "labels")?;
    Ok(body(input, path, u64::from(count))?.into_iter().map(f64::from).collect())
}

/// The sizes after the magic bytes, big-endian.
fn header<const N: usize>(input: &mut impl Read, path: &Path, magic: [u8; 4], what: &str) -> Result<[u32; N]> {
    let bytes = up_to(input, path, 4 * (N as u64 + 1))?;
    let (words, _) = bytes.as_chunks::<4>();
    match words {
        [first, ..] if *first != magic => {
            let hint = if *first == LABELS { "; these are labels, give the images file" } else { "" };
            Err(Error::file(path, format!("not idx {what}: begins with {first:02x?}, expected {magic:02x?}{hint}")))
        }
        [_, sizes @ ..] if sizes.len() == N => Ok(std::array::from_fn(|k| u32::from_be_bytes(sizes[k]))),
        _ => Err(Error::file(path, format!("cut short: {} bytes do not hold the header of idx {what}", bytes.len()))),
    }
}

/// Exactly the bytes that the header promised.
fn body(mut input: impl Read, path: &Path, expected: u64) -> Result<Vec<u8>> {
    let bytes = up_to(&mut input, path, expected.saturating_add(1))?;
    match (bytes.len() as u64).cmp(&expected) {
        std::cmp::Ordering::Equal => Ok(bytes),
        std::cmp::Ordering::Less => {
            Err(Error::file(path, format!("cut short: holds {} of {expected} bytes after the header", bytes.len())))
        }
        std::cmp::Ordering::Greater => {
            Err(Error::file(path, format!("size mismatch: the header promises {expected} bytes and more follow")))
        }
    }
}

/// Memory grows with what is really there, never with what a header claims.
fn up_to(input: &mut impl Read, path: &Path, limit: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(limit).read_to_end(&mut bytes).map_err(file::unreadable(path))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SOME: [u8; 22] = [0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 0, 255, 0, 51, 0, 0];
    const TWO: [u8; 10] = [0, 0, 8, 1, 0, 0, 0, 2, 7, 9];

    fn read_pair(images: &[u8], labels: &[u8], names: [&str; 2]) -> Result<Pair> {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(names[0]), images).unwrap();
        std::fs::write(dir.path().join(names[1]), labels).unwrap();
        read(&dir.path().join(names[0]))
    }

    const NAMES: [&str; 2] = ["train-images-idx3-ubyte", "train-labels-idx1-ubyte"];

    #[test]
    fn pixels_become_shares_of_255() {
        let pair = read_pair(&SOME, &TWO, NAMES).unwrap();
        assert_eq!(pair.dataset.labels, [7.0, 9.0]);
        assert_eq!((pair.dataset.rows(), pair.dataset.columns()), (2, 3));
        assert_eq!(pair.dataset.matrix.row(0).dot(&[1.0, 2.0, 4.0]), 2.0);
        assert_eq!(pair.dataset.matrix.row(1).dot(&[1.0, 2.0, 4.0]), 0.2);
    }

    #[test]
    fn labels_are_found_by_either_spelling() {
        for names in [["t10k-images.idx3-ubyte", "t10k-labels.idx1-ubyte"], [NAMES[0], "train-labels-idx1-ubyte.gz"]] {
            assert!(read_pair(&SOME, &TWO, names).unwrap().labels.ends_with(names[1]));
        }
        for (names, what) in [([NAMES[0], "y"], "labels are missing"), (["pictures", NAMES[1]], "cannot tell")] {
            assert!(read_pair(&SOME, &TWO, names).unwrap_err().to_string().contains(what));
        }
    }

    #[test]
    fn damage_is_named() {
        let fails = |images: &[u8], labels: &[u8], what: &str| {
            let error = read_pair(images, labels, NAMES).unwrap_err();
            assert!(matches!(error, Error::File { .. }));
            assert!(error.to_string().contains(what), "{error}");
        };
        fails(&SOME[..21], &TWO, "cut short: holds 5 of 6");
        fails(&SOME[..15], &TWO, "cut short: 15 bytes");
        fails(&[], &TWO, "cut short: 0 bytes");
        fails(&[&SOME[..], &[1]].concat(), &TWO, "more follow");
        fails(&TWO, &TWO, "give the images file");
        fails(&SOME, &SOME, "not idx labels");
        fails(&SOME, &[0, 0, 8, 1, 0, 0, 0, 1, 7], "1 labels for the 2 images");
        fails(&[0, 0, 8, 3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255], &TWO, "4294967295");
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..64), magic in any::<bool>()) {
            let bytes = if magic { [&IMAGES[..], &bytes].concat() } else { bytes };
            _ = parse_images(bytes.as_slice(), Path::new("f"));
            _ = parse_labels(bytes.as_slice(), Path::new("f"));
        }

        #[test]
        fn only_what_fits_its_header_is_read(
            [n, h, w] in prop::array::uniform3(0_u8..4), body in prop::collection::vec(any::<u8>(), 0..64),
        ) {
            let bytes = [&IMAGES[..], &[0, 0, 0, n, 0, 0, 0, h, 0, 0, 0, w], &body].concat();
            let fits = n > 0 && h > 0 && w > 0 && body.len() == usize::from(n) * usize::from(h) * usize::from(w);
            prop_assert_eq!(parse_images(bytes.as_slice(), Path::new("f")).is_ok(), fits);
        }
    }
}
