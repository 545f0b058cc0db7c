//! A strategy of exchange on ranks: each lays it out for itself, by the same words, and is one of its machines.

use hemingway::cluster::Cluster;
use hemingway::sync::execute::{Machine, Tensors, Timing};
use hemingway::sync::{Model, Stage, Strategy};
use hemingway::{Error, Result};
use serde::{Deserialize, Serialize};
use std::time::Instant;

use super::{Command, Rank};
use crate::letters::Letters;
use crate::wire::{Tag, Wire, words};

/// What is to be exchanged, as JSON: what a strategy leaves out cannot be left out of postcard.
#[derive(Serialize, Deserialize)]
struct Scene {
    model: Model,
    /// TOML.
    cluster: String,
    machines: usize,
    strategy: Strategy,
}

/// What is done with it.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) enum Work {
    /// One step with these gradients, by machine and variable.
    Sum(Vec<Tensors>),
    /// Steps on the clock.
    Time(Timing),
}

/// What one rank made of it.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Made {
    pub(crate) sums: Tensors,
    pub(crate) seconds: Vec<f64>,
}

impl Rank {
    /// Has the first ranks carry a strategy out, as many as it has machines; what each of them made of it.
    pub(crate) fn exchange(&mut self, stage: &Stage, strategy: &Strategy, work: Work) -> Result<Vec<Made>> {
        // What cannot be is refused here, before any rank is told.
        stage.play(strategy)?;
        let machines = stage.machines();
        if machines > self.wire.ranks {
            let what =
                format!("{machines} need as many ranks, and there are {}: mpirun -n {machines}", self.wire.ranks);
            return Err(Error::setting("--machines", what));
        }
        let (model, cluster) = (stage.model.clone(), stage.cluster.toml()?);
        let scene = Scene { model, cluster, machines, strategy: strategy.clone() };
        let scene = serde_json::to_string(&scene).map_err(|e| Error::Engine(format!("it cannot be told: {e}")))?;
        let mut all = Vec::with_capacity(machines);
        self.lead(&Command::Exchange { scene: scene.clone(), work: work.clone() }, |rank| {
            let wire = rank.wire;
            all.push(take_part(wire, &scene, work)?.unwrap_or_default());
            for other in 1..machines {
                let made: Result<Made, String> = wire.receive_value(other, Tag::Made, wire.deadline(0.0))?;
                all.push(made.map_err(Error::Engine)?);
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// The part of a rank that is told to.
    pub(super) fn obey_exchange(&self, scene: &str, work: Work) -> Result<()> {
        let made = take_part(self.wire, scene, work).map_err(|error| words(&error));
        if let Some(told) = made.transpose() {
            self.wire.send_value(0, Tag::Made, &told);
        }
        Ok(())
    }
}

/// This rank's part; none where there are fewer machines.
fn take_part(wire: Wire, scene: &str, work: Work) -> Result<Option<Made>> {
    let scene: Scene =
        serde_json::from_str(scene).map_err(|e| Error::Engine(format!("an exchange cannot be read: {e}")))?;
    let machine = wire.rank;
    if machine >= scene.machines {
        return Ok(None);
    }
    let stage = Stage::new(scene.model, &Cluster::parse(&scene.cluster)?, scene.machines)?;
    let play = stage.play(&scene.strategy)?;
    let letters = Letters::new(wire);
    Ok(Some(match work {
        Work::Sum(gradients) => {
            let own = Machine::new(machine, letters, &play, None, Instant::now());
            let none = || Error::Engine(format!("there are no gradients of machine {machine}"));
            let gradients = gradients.get(machine).ok_or_else(none)?;
            Made { sums: own.run(1, &|_, _, _| gradients.clone())?.sums, seconds: Vec::new() }
        }
        Work::Time(timing) => Made { sums: Tensors::new(), seconds: timing.run(&stage, &play, machine, letters)? },
    }))
}
