//! Ways between machines: `send` never waits, `receive` takes whatever comes.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::sync::Links;
use crate::sync::network::Traffic;
use crate::{Error, Result};

/// Which group of which step a message belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tag {
    /// The step.
    pub step: u64,
    /// The group.
    pub group: usize,
}

/// A message that has arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parcel {
    /// Who sent it.
    pub from: usize,
    /// What it belongs to.
    pub tag: Tag,
    /// What it says.
    pub bytes: Vec<u8>,
}

/// One machine's end of all ways. Messages of one sender and one tag arrive in the order in which they were sent.
pub trait Wire {
    /// Sends, without waiting for the other.
    fn send(&mut self, to: usize, tag: Tag, bytes: Vec<u8>) -> Result<()>;
    /// The next message; `None` if none comes within this time.
    fn receive(&mut self, within: Duration) -> Result<Option<Parcel>>;
}

/// Threads' channels, plain or shaped like links.
#[derive(Debug)]
pub struct Channels {
    machine: usize,
    others: Vec<Sender<Timed>>,
    inbox: Receiver<Timed>,
    /// What has come but is still under way.
    held: BinaryHeap<Timed>,
    shape: Option<Arc<Shape>>,
    sent: u64,
}

/// Links in user space: a message takes its turn on each that it crosses, and arrives when its last byte has.
#[derive(Debug)]
struct Shape {
    links: Links,
    began: Instant,
    traffic: Mutex<Traffic>,
    /// Bytes on these links for each byte sent.
    scale: f64,
}

#[derive(Debug)]
struct Timed {
    at: Option<Instant>,
    order: (usize, u64),
    parcel: Parcel,
}

impl PartialEq for Timed {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Timed {}

impl PartialOrd for Timed {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Timed {
    /// The earliest is the greatest, for the heap.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.order).cmp(&(self.at, self.order))
    }
}

impl Channels {
    /// One end for each of m machines.
    pub fn plain(machines: usize) -> Vec<Self> {
        Self::all(machines, None)
    }

    /// The same with the pace of these links, as though every byte were `scale` bytes.
    pub fn shaped(links: &Links, scale: f64) -> Vec<Self> {
        let traffic = Mutex::new(Traffic::new(links.count()));
        let shape = Arc::new(Shape { links: links.clone(), began: Instant::now(), traffic, scale });
        Self::all(links.machines(), Some(&shape))
    }

    fn all(machines: usize, shape: Option<&Arc<Shape>>) -> Vec<Self> {
        let (others, inboxes): (Vec<_>, Vec<_>) = (0..machines).map(|_| channel()).unzip();
        let end = |(machine, inbox)| {
            let (others, shape) = (others.clone(), shape.map(Arc::clone));
            Self { machine, others, inbox, held: BinaryHeap::new(), shape, sent: 0 }
        };
        inboxes.into_iter().enumerate().map(end).collect()
    }
}

impl Shape {
    fn arrival(&self, from: usize, to: usize, bytes: usize) -> Instant {
        let now = self.began.elapsed().as_secs_f64();
        let mut traffic = self.traffic.lock().unwrap_or_else(PoisonError::into_inner);
        let at = traffic.book(&self.links, (from, to), bytes as f64 * self.scale, now);
        self.began + Duration::from_secs_f64(at)
    }
}

impl Wire for Channels {
    fn send(&mut self, to: usize, tag: Tag, bytes: Vec<u8>) -> Result<()> {
        let at = self.shape.as_ref().map(|shape| shape.arrival(self.machine, to, bytes.len()));
        self.sent += 1;
        let parcel = Parcel { from: self.machine, tag, bytes };
        let timed = Timed { at, order: (self.machine, self.sent), parcel };
        let gone = || Error::Engine(format!("machine {to} has ended before its exchange"));
        self.others.get(to).ok_or_else(gone)?.send(timed).map_err(|_| gone())
    }

    fn receive(&mut self, within: Duration) -> Result<Option<Parcel>> {
        let end = Instant::now().checked_add(within);
        loop {
            self.held.extend(self.inbox.try_iter());
            let now = Instant::now();
            let first = self.held.peek().map(|timed| timed.at.filter(|at| *at > now));
            if let Some(None) = first {
                return Ok(self.held.pop().map(|timed| timed.parcel));
            }
            let until = [first.flatten(), end].into_iter().flatten().min();
            let wait = until.map_or(Duration::from_secs(1), |until| until.saturating_duration_since(now));
            if wait.is_zero() {
                return Ok(None);
            }
            match self.inbox.recv_timeout(wait) {
                Ok(timed) => self.held.push(timed),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(Error::Engine("all machines have ended".into())),
            }
        }
    }
}
