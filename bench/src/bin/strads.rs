//! Dynamic schedules against static, random and cyclic ones, each at its best block size.
//!
//! ```text
//! cargo run --release -p hemingway-bench --bin strads -- [m=16,64] [patience=SECONDS] [correlated-0|…|correlated-0.95|colon|arcene|news20|nycflights13 …]
//! cargo run --release -p hemingway-bench --bin strads -- scheduling [SET …]
//! cargo run --release -p hemingway-bench --bin strads -- pipeline [m=4,16,64] [threads] [SET …]
//! cargo run --release -p hemingway-bench --bin strads -- balance [m=4,16,64] [SET …]
//! ```
//!
//! Nobody is followed for longer than 30 s of this machine's time, or than `patience`. The second says what the dynamic schedule itself takes of a round; without a set, of 500,000 columns × 400 rows.
//! The third follows it with blocks chosen when the last has moved and while it moves, on simulated machines or, with `threads`, on threads of this one.
//! The fourth says how long machines wait for each other, and how much of that is because some have more to look at or to move.

use std::time::Duration;

use anyhow::Context;
use hemingway::schedule::Schedule;
use hemingway_bench::NS_PER_ENTRY;
use hemingway_bench::paths::load;
use hemingway_bench::schedules::follow::{Ending, Reached, follow};
use hemingway_bench::schedules::share::{on_threads, spent};
use hemingway_bench::schedules::{ERROR, RHO, Race, contenders, made};

const SETS: [&str; 6] = ["correlated-0", "correlated-0.5", "correlated-0.9", "correlated-0.95", "colon", "arcene"];
const MACHINES: [usize; 4] = [1, 4, 16, 64];
const PATIENCE: f64 = 30.0;
/// Runs on threads, of which the median counts.
const REPEATS: usize = 5;

fn main() -> anyhow::Result<()> {
    let named: Vec<String> = std::env::args().skip(1).collect();
    let named: Vec<&str> = named.iter().map(String::as_str).collect();
    match named[..] {
        ["scheduling"] => scheduling(&["genotypes"]),
        ["scheduling", ref sets @ ..] => scheduling(sets),
        ["pipeline", ref words @ ..] => pipeline(words),
        ["balance", ref words @ ..] => balance(words),
        _ => Field::of(&named)?.race(),
    }
}

/// What is raced.
struct Field<'a> {
    sets: Vec<&'a str>,
    machines: Vec<usize>,
    patience: Duration,
}

fn of(set: &str) -> anyhow::Result<Race> {
    Race::of(match set.strip_prefix("correlated-").map(str::parse) {
        Some(correlation) => made::correlated(correlation?),
        None => load(set)?,
    })
}

/// What the schedule itself takes.
fn scheduling(sets: &[&str]) -> anyhow::Result<()> {
    println!(
        "The dynamic schedule to relative error {ERROR:e}: seconds of its own, and of its rounds on simulated machines.\n"
    );
    println!("| set | m | rounds | scheduling, ms | a round, µs | counted, ms | simulated rounds, ms | share |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    for set in sets {
        let race = of(set)?;
        for machines in MACHINES {
            let spent = spent(&race, machines)?;
            println!(
                "| {set} | {machines} | {} | {:.2} | {:.1} | {:.2} | {:.2} | {:.1} % |",
                spent.rounds,
                1e3 * spent.scheduling,
                1e6 * spent.scheduling / spent.rounds as f64,
                1e3 * spent.counted,
                1e3 * spent.simulated,
                100.0 * spent.share()
            );
        }
    }
    Ok(())
}

/// What it is worth to choose blocks while others move.
fn pipeline(words: &[&str]) -> anyhow::Result<()> {
    let threads = words.contains(&"threads");
    let words: Vec<&str> = words.iter().copied().filter(|word| *word != "threads").collect();
    let field = Field::of(&words)?;
    match threads {
        true => println!("| set | threads | seconds | pipelined | ratio |\n|---|--:|--:|--:|--:|"),
        false => println!(
            "| set | m | updates | rounds | seconds | pipelined: updates | rounds | seconds | ratio of updates | of seconds |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
        ),
    }
    let schedule = |pipeline| Schedule::Dynamic { block: None, rho: RHO, pipeline };
    for set in &field.sets {
        let race = of(set)?;
        for machines in field.machines.iter().copied().filter(|machines| *machines > 1) {
            if threads {
                let mut seconds = [Vec::new(), Vec::new()];
                for _ in 0..REPEATS {
                    seconds[0].push(on_threads(&race, schedule(false), machines)?);
                    seconds[1].push(on_threads(&race, schedule(true), machines)?);
                }
                let [plain, ahead] = seconds.map(median);
                println!("| {set} | {machines} | {plain:.4} | {ahead:.4} | {:.2} |", ahead / plain);
                continue;
            }
            let plain = follow(&race, schedule(false), machines, field.patience)?;
            let ahead = follow(&race, schedule(true), machines, field.patience)?;
            let (Ending::Reached(plain), Ending::Reached(ahead)) = (plain, ahead) else {
                println!("| {set} | {machines} | {plain:?} | | | {ahead:?} | | | | |");
                continue;
            };
            println!(
                "| {set} | {machines} | {:.0} | {} | {:.4} | {:.0} | {} | {:.4} | {:.2} | {:.2} |",
                plain.updates,
                plain.rounds,
                plain.seconds,
                ahead.updates,
                ahead.rounds,
                ahead.seconds,
                ahead.updates / plain.updates,
                ahead.seconds / plain.seconds
            );
        }
    }
    Ok(())
}

/// How long machines wait for each other.
fn balance(words: &[&str]) -> anyhow::Result<()> {
    let field = Field::of(words)?;
    println!("| set | m | seconds | waiting | for uneven looks | for uneven moves |\n|---|--:|--:|--:|--:|--:|");
    for set in &field.sets {
        let race = of(set)?;
        for machines in field.machines.iter().copied().filter(|machines| *machines > 1) {
            let Ending::Reached(reached) = follow(&race, Schedule::dynamic(), machines, field.patience)? else {
                println!("| {set} | {machines} | not reached | | | |");
                continue;
            };
            let [looks, moves] = reached.uneven.map(|entries| NS_PER_ENTRY * 1e-9 * entries);
            let Reached { seconds, waiting, .. } = reached;
            println!("| {set} | {machines} | {seconds:.4} | {waiting:.4} | {looks:.4} | {moves:.4} |");
        }
    }
    Ok(())
}

fn median(mut runs: Vec<f64>) -> f64 {
    runs.sort_by(f64::total_cmp);
    runs[runs.len() / 2]
}

impl<'a> Field<'a> {
    fn of(words: &[&'a str]) -> anyhow::Result<Self> {
        let (mut sets, mut machines, mut patience) = (Vec::new(), MACHINES.to_vec(), PATIENCE);
        for word in words {
            match word.split_once('=') {
                Some(("m", list)) => machines = list.split(',').map(str::parse).collect::<Result<_, _>>()?,
                Some(("patience", seconds)) => patience = seconds.parse().with_context(|| word.to_string())?,
                _ => sets.push(*word),
            }
        }
        let sets = if sets.is_empty() { SETS.to_vec() } else { sets };
        Ok(Self { sets, machines, patience: Duration::from_secs_f64(patience) })
    }

    /// All schedules on all sets.
    fn race(&self) -> anyhow::Result<()> {
        println!("To relative error {ERROR:e}, λ₁ a tenth of its largest, simulated machines.\n");
        println!(
            "| set | m | schedule | best block | updates | looks | rounds | seconds | updates × dynamic's | seconds × dynamic's |"
        );
        println!("|---|--:|---|---|--:|--:|--:|--:|--:|--:|");
        for set in &self.sets {
            let race = of(set)?;
            self.machines.iter().try_for_each(|machines| self.on(set, &race, *machines))?;
        }
        Ok(())
    }

    /// All schedules on so many machines.
    fn on(&self, set: &str, race: &Race, machines: usize) -> anyhow::Result<()> {
        let mut dynamic: Option<Reached> = None;
        for (name, schedules) in contenders(machines) {
            let mut runs = Vec::new();
            for schedule in schedules {
                runs.push((schedule, follow(race, schedule, machines, self.patience)?));
            }
            let best = best(&runs);
            if name == "dynamic" {
                dynamic = best.map(|(_, reached)| reached);
            }
            println!("| {set} | {machines} | {name} | {}", cells(&runs, best, dynamic));
            // One column a machine and round: what the paper's baseline does.
            if let (true, Some((schedule, Ending::Reached(one)))) = (name == "cyclic", runs.first()) {
                println!("| {set} | {machines} | cyclic, one each | {}", row(*schedule, *one, dynamic));
            }
        }
        Ok(())
    }
}

/// The least seconds.
fn best(runs: &[(Schedule, Ending)]) -> Option<(Schedule, Reached)> {
    let reached = runs.iter().filter_map(|(schedule, ending)| match ending {
        Ending::Reached(reached) => Some((*schedule, *reached)),
        Ending::Diverged | Ending::Left => None,
    });
    reached.min_by(|a, b| a.1.seconds.total_cmp(&b.1.seconds))
}

fn cells(runs: &[(Schedule, Ending)], best: Option<(Schedule, Reached)>, dynamic: Option<Reached>) -> String {
    match best {
        Some((schedule, reached)) => row(schedule, reached, dynamic),
        None if runs.iter().any(|(_, ending)| matches!(ending, Ending::Diverged)) => "diverged | | | | | | |".into(),
        None => "not reached | | | | | | |".into(),
    }
}

fn row(schedule: Schedule, reached: Reached, dynamic: Option<Reached>) -> String {
    let Reached { updates, looks, rounds, seconds, .. } = reached;
    let over =
        |of: fn(Reached) -> f64| dynamic.map_or("—".into(), |dynamic| format!("{:.2}", of(reached) / of(dynamic)));
    let (more, longer) = (over(|r| r.updates), over(|r| r.seconds));
    format!("{schedule} | {updates:.0} | {looks:.0} | {rounds} | {seconds:.4} | {more} | {longer} |")
}
