//! Where parsed data is kept for the next start.

use std::path::PathBuf;

use hemingway::data::{Cache, Loaded, Reading, Source};

/// Names a folder for copies; `off` keeps none.
pub(crate) const VARIABLE: &str = "HEMINGWAY_CACHE";

/// The cache that the environment asks for: a folder of the user's own by default.
pub(crate) fn cache() -> Option<Cache> {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    match folder(VARIABLE) {
        Some(off) if off.as_os_str() == "off" => None,
        Some(own) => Some(Cache::at(own)),
        None => {
            let usual = folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")));
            usual.map(|usual| Cache::at(usual.join("hemingway")))
        }
    }
}

/// Reads data through it.
pub(crate) fn load(source: &Source, reading: &Reading) -> hemingway::Result<Loaded> {
    cache().map_or_else(|| source.load_as(reading), |cache| cache.load(source, reading))
}
