//! Deeds on real numbers: buffers of groups, messages of encoded chunks, and what encodings lost.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use super::conductor::Hands;
use super::wire::{Parcel, Tag, Wire};
use crate::sync::Message;
use crate::sync::codec;
use crate::sync::stage::Play;
use crate::sync::strategy::Compression;
use crate::{Error, Result};

/// The state of one machine.
pub(super) struct Data<'a, W> {
    pub(super) wire: W,
    play: &'a Play,
    /// Gradients of the step, to begin groups with.
    pub(super) gradients: Vec<Vec<f32>>,
    under_way: HashMap<Tag, Buffer>,
    /// Sums that nobody has asked for yet.
    pub(super) sums: HashMap<Tag, Vec<f32>>,
    /// What encodings have lost of each group, where they may lose.
    pub(super) lost: Vec<Vec<f32>>,
    inbox: HashMap<(Tag, usize), VecDeque<Vec<u8>>>,
}

struct Buffer {
    values: Vec<f32>,
    /// Whole sums of chunks, as they are handed on.
    whole: Vec<Vec<u8>>,
}

impl<'a, W: Wire> Data<'a, W> {
    pub(super) fn new(wire: W, play: &'a Play) -> Self {
        let groups = &play.layout.groups;
        let lossy =
            |group: &crate::sync::strategy::Group| if group.compression.is_lossless() { 0 } else { group.elements };
        Self {
            wire,
            play,
            gradients: Vec::new(),
            under_way: HashMap::new(),
            sums: HashMap::new(),
            lost: groups.iter().map(|group| vec![0.0; lossy(group)]).collect(),
            inbox: HashMap::new(),
        }
    }

    pub(super) fn arrive(&mut self, parcel: Parcel) {
        self.inbox.entry((parcel.tag, parcel.from)).or_default().push_back(parcel.bytes);
    }

    fn chunk(&self, group: usize, chunk: usize) -> Range<usize> {
        self.play.scores[group].program.range(chunk, chunk + 1, self.play.layout.groups[group].elements)
    }

    fn compression(&self, group: usize) -> Compression {
        self.play.layout.groups[group].compression
    }

    fn buffer(&mut self, tag: Tag) -> Result<&mut Buffer> {
        self.under_way.get_mut(&tag).ok_or_else(|| broken("a group that is not under way"))
    }

    /// A chunk's bytes; what they lack of it stays with this machine.
    fn encoded(&mut self, tag: Tag, chunk: usize) -> Result<Vec<u8>> {
        let (range, compression) = (self.chunk(tag.group, chunk), self.compression(tag.group));
        let buffer = self.under_way.get_mut(&tag).ok_or_else(|| broken("a group that is not under way"))?;
        let values = &mut buffer.values[range.clone()];
        let bytes = codec::encode(values, compression);
        if !compression.is_lossless() {
            let mut seen = vec![0.0; values.len()];
            codec::decode(&bytes, compression, &mut seen).ok_or_else(|| broken("its own chunk"))?;
            let lost = &mut self.lost[tag.group][range];
            for ((lost, value), seen) in lost.iter_mut().zip(values).zip(seen) {
                *lost += *value - seen;
                *value = seen;
            }
        }
        Ok(bytes)
    }
}

fn too_long(bytes: usize) -> Error {
    let gigabytes = bytes as f64 / 1e9;
    Error::Engine(format!(
        "a message of {gigabytes:.1} GB is more than a message may have: cut its variables into shards"
    ))
}

fn broken(what: &str) -> Error {
    Error::Engine(format!("a machine of the exchange received something impossible: {what}"))
}

impl<W: Wire> Hands for Data<'_, W> {
    fn begin(&mut self, step: u64, group: usize) -> Result<()> {
        let pieces = &self.play.layout.groups[group].pieces;
        let blocks = pieces.iter().flat_map(|piece| piece.blocks().map(|block| &self.gradients[piece.variable][block]));
        let mut values: Vec<f32> = Vec::with_capacity(self.play.layout.groups[group].elements);
        blocks.for_each(|block| values.extend_from_slice(block));
        // One machine sends nothing and loses nothing.
        values.iter_mut().zip(&mut self.lost[group]).for_each(|(value, lost)| *value += std::mem::take(lost));
        let whole = vec![Vec::new(); self.play.scores[group].program.chunks];
        self.under_way.insert(Tag { step, group }, Buffer { values, whole });
        Ok(())
    }

    fn send(&mut self, step: u64, group: usize, message: Message, whole: bool) -> Result<()> {
        let tag = Tag { step, group };
        let mut bytes = Vec::new();
        for chunk in message.first..message.last {
            let own = if whole { self.buffer(tag)?.whole[chunk].clone() } else { self.encoded(tag, chunk)? };
            let length = u32::try_from(own.len()).map_err(|_| too_long(own.len()))?;
            bytes.extend_from_slice(&length.to_le_bytes());
            bytes.extend_from_slice(&own);
        }
        self.wire.send(message.to, tag, bytes)
    }

    fn take(&mut self, step: u64, group: usize, message: Message, whole: bool) -> Result<bool> {
        let tag = Tag { step, group };
        let Some(bytes) = self.inbox.get_mut(&(tag, message.from)).and_then(VecDeque::pop_front) else {
            return Ok(false);
        };
        let compression = self.compression(group);
        let mut rest = &bytes[..];
        for chunk in message.first..message.last {
            let (length, after) = rest.split_first_chunk::<4>().ok_or_else(|| broken("a message cut short"))?;
            let length = u32::from_le_bytes(*length) as usize;
            let (own, after) = after.split_at_checked(length).ok_or_else(|| broken("a message cut short"))?;
            rest = after;
            let range = self.chunk(group, chunk);
            let buffer = self.buffer(tag)?;
            let mut seen = vec![0.0; range.len()];
            codec::decode(own, compression, &mut seen).ok_or_else(|| broken("a chunk of another length"))?;
            let values = &mut buffer.values[range];
            if whole {
                values.copy_from_slice(&seen);
                buffer.whole[chunk] = own.to_vec();
            } else {
                values.iter_mut().zip(seen).for_each(|(value, seen)| *value += seen);
            }
        }
        Ok(true)
    }

    fn settle(&mut self, step: u64, group: usize, chunk: usize) -> Result<()> {
        let tag = Tag { step, group };
        let bytes = self.encoded(tag, chunk)?;
        self.buffer(tag)?.whole[chunk] = bytes;
        Ok(())
    }

    fn end(&mut self, step: u64, group: usize) -> Result<()> {
        let tag = Tag { step, group };
        let buffer = self.under_way.remove(&tag).ok_or_else(|| broken("a group that is not under way"))?;
        self.inbox.retain(|(of, _), parcels| *of != tag || !parcels.is_empty());
        self.sums.insert(tag, buffer.values);
        Ok(())
    }
}
