//! Strategies by a few traits a variable: what builders set, the sampler draws and the search changes. Where shards are
//! placed and what is merged follows from them.

mod sample;

use serde::{Deserialize, Serialize};

use super::stage::Stage;
use super::strategy::{Compression, Exchange, Method, Partition, Plan, Strategy, VERSION};
use super::{Dtype, Variable};

/// A strategy in outline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sketch {
    /// One for each variable of the model.
    pub genes: Vec<Gene>,
    /// Shards of the same manner are merged until they have so many bytes.
    pub fusion: f64,
    /// Groups under way at once.
    pub window: usize,
    /// How many machines serve, those with the fastest links first.
    pub servers: usize,
}

/// How one variable is exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Gene {
    /// Who sums.
    pub kind: Kind,
    /// The axis along which it is cut.
    pub axis: usize,
    /// Into how many shards.
    pub shards: usize,
    /// How messages are written.
    pub compression: Compression,
    /// By how many steps sums may be late.
    pub staleness: u32,
}

/// [`Method`] without a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// All-reduce of this kind.
    AllReduce(Method),
    /// A parameter server: whichever has the least to do.
    Server,
}

impl Gene {
    /// Uncut and plain.
    pub fn new(kind: Kind) -> Self {
        Self { kind, axis: 0, shards: 1, compression: Compression::None, staleness: 0 }
    }

    /// The same, sending only rows that were touched if there are others.
    pub fn sparing(self, variable: &Variable) -> Self {
        let compression = if variable.is_sparse() { Compression::Sparse } else { self.compression };
        Self { compression, ..self }
    }
}

/// A group that is still open.
struct Bin {
    id: u32,
    manner: (Kind, Compression, u32, Dtype),
    by: Method,
    bytes: f64,
}

/// What each serving machine has to do, in seconds of its link.
struct Servers {
    load: Vec<(usize, f64, f64)>,
}

impl Servers {
    /// The machines with the fastest links. Who leads rounds serves alone, for then nothing has to be handed to it, or comes last: all that
    /// others have summed passes over its links too.
    fn of(stage: &Stage, count: usize) -> Self {
        let capacity = |machine: usize| stage.links.capacity(stage.links.host(machine, true));
        let leads = |machine: usize| stage.leader() == Some(machine);
        let mut machines: Vec<usize> = (0..stage.machines()).collect();
        machines.sort_by(|a, b| {
            let by_lead = if count == 1 { leads(*b).cmp(&leads(*a)) } else { leads(*a).cmp(&leads(*b)) };
            by_lead.then(capacity(*b).total_cmp(&capacity(*a))).then(a.cmp(b))
        });
        machines.truncate(count.clamp(1, stage.machines()));
        Self { load: machines.into_iter().map(|machine| (machine, capacity(machine), 0.0)).collect() }
    }

    /// The one that would be done first with so many bytes more.
    fn choose(&self, bytes: f64) -> usize {
        let done = |(_, capacity, load): &(usize, f64, f64)| (load + bytes) / capacity;
        let least = self.load.iter().min_by(|a, b| done(a).total_cmp(&done(b)));
        least.map_or(0, |(machine, ..)| *machine)
    }

    fn add(&mut self, machine: usize, bytes: f64) {
        if let Some((_, _, load)) = self.load.iter_mut().find(|(own, ..)| *own == machine) {
            *load += bytes;
        }
    }
}

impl Sketch {
    /// The same gene for all variables, one group each.
    pub fn uniform(stage: &Stage, gene: Gene, window: usize) -> Self {
        let genes = vec![gene; stage.model.variables.len()];
        Self { genes, fusion: 0.0, window, servers: stage.machines() }
    }

    /// The strategy: shards are placed and merged in the order in which they are ready.
    pub fn strategy(&self, stage: &Stage, name: impl Into<String>) -> Strategy {
        let variables = &stage.model.variables;
        let mut order: Vec<usize> = (0..variables.len()).collect();
        order.sort_by(|a, b| variables[*a].ready_ms.total_cmp(&variables[*b].ready_ms));
        let (mut bins, mut servers, mut next) = (Vec::<Bin>::new(), Servers::of(stage, self.servers), 0);
        let mut plans: Vec<Option<Plan>> = vec![None; variables.len()];
        for place in order {
            let (variable, gene) = (&variables[place], &self.genes[place]);
            let partition = cut(variable, gene);
            let sizes = partition.as_ref().map_or(&[1][..], |partition| &partition.sizes);
            let whole: usize = sizes.iter().sum();
            let mut exchange = |size: &usize| {
                let bytes = variable.bytes() * *size as f64 / whole as f64;
                self.exchange(gene, variable.dtype, bytes, variable.density, (&mut bins, &mut servers, &mut next))
            };
            let shards = sizes.iter().map(&mut exchange).collect();
            plans[place] = Some(Plan { variable: variable.name.clone(), partition, shards });
        }
        Strategy {
            version: VERSION,
            name: name.into(),
            machines: stage.machines(),
            window: self.window,
            variables: plans.into_iter().flatten().collect(),
        }
    }

    fn exchange(
        &self,
        gene: &Gene,
        dtype: Dtype,
        bytes: f64,
        density: f64,
        (bins, servers, next): (&mut Vec<Bin>, &mut Servers, &mut u32),
    ) -> Exchange {
        let manner = (gene.kind, gene.compression, gene.staleness, dtype);
        let place = bins.iter().position(|bin| bin.manner == manner).unwrap_or_else(|| {
            let by = match gene.kind {
                Kind::AllReduce(method) => method,
                Kind::Server => Method::Server(servers.choose(bytes)),
            };
            *next += 1;
            bins.push(Bin { id: *next - 1, manner, by, bytes: 0.0 });
            bins.len() - 1
        });
        let bin = &mut bins[place];
        bin.bytes += bytes;
        let exchange = Exchange { by: bin.by, group: bin.id, compression: gene.compression, staleness: gene.staleness };
        if let Method::Server(machine) = bin.by {
            let share = if gene.compression.leaves_out_zeros() { density } else { 1.0 };
            servers.add(machine, bytes * share);
        }
        if bin.bytes >= self.fusion {
            bins.swap_remove(place);
        }
        exchange
    }
}

fn cut(variable: &Variable, gene: &Gene) -> Option<Partition> {
    let length = *variable.shape.get(gene.axis)?;
    let shards = gene.shards.min(length);
    (shards > 1).then(|| Partition::even(gene.axis, length, shards))
}
