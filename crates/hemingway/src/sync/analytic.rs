//! The time of a step on paper: exchanges as flows that share links.
//!
//! Alone, an exchange passes wave after wave: the latency of each, and what its busiest link or host needs. First all is
//! added up, then told: while one is told others may be added up, over links that are free. Where exchanges share a link
//! the one that began first has what it needs, as messages between two hosts follow each other, and the next what is left.
//! A step ends when all is computed and every sum is there.

mod load;
mod share;

use super::stage::{Play, Stage};
pub(super) use load::Load;
use load::{Alone, PHASES};
use share::Shares;

/// One exchange in time, in seconds from the beginning of its step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// Its place among the groups.
    pub group: usize,
    /// When its gradients are ready on all machines.
    pub ready: f64,
    /// When it begins: later if the window is full.
    pub begin: f64,
    /// When its sum is everywhere.
    pub end: f64,
}

/// A step on paper.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    /// The step.
    pub seconds: f64,
    /// Of which the slowest machine computes so long.
    pub compute: f64,
    /// Every exchange, in the order of groups.
    pub spans: Vec<Span>,
    /// Seconds that each link is busy.
    pub busy: Vec<f64>,
    /// Latencies of all exchanges, one after the other.
    pub latency: f64,
}

/// What a step waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Machines compute nearly all the time: exchanges are hidden.
    Computing,
    /// This link is busy nearly all the time.
    Link(usize),
    /// Neither: after the last gradients are ready, exchanges of theirs follow that no link is full of.
    Tail,
}

/// Nearly all the time.
const NEARLY: f64 = 0.9;

impl Forecast {
    /// What the step waits for most.
    pub fn limit(&self) -> Limit {
        let busiest = self.bottlenecks().first().copied();
        match busiest {
            _ if self.compute >= NEARLY * self.seconds => Limit::Computing,
            Some(link) if self.busy[link] >= NEARLY * (self.seconds - self.first_ready()) => Limit::Link(link),
            _ => Limit::Tail,
        }
    }

    /// Before this moment no link has anything to do.
    fn first_ready(&self) -> f64 {
        self.spans.iter().map(|span| span.ready).fold(f64::INFINITY, f64::min).min(self.seconds)
    }

    /// The busiest links, the first most.
    pub fn bottlenecks(&self) -> Vec<usize> {
        let mut links: Vec<usize> = (0..self.busy.len()).collect();
        links.sort_by(|a, b| self.busy[*b].total_cmp(&self.busy[*a]).then(a.cmp(b)));
        links
    }

    /// Seconds of exchanging while machines compute, and after.
    pub fn overlap(&self) -> (f64, f64) {
        let mut spans: Vec<(f64, f64)> = self.spans.iter().map(|span| (span.begin, span.end)).collect();
        spans.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut covered, mut until) = ((0.0, 0.0), 0.0_f64);
        for (begin, end) in spans {
            let begin = begin.max(until);
            if end > begin {
                covered.0 += (end.min(self.compute) - begin).max(0.0);
                covered.1 += (end - begin.max(self.compute)).max(0.0);
                until = end;
            }
        }
        covered
    }
}

/// An exchange under way.
#[derive(Debug)]
struct Flow {
    step: u64,
    group: usize,
    phase: usize,
    /// Until when it waits for latencies.
    starts: f64,
    /// Seconds that are left of its phase, if it were alone.
    left: f64,
    pace: f64,
}

impl Flow {
    /// Whether its phase is over. What is left may be too little to move the clock; paces are no more than 1, so most need no
    /// division to tell.
    fn is_done(&self, now: f64) -> bool {
        let stands = || self.left <= f64::EPSILON * now && now + self.left / self.pace <= now;
        self.starts <= now && (self.left <= 1e-12 || stands())
    }
}

/// The step of a strategy that has been laid out.
pub fn forecast(stage: &Stage, play: &Play) -> Forecast {
    Course::new(stage, play).run()
}

struct Course<'a> {
    stage: &'a Stage,
    play: &'a Play,
    shares: Shares,
    alone: Vec<[Alone; PHASES]>,
    flows: Vec<Flow>,
    /// Of those that are past their latencies.
    paces: Vec<f64>,
    any_done: bool,
    waiting: std::collections::VecDeque<(u64, usize)>,
    slowest: f64,
    spans: Vec<Span>,
}

impl<'a> Course<'a> {
    fn new(stage: &'a Stage, play: &'a Play) -> Self {
        let slowest = (0..stage.machines()).map(|machine| 1.0 / stage.links.pace(machine)).fold(0.0, f64::max);
        let span = |group| Span { group, ready: 0.0, begin: 0.0, end: 0.0 };
        let spans = (0..play.layout.groups.len()).map(span).collect();
        let (shares, alone) = Shares::of(stage, play);
        let (flows, paces) = (Vec::new(), Vec::new());
        let (waiting, any_done) = (Default::default(), false);
        Self { stage, play, shares, alone, flows, paces, any_done, waiting, slowest, spans }
    }

    fn run(mut self) -> Forecast {
        // Where sums may be late, as many steps as they may until that has settled, and as many again.
        let period = self.play.layout.period();
        let steps = if period > 1 { 2 * period } else { 1 };
        let compute = self.stage.slowest_compute();
        let (mut ends, mut now) = (vec![0.0], 0.0);
        for step in 0..steps {
            self.waiting.extend((0..self.play.layout.groups.len()).map(|group| (step, group)));
            now = self.step(step, now, now + compute);
            ends.push(now);
        }
        let settled = ends.len() - 1 - period as usize;
        let mut forecast = Forecast {
            seconds: (now - ends[settled]) / period as f64,
            compute,
            busy: self.shares.busy(self.stage.links.count(), &self.alone),
            latency: self.alone.iter().flatten().map(|alone| alone.latency).sum(),
            spans: self.spans,
        };
        // Whatever waits for it, no link does more than it has time for.
        let idle = if period == 1 { forecast.first_ready() } else { 0.0 };
        let busiest = forecast.busy.iter().copied().fold(0.0, f64::max);
        forecast.seconds = forecast.seconds.max(idle + busiest);
        forecast
    }

    /// From the beginning of a step to its end, which is no sooner than all is computed.
    fn step(&mut self, step: u64, began: f64, computed: f64) -> f64 {
        let mut now = began;
        loop {
            self.begin(step, began, now);
            let is_due = self.is_due(step);
            if !is_due && now >= computed {
                return now;
            }
            // What may be late goes on while machines compute, and waits for nobody afterwards.
            let no_later = if is_due { f64::INFINITY } else { computed };
            let next = self.next_event(step, began, now).min(no_later);
            self.move_on(now, next);
            now = next;
            self.end(began, now);
        }
    }

    fn ready(&self, of: u64, group: usize, step: u64, began: f64) -> f64 {
        if of < step { began } else { began + self.slowest * self.play.layout.groups[group].ready }
    }

    fn begin(&mut self, step: u64, began: f64, now: f64) {
        while let Some((of, group)) = self.waiting.front().copied() {
            let ready = self.ready(of, group, step, began);
            if self.flows.len() >= self.play.layout.window || ready > now {
                break;
            }
            self.waiting.pop_front();
            let Alone { latency, moving } = self.alone[group][0];
            self.spans[group] = Span { group, ready: ready - began, begin: now - began, end: now - began };
            self.flows.push(Flow { step: of, group, phase: 0, starts: now + latency, left: moving, pace: 0.0 });
        }
        let moving = self.flows.iter().filter(|flow| flow.starts <= now).map(|flow| (flow.group, flow.phase));
        self.shares.paces(moving, &mut self.paces);
    }

    fn is_due(&self, step: u64) -> bool {
        let due = |of: u64, group: usize| of + u64::from(self.play.layout.groups[group].staleness) <= step;
        self.flows.iter().any(|flow| due(flow.step, flow.group))
            || self.waiting.iter().any(|(of, group)| due(*of, *group))
    }

    /// Gives flows their paces; when the first of them has something new to do.
    fn next_event(&mut self, step: u64, began: f64, now: f64) -> f64 {
        let mut paces = self.paces.iter();
        let mut next = f64::INFINITY;
        for flow in &mut self.flows {
            if flow.starts > now {
                next = next.min(flow.starts);
                continue;
            }
            flow.pace = paces.next().copied().unwrap_or(0.0);
            // Divisions take their time, and most flows wait for others.
            if flow.pace > 0.0 {
                next = next.min(now + flow.left.max(0.0) / flow.pace);
            }
        }
        if let Some((of, group)) = self.waiting.front().filter(|_| self.flows.len() < self.play.layout.window) {
            next = next.min(self.ready(*of, *group, step, began));
        }
        next.max(now)
    }

    /// What flows do from one moment to the next, and whether any has then done all.
    fn move_on(&mut self, from: f64, to: f64) {
        self.any_done = false;
        for flow in &mut self.flows {
            if flow.starts <= from {
                flow.left -= flow.pace * (to - from);
            }
            self.any_done |= flow.is_done(to);
        }
    }

    fn end(&mut self, began: f64, now: f64) {
        if !self.any_done {
            return;
        }
        let Self { spans, alone, .. } = self;
        self.flows.retain_mut(|flow| {
            let done = flow.is_done(now);
            if done && flow.phase + 1 < PHASES {
                flow.phase += 1;
                let Alone { latency, moving } = alone[flow.group][flow.phase];
                (flow.starts, flow.left) = (now + latency, moving);
                return true;
            }
            if done {
                spans[flow.group].end = now - began;
            }
            !done
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::links::tests::cluster;
    use crate::sync::sketch::{Gene, Kind, Sketch};
    use crate::sync::strategy::Method;
    use crate::sync::{Model, Variable};

    /// Variables of a megabyte, 1 GB/s, 100 µs, 10 µs a message.
    fn seconds(count: usize, gene: Gene, window: usize, step_ms: f64) -> Forecast {
        let mut variables: Vec<Variable> = (0..count).map(|i| Variable::new(format!("v{i}"), [250_000])).collect();
        variables.iter_mut().for_each(|variable| variable.ready_ms = step_ms / 2.0);
        let stage = Stage::new(Model { name: "m".into(), variables, step_ms }, &cluster(4, false), 4).unwrap();
        let strategy = Sketch { servers: 1, ..Sketch::uniform(&stage, gene, window) }.strategy(&stage, "s");
        forecast(&stage, &stage.play(&strategy).unwrap())
    }

    #[test]
    fn alone_they_take_what_books_say() {
        let of = |kind| seconds(1, Gene::new(kind), 1, 0.0).seconds;
        let near =
            |seconds: f64, expected: f64| assert!((seconds / expected - 1.0).abs() < 1e-6, "{seconds} {expected}");
        near(of(Kind::AllReduce(Method::Ring)), 6.0 * (100e-6 + 0.25e-3));
        // The root tells both its children at once, over one link.
        near(of(Kind::AllReduce(Method::Tree)), 4.0 * 100e-6 + 5e-3);
        near(of(Kind::AllReduce(Method::HalvingDoubling)), 4.0 * 100e-6 + 1.5e-3);
        near(of(Kind::Server), 2.0 * (100e-6 + 3e-3));
    }

    /// What all hosts share, all messages wait for, however many are under way at once.
    #[test]
    fn a_switch_counts_every_message() {
        let variables = (0..8).map(|i| Variable::new(format!("v{i}"), [1])).collect();
        let mut cluster = cluster(4, false);
        cluster.fabric.switch_us = 50.0;
        let stage = Stage::new(Model { name: "m".into(), variables, step_ms: 0.0 }, &cluster, 4).unwrap();
        let ring = Gene::new(Kind::AllReduce(Method::Ring));
        let seconds = |window| {
            let strategy = Sketch::uniform(&stage, ring, window).strategy(&stage, "s");
            forecast(&stage, &stage.play(&strategy).unwrap()).seconds
        };
        let messages = 8.0 * 6.0 * 4.0 * 50e-6;
        assert!((seconds(8) - (6.0 * 100e-6 + messages)).abs() < 1e-6, "{}", seconds(8));
        assert!((seconds(1) - (8.0 * 6.0 * 100e-6 + messages)).abs() < 1e-6, "{}", seconds(1));
    }

    #[test]
    fn flows_share_links_and_hide_latencies() {
        let ring = Gene::new(Kind::AllReduce(Method::Ring));
        let one = seconds(1, ring, 1, 0.0).seconds;
        let after_each_other = seconds(8, ring, 1, 0.0).seconds;
        assert!((after_each_other - 8.0 * one).abs() < 1e-9);
        let together = seconds(8, ring, 8, 0.0);
        assert!((together.seconds - (6.0 * 100e-6 + 8.0 * 1.5e-3)).abs() < 1e-6, "{}", together.seconds);
        assert!((together.busy[0] - 8.0 * 1.5e-3).abs() < 1e-9);
        // In and out of one server go on side by side only where there are several groups: of the last nobody is behind.
        let server = seconds(8, Gene::new(Kind::Server), 8, 0.0).seconds;
        assert!((server - (200e-6 + 9.0 * 3e-3)).abs() < 1e-6, "{server}");
    }

    /// However late sums may be, links carry as many bytes a step.
    #[test]
    fn being_late_hides_latencies_but_no_bytes() {
        for staleness in [1, 2, 3, 8] {
            let gene = Gene { staleness, ..Gene::new(Kind::AllReduce(Method::Ring)) };
            let late = seconds(8, gene, 8, 1.0);
            assert!((0.0118..0.0132).contains(&late.seconds), "{staleness} steps late: {}", late.seconds);
            assert!(late.spans.iter().all(|span| span.end >= span.begin), "{:?}", late.spans);
        }
    }

    #[test]
    fn computing_hides_exchanges() {
        let ring = Gene::new(Kind::AllReduce(Method::Ring));
        let hidden = seconds(2, ring, 2, 20.0);
        assert_eq!((hidden.seconds, hidden.limit()), (0.02, Limit::Computing));
        assert!(matches!(seconds(8, ring, 8, 0.0).limit(), Limit::Link(_)));
        assert_eq!(seconds(8, ring, 1, 0.0).limit(), Limit::Tail);
        let (under, after) = hidden.overlap();
        assert!(under > 3e-3 && after == 0.0);
        let late = Gene { staleness: 1, ..ring };
        let (now, later) = (seconds(8, ring, 8, 10.0).seconds, seconds(8, late, 8, 10.0).seconds);
        assert!(now > 0.017 && later < 0.0135, "{now} {later}");
    }
}
