//! Whether `train` chooses what is really fastest. Its probes are timed by the cluster as calibrated, which has seen no cell;
//! what it chooses, and everything it might have chosen, is timed by the real rounds of the grid.

use std::path::Path;

use hemingway::backend::Config;
use hemingway::cluster::Cluster;
use hemingway::record::store::Store;

use super::ALGORITHMS;
use super::judge::Cell;
use crate::regret::tape::record;
use crate::regret::{Case, Suite, Trainer, Wish};

/// What is chosen among: those of the grid that `train` tries unasked. It is held against all of the grid.
const TRIED: [&str; 3] = ["gd", "newton", "cocoa+"];
/// Ranks of what the choice is held against.
const RIVALS: [usize; 4] = [1, 2, 4, 8];
/// Nobody waits for more rounds, or seconds.
const MOST_ROUNDS: u64 = 500;
const MOST_SECONDS: f64 = 1e6;

/// What a link's cluster is called.
pub fn cluster_name((latency_us, megabits): (u64, f64)) -> String {
    format!("testbed-{latency_us}us-{megabits}mbit")
}

/// Every problem on every link that was played, as a table.
pub fn judge(suite: &Suite, cases: &[&Case], cells: &[Cell], folder: &Path) -> anyhow::Result<String> {
    let lessons = suite.lessons(false)?;
    let mut text = String::from(
        "| link | problem | chosen | its real seconds | best | its real seconds | ratio |\n|---|---|---|---:|---|---:|---:|\n",
    );
    let mut ratios = Vec::new();
    let mut links: Vec<(u64, f64)> = cells.iter().map(|cell| cell.link).collect();
    links.dedup();
    for case in cases {
        let store = tempfile::tempdir()?;
        let trainer = Trainer::of(case, &lessons, Store::at(store.path()))?;
        let mut rounds = Rounds::of(case)?;
        for &link in &links {
            let name = cluster_name(link);
            let cluster = Cluster::read(&folder.join(format!("{name}-{}.toml", case.name)))?;
            let algorithms = Some(TRIED.map(String::from).to_vec());
            let outcome = trainer.grant(&Wish { algorithms, ..trainer.wish(&cluster, false, MOST_SECONDS) })?;
            let Some(chosen) = outcome.summary.choice else { continue };
            let here: Vec<&Cell> = cells.iter().filter(|cell| cell.link == link && cell.problem == case.name).collect();
            let own = rounds.seconds(&chosen, &here)?;
            let (best, least) = rounds.best(&here)?;
            ratios.push(own / least);
            text += &format!(
                "| {name} | {} | {chosen} | {own:.3} | {best} | {least:.3} | {:.2} |\n",
                case.name,
                own / least
            );
        }
    }
    ratios.sort_by(f64::total_cmp);
    let (count, median) = (ratios.len(), ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN));
    let within = ratios.iter().filter(|ratio| **ratio <= 1.25).count();
    Ok(text + &format!("\nmedian {median:.2} of {count} cases; within 1.25: {within}\n"))
}

/// Rounds to ε, by the true error, of what was asked for so far.
struct Rounds<'a> {
    case: &'a Case,
    problem: hemingway::problem::Problem,
    known: Vec<(Config, Option<u64>)>,
}

impl<'a> Rounds<'a> {
    fn of(case: &'a Case) -> anyhow::Result<Self> {
        Ok(Self { case, problem: case.problem(&case.load()?)?, known: Vec::new() })
    }

    fn reaching(&mut self, config: &Config) -> anyhow::Result<Option<u64>> {
        if let Some((_, rounds)) = self.known.iter().find(|(known, _)| known == config) {
            return Ok(*rounds);
        }
        let tape = record(self.case, &self.problem, &config.algorithm, config.machines, MOST_ROUNDS)?;
        let rounds = tape.reaches(self.case);
        self.known.push((config.clone(), rounds));
        Ok(rounds)
    }

    /// Real seconds to ε; endless if it was not seen to get there.
    fn seconds(&mut self, config: &Config, cells: &[&Cell]) -> anyhow::Result<f64> {
        let is_it = |cell: &&&Cell| cell.algorithm == config.algorithm && cell.ranks == config.machines;
        let round = cells.iter().find(is_it).map_or(f64::INFINITY, |cell| cell.real);
        Ok(self.reaching(config)?.map_or(f64::INFINITY, |rounds| rounds as f64 * round))
    }

    fn best(&mut self, cells: &[&Cell]) -> anyhow::Result<(Config, f64)> {
        let mut best = (Config::new(ALGORITHMS[0], 1), f64::INFINITY);
        for algorithm in ALGORITHMS {
            for ranks in RIVALS {
                let config = Config::new(algorithm, ranks);
                let seconds = self.seconds(&config, cells)?;
                if seconds < best.1 {
                    best = (config, seconds);
                }
            }
        }
        Ok(best)
    }
}
