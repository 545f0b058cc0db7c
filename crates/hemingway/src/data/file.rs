//! Opening data files. What a file is, its first bytes say; its name may lie.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use crate::{Error, Result};

const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A file being read, decompressed.
pub(crate) type Input = Box<dyn BufRead>;

/// Opens a file, through gzip if it is compressed. Read once from front to back, so that pipes work too.
pub(crate) fn open(path: &Path) -> Result<Input> {
    let file = BufReader::with_capacity(1 << 16, File::open(path).map_err(Error::io(path))?);
    let (head, raw) = peek(file, GZIP.len()).map_err(Error::io(path))?;
    Ok(if head == GZIP { Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(raw))) } else { raw })
}

/// The first bytes (fewer if the file is shorter), and the input as if they had not been read.
pub(crate) fn peek(mut input: impl BufRead + 'static, count: usize) -> io::Result<(Vec<u8>, Input)> {
    let mut head = Vec::new();
    input.by_ref().take(count as u64).read_to_end(&mut head)?;
    Ok((head.clone(), Box::new(Cursor::new(head).chain(input))))
}

/// Tells a damaged gzip stream, the user's to fetch again, from a disk that failed.
pub(crate) fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> Error + '_ {
    move |source| match source.kind() {
        ErrorKind::UnexpectedEof | ErrorKind::InvalidInput | ErrorKind::InvalidData => {
            Error::file(path, format!("the gzip stream is cut short or damaged ({source}); fetch the file again"))
        }
        _ => Error::Io { path: path.into(), cause: source },
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut out = GzEncoder::new(Vec::new(), Compression::default());
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
    fn plain_and_gzip_read_alike() {
        let text = b"+1 1:0.5\n".repeat(50_000);
        assert_eq!(read(&text).unwrap(), text);
        assert_eq!(read(&gzip(&text)).unwrap(), text);
        assert_eq!(read(&[gzip(b"one "), gzip(b"two")].concat()).unwrap(), b"one two");
        assert_eq!(read(b"").unwrap(), b"");
        assert_eq!(read(b"x").unwrap(), b"x");
    }

    #[test]
    fn a_cut_gzip_is_named_as_such() {
        let whole = gzip(&b"+1 1:0.5\n".repeat(1000));
        for cut in [2, 5, 20, whole.len() / 2, whole.len() - 1] {
            let error = read(&whole[..cut]).unwrap_err();
            assert!(matches!(error, Error::File { .. }), "cut at {cut}: {error:?}");
            assert!(error.to_string().contains("cut short or damaged"), "cut at {cut}: {error}");
        }
    }
}
