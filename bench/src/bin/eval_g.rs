//! How well g predicts what it was not shown: the rounds each target takes and the whole curve on an m that was left
//! out, and ten rounds ahead from a window of fifty. The founding paper's Lasso beside ours, as tables in Markdown.
//!
//! A fold sees nothing of the m left out, its P* estimate included; the judge knows P*. Needs the traces of
//! `make_traces`; problems named on the command line are judged alone.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use hemingway::model::{Bracket, ConvergenceModel, Estimate, Method, Reach};
use hemingway::record::Trace;
use hemingway_bench::curves::{Real, Sight, ahead, cases, hindsight};
use hemingway_bench::folds::quantile;

const METHODS: [Method; 2] = [Method::Lasso, Method::Ours];
const TARGETS: [f64; 9] = [1e-1, 5e-2, 2e-2, 1e-2, 5e-3, 2e-3, 1e-3, 2e-4, 1e-4];
/// Targets reached sooner say more about rounding than about a model.
const FEWEST: f64 = 10.0;
/// Their trace does not depend on m.
const FIXED: [&str; 2] = ["gd", "lbfgs"];

/// One target on one m: what was predicted, `None` for never, and what was needed.
struct Fold {
    machines: usize,
    target: f64,
    predicted: Option<Estimate>,
    real: f64,
}

/// Everything one method predicted of one algorithm.
#[derive(Default)]
struct Score {
    inner: Vec<Fold>,
    up: Vec<Fold>,
    down: Vec<Fold>,
    /// Root mean square of ln(predicted / real error) over the curve, by m left out.
    curves: Vec<f64>,
    /// |ln(predicted / real)| one and ten rounds ahead, from the window alone.
    ahead: Vec<[f64; 2]>,
    /// The same from the run so far and those on other m.
    informed: Vec<[f64; 2]>,
    /// The same by one who knows the slope.
    hindsight: Vec<[f64; 2]>,
}

type Scores = BTreeMap<(&'static str, String), [Score; 2]>;

fn main() -> anyhow::Result<()> {
    let mut scores = Scores::new();
    let started = Instant::now();
    let asked: Vec<String> = std::env::args().skip(1).collect();
    for case in cases().iter().filter(|case| asked.is_empty() || asked.iter().any(|name| name == case.name)) {
        let (traces, optimum) = case.read()?;
        let machines: BTreeSet<usize> = traces.iter().map(|trace| trace.machines).collect();
        for &left_out in &machines {
            leave_out(&mut scores, case.name, &traces, optimum, left_out, &machines);
        }
    }
    let (fixed, moving): (Scores, Scores) =
        scores.into_iter().partition(|((_, algorithm), _)| FIXED.contains(&algorithm.as_str()));
    if std::env::var_os("VERBOSE").is_some() {
        details(&moving);
    }
    for (title, scores) in [("trace depends on m", &moving), ("trace does not depend on m", &fixed)] {
        println!("\n# Algorithms whose {title}");
        rounds_table("Rounds to a target, inner m", scores, |score| &score.inner);
        rounds_table("Rounds to a target, the largest m from the smaller", scores, |score| &score.up);
        rounds_table("Rounds to a target, the smallest m from the larger", scores, |score| &score.down);
        curve_table(scores);
        ahead_table(scores);
    }
    println!("\n{:.1} s.", started.elapsed().as_secs_f64());
    Ok(())
}

fn leave_out(
    scores: &mut Scores,
    problem: &'static str,
    traces: &[Trace],
    optimum: f64,
    left_out: usize,
    machines: &BTreeSet<usize>,
) {
    let (tested, taught): (Vec<&Trace>, Vec<&Trace>) = traces.iter().partition(|trace| trace.machines == left_out);
    let Some(bracket) = Bracket::of(taught.iter().copied()) else { return };
    if std::env::var_os("VERBOSE").is_some() {
        let part = |value: f64| (value - optimum) / optimum;
        let (mid, best, low) = (part(bracket.mid), part(bracket.best), part(bracket.low.unwrap_or(0.0)));
        eprintln!("{problem} without {left_out}: P* {mid:+.1e}, best {best:.1e}, low {low:.1e}");
    }
    let contexts: BTreeSet<&str> = tested.iter().map(|trace| trace.context.as_str()).collect();
    for context in contexts {
        let taught: Vec<&Trace> = taught.iter().copied().filter(|trace| trace.context == context).collect();
        let real = Real::new(tested.iter().copied().filter(|trace| trace.context == context), optimum);
        let entry = scores.entry((problem, context.to_string())).or_default();
        for (method, score) in METHODS.iter().zip(entry) {
            score.ahead.extend(ahead(&real.runs[0], &bracket, *method, &Sight::Window));
            if *method == Method::Ours {
                score.informed.extend(ahead(&real.runs[0], &bracket, *method, &Sight::Records(&taught)));
                score.hindsight.extend(hindsight(&real.runs[0]));
            }
            let Some(model) = ConvergenceModel::fit(&taught, &bracket, *method) else { continue };
            let folds = folds(&model, &real, left_out);
            if machines.last() == Some(&left_out) {
                score.up.extend(folds);
            } else if machines.first() == Some(&left_out) {
                score.down.extend(folds);
            } else {
                score.inner.extend(folds);
            }
            score.curves.push(real.distance(|round| bracket.objective(model.error_after(round, left_out).mid)));
        }
    }
}

fn folds(model: &ConvergenceModel, real: &Real, machines: usize) -> Vec<Fold> {
    let reached = TARGETS.iter().filter_map(|&target| Some((target, real.rounds_to(target)?)));
    let fold = |(target, real)| {
        let predicted = match model.rounds_to(target, machines) {
            Reach::At(estimate) => Some(estimate),
            Reach::Never => None,
        };
        Fold { machines, target, predicted, real }
    };
    reached.filter(|(_, rounds)| *rounds >= FEWEST).map(fold).collect()
}

fn rounds_table(title: &str, scores: &Scores, part: fn(&Score) -> &Vec<Fold>) {
    println!("\n## {title}\n");
    let columns = ["Lasso", "ours"].map(|name| format!("{name} median % | mean | p95 | never | held %"));
    println!("| problem | algorithm | folds | {} |", columns.join(" | "));
    println!("|---|---|--:|{}", "--:|".repeat(10));
    let mut all: [Vec<(bool, &Fold)>; 2] = Default::default();
    let tuned: BTreeSet<&str> = cases().iter().filter(|case| case.tuned).map(|case| case.name).collect();
    for ((problem, algorithm), score) in scores {
        let parts: Vec<Vec<&Fold>> = score.iter().map(|score| part(score).iter().collect()).collect();
        let tuned = tuned.contains(problem);
        all.iter_mut().zip(&parts).for_each(|(all, part)| all.extend(part.iter().map(|fold| (tuned, *fold))));
        if !parts[1].is_empty() {
            let cells: Vec<String> = parts.iter().map(|part| summary(part)).collect();
            println!("| {problem} | {algorithm} | {} | {} |", parts[1].len(), cells.join(" | "));
        }
    }
    for (name, tuned) in [("tuned on", Some(true)), ("never looked at", Some(false)), ("all", None)] {
        let part = all.each_ref().map(|folds| {
            let kept = folds.iter().filter(|(was, _)| tuned.is_none_or(|tuned| tuned == *was));
            kept.map(|(_, fold)| *fold).collect::<Vec<_>>()
        });
        let cells = part.each_ref().map(|folds| summary(folds));
        println!("| **{name}** | | {} | {} |", part[1].len(), cells.join(" | "));
    }
}

/// Of |predicted / real − 1|: the median counts a never as infinite, the others leave it out.
fn summary(folds: &[&Fold]) -> String {
    let errors: Vec<f64> = folds.iter().map(|fold| 100.0 * miss(fold)).collect();
    let finite: Vec<f64> = errors.iter().copied().filter(|error| error.is_finite()).collect();
    let mean = finite.iter().sum::<f64>() / finite.len() as f64;
    let never = errors.len() - finite.len();
    let held = 100.0 * folds.iter().filter(|fold| held(fold)).count() as f64 / folds.len() as f64;
    let (median, worst) = (quantile(errors, 0.5), quantile(finite, 0.95));
    format!("{median:.1} | {mean:.1} | {worst:.1} | {never} | {held:.0}")
}

fn miss(fold: &Fold) -> f64 {
    fold.predicted.map_or(f64::INFINITY, |predicted| (predicted.mid / fold.real - 1.0).abs())
}

fn held(fold: &Fold) -> bool {
    fold.predicted.is_some_and(|predicted| predicted.low <= fold.real && fold.real <= predicted.high)
}

fn curve_table(scores: &Scores) {
    println!("\n## The curve of an m left out\n");
    println!("| problem | algorithm | RMSE ln error, median: Lasso | ours |\n|---|---|--:|--:|");
    for ((problem, algorithm), score) in scores {
        let [lasso, ours] = score.each_ref().map(|score| quantile(score.curves.clone(), 0.5));
        println!("| {problem} | {algorithm} | {lasso:.3} | {ours:.3} |");
    }
}

/// Mean |ln(predicted / real)|, so many rounds ahead.
fn ahead_table(scores: &Scores) {
    for (place, rounds) in ["One round", "Ten rounds"].iter().enumerate() {
        println!("\n## {rounds} ahead\n");
        println!(
            "| problem | algorithm | window of fifty: Lasso | ours | ratio | run so far and other m: ours | ratio | slope known: ratio |"
        );
        println!("|---|---|--:|--:|--:|--:|--:|--:|");
        let mean = |misses: &Vec<[f64; 2]>| misses.iter().map(|miss| miss[place]).sum::<f64>() / misses.len() as f64;
        for ((problem, algorithm), [lasso, ours]) in scores.iter().filter(|(_, [lasso, _])| !lasso.ahead.is_empty()) {
            let paper = mean(&lasso.ahead);
            let [window, informed, known] = [&ours.ahead, &ours.informed, &ours.hindsight].map(mean);
            let ratios = [window, informed, known].map(|ours| ours / paper);
            println!(
                "| {problem} | {algorithm} | {paper:.4} | {window:.4} | {:.2} | {informed:.4} | {:.2} | {:.2} |",
                ratios[0], ratios[1], ratios[2],
            );
        }
    }
}

/// Every fold of ours, to see where it errs.
fn details(scores: &Scores) {
    for ((problem, algorithm), [_, ours]) in scores {
        for fold in ours.inner.iter().chain(&ours.up).chain(&ours.down) {
            let real = fold.real;
            let predicted =
                fold.predicted.map_or("never".into(), |p| format!("{:.1} {:.1} {:.1}", p.low, p.mid, p.high));
            eprintln!("{problem} {algorithm} m={} {:e}: {predicted}, really {real:.1}", fold.machines, fold.target);
        }
    }
}
