//! The same deeds as on threads, with sizes in place of bytes and a virtual clock: messages queue on every link one by one.

use std::collections::HashMap;

use rand_distr::{Distribution, StandardNormal};

use crate::Result;
use crate::rng::{Purpose, keyed};
use crate::sync::Message;
use crate::sync::execute::{Conductor, Hands, Tag};
use crate::sync::network::Traffic;
use crate::sync::stage::{Play, Stage};

/// How a machine's pace varies from step to step, and how links differ from what is said of them: σ of the logarithms.
const STEP_NOISE: f64 = 0.03;
const LINK_NOISE: f64 = 0.04;

/// A cluster on one day: what its file says, a little off.
#[derive(Debug)]
pub struct Weather<'a> {
    stage: &'a Stage,
    /// How many times longer messages between two machines take; alike all day.
    slowness: Vec<f64>,
    seed: u64,
    trial: u64,
}

/// A message that has arrived.
#[derive(Debug)]
struct Arrived {
    tag: Tag,
    from: usize,
    to: usize,
}

impl<'a> Weather<'a> {
    /// That of a seed: links keep their ways from trial to trial, machines do not.
    pub fn new(stage: &'a Stage, seed: u64, trial: u64) -> Self {
        let slowness = |machine: usize| {
            let drawn: f64 = StandardNormal.sample(&mut keyed(seed, Purpose::Straggle, machine, u64::MAX));
            (LINK_NOISE * drawn).exp()
        };
        Self { stage, slowness: (0..stage.machines()).map(slowness).collect(), seed, trial }
    }

    /// Seconds of each of so many steps, after one that does not count.
    pub fn time(&self, play: &Play, steps: u64) -> Vec<f64> {
        let mut world = World::new(self, play, steps + 1);
        world.run();
        world.ends.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    fn straggle(&self, machine: usize, step: u64) -> f64 {
        let mut random = keyed(self.seed, Purpose::Straggle, machine, (self.trial << 16) | step);
        let drawn: f64 = StandardNormal.sample(&mut random);
        (STEP_NOISE * drawn).exp() / self.stage.links.pace(machine)
    }
}

/// One machine on the virtual clock.
struct Machine {
    conductor: Conductor,
    step: u64,
    began: f64,
    slowness: f64,
    inbox: HashMap<(Tag, usize), u32>,
    /// When it is to wake next by itself.
    alarm: Option<f64>,
}

struct World<'a> {
    weather: &'a Weather<'a>,
    play: &'a Play,
    steps: u64,
    machines: Vec<Machine>,
    traffic: Traffic<Arrived>,
    /// When the last machine ended each step.
    ends: Vec<f64>,
}

/// A machine's hands at one moment.
struct Moment<'a> {
    now: f64,
    play: &'a Play,
    slowness: &'a [f64],
    traffic: &'a mut Traffic<Arrived>,
    inbox: &'a mut HashMap<(Tag, usize), u32>,
}

impl Hands for Moment<'_> {
    fn begin(&mut self, _: u64, _: usize) -> Result<()> {
        Ok(())
    }

    fn send(&mut self, step: u64, group: usize, message: Message, _: bool) -> Result<()> {
        let bytes =
            self.play.message_bytes(group, message) * self.slowness[message.from].max(self.slowness[message.to]);
        let (from, to) = (message.from, message.to);
        self.traffic.send(self.now, (from, to), bytes, Arrived { tag: Tag { step, group }, from, to });
        Ok(())
    }

    fn take(&mut self, step: u64, group: usize, message: Message, _: bool) -> Result<bool> {
        let waiting = self.inbox.get_mut(&(Tag { step, group }, message.from)).filter(|count| **count > 0);
        Ok(waiting.map(|count| *count -= 1).is_some())
    }

    fn settle(&mut self, _: u64, _: usize, _: usize) -> Result<()> {
        Ok(())
    }

    fn end(&mut self, step: u64, group: usize) -> Result<()> {
        let tag = Tag { step, group };
        self.inbox.retain(|(of, _), count| *of != tag || *count > 0);
        Ok(())
    }
}

impl<'a> World<'a> {
    fn new(weather: &'a Weather<'a>, play: &'a Play, steps: u64) -> Self {
        let stage = weather.stage;
        let machine = |machine: usize| {
            let mut conductor = Conductor::new(machine);
            conductor.step(0, play.layout.groups.len());
            let slowness = weather.straggle(machine, 0);
            Machine { conductor, step: 0, began: 0.0, slowness, inbox: HashMap::new(), alarm: Some(0.0) }
        };
        Self {
            weather,
            play,
            steps,
            machines: (0..stage.machines()).map(machine).collect(),
            traffic: Traffic::new(stage.links.clone()),
            ends: vec![0.0; steps as usize],
        }
    }

    /// From one thing that happens to the next: a machine's own time, or a message.
    fn run(&mut self) {
        loop {
            let alarms = self.machines.iter().enumerate().filter_map(|(i, own)| own.alarm.map(|at| (at, i)));
            let alarm = alarms.min_by(|a, b| a.0.total_cmp(&b.0));
            let limit = alarm.map_or(f64::INFINITY, |(at, _)| at);
            match (self.traffic.arrived(limit), alarm) {
                (Some((at, arrived)), _) => self.act(at, arrived.to, Some(&arrived)),
                (None, Some((at, machine))) => self.act(at, machine, None),
                (None, None) => return,
            }
        }
    }

    fn act(&mut self, now: f64, place: usize, arrived: Option<&Arrived>) {
        let (play, weather) = (self.play, self.weather);
        let Machine { conductor, inbox, step, began, slowness, alarm } = &mut self.machines[place];
        let mut moment = Moment { now, play, slowness: &weather.slowness, traffic: &mut self.traffic, inbox };
        if let Some(Arrived { tag, from, .. }) = arrived {
            *moment.inbox.entry((*tag, *from)).or_default() += 1;
            _ = conductor.go_on(play, tag.step, tag.group, &mut moment);
        }
        *alarm = None;
        loop {
            if let Some((of, group)) = conductor.next(play.layout.window) {
                let ready = *began + *slowness * play.layout.groups[group].ready;
                if of < *step || ready <= now {
                    _ = conductor.begin(play, &mut moment);
                    continue;
                }
                *alarm = Some(ready);
            }
            if *step >= self.steps || !conductor.is_through(play, *step) {
                return;
            }
            let end = *began + *slowness * weather.stage.model.step_ms / 1e3;
            if end > now {
                *alarm = Some(alarm.map_or(end, |ready| ready.min(end)));
                return;
            }
            self.ends[*step as usize] = self.ends[*step as usize].max(now);
            *step += 1;
            (*began, *slowness, *alarm) = (now, weather.straggle(place, *step), None);
            if *step < self.steps {
                conductor.step(*step, play.layout.groups.len());
            }
        }
    }
}
