//! What came of it, in tables.

use anyhow::{Context, Result};
use hemingway::sync::search::Interval;

use super::beds::{BEDS, BedPlan, Cast, MODELS};
use super::searches::{Searched, searched};
use super::{calibrate, cells};

/// All tables of what has been measured.
pub fn print() -> Result<()> {
    calibrations()?;
    let mut found = Vec::new();
    for (cast, bed) in cells() {
        found.extend(searched(cast, bed)?.map(|searched| (cast, bed, searched)));
    }
    searches(&found)?;
    builders(&found);
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

fn searches(found: &[(&Cast, &BedPlan, Searched)]) -> Result<()> {
    println!("## Searches, every trial on ranks\n");
    println!(
        "| model | bed | bound ms | best builder | ms (low–high) | × bound | found ms (low–high) | × bound | faster | hits | trials |"
    );
    println!("|:--|:--|--:|:--|--:|--:|--:|--:|--:|--:|--:|");
    let ms = |three: &[f64; 3]| format!("{:.1} ({:.1}–{:.1})", 1e3 * three[1], 1e3 * three[0], 1e3 * three[2]);
    for (cast, bed, own) in found {
        let bound = cast.stage(bed, &calibrate::costs(bed)?)?.bound();
        let (name, _, built) = own.best_builder().context("builders")?;
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
            let built = own.builders.iter().find(|(known, ..)| known == name);
            built.map_or("–".into(), |(.., three)| format!("{:.1}", 1e3 * three[1]))
        };
        println!("| {} | {} | {} |", cast.model, bed.name, names.iter().map(cell).collect::<Vec<_>>().join(" | "));
    }
    println!();
}
