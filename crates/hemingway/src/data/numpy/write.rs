//! Writing an archive that `numpy.load` reads, and `scipy.sparse.load_npz` if it is sparse.

use std::io::{self, Seek, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::array::MAGIC;
use crate::data::{Dataset, Matrix, Numbers};

/// Writes `y`, `weights` if there are any, and `X` or the arrays of a sparse matrix. Nothing is compressed, as by `numpy.savez`.
pub fn write(dataset: &Dataset, out: impl Write + Seek) -> io::Result<()> {
    let mut arrays = Arrays::new(out);
    match &dataset.matrix {
        Matrix::Dense { rows, columns, values } => arrays.floats("X", &[*rows, *columns], values.numbers())?,
        Matrix::Sparse { columns, starts, indices, values } => {
            arrays.begin("format", "|S3", &[], 3)?;
            arrays.zip.write_all(b"csr")?;
            let shape = [dataset.rows() as u64, *columns as u64];
            arrays.whole("shape", shape.into_iter())?;
            arrays.whole("indptr", starts.iter().map(|start| *start as u64))?;
            arrays.whole("indices", indices.iter().map(|j| u64::from(*j)))?;
            arrays.floats("data", &[values.len()], values.numbers())?;
        }
    }
    arrays.floats("y", &[dataset.labels.len()], Numbers::F64(&dataset.labels))?;
    if let Some(weights) = &dataset.weights {
        arrays.floats("weights", &[weights.len()], Numbers::F64(weights))?;
    }
    arrays.finish()?;
    Ok(())
}

/// Arrays by name, one after the other.
pub(crate) struct Arrays<W: Write + Seek> {
    zip: ZipWriter<W>,
}

impl<W: Write + Seek> Arrays<W> {
    /// None yet.
    pub(crate) fn new(out: W) -> Self {
        Self { zip: ZipWriter::new(out) }
    }

    /// No more.
    pub(crate) fn finish(self) -> io::Result<W> {
        Ok(self.zip.finish()?)
    }

    /// Words, each of four bytes a letter and as long as the longest.
    pub(crate) fn texts(&mut self, name: &str, words: &[String]) -> io::Result<()> {
        let longest = words.iter().map(|word| word.chars().count()).max().unwrap_or(0).max(1);
        self.begin(name, &format!("<U{longest}"), &[words.len()], 4 * longest * words.len())?;
        let mut buffer = io::BufWriter::with_capacity(1 << 16, &mut self.zip);
        for word in words {
            for letter in word.chars().map(u32::from).chain(std::iter::repeat(0)).take(longest) {
                buffer.write_all(&letter.to_le_bytes())?;
            }
        }
        buffer.flush()
    }

    /// Everything before the numbers.
    fn begin(&mut self, name: &str, dtype: &str, shape: &[usize], bytes: usize) -> io::Result<()> {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        self.zip.start_file(format!("{name}.npy"), options.large_file(bytes >= u32::MAX as usize / 2))?;
        let sizes: String = shape.iter().map(|size| format!("{size},")).collect();
        let mut header = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({sizes}), }}");
        // The numbers begin at a multiple of 64 bytes, so that they can be mapped; the header ends in a line break.
        let before = MAGIC.len() + 2 + 2;
        while !(before + header.len() + 1).is_multiple_of(64) {
            header.push(' ');
        }
        header.push('\n');
        self.zip.write_all(MAGIC)?;
        self.zip.write_all(&[1, 0])?;
        self.zip.write_all(&(header.len() as u16).to_le_bytes())?;
        self.zip.write_all(header.as_bytes())
    }

    /// Numbers in row order.
    pub(crate) fn floats(&mut self, name: &str, shape: &[usize], values: Numbers<'_>) -> io::Result<()> {
        self.begin(name, "<f8", shape, 8 * values.len())?;
        self.words(values.iter().map(f64::to_le_bytes))
    }

    fn whole(&mut self, name: &str, values: impl ExactSizeIterator<Item = u64>) -> io::Result<()> {
        self.begin(name, "<i8", &[values.len()], 8 * values.len())?;
        self.words(values.map(u64::to_le_bytes))
    }

    fn words(&mut self, words: impl Iterator<Item = [u8; 8]>) -> io::Result<()> {
        let mut buffer = io::BufWriter::with_capacity(1 << 16, &mut self.zip);
        for word in words {
            buffer.write_all(&word)?;
        }
        buffer.flush()
    }
}
