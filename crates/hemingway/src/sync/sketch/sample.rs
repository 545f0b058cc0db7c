//! Sketches drawn from the whole space, and sketches changed a little.

use rand::{Rng, RngExt, seq::IndexedRandom};

use super::{Gene, Kind, Sketch};
use crate::sync::strategy::{Compression, Method};
use crate::sync::{Stage, Variable};

const WINDOWS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];
/// Bytes at which groups are closed: a sixteenth of a megabyte to 256.
const FUSION: (f64, f64) = (16.0, 28.0);
const MOST_SHARDS: usize = 64;

/// What may be drawn.
#[derive(Debug, Clone, Copy)]
struct Space {
    lossless: bool,
    racks: bool,
    machines: usize,
    /// Rounds of training have a code of their own.
    packs: bool,
}

impl Space {
    fn of(stage: &Stage, lossless: bool) -> Self {
        Self { lossless, racks: stage.links.has_racks(), machines: stage.machines(), packs: stage.leader().is_none() }
    }
}

impl Sketch {
    /// One at random. Half of them treat variables of a size alike, which is where good ones are; the others draw every
    /// variable apart, so that nothing is out of reach but places in few bits: a data set names strategies by what they were drawn
    /// with, so that others must not be drawn with the same. [`Self::changed`] packs.
    pub fn sample(stage: &Stage, lossless: bool, random: &mut impl Rng) -> Self {
        let space = Space::of(stage, lossless);
        let variables = &stage.model.variables;
        let genes = if random.random_bool(0.5) {
            let border = 2f64.powf(random.random_range(12.0..24.0));
            let classes = [space.gene(random), space.gene(random), space.gene(random)];
            let class = |variable: &Variable| match variable.bytes() {
                _ if variable.is_sparse() => 2,
                bytes if bytes >= border => 1,
                _ => 0,
            };
            variables.iter().map(|variable| space.fitted(classes[class(variable)], variable, random)).collect()
        } else {
            let one = |variable: &Variable| {
                let gene = space.gene(random);
                space.fitted(gene, variable, random)
            };
            variables.iter().map(one).collect()
        };
        let servers = random.random_range(1..=space.machines);
        Self { genes, fusion: fusion(random), window: pick(&WINDOWS, random), servers }
    }

    /// A neighbour: one to three traits changed, of the whole, of one variable, or of all that are about as large.
    pub fn changed(&self, stage: &Stage, lossless: bool, random: &mut impl Rng) -> Self {
        let space = Space::of(stage, lossless);
        let mut next = self.clone();
        for _ in 0..random.random_range(1..=3) {
            match random.random_range(0..6) {
                0 => next.window = pick(&WINDOWS, random),
                1 => next.fusion = (next.fusion * 2f64.powf(random.random_range(-2.0..2.0))).clamp(1e3, 1e9),
                2 => next.servers = random.random_range(1..=space.machines),
                _ => next.change_genes(stage, space, random),
            }
        }
        next
    }

    /// Traits of one or the other, variable by variable.
    pub fn crossed(&self, other: &Self, random: &mut impl Rng) -> Self {
        let mut next = self.clone();
        for (gene, others) in next.genes.iter_mut().zip(&other.genes) {
            if random.random_bool(0.5) {
                *gene = *others;
            }
        }
        if random.random_bool(0.5) {
            (next.fusion, next.window) = (other.fusion, other.window);
        }
        next
    }

    fn change_genes(&mut self, stage: &Stage, space: Space, random: &mut impl Rng) {
        let variables = &stage.model.variables;
        let one = random.random_range(0..variables.len());
        let alike = random.random_bool(0.6);
        let fresh = space.packed(space.gene(random), random);
        let trait_of = random.random_range(0..4);
        for place in 0..variables.len() {
            let (a, b) = (&variables[one], &variables[place]);
            let near = a.is_sparse() == b.is_sparse() && (a.bytes() / b.bytes()).log2().abs() < 2.0;
            if !(place == one || alike && near) {
                continue;
            }
            let gene = &mut self.genes[place];
            match trait_of {
                0 => *gene = fresh,
                1 => gene.kind = fresh.kind,
                2 => gene.shards = fresh.shards,
                _ => (gene.compression, gene.staleness) = (fresh.compression, fresh.staleness),
            }
            *gene = space.fitted(*gene, b, random);
        }
    }
}

impl Space {
    fn gene(self, random: &mut impl Rng) -> Gene {
        let collectives = [Method::Ring, Method::Tree, Method::HalvingDoubling, Method::Hierarchical];
        let allowed = if self.racks { &collectives[..] } else { &collectives[..3] };
        let kind = if random.random_bool(0.5) { Kind::Server } else { Kind::AllReduce(pick(allowed, random)) };
        let shards = if random.random_bool(0.5) { 1 } else { random.random_range(2..=2 * self.machines.max(2)) };
        Gene { kind, axis: 0, shards, compression: self.compression(random), staleness: self.staleness(random) }
    }

    fn compression(self, random: &mut impl Rng) -> Compression {
        if self.lossless || random.random_bool(0.4) {
            return if random.random_bool(0.5) { Compression::Sparse } else { Compression::None };
        }
        let share = pick(&[0.001, 0.01, 0.1], random);
        let rank = pick(&[1, 2, 4], random);
        let lossy = [Compression::Fp16, Compression::Int8, Compression::TopK(share), Compression::PowerSgd(rank)];
        pick(&lossy, random)
    }

    /// Half of those that leave zeros out say where in few bits.
    fn packed(self, gene: Gene, random: &mut impl Rng) -> Gene {
        let packs = gene.compression == Compression::Sparse && self.packs && random.random_bool(0.5);
        if packs { Gene { compression: Compression::Packed, ..gene } } else { gene }
    }

    fn staleness(self, random: &mut impl Rng) -> u32 {
        if self.lossless || random.random_bool(0.8) { 0 } else { random.random_range(1..=3) }
    }

    /// Cut along an axis that there is; rows of tables stay whole, and what is dense gains nothing from saying where it is.
    fn fitted(self, gene: Gene, variable: &Variable, random: &mut impl Rng) -> Gene {
        let long: Vec<usize> = (0..variable.shape.len()).filter(|axis| variable.shape[*axis] > 1).collect();
        let axis = if variable.is_sparse() { 0 } else { long.choose(random).copied().unwrap_or(0) };
        let length = variable.shape.get(axis).copied().unwrap_or(1);
        let dense = gene.compression.leaves_out_zeros() && !variable.is_sparse();
        let compression = if dense { Compression::None } else { gene.compression };
        Gene { axis, shards: gene.shards.clamp(1, length.min(MOST_SHARDS)), compression, ..gene }
    }
}

fn pick<T: Copy>(among: &[T], random: &mut impl Rng) -> T {
    among[random.random_range(0..among.len())]
}

fn fusion(random: &mut impl Rng) -> f64 {
    if random.random_bool(0.2) { 0.0 } else { 2f64.powf(random.random_range(FUSION.0..FUSION.1)) }
}
