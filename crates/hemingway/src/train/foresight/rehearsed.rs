//! What algorithms needed on a few rows, as evidence of what they will need on all.

use crate::algorithm;
use crate::backend::Rehearsal;
use crate::model::{Expectation, Level};

/// ln(rounds on all rows / rounds on a few), mean and standard deviation, where rows are no fewer than columns and where
/// they are and miss how columns go together: of methods paced by rows, and of those paced by λ (`regret rehearsals`).
const BY_ROWS: [(f64, f64); 2] = [(0.0, 0.35), (1.0, 1.0)];
const BY_SHAPE: [(f64, f64); 2] = [(-0.5, 0.6), (0.2, 0.8)];
/// What the first half of a run tells less than all of it: variance.
const HALF: f64 = 0.3;
/// P* is likely so far into the gap between the best value and the bound, and a level is known that is so many gaps above.
const WITHIN: f64 = 0.3;
const CLEAR: f64 = 2.0;

/// Tells an expectation of these algorithms of every rehearsal on rows of so many columns.
pub(super) fn tell(expectation: &mut Expectation, rehearsals: &[Rehearsal], algorithms: &[String], columns: usize) {
    for rehearsal in rehearsals {
        let same = |name: &&String| algorithm::alone(name) == Some(&rehearsal.algorithm);
        let (more, off) = off(rehearsal, columns);
        for name in algorithms.iter().filter(same) {
            for (k, (depth, rounds)) in levels(rehearsal).into_iter().enumerate() {
                let level = Level { algorithm: name, machines: 1, depth };
                expectation.see(level, rounds * more.exp(), 0.0, off.powi(2) + k as f64 * HALF);
            }
        }
    }
}

fn off(rehearsal: &Rehearsal, columns: usize) -> (f64, f64) {
    let by_rows = algorithm::by_name(&rehearsal.algorithm).is_ok_and(|algorithm| algorithm.paced_by_rows());
    let thin = usize::from(rehearsal.rows < columns);
    if by_rows { BY_ROWS[thin] } else { BY_SHAPE[thin] }
}

/// The deepest level it surely reached, and one half as deep: (X, rounds).
fn levels(rehearsal: &Rehearsal) -> Vec<(f64, f64)> {
    let Some((_, best)) = rehearsal.points.last() else { return Vec::new() };
    let gap = (best - rehearsal.bound).max(0.0);
    let optimum = best - WITHIN * gap;
    if optimum <= 0.0 {
        return Vec::new();
    }
    let clear = rehearsal.points.iter().filter(|(round, p)| *round > 0 && p - optimum > CLEAR * gap);
    let levels: Vec<(f64, f64)> = clear
        .map(|(round, p)| (-((p - optimum) / optimum).ln(), *round as f64))
        .filter(|level| level.0 > 0.5)
        .collect();
    let Some(&deepest) = levels.last() else { return Vec::new() };
    let half = levels.iter().copied().find(|level| level.0 >= 0.5 * deepest.0);
    [deepest].into_iter().chain(half.filter(|half| half.1 < deepest.1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An error of e^−(round / 10) on 256 rows, proved to a tenth of its last.
    fn rehearsal(algorithm: &str, rounds: u64) -> Rehearsal {
        let error = |round: u64| (-0.1 * round as f64).exp();
        let points: Vec<(u64, f64)> = (0..=rounds).map(|round| (round, 0.5 * (1.0 + error(round)))).collect();
        let bound = 0.5 * (1.0 - 0.1 * error(rounds));
        Rehearsal { algorithm: algorithm.into(), rows: 256, points, bound, seconds: 1.0, eval_seconds: 1.0 }
    }

    #[test]
    fn levels_are_those_that_the_gap_leaves_clear() {
        let [(deep, late), (half, early)] = levels(&rehearsal("cocoa", 60))[..] else { panic!() };
        assert!((deep - 0.1 * late).abs() < 0.35 && deep < 6.0, "{deep} at {late}");
        assert!(half >= 0.5 * deep && early < late);
        assert!(levels(&rehearsal("cocoa", 1)).is_empty());
        assert!(levels(&Rehearsal { points: Vec::new(), ..rehearsal("cocoa", 1) }).is_empty());
    }

    #[test]
    fn what_is_the_same_on_one_machine_is_told_too_and_nothing_else() {
        let names: Vec<String> = ["cocoa", "cocoa+", "lbfgs"].map(String::from).into();
        let traits = crate::job::Lore::default().traits;
        let before = crate::model::Precedents::none().expect(&traits, &names);
        let mut after = before.clone();
        tell(&mut after, &[rehearsal("cocoa", 60)], &names, 100);
        let ln_rounds = |expectation: &Expectation, algorithm: &str| {
            expectation.ln_rounds(Level { algorithm, machines: 1, depth: 5.0 }).unwrap()
        };
        let (was, is) = (ln_rounds(&before, "cocoa"), ln_rounds(&after, "cocoa"));
        assert!((is - 50f64.ln()).abs() < (was - 50f64.ln()).abs(), "{was} {is}");
        assert!((is - ln_rounds(&after, "cocoa+")).abs() < 1e-9);
        assert_eq!(ln_rounds(&before, "lbfgs"), ln_rounds(&after, "lbfgs"));
    }
}
