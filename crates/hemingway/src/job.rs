//! From what was asked to what can be run: the specification, checked and loaded.

mod claims;
mod classes;
mod factors;
mod rounds;
mod sample;
mod share;
mod weighing;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::algorithm::{Algorithm, Support};
use crate::backend::Config;
use crate::cluster::Cluster;
use crate::data::libsvm::Base;
use crate::data::prepare::{Preparation, Rules};
use crate::data::source::Source;
use crate::data::{Cache, ClassWeight, Dataset, Info, Labels, Loaded, Reading, Weights};
use crate::engine::{Engines, check_machines, cores};
use crate::goal::{Caps, Goal};
use crate::model::{Precedents, Timing, Traits};
use crate::problem::{Classes, Factors, Loss, Problem};
use crate::record::Trace;
use crate::sync::rounds::{RoundSpec, Rounds};
use crate::{Error, Result, algorithm, metric};
use claims::{check_claimable, nothing_left};
pub use factors::{FactorSpec, Raters};
pub use rounds::Foretold;
use sample::Whole;

/// A job as the user states it; serialised whole into the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobSpec {
    /// DATA: a path or `synth:…`.
    pub data: String,
    /// `--label`, `--labels`: where its labels are, if it does not say so itself.
    #[serde(default, skip_serializing_if = "Labels::is_default")]
    pub labels: Labels,
    /// `--weight`, `--weights`: where its weights are, if it does not say so itself.
    #[serde(default, skip_serializing_if = "Weights::is_default")]
    pub weights: Weights,
    /// `--class-weight`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_weight: Option<ClassWeight>,
    /// `--problem mf`, with its `--rank`, `--implicit` and `--alpha`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub factors: Option<FactorSpec>,
    /// `--loss`; by the labels if not given.
    pub loss: Option<Loss>,
    /// `--l2`; 1/n if not given.
    pub l2: Option<f64>,
    /// `--l1`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub l1: f64,
    /// `--fraction`: only a sample of the rows, drawn by the seed, with λ scaled to suit.
    #[serde(default)]
    pub fraction: Option<f64>,
    /// `--normalize`, `--positive`, `--classes`, `--intercept`.
    #[serde(default)]
    pub preparation: Preparation,
    /// `--cluster`, as read from its file; threads of this machine if not given.
    pub cluster: Option<Cluster>,
    /// `--machines`: fewest and most.
    pub machines: Option<(usize, usize)>,
    /// `--algorithms`; [`crate::algorithm::candidates`] if not given.
    pub algorithms: Option<Vec<String>>,
    /// `--test`.
    pub test: Option<String>,
    /// `--seed`.
    pub seed: u64,
    /// The one wish.
    pub goal: Goal,
    /// `--max-time`, `--max-cost`.
    #[serde(default)]
    pub caps: Caps,
    /// `--eval-every`.
    pub eval_every: u64,
    /// Who decides.
    pub mode: Mode,
    /// `--sync`, `--links`: how rounds are exchanged; as the engine has it if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync: Option<RoundSpec>,
    /// `--forget`: decide as if the store were empty.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forget: bool,
}

/// Older journals know nothing of it, and most newer ones need not.
fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

/// Who decides what runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// The user: this configuration and no other.
    Fixed(Config),
    /// The models.
    Choose {
        /// They may change their mind while training.
        adapt: bool,
        /// End with the plan, before the training it proposes.
        plan_only: bool,
    },
}

/// Everything a decision may know about the job beside its records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// The fingerprint records carry.
    pub problem: String,
    /// The data in numbers.
    pub data: Info,
    /// φ.
    pub loss: Loss,
    /// The classes, if there are more than two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<Classes>,
    /// What ratings are factorized into, if they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub factors: Option<Factors>,
    /// λ₂.
    pub l2: f64,
    /// λ₁.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub l1: f64,
    /// Name of the cluster, or `local`.
    pub cluster: String,
    /// Time is simulated, not this machine's.
    pub simulated: bool,
    /// Numbers of machines worth considering.
    pub machines: Vec<usize>,
    /// Algorithms worth considering.
    pub algorithms: Vec<String>,
    /// Dollars an hour for a machine, where known.
    pub price_per_hour: Option<f64>,
    /// Fewest machines whose memory holds the data.
    pub fits_from: usize,
    /// Cores of this machine: beyond them local workers share.
    pub cores: usize,
    /// What is foretold of the exchange of rounds, by number of machines, where the job says how they are exchanged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exchanges: Vec<Foretold>,
    /// What is known before anything has run.
    #[serde(default)]
    pub lore: Lore,
}

/// What is known of a problem and a cluster before anything has run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lore {
    /// What the problem looks like.
    pub traits: Traits,
    /// What other problems taught about rounds.
    pub precedents: Precedents,
    /// What rounds of other problems took on this cluster.
    pub timings: Vec<Timing>,
    /// Earlier runs of this very problem, wherever.
    pub traces: Vec<Trace>,
    /// The least estimated error that each algorithm came to in them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub errors: BTreeMap<String, f64>,
    /// The same of runs on this cluster only.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub errors_here: BTreeMap<String, f64>,
}

/// Journals from before there was any.
impl Default for Lore {
    fn default() -> Self {
        let (errors, errors_here) = (BTreeMap::new(), BTreeMap::new());
        Self {
            traits: Traits::LEAST,
            precedents: Precedents::none(),
            timings: Vec::new(),
            traces: Vec::new(),
            errors,
            errors_here,
        }
    }
}

/// A job ready to run.
pub struct Job {
    /// What was asked.
    pub spec: JobSpec,
    /// What is known.
    pub facts: Facts,
    /// The problem, dealt by the seed.
    pub problem: Problem,
    /// The test set, treated like the training data.
    pub test: Option<Arc<Dataset>>,
    /// What was done to the data, for the model file.
    pub rules: Rules,
    /// What the indices of a LIBSVM file count from, for the model file.
    pub base: Option<Base>,
    /// Sentences to say aloud.
    pub notes: Vec<String>,
    /// Where it runs, if neither on threads of this process nor on a simulated cluster.
    pub engines: Option<Arc<dyn Engines>>,
    /// How rounds are exchanged, if the job says so.
    pub rounds: Option<Arc<Rounds>>,
    /// Whose ratings the rows are, if they are.
    pub raters: Option<Arc<Raters>>,
}

impl Job {
    /// The same job on other engines than threads of this process. What is simulated stays so.
    pub fn on(mut self, engines: Arc<dyn Engines>) -> Result<Self> {
        if self.spec.cluster.is_some() {
            return Ok(self);
        }
        self.facts.cluster = engines.name();
        self.facts.cores = engines.cores();
        self.facts.machines = self.spec.machine_grid(engines.machines(), self.facts.data.rows)?;
        self.engines = Some(engines);
        self.settle_rounds()
    }
}

impl JobSpec {
    /// Checks every setting, loads the data and lays out what may be chosen.
    pub fn check(self) -> Result<Job> {
        self.check_through(None)
    }

    /// The same, reading the data from its copy in a cache if there is one.
    pub fn check_through(self, cache: Option<&Cache>) -> Result<Job> {
        if let Some(asked) = self.factors {
            return self.check_ratings(asked);
        }
        self.check_settings()?;
        let (source, reading) = (Source::parse(&self.data)?, Reading::of(&self.labels, &self.weights));
        let loaded = cache.map_or_else(|| source.load_as(&reading), |cache| cache.load(&source, &reading))?;
        self.check_with(loaded)
    }

    /// The same with data that is in memory already.
    pub fn check_with(self, loaded: Loaded) -> Result<Job> {
        if self.factors.is_some() {
            return Err(Error::setting(
                "--problem",
                "data in memory has rows with labels and no ratings: leave out mf",
            ));
        }
        self.check_settings()?;
        let mut notes = loaded.notes;
        let dataset = weighing::counted(loaded.dataset, &mut notes)?;
        let loss = self.loss.unwrap_or_else(|| classes::default_loss(&dataset.labels, &self.preparation, &mut notes));
        let mut prepared = self.prepare(dataset, loss)?;
        let classes = self.classes(&prepared.rules, loss, &mut notes)?;
        prepared.rules.names = loaded.names;
        notes.extend(prepared.notes);
        self.check_metric(loss)?;
        let test = self.load_test(loaded.base, &prepared.rules, &mut notes)?;
        let whole = Whole::of(&prepared.dataset);
        let used = self.rows(prepared.dataset, &mut notes);
        let info = Info::of(&used);
        let l2 = self.l2.or((whole.rows > 0).then(|| 1.0 / whole.rows as f64));
        let l2 = l2.map(|l2| self.sample_l2(l2));
        let problem = Problem::of_classes(used, loss, classes, l2, self.seed)?.with_l1(self.l1)?;
        let facts = self.facts(self.name(&whole, &problem), info, &problem)?;
        notes.extend(self.doubts(&problem, &facts.algorithms));
        check_claimable(&self.goal, &problem)?;
        notes.extend(nothing_left(&problem));
        let job = Job {
            spec: self,
            facts,
            problem,
            test,
            rules: prepared.rules,
            base: loaded.base,
            notes,
            engines: None,
            rounds: None,
            raters: None,
        };
        if job.spec.cluster.is_some() { job.settle_rounds() } else { Ok(job) }
    }

    /// The configuration of a record: of its schedule only the job knows.
    pub(crate) fn config_of(&self, algorithm: &str, machines: usize) -> Config {
        let config = Config::new(algorithm, machines);
        match &self.mode {
            Mode::Fixed(fixed) if fixed.algorithm == config.algorithm => Config { schedule: fixed.schedule, ..config },
            _ => config,
        }
    }

    fn check_settings(&self) -> Result<()> {
        self.goal.check()?;
        if self.fraction.is_some_and(|fraction| !(fraction > 0.0 && fraction <= 1.0)) {
            return Err(Error::setting("--fraction", "a share of the rows, above 0 and at most 1"));
        }
        if self.eval_every == 0 {
            return Err(Error::setting("--eval-every", "at least 1"));
        }
        if let Some((low, high)) = self.machines
            && (low == 0 || low > high)
        {
            return Err(Error::setting(
                "--machines",
                format!("{low}..{high} is not a range; write A..B with 1 ≤ A ≤ B"),
            ));
        }
        check_machines(match &self.mode {
            Mode::Fixed(config) => config.machines,
            Mode::Choose { .. } => self.machines.map_or(1, |(_, high)| high),
        })?;
        for (field, cap) in [("--max-time", self.caps.seconds), ("--max-cost", self.caps.dollars)] {
            if cap.is_some_and(|cap| !(cap.is_finite() && cap > 0.0)) {
                return Err(Error::setting(field, "must be above 0"));
            }
        }
        let priced = self.cluster.as_ref().is_some_and(|c| c.price_per_hour > 0.0);
        let asks_price = matches!(self.goal, Goal::Spend { .. }) || self.caps.dollars.is_some();
        if asks_price && !priced {
            return Err(Error::setting(
                "--cluster",
                "a goal or cap in dollars needs a cluster file with price_per_hour",
            ));
        }
        if let Goal::ReachMetric { .. } = self.goal
            && self.test.is_none()
        {
            return Err(Error::setting("--reach-metric", "needs --test FILE to measure on"));
        }
        Ok(())
    }

    fn check_metric(&self, loss: Loss) -> Result<()> {
        let Goal::ReachMetric { metric, .. } = &self.goal else { return Ok(()) };
        if metric::names(loss).contains(&metric.as_str()) {
            return Ok(());
        }
        let known = metric::names(loss).join(", ");
        Err(Error::setting(
            "--reach-metric",
            format!("`{metric}` is not measured with the {loss} loss; there are {known}"),
        ))
    }

    fn load_test(&self, base: Option<Base>, rules: &Rules, notes: &mut Vec<String>) -> Result<Option<Arc<Dataset>>> {
        let Some(test) = &self.test else { return Ok(None) };
        let like = Some(rules.like(base));
        let (labels, weights) = (self.labels.of_companion(), self.weights.of_companion());
        let reading = Reading { labels, weights, like, unlabelled: false, unweighted: true };
        let loaded = Source::parse(test)?.load_as(&reading)?;
        let (dataset, said) = rules.apply(loaded.dataset)?;
        notes.extend(said.into_iter().filter(|note| !notes.contains(note)).collect::<Vec<_>>());
        notes.extend(dataset.weights.as_ref().map(|_| "rows of the test set count by weights of their own".into()));
        Ok(Some(Arc::new(dataset.into_weighed()?)))
    }

    fn facts(&self, name: String, data: Info, problem: &Problem) -> Result<Facts> {
        let cluster = self.cluster.as_ref();
        let most = cluster.map_or_else(cores, |c| c.machines);
        let bytes = problem.whole().stored as f64 * problem.data.matrix.entry_bytes();
        let fits_from = cluster.map_or(1, |c| (bytes / (c.memory_gb * 1e9)).ceil().max(1.0) as usize);
        Ok(Facts {
            problem: name,
            loss: problem.loss,
            classes: problem.classes,
            factors: problem.factors,
            l2: problem.penalty.l2,
            l1: problem.penalty.l1,
            cluster: cluster.map_or_else(|| "local".into(), |c| c.name.clone()),
            simulated: cluster.is_some(),
            machines: self.machine_grid(most, data.rows)?,
            data,
            algorithms: self.candidates(problem)?,
            price_per_hour: cluster.map(|c| c.price_per_hour).filter(|price| *price > 0.0),
            fits_from,
            cores: cores(),
            exchanges: Vec::new(),
            lore: Lore { traits: Traits::of(problem), precedents: precedents(problem), ..Lore::default() },
        })
    }

    /// Powers of two within what is allowed, and its ends.
    fn machine_grid(&self, most: usize, rows: usize) -> Result<Vec<usize>> {
        if let Mode::Fixed(config) = &self.mode {
            return Ok(vec![config.machines]);
        }
        let (low, high) = self.machines.or(self.strategy_machines()).unwrap_or((1, most));
        if self.cluster.is_some() && high > most {
            let what = format!("{high} machines asked of a cluster of {most}");
            return Err(Error::setting("--machines", what));
        }
        let high = high.min(rows).max(1);
        let low = low.min(high);
        let powers = (0..usize::BITS).map(|k| 1 << k).take_while(|m| *m <= high).filter(|m| *m >= low);
        let mut grid: Vec<usize> = powers.chain([low, high]).collect();
        grid.sort_unstable();
        grid.dedup();
        Ok(grid)
    }

    fn candidates(&self, problem: &Problem) -> Result<Vec<String>> {
        let named = match (&self.mode, &self.algorithms) {
            (Mode::Fixed(config), _) => vec![config.algorithm.clone()],
            (Mode::Choose { .. }, Some(names)) => names.clone(),
            (Mode::Choose { .. }, None) => {
                if let Some(factors) = &problem.factors {
                    return Ok(algorithm::factorizing_candidates(factors));
                }
                let must_be_exact = matches!(self.goal, Goal::Reach { .. });
                let mut all = algorithm::candidates(problem.loss, &problem.penalty, must_be_exact);
                all.retain(|a| algorithm::check_problem(a.as_ref(), problem).is_ok());
                if all.is_empty() {
                    return Err(algorithm::none_applies(problem));
                }
                let precedents = precedents(problem);
                // Of those that get there, the ones whose pace earlier problems foretell, if there are any, or that is known: to
                // find out about the others takes longer than they save.
                let foretold = |a: &Arc<dyn Algorithm>| precedents.know(a.name());
                if all.iter().any(foretold) {
                    let known = |a: &Arc<dyn Algorithm>| a.rounds_in_all().is_some() || foretold(a);
                    all.retain(|a| known(a) || a.support(problem.loss) != Support::Exact);
                }
                return Ok(all.iter().map(|a| a.name().into()).collect());
            }
        };
        let field = if matches!(self.mode, Mode::Fixed(_)) { "--algorithm" } else { "--algorithms" };
        let checked = |name: &String| {
            self.check_algorithm(name, problem).map_err(|e| match e {
                Error::Setting { what, .. } => Error::setting(field, what),
                other => other,
            })
        };
        let mut candidates: Vec<String> = Vec::with_capacity(named.len());
        for name in named.iter().map(checked) {
            let name = name?;
            if !candidates.contains(&name) {
                candidates.push(name);
            }
        }
        Ok(candidates)
    }

    /// The name as it stands in records.
    fn check_algorithm(&self, name: &str, problem: &Problem) -> Result<String> {
        let algorithm = algorithm::by_name(name)?;
        let idles = algorithm.support(problem.loss) == Support::Idle;
        let measures_rounds = matches!(self.mode, Mode::Fixed(_)) && self.goal.is_budget();
        if idles && !measures_rounds {
            let what =
                format!("{name} trains nothing and reaches no goal; `run --algorithm {name} --rounds N` times it");
            return Err(Error::setting("--algorithm", what));
        }
        algorithm::check_problem(algorithm.as_ref(), problem)?;
        Ok(algorithm.name().into())
    }
}

/// What the program comes with, where the problem is of a kind it was learned from: none was of ratings, and none with λ₁ had
/// several classes.
fn precedents(problem: &Problem) -> Precedents {
    match (problem.factors, problem.penalty.l1 > 0.0, problem.classes) {
        (None, false, _) => Precedents::shipped(),
        (None, true, None) => Precedents::shipped_for_l1(),
        _ => Precedents::none(),
    }
}
