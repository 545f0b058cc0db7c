//! Simulated against real seconds of a round on a testbed. Needs root, iproute2 and OpenMPI, and a machine with nothing else
//! to do: `truth record`, which is best given a core of its own (`chrt -f 20`), then `truth [LINKS]`, the first so many of
//! them, and then `truth planner`; `truth table` prints what was played once more.

use std::fs;

use anyhow::Context;
use hemingway_bench::regret::Suite;
use hemingway_bench::truth::cells::{Subject, cases};
use hemingway_bench::truth::grid::Field;
use hemingway_bench::truth::judge::{Cell, figure, steady, table};
use hemingway_bench::truth::{ALGORITHMS, LINKS, RANKS, planner};

fn main() -> anyhow::Result<()> {
    let (word, folder) = (std::env::args().nth(1), hemingway_bench::out_dir()?);
    let (suite, played) = (Suite::read()?, folder.join("truth-cells.json"));
    let cases = cases(&suite)?;
    let kept = || -> anyhow::Result<Vec<Cell>> {
        Ok(serde_json::from_slice(&fs::read(&played).context("nothing is played: truth")?)?)
    };
    match word.as_deref() {
        Some("record") => return cases.iter().try_for_each(|case| Subject::measure(case)?.keep(&folder)),
        Some("table") => return print(&kept()?),
        Some("planner") => {
            println!("{}", planner::judge(&suite, &cases, &kept()?, &folder)?);
            return Ok(());
        }
        _ => {}
    }
    let links = word.map_or(Ok(LINKS.len()), |links| links.parse::<usize>())?;
    let subjects = cases.iter().map(|case| Subject::kept(case, &folder)).collect::<anyhow::Result<Vec<_>>>()?;
    let mut cells = Vec::new();
    for link in LINKS.into_iter().take(links) {
        cells.extend(on_link(link, &subjects, &folder)?);
        cells.sort_by(|a: &Cell, b| a.place().cmp(&b.place()));
        fs::write(&played, serde_json::to_vec(&cells)?)?;
    }
    print(&cells)
}

fn print(cells: &[Cell]) -> anyhow::Result<()> {
    println!("{}\n{}", table(cells), figure(cells));
    Ok(())
}

/// Calibrates a link, then plays the grid on it.
fn on_link(link: (u64, f64), subjects: &[Subject], folder: &std::path::Path) -> anyhow::Result<Vec<Cell>> {
    let field = Field::up(link.0, link.1)?;
    let rounds = field.calibrate()?;
    let name = planner::cluster_name(link);
    eprintln!("{name}: calibrated");
    for subject in subjects {
        fs::write(folder.join(format!("{name}-{}.toml", subject.name)), subject.cluster(&rounds, &name).toml()?)?;
    }
    let mut cells = Vec::new();
    for (at, ranks) in RANKS.into_iter().enumerate() {
        let which = || subjects.iter().flat_map(|subject| (0..ALGORITHMS.len()).map(move |a| (subject, a)));
        let tapes: Vec<_> = which().map(|(subject, a)| subject.tape(a, at)).collect();
        let played = field.play(ranks, &tapes, folder)?;
        for ((subject, a), real) in which().zip(played) {
            let simulated = subject.simulate(&subject.cluster(&rounds, &name), a, ranks)?;
            let (problem, algorithm) = (subject.name.clone(), ALGORITHMS[a].to_string());
            cells.push(Cell { link, problem, algorithm, ranks, simulated: steady(&simulated), real: steady(&real) });
        }
        eprintln!("{name}: {ranks} ranks played");
    }
    Ok(cells)
}
