//! Each switch as it happened and as it was foretold.

use std::collections::BTreeMap;

use hemingway::model::switch::{Effect, Priors};
use hemingway::model::{Estimate, FitOptions, Reach, RunModel, Switch, SwitchModel};
use hemingway::record::Trace;

use crate::curves::{Case, Real};
use crate::switches;

/// What the error has to fall to, as shares of that at the switch.
pub const SHARES: [f64; 2] = [1.0 / 3.0, 0.1];
/// The ways of predicting that are compared.
pub const WAYS: [&str; 5] = ["level-set shift", "nothing told", "kinds told", "other problems", "other seeds"];
/// What each algorithm does with a model it adopts.
const KINDS: [(&str, Effect); 6] = [
    ("gd", Effect::KEEP),
    ("lbfgs", Effect::KEEP),
    ("local-sgd", Effect::KEEP),
    ("cocoa", Effect::REBUILD),
    ("cocoa+", Effect::REBUILD),
    ("minibatch-sgd", Effect::RESTART),
];

/// A problem with its runs from scratch and its switched runs.
pub struct Study {
    /// Its name.
    pub name: &'static str,
    optimum: f64,
    fresh: Vec<Trace>,
    switched: Vec<Trace>,
    model: RunModel,
}

/// One switch.
pub struct Cell {
    /// Problem.
    pub problem: &'static str,
    /// Algorithm and machines before.
    pub from: (String, usize),
    /// Algorithm and machines after.
    pub to: (String, usize),
    /// The level that made it switch.
    pub level: f64,
    /// ln(true error after the first round / before).
    pub jump: f64,
    /// The jump as a share of the progress since the start.
    pub lost: f64,
    /// By share of the error at the switch.
    pub targets: [Target; SHARES.len()],
}

/// Rounds from the switch to a target.
pub struct Target {
    /// As it was; `None` if not while it was watched.
    pub real: Option<f64>,
    /// By the shift of runs from scratch, where those got as far.
    pub shift: Option<f64>,
    /// As foretold, by way; `None` for never.
    pub told: [Option<Estimate>; WAYS.len()],
}

impl Study {
    /// Reads what is stored of a problem, and makes its switched runs if they are not.
    pub fn read(case: &Case) -> anyhow::Result<Self> {
        let (fresh, optimum) = case.read()?;
        let switched = switches::read(case, optimum)?;
        let model = RunModel::fit(&fresh, &FitOptions::default())?;
        Ok(Self { name: case.name, optimum, fresh, switched, model })
    }

    /// What its switches teach, but for those of one seed.
    fn taught(&self, but: Option<&str>) -> SwitchModel {
        let taught = self.switched.iter().filter(|trace| but.is_none_or(|seed| self::seed(trace) != seed));
        SwitchModel::fit(&taught.cloned().collect::<Vec<_>>(), &self.model)
    }

    /// Its switches; each foretold from other problems or from other seeds, never from itself.
    pub fn cells(&self, others: &[&Study]) -> Vec<Cell> {
        let mut elsewhere = SwitchModel::default();
        others.iter().for_each(|other| elsewhere.join(&other.taught(None)));
        let (untold, told) = (SwitchModel::default(), SwitchModel::default().with_priors(kinds()));
        let pairs = self.switched.windows(2).filter(|pair| !pair[1].fresh && pair[0].run == pair[1].run);
        let mut seeds = BTreeMap::new();
        let cell = |pair: &[Trace]| {
            let seed = seed(&pair[0]).to_string();
            let own = seeds.entry(seed.clone()).or_insert_with(|| self.taught(Some(&seed)));
            self.cell(&pair[0], &pair[1], [&untold, &told, &elsewhere, own])
        };
        pairs.filter_map(cell).collect()
    }

    fn cell(&self, before: &Trace, after: &Trace, models: [&SwitchModel; 4]) -> Option<Cell> {
        let (round, objective) = before.objectives().last()?;
        let error = self.error(objective);
        let next: Vec<(u64, f64)> = after.objectives().filter(|step| step.0 > round).collect();
        let jump = (self.error(next.first()?.1) / error).ln();
        let start = self.error(self.model.bracket?.start);
        let from = self.fresh.iter().filter(|t| t.context == after.context && t.machines == after.machines);
        let real = Real::new(from, self.optimum);
        let switch = Switch {
            from: &before.context,
            to: &after.context,
            machines: before.machines,
            error: self.model.bracket?.error(objective)?,
        };
        let target = |share: f64| {
            let goal = self.optimum * (1.0 + share * error);
            let reached = next.iter().find(|step| step.1 <= goal).map(|step| (step.0 - round) as f64);
            let shift = real.rounds_to(share * error).zip(real.rounds_to(error)).map(|(to, at)| (to - at).max(1.0));
            let told = self.told(self.model.bracket?.error(goal)?, after.machines, &switch, models);
            Some(Target { real: reached, shift, told })
        };
        let level = switches::LEVELS.into_iter().rfind(|level| error <= *level)?;
        Some(Cell {
            problem: self.name,
            from: (before.context.clone(), before.machines),
            to: (after.context.clone(), after.machines),
            level,
            jump,
            lost: jump / (start / error).ln(),
            targets: [target(SHARES[0])?, target(SHARES[1])?],
        })
    }

    fn told(
        &self,
        goal: f64,
        machines: usize,
        switch: &Switch<'_>,
        models: [&SwitchModel; 4],
    ) -> [Option<Estimate>; WAYS.len()] {
        let by = |model: &SwitchModel| model.rounds_to(&self.model, goal, machines, switch).ok()??.estimate();
        let [untold, kinds, elsewhere, own] = models.map(by);
        [self.shift(goal, machines, switch), untold, kinds, elsewhere, own]
    }

    /// i_ε(m′) − i_e(m′) of the same g.
    fn shift(&self, goal: f64, machines: usize, switch: &Switch<'_>) -> Option<Estimate> {
        let curve = self.model.contexts.get(switch.to)?;
        let rounds = |error: f64| curve.rounds_to(error, machines).and_then(Reach::estimate);
        let (whole, before) = (rounds(goal)?, rounds(switch.error)?.mid);
        let less = |rounds: f64| (rounds - before).max(1.0);
        Some(Estimate { low: less(whole.low), mid: less(whole.mid), high: less(whole.high), ..whole })
    }

    fn error(&self, objective: f64) -> f64 {
        (objective - self.optimum) / self.optimum
    }
}

fn seed(trace: &Trace) -> &str {
    trace.run.rsplit(' ').next().unwrap_or_default()
}

/// What a caller that knows our algorithms says of them.
fn kinds() -> Priors {
    Priors { into: KINDS.map(|(name, effect)| (name.to_string(), effect)).into(), ..Priors::default() }
}
