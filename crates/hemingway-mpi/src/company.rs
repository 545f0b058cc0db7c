//! Ranks that read one file together.

use hemingway::Result;
use hemingway::share::Company;
use mpi::point_to_point::Destination;
use mpi::request::scope;
use mpi::topology::{Communicator, SimpleCommunicator};

use crate::wire::{Tag, Wire};

/// All ranks, while they read. Some may have more to parse than others.
pub(crate) struct Readers(pub(crate) Wire);

impl Readers {
    /// Something to each rank, and something from each; what is for itself stays as it is.
    fn exchange(&self, to_each: &[&[u8]]) -> Result<Vec<Vec<u8>>> {
        let wire = &self.0;
        let world = SimpleCommunicator::world();
        let longer = wire.time_for_rows();
        scope(|scope| {
            let begin = |to: usize| {
                let other = world.process_at_rank(to as i32);
                (to, other.immediate_send_with_tag(scope, to_each[to], Tag::Relay as i32))
            };
            let sent: Vec<_> = (0..wire.ranks).filter(|rank| *rank != wire.rank).map(begin).collect();
            let hear = |from: usize| match from == wire.rank {
                true => Ok(to_each[from].to_vec()),
                false => Ok(wire.receive(Some(from), Tag::Relay, Some(wire.deadline(longer)))?.0),
            };
            let heard: Result<Vec<_>> = (0..wire.ranks).map(hear).collect();
            for (to, request) in sent {
                wire.complete(request, to, std::time::Duration::from_secs_f64(longer));
            }
            heard
        })
    }
}

impl Company for Readers {
    fn rank(&self) -> usize {
        self.0.rank
    }

    fn ranks(&self) -> usize {
        self.0.ranks
    }

    fn tell(&mut self, mine: Vec<u8>) -> Result<Vec<Vec<u8>>> {
        self.exchange(&vec![&mine[..]; self.0.ranks])
    }

    fn swap(&mut self, to_each: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        self.exchange(&to_each.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }
}
