//! The engine as the leader's library sees it.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use hemingway::algorithm::{Choose, Machines, Order};
use hemingway::data::Cache;
use hemingway::engine::{Clock, Engine, Engines, RoundTime, Setting, check_machines};
use hemingway::job::{Job, JobSpec};
use hemingway::sync::execute::{Tensors, Timing};
use hemingway::sync::rounds::Lane;
use hemingway::sync::{Stage, Strategy};
use hemingway::{Error, Result};

use crate::rank::{Find, Rank, Work};
use crate::team::{Collectives, Cut, Plan};
use crate::wire::{Wire, complain};

/// How ranks are used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// How long a rank may be silent where it is to answer.
    pub patience: Duration,
    /// Threads on which a rank runs its workers.
    pub threads: usize,
    /// How sums are made.
    pub collectives: Collectives,
}

impl Default for Settings {
    fn default() -> Self {
        Self { patience: Duration::from_secs(60), threads: 1, collectives: Collectives::Tree }
    }
}

/// The ranks of an MPI job, as its leader sees them.
pub struct Ranks {
    rank: Arc<Mutex<Rank>>,
    count: usize,
    settings: Settings,
}

/// Bytes that rounds have moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Of the shared vector, to each rank.
    pub shared: u64,
    /// Of sums, between all ranks.
    pub pushes: u64,
}

/// Workers on the ranks of an MPI job.
pub struct Mpi {
    rank: Arc<Mutex<Rank>>,
    team: u64,
    setting: Setting,
    machines: usize,
    active: usize,
    ranks: usize,
    clock: Clock,
    traffic: Traffic,
    told: bool,
}

impl Ranks {
    /// This job's, on its leader. MPI must be initialized, and all other ranks must [`serve`].
    pub fn lead(find: Find, settings: Settings) -> Self {
        let wire = Wire::new(settings.patience);
        Self { rank: Arc::new(Mutex::new(Rank::new(wire, find))), count: wire.ranks, settings }
    }

    /// The same, used otherwise.
    pub fn with(&self, settings: Settings) -> Self {
        if let Ok(mut rank) = self.rank.lock() {
            rank.wire.patience = settings.patience;
        }
        Self { rank: Arc::clone(&self.rank), count: self.count, settings }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Ends the job on all other ranks; in vain, and then false, where one of them is lost.
    pub fn quit(&self) -> bool {
        let Ok(mut rank) = self.rank.lock() else { return false };
        let sound = !rank.is_broken();
        if sound {
            rank.quit();
        }
        sound
    }

    /// A job's data, every rank its share where the file allows; else the leader reads all, to deal it out.
    pub fn load(&self, spec: JobSpec, cache: Option<&Cache>) -> Result<Job> {
        if let Some(job) = locked(&self.rank)?.load(&spec)? {
            return Ok(job);
        }
        let mut job = spec.check_through(cache)?;
        if self.count > 1 {
            let words = "rank 0 reads all rows and deals them out; plain LIBSVM text, whose rows count alike, is read in shares";
            job.notes.push(words.into());
        }
        Ok(job)
    }

    /// One step of a strategy with these gradients, by machine and variable, each machine a rank; their sums as each has them.
    pub fn sum(&self, stage: &Stage, strategy: &Strategy, gradients: &[Tensors]) -> Result<Vec<Tensors>> {
        let made = locked(&self.rank)?.exchange(stage, strategy, Work::Sum(gradients.to_vec()))?;
        Ok(made.into_iter().map(|made| made.sums).collect())
    }

    /// Seconds of each step of a strategy, with the model's own compute times, over the ways that there are between ranks.
    pub fn time(&self, stage: &Stage, strategy: &Strategy, timing: Timing) -> Result<Vec<f64>> {
        let made = locked(&self.rank)?.exchange(stage, strategy, Work::Time(timing))?;
        Ok(timing.slowest(&made.into_iter().map(|made| made.seconds).collect::<Vec<_>>()))
    }

    /// An engine whose traffic can be asked for.
    pub fn engine(&self, setting: Setting, machines: usize) -> Result<Mpi> {
        check_machines(machines)?;
        let lanes = lanes(&setting, machines, self.count)?;
        let mut rank = locked(&self.rank)?;
        let data = rank.number_of(&setting.problem.data)?;
        let plan = Plan {
            algorithm: setting.algorithm.name().into(),
            outline: setting.outline,
            seed: setting.problem.seed,
            cut: Cut::new(&setting, machines),
            threads: self.settings.threads,
            collectives: self.settings.collectives,
            patience: self.settings.patience,
            lanes,
        };
        let team = rank.make(data, &plan, &setting.algorithm)?;
        drop(rank);
        let (rank, active) = (Arc::clone(&self.rank), machines.min(self.count));
        let (clock, traffic) = (Clock::default(), Traffic::default());
        Ok(Mpi { rank, team, setting, machines, active, ranks: self.count, clock, traffic, told: false })
    }
}

/// How rounds on so many workers are exchanged, where somebody has said and each has a rank of its own.
fn lanes(setting: &Setting, machines: usize, ranks: usize) -> Result<Vec<Lane>> {
    let rounds = setting.rounds.as_ref().filter(|_| machines <= ranks);
    let exchange = rounds.map(|rounds| rounds.on(machines)).transpose()?.flatten();
    Ok(exchange.map(|exchange| exchange.lanes.clone()).unwrap_or_default())
}

/// Obeys the leader until the job ends: what every rank but the first does.
pub fn serve(find: Find, settings: Settings) -> Result<()> {
    Rank::new(Wire::new(settings.patience), find).serve()
}

impl Engines for Ranks {
    fn name(&self) -> String {
        format!("mpi-{}", self.count)
    }

    fn machines(&self) -> usize {
        self.count * self.settings.threads
    }

    fn cores(&self) -> usize {
        self.machines()
    }

    /// Each machine needs a rank of its own, and the library's collectives go their own way.
    fn exchanging(&self) -> usize {
        if self.settings.collectives == Collectives::Tree { self.count } else { 1 }
    }

    fn build(&self, setting: Setting, machines: usize) -> Result<Box<dyn Engine>> {
        Ok(Box::new(self.engine(setting, machines)?))
    }
}

impl Mpi {
    /// What its rounds have moved so far.
    pub fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// Says once which rank's numbers ran away: the sum alone does not tell.
    fn name_the_strange(&mut self, strange: Option<usize>, round: u64) {
        if let Some(rank) = strange.filter(|_| !self.told) {
            complain(&format!("note: rank {rank} pushed numbers that are not finite in round {round}"));
            self.told = true;
        }
    }

    fn round_beside(
        &mut self,
        order: &Order,
        shared: &[f64],
        sum: &mut [f64],
        choose: Option<&mut Choose<'_>>,
    ) -> Result<usize> {
        let began = Instant::now();
        let (report, moved) = locked(&self.rank)?.round(self.team, order, shared, sum, choose)?;
        let whole = began.elapsed().as_secs_f64();
        self.traffic.shared += moved as u64;
        self.traffic.pushes += report.moved;
        self.name_the_strange(report.strange, order.round);
        let slowest = report.slowest.min(whole);
        let compute = (report.seconds / self.active as f64).min(slowest);
        let rounds = self.setting.rounds.as_ref();
        let plain_sync =
            rounds.map_or(Ok(0.0), |rounds| rounds.plain_seconds(self.machines, shared.len(), sum.len()))?;
        let time = RoundTime { compute, wait: slowest - compute, sync: whole - slowest, other: 0.0, plain_sync };
        self.clock.book(order.off_clock, report.rows, time);
        Ok(self.machines)
    }
}

fn locked(rank: &Mutex<Rank>) -> Result<MutexGuard<'_, Rank>> {
    rank.lock().map_err(|_| Error::Engine("the ranks were left in the middle of something".into()))
}

impl Machines for Mpi {
    fn count(&self) -> usize {
        self.machines
    }

    fn next_round(&self) -> u64 {
        self.clock.rounds + 1
    }

    fn round(&mut self, order: &Order, shared: &[f64], sum: &mut [f64]) -> Result<usize> {
        self.round_beside(order, shared, sum, None)
    }

    fn schedule(&mut self, choose: &mut Choose<'_>) {
        let began = Instant::now();
        choose();
        self.clock.other += began.elapsed().as_secs_f64();
    }

    fn round_and_schedule(
        &mut self,
        order: &Order,
        shared: &[f64],
        sum: &mut [f64],
        choose: &mut Choose<'_>,
    ) -> Result<usize> {
        self.round_beside(order, shared, sum, Some(choose))
    }
}

impl Engine for Mpi {
    fn clock(&self) -> Clock {
        self.clock
    }

    fn set_clock(&mut self, clock: Clock) {
        self.clock = clock;
    }

    fn items(&mut self) -> Result<Vec<f64>> {
        locked(&self.rank)?.items(self.team)
    }

    fn set_items(&mut self, items: &[f64]) -> Result<()> {
        self.setting.check_items(items)?;
        locked(&self.rank)?.set_items(self.team, items)
    }

    fn resize(&mut self, machines: usize) -> Result<()> {
        check_machines(machines)?;
        let began = Instant::now();
        let lanes = lanes(&self.setting, machines, self.ranks)?;
        locked(&self.rank)?.resize(self.team, Cut::new(&self.setting, machines), lanes)?;
        (self.machines, self.active) = (machines, machines.min(self.ranks));
        self.clock.loading += began.elapsed().as_secs_f64();
        Ok(())
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        if let Ok(mut rank) = self.rank.lock() {
            rank.dismiss(self.team);
        }
    }
}
