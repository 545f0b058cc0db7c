//! The same deeds as on threads, with sizes in place of bytes and a virtual clock: messages queue on every link one by one.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use rand_distr::{Distribution, StandardNormal};

use crate::Result;
use crate::rng::{Purpose, keyed};
use crate::sync::execute::{Conductor, Hands, Tag};
use crate::sync::network::Traffic;
use crate::sync::stage::{Play, Stage};
use crate::sync::{Links, Message};

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

/// A time with the order of the heap.
#[derive(Debug, PartialEq)]
struct At(f64);

impl Eq for At {}

impl PartialOrd for At {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for At {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// Something that happens to a machine.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum News {
    /// Time for the next group, or for the end of the step.
    Clock,
    /// A message has come.
    Arrived { step: u64, group: usize, from: usize },
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
    alarm: f64,
}

struct World<'a> {
    weather: &'a Weather<'a>,
    play: &'a Play,
    steps: u64,
    machines: Vec<Option<Machine>>,
    traffic: Traffic,
    events: BinaryHeap<Reverse<(At, u64, usize, News)>>,
    count: u64,
    /// When the last machine ended each step.
    ends: Vec<f64>,
}

/// A machine's hands at one moment: what it sends becomes events.
struct Moment<'a> {
    now: f64,
    play: &'a Play,
    links: &'a Links,
    slowness: &'a [f64],
    traffic: &'a mut Traffic,
    inbox: &'a mut HashMap<(Tag, usize), u32>,
    sent: Vec<(f64, usize, News)>,
}

impl Hands for Moment<'_> {
    fn begin(&mut self, _: u64, _: usize) -> Result<()> {
        Ok(())
    }

    fn send(&mut self, step: u64, group: usize, message: Message, _: bool) -> Result<()> {
        let bytes =
            self.play.message_bytes(group, message) * self.slowness[message.from].max(self.slowness[message.to]);
        let at = self.traffic.book(self.links, (message.from, message.to), bytes, self.now);
        self.sent.push((at, message.to, News::Arrived { step, group, from: message.from }));
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
            Some(Machine { conductor, step: 0, began: 0.0, slowness, inbox: HashMap::new(), alarm: 0.0 })
        };
        Self {
            weather,
            play,
            steps,
            machines: (0..stage.machines()).map(machine).collect(),
            traffic: Traffic::new(stage.links.count()),
            events: BinaryHeap::new(),
            count: 0,
            ends: vec![0.0; steps as usize],
        }
    }

    fn push(&mut self, at: f64, machine: usize, news: News) {
        self.count += 1;
        self.events.push(Reverse((At(at), self.count, machine, news)));
    }

    fn run(&mut self) {
        for machine in 0..self.machines.len() {
            self.push(0.0, machine, News::Clock);
        }
        while let Some(Reverse((At(now), _, machine, news))) = self.events.pop() {
            // A machine is out of its place while it acts, so that the world can take what it sends.
            let Some(mut own) = self.machines[machine].take() else { continue };
            self.act(now, machine, &mut own, &news);
            self.machines[machine] = Some(own);
        }
    }

    fn act(&mut self, now: f64, place: usize, own: &mut Machine, news: &News) {
        let links = &self.weather.stage.links;
        let (play, slowness) = (self.play, &self.weather.slowness[..]);
        let Machine { conductor, inbox, .. } = own;
        let sent = Vec::new();
        let mut moment = Moment { now, play, links, slowness, traffic: &mut self.traffic, inbox, sent };
        if let News::Arrived { step, group, from } = *news {
            *moment.inbox.entry((Tag { step, group }, from)).or_default() += 1;
            _ = conductor.go_on(play, step, group, &mut moment);
        }
        let mut wake = None;
        loop {
            if let Some((step, group)) = conductor.next(play.layout.window) {
                let ready = own.began + own.slowness * play.layout.groups[group].ready;
                if step < own.step || ready <= now {
                    _ = conductor.begin(play, &mut moment);
                    continue;
                }
                wake = Some(ready);
            }
            if own.step >= self.steps || !conductor.is_through(play, own.step) {
                break;
            }
            let end = own.began + own.slowness * self.weather.stage.model.step_ms / 1e3;
            if end > now {
                wake = Some(wake.map_or(end, |ready: f64| ready.min(end)));
                break;
            }
            self.ends[own.step as usize] = self.ends[own.step as usize].max(now);
            own.step += 1;
            (own.began, own.slowness) = (now, self.weather.straggle(place, own.step));
            wake = None;
            if own.step < self.steps {
                conductor.step(own.step, play.layout.groups.len());
            }
        }
        let sent = moment.sent;
        if let Some(at) = wake.filter(|at| *at != own.alarm) {
            own.alarm = at;
            self.push(at, place, News::Clock);
        }
        sent.into_iter().for_each(|(at, to, news)| self.push(at, to, news));
    }
}
