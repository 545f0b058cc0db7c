//! Links in use, message by message: each link serves the messages that have reached it one after the other.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::Links;

/// A time with an order.
#[derive(Debug, Clone, Copy, PartialEq)]
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

/// A message on its way.
#[derive(Debug)]
struct Flight<T> {
    ends: (usize, usize),
    bytes: f64,
    /// What it has yet to pass.
    ahead: Ahead,
    /// When its last byte has left the slowest link so far.
    tail: f64,
    cargo: T,
}

/// What a message has yet to pass, the next last.
#[derive(Debug)]
enum Ahead {
    Sender,
    Switch,
    Links(Vec<usize>),
    Receiver,
    Nothing,
}

/// All messages under way, in seconds of whatever clock the caller keeps.
#[derive(Debug)]
pub struct Traffic<T> {
    links: Links,
    free: Vec<f64>,
    flights: HashMap<u64, Flight<T>>,
    events: BinaryHeap<Reverse<(At, u64)>>,
    count: u64,
}

impl<T> Traffic<T> {
    /// On links that are idle.
    pub fn new(links: Links) -> Self {
        let free = vec![0.0; links.count()];
        Self { links, free, flights: HashMap::new(), events: BinaryHeap::new(), count: 0 }
    }

    /// Sends a message.
    pub fn send(&mut self, now: f64, ends: (usize, usize), bytes: f64, cargo: T) {
        self.count += 1;
        self.flights.insert(self.count, Flight { ends, bytes, ahead: Ahead::Sender, tail: now, cargo });
        self.events.push(Reverse((At(now), self.count)));
    }

    /// When something happens next.
    pub fn next(&self) -> Option<f64> {
        self.events.peek().map(|Reverse((At(at), _))| *at)
    }

    /// The next message that has arrived until now, and when.
    pub fn arrived(&mut self, now: f64) -> Option<(f64, T)> {
        while let Some(Reverse((At(at), id))) = self.events.peek().copied().filter(|Reverse((At(at), _))| *at <= now) {
            self.events.pop();
            let Some(flight) = self.flights.get_mut(&id) else { continue };
            match step(&self.links, &mut self.free, flight, at) {
                Some(next) => self.events.push(Reverse((At(next), id))),
                None => return self.flights.remove(&id).map(|flight| (at, flight.cargo)),
            }
        }
        None
    }
}

/// Passes what is next; links pass bytes on as they come, so that a message may begin on the next link before it has left
/// the last. `None` once it is there.
fn step<T>(links: &Links, free: &mut [f64], flight: &mut Flight<T>, now: f64) -> Option<f64> {
    let (from, to) = flight.ends;
    let mut occupy = |link: usize, seconds: f64| {
        let begin = free[link].max(now);
        free[link] = begin + seconds;
        begin
    };
    match &mut flight.ahead {
        Ahead::Sender => {
            flight.ahead = Ahead::Switch;
            Some(occupy(links.processor(from), links.message()) + links.message())
        }
        Ahead::Switch => {
            let mut path: Vec<usize> = links.path(from, to).collect();
            path.reverse();
            flight.ahead = Ahead::Links(path);
            Some(links.switch().map_or(now, |(switch, seconds)| occupy(switch, seconds) + seconds))
        }
        Ahead::Links(path) => match path.pop() {
            Some(link) => {
                let seconds = flight.bytes / links.capacity(link);
                let begin = occupy(link, seconds);
                flight.tail = flight.tail.max(begin + seconds);
                Some(begin)
            }
            None => {
                flight.ahead = Ahead::Receiver;
                Some(flight.tail.max(now) + links.latency(from, to))
            }
        },
        Ahead::Receiver => {
            flight.ahead = Ahead::Nothing;
            Some(occupy(links.processor(to), links.message()) + links.message())
        }
        Ahead::Nothing => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::links::tests::cluster;

    /// Arrivals of messages (from, to, megabytes, sent at ms) at 1 GB/s with 100 µs of latency and 10 µs a message at each end.
    fn arrivals(messages: &[(usize, usize, f64, f64)]) -> Vec<f64> {
        let mut traffic = Traffic::new(Links::of(&cluster(4, false), 4));
        for (i, (from, to, megabytes, ms)) in messages.iter().enumerate() {
            traffic.send(ms / 1e3, (*from, *to), megabytes * 1e6, i);
        }
        let mut arrivals = vec![0.0; messages.len()];
        while let Some((at, i)) = traffic.arrived(f64::INFINITY) {
            arrivals[i] = 1e3 * at;
        }
        arrivals
    }

    #[test]
    fn messages_queue_on_the_links_they_share() {
        let near = |found: Vec<f64>, expected: &[f64]| {
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.011), "{found:?} {expected:?}");
        };
        near(arrivals(&[(0, 1, 1.0, 0.0), (2, 3, 1.0, 0.0)]), &[1.12, 1.12]);
        near(arrivals(&[(0, 1, 1.0, 0.0), (2, 1, 1.0, 0.0)]), &[1.12, 2.12]);
        // Both ways at once, and nothing waits for what has not come yet.
        near(arrivals(&[(0, 1, 1.0, 0.0), (1, 0, 1.0, 0.5)]), &[1.12, 1.62]);
        near(arrivals(&[(0, 2, 5.0, 0.0), (0, 1, 1.0, 0.1), (3, 1, 1.0, 0.2)]), &[5.12, 6.12, 1.32]);
    }

    #[test]
    fn a_switch_passes_one_message_after_the_other() {
        let mut cluster = cluster(4, false);
        cluster.fabric.switch_us = 500.0;
        let mut traffic = Traffic::new(Links::of(&cluster, 4));
        for from in 0..3 {
            traffic.send(0.0, (from, from + 1), 1.0, from);
        }
        let arrivals: Vec<f64> =
            std::iter::from_fn(|| traffic.arrived(f64::INFINITY)).map(|(at, _)| 1e3 * at).collect();
        let near = arrivals.iter().zip([0.62, 1.12, 1.62]).all(|(found, expected)| (found - expected).abs() < 0.011);
        assert!(near, "{arrivals:?}");
    }
}
