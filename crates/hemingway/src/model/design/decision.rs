//! Which probe settles the choice of algorithm and machines, by the value of what it would teach.
//!
//! Every candidate's loss (what the run to the goal costs, or the error left when a budget ends) is believed to be
//! log-normal with the planner's interval. f and g deviate independently, candidates of one context the more alike the
//! closer their m, those of different contexts independently; the part that moves all alike (P*, the lag of a claim) is
//! left out, as it decides nothing. A probe of r rounds on m machines reveals f there and as much of g's deviation as it
//! passes of the levels still ahead; what it reveals fades towards other m. It is worth the regret it is expected to
//! spare: the mean, over what h could be, of what the choice made after it saves on the choice made now.

use serde::{Deserialize, Serialize};

use super::super::RunModel;
use super::Cost;
use super::belief::Belief;
use super::outlook::Outlook;
use super::trials::Trials;
use crate::backend::Config;
use crate::goal::Goal;
use crate::plan::{Question, plan};
use crate::record::Trace;
use crate::{Error, Result};

/// What the advice rests on beside models and question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options<'a> {
    /// What is to be spared on the way to a goal, by probes and by the choice alike. A budget is spent in its own
    /// currency and counts in error.
    pub cost: Cost,
    /// The records behind the models: rounds already seen teach nothing new.
    pub traces: &'a [Trace],
}

/// What losses, costs and savings are counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Seconds to the goal.
    Seconds,
    /// Seconds to the goal times machines.
    MachineSeconds,
    /// Dollars to the goal.
    Dollars,
    /// Relative error when the budget ends.
    Error,
}

/// A probe that could be made next.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trial {
    /// What would run.
    pub config: Config,
    /// The share of the data.
    pub fraction: f64,
    /// From the beginning to this round.
    pub rounds: u64,
    /// How long that takes.
    pub seconds: f64,
    /// What that costs; infinite (`null` in JSON) if it uses up the budget.
    pub cost: f64,
    /// By how much it is expected to lower the loss of the choice.
    pub saves: f64,
}

impl Trial {
    /// What remains of the saving when the probe is paid for.
    pub fn gain(&self) -> f64 {
        self.saves - self.cost
    }
}

/// Whether to probe, and what.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advice {
    /// What would be chosen now; `None` if every candidate lies beyond what was measured.
    pub choice: Option<Config>,
    /// The loss it promises, or the best guess does.
    pub promise: f64,
    /// How much more that is expected to be than the loss of the best candidate.
    pub regret: f64,
    /// What all of these count.
    pub unit: Unit,
    /// Every probe considered, the most worthwhile first.
    pub probes: Vec<Trial>,
}

/// A gain below this share of what is promised is not worth the trouble.
const WORTHWHILE: f64 = 0.01;

impl Advice {
    /// The probe to make; `None` if no probe can pay for itself. Where nothing can be chosen yet, the best is made
    /// whatever it gains.
    pub fn next(&self) -> Option<&Trial> {
        let best = self.probes.first().filter(|probe| probe.cost.is_finite())?;
        (self.choice.is_none() || self.pays(best)).then_some(best)
    }

    /// Whether a probe gains enough to be made.
    pub fn pays(&self, probe: &Trial) -> bool {
        probe.gain() > WORTHWHILE * self.promise
    }
}

/// Weighs every probe of the question's candidates.
///
/// ```
/// use hemingway::goal::Goal;
/// use hemingway::model::design::{Cost, decision};
/// use hemingway::model::{FitOptions, RunModel};
/// use hemingway::plan::Question;
/// # use hemingway::record::{Point, Trace};
/// # let traces = [Trace {
/// #     context: "sgd".into(), problem: String::new(), run: "a".into(), cluster: String::new(), machines: 4,
/// #     rows: None, fraction: 1.0, fresh: true, phases: None,
/// #     points: (1..=20).map(|i| Point {
/// #         round: i, seconds: Some(2.0 * i as f64), objective: Some(1.0 + 0.95f64.powi(i as i32)), lower_bound: None,
/// #     }).collect(),
/// # }];
///
/// // `traces`: 20 rounds of one algorithm on four machines, 2 s each.
/// let model = RunModel::fit(&traces, &FitOptions::default())?;
/// let question = Question {
///     goal: &Goal::Reach { error: 1e-3, certified: false },
///     algorithms: vec!["sgd"],
///     machines: &[1, 2, 4, 8, 16],
///     fits_from: 1,
///     price_per_hour: None,
///     seconds_left: None,
///     dollars_left: None,
/// };
/// let advice = decision::next_probe(&model, &question, &decision::Options { cost: Cost::Time, traces: &traces })?;
/// let probe = advice.next().expect("other numbers of machines are worth a look");
/// assert!(probe.config.machines != 4 && probe.saves > probe.cost);
/// # Ok::<(), hemingway::Error>(())
/// ```
pub fn next_probe(model: &RunModel, question: &Question<'_>, options: &Options<'_>) -> Result<Advice> {
    let outlook = Outlook::new(beliefs(model, question, options.cost)?);
    let trials = Trials { model, question, options, beliefs: &outlook.beliefs, now: outlook.now() };
    let mut probes: Vec<Trial> = Vec::new();
    for (place, belief) in outlook.beliefs.iter().enumerate() {
        for (trial, lesson) in trials.at(place, belief) {
            probes.push(Trial { saves: outlook.saves(&lesson), ..trial });
        }
    }
    probes.sort_by(|a, b| b.gain().total_cmp(&a.gain()));
    let now = outlook.now();
    Ok(Advice {
        choice: now.usable.then(|| now.config.clone()),
        promise: now.mid,
        regret: outlook.regret(),
        unit: unit(question.goal, options.cost),
        probes,
    })
}

/// What is believed of every candidate that promises anything, by context and m.
fn beliefs(model: &RunModel, question: &Question<'_>, cost: Cost) -> Result<Vec<Belief>> {
    let plan = plan(model, question);
    let fit = plan.candidates.iter().filter(|candidate| candidate.fits);
    let mut beliefs: Vec<Belief> = fit.filter_map(|candidate| Belief::of(candidate, question.goal, cost)).collect();
    if beliefs.is_empty() {
        let what = "nothing to decide: no algorithm's records hold both times and objectives that approach the goal";
        return Err(Error::Evidence(what.into()));
    }
    beliefs.sort_by(|a, b| {
        let key = |belief: &Belief| (belief.config.algorithm.clone(), belief.config.machines);
        key(a).cmp(&key(b))
    });
    Ok(beliefs)
}

fn unit(goal: &Goal, cost: Cost) -> Unit {
    match (goal, cost) {
        (Goal::Within { .. } | Goal::Spend { .. }, _) => Unit::Error,
        (_, Cost::Time) => Unit::Seconds,
        (_, Cost::MachineSeconds) => Unit::MachineSeconds,
        (_, Cost::Dollars { .. }) => Unit::Dollars,
    }
}

#[cfg(test)]
mod tests;
