//! Whether trying something can pay for itself.
//!
//! To try B while A is thought best is to buy the right to exchange A for B. Let a be the cost to go with A, b that with B,
//! c what a trial of B costs that A has nothing from, and s the part of the uncertainty of ln b/a that the trial takes away.
//! B keeps the work of its trial: it is taken if b < a + c, and the right is worth E[(a + c − b)⁺] = (a + c)·Φ(d) −
//! b·e^(s²/2)·Φ(d − s), d = ln((a + c)/b)/s with b at its middle (Margrabe's formula), for the price c.

use super::super::History;
use super::super::foresight::{Foresight, Prospect};
use super::promise::promise;
use super::{FIRST_LOOK, Purpose, Start};
use crate::algorithm;
use crate::job::Mode;
use crate::units;

/// Rounds that a trial may take, the fewest first.
const TRIALS: [u64; 4] = [2, 4, 8, 16];
/// One tells what a round takes, where that is all that is unknown.
const ONE: [u64; 1] = [1];
/// What seems so many times worse is not tried, however little is known.
const HOPELESS: f64 = 4.0;
/// The part of the whole run that trials are likely to use up, and that they may use up at worst.
const SHARE: f64 = 0.1;
const MOST: f64 = 0.2;
/// The part of a budget that nobody misses.
const NEGLIGIBLE: f64 = 0.05;
/// A trial must be worth so many times what it costs: what it is worth is itself only thought.
const WORTH: f64 = 1.25;

/// A trial to make next.
pub(super) struct Exploration {
    pub(super) prospect: Prospect,
    pub(super) rounds: u64,
    pub(super) why: String,
}

impl Exploration {
    /// What is best to try now, if anything is.
    pub(super) fn worthwhile(history: &History, foresight: &Foresight<'_>, best: &Prospect) -> Option<Self> {
        if history.past.is_empty() && !foresight.has_tried(best) {
            return Self::first_look(history, foresight, best);
        }
        let others = foresight.prospects.iter().filter(|other| other.config != best.config && foresight.is_open(other));
        let others = others.filter(|other| other.seconds() * other.price < HOPELESS * best.seconds() * best.price);
        let trials = others.flat_map(|other| {
            // Where no round was timed yet, the first two may be dear: no more than those.
            let most = if foresight.covers(other.config.machines) { TRIALS.len() } else { 1 };
            let trials = if foresight.is_proven(other) { &ONE[..] } else { &TRIALS[..most] };
            // What was tried is tried again only for longer.
            let longer = trials.iter().filter(|rounds| **rounds > history.probed(&other.config));
            longer.map(|rounds| Trial::new(foresight, best, other, *rounds))
        });
        let run = best.seconds() + history.spent.wall_seconds;
        let whole = history.caps().seconds.map_or(run, |cap| run.min(cap));
        let explored = explored(history);
        let bearable =
            |trial: &Trial<'_>| trial.at_risk <= SHARE * whole - explored && trial.lost <= MOST * whole - explored;
        let payable = trials.filter(|trial| bearable(trial) && trial.worth > WORTH * trial.cost);
        let trial = payable.max_by(|a, b| (a.worth - a.cost).total_cmp(&(b.worth - b.cost)))?;
        let other = trial.other;
        let why = format!(
            "{} promises {}, but {} may do better ({}): {} at risk to find out",
            best.config,
            promise(history, foresight, best),
            other.config,
            promise(history, foresight, other),
            units::seconds(trial.at_risk)
        );
        Some(Self { prospect: other.clone(), rounds: trial.rounds, why })
    }

    /// A few rounds of what should do best. Where seconds are remembered, or rounds, the first rounds of training show
    /// the rest, as long as that may still change the choice.
    fn first_look(history: &History, foresight: &Foresight<'_>, best: &Prospect) -> Option<Self> {
        let open = matches!(history.spec.mode, Mode::Choose { adapt: true, plan_only: false });
        if open && (foresight.covers(best.config.machines) || foresight.is_proven(best)) {
            return None;
        }
        if foresight.is_proven(best) {
            let why = format!("nothing has run yet; by remembered runs {} should do best", best.config);
            return Some(Self { prospect: best.clone(), rounds: ONE[0], why });
        }
        let (look, ground) = if history.spec.goal.is_budget() {
            (careful_look(history, foresight, best), "should do best among those that can hardly use the budget up")
        } else {
            match least_wasted_look(foresight, best) {
                look if look.config == best.config => (best, "should do best"),
                look => (look, "may do best, and a look costs little"),
            }
        };
        let why = format!("nothing has run yet; by earlier problems {} {ground}", look.config);
        Some(Self { prospect: look.clone(), rounds: FIRST_LOOK, why })
    }
}

/// What should do best on the fewest machines that would spend next to nothing of a budget on computing. What a round costs
/// beside that is not known before the first, and may be all the dearer the more machines there are: with a budget of a few
/// rounds, those must not be wasted.
fn careful_look<'a>(history: &History, foresight: &'a Foresight<'_>, best: &'a Prospect) -> &'a Prospect {
    let is_cheap = |other: &Prospect| {
        let machines = other.config.machines as f64;
        let pass = foresight.pass_seconds(&other.config.algorithm).unwrap_or(f64::INFINITY);
        let left = history.seconds_left_on(other.config.machines).unwrap_or(f64::INFINITY);
        FIRST_LOOK as f64 * pass / machines <= NEGLIGIBLE * left
    };
    let fewer = foresight.prospects.iter().filter(|other| other.config.machines < best.config.machines);
    let cheap = fewer.filter(|other| is_cheap(other));
    let least =
        |a: &&Prospect, b: &&Prospect| a.config.machines.cmp(&b.config.machines).then(a.cost().total_cmp(&b.cost()));
    cheap.min_by(least).unwrap_or(best)
}

/// The look that is likely to waste the least, of all that are not hopeless and can be gone on from on any machines: its rounds are
/// lost if something else is taken. One machine may make few and long rounds or many short ones, by so many times that the wrong
/// two take longer than the right run.
fn least_wasted_look<'a>(foresight: &'a Foresight<'_>, best: &'a Prospect) -> &'a Prospect {
    let near = |other: &&Prospect| other.seconds() * other.price < HOPELESS * best.seconds() * best.price;
    let moves =
        |other: &&Prospect| algorithm::by_name(&other.config.algorithm).is_ok_and(|algorithm| algorithm.same_on_any());
    let waste = |other: &Prospect| {
        let (_, better) = exchange(best.cost(), other.cost(), foresight.doubt(best, other));
        other.price * other.mean_pace() * (1.0 - better) / better
    };
    let others = foresight.prospects.iter().filter(|other| other.config != best.config).filter(near).filter(moves);
    let least = others.min_by(|a, b| waste(a).total_cmp(&waste(b)));
    least.filter(|other| waste(other) < best.price * best.mean_pace()).unwrap_or(best)
}

fn explored(history: &History) -> f64 {
    // The first look is at what is trained with more often than not.
    let first = history.past.first().filter(|past| past.purpose == Purpose::Probe);
    let kept = first.and_then(|past| {
        let own = history.records.iter().filter(|record| record.run == past.frame.run);
        own.take_while(|record| record.round <= past.frame.until_round).last()
    });
    let kept = kept.map_or(0.0, |record| record.train_seconds + record.eval_seconds);
    (history.spent.probe_seconds - kept).max(0.0)
}

struct Trial<'a> {
    other: &'a Prospect,
    rounds: u64,
    /// Seconds that are lost by it if it is not taken.
    lost: f64,
    /// Seconds that are likely lost by it.
    at_risk: f64,
    /// c.
    cost: f64,
    /// E[(a + c − b)⁺].
    worth: f64,
}

impl<'a> Trial<'a> {
    fn new(foresight: &Foresight<'_>, best: &Prospect, other: &'a Prospect, rounds: u64) -> Self {
        let run = rounds as f64 * other.mean_pace();
        let back = foresight.moving_between(other.config.machines, best.config.machines);
        let lost = (run - kept(best, other, rounds)).max(0.0) + other.moving + back;
        let revealed = foresight.revealed(best, other, rounds as f64).sqrt();
        let cost = other.price * lost;
        let (worth, taken) = exchange(best.cost() + cost, other.cost_but_for(revealed), revealed);
        Self { other, rounds, lost, at_risk: (1.0 - taken) * lost, cost, worth }
    }
}

/// Seconds that rounds elsewhere save the best: all they are worth if its own run makes them, nothing otherwise.
fn kept(best: &Prospect, other: &Prospect, rounds: u64) -> f64 {
    let same =
        matches!((&best.start, &other.start), (Start::Continue { run }, Start::Continue { run: own }) if run == own);
    if same { rounds as f64 * (best.pace.0 + best.rounds.0 - other.rounds.0).exp() } else { 0.0 }
}

/// E[(a − b)⁺] with b spread by s in ln around its middle, and how likely b is the lesser.
fn exchange(a: f64, b: f64, s: f64) -> (f64, f64) {
    if s < 1e-9 {
        return ((a - b).max(0.0), if a > b { 1.0 } else { 0.0 });
    }
    let d = (a / b).ln() / s;
    (a * normal(d) - b * (0.5 * s * s).exp() * normal(d - s), normal(d))
}

/// Φ, to 1e-7 (Abramowitz and Stegun 26.2.17).
fn normal(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let series = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let tail =
        series.iter().rev().fold(0.0, |sum, c| t * (c + sum)) * (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt();
    if x >= 0.0 { 1.0 - tail } else { tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_right_to_exchange_is_worth_more_the_less_is_known() {
        assert!((normal(1.0) - 0.841_344_746).abs() < 1e-7 && (normal(-1.0) - 0.158_655_254).abs() < 1e-7);
        assert_eq!(exchange(2.0, 1.0, 0.0), (1.0, 1.0));
        // Black and Scholes for means of 1 and s = 0.2: 2Φ(0.1) − 1.
        assert!((exchange(1.0, (-0.02f64).exp(), 0.2).0 - 0.079_655_67).abs() < 1e-6);
        let worth = |s| exchange(1.0, 1.5, s).0;
        assert!(worth(0.1) < worth(0.3) && worth(0.3) < worth(1.0));
    }
}
