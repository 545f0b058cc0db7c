//! One model on one cluster: where strategies are laid out, and what many of them share is kept.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::analytic::Load;
use super::codec::expected_bytes;
use super::program::Half;
use super::rounds::code;
use super::strategy::{Group, Layout, Method, Strategy, Texture};
use super::{Links, Message, Model, Program};
use crate::cluster::Cluster;
use crate::{Error, Result};

/// What one machine does in an exchange, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// Sends chunks, whole sums or partial ones.
    Send(Message, bool),
    /// Waits for chunks, to take whole sums or to add partial ones.
    Take(Message, bool),
    /// Has the whole sum of a chunk, and writes it once for all.
    Settle(usize),
}

/// A program, and what it asks of each machine.
#[derive(Debug)]
pub struct Score {
    /// The program.
    pub program: Program,
    /// Deeds of each machine.
    pub parts: Vec<Vec<Deed>>,
    /// What it asks of the links.
    pub(super) load: Load,
}

impl Score {
    fn of(program: Program, links: &Links) -> Self {
        let machines = links.machines();
        let mut parts: Vec<Vec<Deed>> = vec![Vec::new(); machines];
        let add = |waves: &[Vec<Message>], whole: bool, parts: &mut Vec<Vec<Deed>>| {
            for wave in waves {
                wave.iter().for_each(|message| parts[message.from].push(Deed::Send(*message, whole)));
                wave.iter().for_each(|message| parts[message.to].push(Deed::Take(*message, whole)));
            }
        };
        add(&program.sums, false, &mut parts);
        if machines > 1 {
            program.owners.iter().enumerate().for_each(|(chunk, owner)| parts[*owner].push(Deed::Settle(chunk)));
        }
        add(&program.copies, true, &mut parts);
        Self { load: Load::of(&program, links), program, parts }
    }
}

/// A model and the links between its machines.
#[derive(Debug)]
pub struct Stage {
    /// The model.
    pub model: Model,
    /// The cluster.
    pub cluster: Cluster,
    /// The links between those of its machines that take part.
    pub links: Links,
    /// Which half of a round of training is meant, if not a whole step.
    half: Option<Half>,
    scores: Mutex<HashMap<Method, Arc<Score>>>,
}

/// A strategy laid out, with the program of each group.
#[derive(Debug, Clone)]
pub struct Play {
    /// The groups.
    pub layout: Layout,
    /// The program of each.
    pub scores: Vec<Arc<Score>>,
    half: Option<Half>,
}

impl Play {
    /// What a message takes: the more machines' gradients it holds, the more of its rows are touched.
    pub fn message_bytes(&self, group: usize, message: Message) -> f64 {
        let (own, program) = (&self.layout.groups[group], &self.scores[group].program);
        if own.textures.len() < 2 {
            return self.mean_bytes(group, message);
        }
        let range = program.range(message.first, message.last, own.elements);
        let mut begin = 0;
        let bytes = |texture: &Texture| {
            let end = begin + texture.elements;
            let elements = range.end.min(end).saturating_sub(range.start.max(begin));
            begin = end;
            self.bytes(own, texture, elements as f64, message.held)
        };
        own.textures.iter().map(bytes).sum()
    }

    /// What a message of so many chunks takes on average, wherever in the buffer they are.
    pub fn mean_bytes(&self, group: usize, message: Message) -> f64 {
        let own = &self.layout.groups[group];
        let chunks = (message.last - message.first) as f64;
        let share = |elements: usize| elements as f64 / self.scores[group].program.chunks as f64;
        if !own.compression.leaves_out_zeros() {
            return chunks * expected_bytes(share(own.elements), own.dtype.bytes() as f64, own.compression, 1.0, 1.0);
        }
        let each = |texture: &Texture| self.bytes(own, texture, share(texture.elements), message.held);
        chunks * own.textures.iter().map(each).sum::<f64>()
    }

    fn bytes(&self, own: &Group, texture: &Texture, elements: f64, held: usize) -> f64 {
        let (density, width) = (texture.touched_by(held), own.dtype.bytes() as f64);
        match (self.half, own.compression) {
            (None, compression) => expected_bytes(elements, width, compression, density, texture.run),
            // Rounds of training leave zeros out by a code of their own.
            (Some(_), compression) if compression.leaves_out_zeros() => elements * code::bytes_each(density),
            (Some(_), _) => elements * width,
        }
    }
}

impl Stage {
    /// A model on the first m machines of a cluster.
    pub fn new(model: Model, cluster: &Cluster, machines: usize) -> Result<Self> {
        if machines == 0 || machines > cluster.machines {
            let what = format!("{machines} asked of a cluster of {}", cluster.machines);
            return Err(Error::setting("--machines", what));
        }
        let links = Links::of(cluster, machines);
        Ok(Self { model, cluster: cluster.clone(), links, half: None, scores: Mutex::default() })
    }

    /// The same for one half of a round of training.
    pub fn of_half(self, half: Half) -> Self {
        Self { half: Some(half), scores: Mutex::default(), ..self }
    }

    /// The machine through which all sums pass, where a round of training is meant.
    pub fn leader(&self) -> Option<usize> {
        self.half.map(|_| 0)
    }

    /// How many machines take part.
    pub fn machines(&self) -> usize {
        self.links.machines()
    }

    /// Lays a strategy out, or says why that cannot be.
    pub fn play(&self, strategy: &Strategy) -> Result<Play> {
        let layout = Layout::of(strategy, &self.model, &self.links)?;
        let mut kept = self.scores.lock().unwrap_or_else(PoisonError::into_inner);
        let mut score = |group: &Group| {
            let new = || {
                let program = Program::of(group.by, &self.links);
                let program = self.half.into_iter().fold(program, Program::half);
                Arc::new(Score::of(program, &self.links))
            };
            Arc::clone(kept.entry(group.by).or_insert_with(new))
        };
        let scores = layout.groups.iter().map(&mut score).collect();
        Ok(Play { layout, scores, half: self.half })
    }

    /// Seconds of a step on a machine without any exchange.
    pub fn compute(&self, machine: usize) -> f64 {
        self.model.step_ms / 1e3 / self.links.pace(machine)
    }

    /// The same on the slowest.
    pub fn slowest_compute(&self) -> f64 {
        (0..self.machines()).map(|machine| self.compute(machine)).fold(0.0, f64::max)
    }

    /// What no lossless strategy can beat: computing on the slowest machine, or moving bytes. Sums need every other
    /// machine's gradient once and are told to every other machine once, which makes 2(m − 1) times the touched bytes over
    /// all hosts' links together; and every host sends and takes at least those bytes once over its own.
    pub fn bound(&self) -> f64 {
        let m = self.machines();
        let bytes: f64 = self.model.variables.iter().map(|v| v.bytes() * v.density).sum();
        let capacities = || (0..m).map(|k| self.links.capacity(self.links.host(k, true)));
        let together = 2.0 * (m as f64 - 1.0) * bytes / capacities().sum::<f64>();
        let alone = if m > 1 { bytes / capacities().fold(f64::INFINITY, f64::min) } else { 0.0 };
        self.slowest_compute().max(together).max(alone)
    }
}
