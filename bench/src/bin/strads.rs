//! Dynamic schedules against static, random and cyclic ones, each at its best block size.
//!
//! ```text
//! cargo run --release -p hemingway-bench --bin strads -- [correlated-0|…|correlated-0.95|colon|arcene|news20|nycflights13 …]
//! ```

use hemingway::schedule::Schedule;
use hemingway_bench::paths::load;
use hemingway_bench::schedules::follow::{Ending, Reached, follow};
use hemingway_bench::schedules::{ERROR, Race, contenders, made};

const SETS: [&str; 6] = ["correlated-0", "correlated-0.5", "correlated-0.9", "correlated-0.95", "colon", "arcene"];
const MACHINES: [usize; 4] = [1, 4, 16, 64];

fn main() -> anyhow::Result<()> {
    let named: Vec<String> = std::env::args().skip(1).collect();
    let sets: Vec<&str> = if named.is_empty() { SETS.to_vec() } else { named.iter().map(String::as_str).collect() };
    println!("To relative error {ERROR:e}, λ₁ a tenth of its largest, simulated machines.\n");
    println!(
        "| set | m | schedule | best block | updates | looks | rounds | seconds | updates × dynamic's | seconds × dynamic's |"
    );
    println!("|---|--:|---|---|--:|--:|--:|--:|--:|--:|");
    for set in sets {
        let data = match set.strip_prefix("correlated-").map(str::parse) {
            Some(correlation) => made::correlated(correlation?),
            None => load(set)?,
        };
        let race = Race::of(data)?;
        MACHINES.iter().try_for_each(|machines| on(set, &race, *machines))?;
    }
    Ok(())
}

/// All schedules on so many machines.
fn on(set: &str, race: &Race, machines: usize) -> anyhow::Result<()> {
    let mut dynamic: Option<Reached> = None;
    for (name, schedules) in contenders(machines) {
        let mut runs = Vec::new();
        for schedule in schedules {
            runs.push((schedule, follow(race, schedule, machines)?));
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
    let Reached { updates, looks, rounds, seconds } = reached;
    let over =
        |of: fn(Reached) -> f64| dynamic.map_or("—".into(), |dynamic| format!("{:.2}", of(reached) / of(dynamic)));
    let (more, longer) = (over(|r| r.updates), over(|r| r.seconds));
    format!("{schedule} | {updates:.0} | {looks:.0} | {rounds} | {seconds:.4} | {more} | {longer} |")
}
