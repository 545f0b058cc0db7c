//! The dynamic schedule (Lee et al. 2014): columns are drawn by how much they last moved, and a column waits while one that
//! it depends on moves on another machine.
//!
//! The columns of the pool are drawn without replacement, a sweep at a time, with probability in proportion to the square of
//! their last change and a floor: whoever moves much comes first, and nobody is left out for longer than a sweep. A round
//! takes those at the head of the queue that may move together, about equally much work on every machine; the others keep their place.

use std::collections::BTreeMap;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::dependence::Dependence;
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
/// No machine: columns of several keep one from moving.
const NOBODY: usize = usize::MAX;

/// Columns, their priorities and whose turn it is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Dynamic {
    /// The squared last change of every column of the pool.
    priorities: BTreeMap<u32, f64>,
    /// Those still to move in this sweep, the first first.
    queue: Vec<u32>,
    dependence: Dependence,
    /// Entries of the columns that were described.
    weights: BTreeMap<u32, f64>,
    /// The work of an average column of this sweep.
    average: f64,
    /// Columns that a machine moves in a round.
    quota: f64,
    /// Whether the user has said so.
    is_set: bool,
}

impl Dynamic {
    pub(crate) fn new(block: Option<usize>, rho: f64) -> Self {
        Self {
            priorities: BTreeMap::new(),
            queue: Vec::new(),
            dependence: Dependence::above(rho),
            weights: BTreeMap::new(),
            average: 1.0,
            quota: block.map_or(QUOTA.0, |block| block as f64),
            is_set: block.is_some(),
        }
    }

    /// Goes on with other columns. What is known of those that stay is kept; the new ones come first.
    pub(crate) fn renew(&mut self, pool: impl IntoIterator<Item = u32>) {
        let first = self.priorities.values().copied().fold(1.0, f64::max);
        let known = |column: u32| (column, self.priorities.get(&column).copied().unwrap_or(first));
        self.priorities = pool.into_iter().map(known).collect();
        self.queue.clear();
        self.dependence.retain(&self.priorities.keys().copied().collect());
        self.weights.retain(|column, _| self.priorities.contains_key(column));
        self.weigh();
    }

    /// Learns how many entries a column has, and its signature.
    pub(crate) fn describe(&mut self, column: u32, entries: f64, signature: &[f64]) {
        self.weights.insert(column, entries);
        self.dependence.describe(column, signature);
    }

    /// The columns it goes on with, ascending.
    pub(crate) fn pool(&self) -> impl Iterator<Item = u32> + '_ {
        self.priorities.keys().copied()
    }

    /// Those that nothing is known of yet.
    pub(crate) fn strangers(&self) -> Vec<u32> {
        self.pool().filter(|column| !self.dependence.is_described(*column)).collect()
    }

    /// Whether all have had their turn.
    pub(crate) fn is_swept(&self) -> bool {
        self.queue.is_empty()
    }

    /// Begins a sweep: an order drawn by priority (Efraimidis & Spirakis 2006).
    pub(crate) fn sweep(&mut self, rng: &mut ChaCha8Rng) {
        let floor = FLOOR * self.priorities.values().copied().fold(0.0, f64::max);
        let draw = |(column, priority): (&u32, &f64)| {
            let weight = (priority + floor).max(f64::MIN_POSITIVE);
            ((1.0 - rng.random::<f64>()).ln() / weight, *column)
        };
        let mut drawn: Vec<(f64, u32)> = self.priorities.iter().map(draw).collect();
        drawn.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        self.queue = drawn.into_iter().map(|(_, column)| column).collect();
        self.weigh();
    }

    /// The columns of the next round, ascending: no two of them on different machines conflict, and every machine has as much work as
    /// its quota of average columns is, and a column more at most, as far as there are columns for it.
    pub(crate) fn block(&self, placement: &Placement) -> Vec<u32> {
        let (quota, budget) = (self.columns_each(), self.budget());
        let most = if self.is_set { quota } else { usize::MAX };
        let mut taken = vec![(0, 0.0); placement.machines()];
        let mut full = 0;
        let mut kept = Vec::new();
        // Of columns that conflict with one that is kept: the only machine that may still move them, or nobody.
        let mut held_by: BTreeMap<u32, usize> = BTreeMap::new();
        for column in &self.queue {
            let owner = placement.owner(*column as usize);
            let is_full = |(columns, work): (usize, f64)| columns == most || work >= budget;
            if is_full(taken[owner]) || held_by.get(column).is_some_and(|holder| *holder != owner) {
                continue;
            }
            kept.push(*column);
            for other in self.dependence.conflicts(*column) {
                held_by
                    .entry(other)
                    .and_modify(|holder| *holder = if *holder == owner { owner } else { NOBODY })
                    .or_insert(owner);
            }
            taken[owner].0 += 1;
            taken[owner].1 += self.weight(*column);
            full += usize::from(is_full(taken[owner]));
            if full == taken.len() {
                break;
            }
        }
        kept.sort_unstable();
        kept
    }

    fn columns_each(&self) -> usize {
        (self.quota as usize).max(1)
    }

    /// A column of no entries asks for something too.
    fn weight(&self, column: u32) -> f64 {
        self.weights.get(&column).map_or(1.0, |entries| entries.max(1.0))
    }

    /// The work that a machine's quota of average columns is.
    fn budget(&self) -> f64 {
        self.columns_each() as f64 * self.average
    }

    fn weigh(&mut self) {
        let whole: f64 = self.pool().map(|column| self.weight(column)).sum();
        self.average = whole / self.priorities.len().max(1) as f64;
    }

    /// A block, ascending, has moved by so much each.
    pub(crate) fn observe(&mut self, block: &[u32], changes: &[f64]) {
        for (column, change) in block.iter().zip(changes) {
            self.priorities.insert(*column, change * change);
        }
        self.queue.retain(|column| block.binary_search(column).is_err());
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

    /// [quota, columns, queue], the columns with their priorities and weights (below 0 if not described), the queue, and what is known of
    /// dependence.
    pub(crate) fn state(&self) -> impl Iterator<Item = f64> + '_ {
        let sizes = [self.quota, self.priorities.len() as f64, self.queue.len() as f64];
        let weight = |column| self.weights.get(column).map_or(-1.0, |entries| *entries);
        let pool =
            self.priorities.iter().flat_map(move |(column, priority)| [f64::from(*column), *priority, weight(column)]);
        let queue = self.queue.iter().map(|column| f64::from(*column));
        sizes.into_iter().chain(pool).chain(queue).chain(self.dependence.state())
    }

    /// Takes up what [`Dynamic::state`] gave.
    pub(crate) fn restore(&mut self, state: &[f64]) -> Option<()> {
        let [quota, columns, queue, rest @ ..] = state else { return None };
        let (pool, rest) = rest.split_at_checked(3 * *columns as usize)?;
        let (queue, dependence) = rest.split_at_checked(*queue as usize)?;
        self.quota = *quota;
        self.priorities = pool.chunks_exact(3).map(|entry| (entry[0] as u32, entry[1])).collect();
        let described = pool.chunks_exact(3).filter(|entry| entry[2] >= 0.0);
        self.weights = described.map(|entry| (entry[0] as u32, entry[2])).collect();
        self.queue = queue.iter().map(|column| *column as u32).collect();
        self.weigh();
        self.dependence.restore(dependence)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::matrix::dot;
    use crate::rng::{Purpose, keyed};

    fn unit(angle: f64) -> Vec<f64> {
        vec![angle.cos(), angle.sin()]
    }

    fn described(angles: &[f64], rho: f64, quota: Option<usize>) -> Dynamic {
        weighing(angles, &vec![1.0; angles.len()], rho, quota)
    }

    fn weighing(angles: &[f64], weights: &[f64], rho: f64, quota: Option<usize>) -> Dynamic {
        let mut dynamic = Dynamic::new(quota, rho);
        dynamic.renew(0..angles.len() as u32);
        let columns = (0..).zip(angles).zip(weights);
        columns.for_each(|((column, angle), weight)| dynamic.describe(column, *weight, &unit(*angle)));
        dynamic
    }

    proptest! {
        /// Sweeps end, everybody has moved once in each, never two together on different machines that depend on each
        /// other, and no machine moves more than its quota. A sweep has no more rounds than columns.
        #[test]
        fn everybody_moves_and_nobody_in_the_way_of_another(
            angles in prop::collection::vec(0.0..3.2f64, 1..40),
            machines in 1..6usize,
            quota in 1..5usize,
            rho in 0.05..0.9f64,
        ) {
            let mut dynamic = described(&angles, rho, Some(quota));
            let placement = Placement::even(angles.len(), machines);
            for round in 0..3 {
                dynamic.sweep(&mut keyed(1, Purpose::Schedule, 0, round));
                let (mut moved, mut rounds) = (Vec::new(), 0);
                while !dynamic.is_swept() {
                    let block = dynamic.block(&placement);
                    prop_assert!(!block.is_empty() && block.is_sorted());
                    for (k, a) in block.iter().enumerate() {
                        let own = placement.owner(*a as usize);
                        prop_assert!(block.iter().filter(|b| placement.owner(**b as usize) == own).count() <= quota);
                        for b in &block[k + 1..] {
                            let cos = dot(&unit(angles[*a as usize]), &unit(angles[*b as usize])).abs();
                            prop_assert!(own == placement.owner(*b as usize) || cos <= rho);
                        }
                    }
                    let changes: Vec<f64> = block.iter().map(|column| f64::from(*column)).collect();
                    dynamic.observe(&block, &changes);
                    moved.extend(block);
                    rounds += 1;
                }
                moved.sort_unstable();
                prop_assert_eq!(moved, (0..angles.len() as u32).collect::<Vec<_>>());
                prop_assert!(rounds <= angles.len());
            }
        }

        /// No machine has more work than all have on average and a column, as long as there are columns for all of them; and never more
        /// than its quota of average columns and one.
        #[test]
        fn work_is_shared_out_evenly(
            weights in prop::collection::vec(0..500u32, 1..60),
            machines in 1..6usize,
            quota in 1.0..9.0f64,
        ) {
            let weights: Vec<f64> = weights.into_iter().map(f64::from).collect();
            let mut dynamic = weighing(&vec![0.0; weights.len()], &weights, 1.0, None);
            dynamic.quota = quota;
            let placement = Placement::even(weights.len(), machines);
            dynamic.sweep(&mut keyed(1, Purpose::Schedule, 0, 0));
            let heaviest = weights.iter().copied().fold(1.0, f64::max);
            while !dynamic.is_swept() {
                let mut work = vec![0.0; machines];
                let block = dynamic.block(&placement);
                block.iter().for_each(|column| work[placement.owner(*column as usize)] += dynamic.weight(*column));
                let (budget, mean) = (dynamic.budget(), work.iter().sum::<f64>() / machines as f64);
                let enough = work.iter().all(|work| *work >= budget);
                let most = if enough { mean } else { budget };
                prop_assert!(work.iter().all(|work| *work <= most + heaviest), "{work:?} of {budget}");
                let changes = vec![0.0; block.len()];
                dynamic.observe(&block, &changes);
            }
        }
    }

    #[test]
    fn whoever_moved_most_is_drawn_first() {
        let mut first = [0; 3];
        for round in 0..1000 {
            let mut dynamic = described(&[0.0, 1.0, 2.0], 1.0, None);
            dynamic.observe(&[0, 1, 2], &[3.0, 1.0, 0.0]);
            dynamic.sweep(&mut keyed(1, Purpose::Schedule, 0, round));
            first[dynamic.queue[0] as usize] += 1;
        }
        // Nine to one, and the floor.
        assert!((870..930).contains(&first[0]) && first[1] > 70 && first[2] < 5, "{first:?}");
    }

    #[test]
    fn the_quota_follows_what_is_lost_and_the_state_is_kept() {
        let mut dynamic = described(&[0.0, 1.0, 2.0], 0.3, None);
        dynamic.learn(0.0);
        assert_eq!(dynamic.quota, QUOTA.0 * GROW);
        (0..9).for_each(|_| dynamic.learn(0.9));
        assert_eq!(dynamic.quota, 1.0);
        dynamic.sweep(&mut keyed(1, Purpose::Schedule, 0, 0));
        let state: Vec<f64> = dynamic.state().collect();
        let mut again = Dynamic::new(None, 0.3);
        assert!(again.restore(&state).is_some() && again == dynamic);
        assert!(again.restore(&state[..4]).is_none());
        dynamic.renew([1, 5]);
        assert_eq!(dynamic.strangers(), [5]);
        let state: Vec<f64> = dynamic.state().collect();
        assert!(again.restore(&state).is_some() && again == dynamic);
    }
}
