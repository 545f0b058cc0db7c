//! Rounds to a target on all rows, foreseen from samples.

use hemingway::model::{Doubt, Estimate, RunModel};

use super::{FEWEST, MACHINES, Study, TARGETS, Truth};
use crate::folds::quantile;

/// One target of one algorithm on one m.
pub struct Cell {
    problem: &'static str,
    settled: bool,
    seed: u64,
    algorithm: String,
    machines: usize,
    target: f64,
    /// What the samples say, trusted or not.
    foreseen: Option<Estimate>,
    doubt: Option<Doubt>,
    real: f64,
}

/// Every cell whose truth is known.
pub fn cells(study: &Study, seed: u64, model: &RunModel, truth: &Truth) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (algorithm, context) in &model.contexts {
        let Some(samples) = &context.samples else { continue };
        for (machines, target) in MACHINES.into_iter().flat_map(|m| TARGETS.map(|target| (m, target))) {
            let real = truth.rounds(algorithm, machines, target).filter(|real| *real >= FEWEST);
            cells.extend(real.map(|real| Cell {
                problem: study.case.name,
                settled: study.settled,
                seed,
                algorithm: algorithm.clone(),
                machines,
                target,
                foreseen: samples.foresee(target, machines),
                doubt: samples.rounds_to(target, machines).err(),
                real,
            }));
        }
    }
    cells
}

/// The tables in Markdown, and every cell on stderr if asked.
pub fn print(cells: &[Cell], verbose: bool) {
    println!("\n## Rounds to a target on all rows, from samples of 5, 10 and 20 %\n");
    println!("| | cells | abstained | median % | mean | p95 | held % | of the abstained: median % | p95 |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    let mut rows: Vec<(String, Vec<&Cell>)> = Vec::new();
    let mut add = |name: String, cell| match rows.iter_mut().find(|row| row.0 == name) {
        Some(row) => row.1.push(cell),
        None => rows.push((name, vec![cell])),
    };
    for cell in cells {
        add(if cell.settled { "**rules settled on**" } else { "**rules only tried on**" }.into(), cell);
    }
    cells.iter().for_each(|cell| add(cell.problem.into(), cell));
    cells.iter().for_each(|cell| add(cell.algorithm.clone(), cell));
    rows.iter().for_each(|(name, cells)| println!("| {name} | {} |", row(cells)));
    if verbose {
        cells.iter().for_each(detail);
    }
}

fn row(cells: &[&Cell]) -> String {
    let (abstained, given): (Vec<&Cell>, Vec<&Cell>) = cells.iter().partition(|cell| cell.doubt.is_some());
    let held = given.iter().filter(|cell| cell.held()).count() as f64 / given.len() as f64;
    let [kept, left] =
        [&given, &abstained].map(|cells| cells.iter().filter_map(|cell| cell.miss()).collect::<Vec<_>>());
    let mean = kept.iter().sum::<f64>() / kept.len() as f64;
    let at = |misses: &Vec<f64>, share| quantile(misses.clone(), share);
    format!(
        "{} | {} | {:.1} | {mean:.1} | {:.1} | {:.0} | {:.1} | {:.1}",
        cells.len(),
        abstained.len(),
        at(&kept, 0.5),
        at(&kept, 0.95),
        100.0 * held,
        at(&left, 0.5),
        at(&left, 0.95)
    )
}

fn detail(cell: &Cell) {
    let Cell { problem, seed, algorithm, machines, target, real, .. } = cell;
    let said = cell.foreseen.map_or("nothing".into(), |e| format!("{:.0} ({:.0}–{:.0})", e.mid, e.low, e.high));
    let doubt = cell.doubt.map_or(String::new(), |doubt| format!("; abstained: {doubt}"));
    eprintln!("{problem} seed {seed} {algorithm} m={machines} {target:e}: {said}, really {real}{doubt}");
}

impl Cell {
    /// |foreseen / real − 1| in percent.
    fn miss(&self) -> Option<f64> {
        Some(100.0 * (self.foreseen?.mid / self.real - 1.0).abs())
    }

    fn held(&self) -> bool {
        self.foreseen.is_some_and(|foreseen| foreseen.low <= self.real && self.real <= foreseen.high)
    }
}
