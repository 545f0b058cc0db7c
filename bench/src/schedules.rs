//! Schedules of columns raced on the simulated clock: how many updates each takes to an error, and how long.
//!
//! The dynamic schedule is the program's own; its rivals move what Shotgun (any columns), a clustering made once, or taking
//! turns would. Each is followed with the same few block sizes, and its best counts. P* is bounded by a solver that has no
//! schedule (`hemingway::path`), so that errors are proved.

pub mod follow;
pub mod made;
pub mod share;

use hemingway::data::Dataset;
use hemingway::engine::cores;
use hemingway::path::{Precision, Solver};
use hemingway::problem::{Loss, Problem};
use hemingway::schedule::Schedule;

/// λ₁ as a share of the one that leaves every coefficient at 0.
const SHARE: f64 = 0.1;
/// How close the bound below P* is.
const BOUND: f64 = 1e-7;
/// The error to reach.
pub const ERROR: f64 = 1e-4;
/// The largest |cos| within a block of the schedules that look at it.
pub const RHO: f64 = 0.1;
/// Columns that a machine moves in a round.
const EACH: [usize; 3] = [1, 4, 16];

/// A lasso and a proved bound below its P*.
pub struct Race {
    /// With its λ₁.
    pub problem: Problem,
    /// L.
    pub bound: f64,
}

impl Race {
    /// The lasso of a set.
    pub fn of(data: Dataset) -> anyhow::Result<Self> {
        let problem = Problem::new(data, Loss::Squared, Some(0.0), 0)?;
        let mut solver = Solver::new(&problem, Precision::Error(BOUND), cores())?;
        let l1 = SHARE * solver.largest()?;
        let bound = solver.solve(l1)?.lower_bound;
        Ok(Self { problem: problem.with_l1(l1)?, bound })
    }
}

/// A kind of schedule with every block size that is tried on so many machines.
pub fn contenders(machines: usize) -> [(&'static str, Vec<Schedule>); 4] {
    let each = |make: &dyn Fn(usize) -> Schedule| EACH.iter().map(|each| make(each * machines)).collect::<Vec<_>>();
    let fixed = EACH.iter().map(|each| Schedule::Dynamic { block: Some(*each), rho: RHO, pipeline: false });
    [
        ("dynamic", [Schedule::dynamic()].into_iter().chain(fixed).collect()),
        ("static", each(&|block| Schedule::Static { block, rho: RHO })),
        ("random", each(&|block| Schedule::Random { block })),
        ("cyclic", each(&|block| Schedule::Cyclic { block })),
    ]
}
