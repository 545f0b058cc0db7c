//! What a round costs beyond its slowest compute and a raw all-reduce of the same size, in the median of 1,000.
//!
//! `mpirun -n 2 target/release/examples/overhead`

use std::io::Write;
use std::time::Instant;

use hemingway::algorithm::{self, Machines, Order, Task};
use hemingway::data::{Dataset, Matrix};
use hemingway::engine::{Engine, Setting};
use hemingway::problem::{Loss, Problem};
use hemingway_mpi::{Ranks, Settings, serve};
use mpi::collective::{CommunicatorCollectives, SystemOperation};
use mpi::topology::{Communicator, SimpleCommunicator};

const ROUNDS: usize = 1000;
const COLUMNS: [usize; 4] = [100, 1_000, 10_000, 100_000];
const ROWS: u32 = 2_000;

fn main() {
    let universe = mpi::initialize().expect("MPI starts");
    let world = universe.world();
    if world.rank() != 0 {
        serve(algorithm::by_name, Settings::default()).expect("the leader is obeyed");
        for columns in COLUMNS {
            raw(&world, columns);
        }
        return;
    }
    let ranks = Ranks::lead(algorithm::by_name, Settings::default());
    let rounds: Vec<_> = COLUMNS.iter().map(|columns| rounds(&ranks, *columns, world.size() as usize)).collect();
    ranks.quit();
    let mut out = std::io::stdout();
    _ = writeln!(
        out,
        "{:>8} {:>10} {:>12} {:>10} {:>12}",
        "columns", "round µs", "compute µs", "raw µs", "overhead µs"
    );
    for (columns, (wall, compute, beyond)) in COLUMNS.iter().zip(rounds) {
        let raw = raw(&world, *columns);
        let [wall, compute, raw, over] = [wall, compute, raw, beyond - raw].map(|seconds| 1e6 * seconds);
        _ = writeln!(out, "{columns:>8} {wall:>10.1} {compute:>12.1} {raw:>10.1} {over:>12.1}");
    }
}

/// Medians of a round's seconds, of its slowest compute, and of what is between them.
fn rounds(ranks: &Ranks, columns: usize, machines: usize) -> (f64, f64, f64) {
    let mut matrix = Matrix::sparse(columns);
    (0..ROWS).for_each(|i| matrix.push_row((0..20).map(|j| (j * (columns as u32 / 20), f64::from(i % 7 + j)))));
    let labels = (0..ROWS).map(f64::from).collect();
    let problem = Problem::new(&Dataset::new("made", matrix, labels), Loss::Squared, Some(0.1), 0).expect("sound");
    let setting = Setting::new(&problem, algorithm::by_name("gd").expect("known"));
    let mut engine = ranks.engine(setting, machines).expect("the engine is made");
    let (mut shared, mut sum) = (vec![0.0; columns], vec![0.0; columns + 1]);
    let mut seen = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        // Everything changes, as in a dense model.
        shared.iter_mut().enumerate().for_each(|(j, w)| *w = (round + j) as f64 * 1e-9);
        let order = Order { round: engine.next_round(), task: Task::Step, args: vec![1.0], off_clock: false };
        let before = engine.clock();
        let began = Instant::now();
        engine.round(&order, &shared, &mut sum).expect("a round succeeds");
        let wall = began.elapsed().as_secs_f64();
        let after = engine.clock();
        let slowest = after.compute + after.wait - before.compute - before.wait;
        seen.0.push(wall);
        seen.1.push(slowest);
        seen.2.push(wall - slowest);
    }
    (median(seen.0), median(seen.1), median(seen.2))
}

/// The median of an all-reduce of so many numbers.
fn raw(world: &SimpleCommunicator, columns: usize) -> f64 {
    let (own, mut all) = (vec![1.0; columns], vec![0.0; columns]);
    let once = |_| {
        world.barrier();
        let began = Instant::now();
        world.all_reduce_into(&own[..], &mut all[..], SystemOperation::sum());
        began.elapsed().as_secs_f64()
    };
    median((0..ROUNDS).map(once).collect())
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}
