//! The program `hemingway-mpi`: the verbs and flags of `hemingway`, with workers on the ranks that mpirun started.

use std::process::ExitCode;
use std::sync::Arc;

use hemingway::Result;
use hemingway::algorithm;
use hemingway::data::Cache;
use hemingway::engine::Engines;
use hemingway::job::{Job, JobSpec};
use hemingway::sync::execute::Timing;
use hemingway::sync::{Stage, Strategy};
use hemingway_cli::{Place, RankSettings};
use hemingway_mpi::{Collectives, Ranks, Settings, abort, complain, on_last_words, serve};
use mpi::Threading;
use mpi::traits::Communicator;

/// The ranks, as the program sees them.
struct AllRanks(Ranks);

impl Place for AllRanks {
    fn engines(&self, how: RankSettings) -> Arc<dyn Engines> {
        let collectives = if how.library { Collectives::Library } else { Collectives::Tree };
        Arc::new(self.0.with(Settings { patience: how.timeout, threads: how.threads, collectives }))
    }

    fn load(&self, spec: JobSpec, cache: Option<&Cache>) -> Result<Job> {
        self.0.load(spec, cache)
    }

    fn ranks(&self) -> usize {
        self.0.count()
    }

    fn exchange(&self, stage: &Stage, strategy: &Strategy, timing: Timing) -> Result<Vec<f64>> {
        self.0.time(stage, strategy, timing)
    }
}

fn main() -> ExitCode {
    let Some((universe, _)) = mpi::initialize_with_threading(Threading::Funneled) else {
        complain("error: MPI cannot be initialized; start this program with mpirun");
        return ExitCode::FAILURE;
    };
    if universe.world().rank() != 0 {
        return follow();
    }
    on_last_words(hemingway_cli::fail);
    // It lasts as long as the program.
    let job: &'static AllRanks = Box::leak(Box::new(AllRanks(Ranks::lead(algorithm::by_name, Settings::default()))));
    let code = hemingway_cli::run(Some(job));
    if !job.0.quit() {
        abort(1);
    }
    code
}

fn follow() -> ExitCode {
    // Ctrl-C and the end of a batch job reach every rank: it is the leader who decides what is still to be done.
    _ = ctrlc::set_handler(|| {});
    match serve(algorithm::by_name, Settings::default()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("error: {error}"));
            abort(1)
        }
    }
}
