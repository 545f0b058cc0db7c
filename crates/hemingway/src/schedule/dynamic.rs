//! The dynamic schedule (Lee et al. 2014): columns are drawn by how much they last moved, and a column waits while one that
//! it depends on moves on another machine.
//!
//! The columns of the pool are drawn without replacement, a sweep at a time, with probability in proportion to the square of
//! their last change and a floor: whoever moves much comes first, and nobody is left out for longer than a sweep. A round
//! takes those at the head of the queue that may move together, about equally much work on every machine; the others keep their place.
//!
//! A block may be chosen while the one before it is still moving (`pipeline=1`): from priorities that lack its changes. Nothing else is stale. Its
//! changes are added before the next block moves, so that two blocks never move at once, and a conflict is one within a block only.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::dependence::Dependence;
use crate::algorithm::Work;
use crate::placement::Placement;

/// The least priority, as a share of the largest.
const FLOOR: f64 = 1e-3;
/// Columns that a machine moves in a round, at first and at most.
const QUOTA: (f64, f64) = (4.0, 4096.0);
/// By how much that grows while columns keep out of each other's way, and shrinks when they do not.
const GROW: f64 = 1.5;
const SHRINK: f64 = 0.5;
/// The part of a round's gain that is lost where columns are in each other's way: it grows below the first, shrinks above the
/// second.
const LOST: (f64, f64) = (0.05, 0.25);
/// Work of choosing, in entries: to draw a column's place in a sweep, and to consider it for a round. A conflict looked up is one.
const TO_DRAW: u64 = 64;
const TO_CONSIDER: u64 = 8;
/// Numbers of signatures that are compared in the time of an entry: they lie side by side and are taken many at once.
const COMPARED: u64 = 8;

/// Columns, their priorities and whose turn it is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Dynamic {
    /// The pool, ascending.
    pool: Vec<Member>,
    /// Who is still to move in this sweep, the first first; places in the pool.
    queue: Vec<u32>,
    /// The columns of the next round, ascending, where they are chosen already, and for how many machines.
    next: Option<(usize, Vec<u32>)>,
    dependence: Dependence,
    /// The work of all columns of the pool.
    whole: f64,
    /// Columns that a machine moves in a round.
    quota: f64,
    /// Whether the user has said so.
    is_set: bool,
}

/// A column of the pool.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Member {
    column: u32,
    /// The square of its last change.
    priority: f64,
    /// Its entries and its place among the columns described, once it is.
    described: Option<(f64, u32)>,
}

impl Member {
    /// A column of no entries asks for something too.
    fn weight(&self) -> f64 {
        self.described.map_or(1.0, |(entries, _)| entries.max(1.0))
    }
}

/// What moves in a round.
#[derive(Debug)]
pub(crate) struct Choice {
    /// The columns, ascending, and for how many machines.
    block: (usize, Vec<u32>),
    /// Whom it was chosen from.
    queue: Vec<u32>,
    /// What it took to choose.
    pub(crate) work: Work,
}

impl Dynamic {
    pub(crate) fn new(block: Option<usize>, rho: f64) -> Self {
        Self {
            pool: Vec::new(),
            queue: Vec::new(),
            next: None,
            dependence: Dependence::above(rho),
            whole: 0.0,
            quota: block.map_or(QUOTA.0, |block| block as f64),
            is_set: block.is_some(),
        }
    }

    /// Goes on with other columns. What is known of those that stay is kept; the new ones come first.
    pub(crate) fn renew(&mut self, pool: impl IntoIterator<Item = u32>) {
        let first = self.pool.iter().map(|member| member.priority).fold(1.0, f64::max);
        let mut columns: Vec<u32> = pool.into_iter().collect();
        columns.sort_unstable();
        columns.dedup();
        self.dependence.retain(&columns);
        let entries = |member: &Member| member.described.map(|(entries, _)| entries);
        let known = |column: u32| match self.member(column) {
            Some(member) => {
                let described = entries(&member).zip(self.dependence.place(column));
                Member { described, ..member }
            }
            None => Member { column, priority: first, described: None },
        };
        self.pool = columns.into_iter().map(known).collect();
        (self.queue, self.next) = (Vec::new(), None);
        self.whole = self.pool.iter().map(Member::weight).sum();
    }

    fn place(&self, column: u32) -> Option<usize> {
        self.pool.binary_search_by_key(&column, |member| member.column).ok()
    }

    fn member(&self, column: u32) -> Option<Member> {
        self.place(column).map(|place| self.pool[place])
    }

    /// Learns how many entries a column has, and its signature. Returns what that took.
    pub(crate) fn describe(&mut self, column: u32, entries: f64, signature: &[f64]) -> Work {
        let compared = self.dependence.describe(column, signature);
        if let Some(place) = self.place(column) {
            let member = &mut self.pool[place];
            let before = member.weight();
            member.described = Some(entries).zip(self.dependence.place(column));
            self.whole += member.weight() - before;
        }
        Work { rows: 0, entries: compared / COMPARED }
    }

    /// The columns it goes on with, ascending.
    pub(crate) fn pool(&self) -> impl Iterator<Item = u32> + '_ {
        self.pool.iter().map(|member| member.column)
    }

    /// Those that nothing is known of yet.
    pub(crate) fn strangers(&self) -> Vec<u32> {
        self.pool.iter().filter(|member| member.described.is_none()).map(|member| member.column).collect()
    }

    /// Whether all have had their turn.
    pub(crate) fn is_swept(&self) -> bool {
        self.queue.is_empty()
    }

    /// The columns of the next round, if they are chosen for so many machines: who holds what is another matter on others.
    pub(crate) fn next(&self, machines: usize) -> Option<&[u32]> {
        self.next.as_ref().filter(|(chosen_for, _)| *chosen_for == machines).map(|(_, block)| &block[..])
    }

    /// Chooses the columns of a round from all that is known, while those of the last round, ascending, may still be moving: they have had
    /// their turn in this sweep. Where it is over, the next one is drawn.
    pub(crate) fn choose(&self, moving: &[u32], placement: &Placement, rng: impl FnOnce() -> ChaCha8Rng) -> Choice {
        let mut queue = self.without(moving);
        let mut entries = 0;
        if queue.is_empty() {
            queue = self.sweep(&mut rng());
            entries += TO_DRAW * queue.len() as u64;
        }
        let (block, considered) = self.block(&queue, placement);
        let work = Work { rows: 0, entries: entries + considered };
        Choice { block: (placement.machines(), block), queue, work }
    }

    /// Goes by a choice.
    pub(crate) fn follow(&mut self, choice: Choice) {
        (self.queue, self.next) = (choice.queue, Some(choice.block));
    }

    /// Who is still to move once these have.
    fn without(&self, block: &[u32]) -> Vec<u32> {
        let mut has_moved = vec![false; self.pool.len()];
        block.iter().filter_map(|column| self.place(*column)).for_each(|place| has_moved[place] = true);
        self.queue.iter().copied().filter(|place| !has_moved[*place as usize]).collect()
    }

    /// An order of the whole pool, drawn by priority (Efraimidis & Spirakis 2006).
    fn sweep(&self, rng: &mut ChaCha8Rng) -> Vec<u32> {
        let floor = FLOOR * self.pool.iter().map(|member| member.priority).fold(0.0, f64::max);
        let draw = |(place, member): (u32, &Member)| {
            let weight = (member.priority + floor).max(f64::MIN_POSITIVE);
            ((1.0 - rng.random::<f64>()).ln() / weight, place)
        };
        let mut drawn: Vec<(f64, u32)> = (0..).zip(&self.pool).map(draw).collect();
        drawn.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        drawn.into_iter().map(|(_, place)| place).collect()
    }

    /// Those at the head of a queue that may move together, ascending: no two of them on different machines conflict, and every machine has as
    /// much work as its quota of average columns is, and a column more at most, as far as there are columns for it. And what it took to
    /// find them.
    fn block(&self, queue: &[u32], placement: &Placement) -> (Vec<u32>, u64) {
        let (quota, budget) = (self.columns_each(), self.budget());
        let most = if self.is_set { quota } else { usize::MAX };
        let mut taken = vec![(0, 0.0); placement.machines()];
        let mut full = 0;
        let mut kept = Vec::new();
        let mut work = 0;
        // Of those described: who may still move them, now that others are kept with which they conflict.
        let mut held_by = vec![Holder::Anybody; self.dependence.len()];
        for place in queue {
            let member = &self.pool[*place as usize];
            let owner = placement.owner(member.column as usize);
            let is_full = |(columns, work): (usize, f64)| columns == most || work >= budget;
            work += TO_CONSIDER;
            let described = member.described.map(|(_, place)| place);
            let is_held = described.is_some_and(|place| held_by[place as usize].keeps_from(owner));
            if is_held || is_full(taken[owner]) {
                continue;
            }
            kept.push(member.column);
            let conflicts = described.map_or(&[][..], |place| self.dependence.conflicts_at(place));
            work += conflicts.len() as u64;
            conflicts.iter().for_each(|other| held_by[*other as usize].hold(owner));
            taken[owner].0 += 1;
            taken[owner].1 += member.weight();
            full += usize::from(is_full(taken[owner]));
            if full == taken.len() {
                break;
            }
        }
        kept.sort_unstable();
        (kept, work)
    }

    fn columns_each(&self) -> usize {
        (self.quota as usize).max(1)
    }

    /// The work that a machine's quota of average columns is.
    fn budget(&self) -> f64 {
        self.columns_each() as f64 * self.whole / self.pool.len().max(1) as f64
    }

    /// A block, ascending, has moved by so much each.
    pub(crate) fn observe(&mut self, block: &[u32], changes: &[f64]) {
        self.queue = self.without(block);
        self.next = None;
        for (column, change) in block.iter().zip(changes) {
            if let Some(place) = self.place(*column) {
                self.pool[place].priority = change * change;
            }
        }
    }

    /// Learns what part of a round's gain was lost by columns that were in each other's way.
    pub(crate) fn learn(&mut self, lost: f64) {
        let by = match lost {
            _ if self.is_set => 1.0,
            lost if lost < LOST.0 => GROW,
            lost if lost > LOST.1 => SHRINK,
            _ => 1.0,
        };
        self.quota = (by * self.quota).clamp(1.0, QUOTA.1.max(self.quota));
    }

    /// [quota, columns, queue, machines, next], the columns with their priorities and weights (below 0 if not described), the queue, the next
    /// block (chosen for no machines if it is not), and what is known of dependence.
    pub(crate) fn state(&self) -> impl Iterator<Item = f64> + '_ {
        let next = self.next.as_ref().map_or(0.0, |(_, block)| block.len() as f64);
        let machines = self.next.as_ref().map_or(0.0, |(machines, _)| *machines as f64);
        let sizes = [self.quota, self.pool.len() as f64, self.queue.len() as f64, machines, next];
        let weight = |member: &Member| member.described.map_or(-1.0, |(entries, _)| entries);
        let pool = self.pool.iter().flat_map(move |member| [f64::from(member.column), member.priority, weight(member)]);
        let block = self.next.iter().flat_map(|(_, block)| block);
        let numbers = self.queue.iter().chain(block).map(|number| f64::from(*number));
        sizes.into_iter().chain(pool).chain(numbers).chain(self.dependence.state())
    }

    /// Takes up what [`Dynamic::state`] gave.
    pub(crate) fn restore(&mut self, state: &[f64]) -> Option<()> {
        let [quota, columns, queue, machines, next, rest @ ..] = state else { return None };
        let (pool, rest) = rest.split_at_checked(3 * *columns as usize)?;
        let (queue, rest) = rest.split_at_checked(*queue as usize)?;
        let (block, dependence) = rest.split_at_checked(*next as usize)?;
        self.dependence.restore(dependence)?;
        let member = |entry: &[f64]| {
            let column = entry[0] as u32;
            let described = (entry[2] >= 0.0).then_some(entry[2]).zip(self.dependence.place(column));
            Member { column, priority: entry[1], described }
        };
        self.pool = pool.chunks_exact(3).map(member).collect();
        self.queue = queue.iter().map(|place| *place as u32).collect();
        let block = block.iter().map(|column| *column as u32).collect();
        self.next = (*machines > 0.0).then_some((*machines as usize, block));
        self.quota = *quota;
        self.whole = self.pool.iter().map(Member::weight).sum();
        self.queue.iter().all(|place| (*place as usize) < self.pool.len()).then_some(())
    }
}

/// Who may still move a column in a round.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Holder {
    Anybody,
    /// Those that it conflicts with move on this machine.
    Only(usize),
    /// They move on several.
    Nobody,
}

impl Holder {
    fn keeps_from(self, owner: usize) -> bool {
        self != Self::Anybody && self != Self::Only(owner)
    }

    fn hold(&mut self, owner: usize) {
        *self = if self.keeps_from(owner) { Self::Nobody } else { Self::Only(owner) };
    }
}

#[cfg(test)]
mod tests;
