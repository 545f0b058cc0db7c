//! Every contender's regret over all pairs.

use hemingway::backend::Config;

use crate::folds::quantile;
use crate::regret::Regret;
use crate::regret::judge::{ON_LINE, Pair};
use crate::regret::rivals::Attempt;

/// The first look takes two rounds, and probing may take a tenth of a run: oracles of fewer rounds than this leave no room
/// for any. At most a fifth of all pairs.
const FLOOR: u64 = 13;

/// A way to choose, by name.
struct Contender {
    name: String,
    regret: Box<dyn Fn(&Pair) -> Regret>,
}

impl Contender {
    fn new(name: impl Into<String>, regret: impl Fn(&Pair) -> Regret + 'static) -> Self {
        Self { name: name.into(), regret: Box::new(regret) }
    }
}

/// Prints the distribution of each over all pairs and over those that leave room for a probe.
pub(super) fn print(pairs: &[Pair]) {
    let all: Vec<&Pair> = pairs.iter().collect();
    let long: Vec<&Pair> = pairs.iter().filter(|pair| pair.oracle.best().2 >= FLOOR).collect();
    let left_out = 100.0 * (all.len() - long.len()) as f64 / all.len().max(1) as f64;
    println!("\nOver the {} pairs whose oracle takes {FLOOR} rounds or more ({left_out:.0} % do not):\n", long.len());
    compare(pairs, &long);
    println!("\nOver all {} pairs:\n", all.len());
    compare(pairs, &all);
    probing(&all);
}

/// Each contender's distribution over some of the pairs, and its median over ours.
fn compare(pairs: &[Pair], some: &[&Pair]) {
    println!("| contender | median | 75 % | 90 % | worst | within 5 / 10 / 25 % | median over ours |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    let mut ours = None;
    for Contender { name, regret } in contenders(pairs) {
        let regrets: Vec<Regret> = some.iter().map(|pair| regret(pair)).collect();
        let [median, upper, high, worst] = [0.5, 0.75, 0.9, 1.0].map(|share| quantile_of(&regrets, share));
        let [five, ten, quarter] = [1.05, 1.1, 1.25].map(|most| share_within(&regrets, most));
        let ours = *ours.get_or_insert(median.times);
        let ratio = Regret { times: median.times / ours, ..median };
        println!(
            "| {name} | {median} | {upper} | {high} | {worst} | {five:.0} / {ten:.0} / {quarter:.0} % | {ratio} |"
        );
    }
}

/// Ours first.
fn contenders(pairs: &[Pair]) -> Vec<Contender> {
    let exactly = |times: f64| Regret { times, at_least: false };
    let single = best_single(pairs);
    vec![
        Contender::new("`train`", move |pair| exactly(pair.regret(&pair.adaptive))),
        Contender::new("`train --fixed`", move |pair| exactly(pair.regret(&pair.fixed))),
        Contender::new(format!("best single configuration by hindsight, {single}"), move |pair| {
            pair.regret_of(&single)
        }),
        Contender::new("one machine, CoCoA", |pair| pair.regret_of(&Config::new("cocoa", 1))),
        Contender::new("all machines, CoCoA+", |pair| pair.regret_of(&Config::new("cocoa+", pair.machines))),
        on_line(0),
        on_line(1),
        Contender::new("m on-line as Splash, the better of both by hindsight", better_on_line),
        Contender::new("Bayesian optimisation over (algorithm, m)", |pair| pair.regret_by(Some(pair.bayes))),
    ]
}

fn on_line(which: usize) -> Contender {
    let name = format!("m on-line as Splash, {}", ON_LINE[which]);
    Contender::new(name, move |pair| pair.regret_by(pair.on_line[which]))
}

fn better_on_line(pair: &Pair) -> Regret {
    let [a, b] = pair.on_line.map(|attempt| pair.regret_by(attempt));
    if a.times <= b.times { a } else { b }
}

/// What was spent on looking around, over all that was spent.
fn probing(pairs: &[&Pair]) {
    let ours = pairs.iter().map(|pair| pair.adaptive.probing / pair.adaptive.stopped).collect();
    let shares = |attempt: fn(&Pair) -> Option<Attempt>| {
        let share = |pair: &&&Pair| attempt(pair).map(|attempt| attempt.probing / attempt.took.known());
        quantile(pairs.iter().filter_map(|pair| share(&pair)).collect(), 0.5)
    };
    println!(
        "\nProbing as a share of all seconds, in the median: `train` {:.2}, Splash with CoCoA {:.2}, with CoCoA+ {:.2}, \
         Bayesian optimisation {:.2}.",
        quantile(ours, 0.5),
        shares(|pair| pair.on_line[0]),
        shares(|pair| pair.on_line[1]),
        shares(|pair| Some(pair.bayes)),
    );
}

/// The configuration with the least median regret over all pairs.
fn best_single(pairs: &[Pair]) -> Config {
    let mut configs: Vec<Config> = Vec::new();
    for (config, _, _) in pairs.iter().flat_map(|pair| &pair.oracle.times) {
        if !configs.contains(config) {
            configs.push(config.clone());
        }
    }
    let median = |config: &Config| quantile(pairs.iter().map(|pair| pair.regret_of(config).times).collect(), 0.5);
    configs.into_iter().min_by(|a, b| median(a).total_cmp(&median(b))).unwrap_or_else(|| Config::new("cocoa", 1))
}

/// Where bounds lie below it, it is a bound itself.
fn quantile_of(regrets: &[Regret], share: f64) -> Regret {
    let times = quantile(regrets.iter().map(|regret| regret.times).collect(), share);
    Regret { times, at_least: regrets.iter().any(|regret| regret.at_least && regret.times <= times) }
}

/// In percent. A bound may be within what the real thing is not.
fn share_within(regrets: &[Regret], most: f64) -> f64 {
    100.0 * regrets.iter().filter(|regret| regret.times <= most).count() as f64 / regrets.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_over_bounds_is_a_bound_only_where_they_matter() {
        let regret = |times, at_least| Regret { times, at_least };
        let regrets = [regret(1.0, false), regret(2.0, true), regret(3.0, false)];
        assert!(!quantile_of(&regrets, 0.0).at_least);
        assert_eq!(quantile_of(&regrets, 0.5).to_string(), "≥ 2.00");
        assert_eq!(quantile_of(&regrets, 1.0).to_string(), "≥ 3.00");
    }
}
