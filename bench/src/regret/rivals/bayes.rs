//! Bayesian optimisation over (algorithm, m), as CherryPick does for machine types, for as much probing as `train` spent.
//!
//! A trial gives a configuration two rounds from nothing, or two more where it has had some. What is observed is ln of the
//! seconds the whole run would take if the error went on falling as fast as it has on the whole. Of the other ways to look ahead
//! that were tried (the last round alone, powers of the rounds, longer trials) none did better throughout: powers of the
//! rounds with trials of three had a lower median, but a worse 90 %. A Gaussian process over all observations says where
//! the next trial is expected to improve most on the best. Trials end when they have cost what the probes of `train` did,
//! but not before there were three; or, after six, when less than a tenth is to be gained. Then the run that seems to have
//! the least ahead of it is continued to the end.
//!
//! Two things favour it: its extrapolations know P*, and work done in trials is kept by the run that did it. Rows are
//! moved from trial to trial, and that is counted, as it is for `train`.

use super::super::field::{Field, Point, Run};
use super::super::oracle::Seconds;
use super::Attempt;
use super::process::{Place, Process};

/// Rounds of a trial.
const TRIAL: u64 = 2;
/// Trials before the budget counts: one for each third of the numbers of machines.
const FIRST: usize = 3;
/// Trials after which little to gain ends the search, and how little, in ln seconds.
const ENOUGH: (usize, f64) = (6, 0.1);
/// The least that the error is thought to fall in a round, in ln.
const LEAST_FALL: f64 = 0.01;

/// Plays with so many seconds of probing.
pub fn play(field: &Field, budget: f64) -> Attempt {
    let mut search = Search::new(field);
    let met = search.explore(budget);
    let took = if met { Seconds::Exactly(search.spent) } else { search.finish() };
    Attempt { took, probing: search.probing }
}

struct Search<'a> {
    field: &'a Field,
    /// By algorithm, then by number of machines.
    arms: Vec<Arm<'a>>,
    /// Where the rows are.
    machines: Option<usize>,
    trials: usize,
    spent: f64,
    probing: f64,
}

/// A configuration and what is known of it.
struct Arm<'a> {
    run: &'a Run,
    place: Place,
    /// How far it has been followed.
    at: usize,
    /// Seconds to expect from there on.
    ahead: Option<f64>,
}

impl<'a> Search<'a> {
    fn new(field: &'a Field) -> Self {
        let mut names: Vec<&str> = field.runs.iter().map(|run| run.config.algorithm.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let number = |run: &Run| names.iter().position(|name| *name == run.config.algorithm).unwrap_or(0);
        let place = |run: &Run| (number(run), (run.config.machines as f64).log2());
        let mut arms: Vec<Arm<'_>> =
            field.runs.iter().map(|run| Arm { run, place: place(run), at: 0, ahead: None }).collect();
        arms.sort_by_key(|arm| (arm.place.0, arm.run.config.machines));
        Self { field, arms, machines: None, trials: 0, spent: 0.0, probing: 0.0 }
    }

    /// Trials until they are paid for or pointless; whether one met the goal.
    fn explore(&mut self, budget: f64) -> bool {
        while self.trials < FIRST || self.probing < budget {
            let Some(arm) = self.next() else { return false };
            if self.try_out(arm) {
                return true;
            }
        }
        false
    }

    /// What to try next, if anything is worth it.
    fn next(&self) -> Option<usize> {
        if self.trials < FIRST {
            return self.first(self.trials);
        }
        let seen: Vec<(Place, f64)> = self.arms.iter().filter_map(|arm| Some((arm.place, arm.whole()?.ln()))).collect();
        let least = seen.iter().map(|(_, y)| *y).fold(f64::INFINITY, f64::min);
        let process = Process::fit(&seen)?;
        let open = self.arms.iter().enumerate().filter(|(_, arm)| arm.after_trial().is_some());
        let gains = open.map(|(k, arm)| (k, process.improvement(arm.place, least)));
        let (best, gain) = gains.max_by(|a, b| a.1.total_cmp(&b.1))?;
        (self.trials < ENOUGH.0 || gain >= ENOUGH.1).then_some(best)
    }

    /// The algorithms in turn, in the middle of each third of the numbers of machines.
    fn first(&self, trial: usize) -> Option<usize> {
        let algorithms = self.arms.last()?.place.0 + 1;
        let own = |(_, arm): &(usize, &Arm<'_>)| arm.place.0 == trial % algorithms && arm.after_trial().is_some();
        let own: Vec<usize> = self.arms.iter().enumerate().filter(own).map(|(k, _)| k).collect();
        own.get((2 * trial + 1) * own.len() / (2 * FIRST)).copied()
    }

    /// Whether the trial met the goal.
    fn try_out(&mut self, k: usize) -> bool {
        let before = self.spent;
        let met = self.follow(k, self.arms[k].after_trial());
        self.trials += 1;
        self.probing += self.spent - before;
        if met {
            self.probing -= self.arms[k].trained();
        }
        met
    }

    /// Continues a run to a point, or to the goal if that comes first; whether it did.
    fn follow(&mut self, k: usize, until: Option<usize>) -> bool {
        let arm = &mut self.arms[k];
        let machines = arm.run.config.machines;
        self.spent += self.machines.map_or(0.0, |from| self.field.moving(from, machines));
        self.machines = Some(machines);
        let goal = arm.run.place_of(self.field.error);
        let until = until.unwrap_or(arm.run.points.len() - 1);
        let to = goal.map_or(until, |goal| goal.min(until));
        self.spent += arm.run.points[to].seconds - arm.trained();
        arm.at = to;
        arm.ahead = Some(ahead(&arm.run.points[0], &arm.run.points[to], self.field.error));
        goal == Some(to)
    }

    /// Trains what seems nearest to its end; its rounds in trials were no waste.
    fn finish(&mut self) -> Seconds {
        let ahead = |arm: &Arm<'_>| arm.ahead.unwrap_or(f64::INFINITY) + self.moving_to(arm);
        let order = |a: &usize, b: &usize| ahead(&self.arms[*a]).total_cmp(&ahead(&self.arms[*b]));
        let Some(pick) = (0..self.arms.len()).min_by(order) else { return Seconds::Exactly(f64::INFINITY) };
        self.probing -= self.arms[pick].trained();
        if self.follow(pick, None) { Seconds::Exactly(self.spent) } else { Seconds::AtLeast(self.spent) }
    }

    fn moving_to(&self, arm: &Arm<'_>) -> f64 {
        self.machines.map_or(0.0, |from| self.field.moving(from, arm.run.config.machines))
    }
}

impl Arm<'_> {
    /// The point where one more trial, or else its tape, would end; nothing if that is where it stands.
    fn after_trial(&self) -> Option<usize> {
        let points = &self.run.points;
        let until = points[self.at].round + TRIAL;
        let place = points.partition_point(|point| point.round < until).min(points.len() - 1);
        (place > self.at).then_some(place)
    }

    /// Seconds it has had.
    fn trained(&self) -> f64 {
        self.run.points[self.at].seconds
    }

    /// Seconds to expect of the whole run.
    fn whole(&self) -> Option<f64> {
        Some(self.trained() + self.ahead?)
    }
}

/// Seconds from a point to the goal if the error goes on falling as between these two.
fn ahead(from: &Point, to: &Point, goal: f64) -> f64 {
    let rounds = (to.round - from.round).max(1) as f64;
    let fall = (from.error / to.error).ln().max(LEAST_FALL * rounds);
    (to.error / goal).ln().max(0.0) * (to.seconds - from.seconds) / fall
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regret::field::tests::{field, run};

    /// Rounds of both algorithms are shortest on 8 machines; one needs half the rounds of the other.
    fn valley() -> Field {
        let seconds = |machines: usize| 1.0 + ((machines as f64).log2() - 3.0).powi(2);
        let sizes = [1, 2, 4, 8, 16, 32, 64];
        let of = |name: &'static str, share: f64| sizes.map(|m| run(name, m, seconds(m), share));
        field(of("slow", 0.5).into_iter().chain(of("quick", 0.25)).collect(), 1e-4)
    }

    #[test]
    fn more_trials_find_the_valley() {
        let field = valley();
        let found = |budget: f64| {
            let mut search = Search::new(&field);
            assert!(!search.explore(budget));
            search.finish();
            search.arms.iter().max_by_key(|arm| arm.at).map(|arm| arm.run.config.to_string())
        };
        assert_eq!(found(100.0).as_deref(), Some("quick m=8"));
    }

    #[test]
    fn all_seconds_are_counted() {
        let attempt = play(&valley(), 0.0);
        let Seconds::Exactly(took) = attempt.took else { panic!("not followed to the end") };
        assert!(attempt.probing > 0.0);
        // Seven rounds at the least, beside what was left again.
        assert!(took >= 7.0 + attempt.probing - 1e-9, "{took} {}", attempt.probing);
    }

    #[test]
    fn an_even_fall_is_foreseen_exactly() {
        let run = run("cocoa", 1, 2.0, 0.5);
        let to_go = ahead(&run.points[1], &run.points[3], 1.0 / 128.0);
        assert!((to_go - 8.0).abs() < 1e-9, "{to_go}");
    }
}
