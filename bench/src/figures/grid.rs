//! Figures 3 and 4: all of every curve, by models that have seen it and by models that have not.

use hemingway::model::{FitOptions, Method, RunModel};
use hemingway::record::Trace;

use super::{Along, METHODS, Part, Prediction, Study};

/// The algorithm that the paper models.
const STUDIED: &str = "cocoa+";

/// Every m by models of all m: (a) over rounds, (b) over time.
pub fn fitted(study: &Study) -> anyhow::Result<[Part; 2]> {
    let all: Vec<Trace> = study.of(STUDIED).cloned().collect();
    parts(study, ["(a) fit over rounds", "(b) fit over time"], |_| all.clone())
}

/// Every m by models of the others.
pub fn left_out(study: &Study) -> anyhow::Result<[Part; 2]> {
    let others = |machines: usize| study.of(STUDIED).filter(|trace| trace.machines != machines).cloned().collect();
    parts(study, ["(a) each m from the others, over rounds", "(b) each m from the others, over time"], others)
}

fn parts(
    study: &Study,
    [by_rounds, by_time]: [&'static str; 2],
    taught: impl Fn(usize) -> Vec<Trace>,
) -> anyhow::Result<[Part; 2]> {
    let mut rounds: [Vec<Prediction>; 2] = Default::default();
    let mut times: [Vec<Prediction>; 2] = Default::default();
    for trace in study.of(STUDIED) {
        for (place, method) in METHODS.into_iter().enumerate() {
            let model = fit(&taught(trace.machines), method)?;
            rounds[place].extend(judge(study, trace, &model, Along::Rounds)?);
            times[place].extend(judge(study, trace, &model, Along::Seconds)?);
        }
    }
    let part = |title, along, predictions| Part { title, along, predictions };
    Ok([part(by_rounds, Along::Rounds, rounds), part(by_time, Along::Seconds, times)])
}

fn fit(traces: &[Trace], method: Method) -> anyhow::Result<RunModel> {
    Ok(RunModel::fit(traces, &FitOptions { method, ..FitOptions::default() })?)
}

/// What the model says of every round of a trace, or of the time at which it ended.
fn judge(study: &Study, trace: &Trace, model: &RunModel, along: Along) -> anyhow::Result<Vec<Prediction>> {
    let context = model.context(STUDIED)?;
    let one = |(place, point): (usize, &hemingway::record::Point)| {
        let error = match along {
            Along::Rounds => context.error_after(point.round as f64, trace.machines)?,
            Along::Seconds => context.error_at(point.seconds?, trace.machines)?,
        };
        let objective = model.bracket?.objective(error.mid);
        Prediction::judged(trace, place, objective, study.optimum)
    };
    Ok(trace.points.iter().enumerate().filter_map(one).collect())
}
