//! Whether to try algorithms out on a few rows before they run on all.

use super::super::foresight::{Foresight, Prospect};
use super::super::{Decision, History, Purpose};
use crate::algorithm;
use crate::backend::Script;

/// The part of the predicted run that it may take, and the most in passes over all rows: what is predicted may be far off.
const SHARE: f64 = 0.05;
const PASSES: f64 = 4.0;
/// Rows, from the most to the fewest; never more than one of so many.
const ROWS: [usize; 5] = [2048, 1024, 512, 256, 128];
const PART: usize = 8;
/// Rounds that are enough, that are worth the trouble, and that are never exceeded.
const ENOUGH: f64 = 150.0;
const WORTH: f64 = 25.0;
const MOST: f64 = 400.0;
/// Rivals are those that may be best: by so many standard deviations, but no more than by so much in ln cost.
const MAYBE: f64 = 2.0;
const FAR: f64 = 2.5;

/// What to rehearse, once, when a look has told how fast machines are.
pub(super) fn worthwhile(history: &History, foresight: &Foresight<'_>, best: &Prospect) -> Option<Decision> {
    let done = history.decisions.iter().any(|decision| matches!(decision, Decision::Rehearse { .. }));
    let looked = !history.past.is_empty() && history.past.iter().all(|past| past.purpose == Purpose::Probe);
    // With λ₁ a few rows choose other columns than all of them, and tell nothing.
    if done || !looked || history.facts.l1 > 0.0 {
        return None;
    }
    let algorithms = rivals(foresight, best);
    let (rows, rounds) = affordable(history, foresight, best, &algorithms)?;
    let error = history.spec.goal.planning_error();
    let why = format!("a few rows tell roughly what {} would need on all", algorithms.join(" and "));
    Some(Decision::Rehearse { script: Script { algorithms, rows, rounds, error }, why })
}

/// Every algorithm that may turn out best, once where several are the same on one machine, but for those whose rounds are known.
fn rivals(foresight: &Foresight<'_>, best: &Prospect) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let open = |prospect: &&Prospect| algorithm::rounds_in_all(&prospect.config.algorithm).is_none();
    for prospect in foresight.prospects.iter().filter(open) {
        let worse = (prospect.cost() / best.cost()).ln();
        let near = (MAYBE * foresight.doubt(best, prospect)).min(FAR);
        let alone = algorithm::alone(&prospect.config.algorithm);
        names.extend(alone.filter(|alone| worse <= near && !names.contains(alone)));
    }
    names
}

/// The most rows on which enough rounds can be paid for; fewer rounds only on the fewest.
fn affordable(
    history: &History,
    foresight: &Foresight<'_>,
    best: &Prospect,
    algorithms: &[String],
) -> Option<(usize, u64)> {
    let all = history.facts.lore.traits.rows;
    // What was not tried yet may be far quicker.
    let hoped = foresight.best().map(Prospect::seconds);
    let caps = [history.seconds_left_on(1), hoped];
    let run = caps.into_iter().flatten().fold(best.seconds(), f64::min);
    let pass: f64 = algorithms.iter().filter_map(|name| foresight.pass_seconds(name)).sum();
    let budget = (SHARE * run).min(PASSES * pass / algorithms.len().max(1) as f64);
    let rounds = |rows: usize| budget / (pass * rows as f64 / all as f64);
    let fits = |rows: &&usize| **rows * PART <= all;
    let rows = ROWS.iter().filter(fits).find(|rows| rounds(**rows) >= ENOUGH).or(ROWS.iter().rfind(fits))?;
    let rounds = rounds(*rows).min(MOST);
    (rounds >= WORTH).then_some((*rows, rounds as u64))
}
