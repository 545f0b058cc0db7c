//! All machines of an exchange as threads of this process.

use std::thread;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::machine::{Machine, Outcome, Source, Tensors};
use super::wire::{Channels, Wire};
use crate::sync::replay::workload;
use crate::sync::stage::{Play, Stage};
use crate::sync::strategy::Strategy;
use crate::{Error, Result};

/// Machines as threads, with one strategy between them.
#[derive(Debug)]
pub struct Team<'a> {
    stage: &'a Stage,
    play: Play,
}

/// A timed replay: how many steps, and how small.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Timing {
    /// Bytes of the model for each byte that is really moved.
    pub scale: f64,
    /// Steps, after one that does not count.
    pub steps: u64,
    /// For the rows that gradients touch.
    pub seed: u64,
}

impl<'a> Team<'a> {
    /// A team, or why the strategy cannot be carried out.
    pub fn new(stage: &'a Stage, strategy: &Strategy) -> Result<Self> {
        Ok(Self { stage, play: stage.play(strategy)? })
    }

    /// One step with these gradients, by machine and variable, and their sums as each machine has them.
    ///
    /// ```
    /// use hemingway::cluster::Cluster;
    /// use hemingway::sync::{Model, Stage, builders, execute::Team};
    /// # let cluster = Cluster::parse(include_str!("../../../../../clusters/cloud-25gbit.toml"))?;
    ///
    /// let model = Model::parse(r#"{"name": "m", "variables": [{"name": "w", "shape": [2, 2]}]}"#)?;
    /// let stage = Stage::new(model, &cluster, 3)?;
    /// let ring = builders::named("ring", &stage).expect("a builder").remove(0);
    /// let sums = Team::new(&stage, &ring)?.sum(&[1.0, 2.0, 4.0].map(|x| vec![vec![x; 4]]))?;
    /// assert_eq!(sums[2], [[7.0; 4]]);
    /// # Ok::<(), hemingway::Error>(())
    /// ```
    pub fn sum(&self, gradients: &[Tensors]) -> Result<Vec<Tensors>> {
        Ok(self.train(1, &|machine, _, _| gradients[machine].clone())?.0)
    }

    /// So many steps, each with the gradients that `source` makes of (machine, step, sums of the step before). Returns the
    /// last sums, and what encodings have kept back, both by machine and variable.
    pub fn train(&self, steps: u64, source: &Source<'_>) -> Result<(Vec<Tensors>, Vec<Tensors>)> {
        let began = Instant::now();
        let run =
            |machine: usize, wire: Channels| Machine::new(machine, wire, &self.play, None, began).run(steps, source);
        let outcomes: Vec<Outcome> = on_threads(Channels::plain(self.stage.machines()), &run)?;
        Ok(outcomes.into_iter().map(|outcome| (outcome.sums, outcome.lost)).unzip())
    }

    /// Seconds of each step with the model's own compute times, over links in user space that are shaped like the cluster's.
    /// Bytes are real, and fewer by the scale; links count each as so many.
    pub fn time(&self, timing: Timing) -> Result<Vec<f64>> {
        let wires = Channels::shaped(&self.stage.links, timing.scale);
        let run = |machine: usize, wire: Channels| timing.run(self.stage, &self.play, machine, wire);
        Ok(timing.slowest(&on_threads(wires, &run)?))
    }
}

impl Timing {
    /// One machine's part: seconds of each of its steps, with the model's own compute times.
    pub fn run(&self, stage: &Stage, play: &Play, machine: usize, wire: impl Wire) -> Result<Vec<f64>> {
        let play = workload::scaled(play, self.scale);
        let gradients = workload::gradients(&play, machine, self.seed);
        let own = Machine::new(machine, wire, &play, Some(stage), Instant::now());
        Ok(own.run(self.steps + 1, &|_, _, _| gradients.clone())?.seconds)
    }

    /// Of what all machines took, the steps that count, each as long as on its slowest machine.
    pub fn slowest(&self, machines: &[Vec<f64>]) -> Vec<f64> {
        let slowest = |step: usize| machines.iter().filter_map(|own| own.get(step)).copied().fold(0.0, f64::max);
        (1..=self.steps as usize).map(slowest).collect()
    }
}

/// Every machine on a thread of its own.
fn on_threads<T: Send>(wires: Vec<Channels>, run: &(dyn Fn(usize, Channels) -> Result<T> + Sync)) -> Result<Vec<T>> {
    thread::scope(|scope| {
        let machine = |(machine, wire)| scope.spawn(move || run(machine, wire));
        let handles: Vec<_> = wires.into_iter().enumerate().map(machine).collect();
        let ended = |handle: thread::ScopedJoinHandle<'_, Result<T>>| {
            handle.join().map_err(|_| Error::Engine("a machine of the exchange panicked".into()))?
        };
        handles.into_iter().map(ended).collect()
    })
}
