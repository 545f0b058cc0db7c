//! What the hot loops cost, an entry and a row, against what this machine's memory could bring: the table of
//! `docs/speed.md`.
//!
//! ```text
//! cargo run --release -p hemingway-bench --bin kernels -- [--storage f32|f64] [SETS]
//! ```
//!
//! Seconds are those the one thread was running, from the kernel's own books, so that neighbours do not count.

use hemingway::data::Matrix;
use hemingway_bench::kernels::{LOOPS, bandwidth, bytes, kept, storage, time};
use hemingway_bench::peers::Suite;

fn main() -> anyhow::Result<()> {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    let storage = storage(&mut names)?;
    let bandwidth = bandwidth()?;
    println!("Memory, one thread reading: {bandwidth:.1} GB/s\n");
    println!("| problem | loop | ms | ns a row | ns an entry | bytes an entry | GB/s | of memory |");
    println!("|---|---|--:|--:|--:|--:|--:|--:|");
    for case in Suite::read()?.cases(&names) {
        let case = case?;
        if case.l2 > 0.0 && case.l2 < 1e-4 {
            continue;
        }
        let problem = kept(case.problem()?, storage)?;
        for (what, algorithm, task) in LOOPS {
            if let Some(seconds) = time(&problem, algorithm, task)? {
                print(&case.name(), what, seconds, &problem.data.matrix, bandwidth);
            }
        }
    }
    Ok(())
}

fn print(name: &str, what: &str, seconds: f64, matrix: &Matrix, bandwidth: f64) {
    let (rows, entries) = (matrix.rows() as f64, matrix.stored() as f64);
    let bytes = bytes(matrix);
    let rate = bytes / seconds / 1e9;
    println!(
        "| {name} | {what} | {:.3} | {:.1} | {:.2} | {:.1} | {rate:.1} | {:.0} % |",
        1e3 * seconds,
        1e9 * seconds / rows,
        1e9 * seconds / entries,
        bytes / entries,
        100.0 * rate / bandwidth
    );
}
