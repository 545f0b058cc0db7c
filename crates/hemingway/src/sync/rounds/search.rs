//! The search for an exchange of rounds: builders, and what comes of changing and crossing the best, all on paper. A round of a linear
//! model has few variables and the simulator takes microseconds for it, so that no trial is needed.

use super::{Price, check_order};
use crate::Result;
use crate::rng::{Purpose, keyed};
use crate::sync::Strategy;
use crate::sync::builders::{NAMES, sketches};
use crate::sync::sketch::{Gene, Kind, Sketch};
use crate::sync::strategy::Method;
use rand::{Rng, RngExt};

/// Generations, what each proposes, and how many live on.
const GENERATIONS: usize = 12;
const CHILDREN: usize = 24;
const ELITE: usize = 8;
/// Shards of each server to begin with, and how many are under way: while one is added up, those before it are handed on.
const SHARDS: [usize; 4] = [1, 2, 4, 8];
const WINDOW: usize = 64;

/// The strategy that takes the least time, and its seconds.
pub(super) fn search(price: &Price, seed: u64) -> Result<(Strategy, f64)> {
    let mut random = keyed(seed, Purpose::Propose, 0, 0);
    let mut best: Vec<(f64, Sketch)> = Vec::new();
    for sketch in first(price) {
        add(price, &mut best, sketch)?;
    }
    for _ in 0..GENERATIONS {
        let parents = best.clone();
        for _ in 0..CHILDREN {
            add(price, &mut best, child(price, &parents, &mut random))?;
        }
    }
    let (seconds, sketch) = best.swap_remove(0);
    Ok((sketch.strategy(&price.up, "search"), seconds))
}

/// Every builder, with and without zeros, and every number of shards that a machine can have by its side, with the leader among the servers and without.
fn first(price: &Price) -> Vec<Sketch> {
    let stage = &price.up;
    let built = NAMES.iter().flat_map(|name| sketches(name, stage).unwrap_or_default());
    let servers = [stage.machines(), stage.machines() - 1].into_iter();
    let cut = servers.flat_map(|servers| {
        SHARDS.map(|each| {
            let gene = Gene { shards: each * servers, ..Gene::new(Kind::Server) };
            Sketch { servers, ..Sketch::uniform(stage, gene, WINDOW) }
        })
    });
    let sparing = |sketch: &Sketch| {
        let genes = sketch.genes.iter().zip(&stage.model.variables).map(|(gene, variable)| gene.sparing(variable));
        Sketch { genes: genes.collect(), ..sketch.clone() }
    };
    built.chain(cut).flat_map(|sketch| [sparing(&sketch), sketch]).collect()
}

fn child(price: &Price, parents: &[(f64, Sketch)], random: &mut impl Rng) -> Sketch {
    let [one, other] = [0, 1].map(|_| &parents[random.random_range(0..parents.len())].1);
    match random.random_range(0..10) {
        0..6 => one.changed(&price.up, true, random),
        6..9 => one.crossed(other, random).changed(&price.up, true, random),
        _ => Sketch::sample(&price.up, true, random),
    }
}

/// Takes a sketch up among the best, if it is.
fn add(price: &Price, best: &mut Vec<(f64, Sketch)>, sketch: Sketch) -> Result<()> {
    let sketch = in_order(sketch);
    let strategy = sketch.strategy(&price.up, "search");
    check_order(&strategy)?;
    let seconds = price.seconds(&strategy)?;
    let place = best.partition_point(|(other, _)| *other <= seconds);
    if place < ELITE && best.iter().all(|(_, other)| *other != sketch) {
        best.insert(place, (seconds, sketch));
        best.truncate(ELITE);
    }
    Ok(())
}

/// Whatever all-reduces in an order of its own does so in a tree.
fn in_order(mut sketch: Sketch) -> Sketch {
    for gene in &mut sketch.genes {
        if let Kind::AllReduce(_) = gene.kind {
            gene.kind = Kind::AllReduce(Method::Tree);
        }
    }
    sketch
}
