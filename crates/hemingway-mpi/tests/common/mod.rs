//! Tests that are ranks: a program starts itself again under mpirun.

use std::process::{Command, ExitCode};

use mpi::traits::Communicator;

/// Set where this program is a rank.
const RANK: &str = "HEMINGWAY_TEST_RANK";

/// Starts itself on so many ranks, one number after the other; on a rank, does its part. The leader's part is given the
/// number of ranks, and a panic in it ends the others too.
pub(crate) fn on_ranks(counts: &[usize], lead: impl FnOnce(usize) -> bool, follow: impl FnOnce()) -> ExitCode {
    if std::env::var_os(RANK).is_some() {
        be_a_rank(lead, follow);
        return ExitCode::SUCCESS;
    }
    for ranks in counts {
        let program = std::env::current_exe().expect("this program has a path");
        let mut mpirun = Command::new("mpirun");
        mpirun.args(["-n", &ranks.to_string(), "--oversubscribe"]).arg(program);
        mpirun.env(RANK, "1").env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        let status = mpirun.status().expect("mpirun starts: install an MPI library");
        if !status.success() {
            hemingway_mpi::complain(&format!("FAILED on {ranks} ranks: {status}"));
            return ExitCode::FAILURE;
        }
        hemingway_mpi::complain(&format!("ok on {ranks} ranks"));
    }
    ExitCode::SUCCESS
}

fn be_a_rank(lead: impl FnOnce(usize) -> bool, follow: impl FnOnce()) {
    let universe = mpi::initialize().expect("MPI starts");
    if universe.world().rank() != 0 {
        return follow();
    }
    let count = universe.world().size() as usize;
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| lead(count)));
    if !outcome.unwrap_or(false) {
        hemingway_mpi::abort(1);
    }
}
