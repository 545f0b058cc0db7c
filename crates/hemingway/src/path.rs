//! Regularization paths: the problem solved for many λ₁, from the smallest that leaves w at 0 down, each from where the last ended.
//!
//! The same servers, workers and engine as `strads` has in training; a point is left when its duality gap proves what was asked
//! for.

mod folds;

use std::time::Instant;

use serde::Serialize;

use crate::algorithm::strads::path::{Found, On, PathServer};
use crate::algorithm::{self, Support};
use crate::engine::{Local, Setting};
use crate::problem::{Loss, Penalty, Problem};
use crate::{Error, Result};
pub use folds::{Choice, CrossValidated, Rule, check_folds, cross_validate};

/// Where a path ends unless the user says so, as a share of where it begins.
pub const RATIO: f64 = 1e-3;

/// Where a path ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum End {
    /// At this share of the largest λ₁.
    Ratio(f64),
    /// At this λ₁.
    At(f64),
}

/// What is asked of every point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Precision {
    /// (P − L)/L at most this, L the bound below P*.
    Error(f64),
    /// P − L at most this share of P(0).
    OfStart(f64),
}

impl Precision {
    /// Whether it is met.
    fn is_met(self, objective: f64, dual: f64, start: f64) -> bool {
        objective - dual <= self.gap(dual, start)
    }

    /// The gap that meets it, from what is known of P*.
    fn gap(self, near: f64, start: f64) -> f64 {
        match self {
            Self::Error(error) => error * near.max(1e-12 * start),
            Self::OfStart(share) => share * start,
        }
    }
}

/// Which path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Asked {
    /// Values of λ₁.
    pub points: usize,
    /// Where it ends.
    pub end: End,
    /// What is asked of every point.
    pub precision: Precision,
    /// Threads that may work at once: they share the looks of a path, and of folds as many are solved beside each other.
    pub threads: usize,
}

impl Asked {
    /// Refuses what no data could answer.
    ///
    /// # Errors
    /// Says what a path may be.
    pub fn check(&self) -> Result<()> {
        if !(1..=MOST_POINTS).contains(&self.points) {
            let what = format!("a path has 1 to {MOST_POINTS} points, not {}", self.points);
            return Err(Error::setting("--path", what));
        }
        match self.end {
            End::Ratio(ratio) if !(ratio > 0.0 && ratio < 1.0) => {
                let what =
                    format!("{ratio} is not between 0 and 1: it is the share of the largest λ₁ at which the path ends");
                Err(Error::setting("--path-ratio", what))
            }
            _ => Ok(()),
        }
    }
}

/// One λ₁ of a path, solved.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Point {
    /// λ₁.
    pub l1: f64,
    /// Coefficients that are not 0.
    pub nonzeros: usize,
    /// P.
    pub objective: f64,
    /// The bound below P*.
    pub lower_bound: f64,
    /// P − L.
    pub gap: f64,
    /// Whether the gap proves what was asked for.
    pub proved: bool,
    /// Seconds it took.
    pub seconds: f64,
    /// The coefficients that are not 0, by column.
    #[serde(skip)]
    pub weights: Vec<(u32, f64)>,
}

/// More values of λ₁ than anyone can tell apart.
const MOST_POINTS: usize = 10_000;

/// Values that fall from the largest in equal ratios.
///
/// # Errors
/// If there are none, or they would not fall.
pub fn grid(largest: f64, asked: &Asked) -> Result<Vec<f64>> {
    asked.check()?;
    let ratio = match asked.end {
        End::Ratio(ratio) => ratio,
        End::At(l1) if l1 > 0.0 && l1 < largest => l1 / largest,
        End::At(l1) => {
            let what =
                format!("a path ends at {l1:e} only if that is above 0 and below {largest:e}, from where on w = 0");
            return Err(Error::setting("--l1", what));
        }
    };
    if let (1, End::At(l1)) = (asked.points, asked.end) {
        return Ok(vec![l1]);
    }
    let step = |k: usize| largest * ratio.powf(k as f64 / (asked.points - 1).max(1) as f64);
    Ok((0..asked.points).map(step).collect())
}

/// Refuses problems that have no such path.
///
/// # Errors
/// Says which have.
pub fn check(problem: &Problem) -> Result<()> {
    if problem.classes.is_some() {
        let what = "a path is of two classes or of numbers; name one class with --positive LABEL";
        return Err(Error::setting("--path", what));
    }
    check_loss(problem.loss)?;
    algorithm::check(&*algorithm::by_name("strads")?, problem.loss, &problem.penalty)
}

/// Refuses losses that have no path.
///
/// # Errors
/// Says which have.
pub fn check_loss(loss: Loss) -> Result<()> {
    if algorithm::by_name("strads")?.support(loss) == Support::No {
        let others: Vec<&str> = Loss::ALL.into_iter().filter(|loss| loss.is_smooth()).map(Loss::name).collect();
        let what = format!("a path needs a smooth loss, which {loss} is not; these are: {}", others.join(", "));
        return Err(Error::setting("--path", what));
    }
    Ok(())
}

/// Machines that look at columns beside each other, whatever the threads: sums are then the same.
const LOOKING: usize = 4;

/// A problem, solved for one λ₁ after the other. Columns are looked at by several machines of shared memory; they are moved by one that holds all:
/// beside others it would wait for them more than they could help (docs/paths.md).
pub struct Solver {
    looking: Local,
    moving: Local,
    server: PathServer,
    shared: Vec<f64>,
    rows: usize,
    precision: Precision,
    start: f64,
}

impl Solver {
    /// Deals the columns to machines on at most so many threads.
    ///
    /// # Errors
    /// If the problem has no path.
    pub fn new(problem: &Problem, precision: Precision, threads: usize) -> Result<Self> {
        check(problem)?;
        let problem = Problem { penalty: Penalty::new(problem.penalty.l2, 0.0)?, ..problem.clone() };
        let algorithm = algorithm::by_name("strads")?;
        let setting = Setting::new(&problem, algorithm.clone());
        let (outline, shared) = (setting.outline, algorithm.shared(&setting.outline));
        let start = problem.objective(&vec![0.0; problem.data.columns()]);
        let looking = Local::on_threads(setting.clone(), LOOKING, threads)?;
        let (moving, server) = (Local::new(setting, 1)?, PathServer::new(&outline));
        Ok(Self { looking, moving, server, shared, rows: outline.rows, precision, start })
    }

    /// The smallest λ₁ that leaves w at 0: to be asked first.
    ///
    /// # Errors
    /// If no column has anything to say.
    pub fn largest(&mut self) -> Result<f64> {
        let largest = self.server.largest(&mut self.looking, &self.shared)?;
        if largest > 0.0 && largest.is_finite() {
            return Ok(largest);
        }
        let what = "w = 0 is best for every λ₁: no column has anything to do with the labels, so there is no path";
        Err(Error::setting("--path", what))
    }

    /// P at w = 0.
    pub fn start(&self) -> f64 {
        self.start
    }

    /// The problem of this λ₁, from where the last one ended.
    ///
    /// # Errors
    /// If a thread is lost.
    pub fn solve(&mut self, l1: f64) -> Result<Point> {
        let began = Instant::now();
        let (precision, start) = (self.precision, self.start);
        let enough = |objective, dual| precision.is_met(objective, dual, start);
        let wanted = |objective| precision.gap(objective, start);
        let on = On { looking: &mut self.looking, moving: &mut self.moving };
        let Found { objective, dual, .. } = self.server.solve(on, &mut self.shared, l1, enough, wanted)?;
        let weights: Vec<(u32, f64)> =
            (0..).zip(&self.shared[self.rows..]).filter(|(_, w)| **w != 0.0).map(|(j, w)| (j, *w)).collect();
        Ok(Point {
            l1,
            nonzeros: weights.len(),
            objective,
            lower_bound: dual,
            gap: (objective - dual).max(0.0),
            proved: enough(objective, dual),
            seconds: began.elapsed().as_secs_f64(),
            weights,
        })
    }
}

/// A whole path. `see` is shown every point and says whether to go on.
///
/// # Errors
/// If there is no such path, or a thread is lost.
pub fn solve(problem: &Problem, asked: &Asked, mut see: impl FnMut(&Point) -> bool) -> Result<Vec<Point>> {
    let mut solver = Solver::new(problem, asked.precision, asked.threads)?;
    let grid = grid(solver.largest()?, asked)?;
    let mut points = Vec::with_capacity(grid.len());
    for l1 in grid {
        let point = solver.solve(l1)?;
        let goes_on = see(&point);
        points.push(point);
        if !goes_on {
            break;
        }
    }
    Ok(points)
}

#[cfg(test)]
mod tests;
