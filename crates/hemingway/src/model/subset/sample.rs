//! One draw of the rows, and g on it.

use serde::{Deserialize, Serialize};

use super::super::{Bracket, ConvergenceModel, Method};
use crate::record::Trace;

/// A draw of the rows and what all contexts together know of its optimum.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct Draw {
    fraction: f64,
    problem: String,
    bracket: Bracket,
}

impl Draw {
    /// Every draw that objectives are known of, by ascending size; all rows are the last one.
    pub(in super::super) fn all(traces: &[Trace]) -> Vec<Self> {
        let mut traces: Vec<&Trace> = traces.iter().filter(|trace| trace.best().is_some()).collect();
        traces.sort_by(|a, b| a.fraction.total_cmp(&b.fraction).then_with(|| a.problem.cmp(&b.problem)));
        let draws = traces.chunk_by(|a, b| a.fraction == b.fraction && a.problem == b.problem);
        let draw = |traces: &[&Trace]| {
            let (fraction, problem) = (traces[0].fraction, traces[0].problem.clone());
            Some(Self { fraction, problem, bracket: Bracket::of(traces.iter().copied())? })
        };
        draws.filter_map(draw).collect()
    }

    fn holds(&self, trace: &Trace) -> bool {
        trace.fraction == self.fraction && trace.problem == self.problem
    }
}

/// g of one context on one draw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Sample {
    pub(super) fraction: f64,
    /// The likeliest P* of the draw.
    pub(super) optimum: f64,
    /// How far, in ln error, its runs stand above their own best on average.
    pub(super) noise: f64,
    /// The most rounds any of them ran.
    pub(super) longest: u64,
    pub(super) model: ConvergenceModel,
}

/// Fewer rounds say more about rounding than about a rate.
const FEWEST: f64 = 3.0;

impl Sample {
    /// The context's own traces on a draw; `None` if it has none that fall.
    pub(super) fn fit(traces: &[&Trace], draw: &Draw, method: Method) -> Option<Self> {
        let own: Vec<&Trace> = traces.iter().copied().filter(|trace| draw.holds(trace)).collect();
        let model = ConvergenceModel::fit(&own, &draw.bracket, method)?;
        let noises: Vec<f64> = own.iter().filter_map(|trace| noise(trace, &draw.bracket)).collect();
        let noise = noises.iter().sum::<f64>() / noises.len().max(1) as f64;
        let longest = own.iter().map(|trace| trace.last_round()).max().unwrap_or(0);
        Some(Self { fraction: draw.fraction, optimum: draw.bracket.mid, noise, longest, model })
    }

    /// ln of the rounds it took to ε, where it was seen to get there and took long enough to tell.
    pub(super) fn ln_rounds(&self, error: f64, machines: usize) -> Option<f64> {
        let rounds = self.model.rounds_to(error, machines).estimate()?;
        (!rounds.extrapolated && rounds.mid >= FEWEST).then(|| rounds.mid.ln())
    }
}

/// Mean of ln(error / best error so far) over the rounds of a run.
fn noise(trace: &Trace, bracket: &Bracket) -> Option<f64> {
    let mut best = f64::INFINITY;
    let above = |(_, objective)| {
        let error = bracket.error(objective)?;
        best = best.min(error);
        Some((error / best).ln())
    };
    let above: Vec<f64> = trace.objectives().filter(|(round, _)| *round > 0).filter_map(above).collect();
    (!above.is_empty()).then(|| above.iter().sum::<f64>() / above.len() as f64)
}
