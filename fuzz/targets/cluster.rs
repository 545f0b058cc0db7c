//! Cluster files; what was read is written and must read back the same.
#![no_main]

use hemingway::cluster::Cluster;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(cluster) = Cluster::parse(text) {
        let written = cluster.toml().expect("what was read can be written");
        assert_eq!(Cluster::parse(&written).expect("what was written can be read"), cluster);
    }
});
