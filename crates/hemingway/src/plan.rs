//! Choosing (algorithm, machines): a pure function of models, goal and limits.

mod samples;

use serde::{Deserialize, Serialize};

use crate::backend::Config;
use crate::goal::Goal;
use crate::model::{ContextModel, Estimate, Reach, RunModel};
pub use samples::Unsettled;

/// How many times the rounds to a true error it takes until that error can be claimed (`bench/src/bin/claims.rs`
/// measures the median and the 90 % range).
pub(crate) const CLAIM_LAG: Estimate = Estimate { low: 1.0, mid: 1.4, high: 4.0, extrapolated: false };

/// Below this, one foreseen error is as good as another.
pub(crate) const NEGLIGIBLE: f64 = 1e-6;

/// Everything a plan rests on beside the models.
#[derive(Debug, Clone, PartialEq)]
pub struct Question<'a> {
    /// The wish.
    pub goal: &'a Goal,
    /// Algorithms that may be chosen.
    pub algorithms: Vec<&'a str>,
    /// Numbers of machines that may be chosen.
    pub machines: &'a [usize],
    /// Fewest machines whose memory holds the data.
    pub fits_from: usize,
    /// Dollars an hour for a machine, where known.
    pub price_per_hour: Option<f64>,
    /// Seconds that remain, where limited.
    pub seconds_left: Option<f64>,
    /// Dollars that remain, where limited.
    pub dollars_left: Option<f64>,
}

/// What every candidate promises, the best first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The goal in words.
    pub goal: String,
    /// The candidates, the best first.
    pub candidates: Vec<Candidate>,
    /// What was chosen, where that is not the best of those within what was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<Config>,
    /// Why none is recommended, where samples of the rows cannot tell which is best.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsettled: Option<Unsettled>,
}

/// What one configuration promises from here on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The configuration.
    pub config: Config,
    /// f(m).
    pub seconds_per_round: Option<Estimate>,
    /// How much longer plain dense all-reduce would have taken in a round, where rounds were exchanged otherwise and some were seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saved_per_round: Option<f64>,
    /// Rounds still to go to the planned error; in `train` and a plan with a budget to as far as any configuration comes in time.
    pub rounds: Option<Reach>,
    /// Seconds still to go there.
    pub seconds: Option<Reach>,
    /// What that costs.
    pub dollars: Option<Estimate>,
    /// Relative error when time or money runs out, where they are limited.
    pub error_at_end: Option<Estimate>,
    /// The data fits in the machines' memory.
    pub fits: bool,
}

impl Plan {
    /// The configuration to take, if any can be recommended.
    pub fn choice(&self) -> Option<&Candidate> {
        self.best().filter(|_| self.unsettled.is_none())
    }

    fn best(&self) -> Option<&Candidate> {
        let chosen = self.chosen.as_ref().and_then(|chosen| self.candidate(chosen));
        chosen.or_else(|| self.candidates.iter().find(|c| c.is_usable()))
    }

    /// The candidate with this configuration.
    pub fn candidate(&self, config: &Config) -> Option<&Candidate> {
        self.candidates.iter().find(|c| c.config == *config)
    }

    /// Whether the choice was open to it: what has run comes before what has not, whatever that promises.
    pub fn may_choose(&self, candidate: &Candidate) -> bool {
        let chosen = self.chosen.as_ref().and_then(|chosen| self.candidate(chosen));
        candidate.is_usable() && (candidate.has_run() || chosen.is_none_or(|chosen| !chosen.has_run()))
    }

    /// Whether one that may not be chosen promises to be sooner.
    pub fn bars_a_sooner(&self, than: &Candidate) -> bool {
        self.candidates.iter().any(|other| !self.may_choose(other) && other.is_sooner(than))
    }

    /// The best candidate of another configuration.
    pub fn best_but(&self, config: &Config) -> Option<&Candidate> {
        self.candidates.iter().find(|c| c.config != *config && self.may_choose(c))
    }
}

impl Candidate {
    /// Numbers of machines outside what was measured are shown, and chosen only where that is said.
    pub fn is_usable(&self) -> bool {
        self.fits && self.seconds_per_round.is_some_and(|pace| !pace.extrapolated)
    }

    /// Whether its rounds are foretold by runs of its own algorithm on this problem.
    fn has_run(&self) -> bool {
        !self.rounds.and_then(Reach::estimate).is_some_and(|rounds| rounds.extrapolated)
    }

    /// Whether it promises fewer seconds to the goal.
    pub fn is_sooner(&self, than: &Self) -> bool {
        let mid = |candidate: &Self| candidate.seconds_to_go().map_or(f64::INFINITY, |seconds| seconds.mid);
        mid(self) < mid(than)
    }

    /// Seconds to go, if the goal is ever reached.
    pub fn seconds_to_go(&self) -> Option<Estimate> {
        self.seconds.and_then(Reach::estimate)
    }

    /// What is to be small: the error at the end of a budget, or the seconds to the goal.
    pub fn score(&self, goal: &Goal) -> f64 {
        let never = f64::INFINITY;
        if !self.is_usable() {
            return never;
        }
        match goal {
            Goal::Within { .. } | Goal::Spend { .. } => self.error_at_end.map_or(never, |e| e.mid.max(NEGLIGIBLE)),
            _ => self.seconds_to_go().map_or(never, |s| s.mid),
        }
    }
}

/// Ranks every candidate by what the models promise.
pub fn plan(model: &RunModel, question: &Question<'_>) -> Plan {
    let mut candidates = Vec::new();
    for algorithm in &question.algorithms {
        let Ok(context) = model.context(algorithm) else { continue };
        candidates.extend(question.machines.iter().map(|&m| candidate(context, Config::new(*algorithm, m), question)));
    }
    let goal = question.goal;
    // Among equals the sooner is better, and among those that never get there the one with the quicker rounds.
    candidates.sort_by(|a, b| {
        let to_go = |c: &Candidate| c.seconds_to_go().map_or(f64::INFINITY, |s| s.mid);
        let pace = |c: &Candidate| c.seconds_per_round.map_or(f64::INFINITY, |s| s.mid);
        let worse = |c: &Candidate| (c.score(goal), !c.is_usable(), to_go(c), pace(c));
        worse(a).partial_cmp(&worse(b)).unwrap_or(std::cmp::Ordering::Equal)
    });
    let plan = Plan { goal: goal.sentence(), candidates, chosen: None, unsettled: None };
    Plan { unsettled: samples::unsettled(model, &plan, goal.planning_error()), ..plan }
}

fn candidate(context: &ContextModel, config: Config, question: &Question<'_>) -> Candidate {
    let machines = config.machines;
    let seconds_per_round = context.seconds_per_round(machines);
    let rounds = rounds_to_go(context, question.goal, machines);
    let seconds = match (rounds, seconds_per_round) {
        (Some(Reach::At(rounds)), Some(pace)) => Some(Reach::At(rounds.times(pace))),
        (Some(Reach::Never), _) => Some(Reach::Never),
        _ => None,
    };
    let price = question.price_per_hour.map(|price| price * machines as f64 / 3600.0);
    let dollars = price.zip(seconds.and_then(Reach::estimate)).map(|(price, seconds)| scaled(seconds, price));
    let seconds_left = [question.seconds_left, question.dollars_left.zip(price).map(|(left, price)| left / price)];
    let seconds_left = seconds_left.into_iter().flatten().reduce(f64::min);
    let ending = seconds_left.zip(seconds_per_round);
    let error_at_end = ending.and_then(|(left, pace)| error_at_end(context, machines, left, pace));
    Candidate {
        config,
        seconds_per_round,
        saved_per_round: None,
        rounds,
        seconds,
        dollars,
        error_at_end,
        fits: machines >= question.fits_from,
    }
}

/// Rounds until the goal can be claimed, on m machines: one at the least.
fn rounds_to_go(context: &ContextModel, goal: &Goal, machines: usize) -> Option<Reach> {
    let Reach::At(whole) = whole_rounds(context, goal, machines)? else { return Some(Reach::Never) };
    let [low, mid, high] = [whole.low, whole.mid, whole.high].map(|rounds| rounds.max(1.0));
    Some(Reach::At(Estimate { low, mid, high, ..whole }))
}

/// Rounds from scratch until the goal can be claimed, on m machines: by proof where one is asked for and such proofs
/// were seen, else by the true error and the lag of its estimate.
fn whole_rounds(context: &ContextModel, goal: &Goal, machines: usize) -> Option<Reach> {
    let proof = |error: f64| context.rounds_to_certify(error, machines);
    match goal {
        Goal::Reach { error, certified: true } if context.certified.is_some() => proof(*error),
        Goal::Reach { error, .. } => match context.rounds_to(*error, machines)? {
            Reach::At(whole) => Some(Reach::At(whole.times(CLAIM_LAG))),
            Reach::Never => Some(Reach::Never),
        },
        _ => context.rounds_to(goal.planning_error(), machines),
    }
}

/// The error when the seconds are used up: the middle g at the ends of f or the ends of g at the middle f, whichever is
/// further, as in h.
fn error_at_end(context: &ContextModel, machines: usize, seconds: f64, pace: Estimate) -> Option<Estimate> {
    let at = |pace: f64| context.error_after(seconds / pace, machines);
    let (fast, middle, slow) = (at(pace.low)?, at(pace.mid)?, at(pace.high)?);
    Some(Estimate { extrapolated: middle.extrapolated || pace.extrapolated, ..middle.including(fast.mid, slow.mid) })
}

fn scaled(estimate: Estimate, by: f64) -> Estimate {
    Estimate { low: by * estimate.low, mid: by * estimate.mid, high: by * estimate.high, ..estimate }
}
