//! Every cell, and who is faster.

use std::fmt::Write;

use super::{ERRORS, Pick, Times};

/// One solver on one problem.
pub struct Cell {
    /// The solver.
    pub solver: String,
    /// Whether it is ours.
    pub ours: bool,
    /// Seconds to every error.
    pub times: Times,
}

/// How the line that sums up a problem begins.
const RATIOS: &str = "| best of ours over best of theirs |";

/// The table of one problem: a line a solver, what `train` did, then ours over theirs.
pub fn table(name: &str, cells: &[Cell], picks: &[Pick]) -> String {
    let mut text = format!("\n### {name}\n\n| solver |{}\n", ERRORS.map(|error| format!(" {error:e} |")).concat());
    _ = writeln!(text, "|---|{}", "---:|".repeat(ERRORS.len()));
    for cell in cells {
        let whose = if cell.ours { "hemingway " } else { "" };
        _ = writeln!(text, "| {whose}{} |{}", cell.solver, cell.times.map(seconds).concat());
    }
    let line = |each: &dyn Fn(usize) -> String| (0..ERRORS.len()).map(each).collect::<String>();
    if !picks.is_empty() {
        _ = writeln!(text, "| `train`, trials included |{}", line(&|k| seconds(picks[k].seconds)));
        let with_trials = |k: usize| ratio(picks[k].seconds, best(cells, false, k));
        _ = writeln!(text, "| that over best of theirs |{}", line(&with_trials));
        _ = writeln!(text, "| what it ended with |{}", line(&|k| format!(" {} |", picks[k].solver)));
        let of_pick = |k: usize| cells.iter().find(|c| c.ours && c.solver == picks[k].solver)?.times[k];
        let over = |k: usize| ratio(of_pick(k), best(cells, false, k));
        _ = writeln!(text, "| its algorithm alone over best of theirs |{}", line(&over));
    }
    _ = writeln!(text, "{RATIOS}{}", line(&|k| ratio(best(cells, true, k), best(cells, false, k))));
    text
}

fn ratio(ours: Option<f64>, theirs: Option<f64>) -> String {
    match (ours, theirs) {
        (Some(ours), Some(theirs)) => format!(" **{:.2}** |", ours / theirs),
        (Some(_), None) => " only ours |".into(),
        _ => " — |".into(),
    }
}

/// The least seconds to an error among ours or theirs.
pub fn best(cells: &[Cell], ours: bool, error: usize) -> Option<f64> {
    cells.iter().filter(|cell| cell.ours == ours).filter_map(|cell| cell.times[error]).min_by(f64::total_cmp)
}

fn seconds(time: Option<f64>) -> String {
    time.map_or(" — |".into(), |time| format!(" {time:.4} |"))
}

/// All problems of a report, whenever they were measured.
pub fn summary(report: &str) -> String {
    let mut ratios = [const { Vec::new() }; ERRORS.len()];
    let mut name = "";
    for line in report.lines() {
        name = line.strip_prefix("### ").unwrap_or(name);
        let Some(cells) = line.strip_prefix(RATIOS) else { continue };
        for (ratios, cell) in ratios.iter_mut().zip(cells.split('|')) {
            let ratio = if cell.trim() == "only ours" { Ok(0.0) } else { cell.trim().trim_matches('*').parse::<f64>() };
            ratios.extend(ratio.ok().map(|ratio| (ratio, name)));
        }
    }
    let mut text = "\n### Best of ours over best of theirs, all problems\n\n".to_string();
    text += "| error | problems | ours faster | at most 1.05 | worst |\n|---|---:|---:|---:|---|\n";
    for (error, ratios) in ERRORS.iter().zip(&ratios) {
        let within = |most: f64| ratios.iter().filter(|(ratio, _)| *ratio <= most).count();
        let worst = ratios.iter().max_by(|a, b| a.0.total_cmp(&b.0));
        let worst = worst.map_or("—".into(), |(ratio, name)| format!("{ratio:.2} ({name})"));
        let faster = ratios.iter().filter(|(ratio, _)| *ratio < 1.0).count();
        _ = writeln!(text, "| {error:e} | {} | {faster} | {} | {worst} |", ratios.len(), within(1.05));
    }
    text
}
