//! Whether a simulated round takes the time that a real one takes, on ranks across the hosts of a testbed.
//!
//! Calibration comes first and sees no cell of the grid: what rounds without work cost on each link, on most numbers of
//! ranks, and how fast one core runs each algorithm on each data set. Then every cell is simulated from that, and played on
//! ranks. Two cores carry all ranks, so that ranks let the time pass which their part took on a free core: every cell is a
//! replay. In the end [`planner`] asks whether `train` chooses well there.

pub mod cells;
pub mod grid;
pub mod judge;
pub mod planner;

/// What is solved in each round.
pub const ALGORITHMS: [&str; 4] = ["gd", "lbfgs", "newton", "cocoa+"];
/// Where links are calibrated; the grid asks for others too.
pub const CALIBRATED: [usize; 6] = [1, 2, 3, 4, 6, 8];
/// Ranks of the grid.
pub const RANKS: [usize; 8] = [1, 2, 3, 4, 5, 6, 7, 8];
/// Rounds of a cell, and those at its beginning that are not counted.
pub const ROUNDS: usize = 14;
/// Microseconds and megabits.
pub const LINKS: [(u64, f64); 6] =
    [(100, 1000.0), (1000, 100.0), (5000, 1000.0), (100, 100.0), (500, 1000.0), (5000, 100.0)];
