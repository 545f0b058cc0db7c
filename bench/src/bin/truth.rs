//! Simulated against real seconds of a round on a testbed. Needs root, iproute2 and OpenMPI, and a machine with nothing else
//! to do: `truth record`, which is best given a core of its own (`chrt -f 20`), then `truth [LINKS]`, the first so many of them.

use std::fs;

use hemingway_bench::truth::cells::{DATA, Subject};
use hemingway_bench::truth::grid::Field;
use hemingway_bench::truth::judge::{Cell, figure, steady, table};
use hemingway_bench::truth::{ALGORITHMS, LINKS, RANKS};

fn main() -> anyhow::Result<()> {
    let (word, folder) = (std::env::args().nth(1), hemingway_bench::out_dir()?);
    if word.as_deref() == Some("record") {
        return DATA.iter().try_for_each(|data| Subject::measure(data)?.keep(&folder));
    }
    let links = word.map_or(Ok(LINKS.len()), |links| links.parse::<usize>())?;
    let subjects = DATA.iter().map(|data| Subject::kept(data, &folder)).collect::<anyhow::Result<Vec<_>>>()?;
    let mut cells = Vec::new();
    for link in LINKS.into_iter().take(links) {
        cells.extend(on_link(link, &subjects, &folder)?);
        cells.sort_by(|a: &Cell, b| a.place().cmp(&b.place()));
        fs::write(folder.join("truth.md"), format!("{}\n{}", table(&cells), figure(&cells)))?;
    }
    println!("{}\n{}", table(&cells), figure(&cells));
    Ok(())
}

/// Calibrates a link, then plays the grid on it.
fn on_link(link: (u64, f64), subjects: &[Subject], folder: &std::path::Path) -> anyhow::Result<Vec<Cell>> {
    let field = Field::up(link.0, link.1)?;
    let rounds = field.calibrate()?;
    let name = format!("testbed-{}us-{}mbit", link.0, link.1);
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
            let what = format!("{} {}", subject.name, ALGORITHMS[a]);
            cells.push(Cell { link, what, ranks, simulated: steady(&simulated), real: steady(&real) });
        }
        eprintln!("{name}: {ranks} ranks played");
    }
    Ok(cells)
}
