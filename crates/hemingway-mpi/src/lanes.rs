//! Rounds exchanged in lanes, as a strategy has them: what a tree sums goes up and down a tree; what a rank sums for all others comes to it
//! from everyone, and what the leader makes of it goes through the same rank. Whoever adds has all summands at hand that our one tree
//! adds there, and adds them in its order: the bits are those of every engine.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use hemingway::data::matrix::axpy;
use hemingway::sync::TreeSum;
use hemingway::sync::rounds::{Lane, code, copies};
use hemingway::{Error, Result};

use crate::pieces::{Begun, LONGEST, PIECE, cut};
use crate::tree::{Report, children};
use crate::wire::{Tag, Wire, silent, words};

/// A message's place in its round: behind the numbers, so that they need not be moved.
const FOOT: usize = 5;

/// What a message holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Kind {
    /// What has changed of the shared vector.
    Shared,
    /// A push, or the sum of some.
    Part,
    /// The sum of all.
    Whole,
}

/// A message on its way, or arrived.
struct Letter {
    kind: Kind,
    lane: usize,
    numbers: Arc<Vec<u8>>,
}

/// One round of a rank that is one of the machines 0, 1, … of a strategy. All but letters on their way speak of machines.
pub(crate) struct Round<'a> {
    wire: &'a Wire,
    /// The rank of each machine, ascending.
    ranks: &'a [usize],
    lanes: &'a [Lane],
    inbox: &'a mut Inbox,
    /// Bytes sent.
    pub(crate) moved: usize,
}

/// Letters that came before their time: some ranks sum already while others still hear.
#[derive(Default)]
pub(crate) struct Inbox {
    letters: VecDeque<(Letter, usize)>,
    begun: Begun,
}

impl Inbox {
    /// Takes a letter, or a piece of one, from a rank; nothing where it is none.
    fn take(&mut self, piece: Vec<u8>, from: usize) -> Option<()> {
        if let Some(bytes) = self.begun.whole(piece, from).ok()? {
            self.letters.push_back((opened(bytes)?, from));
        }
        Some(())
    }
}

/// A letter and its readers. In a tree they take turns, the first handing it on while the next is served, and it travels whole; others
/// travel in pieces, so that whoever hands many on is held up by none of them.
struct Post {
    to: VecDeque<usize>,
    by_turns: bool,
    letter: Letter,
}

impl Post {
    fn one(to: usize, by_turns: bool, letter: Letter) -> Self {
        Self { to: [to].into(), by_turns, letter }
    }
}

/// The lanes of a vector of this length: the strategy's as often as the vector has all its numbers, and one tree for the rest.
fn lanes_of<'a>(lanes: &'a [Lane], len: usize) -> Vec<Cow<'a, Lane>> {
    let numbers: usize = lanes.iter().map(Lane::numbers).sum();
    let sparing = lanes.iter().any(|lane| lane.sparing);
    let starts = copies(numbers, len);
    let first = if len >= numbers { numbers } else { 0 };
    let end = starts.clone().nth(1).unwrap_or(len);
    let rest = (end > first).then(|| {
        let ranges = std::iter::once(first..end).collect();
        Cow::Owned(Lane { server: None, sparing, ranges })
    });
    let at = |start: usize, lane: &'a Lane| if start == 0 { Cow::Borrowed(lane) } else { Cow::Owned(lane.from(start)) };
    let own = starts.flat_map(|start| lanes.iter().map(move |lane| at(start, lane)));
    own.chain(rest).collect()
}

/// The numbers of a lane, one after the other.
fn taken<'a>(lane: &Lane, vector: &'a [f64]) -> Cow<'a, [f64]> {
    match &lane.ranges[..] {
        [one] => Cow::Borrowed(&vector[one.clone()]),
        several => Cow::Owned(several.iter().flat_map(|range| &vector[range.clone()]).copied().collect()),
    }
}

/// Puts the numbers of a lane back where they belong.
fn put(lane: &Lane, mut numbers: &[f64], vector: &mut [f64]) {
    for range in &lane.ranges {
        let (own, rest) = numbers.split_at(range.len());
        vector[range.clone()].copy_from_slice(own);
        numbers = rest;
    }
}

impl<'a> Round<'a> {
    pub(crate) fn new(wire: &'a Wire, ranks: &'a [usize], lanes: &'a [Lane], inbox: &'a mut Inbox) -> Self {
        Self { wire, ranks, lanes, inbox, moved: 0 }
    }

    fn me(&self) -> usize {
        self.machine(self.wire.rank)
    }

    fn machine(&self, rank: usize) -> usize {
        self.ranks.partition_point(|other| *other < rank)
    }

    /// To whom this rank hands the shared vector's numbers of a lane on.
    fn readers(&self, lane: &Lane) -> Vec<usize> {
        let (me, all) = (self.me(), 0..self.ranks.len());
        match lane.server {
            None => children(&all.collect::<Vec<_>>(), me),
            Some(server) if server == me => all.filter(|other| *other != me && *other != 0).collect(),
            Some(server) if me == 0 => vec![server],
            Some(_) => Vec::new(),
        }
    }

    fn handed_on(&self, lane: &Lane, letter: Letter) -> Post {
        Post { to: self.readers(lane).into(), by_turns: lane.server.is_none(), letter }
    }

    /// The leader's part in telling all what has changed since the vector that they know, if they know one as long. What is written
    /// leaves while the next is.
    pub(crate) fn tell(&mut self, shared: &[f64], known: &[f64]) {
        let known = (known.len() == shared.len()).then_some(known);
        let lanes = lanes_of(self.lanes, shared.len());
        let mut last = Vec::new();
        for (place, lane) in lanes.iter().enumerate() {
            let mut numbers = Vec::new();
            let known = known.map(|known| taken(lane, known));
            code::write(&taken(lane, shared), known.as_deref(), lane.sparing, &mut numbers);
            let letter = Letter { kind: Kind::Shared, lane: place, numbers: numbers.into() };
            let post = self.handed_on(lane, letter);
            match lanes[place + 1..].iter().any(|later| later.server == lane.server) {
                true => self.send([post], false),
                false => last.push(post),
            }
        }
        // The leader has work of its own next, and messages move only while somebody looks after them.
        self.send(last, true);
    }

    /// The others' part: they end with the leader's vector.
    pub(crate) fn hear(&mut self, len: usize, shared: &mut Vec<f64>, until: Instant) -> Result<()> {
        if shared.len() != len {
            shared.clear();
            shared.resize(len, 0.0);
        }
        let lanes = lanes_of(self.lanes, len);
        let mut left = lanes.iter().filter(|lane| !self.readers(lane).is_empty()).count();
        for _ in 0..lanes.len() {
            let (letter, from) = self.receive(until, |kind| kind == Kind::Shared, 0)?;
            let lane = lanes.get(letter.lane).ok_or_else(|| strange(from))?;
            let bytes = Arc::clone(&letter.numbers);
            let post = self.handed_on(lane, letter);
            left = left.saturating_sub(usize::from(!post.to.is_empty()));
            // Others wait for it: it is handed on before it is read.
            self.send([post], left == 0);
            let mut numbers = taken(lane, shared).into_owned();
            code::read(&mut &bytes[..], &mut numbers).ok_or_else(|| strange(from))?;
            put(lane, &numbers, shared);
        }
        Ok(())
    }

    /// This rank's part in summing: the sum on the leader, and what went wrong.
    pub(crate) fn sum(mut self, push: Vec<f64>, until: Instant, report: &mut Report) -> Option<Vec<f64>> {
        let outcome = self.add_up(push, until);
        report.moved += self.moved as u64;
        match outcome {
            Ok(sum) => Some(sum).filter(|_| self.wire.leads()),
            Err(error) => {
                report.failed = report.failed.take().or_else(|| Some(words(&error)));
                None
            }
        }
    }

    fn add_up(&mut self, mut push: Vec<f64>, until: Instant) -> Result<Vec<f64>> {
        let lanes = lanes_of(self.lanes, push.len());
        let mut desks: Vec<Desk> =
            lanes.iter().map(|lane| Desk::new(lane, self.me(), self.ranks.len(), &push)).collect();
        let mut open = 0;
        let mut in_trees = Vec::new();
        for (place, desk) in desks.iter_mut().enumerate() {
            match desk.work(place) {
                Some(post) if post.by_turns => in_trees.push(post),
                post => self.send(post, false),
            }
            open += usize::from(desk.waits());
        }
        self.send(in_trees, false);
        let mut told: usize =
            if self.me() == 0 { lanes.iter().filter(|lane| lane.server.is_some_and(|s| s != 0)).count() } else { 0 };
        while open > 0 || told > 0 {
            let waited_for = desks.iter().find_map(Desk::waits_for).unwrap_or(0);
            let (letter, from) = self.receive(until, |kind| kind != Kind::Shared, waited_for)?;
            let lane = lanes.get(letter.lane).ok_or_else(|| strange(from))?;
            let mut numbers = vec![0.0; lane.numbers()];
            code::read(&mut &letter.numbers[..], &mut numbers).ok_or_else(|| strange(from))?;
            if letter.kind == Kind::Whole {
                put(lane, &numbers, &mut push);
                told = told.saturating_sub(1);
                continue;
            }
            let desk = desks.get_mut(letter.lane).filter(|desk| desk.waits()).ok_or_else(|| strange(from))?;
            desk.parts.insert(from, numbers);
            let post = desk.work(letter.lane);
            open -= usize::from(!desk.waits());
            self.send(post, false);
        }
        for (lane, desk) in lanes.iter().zip(&desks).filter(|_| self.wire.leads()) {
            desk.sum.iter().for_each(|sum| put(lane, sum, &mut push));
        }
        Ok(push)
    }

    /// Sends all letters, and keeps what comes meanwhile; where they are `awaited`, until their readers have them.
    fn send(&mut self, posts: impl IntoIterator<Item = Post>, awaited: bool) {
        let (mut readers, mut letters) = (Vec::new(), Vec::new());
        for Post { to, by_turns, letter } in posts {
            let Letter { kind, lane, numbers } = letter;
            self.moved += to.len() * numbers.len();
            let [a, b, c, d] = (lane as u32).to_le_bytes();
            letters.push(cut(&numbers, &[a, b, c, d, kind as u8], if by_turns { LONGEST } else { PIECE }));
            readers.push((to, by_turns));
        }
        while readers.iter().any(|(to, _)| !to.is_empty()) {
            let mut now: Vec<(usize, &[u8])> = Vec::new();
            for ((to, by_turns), pieces) in readers.iter_mut().zip(&letters) {
                let count = if *by_turns { to.len().min(1) } else { to.len() };
                let to: Vec<usize> = to.drain(..count).map(|to| self.ranks[to]).collect();
                now.extend(pieces.iter().flat_map(|piece| to.iter().map(|to| (*to, &piece[..]))));
            }
            let (wire, inbox) = (self.wire, &mut *self.inbox);
            wire.send_each(&now, Tag::Lane, awaited, || {
                while let Some((bytes, from)) = wire.arrived(Tag::Lane) {
                    _ = inbox.take(bytes, from);
                }
            });
        }
    }

    /// The next letter of some kind and its sender; the machine that is waited for is named where none comes.
    fn receive(&mut self, until: Instant, wanted: impl Fn(Kind) -> bool, waited: usize) -> Result<(Letter, usize)> {
        let silent = || silent(self.ranks.get(waited).copied(), self.wire.patience);
        loop {
            let place = self.inbox.letters.iter().position(|(letter, _)| wanted(letter.kind));
            if let Some((letter, rank)) = place.and_then(|place| self.inbox.letters.remove(place)) {
                return Ok((letter, self.machine(rank)));
            }
            let arrived = self.wire.poll(Some(until), || self.wire.arrived(Tag::Lane));
            let (bytes, rank) = arrived.ok_or_else(silent)?;
            self.inbox.take(bytes, rank).ok_or_else(|| strange(self.machine(rank)))?;
        }
    }
}

fn opened(mut bytes: Vec<u8>) -> Option<Letter> {
    let foot = bytes.len().checked_sub(FOOT)?;
    let (lane, kind) = bytes[foot..].split_first_chunk::<4>()?;
    let lane = u32::from_le_bytes(*lane) as usize;
    let kind = [Kind::Shared, Kind::Part, Kind::Whole].into_iter().find(|known| [*known as u8] == kind)?;
    bytes.truncate(foot);
    Some(Letter { kind, lane, numbers: bytes.into() })
}

fn strange(machine: usize) -> Error {
    Error::Engine(format!("machine {machine} has sent numbers that are none of this round's"))
}

/// Where one rank's part of a lane is summed.
struct Desk {
    me: usize,
    machines: usize,
    server: Option<usize>,
    sparing: bool,
    /// What has arrived, by sender; a server's own too.
    parts: HashMap<usize, Vec<f64>>,
    /// In a tree: what has been added so far.
    partial: Vec<f64>,
    /// The next level of the tree.
    step: usize,
    done: bool,
    /// The sum of all, where the leader made it.
    sum: Option<Vec<f64>>,
}

impl Desk {
    fn new(lane: &Lane, me: usize, machines: usize, push: &[f64]) -> Self {
        let own = taken(lane, push).into_owned();
        let mut desk = Self {
            me,
            machines,
            server: lane.server,
            sparing: lane.sparing,
            parts: HashMap::new(),
            partial: Vec::new(),
            step: 1,
            done: false,
            sum: None,
        };
        if lane.server == Some(me) {
            desk.parts.insert(me, own);
        } else {
            desk.partial = own;
        }
        desk
    }

    fn waits(&self) -> bool {
        !self.done
    }

    fn waits_for(&self) -> Option<usize> {
        let missing = || (0..self.machines).find(|machine| !self.parts.contains_key(machine));
        (!self.done).then(|| if self.server.is_some() { missing() } else { Some(self.me + self.step) }).flatten()
    }

    /// Adds what is there; what is to be sent once no more is waited for.
    fn work(&mut self, lane: usize) -> Option<Post> {
        match self.server {
            Some(server) if server == self.me => {
                let sum = self.sum_of_all()?;
                self.done = true;
                if self.me == 0 {
                    self.sum = Some(sum);
                    return None;
                }
                Some(Post::one(0, false, self.letter(lane, Kind::Whole, &sum)))
            }
            Some(server) => {
                self.done = true;
                let own = std::mem::take(&mut self.partial);
                Some(Post::one(server, false, self.letter(lane, Kind::Part, &own)))
            }
            None => self.climb(lane),
        }
    }

    fn sum_of_all(&mut self) -> Option<Vec<f64>> {
        if self.parts.len() < self.machines {
            return None;
        }
        let mut tree = TreeSum::default();
        let mut sum = vec![0.0; self.parts.get(&self.me)?.len()];
        (0..self.machines).filter_map(|machine| self.parts.remove(&machine)).for_each(|part| tree.add(part));
        tree.finish(&mut sum);
        Some(sum)
    }

    /// Neighbours first, then pairs of pairs.
    fn climb(&mut self, lane: usize) -> Option<Post> {
        while !self.done {
            if self.step >= self.machines {
                self.done = true;
                self.sum = Some(std::mem::take(&mut self.partial));
            } else if self.me & self.step != 0 {
                self.done = true;
                let own = std::mem::take(&mut self.partial);
                return Some(Post::one(self.me - self.step, true, self.letter(lane, Kind::Part, &own)));
            } else if self.me + self.step < self.machines {
                axpy(1.0, &self.parts.remove(&(self.me + self.step))?, &mut self.partial);
                self.step *= 2;
            } else {
                self.step *= 2;
            }
        }
        None
    }

    fn letter(&self, lane: usize, kind: Kind, sum: &[f64]) -> Letter {
        let mut numbers = Vec::new();
        code::write(sum, None, self.sparing, &mut numbers);
        Letter { kind, lane, numbers: numbers.into() }
    }
}
