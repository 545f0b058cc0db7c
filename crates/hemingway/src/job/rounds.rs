//! How a job's rounds are exchanged, where it says so.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Job, JobSpec};
use crate::backend::Config;
use crate::cluster::Cluster;
use crate::sync::SyncStrategy;
use crate::sync::rounds::{Exchange, RoundSpec, Rounds, Way};
use crate::{Error, Result};

/// What is foretold of the exchange of rounds on so many machines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Foretold {
    /// m.
    pub machines: usize,
    /// The way that was asked for.
    pub way: String,
    /// What was found, in words.
    pub words: String,
    /// Seconds a round.
    pub seconds: f64,
    /// Those of them in which all are told of the shared vector, of which a run from nothing has no news in its first round.
    #[serde(default)]
    pub telling_seconds: f64,
    /// Seconds a round of plain dense all-reduce.
    pub plain_seconds: f64,
}

impl Foretold {
    /// How many times as long a round would take with plain dense all-reduce, if it takes so long with this and rounds are known to save
    /// so much; if nothing is known of that, what one saves that carries all coefficients both ways.
    pub fn gain(&self, round_seconds: f64, saved: Option<f64>) -> f64 {
        match saved {
            Some(saved) => (round_seconds + saved) / round_seconds,
            None => {
                let round = round_seconds.max(self.seconds);
                (round - self.seconds + self.plain_seconds) / round
            }
        }
    }

    fn of(way: &Way, exchange: &Exchange) -> Self {
        Self {
            machines: exchange.machines,
            way: way.name().into(),
            words: exchange.words(),
            seconds: exchange.seconds,
            telling_seconds: if exchange.plain { 0.0 } else { exchange.telling_seconds },
            plain_seconds: exchange.plain_seconds,
        }
    }
}

impl JobSpec {
    /// As many machines as a given strategy is for.
    pub(super) fn strategy_machines(&self) -> Option<(usize, usize)> {
        match &self.sync.as_ref()?.way {
            Way::Given(strategy) => Some((strategy.machines, strategy.machines)),
            Way::Plain | Way::Search => None,
        }
    }

    /// A configuration with the exchange that the job asks for, as it is told to others: within a job there is only one.
    pub(crate) fn exchanged(&self, config: Config) -> Config {
        let sync = self.sync.as_ref().map_or(config.sync, |asked| match asked.way {
            Way::Plain => SyncStrategy::Plain,
            Way::Search => SyncStrategy::Search,
            Way::Given(_) => SyncStrategy::File,
        });
        Config { sync, ..config }
    }
}

impl Job {
    /// Settles how rounds are exchanged, as soon as it is known where they run.
    pub(super) fn settle_rounds(mut self) -> Result<Self> {
        let Some(RoundSpec { way, links }) = &self.spec.sync else { return Ok(self) };
        let cluster = cluster_of(self.spec.cluster.as_ref(), links.as_ref())?;
        if let Some(most) = self.facts.machines.iter().max().filter(|most| **most > cluster.machines) {
            let what = format!("{} has {} machines, and {most} are to be used", cluster.name, cluster.machines);
            return Err(Error::setting("--links", what));
        }
        let exchanging = self.engines.as_ref().map(|engines| engines.exchanging());
        if let Some(most) = exchanging
            && *way != Way::Plain
            && self.facts.machines.iter().any(|machines| *machines > most)
        {
            let what = format!(
                "needs a rank for each machine, and rounds that the MPI library does not sum itself: say --machines 1..{most}, or \
                 leave out --threads-per-rank and --collectives"
            );
            return Err(Error::setting("--sync", what));
        }
        if let Way::Given(strategy) = way
            && self.facts.machines != [strategy.machines]
        {
            let what = format!("the strategy of --sync is for {0} machines and no others: say {0}", strategy.machines);
            return Err(Error::setting("--machines", what));
        }
        let rounds = Rounds::new(way.clone(), cluster, &self.problem);
        for machines in &self.facts.machines {
            let exchange = rounds.on(*machines).map_err(as_a_flag)?;
            self.facts.exchanges.extend(exchange.map(|exchange| Foretold::of(way, &exchange)));
        }
        self.facts.cluster = rounds.place(&self.facts.cluster);
        self.rounds = Some(Arc::new(rounds));
        Ok(self)
    }
}

/// A strategy that does not suit is what the flag named.
fn as_a_flag(error: Error) -> Error {
    match error {
        Error::Setting { field, what } if field == "strategy" => Error::setting("--sync", what),
        Error::Setting { field, what } => Error::setting("--sync", format!("{field}: {what}")),
        other => other,
    }
}

/// Where links are told of.
fn cluster_of<'a>(simulated: Option<&'a Cluster>, links: Option<&'a Cluster>) -> Result<&'a Cluster> {
    match (simulated, links) {
        (Some(_), Some(_)) => {
            Err(Error::setting("--links", "a simulated cluster has links of its own: leave out --links or --cluster"))
        }
        (Some(cluster), None) | (None, Some(cluster)) => Ok(cluster),
        (None, None) => {
            let what = "needs to know what lies between machines: name a --cluster to simulate or, on ranks, --links with a \
                        cluster's file (`hemingway doctor --engine mpi -o FILE` writes one)";
            Err(Error::setting("--sync", what))
        }
    }
}
