//! Ranks as machines of an exchange: its messages by MPI, point to point.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use hemingway::sync::execute::{self, Parcel};
use hemingway::{Error, Result};

use crate::wire::{Tag, Wire};

/// Bytes with which a message ends: its step and its group.
const FOOT: usize = 16;
/// Longer messages travel in pieces of so many bytes: MPI libraries keep what is short themselves (up to 64 KiB over TCP), so
/// that a rank with much to send goes on with what has come instead of waiting until the last byte has left.
const PIECE: usize = 60_000;
/// With what a piece ends.
const MORE: u8 = 0;
const LAST: u8 = 1;

/// A rank's end of all ways. What it has to send at one moment leaves together when it next waits for something; until that
/// has left it takes what comes, so that no two ranks can wait for each other.
pub(crate) struct Letters {
    wire: Wire,
    outbox: Vec<(usize, Vec<u8>)>,
    inbox: VecDeque<(Vec<u8>, usize)>,
    /// What has come of messages whose last piece has not, by sender.
    begun: HashMap<usize, Vec<u8>>,
}

impl Letters {
    pub(crate) fn new(wire: Wire) -> Self {
        Self { wire, outbox: Vec::new(), inbox: VecDeque::new(), begun: HashMap::new() }
    }

    /// The message whose last piece this is.
    fn whole(&mut self, mut piece: Vec<u8>, from: usize) -> Result<Option<Vec<u8>>> {
        let end = piece.pop().ok_or_else(|| cut_short(from))?;
        let whole = match self.begun.remove(&from) {
            Some(mut begun) => {
                begun.extend_from_slice(&piece);
                begun
            }
            None => piece,
        };
        if end == LAST {
            return Ok(Some(whole));
        }
        self.begun.insert(from, whole);
        Ok(None)
    }

    fn flush(&mut self) {
        let (wire, inbox) = (self.wire, &mut self.inbox);
        wire.send_each(&std::mem::take(&mut self.outbox), Tag::Parcel, || {
            while let Some(letter) = wire.arrived(Tag::Parcel) {
                inbox.push_back(letter);
            }
        });
    }
}

impl execute::Wire for Letters {
    fn send(&mut self, to: usize, tag: execute::Tag, mut bytes: Vec<u8>) -> Result<()> {
        bytes.extend_from_slice(&tag.step.to_le_bytes());
        bytes.extend_from_slice(&(tag.group as u64).to_le_bytes());
        if i32::try_from(bytes.len()).is_err() {
            let gigabytes = bytes.len() as f64 / 1e9;
            let what = format!("a message of {gigabytes:.1} GB is more than MPI takes: cut its variables into shards");
            return Err(Error::Engine(what));
        }
        let pieces = bytes.len().div_ceil(PIECE);
        for (place, piece) in (1..).zip(bytes.chunks(PIECE)) {
            let mut own = Vec::with_capacity(piece.len() + 1);
            own.extend_from_slice(piece);
            own.push(if place == pieces { LAST } else { MORE });
            self.outbox.push((to, own));
        }
        Ok(())
    }

    fn receive(&mut self, within: Duration) -> Result<Option<Parcel>> {
        self.flush();
        let until = Instant::now() + within;
        loop {
            let next = self.inbox.pop_front();
            let next = next.or_else(|| self.wire.poll(Some(until), || self.wire.arrived(Tag::Parcel)));
            let Some((piece, from)) = next else { return Ok(None) };
            if let Some(letter) = self.whole(piece, from)? {
                return opened(letter, from).map(Some);
            }
        }
    }

    fn finish(&mut self) -> Result<()> {
        self.flush();
        Ok(())
    }
}

fn opened(mut bytes: Vec<u8>, from: usize) -> Result<Parcel> {
    let short = || cut_short(from);
    let start = bytes.len().checked_sub(FOOT).ok_or_else(short)?;
    let (step, group) = bytes[start..].split_first_chunk::<8>().ok_or_else(short)?;
    let group = u64::from_le_bytes(*group.first_chunk::<8>().ok_or_else(short)?);
    let tag = execute::Tag { step: u64::from_le_bytes(*step), group: group as usize };
    bytes.truncate(start);
    Ok(Parcel { from, tag, bytes })
}

fn cut_short(from: usize) -> Error {
    Error::Engine(format!("rank {from} has sent a message that is cut short"))
}
