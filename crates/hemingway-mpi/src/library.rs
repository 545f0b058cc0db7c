//! The MPI library's own reduction, watched: one vector of all that a round comes to.

use std::time::Duration;

use mpi::collective::{Root, SystemOperation};
use mpi::request::scope;
use mpi::topology::{Communicator, SimpleCommunicator};

use crate::tree::Report;
use crate::wire::{Tag, Wire, unpacked, words};

/// Numbers of every rank behind the sum: rows, seconds, whether it is strange, whether it failed.
const TOLD: usize = 4;

/// The sum of all ranks' vectors, on the leader; on the others nothing.
pub(crate) fn reduce(wire: &Wire, mut own: Vec<f64>, report: Report, longer: f64) -> (Option<Vec<f64>>, Report) {
    let len = own.len();
    own.resize(len + TOLD * wire.ranks, 0.0);
    let told = [report.rows as f64, report.seconds, flag(report.strange.is_some()), flag(report.failed.is_some())];
    own[len + TOLD * wire.rank..][..TOLD].copy_from_slice(&told);
    let longer = Duration::from_secs_f64(longer);
    let world = SimpleCommunicator::world();
    let root = world.process_at_rank(0);
    if !wire.leads() {
        scope(|scope| wire.complete(root.immediate_reduce_into(scope, &own[..], SystemOperation::sum()), 0, longer));
        if let Some(failed) = &report.failed {
            wire.send_value(0, Tag::Answer, failed);
        }
        return (None, Report::default());
    }
    let mut sum = vec![0.0; own.len()];
    let slow = 1 % wire.ranks;
    scope(|scope| {
        let request = root.immediate_reduce_into_root(scope, &own[..], &mut sum[..], SystemOperation::sum());
        wire.complete(request, slow, longer);
    });
    let all = merged(wire, &sum[len..], report, 8 * own.len());
    sum.truncate(len);
    (Some(sum), all)
}

fn flag(is: bool) -> f64 {
    if is { 1.0 } else { 0.0 }
}

fn merged(wire: &Wire, told: &[f64], mut own: Report, bytes: usize) -> Report {
    for (rank, told) in told.chunks_exact(TOLD).enumerate().skip(1) {
        let [rows, seconds, strange, failed] = told else { continue };
        let failed = (*failed != 0.0).then(|| {
            let said = wire.receive(Some(rank), Tag::Answer, Some(wire.deadline(0.0)));
            said.and_then(|(bytes, _)| unpacked(&bytes)).unwrap_or_else(|error| words(&error))
        });
        own.merge(Report {
            rows: *rows as u64,
            slowest: *seconds,
            seconds: *seconds,
            moved: bytes as u64,
            strange: (*strange != 0.0).then_some(rank),
            failed,
        });
    }
    own
}
