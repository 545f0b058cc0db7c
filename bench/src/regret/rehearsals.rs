//! What rounds on a few rows tell of rounds on all.

use std::collections::BTreeMap;

use hemingway::backend::{Backend, EngineBackend, Rehearsal, Script};

use super::{Case, Shelf};

/// Rows of a rehearsal; never more than an eighth of all.
const ROWS: [usize; 5] = [128, 256, 512, 1024, 2048];
const MOST_ROUNDS: u64 = 400;
/// Levels at which rounds are compared: ln (P(0) − P*)/(P − P*).
const LEVELS: [f64; 4] = [2.5, 5.0, 8.0, 12.0];

/// One level of one algorithm, on a few rows and on all.
pub struct Compared {
    problem: String,
    algorithm: String,
    rows: usize,
    level: f64,
    few: f64,
    all: f64,
}

/// Every algorithm of a problem that runs on one machine.
pub fn of(case: &Case) -> anyhow::Result<Vec<Compared>> {
    let shelf = Shelf::of(case)?;
    let problem = case.problem(&case.load()?)?;
    let rows = problem.data.rows();
    let mut backend = EngineBackend::new(problem, "", None);
    let algorithms: Vec<String> = ["newton", "cocoa"].map(String::from).into();
    let algorithms: Vec<String> =
        algorithms.into_iter().filter(|name| shelf.tapes.iter().any(|tape| tape.0 == *name)).collect();
    let mut compared = Vec::new();
    for few in ROWS.into_iter().filter(|few| 8 * few <= rows) {
        let script = Script { algorithms: algorithms.clone(), rows: few, rounds: MOST_ROUNDS, error: case.error };
        for rehearsal in backend.rehearse(&script)? {
            compared.extend(LEVELS.iter().filter_map(|level| compare(case, &shelf, &rehearsal, *level)));
        }
    }
    Ok(compared)
}

fn compare(case: &Case, shelf: &Shelf, rehearsal: &Rehearsal, level: f64) -> Option<Compared> {
    let (_, _, tape) = shelf.tapes.iter().find(|tape| tape.0 == rehearsal.algorithm && tape.1 == 1)?;
    let begins = case.true_error(tape.points.first()?.1);
    let all = tape.points.iter().find(|point| (begins / case.true_error(point.1)).ln() >= level)?.0;
    let (first, last) = (rehearsal.points.first()?.1, rehearsal.points.last()?.1);
    let to_gain = |p: f64| (p - rehearsal.bound) / (first - rehearsal.bound);
    // What the bound leaves open must not matter.
    let proved = to_gain(last) <= 0.3 * (-level).exp();
    let few = rehearsal.points.iter().find(|point| to_gain(point.1) <= (-level).exp())?.0;
    proved.then(|| Compared {
        problem: case.name.clone(),
        algorithm: rehearsal.algorithm.clone(),
        rows: rehearsal.rows,
        level,
        few: few.max(1) as f64,
        all: all.max(1) as f64,
    })
}

/// Prints every comparison, and by how much they are off.
pub fn print(compared: &[Compared]) {
    println!("| problem | algorithm | rows | X | rounds there | rounds on all rows |");
    println!("|---|---|---:|---:|---:|---:|");
    let mut off: BTreeMap<(&str, usize), Vec<f64>> = BTreeMap::new();
    for c in compared {
        println!("| {} | {} | {} | {} | {} | {} |", c.problem, c.algorithm, c.rows, c.level, c.few, c.all);
        off.entry((&c.algorithm, c.rows)).or_default().push((c.all / c.few).ln());
    }
    println!("\nln(rounds on all rows / rounds on a few):\n\n| algorithm | rows | levels | mean | deviation |");
    println!("|---|---:|---:|---:|---:|");
    for ((algorithm, rows), off) in off {
        let mean = off.iter().sum::<f64>() / off.len() as f64;
        let deviation = (off.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / off.len() as f64).sqrt();
        println!("| {algorithm} | {rows} | {} | {mean:.2} | {deviation:.2} |", off.len());
    }
}
