//! The number of machines chosen on-line, as Splash does: try a few, keep the one that gains most, ask again later.
//!
//! One algorithm, at first on about √M of M machines. A trial gives a round to the present m, to half and to twice as many
//! (Splash's factor of four serves it slightly worse), each from the present model. The one that lowers P most per second
//! keeps its round; the others are undone, but their seconds count. It then goes on alone for one round, and for twice as
//! many after every trial that it wins again; one after a change. Candidates run one after the other: Splash's groups work
//! side by side, but each on rows of its own, and these algorithms need all rows.
//!
//! Three things favour it. A run that is continued on other machines goes on as if it had come to the present P on these
//! from the start: its tape is entered where it is first as low. Rows move for nothing. And P takes the place of a held-out
//! loss, so that no choice is spoiled by noise.

use super::super::field::{Field, Run};
use super::super::oracle::Seconds;
use super::Attempt;

/// Plays one algorithm; nothing if it has no run here.
pub fn play(field: &Field, algorithm: &str) -> Option<Attempt> {
    let mut runs: Vec<&Run> = field.runs.iter().filter(|run| run.config.algorithm == algorithm).collect();
    runs.sort_by_key(|run| run.config.machines);
    let error = runs.first()?.points[0].error;
    let mut game = Game { goal: field.error, now: runs.len() / 2, runs, place: 0, error, spent: 0.0, probing: 0.0 };
    let took = game.play();
    Some(Attempt { took, probing: game.probing })
}

struct Game<'a> {
    goal: f64,
    /// By number of machines.
    runs: Vec<&'a Run>,
    /// Which of them is followed, and how far it is.
    now: usize,
    place: usize,
    /// Of the model that is kept.
    error: f64,
    spent: f64,
    probing: f64,
}

/// A round of one candidate.
struct Round {
    run: usize,
    /// Where it ends.
    place: usize,
    seconds: f64,
    error: f64,
}

impl Game<'_> {
    fn play(&mut self) -> Seconds {
        let mut alone = 1;
        loop {
            let before = self.now;
            match self.compare() {
                Some(true) => return Seconds::Exactly(self.spent),
                Some(false) => {}
                None => return Seconds::AtLeast(self.spent),
            }
            alone = if self.now == before { 2 * alone } else { 1 };
            if self.go_on(alone) {
                return Seconds::Exactly(self.spent);
            }
        }
    }

    /// A trial; whether it met the goal, or nothing if no candidate was followed any further.
    fn compare(&mut self) -> Option<bool> {
        let sides = [self.now.saturating_sub(1), (self.now + 1).min(self.runs.len() - 1)];
        let others = sides.into_iter().filter(|run| *run != self.now);
        let rounds: Vec<Round> = std::iter::once(self.now).chain(others).filter_map(|run| self.round(run)).collect();
        for round in &rounds {
            self.spent += round.seconds;
            if round.error <= self.goal {
                return Some(true);
            }
            self.probing += round.seconds;
        }
        let gain = |round: &Round| (self.error - round.error) / round.seconds;
        // The first of equals is the present one.
        let best = rounds.into_iter().rev().max_by(|a, b| gain(a).total_cmp(&gain(b)))?;
        self.probing -= best.seconds;
        self.keep(&best);
        Some(false)
    }

    /// So many rounds without asking; whether they met the goal.
    fn go_on(&mut self, rounds: u64) -> bool {
        for _ in 0..rounds {
            let Some(round) = self.round(self.now) else { return false };
            self.spent += round.seconds;
            self.keep(&round);
            if self.error <= self.goal {
                return true;
            }
        }
        false
    }

    /// The next round of a run from the present model.
    fn round(&self, run: usize) -> Option<Round> {
        let points = &self.runs[run].points;
        let from = if run == self.now { self.place } else { self.runs[run].place_of(self.error)? };
        let to = points.get(from + 1)?;
        let seconds = to.seconds - points[from].seconds;
        Some(Round { run, place: from + 1, seconds, error: to.error.min(self.error) })
    }

    fn keep(&mut self, round: &Round) {
        (self.now, self.place, self.error) = (round.run, round.place, round.error);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regret::field::tests::{field, run};

    #[test]
    fn finds_more_machines_when_rounds_are_shorter_there() {
        let slow = run("cocoa", 1, 1.0, 0.5);
        let quick = run("cocoa", 4, 0.25, 0.5);
        let attempt = play(&field(vec![slow, run("cocoa", 2, 0.9, 0.5), quick], 1e-3), "cocoa").unwrap();
        let Seconds::Exactly(took) = attempt.took else { panic!("not followed to the end") };
        // Ten rounds of a quarter second reach 1e-3.
        assert!(took > 2.5 + attempt.probing - 1e-9, "{took}");
        assert!(took < 10.0, "{took}");
    }

    #[test]
    fn a_tape_that_ends_early_gives_a_bound() {
        let mut short = run("cocoa", 1, 1.0, 0.5);
        short.points.truncate(4);
        let attempt = play(&field(vec![short], 1e-3), "cocoa").unwrap();
        assert_eq!(attempt.took, Seconds::AtLeast(3.0));
        assert!(play(&field(Vec::new(), 1e-3), "cocoa").is_none());
    }
}
