//! Time or money instead of an error: how low `train` gets, against the fixed configuration that gets lowest.
//!
//! `--within` and `--spend` hold on everything that a job does, evaluation included, of which tapes know nothing. A job is
//! therefore given twice what it is judged at, as to evaluate is about a round, and is judged by what its training, probing
//! and moving of rows had reached when they alone had used the share, or at its end.

use hemingway::backend::Config;
use hemingway::cluster::Cluster;
use hemingway::goal::Goal;
use hemingway::model::Lesson;
use hemingway::record::store::Store;

use super::field::Run;
use super::judge::PATIENCE;
use super::ours::Stage;
use super::{Case, Field, Oracle, Outcome, Shelf, Trainer, Wish};
use crate::folds::quantile;

/// Shares of the oracle's time to ε.
const SHARES: [f64; 2] = [0.25, 1.0];
/// What a job is given, over what it is judged at.
const EVALUATED: f64 = 2.0;
/// Errors below are rounding.
const LEAST: f64 = 1e-12;
/// Sums of the same seconds in another order may be a hair longer.
const HAIR: f64 = 1.0 + 1e-9;

/// What is limited.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Limit {
    /// So much of the oracle's time.
    Time(f64),
    /// What the cheapest configuration costs to ε.
    Money,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Time(share) => write!(f, "{share} of the oracle's time"),
            Self::Money => write!(f, "the oracle's money"),
        }
    }
}

impl Limit {
    fn goal(self, amount: f64) -> Goal {
        match self {
            Self::Time(_) => Goal::Within { seconds: EVALUATED * amount },
            Self::Money => Goal::Spend { dollars: EVALUATED * amount },
        }
    }

    /// What a job has used of it.
    fn used(self, stage: &Stage) -> f64 {
        match self {
            Self::Time(_) => stage.seconds,
            Self::Money => stage.dollars,
        }
    }

    /// What a second of a run uses of it.
    fn rate(self, field: &Field, run: &Run) -> f64 {
        match self {
            Self::Time(_) => 1.0,
            Self::Money => field.price(run.config.machines),
        }
    }
}

/// One job and what could have been had for the same.
pub struct Cell {
    problem: String,
    cluster: String,
    limit: Limit,
    /// What it had used when it was judged, over what it was to use.
    used: f64,
    choice: Option<Config>,
    error: f64,
    best: Config,
    best_error: f64,
    /// What it had used, over the least that any fixed configuration uses to get as low.
    regret: f64,
}

impl Cell {
    fn ratio(&self) -> f64 {
        self.error.max(LEAST) / self.best_error.max(LEAST)
    }
}

/// All budgets of one problem on every cluster.
pub fn of(case: &Case, clusters: &[Cluster], lessons: &[(String, Lesson)]) -> anyhow::Result<Vec<Cell>> {
    let shelf = Shelf::of(case)?;
    let folder = tempfile::tempdir()?;
    let trainer = Trainer::of(case, lessons, Store::at(folder.path()))?;
    let mut cells = Vec::new();
    for cluster in clusters {
        let field = Field::of(case, &shelf, cluster);
        let oracle = Oracle::on(&field);
        for (limit, amount, most) in limits(&field, &oracle) {
            let wish = Wish { goal: limit.goal(amount), ..trainer.wish(cluster, true, most) };
            cells.push(cell(case, &field, limit, amount, &trainer.grant(&wish)?));
        }
    }
    Ok(cells)
}

/// (limit, amount of it, seconds after which all is given up).
fn limits(field: &Field, oracle: &Oracle) -> Vec<(Limit, f64, f64)> {
    let quickest = oracle.best().1;
    let mut limits: Vec<_> = SHARES.map(|share| (Limit::Time(share), share * quickest, PATIENCE * quickest)).into();
    let dollars = |(config, seconds, _): &(Config, f64, u64)| seconds * field.price(config.machines);
    let cheapest = oracle.times.iter().min_by(|a, b| dollars(a).total_cmp(&dollars(b)));
    if let Some(cheapest) = cheapest.filter(|time| dollars(time) > 0.0) {
        limits.push((Limit::Money, dollars(cheapest), PATIENCE * cheapest.1));
    }
    limits
}

fn cell(case: &Case, field: &Field, limit: Limit, amount: f64, outcome: &Outcome) -> Cell {
    let within = |stage: &&Stage| limit.used(stage) <= HAIR * amount;
    let stage = outcome.course.iter().take_while(within).last().or(outcome.course.first());
    let error = stage.map_or(f64::INFINITY, |stage| stage.error);
    let end = outcome.course.last().map_or(0.0, |stage| limit.used(stage)).min(amount);
    let reached = |run: &Run| run.within(HAIR * end / limit.rate(field, run)).error;
    let best = field.runs.iter().min_by(|a, b| reached(a).total_cmp(&reached(b)));
    // No tape may get as low; the lowest then stands for it, which is not to our advantage.
    let lowest = field.runs.iter().map(|run| run.end().error).fold(f64::INFINITY, f64::min);
    let as_low = |run: &Run| Some(limit.rate(field, run) * run.reaches(error.max(lowest))?.seconds);
    let least = field.runs.iter().filter_map(as_low).fold(f64::INFINITY, f64::min);
    Cell {
        problem: case.name.clone(),
        cluster: field.cluster.name.clone(),
        limit,
        used: end / amount,
        choice: outcome.summary.choice.clone(),
        error,
        best_error: best.map_or(0.0, reached),
        best: best.map_or_else(|| Config::new("none", 0), |run| run.config.clone()),
        regret: if least > 0.0 { end / least } else { 1.0 },
    }
}

/// Prints every cell, and the distribution of each limit.
pub fn print(cells: &[Cell]) {
    println!("| problem | cluster | limit | used | `train` | true error | best fixed | its error | ratio | regret |");
    println!("|---|---|---|---:|---|---:|---|---:|---:|---:|");
    for cell in cells {
        println!(
            "| {} | {} | {} | {:.2} | {} | {:.1e} | {} | {:.1e} | {:.2} | {:.2} |",
            cell.problem,
            cell.cluster,
            cell.limit,
            cell.used,
            cell.choice.as_ref().map_or_else(String::new, ToString::to_string),
            cell.error,
            cell.best,
            cell.best_error,
            cell.ratio(),
            cell.regret,
        );
    }
    println!(
        "\nRatio: true error over that of the best fixed configuration for the same time or money. Regret: time or"
    );
    println!("money over the least that any fixed configuration needs to get as low. Median, 75 %, 90 %.\n");
    println!("| limit | jobs | ratio | regret | used |");
    println!("|---|---:|---:|---:|---:|");
    for limit in SHARES.map(Limit::Time).into_iter().chain([Limit::Money]) {
        let of: Vec<&Cell> = cells.iter().filter(|cell| cell.limit == limit).collect();
        let [ratio, regret, used] = [Cell::ratio, |cell: &Cell| cell.regret, |cell: &Cell| cell.used]
            .map(|value| quantiles(of.iter().map(|cell| value(cell)).collect()));
        println!("| {limit} | {} | {ratio} | {regret} | {used} |", of.len());
    }
}

fn quantiles(values: Vec<f64>) -> String {
    [0.5, 0.75, 0.9].map(|share| format!("{:.2}", quantile(values.clone(), share))).join(" / ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regret::field::tests::{field, run};

    #[test]
    fn the_cheapest_is_not_the_quickest() {
        let mut field = field(vec![run("cocoa", 1, 2.0, 0.5), run("cocoa", 4, 1.0, 0.5)], 1e-3);
        let amounts = |field: &Field| limits(field, &Oracle::on(field)).iter().map(|limit| limit.1).collect::<Vec<_>>();
        assert_eq!(amounts(&field), [2.5, 10.0]);
        field.cluster.price_per_hour = 3600.0;
        assert_eq!(amounts(&field), [2.5, 10.0, 20.0]);
    }
}
