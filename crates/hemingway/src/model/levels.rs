//! Our g: the rounds i_ε(m) each level of error takes, instead of the error each round leaves.
//!
//! Along a level every m counts alike, however fast or slow it is; rounds over m follow simple laws (constant for
//! methods whose steps do not depend on m, towards linear for those that average); and a level that is reached gets a
//! finite answer.

mod end;
mod forecast;
mod law;
mod table;

use serde::{Deserialize, Serialize};

use super::convergence::Curves;
use super::estimate::{Estimate, HALF_WIDTH, Reach};
use super::prior::Growth;
use end::End;
use law::Law;
use table::Table;

/// Rounds to every level of a grid, as a function of m.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct LevelSets {
    /// ln error at round 0.
    start: f64,
    /// ln error of the levels, falling.
    levels: Vec<f64>,
    /// The law of each level.
    laws: Vec<Law>,
    /// What each m itself took, filled up by the others where it stopped early.
    seen: Vec<Seen>,
    /// Standard deviation of ln(real / predicted) for an m left out.
    deviation: f64,
    /// The power of m that the rounds grow by, where several m show it.
    pub(super) growth: Option<f64>,
    /// The same by earlier problems, for where one m does not.
    #[serde(default)]
    pub(super) prior: Option<Growth>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Seen {
    machines: usize,
    rounds: Vec<f64>,
    /// ln error below which it made no more progress.
    floor: Option<f64>,
    /// Where its runs stand.
    end: Option<End>,
}

/// How many times faster than over the whole run progress may be at its end.
const LEAP: f64 = 4.0;
/// Spread of rounds between m, before three m have shown it.
const UNTESTED: f64 = 0.25;
/// A fold has one m fewer than the model and its ends are extrapolated: it errs by more. Calibrated
/// over the pooled folds of `eval_g`.
const FOLDED: f64 = 0.85;
/// Repeats differ by at least this.
const LEAST: f64 = 0.03;

impl LevelSets {
    /// Fits curves of falling error; `None` if nothing ever fell. `unsure` is the error within which P* is known.
    pub(super) fn fit(curves: &[Curves], start: f64, unsure: f64) -> Option<Self> {
        let table = Table::of(curves, start)?;
        let growth = table.growth();
        let falling = growth.is_some_and(|growth| growth < -0.05);
        let laws = table.laws(falling);
        let deviation = table.left_out_spread(falling).map_or(UNTESTED, |spread| FOLDED * spread).max(LEAST);
        let floor = |curves: &Curves| floor(curves).filter(|floor| floor.exp() > 4.0 * unsure);
        let seen = curves.iter().zip(&table.rows);
        let seen = seen.map(|(curves, row)| Seen {
            machines: curves.machines,
            rounds: row.iter().map(|cell| cell.rounds).collect(),
            floor: floor(curves),
            end: End::of(curves),
        });
        let seen = seen.collect();
        Some(Self { start, levels: table.levels, laws, seen, deviation, growth, prior: None })
    }

    pub(super) fn rounds_to(&self, error: f64, machines: usize) -> Reach {
        let level = error.ln();
        if self.nearest(machines).floor.is_some_and(|floor| level < floor - 0.2) {
            return Reach::Never;
        }
        let path = self.path(machines);
        let deviation = self.deviation_at(machines);
        let end = self.end(machines);
        let [low, mid, high] = [-0.3, 0.0, 0.5].map(|bend| {
            let far = self.rounds_at(&path, level, bend);
            end.map_or(far, |end| end.correct_rounds(level, far, |rounds| self.level_at(&path, rounds, bend)))
        });
        let estimate = Estimate::log_normal(mid, deviation, level < self.last_level());
        let estimate = estimate.including(low / (deviation).exp(), high * deviation.exp());
        Reach::At(self.one_size(estimate, machines))
    }

    pub(super) fn error_after(&self, rounds: f64, machines: usize) -> Estimate {
        let path = self.path(machines);
        let floor = self.nearest(machines).floor.unwrap_or(f64::NEG_INFINITY);
        let end = self.end(machines);
        let level = |rounds: f64| {
            let level = self.level_at(&path, rounds, 0.0);
            end.map_or(level, |end| end.correct(rounds, level)).max(floor).exp()
        };
        let mid = level(rounds);
        // What is uncertain is how many rounds a level takes: the error interval is the curve over the round interval.
        let span = Estimate::log_normal(rounds, self.deviation_at(machines), false);
        let span = self.one_size(span, machines);
        let extrapolated = mid.ln() < self.last_level();
        Estimate { low: level(span.high), mid, high: level(span.low), extrapolated }
    }

    /// With a single m the law in m is assumed: by earlier problems, or ∝ √m, when anything from constant to linear
    /// remains possible.
    fn one_size(&self, estimate: Estimate, machines: usize) -> Estimate {
        let apart = (machines as f64 / self.nearest(machines).machines as f64).ln().abs();
        if self.seen.len() > 1 || apart == 0.0 {
            return estimate;
        }
        let doubt = self.prior.map_or(0.5, |prior| HALF_WIDTH * prior.spread);
        let width = (doubt * apart).exp();
        Estimate { low: estimate.low / width, high: estimate.high * width, extrapolated: true, ..estimate }
    }

    /// What earlier problems make of the √m assumed for a single m.
    fn by_prior(&self, machines: usize) -> f64 {
        let [one] = &self.seen[..] else { return 1.0 };
        let ratio = machines as f64 / one.machines as f64;
        self.prior.map_or(1.0, |prior| ratio.powf(prior.power - 0.5))
    }

    fn last_level(&self) -> f64 {
        self.levels[self.levels.len() - 1]
    }

    fn nearest(&self, machines: usize) -> &Seen {
        let away = |seen: &&Seen| (machines as f64 / seen.machines as f64).ln().abs();
        let nearest = self.seen.iter().min_by(|a, b| away(a).total_cmp(&away(b)));
        nearest.unwrap_or(&self.seen[0])
    }

    /// Where the runs of this very m stand.
    fn end(&self, machines: usize) -> Option<&End> {
        self.seen.iter().find(|seen| seen.machines == machines)?.end.as_ref()
    }

    fn deviation_at(&self, machines: usize) -> f64 {
        let nearest = self.nearest(machines).machines;
        if nearest == machines {
            return (0.3 * self.deviation).max(LEAST);
        }
        self.deviation * (1.0 + (machines as f64 / nearest as f64).ln().abs() / 2.0)
    }

    /// (ln error, rounds) from the start down the levels on m machines: its own where seen, else by the laws.
    fn path(&self, machines: usize) -> Vec<(f64, f64)> {
        let own = self.seen.iter().find(|seen| seen.machines == machines);
        let prior = self.by_prior(machines);
        let law = |place: usize| prior * self.laws[place].rounds(machines);
        let mut rounds = 0.0f64;
        let mut path = vec![(self.start, 0.0)];
        for (place, &level) in self.levels.iter().enumerate() {
            rounds = rounds.max(own.map_or_else(|| law(place), |own| own.rounds[place]));
            path.push((level, rounds));
        }
        path
    }

    /// Rounds to a level: between the grid's by interpolation, below them by the rate of the last ones. A rate is the
    /// factor by which each further span of levels takes longer than the one before: 1 for linear convergence, more for
    /// sublinear; `bend` raises or lowers it to span what is plausible.
    fn rounds_at(&self, path: &[(f64, f64)], level: f64, bend: f64) -> f64 {
        let last = path[path.len() - 1];
        if level >= last.0 {
            return between(path, level);
        }
        let (first, step, growth) = tail(path, bend);
        let spans = (last.0 - level) / step;
        let grown = if (growth - 1.0).abs() < 1e-9 { spans } else { (growth.powf(spans) - 1.0) / (growth - 1.0) };
        last.1 + first * growth * grown
    }

    /// The level after so many rounds: the inverse of [`Self::rounds_at`].
    fn level_at(&self, path: &[(f64, f64)], rounds: f64, bend: f64) -> f64 {
        let rounds = rounds.max(0.0);
        let last = path[path.len() - 1];
        if rounds < last.1 {
            let after = path.partition_point(|step| step.1 <= rounds).max(1);
            let (before, after) = (path[after - 1], path[after]);
            return before.0 + (rounds - before.1) / (after.1 - before.1) * (after.0 - before.0);
        }
        let (first, step, growth) = tail(path, bend);
        let share = (rounds - last.1) / (first * growth).max(1e-9);
        let grown = 1.0 + share * (growth - 1.0);
        // A superlinear tail gets anywhere in finitely many rounds; sixty units of ln error are anywhere.
        let spans = if (growth - 1.0).abs() < 1e-9 { share } else { grown.max(0.0).ln() / growth.ln() };
        last.0 - (spans * step).clamp(0.0, 60.0)
    }
}

/// Linear interpolation of rounds over falling levels.
fn between(path: &[(f64, f64)], level: f64) -> f64 {
    let after = path.partition_point(|step| step.0 > level);
    match after {
        0 => 0.0,
        _ if after == path.len() => path[after - 1].1,
        _ => {
            let (before, after) = (path[after - 1], path[after]);
            let share = (before.0 - level) / (before.0 - after.0).max(1e-300);
            before.1 + share * (after.1 - before.1)
        }
    }
}

/// Rounds of the last span of levels, its width, and how much longer each span takes than the one before.
fn tail(path: &[(f64, f64)], bend: f64) -> (f64, f64, f64) {
    let (top, last) = (path[0], path[path.len() - 1]);
    let step = ((top.0 - last.0) / 3.0).clamp(1e-9, 4f64.ln());
    let one = between(path, last.0 + step);
    let two = between(path, last.0 + 2.0 * step);
    // A leap across the last levels is luck, not a pace: nothing goes on many times faster than all that was seen.
    let average = last.1 * step / (top.0 - last.0).max(step);
    let (newer, older) = ((last.1 - one).max(average / LEAP), one - two);
    // Between slightly superlinear and 1/√i, whose levels take e² times the rounds per unit of ln error. A run that has
    // fallen little yet and falls faster and faster says nothing about how that goes on.
    let growth = if older > 0.0 { newer / older } else { 1.0 };
    (newer, step, (growth.clamp((-0.2 * step).exp(), (2.0 * step).exp()).ln() + bend * step).exp())
}

/// Where progress ended: the ln error reached, if the second half of a long enough run gained next to nothing.
fn floor(curves: &Curves) -> Option<f64> {
    let floors = curves.runs.iter().map(|run| {
        let best = |until: f64| run.iter().filter(|p| p.0 <= until).map(|p| p.1).fold(f64::INFINITY, f64::min);
        let (half, whole) = (best(0.5 * curves.last), best(curves.last));
        (run.len() >= 16 && half - whole < 0.05).then_some(whole)
    });
    floors.collect::<Option<Vec<f64>>>()?.into_iter().min_by(f64::total_cmp)
}
