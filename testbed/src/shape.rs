//! When frames are delivered: arithmetic on a clock that is handed in.
//!
//! A frame leaves its sender's port when that is free, at the port's rate; takes the line between the two hosts, which has
//! a rate of its own and a fixed delay; and passes the receiver's port when that is free. Bits flow through all three at
//! once (cut-through): on an idle network a frame is delivered delay + bytes/rate after it was sent, and two streams into
//! one port share it (incast).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::layout::{Layout, Rate};

/// Nanoseconds.
pub type Nanos = u64;

/// Ports, lines and the frames under way.
#[derive(Debug)]
pub struct Fabric<F> {
    ports: Vec<Port>,
    /// From host a to host b at a·hosts + b.
    lines: Vec<Wire>,
    under_way: BinaryHeap<Reverse<Event<F>>>,
    /// Events of the same moment keep their order.
    count: u64,
}

#[derive(Debug)]
struct Port {
    rate: Rate,
    out_free: Nanos,
    in_free: Nanos,
}

#[derive(Debug)]
struct Wire {
    rate: Rate,
    delay: Nanos,
    free: Nanos,
}

#[derive(Debug)]
struct Event<F> {
    at: Nanos,
    count: u64,
    to: usize,
    what: What,
    frame: F,
}

#[derive(Debug, Clone, Copy)]
enum What {
    /// Its first bit is at the receiver's port; so many bytes, the last of them there so much later at the earliest.
    Arrives { bytes: u64, last: Nanos },
    /// Its last bit is through.
    Delivered,
}

impl<F> Fabric<F> {
    /// Everything free at time 0.
    pub fn new(layout: &Layout) -> Self {
        let port = |host| Port { rate: layout.port(host), out_free: 0, in_free: 0 };
        let wire = |(a, b)| {
            let line = layout.line(a, b);
            Wire { rate: line.rate, delay: line.latency.as_nanos() as Nanos, free: 0 }
        };
        let pairs = (0..layout.hosts).flat_map(|a| (0..layout.hosts).map(move |b| (a, b)));
        Self {
            ports: (0..layout.hosts).map(port).collect(),
            lines: pairs.map(wire).collect(),
            under_way: BinaryHeap::new(),
            count: 0,
        }
    }

    /// Takes a frame that its sender has just handed over.
    pub fn offer(&mut self, now: Nanos, from: usize, to: usize, bytes: u64, frame: F) {
        let line = from * self.ports.len() + to;
        let (port, wire) = (&mut self.ports[from], &mut self.lines[line]);
        let out = now.max(port.out_free);
        port.out_free = out + seconds(bytes, port.rate);
        let on_wire = out.max(wire.free);
        wire.free = on_wire + seconds(bytes, wire.rate);
        let last = seconds(bytes, port.rate).max(seconds(bytes, wire.rate));
        let at = on_wire + wire.delay;
        self.push(at, to, What::Arrives { bytes, last }, frame);
    }

    /// When something happens next.
    pub fn next(&self) -> Option<Nanos> {
        self.under_way.peek().map(|Reverse(event)| event.at)
    }

    /// The next frame that is through by now, with its receiver. Receivers' ports are taken in the order of arrival, so
    /// that a sender with much in store does not block one whose frame comes first.
    pub fn delivered(&mut self, now: Nanos) -> Option<(usize, F)> {
        while self.next().is_some_and(|at| at <= now) {
            let Reverse(Event { at, to, what, frame, .. }) = self.under_way.pop()?;
            let What::Arrives { bytes, last } = what else { return Some((to, frame)) };
            let port = &mut self.ports[to];
            let begins = at.max(port.in_free);
            port.in_free = begins + seconds(bytes, port.rate);
            let through = port.in_free.max(at + last);
            self.push(through, to, What::Delivered, frame);
        }
        None
    }

    fn push(&mut self, at: Nanos, to: usize, what: What, frame: F) {
        self.count += 1;
        self.under_way.push(Reverse(Event { at, count: self.count, to, what, frame }));
    }
}

/// How long so many bytes take.
fn seconds(bytes: u64, rate: Rate) -> Nanos {
    (8e9 * bytes as f64 / rate.0) as Nanos
}

impl<F> PartialEq for Event<F> {
    fn eq(&self, other: &Self) -> bool {
        (self.at, self.count) == (other.at, other.count)
    }
}

impl<F> Eq for Event<F> {}

impl<F> PartialOrd for Event<F> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<F> Ord for Event<F> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.count).cmp(&(other.at, other.count))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::layout::{link, slow};

    const US: Nanos = 1000;

    /// 8 Gbit: a byte takes a nanosecond.
    fn layout() -> Layout {
        Layout::even("t", 4, Duration::from_micros(100), Rate(8e9))
    }

    /// Everything that is delivered, with its time, if the clock stops at every event.
    fn run(fabric: &mut Fabric<char>) -> Vec<(Nanos, usize, char)> {
        let mut all = Vec::new();
        while let Some(now) = fabric.next() {
            while let Some((to, frame)) = fabric.delivered(now) {
                all.push((now, to, frame));
            }
        }
        all
    }

    #[test]
    fn one_frame_takes_its_delay_and_its_bytes() {
        let mut fabric = Fabric::new(&layout());
        fabric.offer(7 * US, 0, 1, 2000, 'a');
        assert_eq!(run(&mut fabric), [(109 * US, 1, 'a')]);
    }

    #[test]
    fn a_port_sends_one_frame_after_the_other_to_whomever() {
        let mut fabric = Fabric::new(&layout());
        for (to, frame) in [(1, 'a'), (1, 'b'), (2, 'c')] {
            fabric.offer(0, 0, to, 5000, frame);
        }
        assert_eq!(run(&mut fabric), [(105 * US, 1, 'a'), (110 * US, 1, 'b'), (115 * US, 2, 'c')]);
    }

    #[test]
    fn streams_into_one_port_share_it_in_order_of_arrival() {
        let mut fabric = Fabric::new(&layout());
        fabric.offer(0, 0, 3, 10_000, 'a');
        fabric.offer(0, 0, 3, 10_000, 'b');
        fabric.offer(US, 1, 3, 10_000, 'c');
        // c arrives while a is passing, before b's first bit.
        assert_eq!(run(&mut fabric), [(110 * US, 3, 'a'), (120 * US, 3, 'c'), (130 * US, 3, 'b')]);
    }

    #[test]
    fn both_directions_of_a_port_are_apart() {
        let mut fabric = Fabric::new(&layout());
        fabric.offer(0, 0, 1, 10_000, 'a');
        fabric.offer(0, 1, 0, 10_000, 'b');
        assert_eq!(run(&mut fabric), [(110 * US, 1, 'a'), (110 * US, 0, 'b')]);
    }

    #[test]
    fn a_slow_line_holds_up_its_own_frames_only() {
        let mut fabric = Fabric::new(&Layout { links: vec![link("0-1:0.8gbit").unwrap()], ..layout() });
        fabric.offer(0, 0, 1, 1000, 'a');
        fabric.offer(0, 0, 1, 1000, 'b');
        fabric.offer(0, 0, 2, 1000, 'c');
        assert_eq!(run(&mut fabric), [(103 * US, 2, 'c'), (110 * US, 1, 'a'), (120 * US, 1, 'b')]);
    }

    #[test]
    fn a_slow_host_is_slow_both_ways() {
        let mut fabric = Fabric::new(&Layout { slow: vec![slow("1:50us,0.8gbit").unwrap()], ..layout() });
        fabric.offer(0, 0, 1, 1000, 'a');
        fabric.offer(0, 1, 2, 1000, 'b');
        assert_eq!(run(&mut fabric), [(160 * US, 1, 'a'), (160 * US, 2, 'b')]);
    }

    #[test]
    fn a_long_stream_keeps_to_the_rate() {
        let mut fabric = Fabric::new(&layout());
        (0..1000).for_each(|_| fabric.offer(0, 2, 3, 1500, 'x'));
        let all = run(&mut fabric);
        assert_eq!((all.len(), all[999].0), (1000, 1600 * US));
    }

    #[test]
    fn nothing_is_early_when_the_clock_is_read_late() {
        let mut fabric = Fabric::new(&layout());
        fabric.offer(0, 0, 1, 1000, 'a');
        assert_eq!(fabric.delivered(100 * US), None);
        assert_eq!(fabric.delivered(101 * US - 1), None);
        assert_eq!(fabric.delivered(500 * US), Some((1, 'a')));
        assert_eq!(fabric.next(), None);
    }
}
