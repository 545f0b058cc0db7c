//! Opening data files. What a file is, its first bytes say; its name may lie.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read};
use std::path::Path;

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;

use crate::{Error, Result};

const GZIP: &[u8] = &[0x1f, 0x8b];
const BZIP2: &[u8] = b"BZh";
/// How the names of compressed files end.
pub(crate) const COMPRESSED: [&str; 2] = [".gz", ".bz2"];
const BUFFER: usize = 1 << 16;

/// A file being read, decompressed.
pub(crate) type Input = Box<dyn BufRead>;

/// Whether a file that begins so is compressed.
pub(crate) fn is_compressed(head: &[u8]) -> bool {
    head.starts_with(GZIP) || head.starts_with(BZIP2)
}

/// Opens a file, through gzip or bzip2 if it is compressed. Read once from front to back, so that pipes work too.
pub(crate) fn open(path: &Path) -> Result<Input> {
    let file = BufReader::with_capacity(BUFFER, File::open(path).map_err(unopened(path))?);
    let (head, raw) = peek(file, BZIP2.len()).map_err(unopened(path))?;
    Ok(match head.as_slice() {
        head if head.starts_with(GZIP) => Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(raw))),
        head if head.starts_with(BZIP2) => Box::new(BufReader::with_capacity(BUFFER, MultiBzDecoder::new(raw))),
        _ => raw,
    })
}

/// What the operating system says where there is no file, and what else may be named.
fn unopened(path: &Path) -> impl FnOnce(io::Error) -> Error + '_ {
    move |cause| {
        Error::io(path)(match cause.kind() {
            ErrorKind::NotFound => io::Error::new(cause.kind(), "there is no such file; data is a file, or synth:KIND"),
            _ => cause,
        })
    }
}

/// A file's name without the ending that says how it is compressed.
pub(crate) fn bare(name: &str) -> &str {
    COMPRESSED.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

/// The first bytes (fewer if the file is shorter), and the input as if they had not been read.
pub(crate) fn peek(mut input: impl BufRead + 'static, count: usize) -> io::Result<(Vec<u8>, Input)> {
    let mut head = Vec::new();
    input.by_ref().take(count as u64).read_to_end(&mut head)?;
    Ok((head.clone(), Box::new(Cursor::new(head).chain(input))))
}

/// Tells a damaged compressed stream, the user's to fetch again, from a disk that failed.
pub(crate) fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> Error + '_ {
    move |source| match source.kind() {
        ErrorKind::UnexpectedEof | ErrorKind::InvalidInput | ErrorKind::InvalidData => {
            Error::file(path, format!("the compressed stream is cut short or damaged ({source}); fetch the file again"))
        }
        _ => Error::Io { path: path.into(), cause: source },
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use bzip2::write::BzEncoder;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut out = GzEncoder::new(Vec::new(), flate2::Compression::default());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    }

    fn bzip2(bytes: &[u8]) -> Vec<u8> {
        let mut out = BzEncoder::new(Vec::new(), bzip2::Compression::default());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    }

    fn read(bytes: &[u8]) -> Result<Vec<u8>> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, bytes).unwrap();
        let mut text = Vec::new();
        open(&path)?.read_to_end(&mut text).map_err(unreadable(&path))?;
        Ok(text)
    }

    #[test]
    fn plain_and_compressed_read_alike() {
        let text = b"+1 1:0.5\n".repeat(50_000);
        assert_eq!(read(&text).unwrap(), text);
        for pack in [gzip, bzip2] {
            assert_eq!(read(&pack(&text)).unwrap(), text);
            assert_eq!(read(&[pack(b"one "), pack(b"two")].concat()).unwrap(), b"one two");
        }
        assert_eq!(read(b"").unwrap(), b"");
        assert_eq!(read(b"x").unwrap(), b"x");
    }

    #[test]
    fn a_cut_stream_is_named_as_such() {
        for whole in [gzip, bzip2].map(|pack| pack(&b"+1 1:0.5\n".repeat(1000))) {
            for cut in [3, 5, 20, whole.len() / 2, whole.len() - 1] {
                let error = read(&whole[..cut]).unwrap_err();
                assert!(matches!(error, Error::File { .. }), "cut at {cut}: {error:?}");
                assert!(error.to_string().contains("cut short or damaged"), "cut at {cut}: {error}");
            }
        }
    }

    #[test]
    fn a_damaged_stream_is_named_as_such() {
        for mut whole in [gzip, bzip2].map(|pack| pack(&b"+1 1:0.5\n".repeat(1000))) {
            let middle = whole.len() / 2;
            whole[middle] ^= 0xff;
            let error = read(&whole).unwrap_err();
            assert!(error.to_string().contains("cut short or damaged"), "{error}");
        }
    }
}
