//! Strategies of exchange, carried out by the ranks one after the other as they are asked for: a line of JSON each way.

use std::io::{BufRead, Write};

use anyhow::{Context, Result};
use hemingway::cluster::Cluster;
use hemingway::sync::execute::Timing;
use hemingway::sync::{Model, Stage, Strategy};
use hemingway_mpi::Ranks;
use serde::Deserialize;

/// What is asked for. A model and its cluster stand until others are named.
#[derive(Deserialize)]
#[serde(untagged)]
enum Asked {
    /// From now on, this model on the first machines of this cluster (TOML).
    Scene { model: Model, cluster: String, machines: usize },
    /// A strategy, and how often.
    Trial { strategy: Strategy, timing: Timing },
}

/// Answers until nothing more is asked: seconds of each step, `[]` to a scene. What cannot be done ends it.
pub(crate) fn serve(ranks: &Ranks, asked: impl BufRead, mut answers: impl Write) -> Result<()> {
    let mut stage: Option<Stage> = None;
    for line in asked.lines() {
        let seconds = match serde_json::from_str(&line?).context("what is asked cannot be read")? {
            Asked::Scene { model, cluster, machines } => {
                stage = Some(Stage::new(model, &Cluster::parse(&cluster)?, machines)?);
                Vec::new()
            }
            Asked::Trial { strategy, timing } => {
                let stage = stage.as_ref().context("a trial before any model and cluster")?;
                ranks.time(stage, &strategy, timing)?
            }
        };
        writeln!(answers, "{}", serde_json::to_string(&seconds)?)?;
        answers.flush()?;
    }
    Ok(())
}
