//! Forecasts and rankers held against the rows of the data set that ranks have timed. It reads the file alone and measures nothing.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use hemingway::sync::ranker::{Look, Ranker};
use hemingway::sync::search::{Interval, looks};
use hemingway::sync::sketch::Sketch;

use super::dataset::{self, RANDOM, RANKS, Row, file};

/// One model on one bed.
struct Cell {
    model: String,
    bed: String,
    /// Random strategies that ran more than once: what is judged by. None of them is learned from in the same cell.
    asked: Vec<(Look, f64)>,
    /// How far two runs of those are apart, in logarithms: the median.
    spread: f64,
    /// Random strategies that ran once.
    drawn: Vec<(Look, f64)>,
    /// Trials of a search, and builders.
    searched: Vec<(Look, f64)>,
}

impl Cell {
    fn of(rows: &[&Row]) -> Result<Self> {
        let first = rows.first().context("a cell without rows")?;
        let stage = first.stage()?;
        let sketches: Vec<Sketch> = rows.iter().map(|row| row.sketch.clone()).collect();
        let looks = looks(&stage, &sketches)?;
        let those = |wanted: &dyn Fn(&Row) -> bool| -> Vec<(Look, f64)> {
            let all = rows.iter().zip(&looks).filter(|(row, _)| wanted(row));
            all.map(|(row, look)| (*look, row.seconds)).collect()
        };
        let is_asked = |row: &Row| row.source == RANDOM && row.runs > 1;
        let apart = rows.iter().filter(|row| is_asked(row)).map(|row| of_two((row.high / row.low).ln(), row.runs));
        Ok(Self {
            model: first.model.clone(),
            bed: first.cluster.clone(),
            asked: those(&is_asked),
            spread: Interval::of(apart.collect()).mid,
            drawn: those(&|row| row.source == RANDOM && row.runs == 1),
            searched: those(&|row| row.source != RANDOM),
        })
    }

    /// Everything that was timed in it, for rankers that are asked about other cells.
    fn all(&self) -> Vec<(Look, f64)> {
        [&self.asked[..], &self.searched, &self.drawn].concat()
    }

    /// The share of pairs in order, of those that differ by more than twice the spread of repeats.
    fn share(&self, ranker: &Ranker) -> f64 {
        ranker.accuracy(&self.asked, 2.0 * self.spread).unwrap_or(f64::NAN)
    }
}

/// How far two runs are apart in the mean, by how far the fastest and the slowest of several are: n normal numbers span d₂(n) deviations.
fn of_two(range: f64, runs: usize) -> f64 {
    const D2: [f64; 4] = [1.128, 1.693, 2.059, 2.326];
    range * D2[0] / D2[runs.saturating_sub(2).min(D2.len() - 1)]
}

fn cells() -> Result<Vec<Cell>> {
    let rows = file::read(&dataset::path()).context("the data set comes first: --only dataset")?;
    let mut groups: BTreeMap<(&str, &str), Vec<&Row>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.engine == RANKS) {
        groups.entry((&row.cluster, &row.model)).or_default().push(row);
    }
    groups
        .values()
        .map(|rows| Cell::of(rows))
        .filter(|cell| !cell.as_ref().is_ok_and(|cell| cell.asked.is_empty()))
        .collect()
}

/// All tables.
pub fn print() -> Result<()> {
    let all = cells()?;
    forecasts(&all);
    rankers(&all);
    folded(&all);
    every_strategy(&all);
    Ok(())
}

/// Folds that all random strategies of a cell are dealt to.
const FOLDS: usize = 6;

/// By cells: pairs of each fold in the order of a ranker that learned from the others, which is steadier than the one split into
/// judged and learned from: it asks of all strategies, though most of them ran once.
fn folded(all: &[Cell]) {
    println!("## Pairs in order, learned from five sixths of the random trials of a cell and asked of the sixth\n");
    println!("| model | bed | strategies | on paper | learned |\n|:--|:--|--:|--:|--:|");
    for cell in all.iter().filter(|cell| !cell.drawn.is_empty()) {
        let drawn = [&cell.asked[..], &cell.drawn].concat();
        let (mut paper, mut learned) = ([0.0; FOLDS], [0.0; FOLDS]);
        for fold in 0..FOLDS {
            let part = |own: bool| -> Vec<(Look, f64)> {
                let places = (0..drawn.len()).filter(|place| (place % FOLDS == fold) == own);
                places.map(|place| drawn[place]).collect()
            };
            let share = |ranker: &Ranker| ranker.accuracy(&part(true), 2.0 * cell.spread).unwrap_or(f64::NAN);
            (paper[fold], learned[fold]) = (share(&Ranker::default()), share(&Ranker::fit(&part(false))));
        }
        let mean = |shares: [f64; FOLDS]| shares.iter().sum::<f64>() / FOLDS as f64;
        let (model, bed, count) = (&cell.model, &cell.bed, drawn.len());
        println!("| {model} | {bed} | {count} | {:.3} | {:.3} |", mean(paper), mean(learned));
    }
    println!();
}

/// Error of the forecast's seconds, signed.
fn off((look, seconds): &(Look, f64)) -> f64 {
    look.forecast / seconds - 1.0
}

fn middle(values: impl Iterator<Item = f64>) -> f64 {
    Interval::of(values.collect()).mid
}

fn forecasts(all: &[Cell]) {
    println!("## Forecasts of random lossless strategies against ranks\n");
    println!(
        "| model | bed | strategies | ms, fastest–slowest | repeats apart, median | error of seconds, median | signed median | pairs in order |"
    );
    println!("|:--|:--|--:|--:|--:|--:|--:|--:|");
    for cell in all {
        let seconds = Interval::of(cell.asked.iter().map(|(_, seconds)| *seconds).collect());
        println!(
            "| {} | {} | {} | {:.0}–{:.0} | {:.1} % | {:.1} % | {:+.1} % | {:.3} |",
            cell.model,
            cell.bed,
            cell.asked.len(),
            1e3 * seconds.low,
            1e3 * seconds.high,
            100.0 * cell.spread,
            100.0 * middle(cell.asked.iter().map(|one| off(one).abs())),
            100.0 * middle(cell.asked.iter().map(off)),
            cell.share(&Ranker::default()),
        );
    }
    let asked = || all.iter().flat_map(|cell| &cell.asked);
    println!(
        "\nall {} strategies: median error {:.1} %\n",
        asked().count(),
        100.0 * middle(asked().map(|one| off(one).abs()))
    );
}

/// Rankers that have not seen the cell's model, its bed, or either, and rankers that have seen trials of the cell, none of them
/// judged.
fn rankers(all: &[Cell]) {
    println!("## Pairs in order, of those that differ by more than twice the spread of repeats\n");
    println!(
        "| model | bed | on paper | unseen model | unseen bed | neither seen | after its own random trials | trials | others' and its own | after its search | trials |"
    );
    println!("|:--|:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let mut sums: Vec<Vec<f64>> = vec![Vec::new(); 7];
    for cell in all {
        let others = |unseen: &dyn Fn(&Cell) -> bool| {
            let lists: Vec<_> = all.iter().filter(|other| !unseen(other)).map(Cell::all).collect();
            Ranker::from_others(&lists)
        };
        let no_model = others(&|other| other.model == cell.model);
        let after =
            |prior: &Ranker, trials: &[(Look, f64)]| (!trials.is_empty()).then(|| cell.share(&prior.taught(trials)));
        let blank = Ranker::default();
        let shares = [
            Some(cell.share(&blank)),
            Some(cell.share(&no_model)),
            Some(cell.share(&others(&|other| other.bed == cell.bed))),
            Some(cell.share(&others(&|other| other.model == cell.model || other.bed == cell.bed))),
            after(&blank, &cell.drawn),
            after(&no_model, &cell.drawn),
            after(&blank, &cell.searched),
        ];
        sums.iter_mut().zip(shares).for_each(|(all, share)| all.extend(share));
        let words = shares.map(|share| share.map_or("–".into(), |share| format!("{share:.3}")));
        println!(
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            cell.model,
            cell.bed,
            words[0],
            words[1],
            words[2],
            words[3],
            words[4],
            cell.drawn.len(),
            words[5],
            words[6],
            cell.searched.len(),
        );
    }
    let names = ["on paper", "unseen model", "unseen bed", "neither seen", "own", "others' and own", "search"];
    println!();
    for (name, shares) in names.iter().zip(sums) {
        let (count, mean) = (shares.len(), shares.iter().sum::<f64>() / shares.len().max(1) as f64);
        let Interval { low, mid, high } = Interval::of(shares);
        println!("- {name}: {count} cells, {low:.3} to {high:.3}, median {mid:.3}, mean {mean:.3}");
    }
    println!();
}

fn every_strategy(all: &[Cell]) {
    println!("## Every judged strategy: seconds on paper / on ranks, ms\n");
    for cell in all {
        let one = |(look, seconds): &(Look, f64)| format!("{:.0}/{:.0}", 1e3 * look.forecast, 1e3 * seconds);
        let words: Vec<String> = cell.asked.iter().map(one).collect();
        println!("- {} on {}: {}", cell.model, cell.bed, words.join(", "));
    }
}
