//! Every cell, and what they come to.

use std::collections::BTreeMap;

use hemingway::backend::Config;

use super::judge::Pair;
use crate::folds::quantile;

/// Oracles of fewer rounds leave no room for any probe; at most a fifth of all pairs.
const FLOOR: u64 = 7;

type Regret = Box<dyn Fn(&Pair) -> f64>;

/// Prints everything.
pub fn print(pairs: &[Pair]) {
    cells(pairs);
    oracles(pairs);
    contenders(pairs);
    promises(pairs);
    adaptation(pairs);
}

fn cells(pairs: &[Pair]) {
    println!(
        "| problem | cluster | oracle | rounds | seconds | `train` | regret | at its stop | probing | `--fixed` | switches |"
    );
    println!("|---|---|---|---:|---:|---|---:|---:|---:|---:|---:|");
    for pair in pairs {
        let (config, seconds, rounds) = pair.oracle.best();
        let ours = &pair.adaptive;
        println!(
            "| {} | {} | {config} | {rounds} | {seconds:.3} | {} | {:.2} | {:.2} | {:.2} | {:.2} | {} |",
            pair.problem,
            pair.cluster,
            ours.summary.choice.as_ref().map_or_else(String::new, ToString::to_string),
            pair.regret(ours),
            ours.stopped / seconds,
            ours.probing / seconds,
            pair.regret(&pair.fixed),
            ours.summary.switches.len(),
        );
    }
}

fn oracles(pairs: &[Pair]) {
    let mut wins: BTreeMap<String, usize> = BTreeMap::new();
    for pair in pairs {
        *wins.entry(pair.oracle.best().0.to_string()).or_default() += 1;
    }
    let mut wins: Vec<_> = wins.into_iter().collect();
    wins.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let words: Vec<String> = wins.iter().map(|(config, count)| format!("{config} {count}")).collect();
    println!("\nOracles of {} pairs: {}.", pairs.len(), words.join(", "));
}

fn contenders(pairs: &[Pair]) {
    let single = best_single(pairs);
    let long: Vec<&Pair> = pairs.iter().filter(|pair| pair.oracle.best().2 >= FLOOR).collect();
    let left_out = 100.0 * (pairs.len() - long.len()) as f64 / pairs.len().max(1) as f64;
    println!("\nOver the {} pairs whose oracle takes {FLOOR} rounds or more ({left_out:.0} % do not):\n", long.len());
    println!("| contender | median | 75 % | 90 % | worst | within 5 / 10 / 25 % |");
    println!("|---|---:|---:|---:|---:|---:|");
    let rows: [(String, Regret); 5] = [
        ("`train`".into(), Box::new(|pair| pair.regret(&pair.adaptive))),
        ("`train --fixed`".into(), Box::new(|pair| pair.regret(&pair.fixed))),
        (format!("best single configuration by hindsight, {single}"), Box::new(move |pair| pair.regret_of(&single))),
        ("one machine, CoCoA".into(), Box::new(|pair| pair.regret_of(&Config::new("cocoa", 1)))),
        ("all machines, CoCoA+".into(), Box::new(|pair| pair.regret_of(&Config::new("cocoa+", pair.machines)))),
    ];
    for (name, regret) in rows {
        let regrets: Vec<f64> = long.iter().map(|pair| regret(pair)).collect();
        let at = |q: f64| quantile(regrets.clone(), q);
        let within = |most: f64| 100.0 * regrets.iter().filter(|r| **r <= most).count() as f64 / regrets.len() as f64;
        println!(
            "| {name} | {:.2} | {:.2} | {:.2} | {:.2} | {:.0} / {:.0} / {:.0} % |",
            at(0.5),
            at(0.75),
            at(0.9),
            at(1.0),
            within(1.05),
            within(1.1),
            within(1.25)
        );
    }
}

/// The configuration with the least median regret over all pairs.
fn best_single(pairs: &[Pair]) -> Config {
    let mut configs: Vec<Config> = Vec::new();
    for (config, _, _) in pairs.iter().flat_map(|pair| &pair.oracle.times) {
        if !configs.contains(config) {
            configs.push(config.clone());
        }
    }
    let median = |config: &Config| quantile(pairs.iter().map(|pair| pair.regret_of(config)).collect(), 0.5);
    configs.into_iter().min_by(|a, b| median(a).total_cmp(&median(b))).unwrap_or_else(|| Config::new("cocoa", 1))
}

fn promises(pairs: &[Pair]) {
    let promised: Vec<_> =
        pairs.iter().filter_map(|pair| Some((pair.adaptive.predicted?, pair.adaptive.stopped))).collect();
    let ratios: Vec<f64> = promised.iter().map(|(predicted, real)| predicted.mid / real).collect();
    let covered = promised.iter().filter(|(p, real)| (p.low..=p.high).contains(real)).count();
    let off = quantile(ratios.iter().map(|ratio| ratio.ln().abs().exp()).collect(), 0.5);
    println!(
        "\nPromised when training began, over what it took to the stop: median {:.2}, off by a factor of {off:.2} in the median; \
         {covered} of {} within the 90 % interval.",
        quantile(ratios, 0.5),
        promised.len()
    );
    let stops: Vec<&Pair> = pairs.iter().filter(|pair| pair.adaptive.summary.goal_met).collect();
    let wrong: Vec<String> = stops
        .iter()
        .filter(|pair| pair.adaptive.true_error > pair.error)
        .map(|pair| format!("{} on {} ({:.1e})", pair.problem, pair.cluster, pair.adaptive.true_error))
        .collect();
    println!("\nFalse claims: {} of {} stops. {}", wrong.len(), stops.len(), wrong.join(", "));
}

fn adaptation(pairs: &[Pair]) {
    let ratio = |pair: &Pair| pair.regret(&pair.adaptive) / pair.regret(&pair.fixed);
    let faster = pairs.iter().filter(|pair| ratio(pair) <= 0.9).count();
    let slower = pairs.iter().filter(|pair| ratio(pair) >= 1.05).count();
    println!(
        "\n`train` against `--fixed`: at least 10 % faster on {faster} of {} pairs, at least 5 % slower on {slower}.",
        pairs.len()
    );
}
