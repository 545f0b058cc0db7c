//! One machine of an exchange, whatever its wire is.

use std::time::{Duration, Instant};

use super::conductor::Conductor;
use super::hands::Data;
use super::wire::{Tag, Wire};
use crate::sync::stage::{Play, Stage};
use crate::{Error, Result};

/// After so long without any message a machine is given up.
const PATIENCE: Duration = Duration::from_secs(60);

/// One value for each variable, or group.
pub type Tensors = Vec<Vec<f32>>;
/// The gradients of a machine at a step, from the sums before it.
pub type Source<'a> = dyn Fn(usize, u64, &Tensors) -> Tensors + Sync + 'a;

/// What a machine had at the end.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The last sums, by variable.
    pub sums: Tensors,
    /// What encodings have kept back, by variable.
    pub lost: Tensors,
    /// How long each step took.
    pub seconds: Vec<f64>,
}

/// One machine.
pub struct Machine<'a, W> {
    machine: usize,
    play: &'a Play,
    data: Data<'a, W>,
    conductor: Conductor,
    /// Seconds from a step's beginning until each group is ready, and until all is computed.
    ready: Vec<f64>,
    compute: f64,
    began: Instant,
    step: u64,
}

impl<'a, W: Wire> Machine<'a, W> {
    /// The machine of this number, from `began` on. With a `pace` it waits until the gradients of a step would be computed
    /// on that stage; else they are there at once.
    pub fn new(machine: usize, wire: W, play: &'a Play, pace: Option<&Stage>, began: Instant) -> Self {
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

    /// So many steps.
    pub fn run(mut self, steps: u64, source: &Source<'_>) -> Result<Outcome> {
        let (mut sums, mut seconds) = (Tensors::new(), Vec::new());
        for step in 0..steps {
            self.data.gradients = source(self.machine, step, &sums);
            self.conductor.step(step, self.play.layout.groups.len());
            self.step = step;
            self.advance(self.compute, |machine| machine.conductor.is_through(machine.play, step))?;
            seconds.push(self.began.elapsed().as_secs_f64());
            self.began = Instant::now();
            sums = self.unpacked(|data, group, staleness| {
                let step = step.checked_sub(u64::from(staleness))?;
                data.sums.remove(&Tag { step, group })
            });
        }
        self.advance(0.0, |machine| machine.conductor.is_idle())?;
        self.data.wire.finish()?;
        let lost = self.unpacked(|data, group, _| Some(data.lost[group].clone()));
        Ok(Outcome { sums, lost, seconds })
    }

    /// What there is of each group, as variables; zeros of the rest.
    fn unpacked(&mut self, mut of: impl FnMut(&mut Data<'a, W>, usize, u32) -> Option<Vec<f32>>) -> Tensors {
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
            let wait = Duration::try_from_secs_f64(wake - elapsed).unwrap_or(PATIENCE).min(PATIENCE);
            match self.data.wire.receive(wait)? {
                Some(parcel) => {
                    let tag = parcel.tag;
                    self.data.arrive(parcel);
                    self.conductor.go_on(self.play, tag.step, tag.group, &mut self.data)?;
                    heard = Instant::now();
                }
                // Who computes expects nothing.
                None if wake.is_finite() => heard = Instant::now(),
                None if heard.elapsed() > PATIENCE => {
                    return Err(Error::Engine("no machine has sent anything for a minute".into()));
                }
                None => {}
            }
        }
    }
}
