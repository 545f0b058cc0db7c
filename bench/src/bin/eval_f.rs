//! How well f predicts what it was not shown, on clusters others measured: one m left out at a time, and the largest
//! data from smaller ones. Ernest's method beside ours, as a table in Markdown.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use hemingway::model::FitOptions;
use hemingway::model::system::{Observation, observations};
use hemingway::record::{Trace, import};
use hemingway_bench::folds::{Folds, METHODS, NAMES, judge, quantile, table};

/// Directions in the order they are printed.
const DIRECTIONS: [&str; 3] = ["inner", "up", "down"];

fn main() -> anyhow::Result<()> {
    let data = hemingway_bench::data_dir()?;
    let sets = files(&data.join("system-observations"), "csv")?;
    let mut results: BTreeMap<String, [Folds; 3]> = BTreeMap::new();
    let mut seen = BTreeMap::new();
    let (mut fits, started) = (0, Instant::now());
    for path in &sets {
        let traces = import(&[path], None)?;
        let contexts = by_context(&traces);
        fits += contexts.values().map(Vec::len).sum::<usize>() * METHODS.len();
        results.insert(name(path), leave_one_out(contexts.values()));
        seen.insert(name(path), halves(&traces));
    }
    let seconds = started.elapsed().as_secs_f64();
    for (place, direction) in DIRECTIONS.iter().enumerate() {
        println!("\n## One m left out, {direction}\n");
        table(&NAMES, results.iter().map(|(name, folds)| (name.as_str(), &folds[place])));
    }
    println!("\n## One m left out, every direction\n");
    let pooled: BTreeMap<&str, Folds> = results.iter().map(|(name, folds)| (name.as_str(), pool(folds))).collect();
    table(&NAMES, pooled.iter().map(|(name, folds)| (*name, folds)));
    println!("\n## An m that was seen: half of the repeats predict the other half\n");
    table(&NAMES, seen.iter().map(|(name, folds)| (name.as_str(), folds)));
    let sizes = by_size(&data.join("c3o"))?;
    println!("\n## The largest data from smaller ones\n");
    table(&NAMES, sizes.iter().map(|(name, folds)| (name.as_str(), folds)));
    println!("\n{fits} fits in {seconds:.2} s: {:.2} ms each.", 1e3 * seconds / fits as f64);
    Ok(())
}

fn name(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn files(folder: &Path, extension: &str) -> anyhow::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<Vec<_>>>()?;
    files.retain(|path| path.extension().is_some_and(|end| end == extension));
    files.sort();
    Ok(files)
}

fn by_context(traces: &[Trace]) -> BTreeMap<&str, Vec<Observation>> {
    let mut contexts: BTreeMap<&str, Vec<&Trace>> = BTreeMap::new();
    for trace in traces {
        contexts.entry(&trace.context).or_default().push(trace);
    }
    let observed = |traces: Vec<&Trace>| observations(&traces, &FitOptions::default());
    contexts.into_iter().map(|(name, traces)| (name, observed(traces))).collect()
}

fn leave_one_out<'a>(contexts: impl Iterator<Item = &'a Vec<Observation>>) -> [Folds; 3] {
    let mut results: [Folds; 3] = Default::default();
    for observed in contexts {
        // Ascending in m, one observation each: every set has a single size.
        for place in 0..observed.len() {
            let direction = if place == 0 { 2 } else { usize::from(place + 1 == observed.len()) };
            let taught: Vec<Observation> =
                observed.iter().enumerate().filter(|(other, _)| *other != place).map(|(_, o)| *o).collect();
            judge(&taught, &observed[place..=place], &mut results[direction]);
        }
    }
    results
}

fn pool(directions: &[Folds; 3]) -> Folds {
    std::array::from_fn(|method| directions.iter().flat_map(|folds| folds[method].iter().copied()).collect())
}

/// Every second repeat teaches, the others test.
fn halves(traces: &[Trace]) -> Folds {
    let mut counts: BTreeMap<(&str, usize), usize> = BTreeMap::new();
    let (mut taught, mut tested) = (Vec::new(), Vec::new());
    for trace in traces {
        let count = counts.entry((&trace.context, trace.machines)).or_default();
        if count.is_multiple_of(2) { &mut taught } else { &mut tested }.push(trace.clone());
        *count += 1;
    }
    let (taught, tested) = (by_context(&taught), by_context(&tested));
    let mut folds = Folds::default();
    for (context, tested) in tested {
        judge(&taught[context], &tested, &mut folds);
    }
    folds
}

/// Columns of the raw C3O tables that are m, size, time, or restate them.
const NO_PARAMETER: [&str; 8] =
    ["instance_count", "slots", "memory", "data_size_MB", "lines", "observations", "links", "gross_runtime"];

/// Raw C3O tables: for every machine type and every other parameter, the largest size is predicted from the smaller
/// ones, at every m.
fn by_size(folder: &Path) -> anyhow::Result<BTreeMap<String, Folds>> {
    let mut results = BTreeMap::new();
    for path in files(folder, "tsv")? {
        let mut folds = Folds::default();
        for rows in sized(&path)?.into_values() {
            let largest = rows.iter().map(|row| row.fraction).fold(0.0, f64::max);
            let observed = medians(rows, largest);
            let (tested, taught): (Vec<_>, Vec<_>) = observed.into_iter().partition(|o| o.fraction == 1.0);
            if taught.iter().any(|o| o.fraction != taught[0].fraction) {
                judge(&taught, &tested, &mut folds);
            }
        }
        results.insert(format!("c3o-{}", name(&path)), folds);
    }
    Ok(results)
}

/// Rows by everything but m and size; `fraction` still holds megabytes.
fn sized(path: &Path) -> anyhow::Result<BTreeMap<String, Vec<Observation>>> {
    let text = std::fs::read_to_string(path)?;
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().context("a header")?.split('\t').collect();
    let mut groups: BTreeMap<String, Vec<Observation>> = BTreeMap::new();
    for line in lines.filter(|line| !line.is_empty()) {
        let fields: BTreeMap<&str, &str> = header.iter().copied().zip(line.split('\t')).collect();
        let number =
            |column: &str| fields.get(column).context(column.to_string())?.parse::<f64>().context(line.to_string());
        let row = Observation {
            machines: number("instance_count")? as usize,
            fraction: number("data_size_MB")?,
            seconds: number("gross_runtime")?,
            noise: None,
        };
        let own = fields.iter().filter(|(column, _)| !NO_PARAMETER.contains(column));
        let key: String = own.map(|(_, value)| format!("{value}/")).collect();
        groups.entry(key).or_default().push(row);
    }
    Ok(groups)
}

/// Medians of repeats, sizes as shares of the largest.
fn medians(rows: Vec<Observation>, largest: f64) -> Vec<Observation> {
    let mut groups: BTreeMap<(usize, u64), Vec<f64>> = BTreeMap::new();
    for row in rows {
        groups.entry((row.machines, (row.fraction / largest).to_bits())).or_default().push(row.seconds);
    }
    let observe = |((machines, size), seconds)| Observation {
        machines,
        fraction: f64::from_bits(size),
        seconds: quantile(seconds, 0.5),
        noise: None,
    };
    groups.into_iter().map(observe).collect()
}
