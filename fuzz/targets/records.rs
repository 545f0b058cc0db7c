//! Anyone's records, as CSV and as lines of JSON.
#![no_main]

use hemingway::record::import;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let name = if text.trim_ascii_start().starts_with(b"{") { "records.jsonl" } else { "records.csv" };
    hemingway_fuzz::with_file(name, text, |path| {
        for metric in ["accuracy:max", "loss"].map(|metric| metric.parse().expect("a metric")) {
            _ = import(&[path], Some(&metric));
        }
        if let Ok(traces) = import(&[path], None) {
            assert!(traces.iter().all(|trace| trace.machines > 0));
        }
    });
});
