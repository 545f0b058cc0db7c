//! f, g and h of everything the records cover.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::subset::{Draw, SubsetModel};
use super::{Bracket, ConvergenceModel, Estimate, FitOptions, Reach, Switch, SwitchModel, SystemModel};
use crate::problem::whole_name;
use crate::record::Trace;
use crate::{Error, Result};

/// What the records of one problem on one cluster teach, context by context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunModel {
    /// The problem, as its records name it.
    pub problem: String,
    /// What is known of P*, over all contexts.
    pub bracket: Option<Bracket>,
    /// The models, by context.
    pub contexts: BTreeMap<String, ContextModel>,
    /// What switches between them cost.
    #[serde(default)]
    pub switch: SwitchModel,
}

/// f and g of one context, each where the records allow it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContextModel {
    /// f: needs times.
    pub system: Option<SystemModel>,
    /// g: needs objectives from scratch that fall.
    pub convergence: Option<ConvergenceModel>,
    /// The same for the error that is proved: needs bounds.
    #[serde(default)]
    pub certified: Option<ConvergenceModel>,
    /// g by runs on samples of the rows, where there are any.
    #[serde(default)]
    pub samples: Option<SubsetModel>,
    /// The optimum g's errors are relative to.
    bracket: Option<Bracket>,
}

impl RunModel {
    /// Fits every context. Objectives must belong to one problem and times to one cluster (see
    /// [`FitOptions::cluster`]).
    pub fn fit(traces: &[Trace], options: &FitOptions) -> Result<Self> {
        let problem = the_problem(traces)?;
        let cluster = the_cluster(traces, options)?;
        let bracket = Bracket::of(traces.iter().filter(|trace| trace.is_whole()));
        let draws = Draw::all(traces);
        let names: BTreeSet<&String> = traces.iter().map(|trace| &trace.context).collect();
        let fit = |name: &String| {
            let own: Vec<&Trace> = traces.iter().filter(|trace| trace.context == *name).collect();
            (name.clone(), ContextModel::fit(&own, &cluster, bracket.as_ref(), &draws, options))
        };
        let contexts = names.into_iter().map(fit).collect();
        let mut model = Self { problem, bracket, contexts, switch: SwitchModel::default() };
        model.switch = SwitchModel::fit(traces, &model);
        Ok(model)
    }

    /// Rounds from a switch to ε on so many machines after it. `None` without objectives of the context switched to.
    pub fn rounds_after_switch(&self, error: f64, machines: usize, after: &Switch<'_>) -> Result<Option<Reach>> {
        self.switch.rounds_to(self, error, machines, after)
    }

    /// The models of one context, or an error that names those there are.
    pub fn context(&self, name: &str) -> Result<&ContextModel> {
        let known = || self.contexts.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        let unknown = || Error::Evidence(format!("no records of `{name}`; there are records of {}", known()));
        self.contexts.get(name).ok_or_else(unknown)
    }
}

impl ContextModel {
    fn fit(traces: &[&Trace], cluster: &str, bracket: Option<&Bracket>, draws: &[Draw], options: &FitOptions) -> Self {
        let timed: Vec<&Trace> = traces.iter().copied().filter(|trace| trace.cluster == cluster).collect();
        let system = SystemModel::of(cluster, &timed, options);
        let whole: Vec<&Trace> = traces.iter().copied().filter(|trace| trace.is_whole()).collect();
        let prior = traces.first().and_then(|trace| options.priors.growth(&trace.context));
        let convergence = bracket.and_then(|bracket| ConvergenceModel::fit(&whole, bracket, options.method));
        let convergence = convergence.map(|model| model.heeding(prior));
        let certified = ConvergenceModel::certified(&whole, options.method).map(|model| model.heeding(prior));
        let samples = SubsetModel::fit(traces, draws, options.method);
        Self { system, convergence, certified, samples, bracket: bracket.copied() }
    }

    /// f(m): seconds of a round on m machines, all data. `None` without times.
    pub fn seconds_per_round(&self, machines: usize) -> Option<Estimate> {
        Some(self.system.as_ref()?.seconds(machines, 1.0))
    }

    /// g(i, m): relative error after i rounds. `None` without objectives, or if all they are of is samples in doubt.
    pub fn error_after(&self, rounds: f64, machines: usize) -> Option<Estimate> {
        let whole = self.convergence.as_ref().map(|model| model.error_after(rounds, machines));
        let sampled = || self.samples.as_ref()?.error_after(rounds, machines).ok();
        whole.filter(|whole| !whole.extrapolated && self.is_sure_at(whole.mid)).or_else(sampled).or(whole)
    }

    /// Rounds until the relative error is ε. `None` without objectives, or if all they are of is samples in doubt.
    pub fn rounds_to(&self, error: f64, machines: usize) -> Option<Reach> {
        let whole = self.convergence.as_ref().map(|model| model.rounds_to(error, machines));
        let sampled = || self.samples.as_ref()?.rounds_to(error, machines).ok();
        whole.filter(|whole| !whole.is_extrapolated() && self.is_sure_at(error)).or_else(sampled).or(whole)
    }

    /// Whether runs on all rows know P* to within ε: a few rounds may seem to be near it and are not.
    fn is_sure_at(&self, error: f64) -> bool {
        self.bracket.is_some_and(|bracket| {
            let (over, under) = bracket.uncertainty();
            over.max(under) <= error
        })
    }

    /// Rounds until a relative error of ε is proved. `None` without bounds.
    pub fn rounds_to_certify(&self, error: f64, machines: usize) -> Option<Reach> {
        Some(self.certified.as_ref()?.rounds_to(error, machines))
    }

    /// Training seconds until the relative error is ε. `None` without times or objectives.
    pub fn time_to(&self, error: f64, machines: usize) -> Option<Reach> {
        let round = self.seconds_per_round(machines)?;
        match self.rounds_to(error, machines)? {
            Reach::At(rounds) => Some(Reach::At(rounds.times(round))),
            Reach::Never => Some(Reach::Never),
        }
    }

    /// h(t, m) = g(t / f(m), m) as an error relative to P*. `None` without times or objectives.
    pub fn error_at(&self, seconds: f64, machines: usize) -> Option<Estimate> {
        let round = self.seconds_per_round(machines)?;
        let [slow, mid, fast] = [round.high, round.mid, round.low].map(|round| seconds / round);
        let after = |rounds: f64| self.error_after(rounds, machines);
        let (least, middle, most) = (after(fast)?, after(mid)?, after(slow)?);
        // The ends of both intervals together would be too wide by far: the middle g at the ends of f and
        // the ends of g at the middle f, whichever is further.
        let mut estimate = middle.including(least.mid, most.mid);
        estimate.extrapolated |= round.extrapolated;
        Some(estimate)
    }

    /// h(t, m) as an objective: P at time t.
    pub fn value_at(&self, seconds: f64, machines: usize) -> Option<Estimate> {
        let (bracket, error) = (self.bracket?, self.error_at(seconds, machines)?);
        let value = |error: f64| bracket.objective(error);
        let least = bracket.lower_bound.unwrap_or(f64::NEG_INFINITY);
        let (low, mid, high) = (value(error.low).max(least), value(error.mid), value(error.high));
        Some(Estimate { low, mid, high, extrapolated: error.extrapolated })
    }
}

/// Objectives of two problems share no P*.
fn the_problem<'a>(traces: &'a [Trace]) -> Result<String> {
    if traces.is_empty() {
        return Err(Error::Evidence("no records to learn from".into()));
    }
    let valued = traces.iter().filter(|trace| trace.best().is_some());
    let name = |trace: &'a Trace| if trace.is_whole() { &trace.problem } else { whole_name(&trace.problem) };
    let problems: BTreeSet<&str> = valued.map(name).collect();
    if problems.len() > 1 {
        let names = problems.into_iter().collect::<Vec<_>>().join(", ");
        return Err(Error::Evidence(format!("the records hold several problems ({names}): fit one at a time")));
    }
    Ok(problems.first().map_or_else(|| traces[0].problem.clone(), |name| (*name).to_string()))
}

/// Seconds of two clusters share no f.
fn the_cluster(traces: &[Trace], options: &FitOptions) -> Result<String> {
    let timed = traces.iter().filter(|trace| trace.points.iter().any(|point| point.seconds.is_some()));
    let clusters: BTreeSet<&String> = timed.map(|trace| &trace.cluster).collect();
    if let Some(cluster) = &options.cluster {
        // Records that name no cluster are of whichever is asked about.
        let unnamed = clusters.iter().all(|name| name.is_empty());
        return Ok(if unnamed { String::new() } else { cluster.clone() });
    }
    if clusters.len() > 1 {
        let names = clusters.into_iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        return Err(Error::Evidence(format!("the records hold times of several clusters ({names}): name one")));
    }
    Ok(clusters.first().map_or_else(String::new, |name| (*name).clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Method;
    use crate::model::synthetic::trace;

    fn cocoa(machines: usize) -> Trace {
        trace("cocoa", machines, 60, move |i| 1.0 + (1.0 - 0.8 / machines as f64).powf(i))
    }

    #[test]
    fn time_is_rounds_times_seconds() {
        let traces: Vec<_> = [1, 2, 4].map(cocoa).into();
        let model = RunModel::fit(&traces, &FitOptions::default()).unwrap();
        let context = model.context("cocoa").unwrap();
        let seconds = context.time_to(1e-2, 2).unwrap().estimate().unwrap();
        assert!((seconds.mid - 0.1 * (0.01f64.ln() / 0.6f64.ln()).ceil()).abs() < 0.15, "{seconds:?}");
        let value = context.value_at(0.5, 2).unwrap();
        assert!((value.mid - 1.0 - 0.6f64.powi(5)).abs() < 0.01, "{value:?}");
        assert!(value.low < value.mid && value.mid < value.high);
        assert!(model.context("gd").unwrap_err().to_string().contains("cocoa"));
    }

    #[test]
    fn a_model_survives_being_saved() {
        let traces: Vec<_> = [1, 2, 4].map(cocoa).into();
        for method in [Method::Ours, Method::Lasso] {
            let model = RunModel::fit(&traces, &FitOptions { method, ..FitOptions::default() }).unwrap();
            let text = serde_json::to_string(&model).unwrap();
            assert_eq!(serde_json::from_str::<RunModel>(&text).unwrap(), model);
        }
    }

    #[test]
    fn what_cannot_be_answered_is_refused() {
        assert!(RunModel::fit(&[], &FitOptions::default()).is_err());
        let (mut other, mut elsewhere) = (cocoa(2), cocoa(4));
        other.problem = "other".into();
        assert!(RunModel::fit(&[cocoa(1), other], &FitOptions::default()).is_err());
        elsewhere.cluster = "cloud".into();
        let both = [cocoa(1), elsewhere];
        assert!(RunModel::fit(&both, &FitOptions::default()).is_err());
        let here = FitOptions { cluster: Some("cloud".into()), ..FitOptions::default() };
        assert!(RunModel::fit(&both, &here).is_ok());
        let mut timeless = cocoa(1);
        timeless.points.iter_mut().for_each(|point| point.seconds = None);
        let model = RunModel::fit(&[timeless], &FitOptions::default()).unwrap();
        assert_eq!(model.context("cocoa").unwrap().time_to(1e-2, 1), None);
    }

    #[test]
    fn shared_cores_teach_g_but_not_f() {
        let traces: Vec<_> = [1, 2, 8].map(|m| Trace { cluster: "local".into(), ..cocoa(m) }).into();
        let options = FitOptions { max_local_machines: Some(2), ..FitOptions::default() };
        let model = RunModel::fit(&traces, &options).unwrap();
        let context = model.context("cocoa").unwrap();
        assert_eq!(context.system.as_ref().unwrap().machines, [1, 2]);
        assert!(!context.rounds_to(0.5, 4).unwrap().estimate().unwrap().extrapolated);
    }
}
