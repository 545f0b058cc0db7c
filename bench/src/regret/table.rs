//! Every cell, and what they come to.

mod adaptation;
mod contenders;
mod promises;

use std::collections::BTreeMap;

use super::judge::Pair;

/// Prints everything.
pub fn print(pairs: &[Pair]) {
    cells(pairs);
    oracles(pairs);
    contenders::print(pairs);
    promises::print(pairs);
    claims(pairs);
    adaptation::print(pairs);
    replays(pairs);
}

fn cells(pairs: &[Pair]) {
    println!(
        "| problem | cluster | oracle | rounds | seconds | `train` | regret | at its stop | probing | switches \
         | `--fixed` | Splash, CoCoA | Splash, CoCoA+ | Bayes | its probing |"
    );
    println!("|---|---|---|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for pair in pairs {
        let (config, seconds, rounds) = pair.oracle.best();
        let ours = &pair.adaptive;
        let [cocoa, cocoa_plus] = pair.on_line.map(|attempt| pair.regret_by(attempt));
        println!(
            "| {} | {} | {config} | {rounds} | {seconds:.3} | {} | {:.2} | {:.2} | {:.2} | {} \
             | {:.2} | {cocoa} | {cocoa_plus} | {} | {:.2} |",
            pair.problem,
            pair.cluster,
            ours.summary.choice.as_ref().map_or_else(String::new, ToString::to_string),
            pair.regret(ours),
            ours.stopped / seconds,
            ours.probing / seconds,
            ours.summary.switches.len(),
            pair.regret(&pair.fixed),
            pair.regret_by(Some(pair.bayes)),
            pair.bayes.probing / seconds,
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

fn claims(pairs: &[Pair]) {
    let stops: Vec<&Pair> = pairs.iter().filter(|pair| pair.adaptive.summary.goal_met).collect();
    let wrong: Vec<String> = stops
        .iter()
        .filter(|pair| pair.adaptive.true_error > pair.error)
        .map(|pair| format!("{} on {} ({:.1e})", pair.problem, pair.cluster, pair.adaptive.true_error))
        .collect();
    println!("\nFalse claims: {} of {} stops. {}", wrong.len(), stops.len(), wrong.join(", "));
}

fn replays(pairs: &[Pair]) {
    let replayed: Vec<_> = pairs.iter().flat_map(|pair| [pair.adaptive.replayed, pair.fixed.replayed]).collect();
    let decisions: usize = replayed.iter().map(|journal| journal.decisions).sum();
    let verdict = match replayed.iter().map(|journal| journal.differences).sum() {
        0 => "all identical".to_string(),
        differences => format!("{differences} DIFFERENT"),
    };
    println!("\nTaken again from the journals: {decisions} decisions of {} journals, {verdict}.", replayed.len());
}
