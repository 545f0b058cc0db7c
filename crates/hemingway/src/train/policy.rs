//! What to do next: survey every algorithm briefly, look closer at the promising ones, then train with the best and
//! keep asking whether another would now be better.

use super::{Decision, History, Purpose, Start};
use crate::backend::{Config, Ending, Frame};
use crate::goal::Goal;
use crate::job::Mode;
use crate::model::{Estimate, FitOptions, RunModel};
use crate::plan::{Candidate, Plan, Progress, Question, plan};
use crate::record::traces;

/// Rounds of a probe: as many as the end of a curve needs to be guessed at.
const PROBE_ROUNDS: u64 = 10;
const SHORTEST_PROBE: u64 = 4;
/// Rounds the best candidate's own run must have before anything is promised of it.
const LONG_LOOK: u64 = 30;
/// Algorithms that are looked at on other numbers of machines: so many, and none that promises several times worse
/// than the best.
const FINALISTS: usize = 2;
const WORSE: f64 = 3.0;
/// The part of a time or money budget that probes may use.
const PROBE_SHARE: f64 = 0.3;
/// A switch must promise to cut what remains to this share, and each further one as much again.
const SWITCH_BELOW: f64 = 0.7;
/// Rounds of the first frame of a configuration that the user has chosen.
const FIRST_FRAME: u64 = 64;
/// Frames of training look this share of the predicted rounds ahead, and at least so many rounds.
const FRAME_SHARE: f64 = 0.3;
const SHORTEST_FRAME: u64 = 10;

/// The next decision, from nothing but what the journal holds.
pub fn decide(history: &History) -> Decision {
    if let Some(stop) = ended(history) {
        return stop;
    }
    match &history.spec.mode {
        Mode::Fixed(config) => run_fixed(history, config),
        Mode::Choose { adapt, plan_only } => {
            survey(history).or_else(|| look_closer(history)).unwrap_or_else(|| train(history, *adapt, *plan_only))
        }
    }
}

/// What the last frame's ending already decides.
fn ended(history: &History) -> Option<Decision> {
    let last = history.past.last()?;
    let fixed = matches!(history.spec.mode, Mode::Fixed(_));
    let why = match last.ending {
        Ending::FrameOver => return None,
        Ending::Stalled if history.spec.goal.is_budget() => {
            let why = format!("{} cannot get any lower at working precision", last.frame.config);
            return fixed.then_some(Decision::Stop { ending: Ending::GoalMet, why, plan: None });
        }
        Ending::Stalled | Ending::Diverged if !fixed => return None,
        Ending::GoalMet => format!("{} on {}", history.spec.goal.sentence(), last.frame.config),
        ending => ending.words().into(),
    };
    Some(Decision::Stop { ending: last.ending, why, plan: None })
}

/// The user's own choice, in frames that double: nothing else is considered, but a run that gets nowhere ends.
fn run_fixed(history: &History, config: &Config) -> Decision {
    let last = history.past.last().and_then(|past| history.last_of(&past.frame.run));
    if last.is_some_and(|last| history.creeps(&last.run)) {
        let why = format!("{config} has stopped gaining: it is at its floor, or its error cannot be claimed");
        return stop(Ending::Stalled, why, None);
    }
    let until_round = match history.spec.goal {
        Goal::Rounds { rounds } => rounds,
        _ => last.map_or(FIRST_FRAME, |last| 2 * last.round.max(FIRST_FRAME)),
    };
    let run = last.map_or_else(|| history.next_run(), |last| last.run.clone());
    Decision::Run {
        start: last.map_or(Start::Fresh, |_| Start::Continue { run: run.clone() }),
        frame: frame(history, run, config.clone(), until_round),
        purpose: Purpose::Train,
        why: "asked for by the user".into(),
        plan: None,
        predicted: None,
    }
}

fn frame(history: &History, run: String, config: Config, until_round: u64) -> Frame {
    let from_round = history.last_of(&run).map_or(0, |last| last.round);
    let rows_on = history.past.last().map(|past| past.frame.config.machines).filter(|m| *m != config.machines);
    Frame { eval_every: history.spec.eval_every, from_round, rows_on, ..Frame::new(run, config, until_round) }
}

/// Probes the next algorithm that has not been seen at all, in the middle of the range of machines.
fn survey(history: &History) -> Option<Decision> {
    if !history.past.is_empty() && probes_are_spent(history) {
        return None;
    }
    let unseen = |a: &&String| !history.past.iter().any(|past| past.frame.config.algorithm == **a);
    let algorithm = history.facts.algorithms.iter().find(unseen)?;
    let config = Config::new(algorithm, middle(history));
    Some(probe(history, config, format!("nothing is known about {algorithm} yet")))
}

/// The geometric middle of the machines that hold the data.
fn middle(history: &History) -> usize {
    let usable = usable_machines(history);
    usable[usable.len() / 2]
}

/// Numbers of machines whose memory holds the data; all of them if none does.
fn usable_machines(history: &History) -> Vec<usize> {
    let facts = &history.facts;
    let fit: Vec<usize> = facts.machines.iter().copied().filter(|m| *m >= facts.fits_from).collect();
    if fit.is_empty() { facts.machines.clone() } else { fit }
}

fn probe(history: &History, config: Config, why: String) -> Decision {
    Decision::Run {
        frame: frame(history, history.next_run(), config, probe_rounds(history)),
        purpose: Purpose::Probe,
        start: Start::Fresh,
        why,
        plan: None,
        predicted: None,
    }
}

/// Fewer rounds than usual where probes of every algorithm would otherwise not fit into their share of the time.
fn probe_rounds(history: &History) -> u64 {
    let (Some(cap), Some(last)) = (history.caps().seconds, history.records.last()) else { return PROBE_ROUNDS };
    let rounds: u64 = history.past.iter().filter_map(|past| Some(history.last_of(&past.frame.run)?.round)).sum();
    let each = (PROBE_SHARE * cap) / (history.facts.algorithms.len() + FINALISTS) as f64;
    let pace = history.spent.wall_seconds / rounds.max(last.round).max(1) as f64;
    ((each / pace) as u64).clamp(SHORTEST_PROBE, PROBE_ROUNDS)
}

fn probes_are_spent(history: &History) -> bool {
    let caps = history.caps();
    let spent = &history.spent;
    caps.seconds.is_some_and(|cap| spent.wall_seconds > PROBE_SHARE * cap)
        || caps.dollars.zip(spent.dollars).is_some_and(|(cap, spent)| spent > PROBE_SHARE * cap)
}

/// Probes the most promising algorithms on fewer and on more machines, as long as that can pay for itself, and at
/// last the best of them for longer: early rounds say little about late ones.
fn look_closer(history: &History) -> Option<Decision> {
    if probes_are_spent(history) || history.past.iter().any(|past| past.purpose == Purpose::Train) {
        return None;
    }
    let plan = fitted(history)?;
    look_around(history, &plan).or_else(|| look_longer(history, &plan))
}

fn look_around(history: &History, plan: &Plan) -> Option<Decision> {
    let goal = &history.spec.goal;
    let best = plan.choice().map_or(f64::INFINITY, |best| best.score(goal));
    let mut finalists: Vec<&str> = Vec::new();
    for candidate in plan.candidates.iter().filter(|c| c.score(goal) < (WORSE * best).min(f64::INFINITY)) {
        if !finalists.contains(&candidate.config.algorithm.as_str()) {
            finalists.push(&candidate.config.algorithm);
        }
    }
    finalists.truncate(FINALISTS);
    for algorithm in finalists {
        for machines in closer_machines(history) {
            let config = Config::new(algorithm, machines);
            if !history.tried(&config) && is_worth_probing(plan, &config, goal) {
                let why = format!("{algorithm} looks promising: how does it do on {machines} machines?");
                return Some(probe(history, config, why));
            }
        }
    }
    None
}

/// Goes on with the best candidate's own run; nothing is lost, since training goes on from there.
fn look_longer(history: &History, plan: &Plan) -> Option<Decision> {
    let best = plan.choice()?;
    let last = history.last_of(history.furthest(&best.config.algorithm)?.0)?;
    if last.round >= LONG_LOOK {
        return None;
    }
    Some(Decision::Run {
        frame: frame(history, last.run.clone(), best.config.clone(), LONG_LOOK),
        purpose: Purpose::Probe,
        start: Start::Continue { run: last.run.clone() },
        why: format!("{} leads after {} rounds: a longer look before anything is promised", best.config, last.round),
        plan: None,
        predicted: None,
    })
}

/// Beside the middle: half-way to either end, and the ends.
fn closer_machines(history: &History) -> Vec<usize> {
    let usable = usable_machines(history);
    let last = usable.len() - 1;
    let middle = usable.len() / 2;
    let mut picks = vec![usable[middle / 2], usable[(middle + last).div_ceil(2)], usable[last]];
    picks.dedup();
    picks
}

/// A probe is worth its time if the best candidate still has several times as much to go.
fn is_worth_probing(plan: &Plan, config: &Config, goal: &Goal) -> bool {
    let pace = plan.candidate(config).and_then(|c| c.seconds_per_round);
    let Some((pace, best)) = pace.zip(plan.choice()) else { return true };
    match goal {
        Goal::Within { .. } | Goal::Spend { .. } => true,
        _ => best.seconds_to_go().is_none_or(|to_go| to_go.mid > 2.0 * pace.mid * PROBE_ROUNDS as f64),
    }
}

/// The plan that models of everything seen give.
fn fitted(history: &History) -> Option<Plan> {
    let options = FitOptions { max_local_machines: Some(history.facts.cores), ..FitOptions::default() };
    let model = RunModel::fit(&traces(&history.records), &options).ok()?;
    let facts = &history.facts;
    let alive = facts.algorithms.iter().filter(|a| !history.is_dead(a));
    let question = Question {
        goal: &history.spec.goal,
        algorithms: alive.map(|a| progress(history, a)).collect(),
        machines: &facts.machines,
        fits_from: facts.fits_from,
        price_per_hour: facts.price_per_hour,
        seconds_left: history.seconds_left(),
        dollars_left: history.dollars_left(),
    };
    Some(plan(&model, &question))
}

fn progress<'a>(history: &'a History, algorithm: &'a str) -> Progress<'a> {
    let furthest = history.furthest(algorithm);
    let last = furthest.and_then(|(run, _)| history.last_of(run));
    Progress {
        algorithm,
        objective: furthest.map(|(_, objective)| objective),
        own_pace: last.and_then(|last| Some((last.machines, history.rounds_to_proof(&last.run)?))),
    }
}

/// Trains with the best candidate; once training, changes only for a clear gain.
fn train(history: &History, adapt: bool, plan_only: bool) -> Decision {
    let Some(plan) = fitted(history) else {
        return stop(Ending::Stalled, "no probe left anything to learn from".into(), None);
    };
    if plan_only {
        let why = "only a plan was asked for".into();
        return stop(Ending::GoalMet, why, Some(plan));
    }
    let current = history.past.iter().rev().find(|past| past.purpose == Purpose::Train).map(|past| &past.frame.config);
    let alive = current.filter(|config| !history.is_dead(&config.algorithm));
    let Some(best) = plan.choice() else {
        return stop(Ending::Stalled, "every algorithm stands still or ran away".into(), Some(plan));
    };
    let (chosen, why) = match alive {
        None => (best, first_choice(best, &plan, history, current)),
        Some(config) => keep_or_switch(history, &plan, config, best, adapt),
    };
    train_with(history, chosen.clone(), why, plan)
}

fn stop(ending: Ending, why: String, plan: Option<Plan>) -> Decision {
    Decision::Stop { ending, why, plan }
}

fn first_choice(best: &Candidate, plan: &Plan, history: &History, left: Option<&Config>) -> String {
    let goal = &history.spec.goal;
    let left = left.map_or(String::new(), |config| format!("{config} gains nothing more; "));
    let rival = plan.best_but(&best.config).filter(|c| c.score(goal).is_finite());
    let against = rival.map_or(String::new(), |rival| format!("; next {}: {}", rival.config, promise(rival, goal)));
    format!("{left}best promise: {}{against}", promise(best, goal))
}

/// What a candidate promises, in words.
fn promise(candidate: &Candidate, goal: &Goal) -> String {
    match (goal, candidate.error_at_end, candidate.seconds_to_go()) {
        (Goal::Within { .. } | Goal::Spend { .. }, Some(error), _) => format!("error {:.1e} in the end", error.mid),
        (_, _, Some(s)) => format!("{} s to go ({} to {})", brief(s.mid), brief(s.low), brief(s.high)),
        _ => "no sight of the goal yet".into(),
    }
}

/// Three digits, whatever the size.
fn brief(value: f64) -> String {
    if !value.is_finite() || value == 0.0 {
        return format!("{value}");
    }
    let decimals = (2.0 - value.abs().log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{value:.decimals$}")
}

fn keep_or_switch<'a>(
    history: &History,
    plan: &'a Plan,
    current: &Config,
    best: &'a Candidate,
    adapt: bool,
) -> (&'a Candidate, String) {
    let goal = &history.spec.goal;
    let now = plan.candidate(current).unwrap_or(best);
    let switches = super::summary::switches(&history.decisions).len();
    let threshold = SWITCH_BELOW.powi(switches as i32 + 1);
    if best.config == *current || !adapt {
        return (now, format!("on course: {}", promise(now, goal)));
    }
    if best.score(goal) < threshold * now.score(goal) {
        let why =
            format!("{} promises {}, {} only {}", best.config, promise(best, goal), now.config, promise(now, goal));
        return (best, why);
    }
    let why =
        format!("{}; {} ({}) is not enough of a gain to switch", promise(now, goal), best.config, promise(best, goal));
    (now, why)
}

/// A frame of training that goes on with the algorithm's own furthest run; an algorithm without one takes up the best
/// model there is.
fn train_with(history: &History, chosen: Candidate, why: String, plan: Plan) -> Decision {
    let algorithm = &chosen.config.algorithm;
    let (start, run, from_round, trained) = match history.furthest(algorithm).and_then(|(run, _)| history.last_of(run))
    {
        Some(last) => (Start::Continue { run: last.run.clone() }, last.run.clone(), last.round, last.train_seconds),
        None => match history.best_run() {
            Some(run) => {
                let round = history.last_of(run).map_or(0, |last| last.round);
                (Start::Adopt { run: run.into() }, history.next_run(), round, 0.0)
            }
            None => (Start::Fresh, history.next_run(), 0, 0.0),
        },
    };
    let to_go = chosen.rounds.and_then(crate::model::Reach::estimate);
    let ahead = match to_go {
        // Growing with the run, so that a goal that stays ahead does not mean a decision every few rounds.
        Some(rounds) => ((FRAME_SHARE * rounds.mid).ceil() as u64).max(SHORTEST_FRAME).max(from_round / 4),
        None => from_round.max(SHORTEST_FRAME),
    };
    // A budget is used up whatever is predicted.
    let predicted = chosen.seconds_to_go().filter(|_| !history.spec.goal.is_budget()).map(|s| Estimate {
        low: trained + s.low,
        mid: trained + s.mid,
        high: trained + s.high,
        extrapolated: s.extrapolated,
    });
    Decision::Run {
        frame: frame(history, run, chosen.config, from_round + ahead),
        purpose: Purpose::Train,
        start,
        why,
        plan: Some(plan),
        predicted,
    }
}

#[cfg(test)]
mod tests;
