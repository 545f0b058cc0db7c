//! How well the models predict an m they have not seen.

use serde::{Deserialize, Serialize};

use super::linalg::median;
use super::system::observations;
use super::{Bracket, Estimate, FitOptions, RunModel};
use crate::Result;
use crate::record::Trace;

/// What a fold predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Seconds of a round.
    Seconds,
    /// Rounds to a target error.
    RoundsTo,
}

/// One prediction for an m that was left out, and what really happened. A prediction of "never" has no numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fold {
    /// The context.
    pub context: String,
    /// The m left out.
    pub machines: usize,
    /// What was predicted.
    pub quantity: Quantity,
    /// The relative error to be reached, for rounds.
    pub target: Option<f64>,
    /// Low end of the 90 % interval.
    pub low: Option<f64>,
    /// The prediction.
    pub mid: Option<f64>,
    /// High end of the 90 % interval; none where it is open.
    pub high: Option<f64>,
    /// What was measured.
    pub real: f64,
}

/// Folds of one quantity taken together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The quantity.
    pub quantity: Quantity,
    /// Number of folds.
    pub folds: usize,
    /// Median of |predicted / real − 1|; a "never" counts as infinite, and shows as none.
    pub median_error: Option<f64>,
    /// Its mean over the folds that were answered.
    pub mean_error: Option<f64>,
    /// Share of folds whose interval held the real value.
    pub coverage: f64,
    /// Folds that predicted "never" or nothing for what did happen.
    pub unanswered: usize,
}

/// Every fold and what they amount to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CrossValidation {
    /// One prediction each.
    pub folds: Vec<Fold>,
    /// By quantity.
    pub summary: Vec<Summary>,
}

/// Leaves out each m in turn, from all contexts, and predicts it from the others. The optimum is estimated anew without
/// the m left out; what really happened is judged by the optimum all records together support.
pub fn cross_validate(traces: &[Trace], targets: &[f64], options: &FitOptions) -> Result<CrossValidation> {
    let mut machines: Vec<usize> = traces.iter().map(|trace| trace.machines).collect();
    machines.sort_unstable();
    machines.dedup();
    let judge = Bracket::of(traces.iter().filter(|trace| trace.is_whole()));
    let mut folds = Vec::new();
    for left_out in machines {
        let (tested, taught): (Vec<Trace>, Vec<Trace>) =
            traces.iter().cloned().partition(|trace| trace.machines == left_out);
        if taught.is_empty() {
            continue;
        }
        let model = RunModel::fit(&taught, options)?;
        for name in model.contexts.keys() {
            let own: Vec<&Trace> = tested.iter().filter(|trace| trace.context == *name).collect();
            folds.extend(seconds_fold(&model, name, &own, options));
            let judged = judge.iter().flat_map(|judge| targets.iter().map(move |target| (judge, *target)));
            folds.extend(judged.filter_map(|(judge, target)| rounds_fold(&model, name, &own, judge, target)));
        }
    }
    folds.sort_by(|a, b| (a.quantity, &a.context, a.machines).cmp(&(b.quantity, &b.context, b.machines)));
    let summary = folds.chunk_by(|a, b| a.quantity == b.quantity).map(summarize).collect();
    Ok(CrossValidation { folds, summary })
}

fn seconds_fold(model: &RunModel, name: &str, own: &[&Trace], options: &FitOptions) -> Option<Fold> {
    let system = model.contexts[name].system.as_ref()?;
    let own: Vec<&Trace> = own.iter().copied().filter(|trace| trace.cluster == system.cluster).collect();
    let observed = observations(&own, options);
    let real = observed.iter().max_by(|a, b| a.fraction.total_cmp(&b.fraction))?;
    let estimate = Some(system.seconds(real.machines, real.fraction));
    Some(fold(name, real.machines, Quantity::Seconds, None, estimate, real.seconds))
}

fn rounds_fold(model: &RunModel, name: &str, own: &[&Trace], judge: &Bracket, target: f64) -> Option<Fold> {
    let goal = judge.objective(target);
    let reached = |trace: &&&Trace| {
        let mut points = trace.objectives().filter(|(round, _)| *round > 0);
        points.find(|(_, objective)| *objective <= goal).map(|(round, _)| round as f64)
    };
    let fresh = own.iter().filter(|trace| trace.fresh && trace.is_whole());
    let rounds: Vec<Option<f64>> = fresh.map(|trace| reached(&trace)).collect();
    let there: Vec<f64> = rounds.iter().flatten().copied().collect();
    // Where most runs did not get there, nothing is known to compare with.
    let real = if 2 * there.len() >= rounds.len() { median(there)? } else { return None };
    let machines = own.first()?.machines;
    let reach = model.contexts[name].rounds_to(target, machines);
    let estimate = reach.and_then(|reach| reach.estimate());
    Some(fold(name, machines, Quantity::RoundsTo, Some(target), estimate, real))
}

fn fold(
    context: &str,
    machines: usize,
    quantity: Quantity,
    target: Option<f64>,
    estimate: Option<Estimate>,
    real: f64,
) -> Fold {
    let (low, mid) = (estimate.map(|estimate| estimate.low), estimate.map(|estimate| estimate.mid));
    let high = estimate.map(|estimate| estimate.high).filter(|high| high.is_finite());
    Fold { context: context.into(), machines, quantity, target, low, mid, high, real }
}

fn summarize(folds: &[Fold]) -> Summary {
    let error = |fold: &Fold| fold.mid.map(|mid| (mid / fold.real - 1.0).abs());
    let answered: Vec<f64> = folds.iter().filter_map(error).collect();
    let all = folds.iter().map(|fold| error(fold).unwrap_or(f64::INFINITY)).collect();
    let held = |fold: &&Fold| {
        let above = fold.low.is_some_and(|low| low <= fold.real);
        above && fold.high.is_none_or(|high| fold.real <= high)
    };
    Summary {
        quantity: folds[0].quantity,
        folds: folds.len(),
        median_error: median(all).filter(|error| error.is_finite()),
        mean_error: (!answered.is_empty()).then(|| answered.iter().sum::<f64>() / answered.len() as f64),
        coverage: folds.iter().filter(held).count() as f64 / folds.len() as f64,
        unanswered: folds.len() - answered.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::synthetic::trace;

    #[test]
    fn the_left_out_m_is_predicted_and_compared() {
        let curve = |m: usize| trace("cocoa", m, 400, move |i| 1.0 + (1.0 - 0.8 / m as f64).powf(i));
        let traces: Vec<_> = [1, 2, 4, 8, 16].map(curve).into();
        let result = cross_validate(&traces, &[1e-1, 1e-2, 1e-3], &FitOptions::default()).unwrap();
        assert_eq!(result.folds.len(), 5 + 15);
        let rounds = &result.summary[1];
        assert!(rounds.median_error.unwrap() < 0.15 && rounds.unanswered == 0, "{rounds:?}");
        let json = serde_json::to_value(&result).unwrap();
        let keys: Vec<_> = json["folds"][19].as_object().unwrap().keys().cloned().collect();
        assert_eq!(keys, ["context", "high", "low", "machines", "mid", "quantity", "real", "target"]);
        assert_eq!(json["folds"][19]["quantity"], "rounds_to");
    }

    #[test]
    fn a_fold_sees_nothing_of_the_left_out_m() {
        let curve = |m: usize| trace("gd", m, 50, move |i| 1.0 + 1.0 / i);
        let mut traces: Vec<_> = [1, 2, 4].map(curve).into();
        let before = cross_validate(&traces, &[0.1], &FitOptions::default()).unwrap();
        // Another run on m = 4 proves a bound no other m knows: its own fold must not notice.
        traces[2].points[40].lower_bound = Some(0.9999);
        let after = cross_validate(&traces, &[0.1], &FitOptions::default()).unwrap();
        let at = |result: &CrossValidation| {
            result.folds.iter().filter(|f| f.machines == 4).map(|f| f.mid).collect::<Vec<_>>()
        };
        assert_eq!(at(&before), at(&after));
    }

    #[test]
    fn one_m_alone_has_no_folds() {
        let traces = [trace("gd", 2, 50, |i| 1.0 + 1.0 / i)];
        assert!(cross_validate(&traces, &[0.1], &FitOptions::default()).unwrap().folds.is_empty());
    }
}
