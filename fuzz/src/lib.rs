//! What the targets share: bytes as a file, and what is done with data once it has been read.

use std::path::Path;
use std::sync::OnceLock;

use hemingway::data::{Dataset, Info, Preparation, prepare};
use tempfile::TempDir;

/// Calls `read` with the path of a file of this name that holds these bytes.
pub fn with_file<T>(name: &str, bytes: &[u8], read: impl FnOnce(&Path) -> T) -> T {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| tempfile::tempdir().expect("a temporary folder"));
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("a writable temporary folder");
    read(&path)
}

/// What every command does with data before it works on it.
pub fn look_at(data: &Dataset) {
    assert_eq!(data.rows(), data.labels.len());
    assert!(data.labels.iter().all(|label| label.is_finite()));
    data.fingerprint();
    Info::of(data);
    for binary in [false, true] {
        _ = prepare(data.clone(), &Preparation::default(), binary);
    }
}
