//! Networks whose first layers are tables: BERT (1810.04805), neural collaborative filtering (1708.05031), and a wide and
//! deep model of clicks (1606.07792).

use super::Net;

const TOKENS: f64 = 128.0;
const VOCABULARY: usize = 30_522;

/// The encoder with its pooler, on sequences of 128 tokens. Its tables count as dense: the one of words is tied to the
/// output in pre-training, and its gradient touches every row.
pub(super) fn bert(layers: usize, width: usize) -> Net {
    let mut net = Net::default();
    for (name, rows) in [("word", VOCABULARY), ("position", 512), ("type", 2)] {
        net.push(format!("embeddings.{name}"), vec![rows, width], width as f64 * TOKENS);
    }
    net.norm("embeddings.norm", width);
    for layer in 0..layers {
        let name = |part: &str| format!("layer{layer}.{part}");
        for part in ["query", "key", "value"] {
            net.dense(&name(part), width, width, TOKENS);
        }
        net.more(2.0 * TOKENS * TOKENS * width as f64);
        net.dense(&name("attention.output"), width, width, TOKENS);
        net.norm(&name("attention.norm"), width);
        net.dense(&name("intermediate"), width, 4 * width, TOKENS);
        net.dense(&name("output"), 4 * width, width, TOKENS);
        net.norm(&name("output.norm"), width);
    }
    net.dense("pooler", width, width, 1.0);
    net
}

/// Factors of 64 numbers and layers of 256, 256, 128 and 64 over the users and items of 20 million ratings of films.
pub(super) fn ncf() -> Net {
    const BATCH: f64 = 16_384.0;
    let mut net = Net::default();
    for (name, rows) in [("users", 138_493), ("items", 26_744)] {
        net.embedding(&format!("factors.{name}"), [rows, 64], BATCH);
        net.embedding(&format!("layers.{name}"), [rows, 128], BATCH);
    }
    for (layer, (from, to)) in [(256, 256), (256, 128), (128, 64)].into_iter().enumerate() {
        net.dense(&format!("dense{layer}"), from, to, 1.0);
    }
    net.dense("output", 128, 1, 1.0);
    net
}

/// A million weights of which a row touches a hundred, eight tables of a hundred thousand rows, and three dense layers.
pub(super) fn wide_click() -> Net {
    const BATCH: f64 = 4_096.0;
    // Clicks repeat each other: of the features of a batch one in eight is taken to be new.
    const NEW: f64 = BATCH / 8.0;
    let mut net = Net::default();
    net.embedding("wide", [1_000_000, 1], 100.0 * NEW);
    for table in 0..8 {
        net.embedding(&format!("table{table}"), [100_000, 16], NEW);
    }
    for (layer, (from, to)) in [(128, 512), (512, 256), (256, 1)].into_iter().enumerate() {
        net.dense(&format!("dense{layer}"), from, to, 1.0);
    }
    net
}
