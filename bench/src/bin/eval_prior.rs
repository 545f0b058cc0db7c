//! What earlier problems are worth: rounds to a target on every m from the runs of one m, with and without the others'
//! records. Needs the traces of `make_traces`; a problem's priors come from the other problems alone.

use std::collections::{BTreeMap, BTreeSet};

use hemingway::model::{FitOptions, Priors, RunModel};
use hemingway::record::Trace;
use hemingway_bench::curves::{Real, cases};
use hemingway_bench::folds::quantile;

const TARGETS: [f64; 4] = [1e-1, 1e-2, 1e-3, 1e-4];
/// Targets reached sooner say more about rounding than about a model.
const FEWEST: f64 = 10.0;
/// The m whose runs are known.
const KNOWN: usize = 8;

/// |ln(predicted / real)| and whether the interval held it, without and with priors.
type Folds = Vec<[(f64, bool); 2]>;

fn main() -> anyhow::Result<()> {
    let mut problems = Vec::new();
    for case in cases() {
        if let Ok((traces, optimum)) = case.read() {
            problems.push((case.name, traces, optimum));
        }
    }
    let mut scores: BTreeMap<String, Folds> = BTreeMap::new();
    for (name, traces, optimum) in &problems {
        let others = problems.iter().filter(|other| !alike(other.0, name)).flat_map(|other| other.1.iter().cloned());
        judge(traces, *optimum, Priors::of(&others.collect::<Vec<_>>()), &mut scores)?;
    }
    println!("| algorithm | folds | √m: median factor | held % | earlier problems: median factor | held % |");
    println!("|---|--:|--:|--:|--:|--:|");
    let all: Folds = scores.values().flatten().copied().collect();
    for (algorithm, folds) in scores.iter().chain([(&"**all**".to_string(), &all)]) {
        let cells = [0, 1].map(|way| {
            let factor = quantile(folds.iter().map(|fold| fold[way].0).collect(), 0.5).exp();
            let held = folds.iter().filter(|fold| fold[way].1).count() as f64 / folds.len() as f64;
            format!("{factor:.2} | {:.0}", 100.0 * held)
        });
        println!("| {algorithm} | {} | {} |", folds.len(), cells.join(" | "));
    }
    Ok(())
}

/// Problems on the same data teach each other too much.
fn alike(a: &str, b: &str) -> bool {
    let data = |name: &str| name.split('-').next().map(str::to_owned);
    data(a) == data(b) && !a.starts_with("synth")
}

fn judge(traces: &[Trace], optimum: f64, priors: Priors, scores: &mut BTreeMap<String, Folds>) -> anyhow::Result<()> {
    let known: Vec<Trace> = traces.iter().filter(|trace| trace.machines == KNOWN).cloned().collect();
    let plain = RunModel::fit(&known, &FitOptions::default())?;
    let informed = RunModel::fit(&known, &FitOptions { priors, ..FitOptions::default() })?;
    let machines: BTreeSet<usize> = traces.iter().map(|trace| trace.machines).filter(|m| *m != KNOWN).collect();
    for context in plain.contexts.keys() {
        for &m in &machines {
            let own = traces.iter().filter(|trace| trace.machines == m && trace.context == *context);
            let real = Real::new(own, optimum);
            for target in TARGETS {
                let Some(rounds) = real.rounds_to(target).filter(|rounds| *rounds >= FEWEST) else { continue };
                let told = [&plain, &informed].map(|model| {
                    let reach = model.contexts[context].rounds_to(target, m)?.estimate()?;
                    Some(((reach.mid / rounds).ln().abs(), reach.low <= rounds && rounds <= reach.high))
                });
                if let [Some(without), Some(with)] = told {
                    scores.entry(context.clone()).or_default().push([without, with]);
                }
            }
        }
    }
    Ok(())
}
