//! The real files, where they are: in `$HEMINGWAY_DATA`, or in `shared/data` beside the project.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use hemingway::data::{Info, Source};

/// Straight to stderr: what tests print is hidden.
fn say(sentence: &str) {
    let mut stderr = std::io::stderr();
    writeln!(stderr, "{sentence}").unwrap();
}

/// Reads a file of the collection, or says loudly that it cannot.
fn load(name: &str) -> Option<Info> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = std::env::var_os("HEMINGWAY_DATA").map_or_else(beside, PathBuf::from).join(name);
    if !path.exists() {
        say(&format!("SKIPPED: {name} is not there; set HEMINGWAY_DATA"));
        return None;
    }
    let start = Instant::now();
    let loaded = Source::File(path).load().unwrap();
    say(&format!("{name}: {:.3} s, {:?}", start.elapsed().as_secs_f64(), loaded.notes));
    Some(Info::of(&loaded.dataset))
}

#[test]
fn sizes_are_those_of_the_originals() {
    let originals = [
        ("a9a/a9a.libsvm.gz", 32_561, 123, 451_592),
        ("news20/news20.libsvm.gz", 15_935, 62_061, 1_272_569),
        ("mnist/train-images-idx3-ubyte.gz", 60_000, 784, 8_994_156),
    ];
    for (name, rows, columns, nonzeros) in originals {
        if let Some(info) = load(name) {
            assert_eq!((info.rows, info.columns, info.nonzeros), (rows, columns, nonzeros), "{name}");
        }
    }
}
