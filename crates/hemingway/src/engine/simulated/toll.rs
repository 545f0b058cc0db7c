//! What the exchange of a round costs by a strategy: told from the numbers that it really had to move.

use std::ops::Range;
use std::sync::Arc;

use super::Timekeeper;
use crate::Result;
use crate::sync::rounds::{Exchange, Price, Rounds, copies};

/// The exchange of rounds on so many machines.
pub(super) struct Toll {
    exchange: Arc<Exchange>,
    price: Price,
    /// The blocks of columns.
    blocks: Vec<Range<usize>>,
    /// Numbers of this round's pushes that are not zero, by block, for each number that a coefficient has.
    pushed: Vec<Vec<usize>>,
    /// What all machines know of the shared vector from training. What evaluation tells them does not count, lest training be charged
    /// for less the more often it is looked at.
    known: Vec<f64>,
}

impl Toll {
    /// Nothing where rounds are exchanged as the cluster's own collective has it.
    pub(super) fn new(rounds: Option<&Arc<Rounds>>, machines: usize) -> Result<Option<Self>> {
        let Some((rounds, exchange)) = rounds.map(|rounds| Ok((rounds, rounds.on(machines)?))).transpose()? else {
            return Ok(None);
        };
        let Some(exchange) = exchange.filter(|exchange| !exchange.plain) else { return Ok(None) };
        let price = rounds.price(&exchange)?;
        let mut first = 0;
        let block = |variable: &crate::sync::Variable| {
            let start = first;
            first += variable.elements();
            start..first
        };
        let blocks: Vec<Range<usize>> = exchange.model.variables.iter().map(block).collect();
        Ok(Some(Self { pushed: Vec::new(), exchange, price, blocks, known: Vec::new() }))
    }

    fn numbers(&self) -> usize {
        self.blocks.last().map_or(0, |block| block.end)
    }

    /// Looks at a worker's push.
    pub(super) fn note(&mut self, push: &[f64]) {
        let starts = copies(self.numbers(), push.len());
        self.pushed.resize(starts.clone().count(), vec![0; self.blocks.len()]);
        for (pushed, start) in self.pushed.iter_mut().zip(starts) {
            let own = self.blocks.iter().map(|block| not_zero(&push[start..][block.clone()]));
            pushed.iter_mut().zip(own).for_each(|(all, own)| *all += own);
        }
    }

    /// Seconds of the round whose pushes were noted. What is no coefficient's goes by tree.
    pub(super) fn seconds(
        &mut self,
        off_clock: bool,
        shared: &[f64],
        sum: &[f64],
        timekeeper: &Timekeeper,
    ) -> Result<f64> {
        let numbers = self.numbers();
        let rest = |vector: &[f64]| vector.len() - numbers * copies(numbers, vector.len()).count();
        let mut seconds = self.up_seconds(sum)? + self.down_seconds(shared)?;
        if (rest(shared), rest(sum)) != (0, 0) {
            seconds += timekeeper.sync_seconds(rest(shared), rest(sum));
        }
        if !off_clock {
            self.known.clear();
            self.known.extend_from_slice(shared);
        }
        Ok(seconds)
    }

    fn up_seconds(&mut self, sum: &[f64]) -> Result<f64> {
        let machines = self.exchange.machines as f64;
        let mut seconds = 0.0;
        for (pushed, start) in std::mem::take(&mut self.pushed).into_iter().zip(copies(self.numbers(), sum.len())) {
            let own: Vec<f64> = pushed.into_iter().map(|pushed| pushed as f64 / machines).collect();
            let sums: Vec<usize> = self.blocks.iter().map(|block| not_zero(&sum[start..][block.clone()])).collect();
            self.price.set_pushes(&own, &sums);
            seconds += self.price.up_seconds(&self.exchange.strategy)?;
        }
        Ok(seconds)
    }

    fn down_seconds(&mut self, shared: &[f64]) -> Result<f64> {
        let known = (self.known.len() == shared.len()).then_some(&self.known);
        let mut seconds = 0.0;
        for start in copies(self.numbers(), shared.len()) {
            let changed = |block: &Range<usize>| match known {
                Some(known) => block.clone().filter(|i| is_other(shared[start + i], known[start + i])).count(),
                // Who has heard nothing yet takes all numbers for zero.
                None => not_zero(&shared[start..][block.clone()]),
            };
            let changed: Vec<usize> = self.blocks.iter().map(changed).collect();
            self.price.set_changes(&changed);
            seconds += self.price.down_seconds(&self.exchange.strategy)?;
        }
        Ok(seconds)
    }
}

fn is_other(number: f64, known: f64) -> bool {
    number.to_bits() != known.to_bits()
}

fn not_zero(numbers: &[f64]) -> usize {
    numbers.iter().filter(|number| number.to_bits() != 0).count()
}
