//! Tables as text, with the labels in the usual place, in a named column or absent, and as companions of other data.
#![no_main]

use std::path::Path;

use hemingway::data::csv::parse;
use hemingway::data::{Labels, Like, Reading, Weights};
use libfuzzer_sys::fuzz_target;

fn readings() -> [Reading; 4] {
    let named = Labels { column: Some("a".into()), file: None };
    let weighed = Weights { column: Some("2".into()), file: None };
    let like = |names| Some(Like { base: None, columns: 2, names });
    let usual = Reading::default();
    [
        usual.clone(),
        Reading { labels: named, weights: weighed, ..usual.clone() },
        Reading { like: like(None), unlabelled: true, unweighted: true, ..usual.clone() },
        Reading { like: like(Some(vec!["a".into(), "b".into()])), ..usual },
    ]
}

fuzz_target!(|text: &[u8]| {
    for reading in readings() {
        if let Ok(parsed) = parse(text, Path::new("data.csv"), &reading) {
            hemingway_fuzz::look_at(&parsed.dataset);
        }
    }
});
