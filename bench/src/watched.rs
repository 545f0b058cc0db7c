//! Simulated machines whose rounds somebody sees.

use hemingway::algorithm::{Choose, Machines, Order};
use hemingway::engine::{Done, Simulated};

/// Who sees rounds.
pub trait Witness {
    /// A round of training: what every machine did in it, and how many numbers went down and up.
    fn saw(&mut self, order: &Order, done: &[Done], down: usize, up: usize);
}

/// The machines, and who sees them.
pub struct Watched<W> {
    /// The machines.
    pub engine: Simulated,
    /// Who sees their rounds.
    pub witness: W,
}

impl<W: Witness> Watched<W> {
    fn saw(&mut self, order: &Order, down: usize, up: usize) {
        if !order.off_clock {
            self.witness.saw(order, self.engine.last_round(), down, up);
        }
    }
}

impl<W: Witness> Machines for Watched<W> {
    fn count(&self) -> usize {
        self.engine.count()
    }

    fn next_round(&self) -> u64 {
        self.engine.next_round()
    }

    fn round(&mut self, order: &Order, shared: &[f64], sum: &mut [f64]) -> hemingway::Result<usize> {
        let count = self.engine.round(order, shared, sum)?;
        self.saw(order, shared.len(), sum.len());
        Ok(count)
    }

    fn schedule(&mut self, choose: &mut Choose<'_>) {
        self.engine.schedule(choose);
    }

    fn round_and_schedule(
        &mut self,
        order: &Order,
        shared: &[f64],
        sum: &mut [f64],
        choose: &mut Choose<'_>,
    ) -> hemingway::Result<usize> {
        let count = self.engine.round_and_schedule(order, shared, sum, choose)?;
        self.saw(order, shared.len(), sum.len());
        Ok(count)
    }
}
