//! The switches among traces, and what each did.

use serde::{Deserialize, Serialize};

use super::along;
use crate::model::linalg::median;
use crate::model::{Bracket, ConvergenceModel, RunModel};
use crate::record::Trace;

/// Rates of a stretch are taken at every halving of the error below that of the switch.
const HALVING: f64 = 0.5;
/// Progress since the start must be at least this factor before a share of it means anything.
const PROGRESS: f64 = 2.0;
/// No share beyond this is believed.
const MOST: f64 = 2.0;

/// One switch as it happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Seen {
    pub(super) problem: String,
    pub(super) from: String,
    pub(super) to: String,
    /// Whether machines were added.
    pub(super) grows: bool,
    /// s.
    pub(super) lost: f64,
    /// ln p, where the context's own curve is known.
    pub(super) pace: Option<f64>,
}

/// Every switch among traces that hold the stretches of a run in order, none missing.
pub(super) fn observe(traces: &[Trace], model: &RunModel) -> Vec<Seen> {
    let Some(bracket) = model.bracket else { return Vec::new() };
    let pairs = traces.windows(2).filter(|pair| follows(&pair[0], &pair[1]));
    let curve = |context: &str| model.contexts.get(context).and_then(|context| context.convergence.as_ref());
    pairs.filter_map(|pair| seen(&pair[0], &pair[1], &bracket, curve(&pair[1].context))).collect()
}

fn follows(before: &Trace, after: &Trace) -> bool {
    let whole = |trace: &Trace| (trace.run.clone(), trace.problem.clone(), trace.fraction.to_bits());
    let changed = before.context != after.context || before.machines != after.machines;
    !after.fresh && changed && whole(before) == whole(after)
}

fn seen(before: &Trace, after: &Trace, bracket: &Bracket, curve: Option<&ConvergenceModel>) -> Option<Seen> {
    let (switched, objective) = before.objectives().last()?;
    let (error, start) = (bracket.error(objective)?, bracket.error(bracket.start)?);
    // An adopted model is shown before its first round, at the round of the switch.
    let errors = after.objectives().filter(|(round, _)| *round > switched);
    let errors = errors.filter_map(|(round, objective)| Some((round - switched, bracket.error(objective)?)));
    let errors: Vec<(u64, f64)> = errors.collect();
    let first = errors.first()?.1;
    if start < PROGRESS * error {
        return None;
    }
    Some(Seen {
        problem: after.problem.clone(),
        from: before.context.clone(),
        to: after.context.clone(),
        grows: after.machines > before.machines,
        lost: ((first / error).ln() / (start / error).ln()).clamp(-MOST, MOST),
        pace: curve.and_then(|curve| pace(&errors, error, curve, after.machines)),
    })
}

/// Median of ln(real / predicted) rounds to the levels below the error of the switch; a stretch that reached none took at
/// least its whole length to where it got.
fn pace(errors: &[(u64, f64)], switched: f64, curve: &ConvergenceModel, machines: usize) -> Option<f64> {
    let first = errors.first()?.1;
    let ratio = |rounds: u64, level: f64| {
        let whole = curve.rounds_to(level, machines).estimate()?.mid;
        Some((rounds as f64 / along(curve, machines, first, whole)).ln())
    };
    let best = errors.iter().map(|step| step.1).fold(f64::INFINITY, f64::min);
    let levels = std::iter::successors(Some(HALVING * switched), |level| Some(HALVING * level));
    let reached = levels.take_while(|level| *level >= best);
    let ratios = reached.filter_map(|level| {
        let step = errors.iter().find(|step| step.1 <= level)?;
        ratio(step.0, level)
    });
    median(ratios.collect()).or_else(|| ratio(errors.last()?.0, best).map(|ratio| ratio.max(0.0)))
}
