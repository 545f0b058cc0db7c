//! Steps replayed with the model's own compute times: real bytes between ranks or over links shaped in user space, or a
//! cluster simulated message by message on a virtual clock. All are judges of strategies; none is known to the planner.

mod virtual_time;
pub(super) mod workload;

use serde::{Deserialize, Serialize};

use super::execute::{Team, Timing};
use super::search::Interval;
use super::stage::Stage;
use super::strategy::Strategy;
use crate::{Error, Result};
pub use virtual_time::Weather;

/// Where trials are run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    /// Threads of this process move real bytes, fewer by `scale`, over links shaped in user space.
    Threads {
        /// Bytes of the model for each byte that is really moved.
        scale: f64,
    },
    /// Ranks of a job move real bytes, fewer by `scale`, over whatever lies between them.
    Ranks {
        /// Bytes of the model for each byte that is really moved.
        scale: f64,
    },
    /// Messages one by one on a virtual clock, with noise and links that differ a little from what the cluster's file says.
    Simulated,
}

impl std::fmt::Display for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Threads { scale } => write!(f, "threads over shaped links, bytes scaled by 1/{scale}"),
            Self::Ranks { scale: 1.0 } => f.write_str("ranks over MPI, all bytes real"),
            Self::Ranks { scale } => write!(f, "ranks over MPI, real bytes scaled by 1/{scale}"),
            Self::Simulated => f.write_str("simulated messages with hidden noise"),
        }
    }
}

/// Steps, or turns of them, whose median a trial is.
const STEPS: u64 = 3;

/// Seconds of the steps of a strategy, carried out by whoever has the ranks.
type Ranks<'a> = dyn Fn(&Stage, &Strategy, Timing) -> Result<Vec<f64>> + 'a;

/// An engine with its seed.
pub struct Judge<'a> {
    stage: &'a Stage,
    engine: Engine,
    seed: u64,
    trials: u64,
    ranks: Option<Box<Ranks<'a>>>,
}

impl<'a> Judge<'a> {
    /// A judge of strategies on this stage.
    pub fn new(stage: &'a Stage, engine: Engine, seed: u64) -> Self {
        Self { stage, engine, seed, trials: 0, ranks: None }
    }

    /// One whose trials run on ranks, with a byte for every `scale` of the model's.
    pub fn on_ranks(
        stage: &'a Stage,
        scale: f64,
        seed: u64,
        ranks: impl Fn(&Stage, &Strategy, Timing) -> Result<Vec<f64>> + 'a,
    ) -> Self {
        Self { ranks: Some(Box::new(ranks)), ..Self::new(stage, Engine::Ranks { scale }, seed) }
    }

    /// Where strategies are tried.
    pub fn stage(&self) -> &'a Stage {
        self.stage
    }

    /// Its engine.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// Seconds of a step in one trial. Where sums may be late, steps that wait for several take turns with steps that wait for
    /// none: what counts is the mean of as many as that takes, once the first of them have gone by.
    pub fn trial(&mut self, strategy: &Strategy) -> Result<f64> {
        let period = self.stage.play(strategy)?.layout.period();
        let first = if period > 1 { period } else { 0 };
        let steps = self.time(strategy, first + STEPS * period)?;
        Ok(Interval::of_turns(&steps[first as usize..], period).mid)
    }

    /// Seconds of so many steps, in one trial.
    pub fn time(&mut self, strategy: &Strategy, steps: u64) -> Result<Vec<f64>> {
        self.trials += 1;
        match self.engine {
            Engine::Threads { scale } => {
                Team::new(self.stage, strategy)?.time(Timing { scale, steps, seed: self.seed })
            }
            Engine::Ranks { scale } => {
                let none =
                    || Error::Engine("there are no ranks to try strategies on: mpirun hemingway-mpi sync …".into());
                self.ranks.as_ref().ok_or_else(none)?(self.stage, strategy, Timing { scale, steps, seed: self.seed })
            }
            Engine::Simulated => {
                let weather = Weather::new(self.stage, self.seed, self.trials);
                Ok(weather.time(&self.stage.play(strategy)?, steps))
            }
        }
    }
}
