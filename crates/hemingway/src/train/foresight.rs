//! What every configuration would take from here: rounds by earlier problems and by this one's own runs, seconds by every
//! round timed so far.

mod curves;
mod moving;
mod outlived;
mod prospect;
mod recalled;
mod rehearsed;
pub(super) mod timings;

use std::sync::Arc;

use super::{ADOPTION, History, Start};
use crate::algorithm::{self, Algorithm, Costs, Support};
use crate::backend::Config;
use crate::goal::Goal;
use crate::model::normal::Direction;
use crate::model::{Estimate, Expectation, Kin, Level, Pace, Toil, Traits, stage, stage_slope};
use curves::{Stretch, World};
pub(super) use prospect::Prospect;
use prospect::machines_for;
use rehearsed::Heard;

/// The error of what is at its end, but for rounding.
const AT_THE_END: f64 = 1e-9;
/// The least that is left to do, in ln rounds.
const LEAST_AHEAD: f64 = 0.02;
/// How far off an adopted model's pace is from that of the run it would have come out of: ln mean, and variance.
const ADOPTED: (f64, f64) = (0.1, 0.1);
/// Steps of X in which is found how far a budget goes, and how many.
const STEP: f64 = 0.25;
const DEPTHS: u32 = 60;
/// A model of another algorithm is taken up if it is so much further on in ln error.
const FURTHER: f64 = 0.7;

/// How far a run is to come.
#[derive(Debug, Clone, Copy)]
enum Target {
    /// ln 1/ε.
    Error(f64),
    /// X, wherever P* is: of a budget, what its best use is likely to reach.
    Depth(f64),
}

/// What can be told of every configuration.
pub(super) struct Foresight<'a> {
    history: &'a History,
    pace: Pace,
    /// Where P* may be, with what follows from each.
    worlds: Vec<World>,
    /// Seconds to move a byte of the rows: asked for by every prospect, and a long look back.
    seconds_per_byte: f64,
    target: Target,
    /// Algorithms that remembered runs have shown to come to the goal.
    proven: Vec<String>,
    /// Every configuration.
    pub(super) prospects: Vec<Prospect>,
}

impl<'a> Foresight<'a> {
    /// From what a job has seen.
    pub(super) fn of(history: &'a History) -> Self {
        let facts = &history.facts;
        let lore = &facts.lore;
        let timings = timings::timings(&history.records, |machines| history.telling_seconds(machines));
        let timings: Vec<_> = lore.timings.iter().cloned().chain(timings).collect();
        let costs =
            |algorithm: &dyn Algorithm| if facts.simulated { Costs::COUNTED } else { algorithm.costs(facts.loss) };
        let Traits { rows, columns, entries, .. } = lore.traits;
        let toil_of = |known: Arc<dyn Algorithm>| {
            let learned = lore.precedents.ln_passes(&lore.traits, algorithm::family(known.name()));
            let passes = || known.passes(entries as f64 / rows.max(1) as f64);
            let Costs { entry, row } = costs(known.as_ref());
            Toil {
                passes: learned.map_or_else(passes, |(ln, _)| ln.exp()),
                uneven: learned.map(|(_, off)| off),
                entry,
                row,
                sends: known.push_len(rows, columns) as f64 / columns.max(1) as f64,
            }
        };
        let toil = |name: &str| algorithm::by_name(name).map_or(Toil::PLAIN, toil_of);
        let kin = |name: &str| {
            let support = algorithm::by_name(name).map(|known| known.support(facts.loss));
            Kin { family: algorithm::family(name).into(), slow: matches!(support, Ok(Support::Approximate)) }
        };
        let pace = Pace::of(&timings, &lore.traits, &facts.algorithms, &facts.machines, toil);
        let before = lore.precedents.expect_of_kin(&lore.traits, &facts.algorithms, kin);
        let heard = Heard::all(&history.rehearsals, &facts.algorithms, lore.traits.columns);
        let (stretches, bracket) = Stretch::all(history);
        let worlds = curves::worlds(&before, &heard, &stretches, bracket.as_ref());
        let mut foresight = Self {
            seconds_per_byte: moving::seconds_per_byte(history, &pace, &timings),
            history,
            pace,
            worlds,
            target: Target::Error(0.0),
            proven: Vec::new(),
            prospects: Vec::new(),
        };
        foresight.target = foresight.target();
        foresight.proven = foresight.proven();
        foresight.prospects = foresight.prospects();
        foresight
    }

    /// The least cost to go.
    pub(super) fn best(&self) -> Option<&Prospect> {
        self.prospects.iter().min_by(|a, b| a.cost().total_cmp(&b.cost()))
    }

    /// The least among algorithms that have run, on machines whose rounds were timed or on fewer and more.
    pub(super) fn best_tried(&self) -> Option<&Prospect> {
        let tried = self.prospects.iter().filter(|prospect| self.has_tried(prospect));
        tried.min_by(|a, b| a.cost().total_cmp(&b.cost()))
    }

    /// What was foreseen of a configuration, unless it is of no more use.
    pub(super) fn prospect_of(&self, config: &Config) -> Option<&Prospect> {
        self.prospects.iter().find(|prospect| prospect.config == *config)
    }

    /// The error when time or money runs out, which pay for evaluation too.
    pub(super) fn error_at_end(&self, prospect: &Prospect) -> Option<Estimate> {
        let left = self.history.seconds_left_on(prospect.config.machines)?;
        let each = prospect.pace.0.exp() + self.history.evaluation_per_round();
        let rounds = (left - prospect.moving).max(0.0) / each;
        let (depth, grows) = self.depth_after(prospect, rounds)?;
        let deviation = grows * (prospect.rounds.1 + prospect.pace.1).sqrt();
        let error = (self.likeliest()?.start().0 - depth).exp();
        Some(Estimate::log_normal(error, deviation.min(6.0), false))
    }

    /// X after so many rounds more in the likeliest world, and by how much it grows with ln rounds.
    fn depth_after(&self, prospect: &Prospect, rounds: f64) -> Option<(f64, f64)> {
        let world = self.likeliest()?;
        let Config { algorithm, machines, .. } = &prospect.config;
        if let Some(all) = algorithm::rounds_in_all(algorithm) {
            let there = rounds >= all as f64;
            return Some((if there { world.start().0 - AT_THE_END.ln() } else { prospect.from.max(0.0) }, 0.0));
        }
        let expectation = &world.expectation;
        let level = Level { algorithm, machines: *machines, depth: prospect.from };
        let before = if prospect.from.is_finite() { expectation.ln_rounds(level)?.exp() } else { 0.0 };
        expectation.depth_after(algorithm, *machines, (before + rounds).max(1e-3).ln())
    }

    fn likeliest(&self) -> Option<&World> {
        self.worlds.iter().max_by(|a, b| a.weight.total_cmp(&b.weight))
    }

    /// What the goal asks for.
    fn target(&self) -> Target {
        let goal = &self.history.spec.goal;
        match goal {
            Goal::Within { .. } | Goal::Spend { .. } => Target::Depth(self.within_reach()),
            _ => Target::Error(-goal.planning_error().ln()),
        }
    }

    /// The greatest X that any configuration comes to in time, in steps.
    fn within_reach(&self) -> f64 {
        let comes_to = |depth: &f64| {
            let at = Self {
                target: Target::Depth(*depth),
                proven: Vec::new(),
                prospects: Vec::new(),
                worlds: self.worlds.clone(),
                pace: self.pace.clone(),
                ..*self
            };
            at.prospects().iter().any(|prospect| self.affords(prospect))
        };
        let steps = (1..=DEPTHS).map(|k| STEP * f64::from(k));
        steps.take_while(comes_to).last().unwrap_or(STEP)
    }

    /// X that is asked for where P* is there.
    fn asked(&self, world: &World) -> f64 {
        match self.target {
            Target::Error(ln) => (ln + world.start().0).max(0.0),
            Target::Depth(depth) => depth,
        }
    }

    fn affords(&self, prospect: &Prospect) -> bool {
        self.history.seconds_left_on(prospect.config.machines).is_none_or(|left| prospect.seconds() <= left)
    }

    fn prospects(&self) -> Vec<Prospect> {
        let facts = &self.history.facts;
        let usable: Vec<usize> = facts.machines.iter().copied().filter(|m| *m >= facts.fits_from).collect();
        let machines = if usable.is_empty() { facts.machines.clone() } else { usable };
        let alive: Vec<&String> = facts.algorithms.iter().filter(|name| !self.history.is_dead(name)).collect();
        // Curves do not foresee the end of what stands still; where all do, it may be the end.
        let moves: Vec<&String> = alive.iter().copied().filter(|name| !self.history.is_stuck(name)).collect();
        let open = if moves.is_empty() { alive } else { moves };
        let on = |name: &&String| {
            let own = machines_for(name, &machines);
            own.iter().filter_map(|m| self.prospect(name, *m)).collect::<Vec<_>>()
        };
        let all: Vec<Prospect> = open.iter().flat_map(on).collect();
        let timely: Vec<Prospect> = all.iter().filter(|prospect| self.is_timely(prospect)).cloned().collect();
        if timely.is_empty() { all } else { timely }
    }

    /// Whether what is left of a cap is enough to begin it, if it has not begun: for the rounds of taking a model up, where
    /// it does, for one of its own, and to evaluate.
    fn is_timely(&self, prospect: &Prospect) -> bool {
        let adoption = match prospect.start {
            Start::Continue { .. } => return true,
            Start::Adopt { .. } => ADOPTION,
            Start::Fresh => 0.0,
        };
        let evaluation = self.history.evaluation_seconds();
        let first = (1.0 + adoption) * prospect.pace.0.exp().max(evaluation) + evaluation + prospect.moving;
        self.history.seconds_left_on(prospect.config.machines).is_none_or(|left| first <= left)
    }

    /// Whether it would do on one machine what another algorithm does there, without a run of its own to go on with.
    fn is_double(&self, name: &str, machines: usize) -> bool {
        let candidates = &self.history.facts.algorithms;
        let other = algorithm::alone(name).filter(|alone| *alone != name);
        machines == 1 && other.is_some_and(|alone| candidates.contains(&alone)) && self.history.furthest(name).is_none()
    }

    fn prospect(&self, name: &str, machines: usize) -> Option<Prospect> {
        if self.is_double(name, machines) {
            return None;
        }
        let (start, from_round) = self.start(name);
        let seconds = self.pace.seconds(name, machines)?;
        let pace = (seconds.ln, self.pace.parts().variance_of(&seconds.along));
        let (mut mean, mut square) = (0.0, 0.0);
        let lowest = self.lowest(&start);
        for world in &self.worlds {
            let (ln, variance, _) = self.rounds(world, name, machines, &start, depth(world, lowest))?;
            mean += world.weight * ln;
            square += world.weight * (variance + ln * ln);
        }
        let variance = (square - mean * mean).max(1e-6);
        if let Start::Continue { run } = &start {
            mean += outlived::outlived(&self.history.decisions, &self.history.records, run);
        }
        let likeliest = self.likeliest()?;
        let from = depth(likeliest, lowest);
        let (_, _, along) = self.rounds(likeliest, name, machines, &start, from)?;
        Some(Prospect {
            config: Config::new(name, machines),
            rounds: (mean, variance),
            pace,
            moving: self.moving(machines),
            price: self.price(machines),
            from,
            along: [along, seconds.along],
            start,
            from_round,
        })
    }

    fn price(&self, machines: usize) -> f64 {
        match self.history.spec.goal {
            Goal::Spend { .. } => machines as f64,
            _ => 1.0,
        }
    }

    /// The run to go on with: its own, or the best model there is where that is all it needs and is further on.
    fn start(&self, name: &str) -> (Start, u64) {
        let history = self.history;
        let own = history.furthest(name);
        let keeps = algorithm::by_name(name).is_ok_and(|algorithm| algorithm.needs_only_a_model());
        let best = history.best_run().filter(|_| keeps).and_then(|run| Some((run, history.lowest(run)?)));
        let Some(likeliest) = self.likeliest() else {
            return (Start::Fresh, 0);
        };
        let round = |run: &str| history.last_of(run).map_or(0, |last| last.round);
        let depth = |objective: f64| likeliest.depth(objective).unwrap_or(f64::NEG_INFINITY);
        match (own, best) {
            (Some((run, objective)), Some((_, lowest))) if depth(objective) + FURTHER > depth(lowest) => {
                (Start::Continue { run: run.into() }, round(run))
            }
            (Some((run, _)), None) => (Start::Continue { run: run.into() }, round(run)),
            (_, Some((run, _))) => (Start::Adopt { run: run.into() }, round(run)),
            (None, None) => (Start::Fresh, 0),
        }
    }

    /// P from which a start goes on.
    fn lowest(&self, start: &Start) -> Option<f64> {
        match start {
            Start::Fresh => None,
            Start::Continue { run } | Start::Adopt { run } => self.history.lowest(run),
        }
    }

    /// ln of the rounds to go, their variance, and what they hang on: i(X*) − i(X) = i(X*)·(1 − e^−Δ), Δ = ln i(X*) − ln i(X).
    fn rounds(
        &self,
        world: &World,
        name: &str,
        machines: usize,
        begun: &Start,
        from: f64,
    ) -> Option<(f64, f64, Direction)> {
        if let Some(all) = algorithm::rounds_in_all(name) {
            return Some(((all as f64).ln(), 0.0, Direction::new()));
        }
        let expectation: &Expectation = &world.expectation;
        let level = |depth: f64| Level { algorithm: name, machines, depth };
        let target = self.asked(world);
        let end = expectation.direction(level(target))?;
        let numbers = expectation.numbers();
        let reached = match begun {
            Start::Continue { .. } => Some(from),
            Start::Fresh | Start::Adopt { .. } => self.recalled_depth(world, name, machines),
        };
        let slope = expectation.slope(name, machines)?;
        let ahead = reached.map(|reached| slope * (stage(target) - stage(reached)));
        let (mut ln, mut along, mut grows) = (numbers.mean_of(&end), end.clone(), 1.0);
        if from.is_finite() {
            let here = expectation.direction(level(from))?;
            let delta = (slope * (stage(target) - stage(from))).max(LEAST_AHEAD);
            let rest = (-delta).exp();
            ln += (1.0 - rest).ln();
            let steeper = (rest / (1.0 - rest)).min(20.0);
            along = end.iter().zip(&here).map(|(e, h)| (e.0, e.1 + steeper * (e.1 - h.1))).collect();
            grows = 1.0 + steeper;
        }
        let mut variance = numbers.variance_of(&along) + grows.min(3.0).powi(2) * expectation.wander(name, ahead);
        if let Target::Error(_) = self.target {
            variance += (slope * stage_slope(target) * world.start().1).powi(2);
        }
        if matches!(begun, Start::Adopt { .. }) {
            ln += ADOPTED.0;
            variance += ADOPTED.1;
        }
        // Something is always left to do.
        Some((ln.max(-0.5), variance.min(4.0), along))
    }

    /// Seconds to deal the rows from where they are to so many machines.
    fn moving(&self, machines: usize) -> f64 {
        let Some(last) = self.history.past.last() else { return 0.0 };
        self.moving_between(last.frame.config.machines, machines)
    }

    pub(super) fn moving_between(&self, from: usize, to: usize) -> f64 {
        moving::bytes(&self.history.facts.lore.traits, from, to) * self.seconds_per_byte
    }

    /// Variance of ln(cost of one / cost of another) that so many rounds of the other would take away.
    pub(super) fn revealed(&self, best: &Prospect, other: &Prospect, rounds: f64) -> f64 {
        let Some(world) = self.likeliest() else { return 0.0 };
        let difference = |k: usize| -> Direction {
            let minus = best.along[k].iter().map(|(place, weight)| (*place, -weight));
            other.along[k].iter().copied().chain(minus).collect()
        };
        let numbers = world.expectation.numbers();
        let shown = self.shown(world, other, rounds);
        let of_g = shown.map_or(0.0, |(shown, blur)| {
            numbers.covariance_of(&difference(0), &shown).powi(2) / (numbers.variance_of(&shown) + blur)
        });
        let parts = self.pace.parts();
        let seen = &other.along[1];
        let of_f = parts.covariance_of(&difference(1), seen).powi(2) / (parts.variance_of(seen) + Pace::blur());
        of_g + of_f
    }

    /// Standard deviation of ln(rounds of one / rounds of another).
    pub(super) fn doubt(&self, best: &Prospect, other: &Prospect) -> f64 {
        let minus = best.along[0].iter().map(|(place, weight)| (*place, -weight));
        let difference: Direction = other.along[0].iter().copied().chain(minus).collect();
        self.likeliest().map_or(0.0, |world| world.expectation.numbers().variance_of(&difference).max(0.0).sqrt())
    }

    /// Seconds in which one machine goes over all rows.
    pub(super) fn pass_seconds(&self, algorithm: &str) -> Option<f64> {
        self.pace.pass_seconds(algorithm)
    }

    /// What is seen of the numbers after so many rounds more: the level then reached.
    fn shown(&self, world: &World, prospect: &Prospect, rounds: f64) -> Option<(Direction, f64)> {
        let (depth, _) = self.depth_after(prospect, rounds)?;
        let Config { algorithm, machines, .. } = &prospect.config;
        let level = Level { algorithm, machines: *machines, depth: depth.min(self.asked(world)) };
        let blur = 0.0025
            + (0.3 / rounds.max(1.0)).powi(2)
            + if matches!(prospect.start, Start::Adopt { .. }) { ADOPTED.1 } else { 0.0 };
        Some((world.expectation.direction(level)?, blur))
    }

    /// Whether any round was timed here.
    pub(super) fn is_timed(&self) -> bool {
        self.pace.is_timed()
    }

    /// Whether rounds on so many machines were timed, or on fewer and on more.
    pub(super) fn covers(&self, machines: usize) -> bool {
        self.pace.covers(machines)
    }
}

/// X from which a run goes on; deep below anything asked for where it is from nothing.
fn depth(world: &World, lowest: Option<f64>) -> f64 {
    lowest.and_then(|objective| world.depth(objective)).unwrap_or(f64::NEG_INFINITY)
}
