//! Which groups one machine has under way, and how far each is. It knows neither bytes nor clocks.

use std::collections::VecDeque;

use crate::Result;
use crate::sync::Message;
use crate::sync::stage::{Deed, Play};

/// What carries deeds out, on one machine. A group of a step is told by both numbers.
pub trait Hands {
    /// A group begins.
    fn begin(&mut self, step: u64, group: usize) -> Result<()>;
    /// Chunks are to be sent.
    fn send(&mut self, step: u64, group: usize, message: Message, whole: bool) -> Result<()>;
    /// Chunks are to be taken, if they are there.
    fn take(&mut self, step: u64, group: usize, message: Message, whole: bool) -> Result<bool>;
    /// A chunk's sum is whole.
    fn settle(&mut self, step: u64, group: usize, chunk: usize) -> Result<()>;
    /// A group is done.
    fn end(&mut self, step: u64, group: usize) -> Result<()>;
}

#[derive(Debug, Clone, Copy)]
struct Running {
    step: u64,
    group: usize,
    deed: usize,
}

/// Begins groups in their order, at most a window of them at once. All machines keep the same order, so the earliest group
/// that is not done is under way everywhere and can always go on: no order of messages can lock them.
#[derive(Debug)]
pub struct Conductor {
    machine: usize,
    waiting: VecDeque<(u64, usize)>,
    running: Vec<Running>,
}

impl Conductor {
    /// With nothing to do yet.
    pub fn new(machine: usize) -> Self {
        Self { machine, waiting: VecDeque::new(), running: Vec::new() }
    }

    /// One more step: all groups wait to begin.
    pub fn step(&mut self, step: u64, groups: usize) {
        self.waiting.extend((0..groups).map(|group| (step, group)));
    }

    /// The group that may begin next, once it is ready.
    pub fn next(&self, window: usize) -> Option<(u64, usize)> {
        self.waiting.front().copied().filter(|_| self.running.len() < window)
    }

    /// Begins it.
    pub fn begin(&mut self, play: &Play, hands: &mut impl Hands) -> Result<()> {
        let Some((step, group)) = self.waiting.pop_front() else { return Ok(()) };
        hands.begin(step, group)?;
        self.running.push(Running { step, group, deed: 0 });
        self.go_on(play, step, group, hands)
    }

    /// Does what can be done of a group after something has arrived for it.
    pub fn go_on(&mut self, play: &Play, step: u64, group: usize, hands: &mut impl Hands) -> Result<()> {
        let Some(place) = self.running.iter().position(|running| (running.step, running.group) == (step, group)) else {
            return Ok(());
        };
        let deeds = &play.scores[group].parts[self.machine];
        while let Some(deed) = deeds.get(self.running[place].deed) {
            match *deed {
                Deed::Send(message, whole) => hands.send(step, group, message, whole)?,
                Deed::Settle(chunk) => hands.settle(step, group, chunk)?,
                Deed::Take(message, whole) => {
                    if !hands.take(step, group, message, whole)? {
                        return Ok(());
                    }
                }
            }
            self.running[place].deed += 1;
        }
        self.running.swap_remove(place);
        hands.end(step, group)
    }

    /// Whether every sum is there that may be no later than the end of this step.
    pub fn is_through(&self, play: &Play, step: u64) -> bool {
        let due = |of: u64, group: usize| of + u64::from(play.layout.groups[group].staleness) <= step;
        !self.running.iter().any(|running| due(running.step, running.group))
            && !self.waiting.iter().any(|(of, group)| due(*of, *group))
    }

    /// Whether nothing is left to do.
    pub fn is_idle(&self) -> bool {
        self.running.is_empty() && self.waiting.is_empty()
    }
}
