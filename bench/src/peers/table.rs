//! Every cell, and who is faster.

use super::{ERRORS, Times};

/// One solver on one problem.
pub struct Cell {
    /// The solver.
    pub solver: String,
    /// Whether it is ours.
    pub ours: bool,
    /// Seconds to every error.
    pub times: Times,
}

/// The table of one problem: a line a solver, then ours over theirs.
pub fn print(name: &str, cells: &[Cell]) {
    println!("\n### {name}\n\n| solver |{}", ERRORS.map(|error| format!(" {error:e} |")).concat());
    println!("|---|{}", "---:|".repeat(ERRORS.len()));
    for cell in cells {
        println!(
            "| {}{} |{}",
            if cell.ours { "hemingway " } else { "" },
            cell.solver,
            cell.times.map(seconds).concat()
        );
    }
    let ratios = (0..ERRORS.len()).map(|k| match (best(cells, true, k), best(cells, false, k)) {
        (Some(ours), Some(theirs)) => format!(" **{:.2}** |", ours / theirs),
        (Some(_), None) => " only ours |".into(),
        _ => " — |".into(),
    });
    println!("| best of ours over best of theirs |{}", ratios.collect::<String>());
}

/// The least seconds to an error among ours or theirs.
pub fn best(cells: &[Cell], ours: bool, error: usize) -> Option<f64> {
    cells.iter().filter(|cell| cell.ours == ours).filter_map(|cell| cell.times[error]).min_by(f64::total_cmp)
}

fn seconds(time: Option<f64>) -> String {
    time.map_or(" — |".into(), |time| format!(" {time:.4} |"))
}
