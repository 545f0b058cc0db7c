//! What `sync` reads: variables lists, ONNX graphs, strategies, AutoDist's resources and kept trials.
#![no_main]

use std::sync::LazyLock;

use hemingway::cluster::{Cluster, FromAutodist, from_autodist};
use hemingway::sync::analytic::forecast;
use hemingway::sync::ranker::Lesson;
use hemingway::sync::{Model, Stage, Strategy, builders};
use libfuzzer_sys::fuzz_target;

const MODEL: &str = r#"{"name": "m", "step_ms": 4, "variables": [
    {"name": "w", "shape": [3, 4], "ready_ms": 2}, {"name": "e", "shape": [100, 8], "density": 0.01, "ready_ms": 4}]}"#;

/// Variables beyond which builders take longer than a fuzzer should.
const MANY: usize = 64;

static CLUSTER: LazyLock<Cluster> =
    LazyLock::new(|| Cluster::parse(include_str!("../seeds/cluster/racks")).expect("a sound cluster"));
static STAGE: LazyLock<Stage> =
    LazyLock::new(|| Stage::new(Model::parse(MODEL).expect("a sound model"), &CLUSTER, 4).expect("as many machines"));

fn foretell(stage: &Stage, strategy: &Strategy) {
    if let Ok(play) = stage.play(strategy) {
        let step = forecast(stage, &play);
        assert!(step.seconds >= step.compute, "{} below {}", step.seconds, step.compute);
    }
}

/// What is sound can be exchanged by everyone.
fn look_at(model: Model) {
    model.check().expect("what was read is sound");
    if model.variables.len() <= MANY {
        let stage = Stage::new(model, &CLUSTER, 4).expect("as many machines");
        for name in builders::NAMES {
            builders::named(name, &stage).expect("a builder").iter().take(2).for_each(|s| foretell(&stage, s));
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    if let Ok(model) = hemingway_fuzz::with_file("model.onnx", bytes, Model::read) {
        look_at(model);
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(model) = Model::parse(text) {
        look_at(model);
    }
    if let Ok(strategy) = Strategy::parse(text) {
        let written = strategy.json().expect("what was read can be written");
        assert_eq!(Strategy::parse(&written).expect("what was written can be read"), strategy);
        foretell(&STAGE, &strategy);
    }
    if let Ok(FromAutodist { cluster, .. }) = from_autodist(text, "spec") {
        let written = cluster.toml().expect("what was read can be written");
        assert_eq!(Cluster::parse(&written).expect("what was written can be read"), cluster);
    }
    _ = Lesson::parse(text);
});
