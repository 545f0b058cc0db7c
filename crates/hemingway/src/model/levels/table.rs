//! Rounds by m and level, measured where reached and filled up where not.

use super::super::estimate::spread;
use super::super::linalg::{least_squares, median};
use super::Curves;
use super::law::Law;

/// Levels are e^(1/4) apart, nine to a decade, within these counts.
const STEP: f64 = 0.25;
const COUNT: (f64, f64) = (8.0, 120.0);

pub(super) struct Table {
    /// ln error, falling; the last is the deepest any run reached.
    pub(super) levels: Vec<f64>,
    /// One row for each m.
    pub(super) rows: Vec<Vec<Cell>>,
    machines: Vec<usize>,
}

#[derive(Clone, Copy)]
pub(super) struct Cell {
    pub(super) rounds: f64,
    /// Whether a run was seen to get there.
    pub(super) measured: bool,
}

impl Table {
    /// `None` if no run ever fell below the start.
    pub(super) fn of(curves: &[Curves], start: f64) -> Option<Self> {
        let errors = curves.iter().flat_map(|curves| curves.runs.iter().flatten()).map(|point| point.1);
        let range = start - errors.min_by(f64::total_cmp)?;
        if range.is_nan() || range <= 1e-9 {
            return None;
        }
        let count = (range / STEP).clamp(COUNT.0, COUNT.1).ceil() as usize;
        let levels: Vec<f64> = (1..=count).map(|k| start - range * k as f64 / count as f64).collect();
        let measured: Vec<_> = curves.iter().map(|curves| measure(curves, start, &levels)).collect();
        let lasts: Vec<f64> = curves.iter().map(|curves| curves.last).collect();
        let machines = curves.iter().map(|curves| curves.machines).collect();
        Some(Self { rows: fill(&measured, &lasts, levels.len()), levels, machines })
    }

    /// The power of m that the rounds to a level grow by, over all levels; `None` from a single m.
    pub(super) fn growth(&self) -> Option<f64> {
        let slopes = (0..self.levels.len()).filter_map(|level| {
            let cells = self.column(level).filter(|(_, cell)| cell.measured && cell.rounds >= 1.0);
            let (x, y): (Vec<f64>, Vec<f64>) = cells.map(|(m, cell)| ((m as f64).ln(), cell.rounds.ln())).unzip();
            (x.len() > 1).then(|| least_squares(&[&vec![1.0; x.len()], &x], &y)[1])
        });
        median(slopes.collect())
    }

    /// The law of every level.
    pub(super) fn laws(&self, falling: bool) -> Vec<Law> {
        (0..self.levels.len()).map(|level| self.law(level, falling, None)).collect()
    }

    fn column(&self, level: usize) -> impl Iterator<Item = (usize, Cell)> + '_ {
        self.machines.iter().zip(&self.rows).map(move |(&machines, row)| (machines, row[level]))
    }

    /// The law of one level, leaving out one m if asked.
    fn law(&self, level: usize, falling: bool, left_out: Option<usize>) -> Law {
        let cells: Vec<_> = self.column(level).filter(|(m, _)| Some(*m) != left_out).collect();
        Law::fit(&cells, falling)
    }

    /// Spread of ln(measured / predicted) when each m in turn is left out; needs three.
    pub(super) fn left_out_spread(&self, falling: bool) -> Option<f64> {
        if self.machines.len() < 3 {
            return None;
        }
        let mut squares = Vec::new();
        for (&machines, row) in self.machines.iter().zip(&self.rows) {
            for (level, cell) in row.iter().enumerate().filter(|(_, cell)| cell.measured && cell.rounds >= 2.0) {
                let predicted = self.law(level, falling, Some(machines)).rounds(machines);
                squares.push((cell.rounds / predicted).ln().powi(2).min(4.0));
            }
        }
        spread(squares)
    }
}

/// Median rounds to each level over the runs of one m; `None` where most of them did not get there.
fn measure(curves: &Curves, start: f64, levels: &[f64]) -> Vec<Option<f64>> {
    let runs: Vec<Vec<f64>> = curves.runs.iter().map(|run| crossings(run, start, levels)).collect();
    let level = |level: usize| {
        let reached: Vec<f64> = runs.iter().filter_map(|run| run.get(level).copied()).collect();
        if 2 * reached.len() >= runs.len() { median(reached) } else { None }
    };
    (0..levels.len()).map(level).collect()
}

/// When the best error so far crosses each level, interpolated within the stride that does; ends with the deepest
/// reached.
fn crossings(run: &[(f64, f64)], start: f64, levels: &[f64]) -> Vec<f64> {
    let mut crossed = Vec::with_capacity(levels.len());
    let (mut round, mut best) = (0.0, start);
    for &(now, error) in run {
        while let Some(&level) = levels.get(crossed.len()).filter(|&&level| error <= level + 1e-12) {
            let share = if best > error { ((best - level) / (best - error)).clamp(0.0, 1.0) } else { 1.0 };
            crossed.push(round + share * (now - round));
        }
        (round, best) = (now, best.min(error));
    }
    crossed
}

/// Where an m stopped early, it goes on at the pace of those that did not: their further rounds, times how much slower it
/// has been over the last levels, and at least as long as it was seen not to arrive.
fn fill(measured: &[Vec<Option<f64>>], lasts: &[f64], levels: usize) -> Vec<Vec<Cell>> {
    let mut rows: Vec<Vec<Cell>> = vec![Vec::with_capacity(levels); measured.len()];
    for level in 0..levels {
        let reached: Vec<Option<f64>> = measured.iter().map(|row| row[level]).collect();
        let cell = |own: usize| match reached[own] {
            Some(rounds) => Cell { rounds, measured: true },
            None => Cell { rounds: continued(&rows, &reached, own, level).max(lasts[own]), measured: false },
        };
        let cells: Vec<Cell> = (0..rows.len()).map(cell).collect();
        rows.iter_mut().zip(cells).for_each(|(row, cell)| row.push(cell));
    }
    rows
}

/// Rounds to a level that `own` did not reach, from those that did.
fn continued(rows: &[Vec<Cell>], reached: &[Option<f64>], own: usize, level: usize) -> f64 {
    let before = |row: usize, back: usize| match level.checked_sub(1 + back) {
        Some(place) => rows[row][place].rounds,
        None => 0.0,
    };
    let window = 4.min(level);
    let recent = |row: usize| (before(row, 0) - before(row, window)).max(0.25);
    let others = reached.iter().enumerate().filter_map(|(other, rounds)| {
        let further = ((*rounds)? - before(other, 0)).max(0.0);
        Some(further * (recent(own) / recent(other)).clamp(0.02, 50.0))
    });
    before(own, 0) + median(others.collect()).unwrap_or(0.0)
}
