//! Which forms to believe: each is tried on parts of the data it has not seen, asked the way f will be asked.

use serde::{Deserialize, Serialize};

use super::super::Method;
use super::super::estimate::HALF_WIDTH;
use super::super::linalg::dot;
use super::cell::{Cell, Place, distinct};
use super::form::Form;

/// How a question lies to the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// Between the m seen.
    Inside,
    /// More machines than seen.
    Above,
    /// Fewer machines than seen.
    Below,
    /// A share of the data outside those seen.
    Resized,
}

/// What the forms of a pool are worth in one direction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Mix {
    weights: Vec<f64>,
    /// Weight cut off at either end before averaging: away from data one wild form must not lead.
    cut: f64,
    /// Standard deviation of ln(real / predicted) next to the data.
    deviation: f64,
}

/// Misses of one cell that a pool did not see.
struct Trial {
    /// ln(real / predicted), by form.
    misses: Vec<f64>,
    weight: f64,
    distance: f64,
}

/// Spread assumed where too little was seen to try anything.
const UNTESTED: f64 = 0.15;
/// Spread that is always there: clusters differ from day to day by more than their repeats show.
pub(super) const ALWAYS: f64 = 0.02;
/// Uncertainty grows by this much over a factor e from the data.
const GROWTH: f64 = 3.0;
/// Trials at the ends ask for extrapolation: they say less of what lies between.
const AT_AN_END: f64 = 0.3;
/// Trials further back in a chain of extrapolations say less of the next step.
const FURTHER_BACK: f64 = 0.8;
/// A form that misses half as much as another weighs 2⁴ times as much.
const SHARPNESS: i32 = 4;
/// Misses beyond a factor e are all equally hopeless.
const HOPELESS: f64 = 1.0;

impl Mix {
    /// Tries the pool in one direction. `pool` is the pool fitted to all cells.
    pub(super) fn fit(cells: &[Cell], pool: &[Form], method: Method, direction: Direction) -> Self {
        let mut trials = trials(cells, method, direction);
        // A part with one m has a pool of its own.
        trials.retain(|trial| trial.misses.len() == pool.len());
        let cut = if direction == Direction::Inside { 0.0 } else { 0.1 };
        let weights = match trials.is_empty() {
            true => untried(pool, direction == Direction::Resized && distinct(cells, |at| at.z).len() == 1),
            false => weigh(&trials, pool.len()),
        };
        let mut mix = Self { weights, cut, deviation: UNTESTED };
        mix.deviation = mix.spread(&trials).unwrap_or(UNTESTED);
        mix
    }

    /// ln f by all forms together.
    pub(super) fn log(&self, pool: &[Form], at: &Place) -> f64 {
        self.blend(&pool.iter().map(|form| form.log(at)).collect::<Vec<_>>())
    }

    /// Standard deviation of ln f at a distance (in ln m or ln size) from the data.
    pub(super) fn deviation(&self, distance: f64) -> f64 {
        self.deviation * (1.0 + GROWTH * distance)
    }

    /// Weighted mean, without the ends of the sorted values.
    fn blend(&self, values: &[f64]) -> f64 {
        if self.cut == 0.0 {
            return dot(values, &self.weights);
        }
        let mut sorted: Vec<(f64, f64)> = values.iter().copied().zip(self.weights.iter().copied()).collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut below, mut sum) = (0.0f64, 0.0);
        for (value, weight) in sorted {
            let kept = (below + weight).min(1.0 - self.cut) - below.max(self.cut);
            sum += value * kept.max(0.0);
            below += weight;
        }
        sum / (1.0 - 2.0 * self.cut)
    }

    /// Spread of the blend's own misses: between the root of the mean square, which tells of the worst, and the
    /// median, which tells of the usual; widened as Student's t is for few trials.
    fn spread(&self, trials: &[Trial]) -> Option<f64> {
        let near = |trial: &Trial| (self.blend(&trial.misses) / (1.0 + GROWTH * trial.distance)).abs();
        let misses: Vec<(f64, f64)> = trials.iter().map(|trial| (near(trial), trial.weight)).collect();
        let count: f64 = misses.iter().map(|miss| miss.1).sum();
        let square = misses.iter().map(|(miss, weight)| weight * miss * miss).sum::<f64>() / count;
        let usual = 1.4826 * weighted_median(misses)?;
        Some((square.sqrt() * usual + ALWAYS * ALWAYS).sqrt() * student(count.max(1.0)) / HALF_WIDTH)
    }
}

/// Equal weights; for another size where one was seen, only forms that know what size does.
fn untried(pool: &[Form], laws_only: bool) -> Vec<f64> {
    let counts = |form: &Form| !laws_only || form.is_law();
    match pool.iter().filter(|form| counts(form)).count() {
        0 => vec![1.0 / pool.len() as f64; pool.len()],
        count => pool.iter().map(|form| if counts(form) { 1.0 / count as f64 } else { 0.0 }).collect(),
    }
}

/// w ∝ (mean miss)^−4, each mean drawn to that of all forms as one more trial would.
fn weigh(trials: &[Trial], forms: usize) -> Vec<f64> {
    let count: f64 = trials.iter().map(|trial| trial.weight).sum();
    let total = |form: usize| {
        let miss = |trial: &Trial| trial.weight * trial.misses[form].abs().min(HOPELESS);
        trials.iter().map(miss).sum::<f64>()
    };
    let totals: Vec<f64> = (0..forms).map(total).collect();
    let usual = totals.iter().sum::<f64>() / forms as f64 / count;
    let weights: Vec<f64> =
        totals.iter().map(|total| ((total + usual) / (count + 1.0)).max(1e-4).powi(-SHARPNESS)).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

fn trials(cells: &[Cell], method: Method, direction: Direction) -> Vec<Trial> {
    let axis: fn(&Place) -> f64 = if direction == Direction::Resized { |at| at.z } else { |at| at.x };
    let (stops, stepped) = (distinct(cells, axis), Form::is_stepped(cells));
    let last = stops.len().saturating_sub(1);
    let mut trials = Vec::new();
    for (place, &stop) in stops.iter().enumerate() {
        let (taught, weight): (Box<dyn Fn(f64) -> bool>, f64) = match direction {
            Direction::Inside if place == 0 || place == last => (Box::new(move |at| at != stop), AT_AN_END),
            Direction::Inside => (Box::new(move |at| at != stop), 1.0),
            Direction::Below => (Box::new(move |at| at > stop), FURTHER_BACK.powi(place as i32)),
            Direction::Above | Direction::Resized => {
                (Box::new(move |at| at < stop), FURTHER_BACK.powi((last - place) as i32))
            }
        };
        let taught: Vec<Cell> = cells.iter().filter(|cell| taught(axis(&cell.place))).copied().collect();
        let seen = distinct(&taught, axis);
        // One value of the axis says nothing about another.
        if seen.len() < 2 {
            continue;
        }
        let distance = seen.iter().map(|seen| (seen - stop).abs()).fold(f64::MAX, f64::min);
        let pool = Form::pool(&taught, method, stepped);
        let tested = cells.iter().filter(|cell| axis(&cell.place) == stop);
        let weight = weight / tested.clone().count() as f64;
        let miss = |cell: &Cell| pool.iter().map(|form| cell.log - form.log(&cell.place)).collect();
        trials.extend(tested.map(|cell| Trial { misses: miss(cell), weight, distance }));
    }
    trials
}

fn weighted_median(mut values: Vec<(f64, f64)>) -> Option<f64> {
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = 0.5 * values.iter().map(|value| value.1).sum::<f64>();
    let mut below = 0.0;
    let reached = |value: &&(f64, f64)| {
        below += value.1;
        below >= half
    };
    values.iter().find(reached).or(values.last()).map(|value| value.0)
}

/// The 95 % point of Student's t with ν degrees of freedom (Cornish and Fisher's expansion).
fn student(nu: f64) -> f64 {
    let z = HALF_WIDTH;
    let first = (z.powi(3) + z) / 4.0;
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    z + first / nu + second / (nu * nu)
}
