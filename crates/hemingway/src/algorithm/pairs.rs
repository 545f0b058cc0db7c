//! A limited memory of how P bends (Nocedal 1980), which L-BFGS steps by and truncated Newton is preconditioned by.

use std::collections::VecDeque;

use crate::data::matrix::{axpy, dot};

/// A step and by how much ∇P changed along it.
#[derive(Debug, Clone, PartialEq)]
struct Pair {
    s: Vec<f64>,
    y: Vec<f64>,
    /// sᵀy.
    bend: f64,
}

/// The newest pairs (s, y ≈ ∇²P·s), the newest last.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pairs {
    kept: VecDeque<Pair>,
    most: usize,
}

impl Pairs {
    /// None yet, and at no time more than so many.
    pub(super) fn at_most(most: usize) -> Self {
        Self { kept: VecDeque::new(), most }
    }

    pub(super) fn len(&self) -> usize {
        self.kept.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.kept.clear();
    }

    /// Leaves out a pair along which nothing bends that could be told from rounding.
    pub(super) fn keep(&mut self, s: Vec<f64>, y: Vec<f64>) {
        let bend = dot(&s, &y);
        if bend > f64::EPSILON * dot(&y, &y) {
            self.push(Pair { s, y, bend });
        }
    }

    fn push(&mut self, pair: Pair) {
        if self.kept.len() == self.most {
            self.kept.pop_front();
        }
        self.kept.push_back(pair);
    }

    /// Adds newer ones, where P now bends by so many times as much.
    pub(super) fn follow(&mut self, newer: Self, times: f64) {
        newer.kept.into_iter().for_each(|pair| self.push(pair));
        for pair in &mut self.kept {
            pair.y.iter_mut().for_each(|y| *y *= times);
            // Not scaled: a checkpoint, which does not hold it, must give the same bits.
            pair.bend = dot(&pair.s, &pair.y);
        }
    }

    /// sᵀy / yᵀy of the newest: how long a step is for its change of slope.
    pub(super) fn newest_scale(&self) -> Option<f64> {
        self.kept.back().map(|pair| pair.bend / dot(&pair.y, &pair.y))
    }

    /// sᵀy / yᵀM⁻¹y of the newest, M being a diagonal: how long a step is for its change of slope where M says one.
    pub(super) fn newest_scale_by(&self, diagonal: &[f64]) -> Option<f64> {
        let over = |(y, m): (&f64, &f64)| if *m > 0.0 { y * y / m } else { 0.0 };
        self.kept.back().map(|pair| pair.bend / pair.y.iter().zip(diagonal).map(over).sum::<f64>())
    }

    /// H·q by the two-loop recursion, H ≈ (∇²P)⁻¹ being what the pairs make of the first guess.
    pub(super) fn solve(&self, mut q: Vec<f64>, first_guess: impl FnOnce(&mut [f64])) -> Vec<f64> {
        let mut weights = Vec::with_capacity(self.kept.len());
        for Pair { s, y, bend } in self.kept.iter().rev() {
            let a = dot(s, &q) / bend;
            axpy(-a, y, &mut q);
            weights.push(a);
        }
        first_guess(&mut q);
        for (Pair { s, y, bend }, a) in self.kept.iter().zip(weights.iter().rev()) {
            let b = dot(y, &q) / bend;
            axpy(a - b, s, &mut q);
        }
        q
    }

    /// s₁, y₁, s₂, y₂, …
    pub(super) fn state(&self) -> impl Iterator<Item = f64> + '_ {
        self.kept.iter().flat_map(|pair| pair.s.iter().chain(&pair.y)).copied()
    }

    /// What [`Pairs::state`] gave; nothing else is taken.
    pub(super) fn restored(state: &[f64], columns: usize, most: usize) -> Option<Self> {
        let pairs = state.chunks_exact(2 * columns.max(1));
        if !pairs.remainder().is_empty() || pairs.len() > most {
            return None;
        }
        let pair = |pair: &[f64]| {
            let (s, y) = pair.split_at(columns);
            Pair { s: s.to_vec(), y: y.to_vec(), bend: dot(s, y) }
        };
        Some(Self { kept: pairs.map(pair).collect(), most })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// H = diag(2, 8), known along two conjugate directions.
    fn known(most: usize) -> Pairs {
        let mut pairs = Pairs::at_most(most);
        pairs.keep(vec![1.0, 0.0], vec![2.0, 0.0]);
        pairs.keep(vec![0.0, 1.0], vec![0.0, 8.0]);
        pairs
    }

    #[test]
    fn pairs_that_span_the_space_invert_what_made_them() {
        assert_eq!(known(5).solve(vec![2.0, 8.0], |_| ()), [1.0, 1.0]);
        // The older of the two is forgotten: along it the first guess stands.
        assert_eq!(known(1).solve(vec![2.0, 8.0], |q| q[0] *= 3.0), [6.0, 1.0]);
        assert_eq!(known(1).newest_scale(), Some(0.125));
    }

    #[test]
    fn a_direction_without_bend_is_not_kept() {
        let mut pairs = Pairs::at_most(5);
        pairs.keep(vec![1.0, 0.0], vec![0.0, 3.0]);
        pairs.keep(vec![1.0, 0.0], vec![-1.0, 0.0]);
        assert!(pairs.is_empty());
    }

    #[test]
    fn what_bends_twice_as_much_is_solved_by_half() {
        let mut twice = Pairs::at_most(5);
        twice.follow(known(5), 2.0);
        assert_eq!(twice.solve(vec![2.0, 8.0], |_| ()), [0.5, 0.5]);
    }

    #[test]
    fn pairs_come_back_from_their_state() {
        let pairs = known(2);
        let state: Vec<f64> = pairs.state().collect();
        assert_eq!(Pairs::restored(&state, 2, 2), Some(pairs));
        assert_eq!(Pairs::restored(&state, 2, 1), None);
        assert_eq!(Pairs::restored(&state[1..], 2, 2), None);
    }
}
