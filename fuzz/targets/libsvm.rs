//! LIBSVM text; what was read is written and must read back the same.
#![no_main]

use std::path::Path;

use hemingway::data::libsvm::{Base, parse, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let path = Path::new("data.svm");
    for base in [None, Some(Base::Zero), Some(Base::One)] {
        let Ok(parsed) = parse(text, path, base) else { continue };
        hemingway_fuzz::look_at(&parsed.dataset);
        let mut written = Vec::new();
        write(&parsed.dataset, &mut written).expect("memory can be written to");
        // What has no row of numbers cannot say how wide it is.
        if let Ok(again) = parse(&written[..], path, Some(Base::One)) {
            assert_eq!(again.dataset, parsed.dataset);
        }
    }
});
