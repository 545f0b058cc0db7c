//! What a program asks of links, wave by wave. Links that are asked for the same are one class.

use std::collections::HashMap;
use std::ops::Range;

use crate::sync::stage::Play;
use crate::sync::{Links, Message, Program};

/// No class: the program leaves the link alone.
pub(super) const IDLE: u32 = u32::MAX;

/// Adding up, and telling all.
pub(super) const PHASES: usize = 2;

/// A program's waves.
#[derive(Debug)]
pub(in crate::sync) struct Load {
    waves: Vec<Wave>,
    /// How many of them add up.
    adding: usize,
    /// Of the waves of each phase.
    latency: [f64; PHASES],
    /// The class of each link.
    pub(super) class: Vec<u32>,
    /// For each class and wave: seconds for each byte of a message.
    links: Vec<Vec<f64>>,
    /// For each class and phase: seconds for the messages themselves.
    messages: Vec<[f64; PHASES]>,
}

#[derive(Debug)]
struct Wave {
    latency: f64,
    /// Seconds that the busiest host, or the switch, has with messages.
    messages: f64,
    /// Seconds of the busiest link for each byte of a message.
    crowd: f64,
    /// What its messages are like.
    like: Message,
}

impl Load {
    pub(in crate::sync) fn of(program: &Program, links: &Links) -> Self {
        let (all, adding) = departures(program, links.machines());
        let mut by_link: Vec<Vec<f64>> = vec![vec![0.0; all.len()]; links.count()];
        let mut messages = vec![[0.0; PHASES]; links.count()];
        let mut waves = Vec::with_capacity(all.len());
        for (i, wave) in all.into_iter().enumerate() {
            let phase = usize::from(i >= adding);
            let mut handled = vec![0.0; links.machines()];
            let mut latency = 0.0_f64;
            for message in &wave {
                latency = latency.max(links.latency(message.from, message.to));
                links.path(message.from, message.to).for_each(|link| by_link[link][i] += 1.0 / links.capacity(link));
                for end in [message.from, message.to] {
                    handled[end] += links.message();
                    messages[links.processor(end)][phase] += links.message();
                }
            }
            let mut busiest = handled.into_iter().fold(0.0, f64::max);
            if let Some((link, seconds)) = links.switch() {
                let passed = seconds * wave.len() as f64;
                messages[link][phase] += passed;
                busiest = busiest.max(passed);
            }
            let crowd = by_link.iter().map(|own| own[i]).fold(0.0, f64::max);
            waves.push(Wave { latency, messages: busiest, crowd, like: wave[0] });
        }
        let mut classes: HashMap<Vec<u64>, u32> = HashMap::new();
        let (mut of_class, mut of_messages, mut class) = (Vec::new(), Vec::new(), Vec::with_capacity(links.count()));
        for (own, messages) in by_link.into_iter().zip(messages) {
            if messages == [0.0; PHASES] && own.iter().all(|seconds| *seconds == 0.0) {
                class.push(IDLE);
                continue;
            }
            let key = own.iter().chain(&messages).map(|seconds| seconds.to_bits()).collect();
            class.push(*classes.entry(key).or_insert_with(|| {
                of_class.push(own);
                of_messages.push(messages);
                of_class.len() as u32 - 1
            }));
        }
        let of = |waves: &[Wave]| waves.iter().map(|wave| wave.latency).sum();
        let latency = [of(&waves[..adding]), of(&waves[adding..])];
        Self { waves, adding, latency, class, links: of_class, messages: of_messages }
    }

    fn phase(&self, phase: usize) -> Range<usize> {
        if phase == 0 { 0..self.adding } else { self.adding..self.waves.len() }
    }

    /// Seconds of a phase that each class of links has to do with messages of these bytes, one for each wave.
    pub(super) fn busy(&self, phase: usize, bytes: &[f64]) -> impl Iterator<Item = f64> {
        let waves = self.phase(phase);
        self.links.iter().zip(&self.messages).map(move |(links, messages)| {
            let moving: f64 =
                links[waves.clone()].iter().zip(&bytes[waves.clone()]).map(|(each, bytes)| each * bytes).sum();
            moving + messages[phase]
        })
    }
}

/// Waves as messages really leave: one that its sender need not wait for leaves with those of an earlier wave that are like
/// it, and shares the sender's link with them. So does the root of a tree tell all its children at once. With how many of
/// them add up.
fn departures(program: &Program, machines: usize) -> (Vec<Vec<Message>>, usize) {
    let mut waves: Vec<Vec<Message>> = Vec::new();
    // The wave after the last that each machine waits for.
    let mut free = vec![0; machines];
    let adding = program.sums.iter().filter(|wave| !wave.is_empty()).count();
    for wave in program.sums.iter().chain(&program.copies).filter(|wave| !wave.is_empty()) {
        let own = waves.len();
        waves.push(Vec::with_capacity(wave.len()));
        let mut next = free.clone();
        for message in wave {
            let alike = |other: &Message| {
                (other.last - other.first, other.held) == (message.last - message.first, message.held)
            };
            let earliest = free[message.from];
            let place = if waves[earliest].first().is_some_and(alike) { earliest } else { own };
            waves[place].push(*message);
            next[message.to] = next[message.to].max(place + 1);
        }
        free = next;
    }
    let adding = waves[..adding].iter().filter(|wave| !wave.is_empty()).count();
    waves.retain(|wave| !wave.is_empty());
    (waves, adding)
}

/// What a phase of a group takes with all links to itself.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Alone {
    /// Latencies of its waves.
    pub(super) latency: f64,
    /// Seconds beside them.
    pub(super) moving: f64,
}

/// Writes the bytes of a message of each wave of a group; what its phases take alone.
pub(super) fn alone(play: &Play, group: usize, sizes: &mut Vec<f64>) -> [Alone; PHASES] {
    let load = &play.scores[group].load;
    sizes.clear();
    let alike = |a: &Message, b: &Message| (a.last - a.first, a.held) == (b.last - b.first, b.held);
    for (place, wave) in load.waves.iter().enumerate() {
        // Most waves are like the one before.
        let before = place.checked_sub(1).filter(|before| alike(&load.waves[*before].like, &wave.like));
        sizes.push(before.map_or_else(|| play.mean_bytes(group, wave.like), |before| sizes[before]));
    }
    std::array::from_fn(|phase| {
        let waves = load.phase(phase);
        let moving = load.waves[waves.clone()].iter().zip(&sizes[waves]);
        let moving = moving.map(|(wave, bytes)| wave.messages.max(wave.crowd * *bytes)).sum();
        Alone { latency: load.latency[phase], moving }
    })
}
