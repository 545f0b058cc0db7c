//! What the headers of a column's pages claim, looked at before any page is decoded: the decoder beneath believes them, and
//! a damaged one would have it ask for gigabytes. It keeps its headers to itself, so the few numbers needed are read here.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom};

use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

/// A page may grow to this many bytes whatever it was compressed from.
const SMALL: u64 = 64 << 20;
/// Beyond that, no more than this many times its compressed size; deflate at its best has 1032.
const GROWTH: u64 = 1100;
/// Rows a byte of file: a million of them that are all alike take a few kilobytes.
const ROWS: u64 = 1024;
/// Structures within structures; the headers of the format have three.
const DEEPEST: usize = 8;

/// Refuses a file that claims more rows than its size can hold.
pub(crate) fn check_rows(file: &File, about: &ParquetMetaData) -> Result<(), String> {
    let bytes = file.metadata().map_err(|error| error.to_string())?.len();
    let rows = about.row_groups().iter().map(|group| u64::try_from(group.num_rows()).unwrap_or(u64::MAX));
    match rows.fold(0, u64::saturating_add) {
        rows if rows > bytes.saturating_mul(ROWS) => {
            Err(format!("claims {rows} rows in {bytes} bytes; write it again"))
        }
        _ => Ok(()),
    }
}

/// Whether the pages of a column hold `rows` values and nothing impossible.
pub(crate) fn check(file: &File, about: &ColumnChunkMetaData, rows: i64) -> Result<(), String> {
    let damaged = |error: io::Error| format!("its pages are damaged ({error})");
    let first = about.dictionary_page_offset().unwrap_or_else(|| about.data_page_offset());
    let [Ok(start), Ok(length)] = [first, about.compressed_size()].map(u64::try_from) else {
        return Err("it lies before the beginning of the file".into());
    };
    let mut from = BufReader::with_capacity(512, file);
    let mut at = start;
    let mut values = 0;
    while at < start + length && values <= rows {
        from.seek(SeekFrom::Start(at)).map_err(damaged)?;
        let page = Page::read(&mut from).map_err(damaged)?;
        page.check()?;
        if !page.is_dictionary {
            values = page.values.saturating_add(values);
        }
        at = from.stream_position().map_err(damaged)? + page.compressed as u64;
    }
    match values == rows {
        true => Ok(()),
        false => Err(format!("expected {rows} rows, its pages hold {values}")),
    }
}

/// A page's header, as far as it matters.
#[derive(Default)]
struct Page {
    uncompressed: i64,
    compressed: i64,
    values: i64,
    is_dictionary: bool,
}

impl Page {
    /// Fields by their numbers in the format's `PageHeader`.
    fn read(from: &mut impl Read) -> io::Result<Self> {
        let mut page = Self::default();
        let mut fields = Fields::default();
        while let Some((number, kind)) = fields.next(from)? {
            match (number, kind) {
                (2, Kind::Integer) => page.uncompressed = integer(from)?,
                (3, Kind::Integer) => page.compressed = integer(from)?,
                (5 | 8, Kind::Struct) => page.values = values(from)?,
                (7, Kind::Struct) => {
                    page.is_dictionary = true;
                    page.values = values(from)?;
                }
                _ => skip(from, kind, 0)?,
            }
        }
        Ok(page)
    }

    fn check(&self) -> Result<(), String> {
        let sizes = [self.uncompressed, self.compressed, self.values].map(u64::try_from);
        let [Ok(uncompressed), Ok(compressed), Ok(values)] = sizes else {
            return Err("a page has a negative size".into());
        };
        if uncompressed > SMALL.max(compressed.saturating_mul(GROWTH)) {
            return Err(format!("a page of {compressed} bytes claims to hold {uncompressed}"));
        }
        // Every value of a dictionary stands there in full; the smallest has four bytes.
        if self.is_dictionary && values > uncompressed / 4 {
            return Err(format!("a dictionary of {uncompressed} bytes claims to hold {values} values"));
        }
        Ok(())
    }
}

/// How many values a page's own header promises: its first field, whatever the kind of page.
fn values(from: &mut impl Read) -> io::Result<i64> {
    let mut values = 0;
    let mut fields = Fields::default();
    while let Some((number, kind)) = fields.next(from)? {
        match (number, kind) {
            (1, Kind::Integer) => values = integer(from)?,
            _ => skip(from, kind, 1)?,
        }
    }
    Ok(values)
}

/// What a field of Thrift's compact protocol may be.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Boolean,
    Byte,
    Integer,
    Double,
    Bytes,
    List,
    Map,
    Struct,
}

impl Kind {
    fn of(code: u8) -> io::Result<Self> {
        Ok(match code {
            1 | 2 => Self::Boolean,
            3 => Self::Byte,
            4..=6 => Self::Integer,
            7 => Self::Double,
            8 => Self::Bytes,
            9 | 10 => Self::List,
            11 => Self::Map,
            12 => Self::Struct,
            _ => return Err(invalid("no header of a page")),
        })
    }
}

/// The fields of a structure, each numbered from the one before.
#[derive(Default)]
struct Fields {
    last: i64,
}

impl Fields {
    fn next(&mut self, from: &mut impl Read) -> io::Result<Option<(i64, Kind)>> {
        let head = byte(from)?;
        if head == 0 {
            return Ok(None);
        }
        self.last = match head >> 4 {
            0 => integer(from)?,
            step => self.last.saturating_add(i64::from(step)),
        };
        Ok(Some((self.last, Kind::of(head & 15)?)))
    }
}

/// Passes over a value; within a list booleans have a byte of their own, as a field they have none.
fn skip(from: &mut impl Read, kind: Kind, depth: usize) -> io::Result<()> {
    if depth > DEEPEST {
        return Err(invalid("structures within structures"));
    }
    match kind {
        Kind::Boolean => Ok(()),
        Kind::Byte => pass(from, 1),
        Kind::Integer => integer(from).map(drop),
        Kind::Double => pass(from, 8),
        Kind::Bytes => {
            let length = varint(from)?;
            pass(from, length)
        }
        Kind::List => {
            let head = byte(from)?;
            let count = if head >> 4 == 15 { varint(from)? } else { u64::from(head >> 4) };
            let kind = Kind::of(head & 15)?;
            (0..count).try_for_each(|_| skip_item(from, kind, depth))
        }
        Kind::Map => {
            let count = varint(from)?;
            let kinds = if count > 0 { byte(from)? } else { 0 };
            (0..count).try_for_each(|_| {
                skip_item(from, Kind::of(kinds >> 4)?, depth)?;
                skip_item(from, Kind::of(kinds & 15)?, depth)
            })
        }
        Kind::Struct => {
            let mut fields = Fields::default();
            while let Some((_, kind)) = fields.next(from)? {
                skip(from, kind, depth + 1)?;
            }
            Ok(())
        }
    }
}

fn skip_item(from: &mut impl Read, kind: Kind, depth: usize) -> io::Result<()> {
    let kind = if kind == Kind::Boolean { Kind::Byte } else { kind };
    skip(from, kind, depth + 1)
}

fn pass(from: &mut impl Read, count: u64) -> io::Result<()> {
    match io::copy(&mut from.take(count), &mut io::sink())? == count {
        true => Ok(()),
        false => Err(ErrorKind::UnexpectedEof.into()),
    }
}

fn byte(from: &mut impl Read) -> io::Result<u8> {
    let mut byte = [0];
    from.read_exact(&mut byte)?;
    Ok(byte[0])
}

/// Seven bits a byte, the lowest first.
fn varint(from: &mut impl Read) -> io::Result<u64> {
    let mut value = 0;
    for place in 0..10 {
        let byte = byte(from)?;
        value |= u64::from(byte & 127) << (7 * place);
        if byte < 128 {
            return Ok(value);
        }
    }
    Err(invalid("a number without end"))
}

/// Signed, as zigzag.
fn integer(from: &mut impl Read) -> io::Result<i64> {
    let value = varint(from)?;
    Ok((value >> 1) as i64 ^ -((value & 1) as i64))
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header as writers make it: kind, sizes, checksum, then what is said of a page of data or a dictionary.
    fn header(uncompressed: u8, compressed: u8, field: u8, values: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0x15, 0, 0x15, uncompressed, 0x15, compressed, 0x15, 9];
        bytes.extend([((field - 4) << 4) | 12, 0x15]);
        bytes.extend(values);
        // An encoding, statistics (a structure with bytes and a truth), the end of both.
        bytes.extend([0x15, 0, 0x2c, 0x18, 2, 7, 7, 0x11, 0, 0, 0]);
        bytes
    }

    #[test]
    fn headers_are_read_to_their_ends() {
        let bytes = header(80, 40, 5, &[20]);
        let mut from = &bytes[..];
        let page = Page::read(&mut from).unwrap();
        assert_eq!((page.uncompressed, page.compressed, page.values), (40, 20, 10));
        assert!(!page.is_dictionary && page.check().is_ok());
        assert!(from.is_empty(), "{} bytes left", from.len());
    }

    #[test]
    fn a_dictionary_holds_no_more_than_its_bytes() {
        let page = |values: &[u8]| Page::read(&mut &header(80, 40, 7, values)[..]).unwrap();
        assert!(page(&[20]).check().is_ok());
        let error = page(&[0x80, 0x80, 0x80, 0x80, 8]).check().unwrap_err();
        assert_eq!(error, "a dictionary of 40 bytes claims to hold 1073741824 values");
    }

    #[test]
    fn a_page_grows_within_reason() {
        let page = |uncompressed| Page { uncompressed, compressed: 20, ..Page::default() };
        assert!(page(SMALL as i64).check().is_ok());
        assert!(page(i64::from(i32::MAX)).check().unwrap_err().contains("20 bytes claims to hold 2147483647"));
        assert!(page(-1).check().is_err());
    }

    #[test]
    fn what_is_no_header_ends_in_an_error() {
        for bytes in [&[][..], &[0x1f], &[0x15], &[0xff; 64], &[0x1c; 64], &[0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x7f]]
        {
            assert!(Page::read(&mut &bytes[..]).is_err(), "{bytes:?}");
        }
    }
}
