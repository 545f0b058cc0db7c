//! What to do next: look briefly at what promises most, try something else only where that can pay for itself, train, and
//! keep asking.

mod exploration;
mod promise;
mod rehearsal;

use std::ops::Range;

use super::best::record_of_best;
use super::foresight::{Foresight, Prospect};
use super::{Decision, History, Purpose, Start};
use crate::backend::{Config, Ending, Frame};
use crate::goal::Goal;
use crate::job::Mode;
use crate::plan::Plan;
use exploration::Exploration;
use promise::{first_choice, plan_of, predicted, promise};

/// Rounds of a first look at anything: the second shows what the first alone may hide.
const FIRST_LOOK: u64 = 2;
/// A switch must promise to cut what remains to this share: of machines; of algorithm, whose rounds are only foreseen; and of
/// one that has yet to come to where the present one is. Each further one to so much of what the one before had to: who
/// was wrong before may be again.
const OTHER_MACHINES: f64 = 0.9;
const OTHER_ALGORITHM: f64 = 0.7;
const FROM_BEHIND: f64 = 0.5;
const EACH_FURTHER: f64 = 0.8;
/// Training begins with what was not tried if that is expected to take no more than this share of the best that was.
const BOLD: f64 = 0.8;
/// Rounds of the first frame of a configuration that the user has chosen.
const FIRST_FRAME: u64 = 64;
/// Frames of training look this share of the predicted rounds ahead, but no further than the run has come.
const FRAME_SHARE: f64 = 0.3;
const SHORTEST_FRAME: u64 = 3;

/// The next decision, from nothing but what the journal holds.
pub fn decide(history: &History) -> Decision {
    if let Some(stop) = ended(history) {
        return stop;
    }
    match &history.spec.mode {
        Mode::Fixed(config) => run_fixed(history, config),
        Mode::Choose { adapt, plan_only } => choose(history, *adapt, *plan_only),
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
        Ending::GoalMet => format!("{} on {}", history.spec.goal.sentence(), credited(history, &last.frame.config)),
        ending => ending.words().into(),
    };
    Some(Decision::Stop { ending: last.ending, why, plan: None })
}

/// Who made the model that meets the goal: not always what ran last, which may have taken it up and only shown how good it
/// is.
fn credited(history: &History, last: &Config) -> String {
    let made = record_of_best(&history.spec.goal, &history.records);
    let maker = made.map(|best| history.spec.config_of(&best.algorithm, best.machines));
    match maker.filter(|maker| (&maker.algorithm, maker.machines) != (&last.algorithm, last.machines)) {
        Some(maker) => format!("{maker}, as {last} has shown"),
        None => last.to_string(),
    }
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
        frame: frame(history, run, config.clone(), last.map_or(0, |last| last.round)..until_round),
        purpose: Purpose::Train,
        why: "asked for by the user".into(),
        plan: None,
        predicted: None,
    }
}

fn frame(history: &History, run: String, config: Config, rounds: Range<u64>) -> Frame {
    let rows_on = history.past.last().map(|past| past.frame.config.machines).filter(|m| *m != config.machines);
    Frame {
        eval_every: history.spec.eval_every,
        from_round: rounds.start,
        rows_on,
        ..Frame::new(run, config, rounds.end)
    }
}

/// Explores as long as that can pay, then trains with the best; once training, changes only for a clear gain.
fn choose(history: &History, adapt: bool, plan_only: bool) -> Decision {
    let foresight = Foresight::of(history);
    let Some(best) = foresight.best_tried().or_else(|| foresight.best_proven()).or_else(|| foresight.best()) else {
        let why = "every algorithm ran away, or stands still: at its floor, or where its error cannot be claimed (a larger --l2, \
                   --normalize columns or --within TIME may help)";
        return stop(Ending::Stalled, why.into(), None);
    };
    let current = training(history).and_then(|config| foresight.prospect_of(config));
    if current.is_none()
        && let Some(rehearsal) = rehearsal::worthwhile(history, &foresight, best)
    {
        return rehearsal;
    }
    if (adapt || current.is_none())
        && let Some(exploration) = Exploration::worthwhile(history, &foresight, best)
    {
        return probe(history, exploration);
    }
    let (chosen, why) = match current {
        None => {
            let first = boldest(&foresight, best);
            (first, first_choice(history, &foresight, first))
        }
        Some(now) => keep_or_switch(history, &foresight, now, best, adapt),
    };
    let plan = plan_of(history, &foresight, chosen);
    if plan_only {
        return stop(Ending::Planned, "only a plan was asked for".into(), Some(plan));
    }
    train_with(history, &foresight, chosen, why, plan)
}

/// What to begin with: the best of what was tried, unless something else, even at what is feared of it, is far better.
fn boldest<'a>(foresight: &'a Foresight<'_>, tried: &'a Prospect) -> &'a Prospect {
    let hoped = foresight.best().filter(|hoped| !foresight.was_left(hoped));
    hoped.filter(|hoped| hoped.cost() < BOLD * tried.cost()).unwrap_or(tried)
}

/// What is being trained with.
fn training(history: &History) -> Option<&Config> {
    history.past.iter().rev().find(|past| past.purpose == Purpose::Train).map(|past| &past.frame.config)
}

fn probe(history: &History, Exploration { prospect, rounds, why }: Exploration) -> Decision {
    let rounds = prospect.from_round..prospect.from_round + rounds;
    Decision::Run {
        frame: frame(history, run_of(history, &prospect.start), prospect.config, rounds),
        purpose: Purpose::Probe,
        start: prospect.start,
        why,
        plan: None,
        predicted: None,
    }
}

fn run_of(history: &History, start: &Start) -> String {
    match start {
        Start::Continue { run } => run.clone(),
        Start::Fresh | Start::Adopt { .. } => history.next_run(),
    }
}

fn stop(ending: Ending, why: String, plan: Option<Plan>) -> Decision {
    Decision::Stop { ending, why, plan }
}

fn keep_or_switch<'a>(
    history: &History,
    foresight: &Foresight<'_>,
    now: &'a Prospect,
    best: &'a Prospect,
    adapt: bool,
) -> (&'a Prospect, String) {
    let promise = |prospect: &Prospect| promise(history, foresight, prospect);
    let switches = super::summary::switches(&history.decisions).len();
    if best.config == now.config || !adapt {
        return (now, format!("on course: {}", promise(now)));
    }
    let share = match () {
        () if best.start == now.start => OTHER_MACHINES,
        () if best.is_behind(now) => FROM_BEHIND,
        () => OTHER_ALGORITHM,
    };
    if best.cost() < share * EACH_FURTHER.powi(switches as i32) * now.cost() {
        return (best, format!("{} promises {}, {} only {}", best.config, promise(best), now.config, promise(now)));
    }
    let (other, gain) = (&best.config, promise(best));
    (now, format!("{}; {other} ({gain}) is not enough of a gain to switch", promise(now)))
}

/// A frame of training.
fn train_with(history: &History, foresight: &Foresight<'_>, chosen: &Prospect, why: String, plan: Plan) -> Decision {
    let to_go = chosen.rounds.0.exp();
    // What it took up from another tells nothing of how it goes on.
    let made = match &chosen.start {
        Start::Continue { run } => history.rounds_of(run),
        Start::Fresh | Start::Adopt { .. } => 0,
    };
    let most = made.max(2 * SHORTEST_FRAME);
    // Growing with the run, so that a goal that stays ahead does not mean a decision every few rounds.
    let least = SHORTEST_FRAME.max(made / 4);
    let ahead = ((FRAME_SHARE * to_go).ceil() as u64).clamp(least, most.max(least));
    let run = run_of(history, &chosen.start);
    Decision::Run {
        frame: frame(history, run, chosen.config.clone(), chosen.from_round..chosen.from_round + ahead),
        purpose: Purpose::Train,
        start: chosen.start.clone(),
        why,
        plan: Some(plan),
        predicted: predicted(history, foresight, chosen),
    }
}

#[cfg(test)]
pub(super) mod tests;
