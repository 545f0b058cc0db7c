//! Long vectors travel between hosts in pieces: while one is on its way, those before it are added up or passed on.

use std::time::Duration;

use hemingway::data::matrix::axpy;
use mpi::point_to_point::{Destination, Source};
use mpi::request::{LocalScope, Request, scope};
use mpi::topology::{Communicator, SimpleCommunicator};

use crate::wire::{Tag, Wire};

/// Numbers of a piece. So few bytes MPI libraries send over a network as they are; with more they ask first whether there is
/// room, and the answer takes as long as the way there and back.
const PIECE: usize = 4096;

type Sent<'a, 'b> = Request<'a, [f64], &'b LocalScope<'a>>;

impl Wire {
    /// Sends numbers to several; they may change when it returns.
    pub(crate) fn send_numbers(&self, to: &[usize], numbers: &[f64]) {
        scope(|scope| {
            let pieces = |to: usize| numbers.chunks(self.piece(to, numbers)).map(move |piece| begin(scope, to, piece));
            self.finish(to.iter().flat_map(|to| pieces(*to)).collect());
        });
    }

    /// Numbers of which a message before has said how many come.
    pub(crate) fn receive_numbers(&self, from: usize, into: &mut [f64]) {
        scope(|scope| self.pieces(scope, from, into, |_| ()));
    }

    /// The same, and passes them on.
    pub(crate) fn relay_numbers(&self, from: usize, into: &mut [f64], to: &[usize]) {
        let (near, far): (Vec<usize>, Vec<usize>) = to.iter().partition(|to| self.is_near(**to));
        scope(|scope| {
            let mut sent = Vec::new();
            self.pieces(scope, from, &mut *into, |arrived| {
                let pieces = arrived.chunks(PIECE);
                sent.extend(pieces.flat_map(|piece| far.iter().map(move |to| begin(scope, *to, piece))));
            });
            self.finish(sent);
        });
        self.send_numbers(&near, into);
    }

    /// The same, and adds them to a sum.
    pub(crate) fn add_numbers(&self, from: usize, into: &mut [f64], sum: &mut [f64]) {
        let mut sums = sum.chunks_mut(self.piece(from, into));
        let add = |piece: &[f64]| sums.next().into_iter().for_each(|sum| axpy(1.0, piece, sum));
        scope(|scope| self.pieces(scope, from, into, add));
    }

    /// How much goes at a time between here and a rank. Within a host nobody asks, and one copy of all is the quickest.
    fn piece(&self, peer: usize, numbers: &[f64]) -> usize {
        if self.is_near(peer) { numbers.len().max(1) } else { PIECE }
    }

    fn pieces<'a>(&self, scope: &LocalScope<'a>, from: usize, into: &'a mut [f64], mut arrived: impl FnMut(&'a [f64])) {
        let world = SimpleCommunicator::world();
        let source = world.process_at_rank(from as i32);
        let expect = |piece| source.immediate_receive_into_with_tag(scope, piece, Tag::Numbers as i32);
        let expected: Vec<_> = into.chunks_mut(self.piece(from, into)).map(expect).collect();
        for request in expected {
            // The sender may have rows to bring into order first.
            arrived(self.complete(request, from, 9 * self.patience));
        }
    }

    fn finish(&self, sent: Vec<(usize, Sent<'_, '_>)>) {
        for (to, request) in sent {
            self.complete(request, to, Duration::ZERO);
        }
    }
}

fn begin<'a, 'b>(scope: &'b LocalScope<'a>, to: usize, piece: &'a [f64]) -> (usize, Sent<'a, 'b>) {
    let world = SimpleCommunicator::world();
    let other = world.process_at_rank(to as i32);
    (to, other.immediate_send_with_tag(scope, piece, Tag::Numbers as i32))
}
