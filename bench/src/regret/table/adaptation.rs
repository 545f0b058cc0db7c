//! What changing its mind brings `train`, against its own first choice.

use crate::folds::quantile;
use crate::regret::Outcome;
use crate::regret::judge::Pair;

/// Timelines that are shown.
const SHOWN: usize = 10;
/// A change of mind must be worth so much to be called a win, and may cost so much in the median of any problem.
const WIN: f64 = 0.9;
const LOSS: f64 = 1.05;

/// Prints counts, medians by problem and the clearest wins.
pub(super) fn print(pairs: &[Pair]) {
    let ratios: Vec<(&Pair, f64)> = pairs.iter().filter_map(|pair| Some((pair, ratio(pair)?))).collect();
    let faster = ratios.iter().filter(|(_, ratio)| *ratio <= WIN).count();
    let slower = ratios.iter().filter(|(_, ratio)| *ratio >= LOSS).count();
    println!(
        "\n`train` against `--fixed`: at least 10 % faster on {faster} of {} pairs, at least 5 % slower on {slower}; on {} \
         one of them claimed falsely and nothing is compared.",
        ratios.len(),
        pairs.len() - ratios.len(),
    );
    medians(&ratios);
    wins(&ratios);
}

/// Seconds to ε over those of `--fixed`.
fn ratio(pair: &Pair) -> Option<f64> {
    Some(seconds(&pair.adaptive)? / seconds(&pair.fixed)?)
}

/// To ε, or until it was given up; nothing of a job that stopped by a false claim.
fn seconds(outcome: &Outcome) -> Option<f64> {
    outcome.reached.or((!outcome.summary.goal_met).then_some(outcome.stopped))
}

fn medians(ratios: &[(&Pair, f64)]) {
    let mut problems: Vec<&str> = ratios.iter().map(|(pair, _)| pair.problem.as_str()).collect();
    problems.dedup();
    let of =
        |problem: &str| ratios.iter().filter(|(pair, _)| pair.problem == problem).map(|(_, ratio)| *ratio).collect();
    let medians: Vec<(&str, f64)> = problems.iter().map(|problem| (*problem, quantile(of(problem), 0.5))).collect();
    let words: Vec<String> = medians.iter().map(|(problem, median)| format!("{problem} {median:.2}")).collect();
    println!("\nMedian of `train` over `--fixed`, by problem: {}.", words.join(", "));
    let worse: Vec<&str> = medians.iter().filter(|(_, median)| *median > LOSS).map(|(problem, _)| *problem).collect();
    println!("More than 5 % slower in the median: {} of {} problems. {}", worse.len(), medians.len(), worse.join(", "));
}

fn wins(ratios: &[(&Pair, f64)]) {
    let mut wins: Vec<_> = ratios.iter().filter(|(_, ratio)| *ratio <= WIN).collect();
    wins.sort_by(|a, b| a.1.total_cmp(&b.1));
    println!("\nThe clearest wins of changing its mind:");
    for (pair, ratio) in wins.into_iter().take(SHOWN) {
        println!("\n{} on {}, {ratio:.2} of the time:\n\n```", pair.problem, pair.cluster);
        pair.adaptive.frames.iter().for_each(|frame| println!("{frame}"));
        println!("-- with --fixed:");
        pair.fixed.frames.iter().for_each(|frame| println!("{frame}"));
        println!("```");
    }
}
