//! What the hot loops cost, in the seconds for which the one thread was running: neighbours do not count.

use std::sync::Arc;

use anyhow::Context;
use hemingway::algorithm::{self, Order, Task};
use hemingway::data::{Dataset, Matrix, Precision, Shard};
use hemingway::problem::Problem;

/// Every loop is measured so often, and the middle taken: what the machine's neighbours do comes and goes.
const TIMES: usize = 9;
/// Each time it runs for at least so many seconds: the kernel's books are kept in ticks.
const LEAST: f64 = 0.05;
/// Numbers in the array of the measure of bandwidth: larger than any cache.
const STREAM: usize = 64 << 20;

/// The loops: what they are called, whose worker runs them, and when.
pub const LOOPS: [(&str, &str, Task); 5] = [
    ("value", "gd", Task::Probe),
    ("gradient", "lbfgs", Task::Step),
    ("look", "newton", Task::Probe),
    ("product", "newton", Task::Step),
    ("local epoch", "cocoa", Task::Step),
];

/// Takes `--storage f32|f64` out of the words: how values are to be kept.
pub fn storage(words: &mut Vec<String>) -> anyhow::Result<Precision> {
    let Some(at) = words.iter().position(|word| word == "--storage") else { return Ok(Precision::Auto) };
    let said = words.drain(at..(at + 2).min(words.len())).nth(1);
    match said.as_deref() {
        Some("f32") => Ok(Precision::F32),
        Some("f64") => Ok(Precision::F64),
        _ => anyhow::bail!("--storage is f32 or f64"),
    }
}

/// The same problem with its values kept so.
pub fn kept(problem: Problem, storage: Precision) -> anyhow::Result<Problem> {
    let data = Arc::unwrap_or_clone(problem.data);
    let matrix = data.matrix.kept_as(storage).map_err(anyhow::Error::msg)?;
    Ok(Problem { data: Arc::new(Dataset { matrix, ..data }), ..problem })
}

/// What a pass over rows and labels reads.
pub fn bytes(matrix: &Matrix) -> f64 {
    let (rows, entries) = (matrix.rows() as f64, matrix.stored() as f64);
    match matrix {
        Matrix::Sparse { .. } => 16.0 * rows + matrix.entry_bytes() * entries,
        Matrix::Dense { values, .. } => 8.0 * rows + values.width() as f64 * entries,
    }
}

/// Seconds of a pass, in the median, by one worker that holds all rows; none where the algorithm does not apply.
pub fn time(problem: &Problem, name: &str, task: Task) -> anyhow::Result<Option<f64>> {
    let algorithm = algorithm::by_name(name)?;
    if algorithm::check(algorithm.as_ref(), problem.loss, &problem.penalty).is_err() {
        return Ok(None);
    }
    let outline = problem.outline();
    let (n, d) = (outline.rows, outline.columns);
    let mut worker = algorithm.worker(&outline, Shard::new(Arc::clone(&problem.data), 0..n, 0, problem.seed));
    let (mut shared, mut items) = (algorithm.shared(&outline), vec![1.0; n * algorithm.width()]);
    // Dual variables begin at 0, models somewhere.
    match name {
        "cocoa" => items.fill(0.0),
        _ => shared.fill(0.01),
    }
    let length = if task == Task::Step { d + 1 } else { 2 * d + 1 };
    let mut push = vec![0.0; if name == "cocoa" { d } else { length }];
    let (mut times, mut round) = (Vec::with_capacity(TIMES), 0);
    while times.len() < TIMES {
        let (before, first) = (running()?, round);
        let mut seconds = 0.0;
        while seconds < LEAST {
            round += 1;
            push.fill(0.0);
            let order = Order { round, task, block: Vec::new(), args: vec![1.0, 1.0, 1.0], off_clock: false };
            worker.push(&order, &shared, &mut items, &mut push);
            if name == "cocoa" {
                shared.iter_mut().zip(&push).for_each(|(v, by)| *v += by);
            }
            seconds = running()? - before;
        }
        times.push(seconds / (round - first) as f64);
    }
    times.sort_by(f64::total_cmp);
    Ok(Some(times[TIMES / 2]))
}

/// Seconds for which this thread has been running.
pub fn running() -> anyhow::Result<f64> {
    let books = std::fs::read_to_string("/proc/thread-self/schedstat").context("needs Linux")?;
    let nanoseconds: f64 = books.split(' ').next().context("an empty schedstat")?.parse()?;
    Ok(1e-9 * nanoseconds)
}

/// GB a second that one thread reads from memory.
pub fn bandwidth() -> anyhow::Result<f64> {
    let array: Vec<u64> = (0..STREAM as u64).collect();
    let mut best = 0.0_f64;
    for _ in 0..5 {
        let before = running()?;
        std::hint::black_box(array.iter().fold(0_u64, |sum, v| sum.wrapping_add(*v)));
        best = best.max(8e-9 * STREAM as f64 / (running()? - before));
    }
    Ok(best)
}
