//! Nothing at all, in full rounds: what remains of a round's time is overhead. An order may name seconds for each worker,
//! which it then lets pass: work that was timed elsewhere is played again. Pushes are not zero, so that no engine can spare
//! itself the sending.

use std::thread::sleep;
use std::time::Duration;

use super::{Algorithm, Machines, Order, Server, Step, Support, Task, Work, Worker, primal};
use crate::Result;
use crate::data::Shard;
use crate::problem::{Evaluation, Loss, Outline, Scheme};

/// Broadcasts and sums a vector of the model's length, and leaves the model where it was.
#[derive(Debug, Clone, Copy)]
pub(super) struct Noop;

impl Algorithm for Noop {
    fn name(&self) -> &str {
        "noop"
    }

    fn support(&self, _loss: Loss) -> Support {
        Support::Idle
    }

    fn takes_classes(&self, _scheme: Scheme) -> bool {
        true
    }

    fn worker(&self, outline: &Outline, shard: Shard) -> Box<dyn Worker> {
        Box::new(NoopWorker { outline: *outline, shard })
    }

    fn server(&self, outline: &Outline) -> Box<dyn Server> {
        Box::new(NoopServer { outline: *outline, sum: vec![0.0; outline.coefficients()] })
    }
}

struct NoopWorker {
    outline: Outline,
    shard: Shard,
}

impl Worker for NoopWorker {
    fn push(&mut self, order: &Order, shared: &[f64], _items: &mut [f64], push: &mut [f64]) -> Work {
        if order.task != Task::Evaluate {
            let seconds = order.args.get(self.shard.worker).copied().unwrap_or(0.0);
            if let Some(time) = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero()) {
                sleep(time);
            }
            push.fill(1.0);
            return Work::default();
        }
        primal::push_evaluation(order, &self.outline, &self.shard, shared, push);
        primal::pass(&self.outline, &self.shard)
    }
}

struct NoopServer {
    outline: Outline,
    sum: Vec<f64>,
}

impl Server for NoopServer {
    fn iterate(&mut self, on: &mut dyn Machines, shared: &mut [f64]) -> Result<Step> {
        on.round(&Order::train(on, Task::Step, Vec::new()), shared, &mut self.sum)?;
        Ok(Step::Moved)
    }

    fn evaluate(&mut self, on: &mut dyn Machines, shared: &[f64]) -> Result<Evaluation> {
        primal::evaluate(&self.outline, on, shared)
    }
}
