//! How well f and g predict what they were not shown of neural networks that others trained: one m left out at a time,
//! and two evaluations ahead. Ernest's method for f and the founding paper's Lasso for g beside ours, as tables in
//! Markdown.
//!
//! What is to become small is 1 − accuracy; nobody knows its P*, the judge included. Studies named on the command line
//! are judged alone.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use hemingway::model::FitOptions;
use hemingway::model::system::{Observation, observations};
use hemingway::record::Trace;
use hemingway_bench::deep::judge::{Fold, METHODS, Score, judge};
use hemingway_bench::deep::studies;
use hemingway_bench::folds::{self, Folds, quantile};

type Scores = BTreeMap<String, [Score; 2]>;

fn main() -> anyhow::Result<()> {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let mut studies = studies(&hemingway_bench::data_dir()?)?;
    studies.retain(|name, _| asked.is_empty() || asked.contains(name));
    let started = Instant::now();
    seconds(&studies);
    let scores: Scores =
        studies.iter().map(|(name, traces)| (name.clone(), METHODS.map(|method| judge(traces, method)))).collect();
    rounds_table("Rounds to a target, inner m", &scores, |score| &score.inner);
    rounds_table("Rounds to a target, the largest m from the smaller", &scores, |score| &score.up);
    rounds_table("Rounds to a target, the smallest m from the larger", &scores, |score| &score.down);
    curve_table(&scores);
    ahead_table("from eight alone", &scores, |score| &score.window);
    ahead_table("from the run so far and the other m", &scores, |score| &score.informed);
    println!("\n{:.1} s.", started.elapsed().as_secs_f64());
    Ok(())
}

/// f: seconds of an iteration on an m left out, where the records have times.
fn seconds(studies: &BTreeMap<String, Vec<Trace>>) {
    let mut results: [BTreeMap<&str, Folds>; 3] = Default::default();
    for (name, traces) in studies {
        let contexts: BTreeSet<&str> = traces.iter().map(|trace| trace.context.as_str()).collect();
        for context in contexts {
            let own: Vec<&Trace> = traces.iter().filter(|trace| trace.context == context).collect();
            let observed = observations(&own, &FitOptions::default());
            for (place, real) in observed.iter().enumerate() {
                let direction = if place == 0 { 2 } else { usize::from(place + 1 == observed.len()) };
                let taught: Vec<Observation> = observed.iter().filter(|other| *other != real).copied().collect();
                folds::judge(&taught, &[*real], results[direction].entry(name).or_default());
            }
        }
    }
    for (direction, sets) in ["inner m", "the largest m", "the smallest m"].iter().zip(&results) {
        println!("\n## Seconds of an iteration, {direction} left out\n");
        folds::table(&folds::NAMES, sets.iter().map(|(name, folds)| (*name, folds)));
    }
}

fn rounds_table(title: &str, scores: &Scores, part: fn(&Score) -> &Vec<Fold>) {
    println!("\n## {title}\n");
    let columns = ["Lasso", "ours"].map(|name| format!("{name} median % | mean | p95 | never | held %"));
    println!("| study | folds | {} |", columns.join(" | "));
    println!("|---|--:|{}", "--:|".repeat(10));
    let mut all: [Vec<Fold>; 2] = Default::default();
    for (name, score) in scores {
        let parts = score.each_ref().map(part);
        all.iter_mut().zip(parts).for_each(|(all, part)| all.extend(part));
        let cells = parts.map(|folds| rounds_cells(folds));
        println!("| {name} | {} | {} |", parts[1].len(), cells.join(" | "));
    }
    println!("| **all** | {} | {} |", all[1].len(), all.map(|folds| rounds_cells(&folds)).join(" | "));
}

/// The median counts a never as infinite, mean and p95 leave it out.
fn rounds_cells(folds: &[Fold]) -> String {
    let misses: Vec<f64> = folds.iter().map(|fold| 100.0 * fold.miss).collect();
    let finite: Vec<f64> = misses.iter().copied().filter(|miss| miss.is_finite()).collect();
    let never = misses.len() - finite.len();
    let (average, worst) = (mean(&finite), quantile(finite, 0.95));
    format!("{:.1} | {average:.1} | {worst:.1} | {never} | {:.0}", quantile(misses, 0.5), held(folds))
}

fn curve_table(scores: &Scores) {
    println!("\n## The curve of an m left out: RMSE of ln(1 − metric)\n");
    let columns = ["Lasso", "ours"].map(|name| format!("{name} median | mean | p95 | silent | absurd answers"));
    println!("| study | curves | {} |", columns.join(" | "));
    println!("|---|--:|{}", "--:|".repeat(10));
    for (name, score) in scores {
        let cells = score.each_ref().map(|score| {
            let at = |share: f64| quantile(score.curves.clone(), share);
            let (average, silent, absurd) = (mean(&score.curves), score.silent, score.absurd);
            format!("{:.3} | {average:.3} | {:.3} | {silent} | {absurd}", at(0.5), at(0.95))
        });
        println!("| {name} | {} | {} |", score[1].curves.len(), cells.join(" | "));
    }
}

fn ahead_table(sight: &str, scores: &Scores, part: fn(&Score) -> &Vec<Fold>) {
    println!("\n## Two evaluations ahead, {sight}: |ln(predicted / real)| of 1 − metric\n");
    let columns = ["Lasso", "ours"].map(|name| format!("{name} median | mean | p95 | held %"));
    println!("| study | folds | no change: mean | {} | ours / Lasso, mean |", columns.join(" | "));
    println!("|---|--:|--:|{}--:|", "--:|".repeat(8));
    for (name, score) in scores {
        let parts = score.each_ref().map(part);
        let cells = parts.map(|folds| ahead_cells(folds));
        let [lasso, ours, still] = [parts[0], parts[1], &score[1].still].map(|folds| mean(&misses(folds)));
        println!("| {name} | {} | {still:.4} | {} | {:.2} |", parts[1].len(), cells.join(" | "), ours / lasso);
    }
}

fn ahead_cells(folds: &[Fold]) -> String {
    let misses = misses(folds);
    let at = |share: f64| quantile(misses.clone(), share);
    format!("{:.4} | {:.4} | {:.4} | {:.0}", at(0.5), mean(&misses), at(0.95), held(folds))
}

fn misses(folds: &[Fold]) -> Vec<f64> {
    folds.iter().map(|fold| fold.miss).collect()
}

fn held(folds: &[Fold]) -> f64 {
    100.0 * folds.iter().filter(|fold| fold.held).count() as f64 / folds.len() as f64
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
