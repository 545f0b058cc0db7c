//! What does `train` take against the best configuration by hindsight? See `bench/src/regret.rs`.
//!
//! `regret tapes` computes every (problem, algorithm, m) once; `regret oracles` prints who wins where.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Instant;

use anyhow::bail;
use hemingway::model::Precedents;
use hemingway::record::store::Store;
use hemingway_bench::regret::{Case, Oracle, Shelf, Suite, Trainer};

fn main() -> anyhow::Result<()> {
    let mut words = std::env::args().skip(1);
    let verb = words.next().unwrap_or_default();
    let names: Vec<String> = words.collect();
    let mut suite = Suite::read()?;
    let mut all = suite.cases.clone();
    if let Ok(only) = std::env::var("LESSONS") {
        all.retain(|case| only.split_whitespace().any(|name| name == case.name));
    }
    suite.cases.retain(|case| names.is_empty() || names.contains(&case.name));
    match verb.as_str() {
        "tapes" => tapes(&suite),
        "oracles" => oracles(&suite),
        "levels" => levels(&suite),
        "ours" => ours(&suite, &all),
        "learn" => learn(&all),
        _ => bail!("say `regret tapes` or `regret oracles`, with names of problems for only those"),
    }
}

fn tapes(suite: &Suite) -> anyhow::Result<()> {
    let todo: Mutex<Vec<&Case>> = Mutex::new(suite.cases.iter().rev().collect());
    let work = || -> anyhow::Result<()> {
        while let Some(case) = { todo.lock().map_or(None, |mut todo| todo.pop()) } {
            let began = Instant::now();
            Shelf::of(case)?;
            eprintln!("{}: {:.0} s", case.name, began.elapsed().as_secs_f64());
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|t| t.join().unwrap_or_else(|_| bail!("a thread panicked")))
    })
}

fn oracles(suite: &Suite) -> anyhow::Result<()> {
    let mut wins: BTreeMap<String, usize> = BTreeMap::new();
    for case in &suite.cases {
        let shelf = Shelf::of(case)?;
        for cluster in &suite.clusters {
            let mut times: Vec<(f64, String, u64)> = Vec::new();
            for (name, machines, tape) in shelf.tapes.iter().filter(|t| t.1 <= cluster.machines) {
                if let Some(round) = tape.reaches(case) {
                    times.push((tape.seconds(cluster)[round as usize], format!("{name} {machines}"), round));
                }
            }
            times.sort_by(|a, b| a.0.total_cmp(&b.0));
            let shown: Vec<String> =
                times.iter().take(6).map(|(s, what, rounds)| format!("{what} {s:.3}s/{rounds}")).collect();
            println!("{:<20} {:<13} {}", case.name, cluster.name, shown.join("  "));
            if let Some(best) = times.first() {
                *wins.entry(best.1.clone()).or_default() += 1;
            }
        }
    }
    let mut wins: Vec<_> = wins.into_iter().collect();
    wins.sort_by_key(|win| std::cmp::Reverse(win.1));
    println!("{wins:?}");
    Ok(())
}

fn levels(suite: &Suite) -> anyhow::Result<()> {
    for case in &suite.cases {
        let data = case.load()?;
        let problem = case.problem(&data)?;
        let o = problem.outline();
        for (name, machines, tape) in Shelf::of(case)?.tapes {
            let levels: Vec<String> = (-4..=20)
                .map(|k| {
                    let error = 10f64.powf(-0.25 * f64::from(k));
                    let hit = tape.points.iter().find(|p| case.true_error(p.1) <= error);
                    hit.map_or("null".into(), |p| p.0.to_string())
                })
                .collect();
            println!(
                "{{\"case\":\"{}\",\"family\":\"{}\",\"loss\":\"{}\",\"n\":{},\"d\":{},\"nnz\":{},\"l2\":{:e},\"mean\":{:e},\"max\":{:e},\"error\":{:e},\"algorithm\":\"{name}\",\"m\":{machines},\"levels\":[{}]}}",
                case.name,
                case.family,
                case.loss,
                o.rows,
                o.columns,
                problem.data.matrix.stored(),
                o.l2,
                o.mean_norm_sq,
                o.max_norm_sq,
                case.error,
                levels.join(",")
            );
        }
    }
    Ok(())
}

/// What the program ships with.
fn learn(all: &[Case]) -> anyhow::Result<()> {
    let lessons = all.iter().map(|case| Ok(Shelf::of(case)?.lesson(case))).collect::<anyhow::Result<Vec<_>>>()?;
    println!("{}", serde_json::to_string(&Precedents::learn(&lessons))?);
    Ok(())
}

fn ours(suite: &Suite, all: &[Case]) -> anyhow::Result<()> {
    let lessons = all
        .iter()
        .map(|case| Ok((case.family.clone(), Shelf::of(case)?.lesson(case))))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let folder = tempfile::tempdir()?;
    let todo: Mutex<Vec<&Case>> = Mutex::new(suite.cases.iter().rev().collect());
    let regrets = Mutex::new(Vec::new());
    let work = || -> anyhow::Result<()> {
        while let Some(case) = { todo.lock().map_or(None, |mut todo| todo.pop()) } {
            let shelf = Shelf::of(case)?;
            let strangers = lessons.iter().filter(|(family, _)| *family != case.family);
            let precedents = Precedents::learn(&strangers.map(|(_, lesson)| lesson.clone()).collect::<Vec<_>>());
            let trainer = Trainer { case, data: case.raw()?, precedents, store: Store::at(folder.path()) };
            for cluster in &suite.clusters {
                let oracle = Oracle::of(case, &shelf, cluster);
                if oracle.times.is_empty() {
                    continue;
                }
                let (config, best, rounds) = oracle.best();
                let began = Instant::now();
                let outcome = trainer.train(cluster, true, 60.0 * best)?;
                let regret = outcome.reached.unwrap_or(f64::INFINITY) / best;
                println!(
                    "{:<20} {:<13} oracle {:<10} {best:>8.3} s {rounds:>4}  ours {:<10} x{regret:>6.2} stop x{:>6.2} probe {:>5.2} sw {} met {} true {:.1e} {} [{:.1} s]",
                    case.name,
                    cluster.name,
                    config.to_string(),
                    outcome.summary.choice.as_ref().map_or(String::new(), ToString::to_string),
                    outcome.stopped / best,
                    outcome.probing / best,
                    outcome.summary.switches.len(),
                    outcome.summary.goal_met,
                    outcome.true_error / case.error,
                    outcome.predicted.map_or(String::new(), |(p, _)| format!(
                        "predicted/stop {:.2} ({:.2} {:.2})",
                        p.mid / outcome.stopped,
                        p.low / outcome.stopped,
                        p.high / outcome.stopped
                    )),
                    began.elapsed().as_secs_f64(),
                );
                if std::env::var_os("VERBOSE").is_some() {
                    outcome.frames.iter().for_each(|frame| println!("    {frame}"));
                }
                regrets.lock().map_err(|_| anyhow::anyhow!("poisoned"))?.push(regret);
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|t| t.join().unwrap_or_else(|_| bail!("a thread panicked")))
    })?;
    let mut regrets = regrets.into_inner()?;
    regrets.sort_by(f64::total_cmp);
    let at = |q: f64| regrets[((regrets.len() - 1) as f64 * q) as usize];
    println!(
        "{} pairs: median {:.2}, 75 % {:.2}, 90 % {:.2}, worst {:.2}",
        regrets.len(),
        at(0.5),
        at(0.75),
        at(0.9),
        at(1.0)
    );
    Ok(())
}
