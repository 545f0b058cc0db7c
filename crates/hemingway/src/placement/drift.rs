//! When machines drift apart: what each takes for its shard is watched, and where one takes longer than the others by more than
//! chance explains, the shards are cut again.

use super::Placement;

/// Rounds that are watched before anything is said of them.
const ROUNDS: u32 = 4;
/// The slowest machine must take this much longer than the mean, as a share of it.
const EXCESS: f64 = 0.02;

/// What machines have taken since their shards were cut.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Drift {
    rounds: u32,
    /// Σ of the mean machine's seconds.
    mean: f64,
    /// Of every machine, Σ of its seconds over the round's mean, and Σ of their squares: rounds differ in what they ask.
    shares: Vec<f64>,
    squares: Vec<f64>,
}

impl Drift {
    /// One round: the seconds of every machine.
    pub(crate) fn note(&mut self, seconds: &[f64]) {
        let mean = seconds.iter().sum::<f64>() / seconds.len().max(1) as f64;
        if mean <= 0.0 {
            return;
        }
        self.rounds += 1;
        self.mean += mean;
        self.shares.resize(seconds.len(), 0.0);
        self.squares.resize(seconds.len(), 0.0);
        for ((share, square), seconds) in self.shares.iter_mut().zip(&mut self.squares).zip(seconds) {
            *share += seconds / mean;
            *square += (seconds / mean).powi(2);
        }
    }

    /// Another cut, if the slowest machine is slow beyond chance and moving costs no more seconds than the new cut would have saved in
    /// the rounds watched: as many are likely to follow. `work(i)` counts what all items before i ask for; an item is taken
    /// to cost what the machine that held it took for an equal part of its work.
    pub(crate) fn cut(
        &self,
        placement: &Placement,
        work: impl Fn(usize) -> f64,
        moving: impl Fn(&Placement) -> f64,
    ) -> Option<Placement> {
        let machines = placement.machines();
        if self.rounds < ROUNDS || self.shares.len() != machines || machines < 2 {
            return None;
        }
        let excess = self.excess();
        if excess <= EXCESS.max(self.chance()) {
            return None;
        }
        let before = self.before();
        let cost = |item: usize| {
            let k = placement.holder(item);
            let range = placement.range(k);
            let (from, to) = (work(range.start), work(range.end));
            let part = if to > from { (work(item) - from) / (to - from) } else { 0.0 };
            before[k] + part * (before[k + 1] - before[k])
        };
        // Half of the way: what an item costs is known of its shard only, and to go all of it may be to come back as far.
        let cut = Placement::by_work(placement.items(), machines, cost).half_way_from(placement);
        let slowest = cut.ranges().map(|range| cost(range.end) - cost(range.start)).fold(0.0, f64::max);
        let saved = (excess - (slowest * machines as f64 / before[machines] - 1.0)) * self.mean;
        (cut != *placement && saved > 0.0 && saved >= moving(&cut)).then_some(cut)
    }

    /// By how much the slowest machine is slower than the mean, as a share of it.
    fn excess(&self) -> f64 {
        self.shares.iter().copied().fold(0.0, f64::max) / f64::from(self.rounds) - 1.0
    }

    /// What the slowest of so many machines may be off by although all are alike: the error of a mean of so many rounds, times what the
    /// largest of m normal numbers hardly exceeds.
    fn chance(&self) -> f64 {
        let n = f64::from(self.rounds);
        let spread = |(share, square): (&f64, &f64)| (square / n - (share / n).powi(2)).max(0.0);
        let machines = self.shares.len() as f64;
        let variance = self.shares.iter().zip(&self.squares).map(spread).sum::<f64>() / machines;
        (variance / (n - 1.0)).sqrt() * (2.0 + (2.0 * machines.ln()).sqrt())
    }

    /// What all machines before each took.
    fn before(&self) -> Vec<f64> {
        let sums = self.shares.iter().scan(0.0, |sum, share| {
            *sum += share;
            Some(*sum)
        });
        std::iter::once(0.0).chain(sums).collect()
    }

    /// [rounds, mean, machines], shares, squares.
    pub(crate) fn state(&self) -> impl Iterator<Item = f64> + '_ {
        let head = [f64::from(self.rounds), self.mean, self.shares.len() as f64];
        head.into_iter().chain(self.shares.iter().copied()).chain(self.squares.iter().copied())
    }

    /// What [`Drift::state`] gave, and what follows it.
    pub(crate) fn restored(state: &[f64]) -> Option<(Self, &[f64])> {
        let [rounds, mean, machines, rest @ ..] = state else { return None };
        let (shares, rest) = rest.split_at_checked(*machines as usize)?;
        let (squares, rest) = rest.split_at_checked(*machines as usize)?;
        let drift = Self { rounds: *rounds as u32, mean: *mean, shares: shares.to_vec(), squares: squares.to_vec() };
        Some((drift, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Seconds of every machine: what its items cost, by how slow it is.
    fn seconds(placement: &Placement, cost: &[f64], slow: &[f64]) -> Vec<f64> {
        placement.ranges().zip(slow).map(|(range, slow)| slow * cost[range].iter().sum::<f64>()).collect()
    }

    fn excess(seconds: &[f64]) -> f64 {
        seconds.iter().copied().fold(0.0, f64::max) * seconds.len() as f64 / seconds.iter().sum::<f64>() - 1.0
    }

    /// Cuts again as often as that pays; how often, and where it ends.
    fn settle(mut placement: Placement, cost: &[f64], slow: &[f64]) -> (usize, Placement) {
        for times in 0..200 {
            let mut drift = Drift::default();
            (0..ROUNDS).for_each(|_| drift.note(&seconds(&placement, cost, slow)));
            match drift.cut(&placement, |i| i as f64, |_| 0.0) {
                Some(cut) => placement = cut,
                None => return (times, placement),
            }
        }
        panic!("it never settles")
    }

    proptest! {
        /// Whatever makes machines slow, items that cost more than was counted or machines slower than others: cuts settle, and at least
        /// half of the waiting is gone that there was at first, but for what one item makes out.
        #[test]
        fn cuts_settle_where_nobody_waits_much(
            heavy in prop::collection::vec(0.2..5.0f64, 4),
            slow in prop::collection::vec(1.0..2.0f64, 2..9),
        ) {
            let cost: Vec<f64> = (0..2000).map(|i| heavy[i / 500]).collect();
            let first = Placement::even(cost.len(), slow.len());
            let before = excess(&seconds(&first, &cost, &slow));
            let (_, last) = settle(first, &cost, &slow);
            let after = excess(&seconds(&last, &cost, &slow));
            let item = 5.0 * 2.0 * 9.0 / cost.iter().sum::<f64>();
            prop_assert!(after <= (before / 2.0).max(EXCESS) + item, "{before} and then {after}");
        }
    }

    #[test]
    fn machines_that_differ_by_chance_alone_keep_their_shards() {
        use rand::RngExt;
        let mut rng = crate::rng::keyed(3, crate::rng::Purpose::Straggle, 0, 0);
        let placement = Placement::even(100, 16);
        for _ in 0..200 {
            let mut drift = Drift::default();
            for _ in 0..ROUNDS {
                let seconds: Vec<f64> = (0..16).map(|_| 1.0 + 0.3 * rng.random::<f64>()).collect();
                drift.note(&seconds);
            }
            assert_eq!(drift.cut(&placement, |i| i as f64, |_| 0.0), None);
        }
    }

    #[test]
    fn nothing_moves_that_does_not_pay_and_the_state_is_kept() {
        let placement = Placement::even(100, 4);
        let mut drift = Drift::default();
        (0..ROUNDS).for_each(|_| drift.note(&[2.0, 1.0, 1.0, 1.0]));
        let cut = |drift: &Drift, moving: f64| drift.cut(&placement, |i| i as f64, |_| moving);
        assert!(cut(&drift, 1.5).is_some_and(|cut| cut.range(0).len() < 25));
        // Four rounds of 1.25 s, in each of which 0.75 s are waited for, and half of the way 0.35 s.
        assert_eq!(cut(&drift, 1.7), None);
        let state: Vec<f64> = drift.state().chain([7.0]).collect();
        assert_eq!(Drift::restored(&state), Some((drift, &[7.0][..])));
        assert_eq!(Drift::restored(&state[..5]), None);
    }
}
