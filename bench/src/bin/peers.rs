//! Are our solvers faster than those people would otherwise use? See `bench/src/peers.rs`.
//!
//! ```text
//! bench/peers/race [--threads N] [--to FILE] [--repeats N] [--only SOLVER,…] [--problem WORDS] [SETS]
//! ```
//!
//! `--only` names the solvers that take part, ours and theirs, where all would take hours; `--problem` the problems, by words that their
//! names hold. The table says how often each was measured.
//!
//! With `--to` every problem is written down as soon as it is measured, and one that stands there already is left out: a
//! report may be made set by set, on different days.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use hemingway::backend::Config;
use hemingway_bench::peers::{
    Case, Cell, ERRORS, Ours, Peers, Pick, REPEATS, Settings, Suite, Times, label, medians, summary, table,
};

/// Who takes so many times as long as the best at every error is measured once.
const HOPELESS: f64 = 5.0;

fn main() -> anyhow::Result<()> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let threads = option(&mut words, "--threads")?.map_or(Ok(1), |count| count.parse())?;
    let to = option(&mut words, "--to")?.map(PathBuf::from);
    let repeats = option(&mut words, "--repeats")?.map_or(Ok(REPEATS), |count| count.parse())?;
    let only = option(&mut words, "--only")?;
    let takes_part = |solver: &str| only.as_ref().is_none_or(|only| only.split(',').any(|name| name == solver));
    let problem = option(&mut words, "--problem")?.unwrap_or_default();
    let mut report = to.as_ref().and_then(|to| std::fs::read_to_string(to).ok()).unwrap_or_default();
    for case in Suite::read()?.cases(&words) {
        let case = case?;
        let name = format!("{}, {threads} thread{}", case.name(), if threads == 1 { "" } else { "s" });
        if report.contains(&format!("### {name}\n")) || !name.contains(&problem) {
            continue;
        }
        let (cells, picks) = race(&case, threads, repeats, &takes_part)?;
        let text = table(&name, &cells, &picks) + &load(repeats);
        print!("{text}");
        if let Some(to) = &to {
            let mut file = std::fs::OpenOptions::new().append(true).create(true).open(to)?;
            file.write_all(text.as_bytes())?;
        }
        report += &text;
    }
    print!("{}", summary(&report));
    Ok(())
}

/// Takes an option and what follows it out of the words.
fn option(words: &mut Vec<String>, name: &str) -> anyhow::Result<Option<String>> {
    let Some(at) = words.iter().position(|word| word == name) else { return Ok(None) };
    let value = words.drain(at..(at + 2).min(words.len())).nth(1);
    Ok(Some(value.with_context(|| format!("{name} needs a value"))?))
}

/// How often everything was measured, and how busy the machine was.
fn load(repeats: usize) -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: Vec<&str> = load.split(' ').take(2).collect();
    format!("\nMedians of {repeats}. Load average over the last 1 and 5 minutes: {}.\n", load.join(", "))
}

/// Whether it is so far behind at every error that measuring it again tells nothing.
fn is_hopeless(times: &Times, best: &Times) -> bool {
    times.iter().zip(best).all(|(own, best)| match (own, best) {
        (Some(own), Some(best)) => *own > HOPELESS * best,
        _ => true,
    })
}

/// Everyone on one problem, in turn.
fn race(
    case: &Case,
    threads: usize,
    repeats: usize,
    takes_part: &dyn Fn(&str) -> bool,
) -> anyhow::Result<(Vec<Cell>, Vec<Pick>)> {
    let folder = tempfile::tempdir()?;
    let mut peers = Peers::start(case, folder.path(), threads)?;
    let mut fields = Vec::new();
    for solver in peers.solvers.clone().into_iter().filter(|solver| takes_part(solver)) {
        let settings = peers.calibrate(&solver)?;
        fields.push((solver, settings));
    }
    let ours = Ours::new(case.problem()?, peers.optimum, case.patience);
    let algorithms = ours.algorithms().into_iter().filter(|name| takes_part(name));
    let mut measured: Vec<Entrant> = Vec::new();
    for algorithm in algorithms {
        // More threads may be used, and need not be.
        let configs = (1..=threads).rev().map(|machines| Config::new(&*algorithm, machines));
        measured.extend(configs.map(|config| Entrant::new(label(&config, threads), Whose::Ours(config))));
    }
    measured.extend(fields.into_iter().map(|(name, settings)| Entrant::new(name, Whose::Theirs(settings))));
    for repeat in 0..repeats {
        let best: Times = std::array::from_fn(|k| {
            measured.iter().filter_map(|entrant| entrant.times.first()?[k]).min_by(f64::total_cmp)
        });
        for entrant in &mut measured {
            if repeat > 0 && is_hopeless(&entrant.times[0], &best) {
                continue;
            }
            entrant.times.push(match &entrant.whose {
                Whose::Ours(config) if threads == 1 => ours.times(&config.algorithm)?,
                Whose::Ours(config) => ours.passing_times(&config.algorithm, config.machines)?,
                Whose::Theirs(settings) => peers.times(&entrant.solver, settings)?,
            });
        }
        eprint!(".");
    }
    let picks = ERRORS.iter().map(|error| Pick::of(case, peers.optimum, *error, threads));
    let picks = picks.collect::<anyhow::Result<_>>()?;
    eprintln!(" {}", case.name());
    Ok((measured.into_iter().map(Entrant::cell).collect(), picks))
}

/// Who takes part, and how long each time took.
struct Entrant {
    solver: String,
    whose: Whose,
    times: Vec<Times>,
}

enum Whose {
    Ours(Config),
    Theirs(Settings),
}

impl Entrant {
    fn new(solver: String, whose: Whose) -> Self {
        Self { solver, whose, times: Vec::new() }
    }

    fn cell(self) -> Cell {
        Cell { solver: self.solver, ours: matches!(self.whose, Whose::Ours(_)), times: medians(&self.times) }
    }
}
