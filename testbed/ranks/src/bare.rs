//! An engine of nothing but messages: workers compute nothing, and let the seconds pass that an order names.

use std::thread::sleep;
use std::time::{Duration, Instant};

use hemingway::algorithm::{Machines, Order};
use hemingway::engine::{Clock, Engine, RoundTime};
use hemingway::{Error, Result};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Root, Source};

/// What the leader tells the others of a round: lengths, then seconds.
const HEAD: usize = 2;

/// The ranks, as their leader sees them.
#[derive(Default)]
pub(crate) struct Bare {
    clock: Clock,
}

impl Machines for Bare {
    fn count(&self) -> usize {
        SimpleCommunicator::world().size() as usize
    }

    fn next_round(&self) -> u64 {
        self.clock.rounds + 1
    }

    fn round(&mut self, order: &Order, shared: &[f64], sum: &mut [f64]) -> Result<usize> {
        let began = Instant::now();
        let world = SimpleCommunicator::world();
        let mut head = head(&world, Some((shared.len(), sum.len())));
        for (place, seconds) in head[HEAD..].iter_mut().zip(&order.args) {
            *place = *seconds;
        }
        let root = world.process_at_rank(0);
        root.broadcast_into(&mut head[..]);
        if !shared.is_empty() {
            root.broadcast_into(&mut shared.to_vec()[..]);
        }
        let busy = work(&head, 0);
        sum.fill(1.0);
        add_up(&world, sum);
        let whole = began.elapsed().as_secs_f64();
        self.clock.rounds += 1;
        let time = RoundTime { compute: busy, wait: 0.0, sync: whole - busy, other: 0.0, plain_sync: 0.0 };
        self.clock.compute += time.compute;
        self.clock.sync += time.sync;
        Ok(self.count())
    }
}

impl Engine for Bare {
    fn clock(&self) -> Clock {
        self.clock
    }

    fn set_clock(&mut self, clock: Clock) {
        self.clock = clock;
    }

    fn items(&mut self) -> Result<Vec<f64>> {
        Ok(Vec::new())
    }

    fn set_items(&mut self, _items: &[f64]) -> Result<()> {
        Ok(())
    }

    fn resize(&mut self, _machines: usize) -> Result<()> {
        Err(Error::Engine("there are as many machines as ranks".into()))
    }
}

/// Room for what is told of a round; without lengths it is the end.
fn head(world: &SimpleCommunicator, lengths: Option<(usize, usize)>) -> Vec<f64> {
    let mut head = vec![0.0; HEAD + world.size() as usize];
    let (down, up) = lengths.map_or((-1.0, 0.0), |(down, up)| (down as f64, up as f64));
    (head[0], head[1]) = (down, up);
    head
}

/// Tells the others that it is over.
pub(crate) fn dismiss(world: &SimpleCommunicator) {
    world.process_at_rank(0).broadcast_into(&mut head(world, None)[..]);
}

/// Takes part until it is over.
pub(crate) fn follow(world: &SimpleCommunicator) {
    let root = world.process_at_rank(0);
    let (mut head, mut shared, mut push) = (head(world, None), Vec::new(), Vec::new());
    loop {
        root.broadcast_into(&mut head[..]);
        if head[0] < 0.0 {
            return;
        }
        shared.resize(head[0] as usize, 0.0);
        if !shared.is_empty() {
            root.broadcast_into(&mut shared[..]);
        }
        work(&head, world.rank() as usize);
        push.clear();
        push.resize(head[1] as usize, 1.0);
        add_up(world, &mut push);
    }
}

/// Lets this rank's time pass.
fn work(head: &[f64], rank: usize) -> f64 {
    let began = Instant::now();
    if let Some(time) = Duration::try_from_secs_f64(head[HEAD + rank]).ok().filter(|time| !time.is_zero()) {
        sleep(time);
    }
    began.elapsed().as_secs_f64()
}

/// The sum of all ranks' numbers, on the first: neighbours first, then pairs of pairs.
fn add_up(world: &SimpleCommunicator, push: &mut [f64]) {
    let (rank, ranks) = (world.rank(), world.size());
    let mut other = vec![0.0; push.len()];
    let mut step = 1;
    while step < ranks {
        if rank % (2 * step) == step {
            world.process_at_rank(rank - step).send(push);
            return;
        }
        if rank + step < ranks {
            world.process_at_rank(rank + step).receive_into(&mut other[..]);
            push.iter_mut().zip(&other).for_each(|(sum, number)| *sum += number);
        }
        step *= 2;
    }
}
