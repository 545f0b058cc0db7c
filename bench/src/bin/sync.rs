//! Builders against what `sync search` finds, on several models and clusters; what the simulators are worth; and how long
//! they take. `sync [--trials N] [--only searches|threads|paper|speed|trials|transfer|unseen] [--model NAME]`; trials of searches
//! are simulated, those of `threads` and `paper` move real bytes over shaped links. `trials` keeps what searches tried for
//! `transfer` and `unseen`, which are left out unless they are named; so are `testbed [--bed NAME] [--lessons N] [--minutes X]`,
//! which runs all on ranks across a testbed and goes on where it ended, and `testbed-tables`, which prints what came of it;
//! `dataset`, which writes all of that and simulated rows to `bench/sync/dataset.parquet`, `refresh`, which gives its rows
//! today's forecasts, `row --row N`, which prints the strategy of a row, and `ranking`, which holds forecasts and rankers against the file's measured rows.

use std::time::Instant;

use anyhow::{Context, Result};
use hemingway::cluster::Cluster;
use hemingway::rng::{Purpose, keyed};
use hemingway::sync::ranker::{Look, Ranker, traits};
use hemingway::sync::replay::{Engine, Judge};
use hemingway::sync::search::{Found, looks, measured, search};
use hemingway::sync::sketch::Sketch;
use hemingway::sync::{Model, Stage, analytic};
use hemingway_bench::sync::testbed::{self, Asked, Until};
use hemingway_bench::sync::{CLUSTERS, PAIRS, dataset, ranking, stage, transfer, wish};

/// Pairs whose searches are judged again with real bytes: eight machines, steps below a second.
const CONFIRMED: [(&str, &str); 6] = [
    ("vgg16", "flat-10gbit"),
    ("vgg16", "uneven-10gbit"),
    ("resnet101", "uneven-10gbit"),
    ("inceptionv3", "mixed-25gbit"),
    ("ncf", "slow-1gbit"),
    ("wide-click", "slow-1gbit"),
];

/// Random strategies for the worth of the simulators on real bytes.
const SAMPLES: u64 = 24;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let after = |flag: &str| words.iter().position(|word| word == flag).and_then(|i| words.get(i + 1));
    let trials = after("--trials").map_or(Ok(200), |text| text.parse()).context("--trials takes a number")?;
    let only = after("--only").map(String::as_str);
    let model = after("--model").map(String::as_str);
    match only {
        Some("trials") => return transfer::keep(trials, model),
        Some("transfer") => return transfer::curves(trials, model),
        Some("unseen") => return transfer::unseen(model),
        Some("testbed") => {
            let minutes =
                after("--minutes").map(|text| text.parse()).transpose().context("--minutes takes a number")?;
            let lessons = after("--lessons").map_or(Ok(testbed::random::LEARNED), |text| text.parse());
            let lessons = lessons.context("--lessons takes a number")?;
            let (bed, until) = (after("--bed").map(String::as_str), Until::minutes(minutes));
            return testbed::measure(&Asked { bed, model, trials, lessons, until });
        }
        Some("dataset") => return dataset::make(),
        Some("refresh") => return dataset::refresh(),
        Some("row") => {
            let row = after("--row").and_then(|text| text.parse().ok()).context("--row takes a number")?;
            return dataset::show(row);
        }
        Some("ranking") => return ranking::print(),
        Some("testbed-tables") => return testbed::tables::print(),
        _ => {}
    }
    let wanted = |part: &str| only.is_none_or(|only| only == part);
    if wanted("searches") {
        searches(trials)?;
    }
    if wanted("threads") {
        confirm(trials)?;
    }
    if wanted("paper") {
        paper()?;
    }
    if wanted("speed") {
        speed()?;
    }
    Ok(())
}

fn searches(trials: usize) -> Result<()> {
    println!("## Searches, simulated trials, lossless only, at most {trials} trials\n");
    println!(
        "| model | cluster | bound ms | best builder | ms | × bound | found ms (low–high) | × bound | faster | hits | trials | s |"
    );
    println!("|:--|:--|--:|:--|--:|--:|--:|--:|--:|--:|--:|--:|");
    let mut all = Vec::new();
    for (model, cluster) in PAIRS {
        let (stage, began) = (stage(model, cluster)?, Instant::now());
        let found = search(&stage, wish(trials), &Ranker::default(), &mut |_| ())?;
        let (bound, built) = (stage.bound(), found.best_builder().context("builders")?);
        println!(
            "| {model} | {cluster} | {:.2} | {} | {:.2} | {:.2} | {:.2} ({:.2}–{:.2}) | {:.2} | {:.2}× | {:.0} % | {} | {:.0} |",
            1e3 * bound,
            built.name,
            1e3 * built.seconds.mid,
            built.seconds.mid / bound,
            1e3 * found.seconds.mid,
            1e3 * found.seconds.low,
            1e3 * found.seconds.high,
            found.seconds.mid / bound,
            built.seconds.mid / found.seconds.mid,
            100.0 * found.hit_rate(),
            found.trials.len(),
            began.elapsed().as_secs_f64(),
        );
        all.push((model, cluster, found));
    }
    rankings(&all);
    builders(&all);
    Ok(())
}

/// The ranker learns from the first half of a search's trials and is asked about the second; so is the forecast alone.
fn rankings(all: &[(&str, &str, Found)]) {
    println!("\n## Order of pairs of trials that differ by more than 4 %, second half of each search\n");
    println!("| model | cluster | on paper | learned from the first half | error of seconds on paper, median |");
    println!("|:--|:--|--:|--:|--:|");
    for (model, cluster, found) in all {
        let looks: Vec<(Look, f64)> = found.trials.iter().map(|trial| (trial.look, trial.seconds)).collect();
        let (first, second) = looks.split_at(looks.len() / 2);
        let share = |ranker: &Ranker| ranker.accuracy(second, 0.04).map_or("–".into(), |share| format!("{share:.3}"));
        let mut errors: Vec<f64> = looks.iter().map(|(look, seconds)| (look.forecast / seconds - 1.0).abs()).collect();
        errors.sort_by(f64::total_cmp);
        let error = errors.get(errors.len() / 2).map_or("–".into(), |error| format!("{:.1} %", 100.0 * error));
        println!("| {model} | {cluster} | {} | {} | {error} |", share(&Ranker::default()), share(&Ranker::fit(first)));
    }
}

fn builders(all: &[(&str, &str, Found)]) {
    println!("\n## Every builder with its best settings, ms\n");
    let names = hemingway::sync::builders::NAMES;
    println!("| model | cluster | {} |", names.join(" | "));
    println!("|:--|:--|{}", "--:|".repeat(names.len()));
    for (model, cluster, found) in all {
        let cell = |name: &&str| {
            let built = found.builders.iter().find(|built| built.name == *name);
            built.map_or("–".into(), |built| format!("{:.2}", 1e3 * built.seconds.mid))
        };
        println!("| {model} | {cluster} | {} |", names.iter().map(cell).collect::<Vec<_>>().join(" | "));
    }
}

/// Bytes of a model for each byte moved, so that all machines together move some 40 MB a step.
fn scale(stage: &Stage) -> f64 {
    (stage.model.bytes() * stage.machines() as f64 / 4e7).max(1.0).round()
}

fn confirm(trials: usize) -> Result<()> {
    println!(
        "\n## The same searches judged again on threads with real bytes over shaped links, 5 trials of 3 steps each\n"
    );
    println!(
        "| model | cluster | scale | found ms (low–high) | best builder of those | ms (low–high) | faster | simulated said |"
    );
    println!("|:--|:--|--:|--:|:--|--:|--:|--:|");
    for (model, cluster) in CONFIRMED {
        let stage = stage(model, cluster)?;
        let mut found = search(&stage, wish(trials), &Ranker::default(), &mut |_| ())?;
        let said = found.best_builder().context("builders")?.seconds.mid / found.seconds.mid;
        found.builders.sort_by(|a, b| a.seconds.mid.total_cmp(&b.seconds.mid));
        found.builders.truncate(3);
        let scale = scale(&stage);
        let mut judge = Judge::new(&stage, Engine::Threads { scale }, 1);
        let own = measured(&mut judge, &found.strategy)?;
        for built in &mut found.builders {
            built.seconds = measured(&mut judge, &built.strategy)?;
        }
        let best = found.best_builder().context("builders")?;
        println!(
            "| {model} | {cluster} | {scale} | {:.1} ({:.1}–{:.1}) | {} | {:.1} ({:.1}–{:.1}) | {:.2}× | {said:.2}× |",
            1e3 * own.mid,
            1e3 * own.low,
            1e3 * own.high,
            best.name,
            1e3 * best.seconds.mid,
            1e3 * best.seconds.low,
            1e3 * best.seconds.high,
            best.seconds.mid / own.mid,
        );
    }
    Ok(())
}

/// The forecast against real bytes on random strategies.
fn paper() -> Result<()> {
    println!("\n## Forecasts against threads with real bytes, {SAMPLES} random lossless strategies each\n");
    println!(
        "| model | cluster | error of seconds, median | pairs in order, of those that differ by more than twice the repeat spread | repeat spread |"
    );
    println!("|:--|:--|--:|--:|--:|");
    for (model, cluster) in [("resnet50", "flat-10gbit"), ("inceptionv3", "mixed-25gbit"), ("ncf", "flat-10gbit")] {
        let stage = stage(model, cluster)?;
        let mut judge = Judge::new(&stage, Engine::Threads { scale: scale(&stage) }, 1);
        let (mut looks, mut errors, mut spreads) = (Vec::new(), Vec::new(), Vec::new());
        for sample in 0..SAMPLES {
            let sketch = Sketch::sample(&stage, true, &mut keyed(7, Purpose::Propose, 0, sample));
            let strategy = sketch.strategy(&stage, "sampled");
            let look = traits(&stage, &stage.play(&strategy)?).0;
            let mut twice = [0.0; 2];
            for seconds in &mut twice {
                *seconds = judge.trial(&strategy)?;
            }
            let mean = (twice[0] * twice[1]).sqrt();
            errors.push((look.forecast / mean - 1.0).abs());
            spreads.push((twice[0] / twice[1]).ln().abs());
            looks.push((look, mean));
        }
        for values in [&mut errors, &mut spreads] {
            values.sort_by(f64::total_cmp);
        }
        let [error, spread] = [errors[errors.len() / 2], spreads[spreads.len() / 2]];
        let order =
            Ranker::default().accuracy(&looks, 2.0 * spread).map_or("–".into(), |share| format!("{share:.3}"));
        println!("| {model} | {cluster} | {:.1} % | {order} | {:.1} % |", 100.0 * error, 100.0 * spread);
    }
    Ok(())
}

fn speed() -> Result<()> {
    println!("\n## Speed\n");
    let text = CLUSTERS[1].1.replace("machines = 16", "machines = 64");
    let cluster = Cluster::parse(&text)?;
    let stage = Stage::new(Model::find("resnet101")?, &cluster, 64)?;
    println!("resnet101 ({} variables) on 64 machines, one forecast:\n", stage.model.variables.len());
    for name in ["ring", "ps-balanced", "horovod", "byteps"] {
        let strategies = hemingway::sync::builders::named(name, &stage).context("a builder")?;
        let play = stage.play(&strategies[1])?;
        let began = Instant::now();
        let forecast = analytic::forecast(&stage, &play);
        let took = began.elapsed();
        println!(
            "- {name}: {} groups, step {:.1} ms, forecast in {took:.1?}",
            play.layout.groups.len(),
            1e3 * forecast.seconds
        );
    }
    for (model, cluster) in [("resnet50", "flat-10gbit"), ("bert-base", "flat-25gbit")] {
        let stage = hemingway_bench::sync::stage(model, cluster)?;
        let ranker = Ranker::default();
        let began = Instant::now();
        let sample = |sample| Sketch::sample(&stage, true, &mut keyed(1, Purpose::Propose, 0, sample));
        let sketches: Vec<Sketch> = (0..2000).map(sample).collect();
        let looks = looks(&stage, &sketches)?;
        let best = looks.iter().map(|look| ranker.score(look)).fold(f64::INFINITY, f64::min);
        println!(
            "- 2,000 proposals of {model} ({} variables) on {cluster} drawn, laid out, forecast and ranked: {:.2?} (best score {best:.6})",
            stage.model.variables.len(),
            began.elapsed()
        );
    }
    Ok(())
}
