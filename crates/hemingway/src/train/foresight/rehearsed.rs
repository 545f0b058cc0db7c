//! What algorithms needed on a few rows, as evidence of what they will need on all.

use super::World;
use crate::algorithm;
use crate::backend::Rehearsal;
use crate::model::Level;

/// ln(rounds on all rows / rounds on a few), mean and standard deviation, from so many rows for each column on
/// (`regret rehearsals`): of methods paced by rows at the same error, whose λ is another there, and of those paced by λ at
/// the same part of the way. Few rows miss how columns go together, or are over before that matters.
const BY_ROWS: [(f64, f64, f64); 3] = [(1.0, 0.0, 0.35), (0.25, 0.5, 0.5), (0.0, 1.5, 1.1)];
const BY_SHAPE: [(f64, f64, f64); 3] = [(4.0, -0.3, 0.3), (0.125, -0.75, 0.65), (0.0, -0.15, 0.5)];
/// What the first half of a run tells less than all of it: variance.
const HALF: f64 = 0.3;
/// P* is likely so far into the gap between the best value and the bound, and a level is known that is so many gaps above.
const WITHIN: f64 = 0.3;
const CLEAR: f64 = 2.0;

/// A level that an algorithm reached on a few rows.
pub(super) struct Heard {
    algorithm: String,
    /// ln 1/ε of those rows, for methods that are compared at the same error; X of the others.
    depth: f64,
    at_error: bool,
    /// What it should take on all rows.
    rounds: f64,
    /// Variance of ln rounds.
    blur: f64,
}

impl Heard {
    /// What rehearsals on rows of so many columns say of these algorithms.
    pub(super) fn all(rehearsals: &[Rehearsal], algorithms: &[String], columns: usize) -> Vec<Self> {
        let heard = |rehearsal: &Rehearsal| {
            let same = |name: &&String| algorithm::alone(name).as_ref() == Some(&rehearsal.algorithm);
            let levels = Self::of(rehearsal, columns);
            let named = |name: &String| {
                let own =
                    |(depth, at_error, rounds, blur)| Self { algorithm: name.clone(), depth, at_error, rounds, blur };
                levels.iter().copied().map(own).collect::<Vec<_>>()
            };
            algorithms.iter().filter(same).flat_map(named).collect::<Vec<_>>()
        };
        rehearsals.iter().flat_map(heard).collect()
    }

    fn of(rehearsal: &Rehearsal, columns: usize) -> Vec<(f64, bool, f64, f64)> {
        let by_rows = algorithm::by_name(&rehearsal.algorithm).is_ok_and(|algorithm| algorithm.paced_by_rows());
        let for_each = rehearsal.rows as f64 / columns.max(1) as f64;
        let table = if by_rows { BY_ROWS } else { BY_SHAPE };
        let (_, more, off) = table.into_iter().find(|row| for_each >= row.0).unwrap_or(table[2]);
        let levels = levels(rehearsal, by_rows).into_iter().enumerate();
        levels.map(|(k, (depth, rounds))| (depth, by_rows, rounds * more.exp(), off * off + k as f64 * HALF)).collect()
    }

    /// Tells a world of it.
    pub(super) fn tell(&self, world: &mut World) {
        let before = if self.at_error { world.start().0 } else { 0.0 };
        let level = Level { algorithm: &self.algorithm, machines: 1, depth: (self.depth + before).max(0.0) };
        world.expectation.see(level, self.rounds, 0.0, self.blur);
    }
}

/// The deepest level it surely reached, and one half as deep: (ln 1/ε or X, rounds).
fn levels(rehearsal: &Rehearsal, at_error: bool) -> Vec<(f64, f64)> {
    let Some((_, best)) = rehearsal.points.last() else { return Vec::new() };
    let gap = (best - rehearsal.bound).max(0.0);
    let optimum = best - WITHIN * gap;
    if optimum <= 0.0 {
        return Vec::new();
    }
    let from = if at_error { optimum } else { rehearsal.points[0].1 - optimum };
    let clear = rehearsal.points.iter().filter(|(round, p)| *round > 0 && p - optimum > CLEAR * gap);
    let levels: Vec<(f64, f64)> =
        clear.map(|(round, p)| ((from / (p - optimum)).ln(), *round as f64)).filter(|level| level.0 > 0.5).collect();
    let Some(&deepest) = levels.last() else { return Vec::new() };
    let half = levels.iter().copied().find(|level| level.0 >= 0.5 * deepest.0);
    [deepest].into_iter().chain(half.filter(|half| half.1 < deepest.1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Expectation;

    /// An error of e^−(round / 10) on 256 rows, proved to a tenth of its last.
    fn rehearsal(algorithm: &str, rounds: u64) -> Rehearsal {
        let error = |round: u64| (-0.1 * round as f64).exp();
        let points: Vec<(u64, f64)> = (0..=rounds).map(|round| (round, 0.5 * (1.0 + error(round)))).collect();
        let bound = 0.5 * (1.0 - 0.1 * error(rounds));
        Rehearsal { algorithm: algorithm.into(), rows: 256, points, bound, seconds: 1.0, eval_seconds: 1.0 }
    }

    #[test]
    fn levels_are_those_that_the_gap_leaves_clear() {
        for at_error in [true, false] {
            let levels = |rehearsal: &Rehearsal| levels(rehearsal, at_error);
            let [(deep, late), (half, early)] = levels(&rehearsal("cocoa", 60))[..] else { panic!() };
            assert!((deep - 0.1 * late).abs() < 0.35 && deep < 6.0, "{deep} at {late}");
            assert!(half >= 0.5 * deep && early < late);
            assert!(levels(&rehearsal("cocoa", 1)).is_empty());
            assert!(levels(&Rehearsal { points: Vec::new(), ..rehearsal("cocoa", 1) }).is_empty());
        }
    }

    #[test]
    fn what_is_the_same_on_one_machine_is_told_too_and_nothing_else() {
        let names: Vec<String> = ["cocoa", "cocoa+", "lbfgs"].map(String::from).into();
        let traits = crate::job::Lore::default().traits;
        let before = crate::model::Precedents::none().expect(&traits, &names);
        // P(0) is twice P*: an error of 1 is where runs begin.
        let mut world = World::at((1.0, 0.5), before.clone());
        Heard::all(&[rehearsal("cocoa", 60)], &names, 100).iter().for_each(|heard| heard.tell(&mut world));
        let ln_rounds = |expectation: &Expectation, algorithm: &str| {
            expectation.ln_rounds(Level { algorithm, machines: 1, depth: 5.0 }).unwrap()
        };
        let (was, is) = (ln_rounds(&before, "cocoa"), ln_rounds(&world.expectation, "cocoa"));
        assert!((is - 50f64.ln()).abs() < (was - 50f64.ln()).abs(), "{was} {is}");
        assert!((is - ln_rounds(&world.expectation, "cocoa+")).abs() < 1e-9);
        assert_eq!(ln_rounds(&before, "lbfgs"), ln_rounds(&world.expectation, "lbfgs"));
    }
}
