//! What the exchange of a round costs by a strategy: told from the numbers that it really had to move.

use std::ops::Range;
use std::sync::Arc;

use super::Timekeeper;
use crate::Result;
use crate::sync::rounds::{Exchange, Price, Rounds};

/// The exchange of rounds on so many machines.
pub(super) struct Toll {
    exchange: Arc<Exchange>,
    price: Price,
    /// The blocks of columns.
    blocks: Vec<Range<usize>>,
    /// Numbers of this round's pushes that are not zero, by block.
    pushed: Vec<usize>,
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
        Ok(Some(Self { pushed: vec![0; blocks.len()], exchange, price, blocks, known: Vec::new() }))
    }

    fn numbers(&self) -> usize {
        self.blocks.last().map_or(0, |block| block.end)
    }

    /// Looks at a worker's push.
    pub(super) fn note(&mut self, push: &[f64]) {
        if push.len() >= self.numbers() {
            let own = self.blocks.iter().map(|block| not_zero(&push[block.clone()]));
            self.pushed.iter_mut().zip(own).for_each(|(all, own)| *all += own);
        }
    }

    /// Seconds of the round whose pushes were noted. What is longer or shorter than the coefficients goes by tree.
    pub(super) fn seconds(
        &mut self,
        off_clock: bool,
        shared: &[f64],
        sum: &[f64],
        timekeeper: &Timekeeper,
    ) -> Result<f64> {
        let (numbers, machines) = (self.numbers(), self.exchange.machines as f64);
        let strategy = &self.exchange.strategy;
        let (mut seconds, mut rest) = (0.0, (shared.len(), sum.len()));
        if sum.len() >= numbers {
            let own: Vec<f64> = self.pushed.iter().map(|pushed| *pushed as f64 / machines).collect();
            let sums: Vec<usize> = self.blocks.iter().map(|block| not_zero(&sum[block.clone()])).collect();
            self.price.set_pushes(&own, &sums);
            seconds += self.price.up_seconds(strategy)?;
            rest.1 -= numbers;
        }
        if shared.len() >= numbers {
            let known = self.known.len() == shared.len();
            let changed = |block: &Range<usize>| match known {
                true => block.clone().filter(|i| shared[*i].to_bits() != self.known[*i].to_bits()).count(),
                // Who has heard nothing yet takes all numbers for zero.
                false => not_zero(&shared[block.clone()]),
            };
            let changed: Vec<usize> = self.blocks.iter().map(changed).collect();
            self.price.set_changes(&changed);
            seconds += self.price.down_seconds(strategy)?;
            rest.0 -= numbers;
        }
        if rest != (0, 0) {
            seconds += timekeeper.sync_seconds(rest.0, rest.1);
        }
        self.pushed.fill(0);
        if !off_clock {
            self.known.clear();
            self.known.extend_from_slice(shared);
        }
        Ok(seconds)
    }
}

fn not_zero(numbers: &[f64]) -> usize {
    numbers.iter().filter(|number| number.to_bits() != 0).count()
}
