//! NumPy's files. Bytes that begin as an array or an archive are read as they are; of others an archive is made, so that
//! checksums do not hide what is behind them: name, two bytes of length, array, and so on.
#![no_main]

use std::io::{Cursor, Write};

use hemingway::data::Source;
use libfuzzer_sys::fuzz_target;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const NAMES: [&str; 8] = ["X", "y", "weights", "format", "shape", "indptr", "indices", "data"];

fn archive(mut bytes: &[u8]) -> zip::result::ZipResult<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    while let Some(([name, low, high], rest)) = bytes.split_first_chunk() {
        let length = usize::from(u16::from_le_bytes([*low, *high])).min(rest.len());
        let (array, rest) = rest.split_at(length);
        zip.start_file(format!("{}.npy", NAMES[usize::from(*name) % NAMES.len()]), stored)?;
        zip.write_all(array)?;
        bytes = rest;
    }
    Ok(zip.finish()?.into_inner())
}

fuzz_target!(|bytes: &[u8]| {
    let plain = bytes.starts_with(b"\x93NUMPY") || bytes.starts_with(b"PK\x03\x04");
    let Ok(file) = (if plain { Ok(bytes.to_vec()) } else { archive(bytes) }) else { return };
    hemingway_fuzz::with_file("data.npz", &file, |path| {
        if let Ok(loaded) = Source::File(path.into()).load() {
            hemingway_fuzz::look_at(&loaded.dataset);
        }
    });
});
