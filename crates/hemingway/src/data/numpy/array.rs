//! One `.npy` array. Our own reader, because what a header claims must be checked before anything is allocated for it.

use std::io::Read;

/// First bytes of an array.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// No header of plain numbers is longer; the format allows four gigabytes.
const LONGEST_HEADER: usize = 1 << 16;

/// Bytes decoded at a time; a multiple of every size of a number.
const CHUNK: usize = 1 << 16;

/// Numbers and their shape, in row order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Array<T = f64> {
    pub(super) shape: Vec<usize>,
    pub(super) values: Vec<T>,
}

/// What a number is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Float,
    Signed,
    Unsigned,
}

#[derive(Debug, PartialEq)]
struct Header {
    kind: Kind,
    size: usize,
    big_endian: bool,
    fortran: bool,
    shape: Vec<usize>,
}

impl<T: Copy> Array<T> {
    /// Reads a whole array and nothing more, each number made what it is to be.
    ///
    /// # Errors
    /// The sentence to show.
    pub(super) fn read_as(
        input: &mut (impl Read + ?Sized),
        make: impl Fn(f64) -> Result<T, String>,
    ) -> Result<Self, String> {
        let header = Header::parse(&header_text(input)?)?;
        let count = header.shape.iter().try_fold(1_usize, |n, size| n.checked_mul(*size));
        let bytes = count.and_then(|count| count.checked_mul(header.size));
        let bytes = bytes.ok_or_else(|| format!("cannot hold an array of shape {:?}", header.shape))?;
        let values = header.decode(input, bytes, make)?;
        if input.read(&mut [0]).map_err(cut)? > 0 {
            return Err("more bytes follow than its header promises".into());
        }
        let values = if header.fortran { in_row_order(values, &header.shape) } else { values };
        Ok(Self { shape: header.shape, values })
    }
}

impl Array {
    /// Reads a whole array of any numbers.
    ///
    /// # Errors
    /// The sentence to show.
    pub(super) fn read(input: &mut (impl Read + ?Sized)) -> Result<Self, String> {
        Self::read_as(input, Ok)
    }

    /// Reads the few letters of an array of text, such as the name of a format.
    ///
    /// # Errors
    /// The sentence to show.
    pub(super) fn read_letters(input: &mut (impl Read + ?Sized)) -> Result<String, String> {
        header_text(input)?;
        let mut bytes = Vec::new();
        input.take(64).read_to_end(&mut bytes).map_err(cut)?;
        // Text is padded with zeros, and numpy's own takes four bytes a letter.
        Ok(bytes.iter().filter(|b| **b != 0).map(|b| char::from(*b)).collect())
    }

    /// Rows and columns; a single row of numbers is a column.
    pub(super) fn size(&self) -> Option<(usize, usize)> {
        match *self.shape {
            [rows] => Some((rows, 1)),
            [rows, columns] => Some((rows, columns)),
            _ => None,
        }
    }
}

/// The text between the first bytes and the numbers: a Python dictionary.
fn header_text(input: &mut (impl Read + ?Sized)) -> Result<String, String> {
    let [magic @ .., major, _minor] = exactly::<8>(input)?;
    if magic != MAGIC {
        return Err("not an npy array: its first bytes are others".into());
    }
    let length = match major {
        1 => usize::from(u16::from_le_bytes(exactly(input)?)),
        2 | 3 => u32::from_le_bytes(exactly(input)?) as usize,
        other => return Err(format!("version {other} of npy is not known; save it again with numpy.save")),
    };
    if length > LONGEST_HEADER {
        return Err(format!("its header claims {length} bytes; an array of plain numbers needs no such header"));
    }
    let mut text = Vec::new();
    input.take(length as u64).read_to_end(&mut text).map_err(cut)?;
    if text.len() < length {
        return Err("cut short within its header; save it again".into());
    }
    String::from_utf8(text).map_err(|_| "its header is not text".into())
}

fn exactly<const N: usize>(input: &mut (impl Read + ?Sized)) -> Result<[u8; N], String> {
    let mut bytes = [0; N];
    input.read_exact(&mut bytes).map_err(cut)?;
    Ok(bytes)
}

fn cut(error: std::io::Error) -> String {
    format!("cut short or damaged ({error}); save it again")
}

impl Header {
    /// Understands `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`.
    fn parse(text: &str) -> Result<Self, String> {
        let (kind, size, big_endian) = number_type(field(text, "descr")?)?;
        let fortran = match field(text, "fortran_order")? {
            text if text.starts_with("True") => true,
            text if text.starts_with("False") => false,
            _ => return Err("its header says neither True nor False of fortran_order".into()),
        };
        Ok(Self { kind, size, big_endian, fortran, shape: shape(field(text, "shape")?)? })
    }

    fn decode<T>(
        &self,
        input: &mut (impl Read + ?Sized),
        bytes: usize,
        make: impl Fn(f64) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        let mut values = Vec::new();
        let mut buffer = [0; CHUNK];
        let mut left = bytes;
        while left > 0 {
            let chunk = &mut buffer[..left.min(CHUNK)];
            input.read_exact(chunk).map_err(|error| {
                format!("cut short: fewer than the {bytes} bytes that its header promises ({error}); save it again")
            })?;
            for number in chunk.chunks_exact(self.size) {
                values.push(make(self.number(number))?);
            }
            left -= chunk.len();
        }
        Ok(values)
    }

    fn number(&self, bytes: &[u8]) -> f64 {
        let mut word = [0; 8];
        word[..self.size].copy_from_slice(bytes);
        if self.big_endian {
            word[..self.size].reverse();
        }
        let bits = u64::from_le_bytes(word);
        let unused = 64 - 8 * self.size as u32;
        match self.kind {
            Kind::Float if self.size == 4 => f64::from(f32::from_bits(bits as u32)),
            Kind::Float => f64::from_bits(bits),
            Kind::Unsigned => bits as f64,
            // Shifted up and down again, the sign fills what is unused.
            Kind::Signed => (((bits << unused) as i64) >> unused) as f64,
        }
    }
}

/// What follows a key of the dictionary.
fn field<'a>(text: &'a str, key: &str) -> Result<&'a str, String> {
    let found = text.split_once(&format!("'{key}':")).map(|(_, value)| value.trim_start());
    found.ok_or_else(|| format!("its header does not say `{key}`"))
}

/// `'<f8'` and its kin: kind, bytes and whether the first of them weighs most.
fn number_type(text: &str) -> Result<(Kind, usize, bool), String> {
    let refused = |what: &str| Err(format!("holds {what}; save plain numbers, for example X.astype(float)"));
    let Some(code) = text.strip_prefix('\'').and_then(|rest| rest.split('\'').next()) else {
        return refused("records of several fields");
    };
    let big_endian = code.starts_with('>');
    let bare = code.trim_start_matches(['<', '>', '|', '=']);
    let kind = match bare {
        "f4" | "f8" => Kind::Float,
        "i1" | "i2" | "i4" | "i8" => Kind::Signed,
        "b1" | "u1" | "u2" | "u4" | "u8" => Kind::Unsigned,
        _ if bare.starts_with('O') => return refused("Python objects (dtype object)"),
        _ if bare.starts_with(['U', 'S']) => return refused(&format!("text (dtype `{}`)", code.escape_debug())),
        _ => return refused(&format!("dtype `{}`", code.escape_debug())),
    };
    Ok((kind, usize::from(bare.as_bytes()[1] - b'0'), big_endian))
}

/// `()`, `(3,)` or `(3, 4)`.
fn shape(text: &str) -> Result<Vec<usize>, String> {
    let inside = text.strip_prefix('(').and_then(|rest| rest.split_once(')')).map(|(inside, _)| inside);
    let sizes = inside.unwrap_or("?").split(',').map(str::trim).filter(|size| !size.is_empty());
    let sizes: Result<_, _> = sizes.map(str::parse).collect();
    sizes.map_err(|_| "its header does not say the shape as (rows, columns)".into())
}

/// From columns laid end to end to rows laid end to end.
fn in_row_order<T: Copy>(values: Vec<T>, shape: &[usize]) -> Vec<T> {
    let (&[rows, columns], false) = (shape, values.is_empty()) else { return values };
    let at = |i: usize| (0..columns).map(move |j| j * rows + i);
    (0..rows).flat_map(at).map(|k| values[k]).collect()
}
