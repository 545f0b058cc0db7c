//! Parquet tables. Panics of the decoder are caught by the product and must not end the fuzzer.
#![no_main]

use hemingway::data::{Reading, columnar};
use libfuzzer_sys::fuzz_target;

fuzz_target!(
    init: std::panic::set_hook(Box::new(|_| {})),
    |bytes: &[u8]| {
        hemingway_fuzz::with_file("data.parquet", bytes, |path| {
            if let Ok(parsed) = columnar::read(path, &Reading::default()) {
                hemingway_fuzz::look_at(&parsed.dataset);
            }
        });
    }
);
