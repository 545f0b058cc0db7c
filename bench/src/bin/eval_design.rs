//! Is the next probe worth what it costs? Two short probes, then probe by `hemingway design` until it says stop, and
//! choose; against choosing at once, a short probe of everything, and random probes that cost as much. What counts is
//! the virtual time of all probes and of the chosen run together, as a multiple of the best run's alone.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use hemingway::backend::{Backend, Config, Ending, EngineBackend, Frame};
use hemingway::cluster::Cluster;
use hemingway::data::Preparation;
use hemingway::goal::Goal;
use hemingway::model::design::Cost;
use hemingway::model::design::decision::{Options, next_probe};
use hemingway::model::{FitOptions, RunModel};
use hemingway::plan::{Question, plan};
use hemingway::problem::{Loss, Problem};
use hemingway::record::{Record, Trace, traces};
use hemingway_bench::load;

const PROBLEMS: [(&str, Loss, [&str; 2], f64); 5] = [
    ("synth:logistic,rows=1000", Loss::Logistic, ["gd", "cocoa+"], 1e-4),
    ("synth:svm,rows=1000", Loss::Hinge, ["cocoa", "cocoa+"], 1e-2),
    ("synth:ridge,rows=1000", Loss::Squared, ["gd", "cocoa+"], 1e-4),
    ("synth:ill-conditioned,rows=1000", Loss::Logistic, ["lbfgs", "cocoa+"], 1e-4),
    ("synth:power-law,rows=1000,columns=500", Loss::Logistic, ["lbfgs", "cocoa+"], 1e-3),
];
const CLUSTERS: [&str; 4] = ["laptop", "spark-1gbit", "cloud-25gbit", "hpc-200gbit"];
const SEEDS: u64 = 3;
const SHORT: u64 = 10;
/// No probe is longer; a run that is not done after as many rounds as the most counts as done.
const LONGEST: u64 = 90;
const MOST_ROUNDS: u64 = 500;
const MOST_PROBES: usize = 40;

/// Every configuration run to the goal, and on for as long as a probe may last.
struct Truth {
    goal: Goal,
    machines: Vec<usize>,
    algorithms: [&'static str; 2],
    runs: BTreeMap<(String, usize), Trace>,
    target: f64,
}

/// A strategy under way: what it has probed and what that took.
#[derive(Clone)]
struct Way<'a> {
    truth: &'a Truth,
    probes: Vec<Trace>,
    spent: f64,
}

impl Truth {
    fn of(problem: &Problem, cluster: &Cluster, algorithms: [&'static str; 2], error: f64) -> anyhow::Result<Self> {
        let target = (1.0 + error) * optimum(problem)?;
        let machines: Vec<usize> = (0..8).map(|k| 1 << k).filter(|m| *m <= cluster.machines).collect();
        let mut runs = BTreeMap::new();
        for (algorithm, &m) in algorithms.iter().flat_map(|a| machines.iter().map(move |m| (a, m))) {
            let records = run(problem, cluster, algorithm, m, MOST_ROUNDS, target)?;
            runs.extend(traces(&records).into_iter().map(|trace| ((algorithm.to_string(), m), trace)));
        }
        Ok(Self { goal: Goal::Reach { error, certified: false }, machines, algorithms, runs, target })
    }

    fn run(&self, config: &Config) -> &Trace {
        &self.runs[&(config.algorithm.clone(), config.machines)]
    }

    fn seconds_to_goal(&self, config: &Config) -> f64 {
        let points = &self.run(config).points;
        let reached = points.iter().find(|point| point.objective.is_some_and(|value| value <= self.target));
        reached.or(points.last()).and_then(|point| point.seconds).unwrap_or(f64::INFINITY)
    }

    fn best(&self) -> f64 {
        let times = self.runs.keys().map(|(algorithm, m)| self.seconds_to_goal(&Config::new(algorithm, *m)));
        times.fold(f64::INFINITY, f64::min)
    }

    /// Both algorithms for a moment in the middle of the ladder.
    fn start(&self) -> Way<'_> {
        let mut way = Way { truth: self, probes: Vec::new(), spent: 0.0 };
        self.algorithms.iter().for_each(|a| way.probe(&Config::new(*a, self.machines[self.machines.len() / 2]), SHORT));
        way
    }

    fn question(&self) -> Question<'_> {
        Question {
            goal: &self.goal,
            algorithms: self.algorithms.iter().map(|name| name.as_ref()).collect(),
            machines: &self.machines,
            fits_from: 1,
            price_per_hour: None,
            seconds_left: None,
            dollars_left: None,
        }
    }
}

impl Way<'_> {
    fn probe(&mut self, config: &Config, rounds: u64) {
        let mut trace = self.truth.run(config).clone();
        trace.points.retain(|point| point.round <= rounds);
        trace.run = format!("{config} {rounds}");
        self.spent += trace.points.last().and_then(|point| point.seconds).unwrap_or(0.0);
        self.probes.push(trace);
    }

    fn model(&self) -> anyhow::Result<RunModel> {
        Ok(RunModel::fit(&self.probes, &FitOptions::default())?)
    }

    /// Probes and the chosen run; the first run of all where nothing can be chosen.
    fn total(&self) -> anyhow::Result<f64> {
        let plan = plan(&self.model()?, &self.truth.question());
        let first = Config::new(self.truth.algorithms[0], self.probes[0].machines);
        let config = plan.choice().map_or(first, |choice| choice.config.clone());
        Ok(self.spent + self.truth.seconds_to_goal(&config))
    }

    /// Probes as advised until no probe can pay for itself.
    fn advised(mut self) -> anyhow::Result<Self> {
        for _ in 0..MOST_PROBES {
            let (model, question) = (self.model()?, self.truth.question());
            let advice = next_probe(&model, &question, &Options { cost: Cost::Time, traces: &self.probes });
            let Some(next) = advice.as_ref().ok().and_then(|advice| advice.next()) else { break };
            let (config, rounds) = (next.config.clone(), next.rounds);
            self.probe(&config, rounds);
        }
        Ok(self)
    }

    /// A short probe of everything not probed yet.
    fn all(mut self) -> Self {
        let untried = |way: &Self, m: usize, a: &str| !way.probes.iter().any(|p| p.machines == m && p.context == a);
        for (algorithm, &m) in
            self.truth.algorithms.iter().flat_map(|a| self.truth.machines.iter().map(move |m| (a, m)))
        {
            if untried(&self, m, algorithm) {
                self.probe(&Config::new(*algorithm, m), SHORT);
            }
        }
        self
    }

    /// Random probes of 10, 30 or 90 rounds until as much is spent.
    fn random(mut self, budget: f64, seed: u64) -> Self {
        let mut state = seed;
        let mut below = |n: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % n
        };
        while self.spent < budget {
            let algorithm = self.truth.algorithms[below(2)];
            let machines = self.truth.machines[below(self.truth.machines.len())];
            self.probe(&Config::new(algorithm, machines), SHORT * [1, 3, 9][below(3)]);
        }
        self
    }
}

fn run(
    problem: &Problem,
    cluster: &Cluster,
    algorithm: &str,
    machines: usize,
    rounds: u64,
    target: f64,
) -> anyhow::Result<Vec<Record>> {
    let mut backend = EngineBackend::new(problem.clone(), "design", Some(cluster.clone()));
    let frame = Frame::new("truth", Config::new(algorithm, machines), rounds);
    let mut records = Vec::new();
    backend.run(&frame, None, &mut |record, _| {
        records.push(record.clone());
        let done = record.objective <= target && record.round >= LONGEST;
        Ok(if done { ControlFlow::Break(Ending::GoalMet) } else { ControlFlow::Continue(()) })
    })?;
    Ok(records)
}

/// The lowest objective of a long run on one machine.
fn optimum(problem: &Problem) -> anyhow::Result<f64> {
    let (algorithm, rounds) = if problem.loss == Loss::Hinge { ("cocoa+", 2000) } else { ("lbfgs", 1000) };
    let records = run(problem, &hemingway_bench::cluster(1), algorithm, 1, rounds, f64::NEG_INFINITY)?;
    Ok(records.iter().map(|record| record.objective).fold(f64::INFINITY, f64::min))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() -> anyhow::Result<()> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../clusters"));
    println!("probes and chosen run together, as a multiple of the best run alone; s: virtual seconds of the best run");
    println!("problem | cluster | seed | s | probes | advised | at once | everything | random, same spend");
    println!("---|---|--:|--:|--:|--:|--:|--:|--:");
    let mut columns: [Vec<f64>; 4] = Default::default();
    for (name, loss, algorithms, error) in PROBLEMS {
        for (cluster, seed) in CLUSTERS.into_iter().flat_map(|cluster| (0..SEEDS).map(move |seed| (cluster, seed))) {
            let data = load(&format!("{name},seed={seed}"), &Preparation::default(), loss.is_binary())?;
            let problem = Problem::new(&data, loss, None, seed)?;
            let machines = Cluster::read(&folder.join(format!("{cluster}.toml")))?;
            let truth = Truth::of(&problem, &machines, algorithms, error)?;
            let start = truth.start();
            let advised = start.clone().advised()?;
            let totals = [
                advised.total()?,
                start.total()?,
                start.clone().all().total()?,
                start.clone().random(advised.spent, seed + 1).total()?,
            ];
            let best = truth.best();
            let ratios = totals.map(|total| total / best);
            columns.iter_mut().zip(ratios).for_each(|(column, ratio)| column.push(ratio));
            let cells = ratios.map(|ratio| format!("{ratio:.2}")).join(" | ");
            println!("{name} | {cluster} | {seed} | {best:.3} | {} | {cells}", advised.probes.len() - 2);
        }
    }
    let medians = columns.clone().map(|column| format!("{:.2}", median(column))).join(" | ");
    let means = columns.map(|c| format!("{:.2}", c.iter().sum::<f64>() / c.len() as f64)).join(" | ");
    println!("median | | | | | {medians}\nmean | | | | | {means}");
    Ok(())
}
