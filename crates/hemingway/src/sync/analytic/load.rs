//! What a program asks of links, wave by wave. Links that are asked for the same are one class.

use std::collections::HashMap;

use crate::sync::stage::Play;
use crate::sync::{Links, Message, Program};

/// No class: the program leaves the link alone.
pub(super) const IDLE: u32 = u32::MAX;

/// A program's waves.
#[derive(Debug)]
pub(in crate::sync) struct Load {
    waves: Vec<Wave>,
    /// Of all waves.
    latency: f64,
    /// The class of each link.
    pub(super) class: Vec<u32>,
    /// For each class and wave: seconds for each byte of a message.
    pub(super) links: Vec<Vec<f64>>,
    /// For each class: seconds for the messages themselves.
    pub(super) messages: Vec<f64>,
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
        let all = departures(program, links.machines());
        let mut by_link: Vec<Vec<f64>> = vec![vec![0.0; all.len()]; links.count()];
        let mut messages = vec![0.0; links.count()];
        let mut waves = Vec::with_capacity(all.len());
        for (i, wave) in all.into_iter().enumerate() {
            let mut handled = vec![0.0; links.machines()];
            let mut latency = 0.0_f64;
            for message in &wave {
                latency = latency.max(links.latency(message.from, message.to));
                links.path(message.from, message.to).for_each(|link| by_link[link][i] += 1.0 / links.capacity(link));
                for end in [message.from, message.to] {
                    handled[end] += links.message();
                    messages[links.processor(end)] += links.message();
                }
            }
            let mut busiest = handled.into_iter().fold(0.0, f64::max);
            if let Some((link, seconds)) = links.switch() {
                let passed = seconds * wave.len() as f64;
                messages[link] += passed;
                busiest = busiest.max(passed);
            }
            let crowd = by_link.iter().map(|own| own[i]).fold(0.0, f64::max);
            waves.push(Wave { latency, messages: busiest, crowd, like: wave[0] });
        }
        let mut classes: HashMap<Vec<u64>, u32> = HashMap::new();
        let (mut of_class, mut of_messages, mut class) = (Vec::new(), Vec::new(), Vec::with_capacity(links.count()));
        for (own, messages) in by_link.into_iter().zip(messages) {
            if messages == 0.0 && own.iter().all(|seconds| *seconds == 0.0) {
                class.push(IDLE);
                continue;
            }
            let key = own.iter().chain([&messages]).map(|seconds| seconds.to_bits()).collect();
            class.push(*classes.entry(key).or_insert_with(|| {
                of_class.push(own);
                of_messages.push(messages);
                of_class.len() as u32 - 1
            }));
        }
        let latency = waves.iter().map(|wave| wave.latency).sum();
        Self { waves, latency, class, links: of_class, messages: of_messages }
    }
}

/// Waves as messages really leave: one that its sender need not wait for leaves with those of an earlier wave that are like
/// it, and shares the sender's link with them. So does the root of a tree tell all its children at once.
fn departures(program: &Program, machines: usize) -> Vec<Vec<Message>> {
    let mut waves: Vec<Vec<Message>> = Vec::new();
    // The wave after the last that each machine waits for.
    let mut free = vec![0; machines];
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
    waves.retain(|wave| !wave.is_empty());
    waves
}

/// What a group takes with all links to itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Alone {
    /// Latencies of its waves.
    pub(super) latency: f64,
    /// Seconds beside them.
    pub(super) moving: f64,
}

/// Writes the bytes of a message of each wave of a group; what the group takes alone.
pub(super) fn alone(play: &Play, group: usize, sizes: &mut Vec<f64>) -> Alone {
    let load = &play.scores[group].load;
    sizes.clear();
    sizes.extend(load.waves.iter().map(|wave| play.message_bytes(group, wave.like)));
    let moving = load.waves.iter().zip(sizes).map(|(wave, bytes)| wave.messages.max(wave.crowd * *bytes));
    Alone { latency: load.latency, moving: moving.sum() }
}
