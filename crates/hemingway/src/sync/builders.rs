//! The strategies that people know, each with the settings it can be tuned over.

use super::Variable;
use super::sketch::{Gene, Kind, Sketch};
use super::stage::Stage;
use super::strategy::{Method, Strategy};

/// What [`named`] knows, in the order of tables.
pub const NAMES: [&str; 11] = [
    "ps",
    "ps-balanced",
    "ps-partitioned",
    "ps-uneven",
    "horovod",
    "ring",
    "tree",
    "halving-doubling",
    "hierarchical",
    "parallax",
    "byteps",
];

/// Bytes at which all-reduce closes a group, and to which BytePS cuts.
const MEGABYTES: [f64; 5] = [1.0, 4.0, 16.0, 64.0, 256.0];
const WINDOWS: [usize; 3] = [1, 4, 16];

/// What a builder is in words.
pub fn describe(name: &str) -> &'static str {
    match name {
        "ps" => "one server, the fastest, for all variables",
        "ps-balanced" => "every variable on the server with the least to do",
        "ps-partitioned" => "variables cut into a divisor of their first axis, shards balanced over servers",
        "ps-uneven" => "variables cut into shards of unlike length, balanced over servers",
        "horovod" => "ring all-reduce of variables merged in the order they are ready",
        "ring" => "ring all-reduce of every variable by itself",
        "tree" => "tree all-reduce of merged variables",
        "halving-doubling" => "halving-doubling all-reduce of merged variables",
        "hierarchical" => "all-reduce within racks and between them, of merged variables",
        "parallax" => "dense variables by merged ring all-reduce, sparse ones by balanced servers",
        "byteps" => "variables cut into small shards, spread over all machines as servers",
        _ => "",
    }
}

/// Every setting of a builder on this stage; none where the cluster has nothing that it needs (racks), `None` for a name
/// that is no builder's.
pub fn named(name: &str, stage: &Stage) -> Option<Vec<Strategy>> {
    let sketches = sketches(name, stage)?;
    Some(sketches.into_iter().map(|sketch| sketch.strategy(stage, name)).collect())
}

/// The same as sketches, for the search to begin with.
pub fn sketches(name: &str, stage: &Stage) -> Option<Vec<Sketch>> {
    let server = Gene::new(Kind::Server);
    let served = |gene: &dyn Fn(&Variable) -> Gene, servers: usize| {
        let sketch = |window: usize| Sketch {
            genes: stage.model.variables.iter().map(|v| gene(v).sparing(v)).collect(),
            fusion: 0.0,
            window,
            servers,
        };
        WINDOWS.map(sketch).to_vec()
    };
    let all = stage.machines();
    Some(match name {
        "ps" => served(&|_| server, 1),
        "ps-balanced" => served(&|_| server, all),
        "ps-partitioned" => served(&|v| Gene { shards: divisor(first(v)), ..server }, all),
        "ps-uneven" => served(&|v| Gene { shards: other_than_divisor(first(v)), ..server }, all),
        "horovod" => [merged(stage, Method::Ring, false), sparing(stage, Method::Ring)].concat(),
        "ring" => WINDOWS.map(|w| Sketch::uniform(stage, Gene::new(Kind::AllReduce(Method::Ring)), w)).to_vec(),
        "tree" => merged(stage, Method::Tree, false),
        "halving-doubling" => merged(stage, Method::HalvingDoubling, false),
        "hierarchical" if !stage.links.has_racks() => Vec::new(),
        "hierarchical" => merged(stage, Method::Hierarchical, false),
        "parallax" => merged(stage, Method::Ring, true),
        "byteps" => MEGABYTES[..4]
            .iter()
            .flat_map(|size| {
                let cut = |v: &Variable| Gene { shards: shards(v, size * 1e6), ..server };
                served(&cut, all)
            })
            .collect(),
        _ => return None,
    })
}

fn first(variable: &Variable) -> usize {
    variable.shape.first().copied().unwrap_or(1)
}

/// The smallest divisor from 2 on, as AutoDist takes it.
fn divisor(length: usize) -> usize {
    (2..=length.min(64)).find(|shards| length.is_multiple_of(*shards)).unwrap_or(1)
}

fn other_than_divisor(length: usize) -> usize {
    (2..=length.min(64)).find(|shards| !length.is_multiple_of(*shards)).unwrap_or(1)
}

fn shards(variable: &Variable, bytes: f64) -> usize {
    ((variable.bytes() / bytes).ceil() as usize).clamp(1, 64)
}

/// All variables by one collective; with `tables` the sparse ones by servers.
fn merged(stage: &Stage, method: Method, tables: bool) -> Vec<Sketch> {
    let gene = |variable: &Variable| match tables && variable.is_sparse() {
        true => Gene::new(Kind::Server).sparing(variable),
        false => Gene::new(Kind::AllReduce(method)),
    };
    over_sizes(stage, &gene)
}

/// All variables by one collective, the sparse ones with their touched rows only; none where there are none.
fn sparing(stage: &Stage, method: Method) -> Vec<Sketch> {
    let sparse = stage.model.variables.iter().any(Variable::is_sparse);
    let gene = |variable: &Variable| Gene::new(Kind::AllReduce(method)).sparing(variable);
    if sparse { over_sizes(stage, &gene) } else { Vec::new() }
}

fn over_sizes(stage: &Stage, gene: &dyn Fn(&Variable) -> Gene) -> Vec<Sketch> {
    let sketch = |(size, window): (&f64, usize)| Sketch {
        genes: stage.model.variables.iter().map(gene).collect(),
        fusion: size * 1e6,
        window,
        servers: stage.machines(),
    };
    MEGABYTES.iter().flat_map(|size| WINDOWS.map(|window| (size, window))).map(sketch).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::links::tests::cluster;
    use crate::sync::model::builtin;

    #[test]
    fn every_builder_suits_every_model() {
        for model in ["vgg16", "ncf", "densenet121"] {
            let stage = Stage::new(builtin::named(model).unwrap(), &cluster(8, true), 8).unwrap();
            for name in NAMES {
                let strategies = named(name, &stage).unwrap();
                assert!(!strategies.is_empty() && !describe(name).is_empty());
                for strategy in strategies {
                    assert!(strategy.is_lossless());
                    stage.play(&strategy).unwrap_or_else(|e| panic!("{name} of {model}: {e}"));
                }
            }
            assert!(named("guess", &stage).is_none());
        }
        let flat = Stage::new(builtin::named("ncf").unwrap(), &cluster(8, false), 8).unwrap();
        assert!(named("hierarchical", &flat).unwrap().is_empty());
    }

    #[test]
    fn servers_share_the_load_and_groups_fill_up() {
        let stage = Stage::new(builtin::named("resnet50").unwrap(), &cluster(8, false), 8).unwrap();
        let balanced = stage.play(&named("ps-balanced", &stage).unwrap()[0]).unwrap();
        let mut load = [0.0; 8];
        for group in &balanced.layout.groups {
            let Method::Server(machine) = group.by else { panic!("a server") };
            load[machine] += group.bytes();
        }
        let (least, most) = load.iter().fold((f64::MAX, 0.0f64), |(l, m), x| (l.min(*x), m.max(*x)));
        assert!(most < 1.6 * least, "{load:?}");
        let fused = stage.play(&sketches("horovod", &stage).unwrap()[6].strategy(&stage, "h")).unwrap();
        assert!(fused.layout.groups.len() <= 8, "{} groups of 16 MB", fused.layout.groups.len());
    }
}
