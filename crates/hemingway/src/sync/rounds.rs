//! How rounds of training are exchanged: the shared vector as blocks of columns, each by a strategy of [`super`].
//!
//! A round is led by machine 0: pushes become sums there, and what the server makes of them goes back to all. Only strategies are taken
//! that add in the order of [`super::TreeSum`], so that every one of them gives the same bits: a tree does, and so does a machine that
//! has all pushes of its columns at hand. What is left to choose is who sums which columns, and whether zeros are sent along.

pub mod code;
mod lane;
mod search;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::analytic::forecast;
use super::program::Half;
use super::strategy::{Exchange as ShardExchange, Method, Plan, VERSION};
use super::{Model, Stage, Strategy};
use crate::cluster::Cluster;
use crate::engine::Timekeeper;
use crate::error::counted;
use crate::problem::Problem;
use crate::{Error, Result};
pub use lane::{Lane, copies, lanes};

/// How rounds are to be exchanged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// All numbers, by the cluster's own all-reduce; on ranks a tree.
    Plain,
    /// Whatever is found to take the least time.
    Search,
    /// By this strategy, on as many machines as it is for.
    Given(Strategy),
}

impl Way {
    /// Its name in records and tables.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Search => "search",
            Self::Given(_) => "file",
        }
    }
}

/// What is asked of a job's rounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RoundSpec {
    /// How they are to be exchanged.
    pub way: Way,
    /// The cluster whose links lie between machines, if that is not where the job runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<Cluster>,
}

/// The exchanges of one problem on one cluster, by number of machines.
#[derive(Debug)]
pub struct Rounds {
    way: Way,
    cluster: Cluster,
    problem: Problem,
    found: Mutex<HashMap<usize, Arc<Exchange>>>,
}

/// How rounds on so many machines are exchanged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Exchange {
    /// m.
    pub machines: usize,
    /// The strategy.
    pub strategy: Strategy,
    /// All numbers in one tree: what it would be if nobody had looked.
    pub plain: bool,
    /// Seconds that a round's exchange should take, as the simulator has it.
    pub seconds: f64,
    /// Those of them in which all are told of the shared vector.
    pub telling_seconds: f64,
    /// The same of plain dense all-reduce.
    pub plain_seconds: f64,
    /// The numbers that each machine sums, or a tree.
    #[serde(skip)]
    pub lanes: Vec<Lane>,
    /// The blocks of columns.
    #[serde(skip)]
    pub model: Model,
}

impl Exchange {
    /// What it does, in a few words.
    pub fn words(&self) -> String {
        if self.plain {
            return "all numbers, by dense all-reduce".into();
        }
        let all = self.lanes.iter().map(Lane::numbers).sum::<usize>().max(1) as f64;
        let part = |by_server: bool, sparing: bool| {
            let own = self.lanes.iter().filter(|lane| lane.server.is_some() == by_server && lane.sparing == sparing);
            let numbers: usize = own.clone().map(Lane::numbers).sum();
            let mut servers: Vec<usize> = own.filter_map(|lane| lane.server).collect();
            servers.sort_unstable();
            servers.dedup();
            let who = if by_server { counted(servers.len(), "server") } else { "tree".into() };
            let how = if sparing { ", zeros left out" } else { "" };
            (numbers > 0).then(|| format!("{:.0} % of columns by {who}{how}", 100.0 * numbers as f64 / all))
        };
        let kinds = [(true, true), (true, false), (false, true), (false, false)];
        kinds.into_iter().filter_map(|(by_server, sparing)| part(by_server, sparing)).collect::<Vec<_>>().join("; ")
    }
}

impl Rounds {
    /// Those of a problem's rounds on a cluster.
    pub fn new(way: Way, cluster: &Cluster, problem: &Problem) -> Self {
        Self { way, cluster: cluster.clone(), problem: problem.clone(), found: Mutex::default() }
    }

    /// What records call a place where rounds are exchanged so: their times are not those of rounds exchanged otherwise.
    pub fn place(&self, place: &str) -> String {
        format!("{place}, sync {}", self.way.name())
    }

    /// How they are exchanged on so many machines; nothing to exchange on one. The search is made once.
    pub fn on(&self, machines: usize) -> Result<Option<Arc<Exchange>>> {
        if machines < 2 {
            return Ok(None);
        }
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = found.get(&machines) {
            return Ok(Some(Arc::clone(known)));
        }
        let exchange = Arc::new(self.exchange(machines)?);
        found.insert(machines, Arc::clone(&exchange));
        Ok(Some(exchange))
    }

    fn exchange(&self, machines: usize) -> Result<Exchange> {
        let model = Model::linear(&self.problem, machines);
        let price = Price::new(&model, &self.cluster, machines)?;
        let plain = plain(&model, machines);
        let numbers = numbers(&model);
        let plain_seconds = collective_seconds(&self.cluster, machines, numbers, numbers);
        let (strategy, seconds) = match &self.way {
            Way::Plain => (plain.clone(), plain_seconds),
            Way::Given(strategy) => {
                check_names(strategy, &model)?;
                check_order(strategy)?;
                (strategy.clone(), price.seconds(strategy)?)
            }
            Way::Search => {
                let (strategy, seconds) = search::search(&price, self.problem.seed)?;
                if seconds < plain_seconds { (strategy, seconds) } else { (plain.clone(), plain_seconds) }
            }
        };
        let lanes = lanes(&strategy, &price.up)?;
        let telling_seconds = price.down_seconds(&strategy)?;
        Ok(Exchange {
            machines,
            plain: strategy == plain,
            strategy,
            seconds,
            telling_seconds,
            plain_seconds,
            lanes,
            model,
        })
    }

    /// Seconds of plain dense all-reduce of so many numbers told and summed; none where that is what is done.
    pub fn plain_seconds(&self, machines: usize, down: usize, up: usize) -> Result<f64> {
        let other = self.on(machines)?.filter(|exchange| !exchange.plain);
        Ok(other.map_or(0.0, |_| collective_seconds(&self.cluster, machines, down, up)))
    }

    /// What its exchanges cost on the simulated clock.
    pub fn price(&self, exchange: &Exchange) -> Result<Price> {
        Price::new(&exchange.model, &self.cluster, exchange.machines)
    }
}

/// Refuses a strategy for another model as such: what else is wrong with it would only mislead.
fn check_names(strategy: &Strategy, model: &Model) -> Result<()> {
    let own: Vec<&str> = model.variables.iter().map(|variable| variable.name.as_str()).collect();
    let known: HashSet<&str> = own.iter().copied().collect();
    let theirs = strategy.variables.iter().map(|plan| plan.variable.as_str());
    let foreign: Vec<&str> = theirs.filter(|name| !known.contains(name)).collect();
    if foreign.is_empty() {
        return Ok(());
    }
    let what = format!(
        "is for other variables: {}; this problem has {}: take `--sync search`, or write one for these by tree or server \
         (docs/rounds.md)",
        named(&foreign),
        named(&own),
    );
    Err(Error::setting("strategy", what))
}

/// The first of a list, and how many more there are.
fn named(names: &[&str]) -> String {
    match names {
        [] => "none".into(),
        [only] => format!("`{only}`"),
        [first, rest @ ..] => format!("`{first}` and {} more", rest.len()),
    }
}

/// Refuses a strategy whose sums would differ in their bits from those of all other engines.
fn check_order(strategy: &Strategy) -> Result<()> {
    for plan in &strategy.variables {
        for shard in &plan.shards {
            let why = match shard {
                ShardExchange { by: Method::Tree | Method::Server(_), .. } if is_exact(shard) => continue,
                ShardExchange { by: Method::Tree | Method::Server(_), .. } => match shard.compression.is_lossless() {
                    true => format!("staleness {} lets sums be late", shard.staleness),
                    false => format!("compression {} changes sums", shard.compression),
                },
                ShardExchange { by, .. } => format!("{by} adds in an order of its own"),
            };
            let what = format!("{why}; training takes strategies by tree or server, without loss");
            return Err(Error::setting(format!("variable `{}`", plan.variable), what));
        }
    }
    Ok(())
}

fn is_exact(shard: &ShardExchange) -> bool {
    shard.compression.is_lossless() && shard.staleness == 0
}

/// All numbers in one tree.
fn plain(model: &Model, machines: usize) -> Strategy {
    let plan = |variable: &super::Variable| Plan {
        variable: variable.name.clone(),
        partition: None,
        shards: vec![ShardExchange::new(Method::Tree, 0)],
    };
    let variables = model.variables.iter().map(plan).collect();
    Strategy { version: VERSION, name: "plain".into(), machines, window: 1, variables }
}

/// What exchanges cost: the halves of a round follow each other, for between them its leader works.
#[derive(Debug)]
pub struct Price {
    up: Stage,
    down: Stage,
    /// What rounds were timed to take over what their links alone would have them take.
    slowness: f64,
}

impl Price {
    fn new(model: &Model, cluster: &Cluster, machines: usize) -> Result<Self> {
        let stage = |half| Ok::<_, Error>(Stage::new(model.clone(), cluster, machines)?.of_half(half));
        Ok(Self {
            up: stage(Half::Up)?,
            down: stage(Half::Down)?,
            slowness: slowness(cluster, machines, numbers(model)),
        })
    }

    /// Seconds of a round by a strategy.
    pub fn seconds(&self, strategy: &Strategy) -> Result<f64> {
        Ok(self.up_seconds(strategy)? + self.down_seconds(strategy)?)
    }

    /// Seconds until the sums are at the leader.
    pub fn up_seconds(&self, strategy: &Strategy) -> Result<f64> {
        Ok(self.slowness * forecast(&self.up, &self.up.play(strategy)?).seconds)
    }

    /// Seconds until all have what it made of them.
    pub fn down_seconds(&self, strategy: &Strategy) -> Result<f64> {
        Ok(self.slowness * forecast(&self.down, &self.down.play(strategy)?).seconds)
    }

    /// From here on pushes have these many numbers that are not zero in each block, on average, and their sum these.
    pub fn set_pushes(&mut self, own: &[f64], sum: &[usize]) {
        for ((variable, own), sum) in self.up.model.variables.iter_mut().zip(own).zip(sum) {
            let length = variable.elements() as f64;
            set_shares(variable, own / length, *sum as f64 / length);
        }
    }

    /// From here on so many numbers of each block have changed since the round before.
    pub fn set_changes(&mut self, changed: &[usize]) {
        for (variable, changed) in self.down.model.variables.iter_mut().zip(changed) {
            let share = *changed as f64 / variable.elements() as f64;
            set_shares(variable, share, share);
        }
    }
}

/// Where a cluster's rounds were timed, links alone are too fair a measure: other exchanges would look better than they are.
fn slowness(cluster: &Cluster, machines: usize, numbers: usize) -> f64 {
    if cluster.network.timed.is_empty() {
        return 1.0;
    }
    let mut bare = cluster.clone();
    bare.network.timed.clear();
    collective_seconds(cluster, machines, numbers, numbers) / collective_seconds(&bare, machines, numbers, numbers)
}

/// Seconds of a round of a cluster's own all-reduce.
fn collective_seconds(cluster: &Cluster, machines: usize, down: usize, up: usize) -> f64 {
    Timekeeper::new(cluster, 0, &vec![0.0; machines]).sync_seconds(down, up)
}

fn numbers(model: &Model) -> usize {
    model.variables.iter().map(super::Variable::elements).sum()
}

fn set_shares(variable: &mut super::Variable, own: f64, together: f64) {
    variable.density = own.clamp(f64::MIN_POSITIVE, 1.0);
    variable.together = Some(together.clamp(variable.density, 1.0));
}

#[cfg(test)]
mod tests;
