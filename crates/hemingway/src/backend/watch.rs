//! What watches a frame, and how its word reaches into the middle of an iteration.

use std::ops::ControlFlow;

use super::Ending;
use crate::algorithm::{Choose, Machines, Order};
use crate::engine::{Clock, Engine};
use crate::record::Record;
use crate::{Error, Result};

/// Sees every record with the model it describes, and may end the frame.
pub type Watch<'a> = dyn FnMut(&Record, &[f64]) -> Result<ControlFlow<Ending>> + 'a;

/// Watches a frame round by round, and may end it before any of them.
pub trait Watcher {
    /// Asked before every round of training, with what the run's clock shows. A frame that ends here is evaluated once
    /// more, unless its newest round is on record already.
    fn before_round(&mut self, clock: &Clock) -> ControlFlow<Ending>;

    /// Shown every record with the model it describes.
    fn see(&mut self, record: &Record, model: &[f64]) -> Result<ControlFlow<Ending>>;
}

/// A watcher that lets every round begin.
pub(super) struct Patient<'a, 'b>(pub(super) &'a mut Watch<'b>);

impl Watcher for Patient<'_, '_> {
    fn before_round(&mut self, _clock: &Clock) -> ControlFlow<Ending> {
        ControlFlow::Continue(())
    }

    fn see(&mut self, record: &Record, model: &[f64]) -> Result<ControlFlow<Ending>> {
        (self.0)(record, model)
    }
}

/// Machines that ask the watcher before every round of training: servers are straight-line code, so a round that may
/// not begin unwinds the iteration as an error would.
pub(super) struct Gate<'a> {
    pub(super) engine: &'a mut dyn Engine,
    pub(super) watcher: &'a mut dyn Watcher,
    /// How the watcher ended the frame.
    pub(super) closed: Option<Ending>,
}

impl Gate<'_> {
    fn ask(&mut self, order: &Order) -> Result<()> {
        if !order.off_clock
            && let ControlFlow::Break(ending) = self.watcher.before_round(&self.engine.clock())
        {
            self.closed = Some(ending);
            return Err(Error::Engine(format!("no further round: {}", ending.words())));
        }
        Ok(())
    }
}

impl Machines for Gate<'_> {
    fn count(&self) -> usize {
        self.engine.count()
    }

    fn next_round(&self) -> u64 {
        self.engine.next_round()
    }

    fn round(&mut self, order: &Order, shared: &[f64], sum: &mut [f64]) -> Result<usize> {
        self.ask(order)?;
        self.engine.round(order, shared, sum)
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
    ) -> Result<usize> {
        self.ask(order)?;
        self.engine.round_and_schedule(order, shared, sum, choose)
    }
}
