//! What every algorithm and every engine must do, as functions to call from tests: of this crate, and of the crates in
//! which further engines live. They panic with a sentence that says what was promised and where it was not kept.
//!
//! ```no_run
//! use hemingway::{algorithm, conformance, engine};
//!
//! conformance::dual(&algorithm::by_name("cocoa+")?);
//! conformance::engine(&|setting, machines| engine::build(setting, None, machines));
//! # Ok::<(), hemingway::Error>(())
//! ```

mod algorithms;
mod engines;
pub mod problems;
mod rig;

use std::sync::Arc;

use crate::Result;
use crate::algorithm::Algorithm;
use crate::cluster::{Cluster, Collective, Compute, Fabric, Network, Overhead, Pace, Straggler};
use crate::engine::{self, Engine, Setting};
use crate::problem::Problem;
use algorithms::{adopts, agree_however_kept, agree_on_engines, keep_to_the_rules, resume, survive_resizing};
pub use rig::Point;

/// Makes an engine for a setting and a number of machines.
pub type Build<'a> = dyn Fn(Setting, usize) -> Result<Box<dyn Engine>> + 'a;

/// What every algorithm must do with every loss it supports, on small awkward problems: the same to the bit on threads
/// and on a simulated cluster, on any number of machines, and however values are kept; state that travels with the rows; checkpoints from which it
/// goes on as if nothing had happened; bounds below objectives; evaluation that changes nothing and costs no training.
pub fn algorithm(algorithm: &Arc<dyn Algorithm>) {
    for case in problems::for_algorithm(algorithm.as_ref()) {
        agree_on_engines(algorithm, &case);
        keep_to_the_rules(algorithm, &case);
        survive_resizing(algorithm, &case);
        agree_however_kept(algorithm, &case);
        resume(algorithm, &case);
    }
}

/// [`algorithm`], and what a method must do that works on w alone: a model it adopts is its model, at exactly P(model).
pub fn primal(algorithm: &Arc<dyn Algorithm>) {
    self::algorithm(algorithm);
    for case in problems::for_algorithm(algorithm.as_ref()) {
        adopts::a_model_as_it_is(algorithm, &case);
    }
}

/// [`algorithm`], and what a method must do whose rows hold dual variables: w = Σ sᵢαᵢxᵢ/(λn), always.
pub fn dual(algorithm: &Arc<dyn Algorithm>) {
    self::algorithm(algorithm);
    for case in problems::for_algorithm(algorithm.as_ref()) {
        algorithms::keep_w_of_alpha(algorithm, &case);
        adopts::a_model_as_dual_variables(algorithm, &case);
    }
}

/// Whether the seed matters to the algorithm when the rows lie as they lie.
pub fn is_random(algorithm: &Arc<dyn Algorithm>) -> bool {
    let differs = |case: &problems::Case| algorithms::differs_by_seed(algorithm, case);
    problems::for_algorithm(algorithm.as_ref()).iter().any(differs)
}

/// What every engine must do: sum in the tree fixed by worker index, keep the rows' numbers through resizing, refuse
/// what cannot be, and tell training from evaluation on a clock that only moves forward.
pub fn engine(build: &Build<'_>) {
    engines::sums_follow_the_tree(build);
    engines::pushes_begin_at_zero(build);
    engines::items_travel_with_their_rows(build);
    engines::items_are_read_out_and_put_back(build);
    engines::the_clock_moves_forward(build);
    engines::the_impossible_is_refused(build);
}

/// What an engine with a counted clock must do: repeat its seconds exactly, on a thousand machines too.
pub fn counted_clock(build: &Build<'_>) {
    engines::seconds_repeat(build);
}

/// What [`engine()`] tries engines with: where workers are made in other processes, they must find it there.
pub fn ledger() -> Arc<dyn Algorithm> {
    Arc::new(engines::Ledger)
}

/// Every point that an algorithm comes to on an engine: on so many machines until so many rounds are made, then on so many
/// others, and so on.
pub fn course(
    problem: &Problem,
    algorithm: &Arc<dyn Algorithm>,
    build: &Build<'_>,
    stretches: &[(usize, u64)],
) -> Vec<Point> {
    rig::course(problem, algorithm, build, stretches)
}

/// A cluster of 1,024 machines with every effect switched on, its work counted.
pub fn cluster() -> Cluster {
    Cluster {
        name: "conformance".into(),
        machines: 1024,
        cores_per_machine: 1,
        memory_gb: 1.0,
        price_per_hour: 1.0,
        compute: Compute {
            ns_per_nonzero: Pace::Counted(1.2),
            straggler: Straggler::Lognormal { sigma: 0.1 },
            ns_by_algorithm: Default::default(),
            spill_factor: 3.0,
        },
        network: Network {
            latency_us: 20.0,
            bandwidth_gbit: 10.0,
            collective: Collective::Tree,
            link: Vec::new(),
            timed: Vec::new(),
        },
        fabric: Fabric::default(),
        overhead: Overhead { per_round_ms: 1.0, per_machine_ms: 0.1 },
    }
}

/// Threads.
pub fn local(setting: Setting, machines: usize) -> Result<Box<dyn Engine>> {
    engine::build(setting, None, machines)
}

/// The simulated [`cluster`].
pub fn simulated(setting: Setting, machines: usize) -> Result<Box<dyn Engine>> {
    engine::build(setting, Some(&cluster()), machines)
}
