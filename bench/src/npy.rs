//! Arrays for Python, in NumPy's own format.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Magic, version 1.0 and the length of the header, then the header: together a multiple of this.
const ALIGNED: usize = 64;
const BEFORE_HEADER: usize = 10;

/// Writes a vector, or with `columns` a matrix by rows.
pub fn save(path: &Path, values: &[f64], columns: Option<usize>) -> anyhow::Result<()> {
    let shape = match columns {
        Some(columns) => format!("({}, {columns})", values.len() / columns),
        None => format!("({},)", values.len()),
    };
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
    let length = (BEFORE_HEADER + header.len() + 1).next_multiple_of(ALIGNED) - BEFORE_HEADER;
    let mut to = BufWriter::new(File::create(path)?);
    to.write_all(b"\x93NUMPY\x01\x00")?;
    to.write_all(&u16::try_from(length)?.to_le_bytes())?;
    writeln!(to, "{header:<width$}", width = length - 1)?;
    for value in values {
        to.write_all(&value.to_le_bytes())?;
    }
    Ok(to.flush()?)
}
