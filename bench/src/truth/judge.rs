//! How far off, in tables.

use hemingway::model::{Method, SystemModel, system::Observation};
use serde::{Deserialize, Serialize};

/// One cell of the grid.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Cell {
    /// Latency and rate.
    pub link: (u64, f64),
    /// The problem.
    pub problem: String,
    /// The algorithm.
    pub algorithm: String,
    /// m.
    pub ranks: usize,
    /// Simulated seconds of a round.
    pub simulated: f64,
    /// Real ones.
    pub real: f64,
}

impl Cell {
    /// Where it stands in tables.
    pub fn place(&self) -> (u64, u64, &str, &str, usize) {
        (self.link.0, self.link.1 as u64, &self.problem, &self.algorithm, self.ranks)
    }

    fn off(&self) -> f64 {
        (self.simulated / self.real - 1.0).abs()
    }
}

/// Mean of the rounds after the first two, the tenth at either end pulled in: one hiccup must not count.
pub fn steady(seconds: &[f64]) -> f64 {
    let mut sorted = seconds.get(2..).filter(|rest| !rest.is_empty()).unwrap_or(seconds).to_vec();
    sorted.sort_by(f64::total_cmp);
    let (count, cut) = (sorted.len(), sorted.len() / 10);
    let (low, high) = (sorted[cut], sorted[count - 1 - cut]);
    sorted.iter().map(|value| value.clamp(low, high)).sum::<f64>() / count as f64
}

/// Median, 90th percentile and worst of some shares.
pub fn spread(mut off: Vec<f64>) -> String {
    off.sort_by(f64::total_cmp);
    let at = |share: f64| 100.0 * off[((off.len() - 1) as f64 * share).round() as usize];
    format!("median {:.1} %, 90 % {:.1} %, worst {:.1} % of {} cells", at(0.5), at(0.9), at(1.0), off.len())
}

/// The table of all cells, and what they amount to by link, by ranks and in all.
pub fn table(cells: &[Cell]) -> String {
    let mut text =
        String::from("| link | cell | ranks | simulated ms | real ms | off % |\n|---|---|---:|---:|---:|---:|\n");
    for cell in cells {
        let (us, mbit) = cell.link;
        text += &format!(
            "| {us} µs {mbit} Mbit | {} {} | {} | {:.3} | {:.3} | {:.1} |\n",
            cell.problem,
            cell.algorithm,
            cell.ranks,
            1e3 * cell.simulated,
            1e3 * cell.real,
            100.0 * (cell.simulated / cell.real - 1.0)
        );
    }
    let some = |chosen: &dyn Fn(&&Cell) -> bool| {
        let off: Vec<f64> = cells.iter().filter(chosen).map(Cell::off).collect();
        if off.is_empty() { "none".into() } else { spread(off) }
    };
    text += &format!("\nall: {}\n", some(&|_| true));
    for ranks in super::RANKS {
        text += &format!("{ranks} ranks: {}\n", some(&|cell| cell.ranks == ranks));
    }
    for link in super::LINKS {
        text += &format!("{} µs {} Mbit: {}\n", link.0, link.1, some(&|cell| cell.link == link));
    }
    text
}

/// f fitted from m ≤ 4 and asked for m = 8, for every curve; and those whose real time falls and then rises.
pub fn figure(cells: &[Cell]) -> String {
    let (mut off, mut turning) = (Vec::new(), Vec::new());
    let curves = cells.chunk_by(|a, b| (a.link, &a.problem, &a.algorithm) == (b.link, &b.problem, &b.algorithm));
    for curve in curves {
        let Some(last) = curve.last().filter(|last| last.ranks == 8) else { continue };
        let observe =
            |cell: &Cell| Observation { machines: cell.ranks, fraction: 1.0, seconds: cell.real, noise: None };
        let taught: Vec<_> = curve.iter().filter(|cell| cell.ranks <= 4).map(observe).collect();
        if let Some(model) = SystemModel::fit("testbed", &taught, Method::Ours) {
            off.push((model.seconds(8, 1.0).mid / last.real - 1.0).abs());
        }
        let least = curve.iter().map(|cell| cell.real).fold(f64::INFINITY, f64::min);
        if least < 0.98 * curve[0].real && least < 0.98 * last.real {
            let points: Vec<String> =
                curve.iter().map(|cell| format!("{}: {:.2}", cell.ranks, 1e3 * cell.real)).collect();
            turning.push(format!(
                "{} {} at {} µs {} Mbit, ms by m: {}",
                last.problem,
                last.algorithm,
                last.link.0,
                last.link.1,
                points.join(", ")
            ));
        }
    }
    let within = off.iter().filter(|off| **off <= 0.12).count();
    let count = off.len();
    let said = if off.is_empty() { "no curves".into() } else { spread(off) };
    format!(
        "f from m ≤ 4 asked for m = 8: {said}; within 12 %: {within} of {count}\nfalling, then rising:\n{}\n",
        turning.join("\n")
    )
}
