//! Ways between machines: `send` never waits, `receive` takes whatever comes.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
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
    /// The end: nothing more comes, and what was sent is to leave.
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Threads' channels, plain or through links.
#[derive(Debug)]
pub struct Channels {
    machine: usize,
    out: Out,
    inbox: Receiver<Parcel>,
}

/// Where messages go first.
#[derive(Debug)]
enum Out {
    /// Straight to the others.
    Straight(Vec<Sender<Parcel>>),
    /// To the thread that keeps them as long as links would.
    Switch(Sender<(usize, Parcel)>),
}

impl Channels {
    /// One end for each of m machines.
    pub fn plain(machines: usize) -> Vec<Self> {
        let (others, inboxes): (Vec<_>, Vec<_>) = (0..machines).map(|_| channel()).unzip();
        let end = |(machine, inbox)| Self { machine, out: Out::Straight(others.clone()), inbox };
        inboxes.into_iter().enumerate().map(end).collect()
    }

    /// The same at the pace of these links, as though every byte were `scale` bytes: a thread between all keeps every message
    /// until its last byte would have arrived.
    pub fn shaped(links: &Links, scale: f64) -> Vec<Self> {
        let (others, inboxes): (Vec<_>, Vec<_>) = (0..links.machines()).map(|_| channel()).unzip();
        let (switch, sent) = channel();
        let traffic = Traffic::new(links.clone());
        std::thread::spawn(move || pass_on(traffic, scale, &sent, &others));
        let end = |(machine, inbox)| Self { machine, out: Out::Switch(switch.clone()), inbox };
        inboxes.into_iter().enumerate().map(end).collect()
    }
}

/// Until all machines have ended and everything has arrived.
fn pass_on(
    mut traffic: Traffic<(usize, Parcel)>,
    scale: f64,
    sent: &Receiver<(usize, Parcel)>,
    others: &[Sender<Parcel>],
) {
    let began = Instant::now();
    loop {
        let now = began.elapsed().as_secs_f64();
        while let Some((_, (to, parcel))) = traffic.arrived(now) {
            // Who has ended needs nothing more.
            _ = others[to].send(parcel);
        }
        let wait = traffic.next().map_or(IDLE, |next| Duration::from_secs_f64((next - now).max(0.0)));
        match sent.recv_timeout(wait) {
            Ok((to, parcel)) => {
                let (now, bytes) = (began.elapsed().as_secs_f64(), parcel.bytes.len() as f64 * scale);
                traffic.send(now, (parcel.from, to), bytes, (to, parcel));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => match traffic.next() {
                Some(_) => std::thread::sleep(wait),
                None => return,
            },
        }
    }
}

/// How long to wait where nothing is to come.
const IDLE: Duration = Duration::from_secs(1);

impl Wire for Channels {
    fn send(&mut self, to: usize, tag: Tag, bytes: Vec<u8>) -> Result<()> {
        let parcel = Parcel { from: self.machine, tag, bytes };
        let sent = match &self.out {
            Out::Straight(others) => others.get(to).is_some_and(|other| other.send(parcel).is_ok()),
            Out::Switch(switch) => switch.send((to, parcel)).is_ok(),
        };
        let gone = || Error::Engine(format!("machine {to} has ended before its exchange"));
        sent.then_some(()).ok_or_else(gone)
    }

    fn receive(&mut self, within: Duration) -> Result<Option<Parcel>> {
        match self.inbox.recv_timeout(within) {
            Ok(parcel) => Ok(Some(parcel)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(Error::Engine("all machines have ended".into())),
        }
    }
}
