//! The files that are wrong, and a few that are right.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::common::Desk;

/// A name and what is in it.
const TEXTS: &[(&str, &str)] = &[
    ("good.svm", "+1 1:0.5 3:1\n-1 2:1\n+1 1:1\n-1 3:2\n"),
    ("empty", ""),
    // LIBSVM
    ("label.svm", "+1 1:0.5\nyes 1:1\n"),
    ("nan-label.svm", "nan 1:0.5\n"),
    ("unlabelled.svm", "1:0.5 2:1\n"),
    ("several-labels.svm", "1,3 1:0.5\n"),
    ("value.svm", "+1 1:0.5x\n"),
    ("infinite.svm", "+1 1:0.5\n-1 2:inf\n"),
    ("index.svm", "+1 a:1\n"),
    ("negative-index.svm", "+1 -3:1\n"),
    ("huge-index.svm", "+1 99999999999:1\n"),
    ("wide.svm", "+1 4294967295:1\n-1 1:1\n"),
    ("unordered.svm", "+1 1:1 7:2 3:1\n"),
    ("twice.svm", "+1 3:1 3:2\n"),
    ("colon.svm", "+1 1:1 7\n"),
    ("labels-only.svm", "+1\n-1\n"),
    ("from-zero.svm", "+1 0:1\n-1 2:1\n"),
    ("beyond-f32.svm", "+1 1:1e300\n-1 2:1\n"),
    ("one-class.svm", "1 1:1\n1 2:1\n"),
    ("amounts.svm", "0.5 1:1\n1.5 2:1\n2.5 1:2\n"),
    ("three-classes.svm", "1 1:1\n2 2:1\n3 1:2\n"),
    ("few-train.svm", "+1 1:1\n-1 1:2\n"),
    // CSV
    ("header.csv", "a,b,label\n"),
    ("ragged.csv", "a,b,label\n1,2,0\n1,2\n"),
    ("category.csv", "colour,size,label\nred,1,0\nblue,2,1\n"),
    ("missing.csv", "a,b,label\n1,,0\n"),
    ("infinite.csv", "a,b,label\n1,inf,0\n"),
    ("unlabelled.csv", "a,b,c\n1,2,3\n"),
    ("two-labels.csv", "a,y,label\n1,2,3\n"),
    ("twins.csv", "a,a,label\n1,2,0\n"),
    ("quote.csv", "a,b,label\n1,\"2,0\n"),
    ("one-column.csv", "label\n1\n0\n"),
    ("table.csv", "a,b,label\n1,2,0\n3,4,1\n2,2,0\n4,1,1\n"),
    ("ratings.csv", "userId,movieId,rating,timestamp\n1,7,4,9\n2,7,3,9\n"),
    ("fewer.csv", "a,label\n1,0\n"),
    ("weighted.csv", "a,b,label,w\n1,2,0,1\n3,4,1,-2\n"),
    // Vowpal Wabbit
    ("bar.vw", "1 |w good\n1 bad film\n"),
    ("label.vw", "|w good film\n"),
    ("weight.vw", "1 -2 |w good film\n"),
    ("value.vw", "1 |w good:much\n"),
    // Something else
    ("page.html", "<!DOCTYPE html><html><body>404 Not found</body></html>\n"),
    ("array.json", "[1, 2]\n"),
    // Weights
    ("few.weights", "1\n2\n"),
    ("few.svm.weights", "1\n2\n1\n1\n"),
    ("negative.weights", "1\n-2\n1\n1\n"),
    ("word.weights", "1\nheavy\n1\n1\n"),
    ("zero.weights", "0\n0\n0\n0\n"),
    // Clusters
    ("key.toml", "name = \"x\"\nmachines = 2\ncolour = \"red\"\n"),
    ("laptop.svg", "name = \"x\"\n"),
    ("toml.toml", "name = \"x\nmachines = 2\n"),
    ("missing.toml", "name = \"x\"\nmachines = 2\n"),
    // Models
    ("words.json", "{\"format\": \"hemingway-model-1\", \"loss\": "),
    ("stranger.json", "{\"weights\": [1, 2]}"),
    ("words.model", "once upon a time\n"),
    ("classes.model", "solver_type L2R_LR\nnr_class 3\nlabel 1 2 3\nnr_feature 2\nbias -1\nw\n1\n2\n"),
    ("solver.model", "solver_type ONECLASS_SVM\nnr_class 2\nlabel 1 2\nnr_feature 1\nbias -1\nw\n1\n"),
    ("short.model", "solver_type L2R_LR\nnr_class 2\nlabel 1 2\nnr_feature 3\nbias -1\nw\n1\n2\n"),
    ("weight.model", "solver_type L2R_LR\nnr_class 2\nlabel 1 2\nnr_feature 2\nbias -1\nw\n1\nnan\n"),
    ("linear.json", "{}"),
    ("good.model", "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 3\nbias -1\nw\n1\n2\n3\n"),
    // Records
    ("no-machines.csv", "algorithm,seconds\ngd,1\n"),
    ("nothing.csv", "algorithm,machines\ngd,1\n"),
    ("no-algorithm.csv", "machines,seconds\n1,1\n"),
    ("no-machine.csv", "algorithm,machines,seconds\ngd,0,1\n"),
    ("crowd.csv", "algorithm,machines,seconds\ngd,99999999999,1\n"),
    ("half-a-machine.csv", "algorithm,machines,seconds\ngd,1.5,1\n"),
    ("word-seconds.csv", "algorithm,machines,seconds\ngd,1,long\n"),
    ("negative-seconds.csv", "algorithm,machines,seconds\ngd,1,-1\n"),
    ("no-records.csv", "algorithm,machines,seconds\n"),
    ("ragged-records.csv", "algorithm,machines,seconds\ngd,1\n"),
    ("broken.jsonl", "{\"algorithm\": \"gd\", \"machines\": 1, \"seconds\": 1}\n{\"algorithm\": \n"),
    ("times.svg", "algorithm,machines,seconds\ngd,1,2\ngd,2,1\n"),
    ("times.csv", "algorithm,machines,seconds\ngd,1,2\ngd,2,1\n"),
    (
        "elsewhere.csv",
        "algorithm,machines,cluster,seconds,round,objective\ngd,1,hpc-200gbit,1,1,3\ngd,1,hpc-200gbit,1,2,2\n\
         gd,1,hpc-200gbit,1,3,1.5\ngd,1,hpc-200gbit,1,4,1.2\n",
    ),
    // Exchange of variables
    ("small.json", "{\"name\": \"s\", \"variables\": [{\"name\": \"w\", \"shape\": [3, 4]}]}"),
    ("cut-variables.json", "{\"name\": \"s\",\n \"variables\": ["),
    ("key-variables.json", "{\"name\": \"s\", \"variables\": [\n{\"name\": \"w\", \"shapes\": [3]}]}"),
    ("flat-variables.json", "{\"name\": \"s\", \"variables\": [{\"name\": \"w\", \"shape\": [3, 0]}]}"),
    (
        "late-variables.json",
        "{\"name\": \"s\", \"variables\": [{\"name\": \"w\", \"shape\": [3], \"ready_ms\": 2}], \"step_ms\": 1}",
    ),
    (
        "stepless-variables.json",
        "{\"name\": \"s\", \"variables\": [{\"name\": \"w\", \"shape\": [3], \"ready_ms\": 3.2}]}",
    ),
    ("type-variables.json", "{\"name\": \"s\", \"variables\": [\n{\"name\": \"w\", \"shape\": \"3\"}]}"),
    (
        "twin-variables.json",
        "{\"name\": \"s\", \"variables\": [{\"name\": \"w\", \"shape\": []}, {\"name\": \"w\", \"shape\": []}]}",
    ),
    ("no-variables.json", "{\"name\": \"s\", \"variables\": []}"),
    ("cut-strategy.json", "{\"version\": 1,\n \"name\": "),
    ("later-strategy.json", "{\"version\": 7}"),
    ("bare-strategy.json", "{}"),
    (
        "window-strategy.json",
        "{\"version\": 1, \"name\": \"s\", \"machines\": 2, \"window\": \"8\", \"variables\": []}",
    ),
    ("small-strategy.json", STRATEGY_BY_TREE),
    ("method-strategy.json", STRATEGY_BY_PIGEON),
    ("few-strategy.json", "{\"version\": 1, \"name\": \"s\", \"machines\": 2, \"window\": 1, \"variables\": []}"),
    ("zero-strategy.json", STRATEGY_OF_NOTHING),
    ("server-strategy.json", STRATEGY_OF_NOBODY),
    ("trials.jsonl", "{\"model\": \"m\", \"cluster\": \"c\"}\n"),
    ("none.jsonl", ""),
    ("bandwidth.yml", "nodes:\n  - address: a\n    network_bandwidth: fast\n"),
    ("key.yml", "nodes:\n  - address: a\n    bandwidth: 10\n"),
    ("open.yml", "nodes:\n  - address: a\n    gpus: [0, 1\n"),
    ("tab.yml", "nodes:\n\t- address: a\n"),
    ("nodes.yml", "hosts:\n  - address: a\n"),
    ("percent.csv", "algorithm,machines,seconds,round,accuracy\ngd,1,1,1,90\ngd,1,1,2,93\n"),
];

/// Strategies of one variable: what is wrong with each, its name says.
const STRATEGY_BY_PIGEON: &str = "{\"version\": 1, \"name\": \"s\", \"machines\": 2, \"window\": 1, \"variables\": [\n\
    {\"variable\": \"w\", \"shards\": [{\"by\": \"pigeon\", \"group\": 0}]}]}";
const STRATEGY_BY_TREE: &str = "{\"version\": 1, \"name\": \"s\", \"machines\": 2, \"window\": 1, \"variables\": [\n\
    {\"variable\": \"w\", \"shards\": [{\"by\": \"tree\", \"group\": 0}]}]}";
const STRATEGY_OF_NOTHING: &str = "{\"version\": 1, \"name\": \"s\", \"machines\": 2, \"window\": 1, \"variables\": [\n\
    {\"variable\": \"w\", \"partition\": {\"axis\": 1, \"sizes\": [4, 0]}, \"shards\": [{\"by\": \"ring\", \"group\": 0}, \
    {\"by\": \"ring\", \"group\": 0}]}]}";
const STRATEGY_OF_NOBODY: &str = "{\"version\": 1, \"name\": \"s\", \"machines\": 2, \"window\": 1, \"variables\": [\n\
    {\"variable\": \"w\", \"shards\": [{\"by\": {\"server\": 2}, \"group\": 0}]}]}";

/// A sound cluster file, and what is changed in it.
const CLUSTER: &str = "name = \"x\"\nmachines = 2\ncores_per_machine = 1\nmemory_gb = 1\nprice_per_hour = 0\n\
                       [compute]\nns_per_nonzero = 1.2\n[network]\nlatency_us = 10\nbandwidth_gbit = 8\ncollective = \"tree\"\n";
const CHANGED: &[(&str, &str, &str)] = &[
    ("free.toml", "", ""),
    ("negative.toml", "memory_gb = 1", "memory_gb = -1"),
    ("type.toml", "machines = 2", "machines = \"two\""),
    ("pace.toml", "ns_per_nonzero = 1.2", "ns_per_nonzero = \"fast\""),
    ("nameless.toml", "name = \"x\"", "name = \"\""),
    ("none.toml", "machines = 2", "machines = 0"),
    ("crowd.toml", "machines = 2", "machines = 99999999999"),
    ("latency.toml", "latency_us = 10", "latency_us = -1"),
    ("collective.toml", "collective = \"tree\"", "collective = \"carrier pigeon\""),
    ("nan.toml", "bandwidth_gbit = 8", "bandwidth_gbit = nan"),
    (
        "host.toml",
        "collective = \"tree\"",
        "collective = \"tree\"\n[[fabric.host]]\nmachine = 1\n[[fabric.host]]\nmachine = 1\npace = 0.5",
    ),
    (
        "rack.toml",
        "collective = \"tree\"",
        "collective = \"tree\"\n[[fabric.rack]]\nmachines = [0, 2]\nuplink_gbit = 8",
    ),
    ("crowded.toml", "machines = 2", "machines = 10000"),
    ("link.toml", "collective = \"tree\"", "collective = \"tree\"\nlink = [{ from = 7, to = \"*\" }]"),
];

/// Files whose bytes are no text, and what to call them in the table.
fn binaries() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let rows = npy("<f8", "(2, 2)", &[0; 32]);
    let ids = npy("<i4", "(2,)", &[0, 0, 0, 0, 1, 0, 0, 0]);
    vec![
        ("cut.svm.gz", "the first bytes of a gzip file", b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x33\x54".to_vec()),
        ("cut.svm.bz2", "the first bytes of a bzip2 file", b"BZh91AY&SY\x12\x34".to_vec()),
        ("zeros", "bytes of value 0", vec![0; 64]),
        ("cut.npy", "an array of 2 × 2 with the bytes of 1 × 2", rows[..rows.len() - 16].to_vec()),
        ("objects.npy", "an array of Python objects", npy("|O", "(2, 2)", &[0; 32])),
        ("words.npy", "an array of text", npy("<U3", "(2, 2)", &[0; 48])),
        ("cube.npy", "an array of 2 × 2 × 2", npy("<f8", "(2, 2, 2)", &[0; 64])),
        ("huge.npy", "an array that claims 10¹² rows", npy("<f8", "(1000000000000, 2)", &[0; 32])),
        ("nan.npy", "an array that holds a NaN", npy("<f4", "(1, 2)", &[0, 0, 0, 0, 0, 0, 0xc0, 0x7f])),
        ("rows.npy", "an array of 2 × 2, and no labels", rows.clone()),
        ("strange.npz", "an archive of arrays `a` and `b`", npz(&[("a", &rows), ("b", &rows)])),
        (
            "labels.npz",
            "an archive of 2 rows and 3 labels",
            npz(&[("X", &rows), ("y", &npy("|i1", "(3,)", &[1, 0, 1]))]),
        ),
        ("indptr.npz", "a sparse matrix without `indptr`", npz(&[("indices", &ids), ("data", &ids), ("shape", &ids)])),
        ("csc.npz", "a sparse matrix by columns", npz(&[("indptr", &ids), ("format", &npy("|S3", "()", b"csc"))])),
        (
            "coo.npz",
            "a sparse matrix by coordinates",
            npz(&[
                ("row", &ids),
                ("col", &ids),
                ("format", &npy("|S3", "()", b"coo")),
                ("shape", &ids),
                ("data", &ids),
            ]),
        ),
        ("cut.npz", "the first bytes of a zip archive", b"PK\x03\x04\x14\0\0\0".to_vec()),
        ("cut.parquet", "the first bytes of a Parquet file", b"PAR1\x15\x04\x15\x08".to_vec()),
        ("wrong.parquet", "text that is named .parquet", b"PAR1 is how such a file begins, and ends: PAR1".to_vec()),
        (
            "t-images-idx3-ubyte",
            "images without their labels",
            b"\0\0\x08\x03\0\0\0\x01\0\0\0\x01\0\0\0\x01\xff".to_vec(),
        ),
        ("picture.png", "the first bytes of a picture", b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec()),
        ("cut.safetensors", "the first bytes of a safetensors file", b"\x40\0\0\0\0\0\0\0{\"weights\":".to_vec()),
        ("model.onnx", "an ONNX graph", b"\x08\x08\x12\x09hemingway".to_vec()),
    ]
}

fn npy(descr: &str, shape: &str, numbers: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let length = u16::try_from(header.len()).expect("a short header").to_le_bytes();
    [b"\x93NUMPY\x01\0", &length[..], header.as_bytes(), numbers].concat()
}

fn npz(arrays: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, array) in arrays {
        zip.start_file(format!("{name}.npy"), stored).expect("memory");
        zip.write_all(array).expect("memory");
    }
    zip.finish().expect("memory").into_inner()
}

/// Runs: what is wrong with each, and its journal.
fn journals() -> Vec<(&'static str, &'static str, String)> {
    let whole = include_str!("../golden/logistic-1/journal.jsonl");
    let lines: Vec<&str> = whole.lines().collect();
    let cut_in_two = lines[3].split_at(lines[3].len() / 2).0;
    let damaged = [&lines[..3], &[cut_in_two], &lines[4..]].concat().join("\n") + "\n";
    let newer = [&lines[..3], &["{\"event\": \"teleported\", \"to\": \"the moon\"}"]].concat().join("\n") + "\n";
    let elsewhere =
        lines[0].replace("synth:logistic,rows=10000,columns=500", "synth:logistic,rows=300,columns=5") + "\n";
    let gone = lines[0].replace("synth:logistic,rows=10000,columns=500", "gone.svm") + "\n";
    let crowded = lines[0].replace("\"machines\":[1,2,4,8,16]", "\"machines\":[99999999999]") + "\n";
    let endless = whole.replacen("\"round\":0", "\"round\":18446744073709551615", 1);
    vec![
        ("crowded", "a journal that considers 99,999,999,999 machines", crowded),
        ("endless", "a journal with round 18,446,744,073,709,551,615", endless),
        ("blank", "an empty journal", String::new()),
        ("torn", "a journal whose first line was never finished", lines[0][..200].into()),
        ("prose", "a journal of prose", "Dear diary,\n".into()),
        ("headless", "a journal without its first line", lines[1..4].join("\n") + "\n"),
        ("damaged", "a journal with half a line in its middle", damaged),
        ("newer", "a journal with an event that is not known", newer),
        ("elsewhere", "the journal of a run whose data is no longer the same", elsewhere),
        ("gone", "the journal of a run whose data is gone", gone),
    ]
}

/// Puts all of them into a directory.
pub(crate) fn lay_out(desk: &Desk) {
    TEXTS.iter().for_each(|(name, text)| desk.write(name, text));
    CHANGED.iter().for_each(|(name, from, to)| desk.write(name, &CLUSTER.replacen(from, to, 1)));
    for (name, _, bytes) in binaries() {
        std::fs::write(desk.path(name), bytes).expect("a writable directory");
    }
    for (run, _, journal) in journals() {
        std::fs::create_dir_all(desk.path("runs").join(run)).expect("a writable directory");
        desk.write(&format!("runs/{run}/journal.jsonl"), &journal);
    }
}

/// What is in a file, or what is wrong with it, for the table; nothing for what is no file.
pub(crate) fn told(input: &str) -> String {
    let text = TEXTS.iter().find(|(name, _)| *name == input).map(|(_, text)| format!("`{}`", text.escape_debug()));
    let change =
        CHANGED.iter().find(|(name, ..)| *name == input).map(|(_, _, to)| format!("… `{}`", to.escape_debug()));
    let binary = || binaries().into_iter().find(|(name, ..)| *name == input).map(|(_, told, _)| told.to_owned());
    let journal = || journals().into_iter().find(|(run, ..)| *run == input).map(|(_, told, _)| told.to_owned());
    text.or(change).or_else(binary).or_else(journal).unwrap_or_default().replace("``", "nothing")
}
