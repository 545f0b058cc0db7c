//! The messages of one exchange, in waves: all of a wave may travel at once, and each needs those of earlier waves that reach
//! its sender.
//!
//! First partial sums travel until every chunk has one owner with the whole of it, then whole sums are handed on.

use super::links::Links;
use super::strategy::Method;

/// A message of chunks `first..last`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    /// Its sender.
    pub from: usize,
    /// Its receiver.
    pub to: usize,
    /// The first chunk.
    pub first: usize,
    /// One past the last.
    pub last: usize,
    /// How many machines' gradients are in it.
    pub held: usize,
}

type Wave = Vec<Message>;

/// How one buffer becomes one sum on m machines. It depends on the method alone: chunks are shares of whatever buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Equal parts of the buffer.
    pub chunks: usize,
    /// Partial sums under way, to be added where they arrive.
    pub sums: Vec<Wave>,
    /// Whole sums under way, to be taken where they arrive.
    pub copies: Vec<Wave>,
    /// Who has the whole sum of each chunk in between.
    pub owners: Vec<usize>,
}

/// The halves of a round that machine 0 leads: it alone works on the sums, and tells the others what came of that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// Gradients become sums at machine 0.
    Up,
    /// What it made of them goes to all others.
    Down,
}

impl Program {
    /// One half of a round by this program: owners of chunks hand whole sums to machine 0, and spread what comes back.
    pub fn half(mut self, half: Half) -> Self {
        let machines = self.sums.iter().flatten().map(|message| message.from.max(message.to) + 1).max().unwrap_or(1);
        let to_the_first = |(chunk, owner): (usize, &usize)| Message {
            from: *owner,
            to: 0,
            first: chunk,
            last: chunk + 1,
            held: machines,
        };
        let gathered: Wave =
            self.owners.iter().enumerate().filter(|(_, owner)| **owner != 0).map(to_the_first).collect();
        match half {
            Half::Up => self.copies = vec![gathered],
            Half::Down => {
                self.sums.clear();
                self.copies.iter_mut().for_each(|wave| wave.retain(|message| message.to != 0));
                let back = |message: Message| Message { from: 0, to: message.from, ..message };
                self.copies.insert(0, gathered.into_iter().map(back).collect());
            }
        }
        self
    }

    /// The program of a method between the machines of these links. A method that the links do not allow is refused by
    /// [`super::Layout::of`].
    pub fn of(method: Method, links: &Links) -> Self {
        let m = links.machines();
        match method {
            _ if m == 1 => Self { chunks: 1, sums: Vec::new(), copies: Vec::new(), owners: vec![0] },
            Method::Ring => ring(m),
            Method::Tree => tree(m),
            Method::HalvingDoubling => halving_doubling(m),
            Method::Hierarchical => hierarchical(&links.racks()),
            Method::Server(server) => star(server, m),
        }
    }

    /// The elements of chunks `first..last` of a buffer.
    pub fn range(&self, first: usize, last: usize, elements: usize) -> std::ops::Range<usize> {
        let at = |chunk: usize| (chunk as u128 * elements as u128 / self.chunks as u128) as usize;
        at(first)..at(last)
    }
}

/// Blocks of chunks go around a ring of members, each adding its own: member i ends with block i + 1.
fn scatter(members: &[usize], blocks: &[(usize, usize)], weight: usize) -> Vec<Wave> {
    around(members, blocks, |i, step, n| (i + n - step) % n, |step| (step + 1) * weight)
}

/// The reverse: from block i + 1 at member i to all blocks at all members.
fn gather(members: &[usize], blocks: &[(usize, usize)], held: usize) -> Vec<Wave> {
    around(members, blocks, |i, step, n| (i + 1 + n - step) % n, |_| held)
}

fn around(
    members: &[usize],
    blocks: &[(usize, usize)],
    block: impl Fn(usize, usize, usize) -> usize,
    held: impl Fn(usize) -> usize,
) -> Vec<Wave> {
    let n = members.len();
    let message = |i: usize, step: usize| {
        let (first, last) = blocks[block(i, step, n)];
        Message { from: members[i], to: members[(i + 1) % n], first, last, held: held(step) }
    };
    (0..n - 1).map(|step| (0..n).map(|i| message(i, step)).collect()).collect()
}

/// Waves of disjoint machines as one.
fn together(parallel: impl IntoIterator<Item = Vec<Wave>>) -> Vec<Wave> {
    let mut waves: Vec<Wave> = Vec::new();
    for own in parallel {
        waves.resize(waves.len().max(own.len()), Vec::new());
        own.into_iter().enumerate().for_each(|(i, wave)| waves[i].extend(wave));
    }
    waves
}

fn single_blocks(count: usize) -> Vec<(usize, usize)> {
    (0..count).map(|chunk| (chunk, chunk + 1)).collect()
}

fn ring(m: usize) -> Program {
    let members: Vec<usize> = (0..m).collect();
    let blocks = single_blocks(m);
    let owners = (0..m).map(|chunk| (chunk + m - 1) % m).collect();
    Program { chunks: m, sums: scatter(&members, &blocks, 1), copies: gather(&members, &blocks, m), owners }
}

/// Neighbours first, then pairs of pairs: the order in which [`super::TreeSum`] adds.
fn climb(members: &[usize], chunks: usize, weight: usize) -> Vec<Wave> {
    let n = members.len();
    let distances = std::iter::successors(Some(1), |d| Some(2 * d)).take_while(|d| *d < n);
    let wave = |d: usize| {
        let senders = (d..n).step_by(2 * d);
        let message = |i: usize| Message {
            from: members[i],
            to: members[i - d],
            first: 0,
            last: chunks,
            held: d.min(n - i) * weight,
        };
        senders.map(message).collect()
    };
    distances.map(wave).collect()
}

fn turned(waves: &[Wave], held: usize) -> Vec<Wave> {
    let back = |message: &Message| Message { from: message.to, to: message.from, held, ..*message };
    waves.iter().rev().map(|wave| wave.iter().map(back).collect()).collect()
}

fn tree(m: usize) -> Program {
    let members: Vec<usize> = (0..m).collect();
    let sums = climb(&members, 1, 1);
    Program { chunks: 1, copies: turned(&sums, m), sums, owners: vec![0] }
}

fn star(server: usize, m: usize) -> Program {
    let others = (0..m).filter(|k| *k != server);
    let sums = vec![others.map(|from| Message { from, to: server, first: 0, last: 1, held: 1 }).collect()];
    Program { chunks: 1, copies: turned(&sums, m), sums, owners: vec![server] }
}

/// Beyond the largest power of two p, machines fold theirs into a partner's first and are told the sum last.
fn halving_doubling(m: usize) -> Program {
    let p = 1 << m.ilog2();
    let fold: Wave = (p..m).map(|from| Message { from, to: from - p, first: 0, last: p, held: 1 }).collect();
    let folded = if m > p { 2 } else { 1 };
    let distances: Vec<usize> = std::iter::successors(Some(p / 2), |d| Some(d / 2)).take_while(|d| *d > 0).collect();
    let halving = distances.iter().map(|d| {
        let held = (folded * p / (2 * d)).min(m);
        let other_half = |i: usize| {
            let first = (i & !(2 * d - 1)) + if i & d == 0 { *d } else { 0 };
            Message { from: i, to: i ^ d, first, last: first + d, held }
        };
        (0..p).map(other_half).collect()
    });
    let doubling = distances.iter().rev().map(|d| {
        let own = |i: usize| Message { from: i, to: i ^ d, first: i & !(d - 1), last: (i & !(d - 1)) + d, held: m };
        (0..p).map(own).collect()
    });
    let unfold: Wave = fold.iter().map(|f| Message { from: f.to, to: f.from, held: m, ..*f }).collect();
    let some = |wave: Wave| Some(wave).filter(|wave| !wave.is_empty());
    Program {
        chunks: p,
        sums: some(fold).into_iter().chain(halving).collect(),
        copies: doubling.chain(some(unfold)).collect(),
        owners: (0..p).collect(),
    }
}

/// Racks alike: rings within them, then one ring between counterparts for each place. Racks unlike: a tree within each
/// to its first machine, and a ring between those.
fn hierarchical(racks: &[Vec<usize>]) -> Program {
    let (size, count) = (racks[0].len(), racks.len());
    let m: usize = racks.iter().map(Vec::len).sum();
    if racks.iter().any(|rack| rack.len() != size) {
        let leaders: Vec<usize> = racks.iter().map(|rack| rack[0]).collect();
        let within = together(racks.iter().map(|rack| climb(rack, count, 1)));
        let blocks = single_blocks(count);
        let between = scatter(&leaders, &blocks, m.div_ceil(count));
        let down = turned(&within, m);
        return Program {
            chunks: count,
            sums: within.into_iter().chain(between).collect(),
            copies: gather(&leaders, &blocks, m).into_iter().chain(down).collect(),
            owners: (0..count).map(|chunk| leaders[(chunk + count - 1) % count]).collect(),
        };
    }
    let blocks: Vec<(usize, usize)> = (0..size).map(|b| (b * count, (b + 1) * count)).collect();
    // At place i of every rack lies block i + 1 once its ring has gone around.
    let counterparts = |i: usize| racks.iter().map(|rack| rack[i]).collect::<Vec<usize>>();
    let inside =
        |i: usize| (0..count).map(|c| ((i + 1) % size * count + c, (i + 1) % size * count + c + 1)).collect::<Vec<_>>();
    let within = together(racks.iter().map(|rack| scatter(rack, &blocks, 1)));
    let between = together((0..size).map(|i| scatter(&counterparts(i), &inside(i), size)));
    let back = together((0..size).map(|i| gather(&counterparts(i), &inside(i), m)));
    let down = together(racks.iter().map(|rack| gather(rack, &blocks, m)));
    let owner = |chunk: usize| racks[(chunk % count + count - 1) % count][(chunk / count + size - 1) % size];
    Program {
        chunks: size * count,
        sums: within.into_iter().chain(between).collect(),
        copies: back.into_iter().chain(down).collect(),
        owners: (0..size * count).map(owner).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::links::tests::cluster;

    /// Which machines' gradients each machine has of each chunk, as bits; a machine counted twice is caught.
    fn follow(program: &Program, m: usize) -> Vec<Vec<u32>> {
        let mut have: Vec<Vec<u32>> = (0..m).map(|k| vec![1 << k; program.chunks]).collect();
        for wave in &program.sums {
            let before = have.clone();
            for message in wave {
                for chunk in message.first..message.last {
                    assert_eq!(have[message.to][chunk] & before[message.from][chunk], 0, "added twice");
                    have[message.to][chunk] |= before[message.from][chunk];
                }
            }
        }
        for (chunk, owner) in program.owners.iter().enumerate() {
            assert_eq!(have[*owner][chunk].count_ones() as usize, m, "the owner of chunk {chunk} has all");
        }
        for wave in &program.copies {
            let before = have.clone();
            for message in wave {
                for chunk in message.first..message.last {
                    assert_eq!(before[message.from][chunk].count_ones() as usize, m, "a copy is whole");
                    have[message.to][chunk] = before[message.from][chunk];
                }
            }
        }
        have
    }

    #[test]
    fn every_method_brings_every_gradient_everywhere_once() {
        for m in 1..=20 {
            for racks in [false, true] {
                let links = Links::of(&cluster(m, racks), m);
                let mut methods = vec![Method::Ring, Method::Tree, Method::HalvingDoubling];
                methods.extend((0..m).map(Method::Server));
                methods.extend(links.has_racks().then_some(Method::Hierarchical));
                for method in methods {
                    let have = follow(&Program::of(method, &links), m);
                    assert!(
                        have.iter().flatten().all(|bits| *bits == (1u64 << m).wrapping_sub(1) as u32),
                        "{method} of {m}"
                    );
                }
            }
        }
    }

    #[test]
    fn rounds_end_at_their_leader_and_begin_there() {
        let links = Links::of(&cluster(6, false), 6);
        for method in [Method::Tree, Method::Server(0), Method::Server(4), Method::Ring] {
            let (up, down) = (Program::of(method, &links).half(Half::Up), Program::of(method, &links).half(Half::Down));
            let all = (1u32 << 6) - 1;
            assert!(follow(&up, 6)[0].iter().all(|bits| *bits == all), "{method}");
            let mut told: Vec<Vec<bool>> = (0..6).map(|machine| vec![machine == 0; down.chunks]).collect();
            for message in down.copies.iter().flatten() {
                let chunks = message.first..message.last;
                let known = told[message.from][chunks.clone()].iter().all(|told| *told);
                assert!(known && message.to != 0, "{method}: {message:?}");
                told[message.to][chunks].fill(true);
            }
            assert!(down.sums.is_empty() && told.iter().flatten().all(|told| *told), "{method}");
        }
    }

    #[test]
    fn a_ring_carries_twice_the_buffer_but_one_chunk() {
        let program = ring(4);
        let sent = program.sums.iter().chain(&program.copies).flatten().filter(|message| message.from == 2).count();
        assert_eq!((sent, program.chunks), (6, 4));
        assert_eq!(program.range(1, 3, 10), 2..7);
    }
}
