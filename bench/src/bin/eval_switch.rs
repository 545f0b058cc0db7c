//! What really follows a switch of algorithm or machines, against the level-set shift and against our model of it, as
//! tables in Markdown.
//!
//! A switch is foretold from other problems, or from other seeds of its own; the judge knows P*. Needs the traces of
//! `make_traces`; the switched runs are made once and kept beside them.

use std::collections::BTreeMap;

use hemingway_bench::curves::cases;
use hemingway_bench::folds::quantile;
use hemingway_bench::switches::cells::{Cell, Study, Target, WAYS};
use hemingway_bench::switches::{SETTLED, UNSEEN, WATCHED};

fn main() -> anyhow::Result<()> {
    let (settled, unseen) = (studies(&SETTLED)?, studies(&UNSEEN)?);
    let (settled, unseen) = (foretold(&settled, &settled), foretold(&unseen, &settled));
    println!("# Predictions of rounds from the switch to a third and a tenth of its error");
    scores("problems never looked at before, by kind of switch", &unseen, kind);
    scores("problems the model was settled on, by kind of switch", &settled, kind);
    let cells: Vec<Cell> = settled.into_iter().chain(unseen).collect();
    scores("by problem", &cells, |cell| cell.problem.into());
    println!("\n# What follows a switch");
    facts("by what is switched, medians over problems, levels and seeds", &cells, pair);
    let every = |cell: &Cell| format!("{} {} at {:.0e}", cell.problem, pair(cell), cell.level);
    facts("every switch, medians of the seeds", &cells, every);
    Ok(())
}

fn studies(names: &[&str]) -> anyhow::Result<Vec<Study>> {
    let cases = cases();
    cases.iter().filter(|case| names.contains(&case.name)).map(Study::read).collect()
}

/// The switches of every study, by what the teachers show but for the study itself.
fn foretold(studies: &[Study], teachers: &[Study]) -> Vec<Cell> {
    let others = |study: &Study| teachers.iter().filter(|other| other.name != study.name).collect::<Vec<_>>();
    studies.iter().flat_map(|study| study.cells(&others(study))).collect()
}

fn resizes(cell: &Cell) -> bool {
    cell.from.0 == cell.to.0
}

fn kind(cell: &Cell) -> String {
    if resizes(cell) { "other machines".into() } else { format!("into {}", cell.to.0) }
}

fn pair(cell: &Cell) -> String {
    let ((from, before), (to, after)) = (&cell.from, &cell.to);
    if resizes(cell) { format!("{from}, {before} → {after}") } else { format!("{from} → {to}") }
}

fn grouped(cells: &[Cell], name: impl Fn(&Cell) -> String) -> BTreeMap<String, Vec<&Cell>> {
    let mut groups: BTreeMap<String, Vec<&Cell>> = BTreeMap::new();
    cells.iter().for_each(|cell| groups.entry(name(cell)).or_default().push(cell));
    groups
}

/// The jump, the share of progress lost, and rounds as they were beside those of runs from scratch.
fn facts(title: &str, cells: &[Cell], name: impl Fn(&Cell) -> String) {
    println!("\n## {title}\n");
    println!("| switch | runs | jump, ln error | share lost | to e/3: real | shift | to e/10: real | shift |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    for (name, cells) in grouped(cells, name) {
        let median = |value: &dyn Fn(&Cell) -> f64| quantile(cells.iter().map(|cell| value(cell)).collect(), 0.5);
        let rounds = |target: usize| {
            let real = median(&|cell| cell.targets[target].real.unwrap_or(f64::INFINITY));
            let shift = median(&|cell| cell.targets[target].shift.unwrap_or(f64::INFINITY));
            format!("{} | {}", count(real, &format!("> {WATCHED}")), count(shift, "–"))
        };
        let (jump, lost) = (median(&|cell| cell.jump), median(&|cell| cell.lost));
        println!("| {name} | {} | {jump:+.2} | {lost:+.2} | {} | {} |", cells.len(), rounds(0), rounds(1));
    }
}

fn count(rounds: f64, otherwise: &str) -> String {
    if rounds.is_finite() { format!("{rounds:.0}") } else { otherwise.into() }
}

/// Every way of predicting: median and mean of |ln(predicted / real)| where the target was reached, how often a prediction
/// was on the wrong side of the rounds watched, and how often its 90 % interval held.
fn scores(title: &str, cells: &[Cell], name: impl Fn(&Cell) -> String) {
    println!(
        "\n## {title}\n\n| switch | targets | {} |",
        WAYS.map(|way| format!("{way}: median | mean | wrong % | held %")).join(" | ")
    );
    println!("|---|--:|{}", "--:|".repeat(4 * WAYS.len()));
    let mut groups: Vec<(String, Vec<&Cell>)> = grouped(cells, name).into_iter().collect();
    groups.push(("**all**".into(), cells.iter().collect()));
    for (name, cells) in groups {
        let targets: Vec<&Target> = cells.iter().flat_map(|cell| &cell.targets).collect();
        let ways: Vec<String> = (0..WAYS.len()).map(|way| score(&targets, way)).collect();
        println!("| {name} | {} | {} |", targets.len(), ways.join(" | "));
    }
}

fn score(targets: &[&Target], way: usize) -> String {
    let miss = |target: &&Target| {
        let told = target.told[way].map_or(f64::INFINITY, |told| told.mid);
        Some((told.min(1e3) / target.real?).ln().abs())
    };
    let misses: Vec<f64> = targets.iter().filter_map(miss).collect();
    let within = |target: &&&Target| target.told[way].is_some_and(|told| told.mid <= WATCHED as f64);
    let wrong = targets.iter().filter(|target| within(target) != target.real.is_some()).count();
    let held = |target: &&&Target| match (target.told[way], target.real) {
        (Some(told), Some(real)) => told.low <= real && real <= told.high,
        (Some(told), None) => told.high > WATCHED as f64,
        (None, real) => real.is_none(),
    };
    let held = targets.iter().filter(held).count();
    let percent = |count: usize| 100.0 * count as f64 / targets.len() as f64;
    let mean = misses.iter().sum::<f64>() / misses.len() as f64;
    format!("{:.2} | {mean:.2} | {:.0} | {:.0}", quantile(misses, 0.5), percent(wrong), percent(held))
}
