//! What earlier problems teach about a new one: how the rounds of each algorithm grow with m.
//!
//! Levels and rates are a problem's own; the power of m by which rounds grow is largely the algorithm's. It fills in for
//! what a single m cannot show.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Bracket, ConvergenceModel, Method};
use crate::record::Trace;

/// Rounds ∝ mᵖ.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Growth {
    /// p.
    pub power: f64,
    /// Its standard deviation from problem to problem.
    pub spread: f64,
}

/// Before any problem was seen: between methods whose rounds do not depend on m and those that slow down in proportion.
const UNSEEN: Growth = Growth { power: 0.5, spread: 0.3 };

/// Growth by context.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Priors {
    contexts: BTreeMap<String, Growth>,
}

impl Priors {
    /// From records of any number of earlier problems; each counts once, however many runs it has.
    pub fn of(traces: &[Trace]) -> Self {
        let problems: BTreeSet<&str> = traces.iter().map(|trace| trace.problem.as_str()).collect();
        let mut powers: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for problem in problems {
            let own: Vec<&Trace> = traces.iter().filter(|trace| trace.problem == problem && trace.is_whole()).collect();
            for (context, power) in growths(&own) {
                powers.entry(context).or_default().push(power);
            }
        }
        Self { contexts: powers.into_iter().map(|(context, powers)| (context, Growth::of(&powers))).collect() }
    }

    /// What is known of one context.
    pub fn growth(&self, context: &str) -> Option<Growth> {
        self.contexts.get(context).copied()
    }
}

impl Growth {
    /// Mean and spread, the unseen counting as one more problem.
    fn of(powers: &[f64]) -> Self {
        let count = (powers.len() + 1) as f64;
        let power = (powers.iter().sum::<f64>() + UNSEEN.power) / count;
        let squares = powers.iter().map(|one| (one - power).powi(2)).sum::<f64>();
        Self { power, spread: ((squares + UNSEEN.spread.powi(2)) / count).sqrt() }
    }
}

/// The power of every context of one problem that was run on several m.
fn growths(traces: &[&Trace]) -> Vec<(String, f64)> {
    let Some(bracket) = Bracket::of(traces.iter().copied()) else { return Vec::new() };
    let contexts: BTreeSet<&str> = traces.iter().map(|trace| trace.context.as_str()).collect();
    let growth = |context: &str| {
        let own: Vec<&Trace> = traces.iter().copied().filter(|trace| trace.context == context).collect();
        Some((context.to_string(), ConvergenceModel::fit(&own, &bracket, Method::Ours)?.growth()?))
    };
    contexts.into_iter().filter_map(growth).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::synthetic::trace;
    use crate::model::{FitOptions, RunModel};

    /// Rounds in proportion to m.
    fn averaging(problem: &str, machines: usize, rate: f64) -> Trace {
        let curve = move |i: f64| 1.0 + (-rate * i / machines as f64).exp();
        Trace { problem: problem.into(), ..trace("averaging", machines, 200, curve) }
    }

    /// Rounds that do not depend on m.
    fn exact(problem: &str, machines: usize) -> Trace {
        Trace { problem: problem.into(), ..trace("exact", machines, 200, |i| 1.0 + (-0.1 * i).exp()) }
    }

    fn earlier() -> Vec<Trace> {
        let problem = |name: &'static str, rate: f64| {
            [1, 2, 4, 8].map(|m| [averaging(name, m, rate), exact(name, m)]).into_iter().flatten()
        };
        problem("one", 0.8)
            .chain(problem("two", 0.4))
            .chain(problem("three", 0.6))
            .chain(problem("four", 0.5))
            .collect()
    }

    #[test]
    fn each_algorithm_has_a_growth_of_its_own() {
        let priors = Priors::of(&earlier());
        let [averaging, exact] = ["averaging", "exact"].map(|name| priors.growth(name).unwrap());
        assert!(averaging.power > 0.8 && exact.power < 0.2, "{averaging:?} {exact:?}");
        assert!(averaging.spread < UNSEEN.spread);
        assert_eq!(priors.growth("other"), None);
        assert_eq!(Priors::of(&[]), Priors::default());
    }

    #[test]
    fn one_m_and_earlier_problems_foretell_the_others() {
        let new = [averaging("new", 2, 0.3)];
        let rounds = |priors: Priors| {
            let options = FitOptions { priors, ..FitOptions::default() };
            let model = RunModel::fit(&new, &options).unwrap();
            model.context("averaging").unwrap().rounds_to(1e-1, 16).unwrap().estimate().unwrap()
        };
        let (with, without) = (rounds(Priors::of(&earlier())), rounds(Priors::default()));
        let real = 10f64.ln() / 0.3 * 16.0;
        assert!((with.mid / real).ln().abs() < 0.5 * (without.mid / real).ln().abs(), "{with:?} {without:?} {real}");
        assert!(with.low < real && real < with.high && with.extrapolated, "{with:?} {real}");
        assert!(with.high / with.low < without.high / without.low);
    }
}
