//! Vowpal Wabbit text, alone and as a companion of other data.
#![no_main]

use std::path::Path;

use hemingway::data::vw::parse;
use hemingway::data::{Like, Reading};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let like = Like { base: None, columns: 2, names: Some(vec!["a^b".into(), "c".into()]) };
    let companion = Reading { like: Some(like), unlabelled: true, ..Reading::default() };
    for reading in [Reading::default(), companion] {
        if let Ok(parsed) = parse(text, Path::new("data.vw"), &reading) {
            hemingway_fuzz::look_at(&parsed.dataset);
        }
    }
});
