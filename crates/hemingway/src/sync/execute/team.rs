//! All machines of an exchange as threads of this process.

use std::thread;
use std::time::{Duration, Instant};

use super::conductor::Conductor;
use super::hands::Data;
use super::wire::{Channels, Tag, Wire};
use crate::sync::replay::workload;
use crate::sync::stage::{Play, Stage};
use crate::sync::strategy::Strategy;
use crate::{Error, Result};

/// After so long without any message a machine is given up.
const PATIENCE: Duration = Duration::from_secs(60);

/// Machines as threads, with one strategy between them.
#[derive(Debug)]
pub struct Team<'a> {
    stage: &'a Stage,
    play: Play,
}

/// A timed replay: how many steps, and how small.
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    /// Bytes of the model for each byte that is really moved.
    pub scale: f64,
    /// Steps, after one that does not count.
    pub steps: u64,
    /// For the rows that gradients touch.
    pub seed: u64,
}

/// One value for each variable, or group.
type Tensors = Vec<Vec<f32>>;
/// The gradients of a machine at a step, from the sums before it.
type Source<'a> = dyn Fn(usize, u64, &Tensors) -> Tensors + Sync + 'a;

/// What a machine had at the end.
struct Outcome {
    sums: Tensors,
    lost: Tensors,
    seconds: Vec<f64>,
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
        let outcomes = self.run(Channels::plain(self.stage.machines()), &self.play, steps, source, None)?;
        let (sums, lost) = outcomes.into_iter().map(|outcome| (outcome.sums, outcome.lost)).unzip();
        Ok((sums, lost))
    }

    /// Seconds of each step with the model's own compute times, over links in user space that are shaped like the cluster's.
    /// Bytes are real, and fewer by the scale; links count each as so many.
    pub fn time(&self, timing: Timing) -> Result<Vec<f64>> {
        let play = workload::scaled(&self.play, timing.scale);
        let gradients: Vec<Tensors> =
            (0..self.stage.machines()).map(|machine| workload::gradients(&play, machine, timing.seed)).collect();
        let wires = Channels::shaped(&self.stage.links, timing.scale);
        let source = |machine: usize, _: u64, _: &Tensors| gradients[machine].clone();
        let outcomes = self.run(wires, &play, timing.steps + 1, &source, Some(self.stage))?;
        let slowest = |step: usize| outcomes.iter().map(|outcome| outcome.seconds[step]).fold(0.0, f64::max);
        Ok((1..=timing.steps as usize).map(slowest).collect())
    }

    fn run(
        &self,
        wires: Vec<Channels>,
        play: &Play,
        steps: u64,
        source: &Source<'_>,
        pace: Option<&Stage>,
    ) -> Result<Vec<Outcome>> {
        thread::scope(|scope| {
            let start = Instant::now() + Duration::from_millis(1);
            let machine =
                |(machine, wire)| scope.spawn(move || Rank::new(machine, wire, play, pace, start).run(steps, source));
            let handles: Vec<_> = wires.into_iter().enumerate().map(machine).collect();
            let ended = |handle: thread::ScopedJoinHandle<'_, Result<Outcome>>| {
                handle.join().map_err(|_| Error::Engine("a machine of the exchange panicked".into()))?
            };
            handles.into_iter().map(ended).collect()
        })
    }
}

/// One machine.
struct Rank<'a> {
    machine: usize,
    play: &'a Play,
    data: Data<'a, Channels>,
    conductor: Conductor,
    /// Seconds from a step's beginning until each group is ready, and until all is computed.
    ready: Vec<f64>,
    compute: f64,
    began: Instant,
    step: u64,
}

impl<'a> Rank<'a> {
    fn new(machine: usize, wire: Channels, play: &'a Play, pace: Option<&Stage>, began: Instant) -> Self {
        let slowness = pace.map_or(0.0, |stage| 1.0 / stage.links.pace(machine));
        let ready = play.layout.groups.iter().map(|group| group.ready * slowness).collect();
        let compute = pace.map_or(0.0, |stage| stage.compute(machine));
        Self {
            machine,
            play,
            data: Data::new(wire, play),
            conductor: Conductor::new(machine),
            ready,
            compute,
            began,
            step: 0,
        }
    }

    fn run(mut self, steps: u64, source: &Source<'_>) -> Result<Outcome> {
        let (mut sums, mut seconds) = (Tensors::new(), Vec::new());
        for step in 0..steps {
            self.data.gradients = source(self.machine, step, &sums);
            self.conductor.step(step, self.play.layout.groups.len());
            self.step = step;
            self.advance(self.compute, |rank| rank.conductor.is_through(rank.play, step))?;
            seconds.push(self.began.elapsed().as_secs_f64());
            self.began = Instant::now();
            sums = self.unpacked(|data, group, staleness| {
                let step = step.checked_sub(u64::from(staleness))?;
                data.sums.remove(&Tag { step, group })
            });
        }
        self.advance(0.0, |rank| rank.conductor.is_idle())?;
        let lost = self.unpacked(|data, group, _| Some(data.lost[group].clone()));
        Ok(Outcome { sums, lost, seconds })
    }

    /// What there is of each group, as variables; zeros of the rest.
    fn unpacked(&mut self, mut of: impl FnMut(&mut Data<'a, Channels>, usize, u32) -> Option<Vec<f32>>) -> Tensors {
        let mut tensors: Tensors = self.data.gradients.iter().map(|tensor| vec![0.0; tensor.len()]).collect();
        for (place, group) in self.play.layout.groups.iter().enumerate() {
            let values = of(&mut self.data, place, group.staleness).unwrap_or_default();
            let mut rest = &values[..];
            for (variable, block) in group.pieces.iter().flat_map(|p| p.blocks().map(|block| (p.variable, block))) {
                // What is lossless has lost nothing, and says so with nothing.
                let Some((own, after)) = rest.split_at_checked(block.len()) else { break };
                tensors[variable][block].copy_from_slice(own);
                rest = after;
            }
        }
        tensors
    }

    /// Begins what is ready and goes on with what arrives, until `done` and at least so many seconds of the step.
    fn advance(&mut self, least: f64, done: impl Fn(&Self) -> bool) -> Result<()> {
        let mut heard = Instant::now();
        loop {
            let elapsed = self.began.elapsed().as_secs_f64();
            let next = self.conductor.next(self.play.layout.window);
            // What is left of an earlier step has long been ready.
            let ready = next.map(|(step, group)| if step < self.step { 0.0 } else { self.ready[group] });
            if ready.is_some_and(|ready| ready <= elapsed) {
                self.conductor.begin(self.play, &mut self.data)?;
                continue;
            }
            let through = done(self);
            if through && elapsed >= least {
                return Ok(());
            }
            let wake = ready.into_iter().chain(through.then_some(least)).fold(f64::INFINITY, f64::min);
            let wait = Duration::try_from_secs_f64(wake - elapsed).unwrap_or(PATIENCE);
            match self.data.wire.receive(wait)? {
                Some(parcel) => {
                    let tag = parcel.tag;
                    self.data.arrive(parcel);
                    self.conductor.go_on(self.play, tag.step, tag.group, &mut self.data)?;
                    heard = Instant::now();
                }
                None if heard.elapsed() > PATIENCE => {
                    return Err(Error::Engine("no machine has sent anything for a minute".into()));
                }
                None => {}
            }
        }
    }
}
