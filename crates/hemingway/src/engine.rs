//! Engines: they own the machines, the rows' numbers and the time.

mod crew;
mod dealt;
mod local;
mod simulated;

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::Result;
use crate::algorithm::{Algorithm, Machines};
use crate::cluster::Cluster;
use crate::data::{Dataset, Shard};
use crate::placement::{Cuts, Placement};
use crate::problem::{Outline, Problem};
use crate::sync::rounds::Rounds;
pub use crew::{Crew, Shift, Slot};
pub use local::{Local, cores};
pub use simulated::{Done, Simulated, Timekeeper, moving_seconds};

/// Machines that can be counted anew, read out and put back.
pub trait Engine: Machines + Send {
    /// What the work so far has taken.
    fn clock(&self) -> Clock;

    /// Goes on counting from an earlier clock.
    fn set_clock(&mut self, clock: Clock);

    /// The rows' numbers, in the order of the rows.
    fn items(&mut self) -> Result<Vec<f64>>;

    /// Puts rows' numbers back; refuses, and changes nothing, if they are too many or too few.
    fn set_items(&mut self, items: &[f64]) -> Result<()>;

    /// Deals the rows, with their numbers, to another number of machines.
    fn resize(&mut self, machines: usize) -> Result<()>;

    /// Between iterations: cuts the rows again if the algorithm asks for that, machines have drifted apart and moving pays. Whether it did.
    fn rebalance(&mut self) -> Result<bool> {
        Ok(false)
    }

    /// How rows are cut and what that has taken, for a checkpoint; nothing where cuts never change.
    fn balance(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Takes up what [`Engine::balance`] gave; refuses what it cannot have given.
    fn set_balance(&mut self, balance: &[f64]) -> Result<()> {
        if balance.is_empty() { Ok(()) } else { Err(crate::algorithm::strange_state()) }
    }
}

/// Time and work so far. Training stands apart from evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Clock {
    /// Rounds of training.
    pub rounds: u64,
    /// Rows touched in them.
    pub rows: u64,
    /// Mean over machines of the time spent computing.
    pub compute: f64,
    /// Time the slowest machine took longer than the mean.
    pub wait: f64,
    /// Time spent broadcasting and summing.
    pub sync: f64,
    /// What remains of the rounds.
    pub other: f64,
    /// What `sync` would be by plain dense all-reduce of the same numbers, where they go another way.
    #[serde(default)]
    pub plain_sync: f64,
    /// Time spent evaluating, outside training.
    pub evaluation: f64,
    /// Time spent dealing rows to other numbers of machines, outside training.
    pub loading: f64,
}

impl Clock {
    /// Training time: rounds only.
    pub fn train_seconds(&self) -> f64 {
        self.compute + self.wait + self.sync + self.other
    }

    /// Books one round.
    pub fn book(&mut self, off_clock: bool, rows: u64, round: RoundTime) {
        if off_clock {
            self.evaluation += round.seconds();
            return;
        }
        self.rounds += 1;
        self.rows += rows;
        self.compute += round.compute;
        self.wait += round.wait;
        self.sync += round.sync;
        self.other += round.other;
        self.plain_sync += round.plain_sync;
    }
}

/// Where the time of one round went.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RoundTime {
    /// Mean over machines of the time spent computing.
    pub compute: f64,
    /// Time the slowest machine took longer than the mean.
    pub wait: f64,
    /// Broadcasting and summing.
    pub sync: f64,
    /// What remains.
    pub other: f64,
    /// What `sync` would be by plain dense all-reduce of the same numbers, where they go another way.
    pub plain_sync: f64,
}

impl RoundTime {
    /// All of it.
    pub fn seconds(&self) -> f64 {
        self.compute + self.wait + self.sync + self.other
    }
}

/// What every engine is made from.
#[derive(Clone)]
pub struct Setting {
    /// The problem, its rows already dealt in order.
    pub problem: Problem,
    /// Its outline.
    pub outline: Outline,
    /// What runs.
    pub algorithm: Arc<dyn Algorithm>,
    /// How rows are cut: ratings by work, for few users give many of them.
    pub cuts: Cuts,
    /// How rounds are exchanged, where somebody has said.
    pub rounds: Option<Arc<Rounds>>,
    /// The columns, once an engine of this process deals those.
    columns: Arc<OnceLock<Arc<Dataset>>>,
}

impl Setting {
    /// A problem and the algorithm to run on it.
    pub fn new(problem: &Problem, algorithm: Arc<dyn Algorithm>) -> Self {
        let cuts = match problem.factors {
            None => Cuts::Even,
            Some(_) if algorithm.recuts() => Cuts::Measured,
            Some(_) => Cuts::ByWork,
        };
        Self {
            problem: problem.clone(),
            outline: problem.outline(),
            algorithm,
            cuts,
            rounds: None,
            columns: Arc::default(),
        }
    }

    /// The same with rounds exchanged so.
    pub fn with_rounds(self, rounds: Option<Arc<Rounds>>) -> Self {
        Self { rounds, ..self }
    }

    /// What is dealt: rows, or columns.
    fn dealt(&self) -> usize {
        if self.algorithm.deals_columns() { self.outline.columns } else { self.outline.rows }
    }

    /// How rows, or columns, are cut for so many machines.
    pub fn placement(&self, machines: usize) -> Placement {
        if self.cuts == Cuts::Even || self.algorithm.deals_columns() {
            return Placement::even(self.dealt(), machines);
        }
        Placement::by_work(self.dealt(), machines, self.work(false))
    }

    /// How columns are cut that machines hold beside their rows.
    pub fn placement_beside(&self, machines: usize) -> Option<Placement> {
        let cut = || match self.cuts {
            Cuts::Even => Placement::even(self.outline.columns, machines),
            Cuts::ByWork | Cuts::Measured => Placement::by_work(self.outline.columns, machines, self.work(true)),
        };
        self.algorithm.holds_columns().then(cut)
    }

    /// What all rows before one ask for, or all columns beside them: their entries, and what each costs besides.
    fn work(&self, beside: bool) -> impl Fn(usize) -> f64 + '_ {
        let row = self.algorithm.row_work(&self.outline);
        let matrix = if beside { &self.columns().matrix } else { &self.problem.data.matrix };
        move |i| matrix.stored_in(0..i) as f64 + row * i as f64
    }

    /// The columns, as rows.
    fn columns(&self) -> &Arc<Dataset> {
        let transposed = || Arc::new(Dataset::new("columns", self.problem.data.matrix.transposed(), Vec::new()));
        self.columns.get_or_init(transposed)
    }

    fn shards(&self, placement: &Placement, across: Option<&Placement>) -> Vec<Shard> {
        let instead = self.algorithm.deals_columns();
        let columns = (instead || across.is_some()).then(|| self.columns());
        let shard = |(k, range)| {
            let held = |range| Shard::new(Arc::clone(&self.problem.data), range, k, self.problem.seed);
            match (columns, across) {
                (Some(columns), Some(across)) => {
                    held(range).with_columns(held(across.range(k)).of_columns(Arc::clone(columns)))
                }
                (Some(columns), None) => held(range).of_columns(Arc::clone(columns)),
                (None, _) => held(range),
            }
        };
        placement.ranges().enumerate().map(shard).collect()
    }

    /// Numbers kept for every row, or column.
    pub fn width(&self) -> usize {
        self.algorithm.width() * self.outline.outputs()
    }

    /// Numbers kept for all of them.
    pub fn numbers(&self) -> usize {
        self.dealt() * self.width()
    }

    fn first_items(&self) -> Vec<f64> {
        vec![0.0; self.numbers()]
    }

    /// Items may come from a file: another problem's must not be taken.
    ///
    /// # Errors
    /// If they are too many or too few.
    pub fn check_items(&self, items: &[f64]) -> Result<()> {
        let expected = self.numbers();
        if items.len() == expected {
            return Ok(());
        }
        Err(crate::Error::Engine(format!("{} numbers for the rows, where {expected} are needed", items.len())))
    }
}

/// Where engines come from that are neither threads of this machine nor simulated.
pub trait Engines: Send + Sync {
    /// What records call the place, so that those timed there find each other.
    fn name(&self) -> String;

    /// The most machines worth considering there.
    fn machines(&self) -> usize;

    /// How many of them compute at once: beyond that they share.
    fn cores(&self) -> usize;

    /// On how many machines rounds can go other ways than plain all-reduce.
    fn exchanging(&self) -> usize {
        self.machines()
    }

    /// An engine of so many machines.
    fn build(&self, setting: Setting, machines: usize) -> Result<Box<dyn Engine>>;
}

/// Threads of this machine, or a simulated cluster.
pub fn build(setting: Setting, cluster: Option<&Cluster>, machines: usize) -> Result<Box<dyn Engine>> {
    Ok(match cluster {
        None => Box::new(Local::new(setting, machines)?),
        Some(cluster) => Box::new(Simulated::new(setting, cluster.clone(), machines)?),
    })
}

/// More machines than this are a slip of the pen, and would take memory for each.
pub const MOST_MACHINES: usize = 1 << 20;

/// Refuses none, and more than there can be.
pub fn check_machines(machines: usize) -> Result<()> {
    let wrong = |what: String| Err(crate::Error::setting("--machines", what));
    match machines {
        0 => wrong("at least one machine is needed".into()),
        1..=MOST_MACHINES => Ok(()),
        _ => wrong(format!("{machines} is more than any cluster has; at most {MOST_MACHINES}")),
    }
}
