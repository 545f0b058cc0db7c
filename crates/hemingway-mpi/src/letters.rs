//! Ranks as machines of an exchange: its messages by MPI, point to point.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use hemingway::Result;
use hemingway::sync::execute::{self, Parcel};

use crate::pieces::{Begun, PIECE, cut, cut_short};
use crate::wire::{Tag, Wire};

/// Bytes with which a message ends: its step and its group.
const FOOT: usize = 16;

/// A rank's end of all ways. What it has to send at one moment leaves together when it next waits for something; until that
/// has left it takes what comes, so that no two ranks can wait for each other.
pub(crate) struct Letters {
    wire: Wire,
    outbox: Vec<(usize, Vec<u8>)>,
    inbox: VecDeque<(Vec<u8>, usize)>,
    begun: Begun,
}

impl Letters {
    pub(crate) fn new(wire: Wire) -> Self {
        Self { wire, outbox: Vec::new(), inbox: VecDeque::new(), begun: Begun::default() }
    }

    fn flush(&mut self) {
        let (wire, inbox) = (self.wire, &mut self.inbox);
        wire.send_each(&std::mem::take(&mut self.outbox), Tag::Parcel, false, || {
            while let Some(letter) = wire.arrived(Tag::Parcel) {
                inbox.push_back(letter);
            }
        });
    }
}

impl execute::Wire for Letters {
    fn send(&mut self, to: usize, tag: execute::Tag, bytes: Vec<u8>) -> Result<()> {
        let foot = [tag.step.to_le_bytes(), (tag.group as u64).to_le_bytes()].concat();
        self.outbox.extend(cut(&bytes, &foot, PIECE).into_iter().map(|piece| (to, piece)));
        Ok(())
    }

    fn receive(&mut self, within: Duration) -> Result<Option<Parcel>> {
        self.flush();
        let until = Instant::now() + within;
        loop {
            let next = self.inbox.pop_front();
            let next = next.or_else(|| self.wire.poll(Some(until), || self.wire.arrived(Tag::Parcel)));
            let Some((piece, from)) = next else { return Ok(None) };
            if let Some(letter) = self.begun.whole(piece, from)? {
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
