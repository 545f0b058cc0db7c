//! What came of it, in tables.

use anyhow::{Context, Result};
use hemingway::sync::Stage;
use hemingway::sync::ranker::{Look, Ranker};
use hemingway::sync::search::{Interval, looks};
use hemingway::sync::sketch::Sketch;

use super::beds::{BEDS, BedPlan, Cast, MODELS};
use super::random::{Sampled, sampled};
use super::searches::{Searched, searched};
use super::{calibrate, cells};

/// One cell with everything that is known of it.
struct Cell {
    cast: &'static Cast,
    bed: &'static BedPlan,
    stage: Stage,
    sampled: Sampled,
    asked: Vec<(Look, f64)>,
    /// Of its own trials, none of which is judged: of its search, and drawn at random.
    searched: Vec<(Look, f64)>,
    drawn: Vec<(Look, f64)>,
}

impl Cell {
    fn of(cast: &'static Cast, bed: &'static BedPlan) -> Result<Self> {
        let stage = cast.stage(bed, &calibrate::costs(bed)?)?;
        let sampled = sampled(cast, bed)?;
        let (asked, drawn) = (sampled.asked(&stage)?, sampled.lessons(&stage)?);
        let (sketches, seconds): (Vec<Sketch>, Vec<f64>) =
            searched(cast, bed)?.map(|own| own.trials).unwrap_or_default().into_iter().unzip();
        let searched = looks(&stage, &sketches)?.into_iter().zip(seconds).collect();
        Ok(Self { cast, bed, stage, sampled, asked, searched, drawn })
    }

    /// Everything that was timed in it, for rankers that are asked about other cells.
    fn all(&self) -> Vec<(Look, f64)> {
        [&self.asked[..], &self.searched, &self.drawn].concat()
    }

    /// Twice the spread of repeats.
    fn margin(&self) -> f64 {
        2.0 * self.sampled.spread()
    }
}

/// All tables of what has been measured.
pub fn print() -> Result<()> {
    calibrations()?;
    let mut all = Vec::new();
    for (cast, bed) in cells() {
        if calibrate::is_done(bed)? && sampled(cast, bed)?.judged.iter().any(|runs| runs.len() > 1) {
            all.push(Cell::of(cast, bed)?);
        }
    }
    forecasts(&all);
    rankers(&all);
    let mut found = Vec::new();
    for (cast, bed) in cells() {
        found.extend(searched(cast, bed)?.map(|searched| (cast, bed, searched)));
    }
    searches(&found)?;
    builders(&found);
    every_strategy(&all);
    Ok(())
}

fn calibrations() -> Result<()> {
    println!("## Costs, from exchanges of plain variables\n");
    println!(
        "| bed | hosts | latency asked µs | added µs | rate asked Mbit | share that messages have | a host's µs a message | all hosts' µs a message | probes off, median |"
    );
    println!("|:--|--:|--:|--:|--:|--:|--:|--:|--:|");
    for bed in &BEDS {
        if !calibrate::is_done(bed)? {
            continue;
        }
        let costs = calibrate::costs(bed)?;
        let off = calibrate::errors(bed, &costs)?;
        let slow: String = bed.slow.iter().map(|(host, rate)| format!(", host {host} {rate}")).collect();
        println!(
            "| {} | {} | {} | {:.0} | {}{slow} | {:.3} | {:.1} | {:.1} | {:.1} % |",
            bed.name,
            bed.hosts,
            bed.latency_us,
            costs.latency_us,
            bed.megabits,
            costs.goodput,
            costs.message_us,
            costs.switch_us,
            100.0 * Interval::of(off).mid,
        );
    }
    println!();
    Ok(())
}

/// Error of the forecast's seconds, signed.
fn off(look: &Look, seconds: f64) -> f64 {
    look.forecast / seconds - 1.0
}

fn median_off<'a>(asked: impl Iterator<Item = &'a (Look, f64)>) -> f64 {
    Interval::of(asked.map(|(look, seconds)| off(look, *seconds).abs()).collect()).mid
}

fn forecasts(all: &[Cell]) {
    println!("## Forecasts of random lossless strategies against ranks\n");
    println!(
        "| model | bed | strategies | ms, fastest–slowest | repeats apart, median | error of seconds, median | signed median | pairs in order |"
    );
    println!("|:--|:--|--:|--:|--:|--:|--:|--:|");
    for cell in all {
        let seconds = Interval::of(cell.asked.iter().map(|(_, seconds)| *seconds).collect());
        let signed = Interval::of(cell.asked.iter().map(|(look, seconds)| off(look, *seconds)).collect());
        println!(
            "| {} | {} | {} | {:.0}–{:.0} | {:.1} % | {:.1} % | {:+.1} % | {} |",
            cell.cast.model,
            cell.bed.name,
            cell.asked.len(),
            1e3 * seconds.low,
            1e3 * seconds.high,
            100.0 * cell.sampled.spread(),
            100.0 * median_off(cell.asked.iter()),
            100.0 * signed.mid,
            share(&Ranker::default(), cell),
        );
    }
    if !all.is_empty() {
        println!(
            "\nall strategies: median error {:.1} %\n",
            100.0 * median_off(all.iter().flat_map(|cell| &cell.asked))
        );
    }
}

fn share(ranker: &Ranker, cell: &Cell) -> String {
    ranker.accuracy(&cell.asked, cell.margin()).map_or("–".into(), |share| format!("{share:.3}"))
}

/// Rankers that have not seen the cell's model, its bed, or either, and rankers that have seen trials of the cell, none of them
/// judged.
fn rankers(all: &[Cell]) {
    println!("## Pairs in order, of those that differ by more than twice the spread of repeats\n");
    println!(
        "| model | bed | on paper | unseen model | unseen bed | neither seen | after its search | trials | after random ones | trials |"
    );
    println!("|:--|:--|--:|--:|--:|--:|--:|--:|--:|--:|");
    for cell in all {
        let (model, bed) = (cell.cast.model, cell.bed.name);
        let without = |unseen: &dyn Fn(&Cell) -> bool| {
            let others: Vec<_> = all.iter().filter(|other| !unseen(other)).map(Cell::all).collect();
            if others.is_empty() { "–".into() } else { share(&Ranker::from_others(&others), cell) }
        };
        let after = |trials: &[(Look, f64)]| match trials {
            [] => "–".into(),
            _ => share(&Ranker::fit(trials), cell),
        };
        println!(
            "| {model} | {bed} | {} | {} | {} | {} | {} | {} | {} | {} |",
            share(&Ranker::default(), cell),
            without(&|other| other.cast.model == model),
            without(&|other| other.bed.name == bed),
            without(&|other| other.cast.model == model || other.bed.name == bed),
            after(&cell.searched),
            cell.searched.len(),
            after(&cell.drawn),
            cell.drawn.len(),
        );
    }
    println!();
}

fn searches(found: &[(&Cast, &BedPlan, Searched)]) -> Result<()> {
    println!("## Searches, every trial on ranks\n");
    println!(
        "| model | bed | bound ms | best builder | ms (low–high) | × bound | found ms (low–high) | × bound | faster | hits | trials |"
    );
    println!("|:--|:--|--:|:--|--:|--:|--:|--:|--:|--:|--:|");
    let ms = |three: &[f64; 3]| format!("{:.1} ({:.1}–{:.1})", 1e3 * three[1], 1e3 * three[0], 1e3 * three[2]);
    for (cast, bed, own) in found {
        let bound = cast.stage(bed, &calibrate::costs(bed)?)?.bound();
        let (name, built) = own.best_builder().context("builders")?;
        println!(
            "| {} | {} | {:.1} | {name} | {} | {:.2} | {} | {:.2} | {:.2}× | {:.0} % | {}{} |",
            cast.model,
            bed.name,
            1e3 * bound,
            ms(built),
            built[1] / bound,
            ms(&own.found),
            own.found[1] / bound,
            built[1] / own.found[1],
            100.0 * own.hits,
            own.trials.len(),
            if own.settled { ", settled" } else { "" },
        );
    }
    println!("\nHits by model: trials that beat every builder.\n");
    for cast in &MODELS {
        let own: Vec<&Searched> =
            found.iter().filter(|(other, ..)| other.model == cast.model).map(|(.., own)| own).collect();
        let trials: usize = own.iter().map(|own| own.trials.len()).sum();
        let hits: f64 = own.iter().map(|own| own.hits * own.trials.len() as f64).sum();
        if trials > 0 {
            println!("- {}: {:.0} % of {trials}", cast.model, 100.0 * hits / trials as f64);
        }
    }
    println!();
    Ok(())
}

fn builders(found: &[(&Cast, &BedPlan, Searched)]) {
    let names = hemingway::sync::builders::NAMES;
    println!("## Every builder with its best settings, ms on ranks\n");
    println!("| model | bed | {} |", names.join(" | "));
    println!("|:--|:--|{}", "--:|".repeat(names.len()));
    for (cast, bed, own) in found {
        let cell = |name: &&str| {
            let built = own.builders.iter().find(|(known, _)| known == name);
            built.map_or("–".into(), |(_, three)| format!("{:.1}", 1e3 * three[1]))
        };
        println!("| {} | {} | {} |", cast.model, bed.name, names.iter().map(cell).collect::<Vec<_>>().join(" | "));
    }
    println!();
}

fn every_strategy(all: &[Cell]) {
    println!("## Every judged strategy: seconds on paper / on ranks, ms\n");
    for cell in all {
        let one = |(look, seconds): &(Look, f64)| format!("{:.0}/{:.0}", 1e3 * look.forecast, 1e3 * seconds);
        let words: Vec<String> = cell.asked.iter().map(one).collect();
        let bound = 1e3 * cell.stage.bound();
        println!("- {} on {} (bound {bound:.0}): {}", cell.cast.model, cell.bed.name, words.join(", "));
    }
}
